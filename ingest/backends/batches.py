"""Batches: OpenAI's, of files and a batch that names them, and Anthropic's, of one request with many in it.

Where a reply names another address for the results, it is not followed: the key goes to the config's server.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import httpx

from ingest.asking.answer_status import EVIDENCE, FAILURES, fault_status
from ingest.backends import SHOWN, Answer, AttemptFailed, BatchState, Line, NotThere, Request
from ingest.backends.http import (
    STATUS_OF,
    check_fault,
    downloaded,
    exchange,
    hopeless,
    message_of,
    only,
    read_key,
    reading,
)
from ingest.errors import PlumblineError
from ingest.redaction import without_key
from ingest.suite import Config

ID = re.compile(r"[A-Za-z0-9_-]{1,200}")  # what becomes a part of an address
OURS = "plumbline_batch"  # what a batch of OpenAI's carries of ours
MOST_PAGES = 100  # of a hundred batches each, in which one of ours is looked for
CLOCKS = timedelta(minutes=5)  # by which two may differ
# What Anthropic calls the statuses that a request alone would have.
CODES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
}
# Of batches; "queued" and "pending" are other servers' words.
UNDER_WAY = {"validating", "queued", "pending", "in_progress", "finalizing", "cancelling", "canceling"}
OVER = {"completed", "expired", "cancelled", "ended"}
NO_BATCHES = "Take `batch: true` out of the config, if its server takes no batches."


def _status(said: Any) -> str:
    """Return the status of a batch. Raises TypeError for one that says nothing: it might never be over."""
    status = str(said).lower()
    if status not in UNDER_WAY | OVER | {"failed"}:
        raise TypeError(f"{said!r:.60} is no status of a batch")
    return status


@contextmanager
def _told_apart() -> Iterator[None]:
    """Raise NotThere for what the server does not have."""
    try:
        yield
    except PlumblineError as error:
        if "HTTP 404" not in error.what:
            raise
        raise NotThere(error.what, NO_BATCHES) from None


class Asks(Protocol):
    """The backend whose requests go into batches: how it asks one, and where."""

    hosts: frozenset[str]

    def base_url(self, config: Config) -> str:
        """Return the address of the server."""

    def url(self, config: Config) -> str:
        """Return where one request goes."""

    def client(self, config: Config, key: str | None) -> httpx.Client:
        """Return what sends requests with the key."""

    def sent(self, request: Request) -> dict[str, Any]:
        """Return what is sent for a request."""

    def read(self, reply: Any, seconds: float | None) -> Answer:
        """Return the Answer in a reply."""


class Served(ABC):
    """What both have in common: the config's key and server, and lines of which each is one request's."""

    most_requests = 10_000
    most_bytes = 64 * 2**20

    def __init__(self, hosted: Asks, config: Config) -> None:
        self.hosted, self.config = hosted, config

    @property
    def key(self) -> str | None:
        """The key of the config's server."""
        return read_key(self.config, self.hosted.hosts)

    def call(self, method: str, path: str, content: Any = None, **more: Any) -> dict[str, Any]:
        """Return the object in a reply."""
        key = self.key
        client = self.hosted.client(self.config, key)
        with _told_apart():
            reply = exchange(client, method, f"{self.root}{path}", self.config, key, content, **more)
        with reading(self.config, key):
            if only(dict, reply) is None:
                raise TypeError("nothing")
            check_fault(reply)
        found: dict[str, Any] = reply
        return found

    def answers(self, state: BatchState) -> Iterator[Line | None]:
        """Yield what lines hold, None for one that is none."""
        key = self.key
        for place in state.places:
            client = self.hosted.client(self.config, key)
            with _told_apart():
                for line in downloaded(client, f"{self.root}{place}", self.config, key):
                    if line.strip():
                        yield self._read(line, key)

    def _read(self, line: bytes, key: str | None) -> Line | None:
        try:
            content = json.loads(line)
            name = content["custom_id"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        if not isinstance(name, str):
            return None
        try:
            with reading(self.config, key):
                return name, self.outcome(without_key(content, key))
        except AttemptFailed as error:
            return name, Answer(None, error.status, error=str(error)[:EVIDENCE])
        except PlumblineError as error:
            return name, error

    def failed(self, status: str, said: str, code: int | None) -> Answer:
        """Return what became of a request that was not answered: nobody bills it.

        Raises PlumblineError where, asked alone, it would have ended the run.
        """
        if what_to_do := hopeless(code or 0, said):
            raise PlumblineError(f"{said[:SHOWN]}.", what_to_do)
        status = fault_status(said, status)
        return Answer(None, status, error=said[:EVIDENCE], n_prompt_tokens=0, n_output_tokens=0)

    @abstractmethod
    def line(self, request: Request) -> bytes:
        """Return a request as a batch has it."""

    @abstractmethod
    def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Send a batch; return the server's name of it."""

    @abstractmethod
    def find(self, name: str, n_requests: int, since: datetime) -> list[str]:
        """Return batches that may be one whose sending nobody saw the end of."""

    @abstractmethod
    def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is."""

    @property
    @abstractmethod
    def root(self) -> str:
        """Where paths begin."""

    @abstractmethod
    def outcome(self, content: Any) -> Answer:
        """Return the Answer in a line. A line of another shape may raise anything."""

    def listed(self, path: str, after: str) -> Iterator[dict[str, Any]]:
        """Yield the server's batches, the newest first; `after` names the last one of the page before."""
        more = ""
        for _ in range(MOST_PAGES):
            reply = self.call("GET", f"{path}?limit=100{more}")
            with reading(self.config, self.key):
                page = [dict(one) for one in reply["data"]]
            yield from page
            if not page or reply.get("has_more") is not True:
                return
            more = f"&{after}={self.identified(page[-1])}"

    def identified(self, reply: Mapping[str, Any]) -> str:
        """Return the `id` of something on the server. Raises AttemptFailed where it is none."""
        with reading(self.config, self.key):
            found = only(str, reply["id"])
            if found is None or not ID.fullmatch(found):
                raise TypeError("its id is none")
        return str(found)


class OpenAIBatches(Served):
    """A file of requests, a batch of it, and files of answers and of errors."""

    @property
    def root(self) -> str:
        """Where paths begin."""
        return self.hosted.base_url(self.config)

    def line(self, request: Request) -> bytes:
        """Return a request as a line of the file."""
        asked = {"method": "POST", "url": "/v1/chat/completions", "body": self.hosted.sent(request)}
        return json.dumps({"custom_id": request.request_key, **asked}).encode()

    def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Upload the file, then make a batch of it."""
        files = {"file": (f"{name}.jsonl", b"\n".join(lines) + b"\n", "application/jsonl")}
        uploaded = self.call("POST", "/files", data={"purpose": "batch"}, files=files)
        batch = {
            "input_file_id": self.identified(uploaded),
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {OURS: name},
        }
        return self.identified(self.call("POST", "/batches", batch))

    def find(self, name: str, n_requests: int, since: datetime) -> list[str]:
        """Return the batch that carries our name, if there is one."""
        first = (since - CLOCKS).replace(tzinfo=UTC).timestamp()
        for one in self.listed("/batches", "after"):
            with reading(self.config, self.key):
                is_ours = (one.get("metadata") or {}).get(OURS) == name
                made = only(int, one.get("created_at"))
            if is_ours:
                return [self.identified(one)]
            if made is not None and made < first:
                break
        return []

    def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is."""
        reply = self.call("GET", f"/batches/{batch_id}")
        with reading(self.config, self.key):
            status = _status(reply["status"])
            counts = only(dict, reply.get("request_counts")) or {}
            n_done = sum(only(int, counts.get(name)) or 0 for name in ("completed", "failed"))
            if status == "failed":
                found = (only(dict, reply.get("errors")) or {}).get("data") or [{}]
                fault = str((only(dict, found[0]) or {}).get("message") or "it does not say why")
                return BatchState(True, n_done, fault=fault)
            files = [only(str, reply.get(f"{kind}_file_id")) for kind in ("output", "error")]
            if any(file and not ID.fullmatch(file) for file in files):
                raise TypeError("the id of a file is none")
        return BatchState(
            status in OVER,
            n_done,
            tuple(f"/files/{file}/content" for file in files if file),
            {"expired": "timeout", "cancelled": "cancelled"}.get(status, "server_error"),
        )

    def outcome(self, content: Any) -> Answer:
        """Return the Answer in a line: a reply, an error of one, or an error in its place."""
        response, error = only(dict, content.get("response")), only(dict, content.get("error"))
        if response is None:
            ended = FAILURES.get(str((error or {}).get("code")), "server_error")
            return self.failed(ended, message_of(json.dumps({"error": error}).encode()), None)
        code, body = only(int, response["status_code"]), response["body"]
        if code == 200:
            check_fault(content)
            return self.hosted.read(body, None)
        said = f"HTTP {code}: {message_of(json.dumps(body).encode())}"
        passing = "server_error" if code is not None and code >= 500 else "client_error"
        return self.failed(STATUS_OF.get(code or 0, passing), said, code)


class AnthropicBatches(Served):
    """One request that holds many; results in a file of lines once all have ended."""

    @property
    def root(self) -> str:
        """Where paths begin."""
        return self.hosted.url(self.config) + "/batches"

    def line(self, request: Request) -> bytes:
        """Return a request as one of the list."""
        asked = {"custom_id": request.request_key, "params": self.hosted.sent(request)}
        return json.dumps(asked).encode()

    def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Make a batch."""
        content = {"requests": [json.loads(line) for line in lines]}
        return self.identified(self.call("POST", "", content))

    def find(self, name: str, n_requests: int, since: datetime) -> list[str]:
        """Return batches of as many requests that were made since then, the first of them first.

        They carry no name of ours.
        """
        found = []
        for one in self.listed("", "after_id"):
            with reading(self.config, self.key):
                made = datetime.fromisoformat(one["created_at"]).astimezone(UTC).replace(tzinfo=None)
                n = sum(only(int, count) or 0 for count in one["request_counts"].values())
                if made < since - CLOCKS:
                    break
                if n == n_requests:
                    found.append((made, self.identified(one)))
        return [batch_id for _, batch_id in sorted(found)]

    def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is."""
        reply = self.call("GET", f"/{batch_id}")
        with reading(self.config, self.key):
            counts = {name: only(int, n) or 0 for name, n in reply["request_counts"].items()}
            is_over = _status(reply["processing_status"]) not in UNDER_WAY
        n_done = sum(counts.values()) - counts.get("processing", 0)
        return BatchState(is_over, n_done, (f"/{batch_id}/results",) if is_over else ())

    def outcome(self, content: Any) -> Answer:
        """Return the Answer in a line."""
        result = content["result"]
        match result["type"]:
            case "succeeded":
                return self.hosted.read(result["message"], None)
            case "expired":
                return self.failed("timeout", "the batch expired before it was asked", None)
            case "canceled":
                return self.failed("cancelled", "the batch was cancelled before it was asked", None)
            case "errored":
                error = result["error"]
                kind = str((error.get("error") or error).get("type"))
                said = message_of(json.dumps(error).encode())
                return self.failed(FAILURES.get(kind, "client_error"), f"{kind}: {said}", CODES.get(kind))
        raise TypeError(f"{result['type']!r:.60} is no result")
