"""Ollama's own chat API."""

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ingest.asking.first_tokens import ALTERNATIVES, first_tokens
from ingest.backends import TRANSIENT, About, Answer, AttemptFailed, Description, Message, Rejected, Request
from ingest.backends.http import (
    Folded,
    bearer,
    check_fault,
    connect,
    declined,
    exchange,
    only,
    read_key,
    reading,
)
from ingest.backends.replies import (
    NO_ALTERNATIVES,
    PROBABILITIES,
    SAMPLING,
    Option,
    check_alternatives,
    count_of,
    estimate_prompt,
    fewest_tokens,
    is_number,
    is_whole,
    options_in_force,
    read_reply,
    request_seed,
)
from ingest.errors import PlumblineError, shorten
from ingest.suite import Config, Suite

BASE_URL = "http://127.0.0.1:11434"
KEEP_ALIVE = "30m"  # a model that is unloaded between requests costs its loading time each time
FULL = 0.8  # of the context, the most that a prompt may take (SPEC GEN-6)
# After it cut a prompt, the server reports half the context and a few more.
HALF_SLACK = 4
UNBOUND = 10**9
LICENCE_SHOWN = 200
NAMES_SHOWN = 3
FIRST_WITH_PROBABILITIES = (0, 12, 11)
NO_OPTIONS = ("prompt_template", "think", ALTERNATIVES)  # what the server wants elsewhere, or not at all

OPTIONS: Mapping[str, Option] = {
    **SAMPLING,
    **PROBABILITIES,
    "num_ctx": Option(4096, is_whole(64, 10_000_000), "a whole number of tokens from 64"),
    "num_predict": Option(1024, is_whole(1, 1_000_000), "a whole number of tokens from 1"),
    "top_k": Option(None, is_whole(0, 1_000_000), "a whole number"),
    "min_p": Option(None, is_number(0, 1), "a number from 0 to 1"),
    "repeat_penalty": Option(None, is_number(0, 10), "a number from 0 to 10"),
    "repeat_last_n": Option(None, is_whole(-1, 1_000_000), "a whole number from -1"),
    "presence_penalty": Option(None, is_number(-10, 10), "a number from -10 to 10"),
    "frequency_penalty": Option(None, is_number(-10, 10), "a number from -10 to 10"),
    "num_gpu": Option(None, is_whole(0, 10_000), "a whole number of layers"),
    "num_thread": Option(None, is_whole(1, 10_000), "a whole number of threads"),
    "think": Option(None, lambda value: isinstance(value, bool), "true or false"),
}


class OllamaBackend:
    """Asks a model that an Ollama server has. The fingerprint holds the weights' digest (tags, show)."""

    name = "ollama"
    asked_again = TRANSIENT
    hosts: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._clients: dict[tuple[str | None, str | None, float], Any] = {}
        self._built_for: dict[tuple[str | None, str], int] = {}
        self._proven: set[tuple[str | None, str]] = set()  # models that sent token probabilities
        self._lock = threading.Lock()

    def describe(self, config: Config) -> Description:
        """Return digest, template, quantisation and version of the server's model."""
        options = options_in_force(config, OPTIONS)
        with _before_asking(config, read_key(config, self.hosts)):
            version = self._send("GET", "/api/version", config)
            _check_version(config, str(version["version"]))
            digest = self.current_digest(config)
            model = self._send("POST", "/api/show", config, {"model": config.model})
            can = model.get("capabilities")
            if options.get("think") and can and isinstance(can, list) and "thinking" not in can:
                raise PlumblineError(
                    f"{config.model}: the Ollama server says that this model does not think.",
                    "Take `think` out of the config's `options:`.",
                )
            details = only(dict, model.get("details")) or {}
            self._built_for[config.base_url, config.model] = _context_length(model.get("model_info"))
            context = self._context(config, options)
            return Description(
                digest=digest,
                options=options,
                quantisation=only(str, details.get("quantization_level")) or "",
                template=only(str, model.get("template")) or "",
                server_version=str(version["version"]),
                details={
                    "family": details.get("family"),
                    "parameter_size": details.get("parameter_size"),
                    "parameters": model.get("parameters"),
                    "licence": (only(str, model.get("license")) or "").strip()[:LICENCE_SHOWN] or None,
                    "context_length": context,
                    "capabilities": can,
                },
                max_prompt_tokens=int(FULL * context),
            )

    def current_digest(self, config: Config) -> str:
        """Return the digest that the server has for the model now."""
        with reading(config, read_key(config, self.hosts)):
            models = self._send("GET", "/api/tags", config)["models"]
            digests = {only(str, model["model"]): model.get("digest") for model in models}
            # Ollama's own rule: a name without a tag is the tag `latest`.
            for name in (config.model, f"{config.model}:latest"):
                if name in digests:
                    return _digest(digests[name])
        names = sorted(shorten(name, 40) for name in digests if name)
        more = f" and {len(names) - NAMES_SHOWN:,} more" if len(names) > NAMES_SHOWN else ""
        there = (", ".join(names[:NAMES_SHOWN]) or "none") + more
        server = config.base_url or BASE_URL
        raise PlumblineError(
            f"The Ollama server at {server} has no model {config.model!r} (it has: {there}).",
            f"Fetch it: ollama pull {config.model}",
        )

    def answer(self, request: Request) -> Answer:
        """Ask once."""
        config = request.config
        options = options_in_force(config, OPTIONS)
        sent = {name: value for name, value in options.items() if name not in NO_OPTIONS}
        if isinstance(sent.get("stop"), str):
            sent["stop"] = [sent["stop"]]
        key = read_key(config, self.hosts)
        started = time.monotonic()
        content = {
            "model": config.model,
            "messages": [dict(message) for message in request.messages],
            "stream": False,
            "think": options.get("think"),
            "options": {**sent, "seed": request_seed(request)},
            "keep_alive": KEEP_ALIVE,
        }
        if ALTERNATIVES in options:
            content |= {"logprobs": True, ALTERNATIVES: options[ALTERNATIVES]}
        try:
            reply = self._send("POST", "/api/chat", config, content, _folded)
            with reading(config, key, reply):
                check_fault(reply)
        except (Rejected, AttemptFailed) as error:
            return declined(error)
        with reading(config, key, reply):
            if reply.get("done") is False:
                raise ValueError("the answer has no end")
            message = reply["message"]
            n_prompt = count_of(reply.get("prompt_eval_count")) or None
            was_cut = is_cut(n_prompt, request.messages, self._context(config, options))
            # Its reason to stop is `stop` beside a call, too, whose words are no answer yet.
            status = "prompt_truncated" if was_cut else "empty" if message.get("tool_calls") else None
            answer = read_reply(
                only(str, message.get("content")),
                only(str, reply.get("done_reason")),
                reasoning=only(str, message.get("thinking")),
                status=status,
                n_prompt_tokens=n_prompt,
                n_output_tokens=count_of(reply.get("eval_count")),
                seconds=time.monotonic() - started,
                served_model=only(str, reply.get("model")),
                first_tokens=first_tokens(reply.get("logprobs")),
            )
        # The server's first answer says whether it sends them: it leaves out in silence what it cannot.
        model = (config.base_url, config.model)
        if model not in self._proven:
            check_alternatives(config, answer)
        if answer.first_tokens is not None:
            self._proven.add(model)
        return answer

    def _context(self, config: Config, options: Mapping[str, Any]) -> int:
        num_ctx: int = options["num_ctx"]
        return min(num_ctx, self._built_for.get((config.base_url, config.model), num_ctx))

    def _send(
        self, method: str, path: str, config: Config, content: Any = None, folded: Folded | None = None
    ) -> Any:
        """Send a request to the server; see `exchange`."""
        base_url = (config.base_url or BASE_URL).rstrip("/")
        key = read_key(config, self.hosts)
        identity = (config.base_url, config.key_variable, config.timeout_seconds)
        with self._lock:
            if identity not in self._clients:
                self._clients[identity] = connect(config, base_url, bearer(key))
            client = self._clients[identity]
        return exchange(client, method, base_url + path, config, key, content, folded)


def _folded(parts: list[Any]) -> dict[str, Any]:
    """Return the parts of a stream as one reply: some servers stream whatever is asked for.

    Raises ValueError where the stream has no end.
    """
    said = {"content": "", "thinking": ""}
    calls: list[Any] = []
    tokens: list[Any] = []
    for part in parts:
        check_fault(part)
        message = part["message"]
        for name in said:
            said[name] += only(str, message.get(name)) or ""
        calls += message.get("tool_calls") or []
        tokens += part.get("logprobs") or []
    if not parts or not parts[-1].get("done"):
        raise ValueError("the stream has no end")
    return {**parts[-1], "message": {**said, "tool_calls": calls}, "logprobs": tokens}


@contextmanager
def _before_asking(config: Config, key: str | None) -> Iterator[None]:
    """Say what to do where the server fails before any prompt is asked."""
    try:
        with reading(config, key):
            yield
    except (AttemptFailed, Rejected) as failure:
        raise PlumblineError(
            f"The Ollama server at {config.base_url or BASE_URL} cannot be asked: {failure}.",
            "Start it (`ollama serve`), or correct `base_url:` in the suite.",
        ) from None


def is_cut(n_prompt: int | None, messages: Sequence[Message], context: int) -> bool:
    """Say whether a server dropped the beginning of a prompt (SPEC GEN-6).

    `n_prompt` is what it says it read, in tokens. A server that cuts reads the whole context, or half of
    it and a few tokens; a long prompt (a quarter of the context or more) is also cut where it read fewer
    tokens than any tokeniser makes of it. Servers that leave out what they had cached read little of a
    short prompt, which proves nothing.
    """
    if n_prompt is None:
        return False
    estimate = estimate_prompt(messages)
    is_half = context // 2 <= n_prompt <= context // 2 + HALF_SLACK and estimate > n_prompt + HALF_SLACK
    is_short = estimate > context / 4 and n_prompt < fewest_tokens(messages)
    return n_prompt >= context - 1 or is_half or is_short


def _digest(said: Any) -> str:
    """Return a digest as the database takes it. Raises TypeError for another, which would seem to change."""
    digest = only(str, said) or ""
    if not (digest.isascii() and digest.isprintable()):
        raise TypeError(f"the digest {digest!r:.60} is none")
    return str(digest)


def _check_version(config: Config, version: str) -> None:
    """Raise PlumblineError where a server is too old for what is asked; one built from source is 0.0.0."""
    found = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", version)
    parts = tuple(map(int, found.groups())) if found else (0, 0, 0)
    if ALTERNATIVES in config.options and (0, 0, 0) < parts < FIRST_WITH_PROBABILITIES:
        first = ".".join(map(str, FIRST_WITH_PROBABILITIES))
        raise PlumblineError(
            f"The Ollama server at {config.base_url or BASE_URL} is {version[:20]}, which sends no token "
            f"probabilities; {first} does.",
            f"Update it. {NO_ALTERNATIVES.replace('Take', 'Or take')}",
        )


def _context_length(information: Mapping[str, Any] | None) -> int:
    """Return how many tokens the model was built for; a number that binds nothing where it does not say."""
    found = (value for name, value in (information or {}).items() if name.endswith(".context_length"))
    return min((value for value in found if type(value) is int and value > 0), default=UNBOUND)


BACKENDS = {"ollama": OllamaBackend}
ABOUT = {"ollama": About("Ollama's own API", "`ollama serve` and a pulled model")}
