"""What a model might have said first: an answer's first token and its alternatives, with their probabilities.

Servers send them with each token of a reply. Those of the first token that is not blank are kept, as they
came; what they mean is the business of outcome rules.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

# The option of a config: how many of the tokens that an answer might begin with are asked for.
ALTERNATIVES = "top_logprobs"
MOST = 20  # of them; a server may add the token that it took
LONGEST = 100  # characters of a token
LEADING = 8  # tokens of a reply that are looked at: the first ones may be blank
LARGEST = 1e6  # of a logprob, as a number; beyond it a probability is 0
DIGITS = 6  # of a logprob that are kept
LEAST = 1e-300  # what is less likely is no alternative
SLACK = 0.01  # by which rounded probabilities may add up to more than 1
BLANK = " \t\r\n\u00a0\u2581"

FirstTokens = Sequence[tuple[str, float]]


def first_tokens(positions: Any) -> FirstTokens | None:
    """Return (token, logprob) of the alternatives, the likeliest first, of what a server says of its tokens.

    None where it says nothing of them; empty where what it says are no probabilities. `positions` are a
    reply's tokens, each {token, logprob, top_logprobs: [{token, logprob}, …]}.
    """
    if not isinstance(positions, list) or not positions:
        return None
    for position in islice(positions, LEADING):
        if not isinstance(position, Mapping) or not isinstance(position.get("token"), str):
            return ()
        if position["token"].strip(BLANK):
            return _checked(list(_alternatives(position)))
    return ()


def _alternatives(position: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the alternatives of a token, and the token itself where it is none of them."""
    others = position.get("top_logprobs")
    listed = list(islice(others, MOST)) if isinstance(others, list) else []
    yield from listed
    if "logprob" in position and not any(
        isinstance(one, Mapping) and one.get("token") == position["token"] for one in listed
    ):
        yield position


def _checked(alternatives: Sequence[Any]) -> FirstTokens:
    """Return the alternatives where all of them are tokens with probabilities; else none."""
    total: dict[str, float] = {}
    for one in alternatives:
        if not isinstance(one, Mapping) or not _is_pair(one.get("token"), one.get("logprob")):
            return ()
        # Two tokens may be written alike, such as halves of a letter.
        token, logprob = _storable(one["token"]), one["logprob"]
        total[token] = total.get(token, 0.0) + math.exp(min(max(logprob, -LARGEST), 0))
    if not 0 < math.fsum(total.values()) <= 1 + SLACK:
        return ()
    found = [(token, round(math.log(min(p, 1)), DIGITS)) for token, p in total.items() if p > LEAST]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _is_pair(token: Any, logprob: Any) -> bool:
    """Say whether these are a token and the logarithm of a probability; one of 0 may be -infinity."""
    if not isinstance(token, str) or len(token) > LONGEST:
        return False
    return type(logprob) in (int, float) and -LARGEST <= max(logprob, -LARGEST) <= SLACK


def _storable(token: str) -> str:
    """Return a token as UTF-8 and JSON of any engine have it."""
    return token.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def encoded(tokens: FirstTokens | None) -> str | None:
    """Return the alternatives as `responses` holds them: a JSON list of [token, logprob]."""
    if tokens is None:
        return None
    try:
        said = [{"token": token, "logprob": logprob} for token, logprob in islice(tokens, MOST + 1)]
    except (TypeError, ValueError):  # another package's backend gives anything
        said = []
    pairs = [list(pair) for pair in _checked(said)]
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def is_encoded(text: str | None) -> bool:
    """Say whether a text is such a list as `encoded` returns."""
    if text is None:
        return True
    try:
        pairs = json.loads(text)
        return isinstance(pairs, list) and len(pairs) <= MOST + 1 and all(_is_pair(*pair) for pair in pairs)
    except (ValueError, TypeError, RecursionError):
        return False
