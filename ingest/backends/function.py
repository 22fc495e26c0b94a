"""A suite's own Python function that answers: an application without a server."""

import threading
import time
from pathlib import Path
from typing import Any

from ingest.apart.process import RAISE_LIMITS, CodeFailed
from ingest.asking.answer_status import STATUSES
from ingest.backends import TRANSIENT, About, Answer, AttemptFailed, Description, Request
from ingest.backends.application import told
from ingest.backends.http import only
from ingest.backends.replies import count_of, options_in_force
from ingest.errors import PlumblineError
from ingest.suite import Config, Suite
from ingest.suite.own_code import OwnCode, code_digest


class FunctionBackend:
    """Asks `function:`, in processes of its own, as many as there are requests under way."""

    name = "function"
    asked_again = TRANSIENT
    folder = Path()
    is_allowed = False

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._codes: dict[str, OwnCode] = {}
        self._lock = threading.Lock()

    def describe(self, config: Config) -> Description:
        """Return the function and the digest of its file; nothing of it is run."""
        options = options_in_force(config, {})
        digest = code_digest(_name(config), self.folder, "function")
        return Description(digest=f"sha256:{digest}", options={**options, "function": _name(config)})

    def answer(self, request: Request) -> Answer:
        """Ask once."""
        if not self.is_allowed:
            raise PlumblineError(
                f"{request.config.model}: nobody allowed the function {_name(request.config)!r} here.",
                "A function answers prompts, with --allow-code; it writes and judges no texts.",
            )
        started = time.monotonic()
        try:
            reply = self._code(request.config).ask({"ask": [dict(message) for message in request.messages]})
            return _read(reply, time.monotonic() - started)
        except CodeFailed as error:
            if request.is_probe:
                raise PlumblineError(
                    f"{request.config.model}: the function {_name(request.config)!r} failed: {error}.",
                    f"Correct it; then the same command goes on. {RAISE_LIMITS}",
                ) from error
            raise AttemptFailed("server_error", str(error)) from None

    def close(self) -> None:
        """End the processes."""
        for code in self._codes.values():
            code.close()

    def _code(self, config: Config) -> OwnCode:
        name = _name(config)
        with self._lock:
            if name not in self._codes:
                what = f"The function {name!r} of the config {config.model!r}"
                self._codes[name] = OwnCode(name, self.folder, "function", what, self.suite.key_variables)
            return self._codes[name]


def _name(config: Config) -> str:
    assert config.function is not None
    return config.function


def _read(reply: dict[str, Any], seconds: float) -> Answer:
    """Return the Answer in what the child says. Raises CodeFailed where it says none."""
    found = reply.get("answer")
    try:
        if not isinstance(found, dict):
            raise TypeError(f"it returned {reply.get('wrong', 'something else')}, no text")
        status = only(str, found.get("status"))
        if status not in (None, *STATUSES):
            raise TypeError(f"{status!r:.40} is no status")
        return told(
            only(str, found.get("text")),
            status,
            found.get("trace"),
            n_prompt_tokens=count_of(found.get("prompt_tokens")),
            n_output_tokens=count_of(found.get("output_tokens")),
            seconds=seconds,
        )
    except TypeError as error:
        raise CodeFailed(str(error)) from None


BACKENDS = {"function": FunctionBackend}
ABOUT = {"function": About("a Python function of yours", "`function`, and `--allow-code`")}
