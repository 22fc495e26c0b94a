"""Scripts that put no spaces between words: the one place that knows them."""

import re

# Inside the brackets of a pattern: Thai and Lao, Burmese, Khmer, kana, and Han with its rare characters.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
# A letter or digit of the other scripts. Markdown writes _she_, so an underscore is none.
SPACED_LETTER = rf"[^\W_{UNSPACED}]"
UNSPACED_LANGUAGES = frozenset({"ja", "km", "lo", "my", "th", "zh"})


def stands_in_words(phrase: str) -> bool:
    """Whether a phrase begins or ends in a script without spaces, so that it stands among other letters.

    >>> stands_in_words("不是"), stands_in_words("retail trade")
    (True, False)
    """
    return re.search(rf"^[{UNSPACED}]|[{UNSPACED}]$", phrase) is not None
