"""Where in an answer a phrase decides: what it begins with, what it ends with, or a field of its JSON."""

import json
from typing import Literal

Place = Literal["anywhere", "beginning", "end", "either"]

LETTER, NO_LETTER = r"[\p{L}\p{N}]", r"[^\p{L}\p{N}]"
# `Yes, …`, `**B)** …`, `Decision: approve.`
BEGINNING = rf"^{NO_LETTER}*"
NAMED = rf"\p{{L}}[^:：\n]{{0,40}}[:：]{NO_LETTER}*"
# Its sentence does not go on: `No, …` is read, and `No doubt` is not.
BEHIND = r"\s*($|\n|[^\p{L}\p{M}\p{N}\s'’-]|-\s)"
# A line of its own, or what the last line ends with: `Answer: Yes`, `\boxed{A}`, `the answer is **No**.`
BEFORE_END = r"(^|\n|[:：{>]|\bis\b)[^\p{L}\p{N}\n]*"
END = r"[^\p{L}\p{M}\p{N}]*(</\w+>\s*)?$"


def placed_pattern(words: str, at: Place, field: str | None = None) -> str:
    """Return the RE2 pattern that finds words, themselves a pattern, in their place; case is the reader's.

    >>> import re2
    >>> found = re2.compile(placed_pattern("Yes", "beginning"))
    >>> [found.search(text) is not None for text in ("**Yes**, do.", "Answer: Yes", "Hm. Yes.", "Yes men")]
    [True, True, False, False]
    """
    if field is not None:
        name = "".join(
            c if not c.isascii() or c.isalnum() else f"\\{c}"
            for c in json.dumps(field, ensure_ascii=False)[1:-1]
        )
        return rf'"{name}"\s*:\s*"?\s*({words})\s*"?\s*[,}}\n]'
    first, last = rf"{BEGINNING}({NAMED})?({words}){BEHIND}", f"{BEFORE_END}({words}){END}"
    return {"beginning": first, "end": last, "either": f"({first})|({last})"}.get(at, words)
