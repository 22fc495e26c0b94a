"""How labels begin: rules of the kind `probability` tell them apart by the first token of an answer."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import re2

from ingest.suite.fields import composed

# As `int_beginnings_matched` takes it off tokens: what is no letter, mark or number at either end.
AROUND = re2.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$")


def beginning(phrase: str) -> str:
    """Return a phrase as tokens are compared with it: without case, and nothing around.

    >>> beginning(" **Yes!**")
    'yes'
    """
    return str(AROUND.sub("", composed(phrase))).lower()


def check_beginnings(labels: Mapping[str, Sequence[str]]) -> None:
    """Raise ValueError where two labels can begin with the same token."""
    told = [(label, phrase, beginning(phrase)) for label, some in labels.items() for phrase in some]
    for _, phrase, begins in told:
        if not begins:
            raise ValueError(f"{phrase!r} holds no letter and no digit that an answer could begin with")
    for (label, phrase, begins), (other, another, begins_too) in combinations(told, 2):
        if label != other and _collide(begins, begins_too):
            raise ValueError(
                f"{phrase!r} and {another!r} can begin with the same token: offer other words, "
                "such as A and B"
            )


def _collide(one: str, other: str) -> bool:
    """Say whether a token may begin both: one begins the other, or their first words are the same."""
    return one.startswith(other) or other.startswith(one) or _first_word(one) == _first_word(other)


def _first_word(begins: str) -> str:
    return beginning(begins.split()[0])


def in_words(labels: Iterable[tuple[str, str]], favourable: Sequence[str], min_mass: float) -> str:
    """Return what a probability rule scores, as one text: two rules that say the same score alike."""
    phrases = "; ".join(f"{label}: {phrase}" for label, phrase in labels)
    return f"P({', '.join(favourable)}) of {phrases}; mass {min_mass:g}"
