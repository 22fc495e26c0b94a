"""What all backends that ask a real model share: options, seeds, token estimates, reading a reply."""

import hashlib
import ipaddress
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.asking.answer_status import EVIDENCE, finish_status, response_status
from ingest.asking.first_tokens import ALTERNATIVES, MOST
from ingest.backends import Answer, AttemptFailed, Message, Request
from ingest.backends.reasoning import split_reasoning
from ingest.errors import PlumblineError
from ingest.suite import Config
from ingest.suite.fields import LARGEST_INTEGER

DERIVED_SEED = "root and repeat"
MESSAGE_TOKENS = 8  # what a chat template puts around a message


def messages_for(config: Config, prompt: str, messages: str | None = None) -> list[Message]:
    """Return what is sent: the system prompt, if there is one, then the prompt in its template.

    `messages` are the turns of a conversation, as the raw table `prompts` has them; the prompt is the last of
    them. A system prompt of its own follows that of the config, in one message: many models know no second.
    """
    turns: list[dict[str, str]] = json.loads(messages) if messages else [{"role": "user", "content": prompt}]
    systems = [config.system_prompt, *(turn["content"] for turn in turns if turn["role"] == "system")]
    system = "\n\n".join(text for text in systems if text)
    *before, last = [turn for turn in turns if turn["role"] != "system"]
    content = config.template.replace("{prompt}", last["content"])
    return [
        *([{"role": "system", "content": system}] if system else []),
        *before,
        {**last, "content": content},
    ]


def request_seed(request: Request) -> int:
    """Return the seed of a request, below 2³¹: its branches share it, its repeats do not (SPEC GEN-5).

    A suite's own `seed` counts up with the repeats.
    """
    seed = request.config.options.get("seed")
    if isinstance(seed, int):
        return (seed + request.repeat_index) % 2**31
    digest = hashlib.blake2b(f"{request.root_key}:{request.repeat_index}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for 4 characters of ASCII, one for any other character.

    >>> estimate_tokens("A flat in Bedok"), estimate_tokens("租房")
    (4, 2)
    """
    n_ascii = sum(character.isascii() for character in text)
    return math.ceil(n_ascii / 4 + (len(text) - n_ascii))


def estimate_prompt(messages: Sequence[Message]) -> int:
    """Return about how many tokens the messages of a request have, with what a template puts around."""
    return sum(estimate_tokens(message["content"]) + MESSAGE_TOKENS for message in messages)


def fewest_tokens(messages: Sequence[Message]) -> float:
    """Return a number of tokens below which no tokeniser brings the messages' text."""
    text = "".join(message["content"] for message in messages)
    n_ascii = sum(character.isascii() for character in text)
    return n_ascii / 8 + (len(text) - n_ascii) / 4


def count_of(value: Any) -> int | None:
    """Return how many tokens a reply names; None where it is no such number: the answer beside it counts.

    >>> count_of(10.0), count_of(-1), count_of("10")
    (10, None, None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value <= LARGEST_INTEGER else None


def counts_in(usage: Any) -> Mapping[str, Any]:
    """Return what a reply says of its tokens, nothing where it says that in another shape."""
    return usage if isinstance(usage, dict) else {}


@dataclass(frozen=True)
class Option:
    """An option of a backend: its default (None: the server's own, unset) and what it may be."""

    default: Any
    check: Callable[[Any], bool]
    meaning: str


def is_number(low: float, high: float) -> Callable[[Any], bool]:
    """Return a check for a number in [low, high]."""
    return lambda value: is_whole(low, high)(value) or (isinstance(value, float) and low <= value <= high)


def is_whole(low: float, high: float) -> Callable[[Any], bool]:
    """Return a check for a whole number in [low, high]."""
    return lambda value: not isinstance(value, bool) and isinstance(value, int) and low <= value <= high


def is_stop(value: Any) -> bool:
    """Say whether a value is a text, or some, at which an answer ends."""
    texts = value if isinstance(value, list) else [value]
    return 1 <= len(texts) <= 16 and all(isinstance(text, str) and text for text in texts)


SAMPLING: Mapping[str, Option] = {
    "temperature": Option(0, is_number(0, 10), "a number from 0 to 10"),
    "seed": Option(None, is_whole(0, 2**31 - 1), "a whole number"),
    "top_p": Option(None, is_number(0, 1), "a number from 0 to 1"),
    "stop": Option(None, is_stop, "a text or a list of texts"),
}


PROBABILITIES = {ALTERNATIVES: Option(None, is_whole(1, MOST), f"a whole number of tokens from 1 to {MOST}")}


def check_alternatives(config: Config, answer: Answer) -> None:
    """Raise PlumblineError where a server was asked for token probabilities, and its answer has none."""
    if ALTERNATIVES in config.options and answer.status == "ok" and answer.first_tokens is None:
        raise PlumblineError(
            f"{config.model}: the server sends no token probabilities, though it is asked for them.",
            f"{NO_ALTERNATIVES} Rules of the kind `probability` need another server.",
        )


NO_ALTERNATIVES = f"Take `{ALTERNATIVES}` out of the config's `options:`."


def options_in_force(config: Config, known: Mapping[str, Option]) -> dict[str, Any]:
    """Return a config's options, defaults filled in, as its fingerprint holds them.

    Raises PlumblineError for an unknown option, a wrong value, and for repeats at temperature 0 that are
    not declared as a check of determinism.
    """
    unknown = sorted(set(config.options) - set(known))
    if unknown:
        raise PlumblineError(
            f"The config {config.model!r} has the option {unknown[0]!r}, unknown to the backend "
            f"{config.backend!r}.",
            f"It knows {', '.join(known)}.",
        )
    for name, value in config.options.items():
        if not known[name].check(value):
            raise PlumblineError(
                f"The config {config.model!r}: `{name}` is {value!r}.", f"Write {known[name].meaning}."
            )
    defaults = {name: option.default for name, option in known.items() if option.default is not None}
    seed = {"seed": DERIVED_SEED} if "seed" in known else {}
    options = {**defaults, **seed, **config.options}
    if config.repeats > 1 and not options.get("temperature", True) and not config.determinism_check:
        raise PlumblineError(
            f"The config {config.model!r} has {config.repeats} repeats at temperature 0, which all give one "
            "answer.",
            "Set `options: {temperature: …}` above 0, or `determinism_check: true` if that is the question.",
        )
    if config.template != "{prompt}":
        options["prompt_template"] = config.template
    return options


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_reply(
    text: str | None,
    finish_reason: str | None,
    *,
    reasoning: str | None = None,
    refusal: str | None = None,
    status: str | None = None,
    **measured: Any,
) -> Answer:
    """Return the Answer that a reply is.

    `status` and `refusal` are what the provider or the numbers say; they go before what the text says.
    The words of anything but an answer are kept as evidence, where nothing scores them. Raises AttemptFailed
    where the server failed half-way.
    """
    if finish_status(finish_reason) == "server_error":
        raise AttemptFailed("server_error", f"the answer broke off: its finish reason is {finish_reason!r}")
    answer, found = split_reasoning(text or "")
    status = status or ("refused" if refusal else response_status(answer, finish_reason))
    is_ok = status == "ok"
    return Answer(
        text=answer if is_ok else None,
        status=status,
        finish_reason=finish_reason,
        reasoning=reasoning or found,
        error=None if is_ok else (refusal or answer).strip()[:EVIDENCE] or None,
        **measured,
    )
