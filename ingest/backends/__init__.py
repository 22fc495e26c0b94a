"""Backends: who answers. A new one is a module beside this file and a row in `BACKENDS`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from ingest.errors import PlumblineError
from ingest.suite import Config, Suite

# Name in a suite's `configs:` -> module:class, imported only when a suite asks for it.
BACKENDS: dict[str, str] = {
    "simulated": "ingest.backends.simulated:SimulatedBackend",
}


@dataclass(frozen=True)
class Request:
    """One question to one model. `root_key` is shared by the branches of a root; `name` is a person's."""

    request_key: str
    prompt_key: str
    config: Config
    category: str
    prompt: str
    root_key: str
    repeat_index: int
    attributes: Mapping[str, str]
    name: str | None = None


@dataclass(frozen=True)
class Answer:
    """What came back: a text with status `ok`, or None with the status that says why (SPEC GEN-3)."""

    text: str | None
    status: str
    finish_reason: str | None = None
    n_prompt_tokens: int | None = None
    n_output_tokens: int | None = None
    seconds: float | None = None
    n_attempts: int = 1
    error: str | None = None


@dataclass(frozen=True)
class Description:
    """What a backend knows of a model: together with the suite's config, its fingerprint.

    `options` are the options in force, defaults filled in.
    """

    digest: str
    options: Mapping[str, Any] = field(default_factory=dict)
    quantisation: str = ""
    template: str = ""
    server_version: str = ""


class Backend(Protocol):
    """Answers requests for the configs of one suite.

    `batch_size` is how many answers may wait in memory for the disk: 1 where an answer costs money or
    time, more where it can be made again for nothing. `answer` may be called from several threads.
    """

    name: str
    batch_size: int

    def describe(self, config: Config) -> Description:
        """Return the model's fingerprint; raise PlumblineError where it cannot be asked."""
        ...

    def answer(self, request: Request) -> Answer:
        """Ask once (with retries); what fails at the model's end is a status, not an exception."""
        ...


def create_backend(name: str, suite: Suite) -> Backend:
    """Return the backend of that name for a suite; raise PlumblineError where there is none."""
    if name not in BACKENDS:
        raise PlumblineError(
            f"The backend {name!r} is unknown.", f"Known in `configs:`: {', '.join(BACKENDS)}."
        )
    module, _, attribute = BACKENDS[name].partition(":")
    backend: Backend = getattr(import_module(module), attribute)(suite)
    return backend
