"""An application behind HTTP: a suite's `body:` says what is sent, its `answer:` where the answer stands."""

import json
import threading
import time
from collections.abc import Mapping
from typing import Any, NoReturn

import httpx

from ingest.asking.answer_status import STATUSES
from ingest.backends import TRANSIENT, About, Answer, AttemptFailed, Description, Rejected, Request
from ingest.backends.http import (
    bearer,
    check_fault,
    connect,
    declined,
    exchange,
    read_key,
    read_secret,
    reading,
)
from ingest.backends.replies import count_of, options_in_force, read_reply, request_seed
from ingest.errors import PlumblineError, shorten
from ingest.network import Unreadable
from ingest.suite import Config, Suite
from ingest.suite.applications import MESSAGES, found_at, places_of
from ingest.suite.fields import fill

TRACE = 20_000  # characters kept of what an application says of its way to an answer
NAMES_SHOWN = 5
WHOLE = ("{messages}", "{seed}")  # a list and a number where they are all that a text holds


class ApplicationBackend:
    """Asks POST URL. What is sent and where the answer stands are the fingerprint: there is no digest."""

    name = "http"
    asked_again = TRANSIENT
    hosts: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._clients: dict[tuple[Any, ...], httpx.Client] = {}
        self._lock = threading.Lock()

    def describe(self, config: Config) -> Description:
        """Return what is sent and what is read of the reply; nothing is sent."""
        options = options_in_force(config, {})
        if config.system_prompt and not {"system", MESSAGES} & places_of(config.body):
            raise PlumblineError(
                f"The config {config.model!r} has a system prompt, and its `body:` has no place for it.",
                "Put {system} or {messages} into the body.",
            )
        parts = config.model_dump(mode="json", include={"url", "body", "headers", "answer", "reply"})
        return Description(digest="", options={**options, **parts})

    def answer(self, request: Request) -> Answer:
        """Ask once."""
        config = request.config
        assert config.url is not None
        secrets, headers = _headers(config, self.hosts)
        content = _filled(config.body, _values(request))
        started = time.monotonic()
        try:
            reply = exchange(self._client(config, headers), "POST", config.url, config, secrets, content)
            with reading(config, secrets):
                return _read(reply, request, time.monotonic() - started)
        except (Rejected, AttemptFailed) as error:
            return declined(error)

    def _client(self, config: Config, headers: Mapping[str, str]) -> httpx.Client:
        identity = (config.url, config.timeout_seconds, *headers.items())
        with self._lock:
            if identity not in self._clients:
                self._clients[identity] = connect(config, str(config.url), headers)
            return self._clients[identity]


def _headers(config: Config, hosts: frozenset[str]) -> tuple[list[str], dict[str, str]]:
    """Return the secrets of a config, and its headers with them."""
    key = read_key(config, hosts)
    secret = {
        name: read_secret(config, header.env, hosts)
        for name, header in config.headers.items()
        if not isinstance(header, str)
    }
    plain = {name: text for name, text in config.headers.items() if isinstance(text, str)}
    return [*([key] if key else []), *secret.values()], {**plain, **bearer(key), **secret}


def _values(request: Request) -> dict[str, Any]:
    """Return what stands for each {place} of a body. Raises PlumblineError for turns that find no place."""
    *before, last = request.messages
    turns = [message for message in before if message["role"] != "system"]
    if turns and MESSAGES not in places_of(request.config.body):
        raise PlumblineError(
            f"{request.config.model}: a prompt has earlier turns, and `body:` has no place for them.",
            "Put {messages} into the body.",
        )
    return {
        "prompt": last["content"],
        "system": "\n\n".join(message["content"] for message in before if message["role"] == "system"),
        "messages": [dict(message) for message in request.messages],
        "seed": request_seed(request),
    }


def _filled(body: Any, values: Mapping[str, Any]) -> Any:
    """Return a body with values in its places. They are put into parsed JSON, so that they stay values."""
    if isinstance(body, dict):
        return {name: _filled(part, values) for name, part in body.items()}
    if isinstance(body, list):
        return [_filled(part, values) for part in body]
    if not isinstance(body, str):
        return body
    if body in WHOLE:
        return values[body[1:-1]]
    texts = {name: str(value) for name, value in values.items() if name != MESSAGES}
    return fill(body, texts)


def _read(reply: Any, request: Request, seconds: float) -> Answer:
    """Return the Answer in a reply."""
    config, places = request.config, request.config.reply
    said = None if places.status is None else _at(reply, places.status)
    trace = None if places.trace is None else _at(reply, places.trace)
    status = None if said is None else _status(places.statuses, said)
    try:
        text = found_at(reply, str(config.answer))
    except LookupError:
        if status in (None, "ok"):
            check_fault(reply if isinstance(reply, dict) else {})
            _no_answer(reply, request)
        text = None
    if text is not None and not isinstance(text, str):
        _mistaken(
            request, f"the reply has {text!r:.60} at {shorten(str(config.answer), 60)}, which is no text"
        )
    counts = (
        None if path is None else _at(reply, path) for path in (places.prompt_tokens, places.output_tokens)
    )
    n_prompt, n_output = (count_of(n) for n in counts)
    return told(text, status, trace, n_prompt_tokens=n_prompt, n_output_tokens=n_output, seconds=seconds)


def told(text: str | None, status: str | None, trace: Any, **measured: Any) -> Answer:
    """Return the Answer that an application tells of. Raises AttemptFailed for a status that may pass."""
    if status in TRANSIENT:
        raise AttemptFailed(status, f"the application says {status}")
    if trace is not None and not isinstance(trace, str):
        trace = json.dumps(trace, ensure_ascii=False)
    trace = None if trace is None else shorten(trace, TRACE)
    return read_reply(text, None, reasoning=trace, status=None if status == "ok" else status, **measured)


def _status(statuses: Mapping[str, str], said: Any) -> str:
    """Return one of our statuses. Raises ValueError where what was said is none."""
    word = said if isinstance(said, str) else json.dumps(said)
    status = statuses.get(word, word)
    if status not in STATUSES:
        raise ValueError(f"{word!r:.60} is no status; say under `reply: statuses:` which one it is")
    return status


def _at(reply: Any, path: str) -> Any:
    try:
        return found_at(reply, path)
    except LookupError:
        return None


def _no_answer(reply: Any, request: Request) -> NoReturn:
    """Raise where a reply has no answer at its place."""
    names = [shorten(str(name), 30) for name in reply] if isinstance(reply, dict) else []
    there = ", ".join(names[:NAMES_SHOWN]) or f"a {type(reply).__name__}"
    _mistaken(request, f"the reply has nothing at {shorten(str(request.config.answer), 60)}; it has {there}")


def _mistaken(request: Request, problem: str) -> NoReturn:
    """Raise where no answer is read: the first time as a mistake of the config."""
    if request.is_probe:
        raise PlumblineError(f"{request.config.model}: {problem}.", "Mend `answer:` in the config.")
    raise Unreadable(problem)


BACKENDS = {"http": ApplicationBackend}
ABOUT = {
    "http": About(
        "an application of yours, by what its requests and replies look like", "`url`, `body`, `answer`"
    )
}
