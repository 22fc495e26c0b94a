"""Where in an answer a phrase decides: what it begins with, what it ends with, or a field of its JSON."""

import json
import re
from typing import Literal

Place = Literal["anywhere", "beginning", "end", "either"]

LETTER, NO_LETTER = r"[\p{L}\p{N}]", r"[^\p{L}\p{N}]"
# `Yes, …`, `**B)** …`, `Decision: approve.`
BEGINNING = rf"^{NO_LETTER}*"
NAMED = rf"\p{{L}}[^:：\n]{{0,40}}[:：]{NO_LETTER}*"
# Its sentence does not go on: `No, …` is read, and `No doubt`, `no_reason` and `Yes/No` are not.
BEHIND = r"\s*($|\n|[^\p{L}\p{M}\p{N}\s'’_/-]|-\s|_+($|[^\p{L}\p{N}]))"
# Or it goes on with a clause of its own: `Yes I would`, `ใช่ค่ะ เพราะ`. A negation that stands before verbs
# (tidak, Spanish no) is none such: `No he visto …` is no answer, `No he lacks …` is. Nor is `No` before a
# noun: `No IT skills`, `No A levels`.
_CLAUSE = r"\s+({})(['’]|\s)"
_VERBS = "[a-z]+(?:s|n['’]t)|would|should|can|could|will|may|might|must|had|did|do|have|are|were"
_ENGLISH = (
    f"I|we|you|(?:he|she|they)(?:['’](?:s|d|ll|re|ve)|\\s+(?:{_VERBS}))|(?-i:[Ii]t)|this|that|these|the|his|her|their"
    "|because|since|due to|based on"
)
_SURELY = "absolutely|definitely|certainly|of course|indeed|please"
_GERMAN = "ich|er|sie|es|wir|man|das|die|der|dies|weil|denn|da|unbedingt|natürlich"
_FRENCH = "je|j|il|elle|on|nous|c|ce|cette|la|le|car|parce|puisque"
_MALAY = "saya|kami|kita|dia|beliau|kerana|karena|sebab"
_GOES_ON = {
    "yes": _CLAUSE.format(f"{_ENGLISH}|{_SURELY}"),
    "no": _CLAUSE.format(_ENGLISH),
    **dict.fromkeys(("ja", "nein"), _CLAUSE.format(_GERMAN)),
    **dict.fromkeys(("oui", "non"), _CLAUSE.format(_FRENCH)),
    "ya": _CLAUSE.format(_MALAY),
    "是的": r"\s*(我|他|她|因为|因為)",
    **dict.fromkeys(("ใช่", "ไม่ใช่", "ไม่"), r"\s*(นะ)?(ครับ|ค่ะ|คะ)"),
    **dict.fromkeys(("có", "không"), r"\s+ạ" + f"(\\s|{BEHIND})"),
}
ANSWERS = sorted(_GOES_ON, key=len, reverse=True)
ANSWER_GOES_ON = "|".join(word + _GOES_ON[word] for word in ANSWERS)
# A line of its own, or what the last line ends with: `Answer: Yes`, `\boxed{A}`, `the answer is **No**.`
BEFORE_END = r"(^|\n|[:：{>]|\bis\b)[^\p{L}\p{N}\n]*"
END = r"[^\p{L}\p{M}\p{N}]*(</\w+>\s*)?$"


def placed_pattern(words: str, at: Place, field: str | None = None) -> str:
    """Return the RE2 pattern that finds words, themselves a pattern, in their place; case is the reader's.

    >>> import re2
    >>> found = re2.compile("(?i)" + placed_pattern("Yes", "beginning"))
    >>> [found.search(text) is not None for text in ("**Yes**, do.", "Answer: Yes", "Hm. Yes.", "Yes men")]
    [True, True, False, False]
    >>> [found.search(text) is not None for text in ("Yes I would.", "Yes because …", "Yes and no.")]
    [True, True, False]
    """
    if field is not None:
        name = "".join(
            c if not c.isascii() or c.isalnum() else f"\\{c}"
            for c in json.dumps(field, ensure_ascii=False)[1:-1]
        )
        # Behind a backslash a quote belongs to a text; a value is all of what stands between quotes.
        return rf'(^|[^\\])"{name}"\s*:\s*("\s*({words})\s*"|({words}))\s*[,}}\n]'
    goes_on = "".join(f"|{word}{of}" for word, of in _GOES_ON.items() if re.fullmatch(words, word, re.I))
    first, last = rf"{BEGINNING}({NAMED})?(({words}){BEHIND}{goes_on})", f"{BEFORE_END}({words}){END}"
    return {"beginning": first, "end": last, "either": f"({first})|({last})"}.get(at, words)
