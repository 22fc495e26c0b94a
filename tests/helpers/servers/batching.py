"""Batches of a server on loopback, as OpenAI and Anthropic have them; with misbehaviour on order.

POST /batch says how batches end from now on: {"ends": "expired", "polls": looks until then, "without": text
in prompts that get no line, "twice": text in prompts that get two, "more": further lines, "create": "hangup"
or a status, "cut": bytes of the results, once, "unsaid": whether no length is said of these, "fault": why
none is taken, "list": a status for who wants the list, "others": so many younger batches of somebody else,
"gone": whether the results are, "status": what a batch says of itself}. What
single requests get, the server's rules say.
"""

import json
import re
from datetime import UTC, datetime
from typing import Any

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
REASONS |= {500: "Internal Server Error", 503: "Service Unavailable", 529: "Overloaded"}


class Hangup(Exception):
    """The connection ends here."""


class Batches:
    """The files and batches of one server. A batch is a step further at each look at it."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.orders: dict[str, Any] = {}

    def behave(self, orders: dict[str, Any]) -> None:
        self.orders = orders

    async def route(self, writer, method, path, headers, content) -> None:
        is_messages = path.startswith("/v1/messages")
        keys = {name: headers.get(name) for name in ("authorization", "api-key", "x-api-key")}
        self.server.log.append({"content": None, "method": method, "path": path, **keys})
        sent = keys["x-api-key"] if is_messages else (keys["authorization"] or "").removeprefix("Bearer ")
        if self.server.key and sent != self.server.key:
            await reply(writer, 401, {"error": {"message": f"Incorrect API key provided: {sent}"}})
            return
        name = path.removeprefix("/v1/messages/batches").removeprefix("/v1/batches").partition("/")[2]
        if path.endswith("/results") or path.endswith("/content"):
            await self.download(writer, path)
        elif method == "POST" and path == "/v1/files":
            await self.upload(writer, headers, content)
        elif method == "POST":
            await self.create(writer, content, is_messages)
        elif "?" in path:
            await self.show_list(writer, path)
        elif name not in self.batches:
            await reply(writer, 404, {"error": {"message": f"No batch found with id '{name}'."}})
        else:
            self.step(self.batches[name])
            await reply(writer, 200, self.shown(self.batches[name]))

    async def show_list(self, writer, path: str) -> None:
        """A page of batches, the youngest first."""
        if "list" in self.orders:
            await reply(writer, self.orders["list"], {"error": {"message": "You may not list batches."}})
            return
        now = datetime.now(UTC)
        counts = {"request_counts": {"total": 3}, "metadata": None}
        kept = [
            {"id": f"other_{i}", "created_at": now.isoformat() if "messages" in path else 2**32, **counts}
            for i in range(self.orders.get("others", 0))
        ]
        kept += [self.shown(batch) for batch in reversed(self.batches.values())]
        last = re.search(r"after(?:_id)?=([\w-]+)", path)
        start = next((i + 1 for i, one in enumerate(kept) if last and one["id"] == last[1]), 0)
        page = kept[start : start + int(re.search(r"limit=(\d+)", path)[1])]
        has_more = start + len(page) < len(kept)
        await reply(writer, 200, {"object": "list", "data": page, "has_more": has_more})

    async def upload(self, writer, headers, content: bytes) -> None:
        boundary = headers["content-type"].partition("boundary=")[2].encode()
        parts = {}
        for part in content.split(b"--" + boundary)[1:-1]:
            head, _, body = part.partition(b"\r\n\r\n")
            parts[re.search(rb'name="(\w+)"', head)[1].decode()] = body.removesuffix(b"\r\n")
        if parts["purpose"] != b"batch":
            await reply(writer, 400, {"error": {"message": "purpose: it is none"}})
            return
        name = f"file-{len(self.files)}"
        self.files[name] = parts["file"]
        await reply(writer, 200, {"id": name, "object": "file", "purpose": "batch"})

    async def create(self, writer, content, is_messages: bool) -> None:
        order = self.orders.get("create")
        if isinstance(order, int):
            await reply(writer, order, {"error": {"message": "The batch is refused."}})
            return
        if is_messages:
            asked = [(one["custom_id"], one["params"]) for one in content["requests"]]
        else:
            lines = self.files[content["input_file_id"]].splitlines()
            asked = [(one["custom_id"], one["body"]) for one in map(json.loads, lines)]
        names = [name for name, _ in asked]
        assert len(set(names)) == len(names) and all(re.fullmatch(r"[\w-]{1,64}", name) for name in names)
        batch = {
            "id": f"{'msgbatch' if is_messages else 'batch'}_{len(self.batches)}",
            "is_messages": is_messages,
            "asked": asked,
            "metadata": content.get("metadata"),
            "made": datetime.now(UTC),
            "looks": 0,
            "status": "in_progress" if is_messages else "validating",
        }
        self.batches[batch["id"]] = batch
        if order == "hangup":
            self.orders.pop("create")
            raise Hangup
        await reply(writer, 200, self.shown(batch))

    def step(self, batch) -> None:
        """Go on by a step."""
        batch["looks"] += 1
        steps = ["in_progress", "in_progress", "finalizing"][: self.orders.get("polls", 2)]
        over = "ended" if batch["is_messages"] else self.orders.get("ends", "completed")
        batch["status"] = steps[batch["looks"] - 1] if batch["looks"] <= len(steps) else over
        if batch["is_messages"] and batch["status"] == "finalizing":
            batch["status"] = "in_progress"
        if batch["status"] == over and "lines" not in batch:
            batch["lines"] = self.answered(batch)

    def answered(self, batch) -> list[bytes]:
        """The lines of results, in another order than was asked."""
        lines = []
        for i, (name, body) in enumerate(reversed(batch["asked"])):
            prompt = body["messages"][-1]["content"]
            orders = {kind: self.orders[kind] for kind in ("without", "twice") if kind in self.orders}
            entry = {"content": body, "batch": batch["id"]}
            self.server.log.append(entry)
            ends = self.orders.get("ends")
            is_cut = ends in ("expired", "cancelled") and i % 2 == 0
            if orders.get("without") and orders["without"] in prompt:
                continue
            line = self.ended(ends) if is_cut else self.line(batch, body, prompt)
            line = json.dumps({"custom_id": name, **line}).encode()
            lines += [line] * (2 if orders.get("twice") and orders["twice"] in prompt else 1)
        return [*(one.encode() for one in self.orders.get("more", [])), *lines]

    def ended(self, ends: str) -> dict[str, Any]:
        kind = {"cancelled": "canceled"}.get(ends, ends)
        error = {"code": f"batch_{ends}", "message": "This request could not be executed in time."}
        return {"result": {"type": kind}, "response": None, "error": error}

    def line(self, batch, body, prompt) -> dict[str, Any]:
        rule = self.server.rule(prompt)
        if batch["is_messages"]:
            if rule["do"] == "status":
                return {"result": {"type": "errored", "error": rule["body"]}}
            if rule["do"] == "body":
                return {"result": {"type": "succeeded", "message": rule["body"]}}
            return {"result": {"type": "succeeded", "message": self.server.messaged(prompt, rule)}}
        code = rule["status"] if rule["do"] == "status" else 200
        said = rule["body"] if "body" in rule else self.server.completed(body, prompt, rule)
        return {"id": "r", "response": {"status_code": code, "request_id": "q", "body": said}, "error": None}

    def shown(self, batch) -> dict[str, Any]:
        """A batch as its API has it."""
        n, is_over = len(batch["asked"]), "lines" in batch
        status = self.orders.get("status", batch["status"])
        if batch["is_messages"]:
            counts = {"processing": 0 if is_over else n, "succeeded": n if is_over else 0}
            return {
                "id": batch["id"],
                "type": "message_batch",
                "processing_status": status,
                "request_counts": {**counts, "errored": 0, "canceled": 0, "expired": 0},
                "created_at": batch["made"].isoformat(),
                # An address that is not the server's: nobody may take a key there.
                "results_url": "http://198.51.100.1/results" if is_over else None,
            }
        fault = self.orders.get("fault")
        files = {"output_file_id": f"out-{batch['id']}", "error_file_id": f"err-{batch['id']}"}
        return {
            "id": batch["id"],
            "object": "batch",
            "status": "failed" if fault else status,
            "errors": {"object": "list", "data": [{"code": "x", "message": fault}]} if fault else None,
            "request_counts": {"total": n, "completed": n if is_over else n // 2, "failed": 0},
            "metadata": batch["metadata"],
            **(files if is_over else {}),
        }

    async def download(self, writer, path: str) -> None:
        is_failure = "/err-" in path
        if self.orders.get("gone"):
            await reply(writer, 404, {"error": {"message": "No such File object."}})
            return
        batch = self.batches[re.search(r"(?:msg)?batch_\d+", path)[0]]
        lines = batch["lines"]
        if not batch["is_messages"]:
            # OpenAI has what failed in a file of its own; what nobody can read stays with the answers.
            failed = [
                line for line in lines if b'"status_code": ' in line and b'"status_code": 200' not in line
            ]
            failed += [line for line in lines if b'"response": null' in line]
            lines = failed if is_failure else [line for line in lines if line not in failed]
        body = b"\n".join(lines) + b"\n"
        if "cut" in self.orders and not is_failure:
            cut = self.orders.pop("cut")
            length = "" if self.orders.get("unsaid") else f"content-length: {len(body)}\r\n"
            writer.write(f"HTTP/1.1 200 OK\r\n{length}\r\n".encode() + body[:cut])
            await writer.drain()
            raise Hangup
        await reply(writer, 200, body)


async def reply(writer, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"HTTP/1.1 {status} {REASONS.get(status, 'Other')}\r\ncontent-type: application/json\r\n{more}"
    writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
