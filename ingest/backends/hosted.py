"""What backends of hosted servers share: keys, probes, options that a server refuses, streams."""

import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import httpx

from ingest.asking.first_tokens import ALTERNATIVES
from ingest.backends import TRANSIENT, Answer, AttemptFailed, Batches, Description, Rejected, Request
from ingest.backends.batches import Served
from ingest.backends.http import connect, declined, exchange, read_key, reading
from ingest.backends.replies import Option, check_alternatives, is_whole, options_in_force
from ingest.errors import PlumblineError
from ingest.suite import Config, Suite

UNSENT = "none"  # for servers and models that refuse an option, whatever its value
LIMIT = Option(1024, is_whole(1, 1_000_000), "a whole number of tokens from 1")
STREAM = Option(None, lambda value: isinstance(value, bool), "true or false")


def omissible(option: Option) -> Option:
    """Return an option that may also be `none`."""
    return Option(
        option.default,
        lambda value: value == UNSENT or option.check(value),
        f"{option.meaning}, or `{UNSENT}`: not sent",
    )


class Hosted(ABC):
    """Asks a server that tells no digest of a model, so the fingerprint holds its address instead.

    What it says of the model it used (name, system fingerprint) is kept with each answer.
    """

    name: str
    example: ClassVar[str]  # of a `base_url`
    known: ClassVar[Mapping[str, Option]]
    omitted: ClassVar[frozenset[str]]  # sent if unsaid, unless they are `none`
    batched: ClassVar[type[Served] | None] = None
    asked_again = TRANSIENT
    hosts: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._clients: dict[tuple[str, str | None, float], httpx.Client] = {}
        self._lock = threading.Lock()

    @abstractmethod
    def content(self, request: Request, options: dict[str, Any]) -> dict[str, Any]:
        """Return what is sent, `none` included: it is taken out here."""

    @abstractmethod
    def read(self, reply: Any, seconds: float | None) -> Answer:
        """Return the Answer in a reply. A reply of another shape may raise anything."""

    @abstractmethod
    def folded(self, events: list[Any]) -> Any:
        """Return the events of a stream as the one reply that they are parts of."""

    @abstractmethod
    def headers(self, key: str | None) -> dict[str, str]:
        """Return the headers that carry the key, and whatever else each request has."""

    @abstractmethod
    def url(self, config: Config) -> str:
        """Return where a request goes."""

    def options(self, config: Config) -> dict[str, Any]:
        """Return the options in force."""
        return options_in_force(config, self.known)

    def describe(self, config: Config) -> Description:
        """Return the options in force and the server's address; nothing is sent."""
        return Description(digest="", options={**self.options(config), "base_url": self.base_url(config)})

    def batches(self, config: Config) -> Batches:
        """Return what asks in batches."""
        if self.batched is None:
            raise PlumblineError(
                f"{config.model}: the backend {self.name!r} asks no batches.",
                "Take `batch: true` out of the config.",
            )
        if config.options.get("stream"):
            raise PlumblineError(
                f"{config.model}: a batch answers in no stream.", "Take `stream` or `batch: true` out."
            )
        return self.batched(self, config)

    def sent(self, request: Request) -> dict[str, Any]:
        """Return what is sent for a request."""
        options = self.options(request.config)
        options.pop("prompt_template", None)
        content = self.content(request, options)
        for name in self.omitted:
            if content.get(name) == UNSENT:
                del content[name]
        return content

    def answer(self, request: Request) -> Answer:
        """Ask once."""
        config = request.config
        key = read_key(config, self.hosts)
        content = self.sent(request)
        started = time.monotonic()
        try:
            client = self.client(config, key)
            reply = exchange(client, "POST", self.url(config), config, key, content, self.folded)
            with reading(config, key, reply):
                answer = self.read(reply, time.monotonic() - started)
            if request.is_probe:
                check_alternatives(config, answer)
            return answer
        except (Rejected, AttemptFailed) as error:
            answer = declined(error)
            if request.is_probe and answer.status == "client_error":
                self._check_parameters(config, content, error)
            return answer

    def base_url(self, config: Config) -> str:
        """Return the server's address. Raises PlumblineError where the config has none."""
        if config.base_url is None:
            raise PlumblineError(
                f"The config {config.model!r} does not say where its server is.",
                f"Add `base_url:`, such as {self.example}.",
            )
        return config.base_url.rstrip("/")

    def client(self, config: Config, key: str | None) -> httpx.Client:
        """Return what sends requests with the key."""
        identity = (self.base_url(config), config.key_variable, config.timeout_seconds)
        with self._lock:
            if identity not in self._clients:
                self._clients[identity] = connect(config, self.base_url(config), self.headers(key))
            return self._clients[identity]

    def _check_parameters(self, config: Config, content: Mapping[str, Any], error: Exception) -> None:
        """Raise PlumblineError where a message names an option that was sent, or wants a stream."""
        if not isinstance(error, Rejected) or error.code not in (400, 422):
            return
        # `logprobs` goes with the option.
        spelt = {name: "(top_)?logprobs" if name == ALTERNATIVES else name for name in self.known}
        named = {
            name: re.search(rf"(?<!\w){spelling}(?!\w)", error.body)
            for name, spelling in spelt.items()
            if name in content
        }
        places = {name: found.start() for name, found in named.items() if found and name != "stop"}
        if not places:
            if not content.get("stream") and re.search(r"(?<!\w)stream", error.body, re.IGNORECASE):
                raise PlumblineError(
                    f"{config.model}: the server answers in a stream alone: {error}.",
                    "Write `stream: true` in the config's `options:`.",
                )
            return
        name = min(places, key=places.__getitem__)
        what_to_do = f"Take `{name}` out of the config's `options:`."
        if name in self.omitted:
            what_to_do = f"Write `{name}: {UNSENT}` in the config's `options:`; then it is not sent."
        if name == "max_tokens":
            or_else = ""
            if "max_completion_tokens" in self.known:
                or_else = f"`max_completion_tokens: {content[name]}` in the config's `options:`, or "
            what_to_do = f"Write {or_else}fewer tokens."
        raise PlumblineError(f"{config.model}: the server refuses `{name}`: {error}.", what_to_do)
