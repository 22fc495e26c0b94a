"""Servers that speak OpenAI's chat completions: the hosted ones, vLLM, llama.cpp, LM Studio and others."""

import re
import threading
import time
from collections.abc import Mapping
from typing import Any

import httpx

from ingest.asking.answer_status import EVIDENCE
from ingest.backends import TRANSIENT, About, Answer, Description, Request
from ingest.backends.http import Rejected, connect, exchange, only, read_key, reading
from ingest.backends.replies import (
    SAMPLING,
    Option,
    is_number,
    is_whole,
    options_in_force,
    read_reply,
    request_seed,
)
from ingest.errors import PlumblineError
from ingest.suite import Config, Suite

UNSENT = "none"  # for servers and models that refuse an option, whatever its value
OMITTED = {"temperature", "seed", "max_tokens"}  # what is sent if unsaid
LIMIT = Option(1024, is_whole(1, 1_000_000), "a whole number of tokens from 1")


def _omissible(option: Option) -> Option:
    return Option(
        option.default,
        lambda value: value == UNSENT or option.check(value),
        f"{option.meaning}, or `{UNSENT}`: not sent",
    )


OPTIONS: Mapping[str, Option] = {
    **SAMPLING,
    **{
        name: _omissible(option)
        for name, option in {**SAMPLING, "max_tokens": LIMIT}.items()
        if name in OMITTED
    },
    # Models that reason refuse `max_tokens`.
    "max_completion_tokens": Option(None, is_whole(1, 1_000_000), "a whole number of tokens from 1"),
    "presence_penalty": Option(None, is_number(-2, 2), "a number from -2 to 2"),
    "frequency_penalty": Option(None, is_number(-2, 2), "a number from -2 to 2"),
    "reasoning_effort": Option(None, lambda value: isinstance(value, str), "a word that the server knows"),
}


class OpenAIBackend:
    """Asks POST BASE_URL/chat/completions.

    Such a server tells no digest of a model, so the fingerprint holds its address instead; what it says
    of the model it used (name, system fingerprint) is kept with each answer.
    """

    name = "openai"
    asked_again = TRANSIENT
    hosts: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._clients: dict[tuple[str, str | None, float], httpx.Client] = {}
        self._lock = threading.Lock()

    def describe(self, config: Config) -> Description:
        """Return the options in force and the server's address; nothing is sent."""
        return Description(digest="", options={**_options(config), "base_url": _base_url(config)})

    def answer(self, request: Request) -> Answer:
        """Ask once."""
        config = request.config
        options = _options(config)
        options.pop("prompt_template", None)
        key = read_key(config, self.hosts)
        content = {
            "model": config.model,
            "messages": [dict(message) for message in request.messages],
            **options,
            "seed": UNSENT if options["seed"] == UNSENT else request_seed(request),
        }
        for name in OMITTED:
            if content.get(name) == UNSENT:
                del content[name]
        started = time.monotonic()
        try:
            url = f"{_base_url(config)}/chat/completions"
            reply = exchange(self._client(config, key), "POST", url, config, key, content)
            with reading(config, key):
                return _read(reply, time.monotonic() - started)
        except Rejected as error:
            if request.is_probe and error.code in (400, 422):
                _check_parameters(config, content, error)
            status = "content_filtered" if "content_filter" in error.body else "client_error"
            return Answer(None, status, error=str(error)[:EVIDENCE])

    def _client(self, config: Config, key: str | None) -> httpx.Client:
        identity = (_base_url(config), config.key_variable, config.timeout_seconds)
        with self._lock:
            if identity not in self._clients:
                self._clients[identity] = connect(config, _base_url(config), key)
            return self._clients[identity]


def _check_parameters(config: Config, content: Mapping[str, Any], error: Rejected) -> None:
    """Raise PlumblineError where a server's message names an option that it was sent."""
    named = {name: re.search(rf"(?<!\w){name}(?!\w)", error.body) for name in OPTIONS if name in content}
    places = {name: found.start() for name, found in named.items() if found and name != "stop"}
    if not places:
        return
    name = min(places, key=places.__getitem__)
    what_to_do = f"Take `{name}` out of the config's `options:`."
    if name in OMITTED:
        what_to_do = f"Write `{name}: {UNSENT}` in the config's `options:`; then it is not sent."
    if name == "max_tokens":
        what_to_do = (
            f"Write `max_completion_tokens: {content[name]}` in the config's `options:`, or fewer tokens."
        )
    raise PlumblineError(f"{config.model}: the server refuses `{name}`: {error}.", what_to_do)


def _read(content: Any, seconds: float) -> Answer:
    """Return the Answer in a reply."""
    choice = content["choices"][0]
    message = choice["message"]
    usage = content.get("usage") or {}
    return read_reply(
        only(str, message.get("content")),
        only(str, choice.get("finish_reason")),
        reasoning=only(str, message.get("reasoning_content") or message.get("reasoning")),
        refusal=only(str, message.get("refusal")),
        n_prompt_tokens=only(int, usage.get("prompt_tokens")),
        n_output_tokens=only(int, usage.get("completion_tokens")),
        seconds=seconds,
        served_model=only(str, content.get("model")),
        system_fingerprint=only(str, content.get("system_fingerprint")),
    )


def _options(config: Config) -> dict[str, Any]:
    options = options_in_force(config, OPTIONS)
    if "max_completion_tokens" in config.options:
        options.pop("max_tokens")
    return options


def _base_url(config: Config) -> str:
    if config.base_url is None:
        raise PlumblineError(
            f"The config {config.model!r} does not say where its server is.",
            "Add `base_url:`, such as http://127.0.0.1:8000/v1.",
        )
    return config.base_url.rstrip("/")


BACKENDS = {"openai": OpenAIBackend}
ABOUT = {
    "openai": About("any server with OpenAI's chat API", "`base_url`, and a key where the server wants one")
}
