"""A model server on loopback that speaks as Ollama, OpenAI, Azure, Anthropic do; with misbehaviour on order.

    python tests/helpers/servers/loopback.py --delay 0.05 --slots 16     # prints its port

The model's answer is its prompt, turned round. As with the real servers, requests beyond `--slots` wait in
a queue of `--queue`, beyond which the answer is 503. Rules say what goes wrong: POST /rules with a list of
{"match": text in the last message, "do": name, "times": how often, and what that name needs}. GET /log
says what was asked and when it was answered, POST /model changes the digest or the context.
"""

import argparse
import asyncio
import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from batching import Batches, Hangup, reply

MODEL, DIGEST, CONTEXT, VERSION = "tiny", "sha256:" + "1f" * 32, 8192, "0.12.3"
MESSAGES_FIELDS = {"model", "messages", "max_tokens", "system", "temperature", "top_p", "top_k"}
MESSAGES_FIELDS |= {"stop_sequences", "stream", "thinking", "metadata"}
BUSY = "server busy, please try again.  maximum pending requests exceeded"


@dataclass
class Server:
    delay: float
    slots: int
    queue: int
    key: str | None
    length: int
    model: str = MODEL
    digest: str = DIGEST
    context: int = CONTEXT
    version: str = VERSION
    tags_left: int | None = None  # how often the digest is still told
    rules: list[dict[str, Any]] = field(default_factory=list)
    applied: Counter = field(default_factory=Counter)
    log: list[dict[str, Any]] = field(default_factory=list)
    under_way: int = 0
    most_under_way: int = 0

    def __post_init__(self) -> None:
        self.free = asyncio.Semaphore(self.slots)
        self.batches = Batches(self)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                method, path, _ = lines[0].split(" ")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                is_json = body and "multipart" not in headers.get("content-type", "")
                await self.route(writer, method, path, headers, json.loads(body) if is_json else body or None)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError, Hangup):
            pass
        finally:
            writer.close()

    async def route(self, writer, method, path, headers, content) -> None:
        match method, path:
            case "GET", "/log":
                said = {"log": self.log, "most_under_way": self.most_under_way}
                await reply(writer, 200, said)
            case "GET", "/count":
                await reply(writer, 200, {"n_asked": len(self.log)})
            case "POST", "/reset":
                self.rules, self.log, self.most_under_way = [], [], 0
                self.model, self.digest, self.context, self.tags_left = MODEL, DIGEST, CONTEXT, None
                self.version = VERSION
                self.batches = Batches(self)
                await reply(writer, 200, {})
            case "POST", "/rules":
                self.rules = content
                self.applied.clear()
                await reply(writer, 200, {})
            case "POST", "/model":
                for name, value in content.items():
                    setattr(self, name, value)
                await reply(writer, 200, {})
            case "GET", "/api/version":
                await reply(writer, 200, {"version": self.version})
            case "GET", "/api/tags":
                models = [{"model": self.model, "name": self.model, "digest": self.digest}]
                if self.tags_left is not None:
                    self.tags_left -= 1
                is_told = self.tags_left is None or self.tags_left >= 0
                await reply(writer, 200 if is_told else 503, {"models": models})
            case "POST", "/api/show":
                await self.show(writer, content)
            case "POST", "/api/chat":
                await self.ask(writer, headers, content, self.chat)
            case "POST", "/v1/chat/completions":
                if self.key and headers.get("authorization") != f"Bearer {self.key}":
                    wrong = headers.get("authorization", "none").removeprefix("Bearer ")
                    message = f"Incorrect API key provided: {wrong}"
                    await reply(writer, 401, {"error": {"message": message, "code": "invalid_api_key"}})
                else:
                    await self.ask(writer, headers, content, self.completion)
            case "POST", "/ask?v=2":
                entry = {"content": content, "headers": headers, "began": time.monotonic()}
                self.log.append(entry)
                prompt = content.get("question", "")
                if self.key and headers.get("x-app-token") != self.key:
                    await reply(writer, 401, {"error": f"no such token: {headers.get('x-app-token')}"})
                elif not await self.misbehave(writer, content, rule := self.rule(prompt)):
                    await reply(writer, 200, rule.get("says") or application(self.turned(prompt)))
            case _ if re.match(r"/v1/(files|batches|messages/batches)\b", path):
                await self.batches.route(writer, method, path, headers, content)
            case "POST", "/batch":
                self.batches.behave(content)
                await reply(writer, 200, {})
            case "POST", "/v1/messages":
                await self.anthropic(writer, headers, content)
            case "POST", _ if path.startswith("/openai/"):
                await self.azure(writer, path, headers, content)
            case _:
                await reply(writer, 404, {"error": f"no route {path}"})

    def has(self, name: str) -> bool:
        return self.model in (name, f"{name}:latest")

    async def show(self, writer, content) -> None:
        if not self.has(content["model"]):
            await reply(writer, 404, {"error": f"model '{content['model']}' not found"})
            return
        await reply(
            writer,
            200,
            {
                "license": "A licence\n" * 50,
                "parameters": 'stop "<|end|>"',
                "template": "{{ .System }} {{ .Prompt }}",
                "details": {"family": "llama", "parameter_size": "1B", "quantization_level": "Q4_K_M"},
                "model_info": {"llama.context_length": 131072},
                "capabilities": ["completion"],
            },
        )

    async def azure(self, writer, path, headers, content) -> None:
        """A resource with one deployment, `ours`, of the model; versions of the API by date, and v1."""
        dated = re.fullmatch(
            r"/openai/deployments/([\w.-]+)/chat/completions\?api-version=[\d-]+(-preview)?", path
        )
        if self.key and headers.get("api-key") != self.key:
            message = "Access denied due to invalid subscription key or wrong API endpoint."
            await reply(writer, 401, {"error": {"code": "401", "message": message}})
        elif not dated and path != "/openai/v1/chat/completions":
            await reply(writer, 404, {"error": {"code": "404", "message": "Resource not found"}})
        elif (dated[1] if dated else content["model"]) not in (
            "ours",
            self.model,
            f"{self.model}-2026-01-01",
        ):
            message = "The API deployment for this resource does not exist."
            await reply(writer, 404, {"error": {"code": "DeploymentNotFound", "message": message}})
        else:
            await self.ask(writer, headers, {**content, "model": self.model}, self.completion)

    async def anthropic(self, writer, headers, content) -> None:
        """The Messages API, as strict as it is."""

        async def refuse(status, kind, message) -> None:
            error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "r1"}
            await reply(writer, status, error)

        unknown = sorted(content.keys() - MESSAGES_FIELDS)
        roles = {message["role"] for message in content["messages"]} - {"user", "assistant"}
        if headers.get("anthropic-version") != "2023-06-01":
            await refuse(400, "invalid_request_error", "anthropic-version: header is required")
        elif self.key and headers.get("x-api-key") != self.key:
            await refuse(401, "authentication_error", "invalid x-api-key")
        elif unknown:
            await refuse(400, "invalid_request_error", f"{unknown[0]}: Extra inputs are not permitted")
        elif roles:
            await refuse(400, "invalid_request_error", f'messages: Unexpected role "{min(roles)}".')
        elif "max_tokens" not in content:
            await refuse(400, "invalid_request_error", "max_tokens: Field required")
        elif not self.has(content["model"]):
            await refuse(404, "not_found_error", f"model: {content['model']}")
        else:
            await self.ask(writer, headers, content, self.message)

    async def ask(self, writer, headers, content, answer) -> None:
        """Wait for a slot, then answer as the rules say."""
        prompt = content["messages"][-1]["content"]
        if self.under_way >= self.slots + self.queue:
            await reply(writer, 503, {"error": BUSY})
            return
        keys = {name: headers.get(name) for name in ("authorization", "api-key", "x-api-key")}
        entry = {"content": content, **keys, "began": time.monotonic()}
        self.log.append(entry)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            async with self.free:
                await asyncio.sleep(self.delay)
                if not self.has(content["model"]):
                    await reply(writer, 404, {"error": f"model '{content['model']}' not found"})
                else:
                    await answer(writer, content, prompt, self.rule(prompt))
                entry["ended"] = time.monotonic()
        finally:
            self.under_way -= 1

    def rule(self, prompt: str) -> dict[str, Any]:
        for i, rule in enumerate(self.rules):
            if rule.get("match", "") in prompt and self.applied[i] < rule.get("times", 10**9):
                self.applied[i] += 1
                return rule
        return {"do": "answer"}

    def turned(self, prompt: str) -> str:
        answer = prompt[::-1]
        return " ".join([answer] * (1 + self.length // (len(answer) + 1)))

    async def misbehave(self, writer, content, rule) -> bool:
        """Do what both protocols share; say whether that was the end of it."""
        match rule["do"]:
            case "slow":
                await asyncio.sleep(rule["seconds"])
                return False
            case "status":
                headers = {"Retry-After": str(rule["retry_after"])} if "retry_after" in rule else {}
                await reply(writer, rule["status"], rule.get("body", {"error": "it broke"}), headers)
                return True
            case "hangup":
                raise Hangup
            case "midway":
                # A length is promised that never comes.
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n"
                )
                writer.write(b'{"model": "tiny", "message": {"role": "assistant", "content": "Half an')
                await writer.drain()
                raise Hangup
            case "streams only" if not content.get("stream"):
                message = "This model only supports stream mode, please enable the stream parameter."
                await reply(writer, 400, {"error": {"message": message}})
                return True
            case "stream":
                await stream(writer, [{"text": "Half"}, "[DONE]"], rule)
            case "body":
                await reply(writer, 200, rule["body"])
                return True
            case "text":
                await reply(writer, 200, rule["text"].encode())
                return True
        return False

    async def chat(self, writer, content, prompt, rule) -> None:
        if await self.misbehave(writer, content, rule):
            return
        options = content.get("options", {})
        context = min(options.get("num_ctx", 4096), self.context)
        n_prompt = sum(len(m["content"]) // 4 + 5 for m in content["messages"])
        # What Ollama does with a prompt that does not fit: half the context is left of it, with HTTP 200.
        n_prompt = context // 2 + 2 if n_prompt > context else n_prompt
        message = {"role": "assistant", "content": rule.get("says") or self.turned(prompt)}
        message |= {"thinking": rule["thinking"]} if "thinking" in rule else {}
        said = {
            "model": rule.get("served", self.model),
            "created_at": "2026-01-01T00:00:00Z",
            "message": message,
            "done": True,
            "done_reason": rule.get("finish_reason", "stop"),
            "total_duration": 1,
            "prompt_eval_count": rule.get("n_prompt", n_prompt),
            "eval_count": len(message["content"]) // 4 + 1,
        }
        if "logprobs" in rule and content.get("logprobs"):
            said["logprobs"] = rule["logprobs"]
        if said["prompt_eval_count"] is None:
            del said["prompt_eval_count"]
        await reply(writer, 200, said)

    async def completion(self, writer, content, prompt, rule) -> None:
        if await self.misbehave(writer, content, rule):
            return
        said = self.completed(content, prompt, rule)
        if content.get("stream"):
            await stream(writer, chunks_of(said, content.get("stream_options", {})), rule)
        else:
            await reply(writer, 200, said)

    def completed(self, content, prompt, rule) -> dict[str, Any]:
        """A chat completion."""
        message = {"role": "assistant", "content": rule.get("says") or self.turned(prompt)} | rule.get(
            "message", {}
        )
        said = {
            "id": "c1",
            "object": "chat.completion",
            "model": rule.get("served", f"{self.model}-2026-01-01"),
            "system_fingerprint": rule.get("fingerprint", "fp_1"),
            "choices": [{"index": 0, "message": message, "finish_reason": rule.get("finish_reason", "stop")}],
            "usage": {"prompt_tokens": len(prompt) // 4 + 5, "completion_tokens": 3, "total_tokens": 9},
        }
        if content.get("logprobs"):
            said["choices"][0]["logprobs"] = {"content": rule["logprobs"]} if "logprobs" in rule else None
        return said

    async def message(self, writer, content, prompt, rule) -> None:
        if await self.misbehave(writer, content, rule):
            return
        said = self.messaged(prompt, rule)
        if content.get("stream"):
            await stream(writer, events_of(said), rule)
        else:
            await reply(writer, 200, said)

    def messaged(self, prompt, rule) -> dict[str, Any]:
        """A message of Anthropic's."""
        blocks = [{"type": "text", "text": rule.get("says") or self.turned(prompt)}]
        if "thinking" in rule:
            blocks.insert(0, {"type": "thinking", "thinking": rule["thinking"], "signature": "s"})
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": rule.get("served", f"{self.model}-20260101"),
            "content": [] if rule.get("finish_reason") == "refusal" else blocks,
            "stop_reason": rule.get("finish_reason", "end_turn"),
            "stop_sequence": None,
            "usage": {"input_tokens": 4, "cache_read_input_tokens": len(prompt) // 4 + 1, "output_tokens": 3},
        }


def application(text: str) -> dict[str, Any]:
    """What an application says that asked a model twice."""
    steps = [{"call": "search", "found": 3}, {"call": "model", "tokens": 7}]
    return {"out": [{"text": text}], "state": "done", "steps": steps, "use": {"in": 11, "out": 7}}


def chunks_of(said: dict[str, Any], options: dict[str, Any]) -> list[Any]:
    """A completion as OpenAI's stream of chunks; Azure's begins with one that has no choices."""
    whole = {name: said[name] for name in ("id", "model", "system_fingerprint")}
    (choice,) = said["choices"]
    chunks = [{**whole, "model": "", "choices": []}]
    for name, text in choice["message"].items():
        for piece in [text] if name == "role" else re.findall(r"(?s).{1,7}", text):
            chunks.append({**whole, "choices": [{"index": 0, "delta": {name: piece}, "finish_reason": None}]})
    # The probabilities of tokens come with any chunk, one or more at a time.
    for token in (choice.get("logprobs") or {}).get("content", []):
        probable = {"index": 0, "delta": {}, "logprobs": {"content": [token]}, "finish_reason": None}
        chunks.append({**whole, "choices": [probable]})
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks.append({**whole, "choices": [end]})
    if options.get("include_usage"):
        chunks.append({**whole, "choices": [], "usage": said["usage"]})
    return [*chunks, "[DONE]"]


def events_of(said: dict[str, Any]) -> list[Any]:
    """A message as Anthropic's stream of events."""
    start = {**said, "content": [], "stop_reason": None, "usage": {**said["usage"], "output_tokens": 1}}
    events = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for i, block in enumerate(said["content"]):
        kind = block["type"]
        empty = {"type": kind, kind: ""}
        events.append({"type": "content_block_start", "index": i, "content_block": empty})
        for piece in re.findall(r"(?s).{1,7}", block[kind]):
            delta = {"type": f"{kind}_delta", kind: piece}
            events.append({"type": "content_block_delta", "index": i, "delta": delta})
        events.append({"type": "content_block_stop", "index": i})
    end = {"stop_reason": said["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": said["usage"]["output_tokens"]}
    return [*events, {"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]


async def stream(writer, events: list[Any], rule: dict[str, Any]) -> None:
    """Send server-sent events; a rule may have the stream end early, or with an error."""
    if "breaks" in rule:
        events = [*events[: len(events) // 2], *([rule["breaks"]] if rule["breaks"] else [])]
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n")
    writer.write(b"connection: close\r\n\r\n")
    for event in events:
        named = isinstance(event, dict) and "type" in event
        head = f"event: {event['type']}\n" if named else ""
        said = event if isinstance(event, str) else json.dumps(event)
        writer.write(f"{head}data: {said}\n\n".encode())
    await writer.drain()
    raise Hangup


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delay", type=float, default=0.0, help="seconds an answer takes")
    parser.add_argument("--slots", type=int, default=1, help="answers made at a time")
    parser.add_argument("--queue", type=int, default=512, help="requests that may wait for a slot")
    parser.add_argument("--length", type=int, default=0, help="characters an answer has at least")
    parser.add_argument("--key", help="the key that OpenAI's route asks for")
    server = Server(**vars(parser.parse_args()))
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=2**26)
    print(listening.sockets[0].getsockname()[1], flush=True)
    # Ends with whoever started it.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
