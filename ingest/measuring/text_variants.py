"""Text variants: what is taken out of a response before it is measured. The raw text is always kept."""

import re
from collections.abc import Callable

QUOTES = "\"'“”‘’"
ELLIPSIS = re.compile(r"\.{2,}|…")
DECISION = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


def clean(text: str) -> str:
    """Return a text without what does not change its meaning (SPEC MEA-6).

    In this order: outer white space, outer quotes, ellipses, one final dot, repeated white space,
    capitals. The order is the FAIR-SEA toolkit's: a quote that stands before a final dot stays.

    >>> clean(' "Well...  Engineer." ')
    'well engineer'
    """
    text = ELLIPSIS.sub("", text.strip().strip(QUOTES))
    return " ".join(text.removesuffix(".").split()).lower()


def without_decision(clean_text: str) -> str:
    """Return a cleaned text without its first standalone yes or no (SPEC FS-12).

    >>> without_decision("yes, nobody said no")
    ', nobody said no'
    """
    return " ".join(DECISION.sub("", clean_text, count=1).split())


# Variant of a raw text by name; `raw`, the text itself, needs no function. What is stored under a
# name is never made again, so a function that would answer differently takes a new name.
TEXT_VARIANTS: dict[str, Callable[[str], str]] = {
    "clean": clean,
    "without_decision": lambda text: without_decision(clean(text)),
}
