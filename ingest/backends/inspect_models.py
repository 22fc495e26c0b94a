"""Whatever Inspect's model layer reaches, some forty providers: the package `inspect-ai`."""

import asyncio
import math
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import httpx

from ingest.asking.answer_status import EVIDENCE, fault_status
from ingest.asking.first_tokens import ALTERNATIVES, first_tokens
from ingest.backends import SHOWN, TRANSIENT, About, Answer, AttemptFailed, Description, Request
from ingest.backends.hosted import LIMIT, UNSENT, omissible
from ingest.backends.http import STATUS_OF, hopeless, only, read_key, seconds_of
from ingest.backends.openai import OPTIONS as OPENAI
from ingest.backends.replies import (
    Option,
    check_alternatives,
    count_of,
    is_loopback,
    is_whole,
    options_in_force,
    read_reply,
    request_seed,
)
from ingest.errors import PlumblineError, in_one_line, shorten
from ingest.redaction import without_key
from ingest.suite import Config, Suite

PACKAGE = "inspect_ai"
INSTALL = "Install the extra: pip install 'plumbline[inspect]'."
# Providers that ask nobody: Inspect's own for trials.
NOBODY = frozenset({"mockllm", "none"})
# Providers that ask their `base_url:` alone, with the key that they are given alone. Others may take what the
# environment holds all the same: anthropic a token, bedrock and sagemaker the credentials of AWS.
KEPT_TO = frozenset({"openai", "openai-api", "openrouter", "deepseek", "perplexity", "ollama"})
# Faults of the network in packages that may not be there; those of the disk are OSErrors, too.
NETWORK = frozenset(
    {("botocore", "ConnectionError"), ("botocore", "HTTPClientError"), ("httpx2", "RequestError")}
)
OF_THE_DISK = (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
NO_KEY = "none"  # sent in the place of a key, so that a provider takes none from the environment
# Environment variables that a provider may read by itself; what they hold is taken out of what it says.
SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
AWS_ATTEMPTS = "AWS_MAX_ATTEMPTS"  # its client would ask several times by itself
SHORTEST_SECRET = 16  # of a shorter word an answer may speak
MOST_CONNECTIONS = 256  # senders are ours to count
FINISHED = {"model_length": "truncated_output", "content_filter": "content_filtered"}

OPTIONS: Mapping[str, Option] = {
    **{
        name: OPENAI[name]
        for name in (
            *("temperature", "seed", "max_tokens", "top_p", "stop"),
            *(ALTERNATIVES, "presence_penalty", "frequency_penalty", "reasoning_effort"),
        )
    },
    "max_tokens": omissible(LIMIT),
    "top_k": Option(None, is_whole(1, 1_000_000), "a whole number from 1"),
}
# What Inspect calls an option, where it is another name.
NAMES = {"stop": "stop_seqs"}


class InspectBackend:
    """Asks Inspect's `get_model(MODEL).generate(…)`; retries, budget and journal are ours.

    Its calls are asynchronous and share connections, so all of them run on one loop, in a thread of its own,
    and a sender waits for its answer. A provider tells no digest; the fingerprint holds the address instead.
    """

    name = "inspect"
    asked_again = TRANSIENT
    hosts: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._loop: asyncio.AbstractEventLoop | None = None
        self._models: dict[tuple[str, str | None, str | None], Any] = {}
        self._lock = threading.Lock()

    def describe(self, config: Config) -> Description:
        """Return the options in force; nothing is sent. Raises PlumblineError without the package."""
        if find_spec(PACKAGE) is None:
            raise PlumblineError(
                f"{config.model}: the backend 'inspect' needs the package inspect-ai.", INSTALL
            )
        if not all(config.model.partition("/")):
            raise PlumblineError(
                f"{config.model!r} is no model of Inspect.", "Write provider/model, such as mockllm/model."
            )
        place = {"base_url": config.base_url} if config.base_url else {}
        return Description(digest="", options={**options_in_force(config, OPTIONS), **place})

    def answer(self, request: Request) -> Answer:
        """Ask once."""
        config = request.config
        key = self._key(config)
        secrets = [*([key] if key else []), *_environment()]
        started = time.monotonic()
        try:
            with self._failing(request, secrets):
                output = self._generated(request, key)
        except _Rejected as error:
            status = error.status or fault_status(str(error), "client_error")
            return Answer(None, status, error=str(error)[:EVIDENCE])
        try:
            answer = _read(output, time.monotonic() - started, secrets)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            said = without_key(f"unreadable reply: {type(error).__name__}: {error}", secrets)
            raise AttemptFailed("server_error", said[:SHOWN]) from None
        if request.is_probe:
            check_alternatives(config, answer)
        return answer

    def _key(self, config: Config) -> str | None:
        """Return the key that the config names. Raises PlumblineError where nobody allowed this provider one.

        Providers read keys from the environment by themselves, so that --send-key has to name the host of
        `base_url:`, the provider, or both (`named_provider`).
        """
        host = urlsplit(config.base_url or "").hostname or ""
        if config.base_url and not is_loopback(host) and host not in self.hosts:
            raise _unnamed(config, host)
        provider = named_provider(config)
        if provider and provider not in self.hosts:
            raise _unnamed(config, provider)
        if config.base_url:
            return read_key(config, self.hosts) or NO_KEY
        if provider is None:
            return None
        if config.key_variable is None:
            return None
        value = os.environ.get(config.key_variable, "").strip()
        if not value:
            raise PlumblineError(
                f"The environment variable {config.key_variable} holds no key.",
                f"Set it: export {config.key_variable}=…",
            )
        return value

    def _generated(self, request: Request, key: str | None) -> Any:
        """Return the output of the model, once it is there."""
        inspect = import_module(f"{PACKAGE}.model")
        turns = {
            "system": inspect.ChatMessageSystem,
            "user": inspect.ChatMessageUser,
            "assistant": inspect.ChatMessageAssistant,
        }
        messages = [turns[message["role"]](content=message["content"]) for message in request.messages]
        config = request.config
        seconds = config.timeout_seconds

        async def ask() -> Any:
            model = self._model(inspect, config, key)
            asked = model.generate(messages, config=inspect.GenerateConfig(**_asked(request)))
            return await asyncio.wait_for(asked, seconds)

        return asyncio.run_coroutine_threadsafe(ask(), self._running()).result()

    def _model(self, inspect: Any, config: Config, key: str | None) -> Any:
        identity = (config.model, config.base_url, key)
        if identity not in self._models:
            place = {"base_url": config.base_url, "api_key": key}
            # A retry of Inspect's own would be counted and waited for by nobody.
            os.environ.setdefault(AWS_ATTEMPTS, "1")
            own = inspect.GenerateConfig(max_retries=0, max_connections=MOST_CONNECTIONS)
            model = inspect.get_model(config.model, config=own, memoize=False, **place)
            # The clients of OpenAI and Anthropic, on which many providers rest, would ask again, too.
            client: Any = getattr(model.api, "client", None)
            if type(getattr(client, "max_retries", None)) is int:
                client.max_retries = 0
            self._models[identity] = model
        return self._models[identity]

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=self.name, daemon=True).start()
            return self._loop

    @contextmanager
    def _failing(self, request: Request, secrets: Sequence[str]) -> Any:
        """Turn what a provider raises into AttemptFailed, PlumblineError or _Rejected."""
        try:
            yield
        except TimeoutError:
            seconds = request.config.timeout_seconds
            raise AttemptFailed("timeout", f"no answer in {seconds:g} s") from None
        except (PlumblineError, KeyboardInterrupt):
            raise
        except BaseException as raised:  # forty providers' packages can fail in any way
            error, is_passing = _cause(raised)
            code = _code(error)
            kind = f"HTTP {code}" if code else type(error).__name__
            said = without_key(shorten(in_one_line(f"{kind}: {error}"), SHOWN), secrets)
            model = request.config.model
            if what_to_do := hopeless(code or 0, str(error)):
                raise PlumblineError(f"{model}: {said}.", what_to_do) from None
            is_passing = is_passing or (code is None and _is_of_the_network(error))
            if is_passing or code in STATUS_OF or (code or 0) >= 500:
                status = STATUS_OF.get(code or 0, "server_error")
                raise AttemptFailed(status, said, _wish(error)) from None
            if request.is_probe and fault_status(said) != "content_filtered":
                raise PlumblineError(
                    f"{model}: Inspect's provider fails: {said}.",
                    "Mend the config's `model:` or `options:`, or install what the provider needs.",
                ) from None
            raise _Rejected(said, None if code else "server_error") from None


class _Rejected(Exception):
    """What asking again would not mend; `status` where it is no fault of the request."""

    def __init__(self, message: str, status: str | None) -> None:
        super().__init__(message)
        self.status = status


def named_provider(config: Config) -> str | None:
    """Return whom the user has to name beside the host of `base_url:`, None where that says all.

    It is what stands before the first slash of a model's name. A service of it (openai/azure/…) has ways of
    its own.
    """
    provider, _, model = config.model.casefold().partition("/")
    is_kept = provider in KEPT_TO and not (provider == "openai" and "/" in model)
    return None if provider in NOBODY or (config.base_url and is_kept) else provider


def _unnamed(config: Config, host: str) -> PlumblineError:
    return PlumblineError(
        f"{config.model}: Inspect sends {host} the keys that its provider finds in the environment.",
        f"If that is whom you mean, add --send-key {host}",
    )


def _environment() -> list[str]:
    """Return what a provider may have read by itself."""
    return [
        value
        for name, value in os.environ.items()
        if SECRET.search(name) and len(value) >= SHORTEST_SECRET and not os.path.exists(value)
    ]


def _asked(request: Request) -> dict[str, Any]:
    """Return what Inspect is told of a request's options."""
    options = {**options_in_force(request.config, OPTIONS)}
    options.pop("prompt_template", None)
    if options["seed"] != UNSENT:
        options["seed"] = request_seed(request)
    if "stop" in options and isinstance(options["stop"], str):
        options["stop"] = [options["stop"]]
    if ALTERNATIVES in options:
        options["logprobs"] = True
    return {NAMES.get(name, name): value for name, value in options.items() if value != UNSENT}


def _read(output: Any, seconds: float, secrets: Sequence[str]) -> Answer:
    """Return the Answer in a ModelOutput. One of another shape may raise anything."""
    choice = output.choices[0] if output.choices else None
    content = choice.message.content if choice else ""
    parts = [] if isinstance(content, str) else content
    text = (
        content if isinstance(content, str) else "".join(part.text for part in parts if part.type == "text")
    )
    thoughts = "\n\n".join(part.reasoning for part in parts if part.type == "reasoning")
    usage = output.usage
    read = (
        [usage.input_tokens, usage.input_tokens_cache_read, usage.input_tokens_cache_write] if usage else []
    )
    counts = [count_of(n) for n in read]
    tokens = choice.logprobs.content if choice and choice.logprobs else None
    finish = only(str, choice.stop_reason) if choice else None
    fault = without_key(only(str, output.error), secrets)
    return read_reply(
        without_key(text, secrets),
        finish,
        reasoning=without_key(thoughts, secrets) or None,
        refusal=fault,
        status=FINISHED.get(finish or "", "client_error" if fault else None),
        n_prompt_tokens=None if not counts or counts[0] is None else count_of(sum(n or 0 for n in counts)),
        n_output_tokens=count_of(usage.output_tokens) if usage else None,
        seconds=seconds,
        served_model=without_key(only(str, output.model), secrets) or None,
        first_tokens=first_tokens(
            without_key([token.model_dump() for token in tokens], secrets) if tokens else None
        ),
    )


def _cause(raised: BaseException) -> tuple[BaseException, bool]:
    """Return what a provider raised, and whether Inspect would ask again: then its own retries wrap it."""
    attempt = getattr(raised, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    if inner is not None:
        return inner, True
    if type(raised).__name__ == "ModelGenerateError" and isinstance(raised.__cause__, Exception):
        return raised.__cause__, False  # Inspect's own words hold the whole request
    return raised, False


def _code(error: BaseException) -> int | None:
    """Return the HTTP status that an error carries, as the providers' packages do."""
    reply = getattr(error, "response", None)
    found = [getattr(error, "status_code", None), getattr(error, "code", None)]
    if isinstance(reply, Mapping):  # botocore's
        found.append(reply.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    return next((code for code in found if type(code) is int and 300 <= code < 600), None)


def _is_of_the_network(error: BaseException) -> bool:
    """Return whether an error, or what it comes from, is a fault of the network: it may pass."""
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in seen:
        seen.append(following)
        following = following.__cause__ or following.__context__
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for one in seen for kind in type(one).__mro__}
    return bool(kinds & NETWORK) or any(
        isinstance(one, OSError | httpx.RequestError) and not isinstance(one, OF_THE_DISK) for one in seen
    )


def _wish(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    wish = seconds_of(headers.get("retry-after")) if headers is not None else None
    return wish if wish is None or math.isfinite(wish) else None


BACKENDS = {"inspect": InspectBackend}
ABOUT = {
    "inspect": About(
        "some forty providers, by Inspect's model layer",
        "the extra `inspect`, `model: provider/name`, and `--send-key provider`",
    )
}
