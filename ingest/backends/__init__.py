"""Backends: who answers. A new one is a file beside this, or of another package.

The file lists what it has in `BACKENDS`: a name in a suite's `configs:` -> a class or function that takes
the suite and returns a Backend. Importing it must be cheap: weights wait until a backend is made.
A file beside this one also has `ABOUT`, a name -> About: the guide's table is made of it.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ingest.asking.first_tokens import FirstTokens
from ingest.errors import PlumblineError
from ingest.plugins import create, others_code
from ingest.suite import Config, Suite

# What passes: a request that ended so is asked again by the next run (SPEC GEN-4).
SHOWN = 300  # characters of a server's error message
TRANSIENT = frozenset({"timeout", "rate_limited", "server_error", "cancelled", "other_model"})

Message = Mapping[str, str]


@dataclass(frozen=True)
class About:
    """What the guide says of a backend: whom it asks, and what it needs."""

    asks: str
    needs: str


@dataclass(frozen=True)
class Request:
    """One question to one model. `root_key` is shared by the branches of a root; `name` is a person's.

    `messages` is what is sent: the system prompt, if any, then the prompt in its template. `is_probe`: it
    goes out alone, before any other of its config. `ballot`: what a judge is asked.
    """

    request_key: str
    prompt_key: str
    config: Config
    category: str
    prompt: str
    root_key: str
    repeat_index: int
    attributes: Mapping[str, str]
    name: str | None = None
    messages: Sequence[Message] = ()
    is_probe: bool = False
    ballot: Any = None


@dataclass(frozen=True)
class Answer:
    """What came back: a text with status `ok`, or None with the status that says why (SPEC GEN-3).

    `wait_seconds` were spent between attempts, `seconds` on the last one. `served_model` is what the
    server says it used, `first_tokens` what else it might have begun with, where it was asked for that;
    `cost` is for who asks to say.
    """

    text: str | None
    status: str
    finish_reason: str | None = None
    n_prompt_tokens: int | None = None
    n_output_tokens: int | None = None
    seconds: float | None = None
    n_attempts: int = 1
    error: str | None = None
    reasoning: str | None = None
    wait_seconds: float = 0.0
    served_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    currency: str | None = None
    first_tokens: FirstTokens | None = None


class AttemptFailed(Exception):
    """An attempt that is worth repeating. `retry_after` is the server's wish, in seconds."""

    def __init__(self, status: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class Rejected(Exception):
    """An HTTP status of 300 or above. `body` is the message in it, without the key."""

    def __init__(self, code: int, body: str, retry_after: float | None) -> None:
        super().__init__(f"HTTP {code}: {body[:SHOWN]}")
        self.code = code
        self.body = body
        self.retry_after = retry_after


class NotThere(PlumblineError):
    """The server has no such batch, or no batches."""


@dataclass(frozen=True)
class Description:
    """What a backend knows of a model: together with the suite's config, its fingerprint.

    `options` are the options in force, defaults filled in. `details` are kept beside the fingerprint,
    not in it. A prompt of more than `max_prompt_tokens` (estimated) is not asked.
    """

    digest: str
    options: Mapping[str, Any] = field(default_factory=dict)
    quantisation: str = ""
    template: str = ""
    server_version: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    max_prompt_tokens: int | None = None


@runtime_checkable
class Backend(Protocol):
    """Answers requests for the configs of one suite.

    `asked_again` are the statuses after which the next run asks again: none where the same request
    always ends the same way. `answer` may be called from several threads.
    """

    name: str
    asked_again: frozenset[str]

    def describe(self, config: Config) -> Description:
        """Return the model's fingerprint; raise PlumblineError where it cannot be asked."""
        ...

    def answer(self, request: Request) -> Answer:
        """Ask once.

        Raises AttemptFailed where asking again may help, PlumblineError where no request can succeed
        (an unknown model, a refused key; of a probe also a refused option). Anything else that fails is a
        status.
        """
        ...


@runtime_checkable
class Watched(Protocol):
    """A backend whose model may be changed by somebody else while it is being asked."""

    def current_digest(self, config: Config) -> str:
        """Return what `describe` would give as the digest now."""
        ...


@runtime_checkable
class SendsKeys(Protocol):
    """A backend that sends keys, to this machine and to `hosts`."""

    hosts: frozenset[str]


@runtime_checkable
class RunsCode(Protocol):
    """A backend that runs a suite's own code, where the user allows it, in processes that `close` ends.

    The code lies in `folder`.
    """

    folder: Path
    is_allowed: bool

    def close(self) -> None:
        """End the processes."""
        ...


@runtime_checkable
class Together(Protocol):
    """A backend that answers `n_together` requests of one config faster than one by one."""

    n_together: int

    def answer_together(self, requests: Sequence[Request]) -> list[Answer]:
        """Return the answers, in the order of the requests."""
        ...


@dataclass(frozen=True)
class BatchState:
    """How far a batch is. `is_over`: no more of it will be answered.

    `places` are where its results lie, `missing` is the status of a request that they do not have. `fault`
    says why the server took none of it.
    """

    is_over: bool
    n_done: int = 0
    places: tuple[str, ...] = ()
    missing: str = "server_error"
    fault: str | None = None


# Of a batch's results: a request's key and its answer, or what stands in the way of any such request.
Line = tuple[str, Answer | PlumblineError]


class Batches(Protocol):
    """Asks many requests of one config together. Methods raise as `Backend.answer` does, and Rejected."""

    most_requests: int
    most_bytes: int

    def line(self, request: Request) -> bytes:
        """Return a request as a batch has it."""
        ...

    def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Send a batch; return the server's name of it. `name` is ours."""
        ...

    def find(self, name: str, n_requests: int, since: datetime) -> list[str]:
        """Return batches that may be one whose sending nobody saw the end of, the likeliest first."""
        ...

    def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is."""
        ...

    def answers(self, state: BatchState) -> Iterator[Line | None]:
        """Yield what the lines of a batch that is over hold, None for one that is none."""
        ...


@runtime_checkable
class TakesBatches(Protocol):
    """A backend whose server may take batches."""

    def batches(self, config: Config) -> Batches:
        """Return what asks in batches; raise PlumblineError where nothing does."""
        ...


def create_backend(name: str, suite: Suite, hosts: Collection[str] = (), folder: Path = Path()) -> Backend:
    """Return the backend of that name for a suite; see `ingest.plugins` for its errors.

    `hosts` are other machines that may have the keys which the suite names; its code lies in `folder`.
    """
    if name == "recorded":
        raise PlumblineError(
            "The backend 'recorded' is not asked: its answers come from a file.",
            "Bring them in with `plumbline load FILE --suite FILE`.",
        )
    backend: Backend = create("backend", name, suite, protocols=(Backend,), wrong=_wrong_member)
    with others_code("backend", backend):
        if isinstance(backend, SendsKeys):
            backend.hosts = frozenset(hosts)
        if isinstance(backend, RunsCode):
            backend.folder = folder
    return backend


def described(backend: Backend, config: Config) -> Description:
    """Return what a backend says of a config's model.

    Raises PlumblineError where it cannot be asked, and where what another's backend says is no Description.
    """
    with others_code("backend", backend):
        found: object = backend.describe(config)
        if not isinstance(found, Description):
            raise TypeError(f"its describe() gave {found!r:.60}, and no Description")
        for name, (is_right, what) in _wanted(found).items():
            if not is_right:
                given = getattr(found, name)
                raise TypeError(f"its Description has {name}={given!r:.60}, which should be {what}")
    return found


def _wanted(said: Description) -> dict[str, tuple[bool, str]]:
    def has_json(value: object) -> bool:
        try:
            return isinstance(value, Mapping) and bool(json.dumps(dict(value)))
        except (TypeError, ValueError):
            return False

    texts = ("digest", "quantisation", "template", "server_version")
    most = said.max_prompt_tokens
    return {
        **{name: (isinstance(getattr(said, name), str), "a text") for name in texts},
        **{
            name: (has_json(getattr(said, name)), "a dict that JSON can hold")
            for name in ("options", "details")
        },
        "max_prompt_tokens": (most is None or type(most) is int, "a whole number, or None"),
    }


def _wrong_member(backend: Any) -> str | None:
    asked = backend.asked_again
    if isinstance(asked, Set) and all(isinstance(status, str) for status in asked):
        return None
    return f"asked_again={asked!r:.60}, which should be a frozenset of statuses"
