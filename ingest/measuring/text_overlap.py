"""How much of one text another repeats: ROUGE-L and BLEU of a pair, whichever of the two comes first.

ROUGE-L: Lin (2004), F measure of the longest common subsequence. BLEU: Papineni et al. (2002), up to four
words, smoothed by method 1 of Chen and Cherry (2014), and the lower of its two directions. Words of English
are compared by their Porter stems in ROUGE-L, as in LangFair; other languages have Snowball stemmers or none.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import version

from ingest.unspaced import UNSPACED

# Word characters and the marks (vowel signs, accents) that belong to them: Python's \w leaves these out.
MARKS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u200c\u200d"
)
# Each character of a script without spaces is a token.
CHARACTER = rf"(?:(?![{UNSPACED}])[\w{MARKS}])"
STEM_TOKEN = re.compile(rf"[{UNSPACED}]|{CHARACTER}+")
# Contractions come apart ("do n't", "she 's"), hyphenated words stay whole, each mark stands alone: the words
# of the Penn Treebank, in any script.
TOKEN = re.compile(
    rf"""
    n['’]t(?!\w) | ['](?:s|m|d|ll|re|ve)(?!\w)    # what a contraction ends with
    | {CHARACTER}+?(?=n['’]t(?!\w))               # and what comes before it
    | [{UNSPACED}]
    | (?<!\w){CHARACTER}\.(?=\s+\S)               # an initial, not the end of a sentence
    | {CHARACTER}+(?:[-.,/]{CHARACTER}+)*
    | \.{{2,}} | --+ | [^\w\s]""",
    re.VERBOSE,
)
SHORTEST_STEMMED = 4  # letters
LONGEST_RUN = 4  # words of BLEU's longest n-gram
SMOOTHED = 0.1  # in place of no common n-gram
# Porter's own algorithm for English; the Snowball stemmers of the other languages.
STEMMERS = {
    "en": "porter",
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}

Grams = tuple[Counter[tuple[str, ...]], ...]


def stemmer(language: str) -> str:
    """Return the name of a language's stemmer, `none` where there is none.

    >>> stemmer("en-SG"), stemmer("th")
    ('porter', 'none')
    """
    return STEMMERS.get(language.split("-")[0].lower(), "none")


@cache
def _stem(algorithm: str) -> Callable[[str], str]:
    if algorithm == "none":
        return str
    import snowballstemmer

    stem = snowballstemmer.stemmer(algorithm).stemWord
    return lru_cache(maxsize=100_000)(lambda word: stem(word) if len(word) >= SHORTEST_STEMMED else word)


def stems(text: str, algorithm: str = "porter") -> list[str]:
    """Return the stems of a text's words in order; marks and punctuation are left out.

    >>> stems("Nurses can't be careless.")
    ['nurs', 'can', 't', 'be', 'careless']
    """
    stem = _stem(algorithm)
    return [stem(word) for word in STEM_TOKEN.findall(text.lower())]


def tokens(text: str) -> list[str]:
    """Return a text's words and marks in order, in small letters, contractions taken apart.

    >>> tokens("She can't: it's well-known.")
    ['she', 'ca', "n't", ':', 'it', "'s", 'well-known', '.']
    """
    return TOKEN.findall(text.lower())


def longest_common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, a row of bits a word (Hyyrö 2004).

    >>> longest_common_subsequence("the cat sat".split(), "the dog sat".split())
    2
    """
    places: dict[str, int] = {}
    for i, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << i
    mask = (1 << len(a)) - 1
    row = mask
    for word in b:
        common = row & places.get(word, 0)
        row = (row + common | row - common) & mask
    return len(a) - row.bit_count()


def f_measure(a: Sequence[str], b: Sequence[str]) -> float:
    """Return ROUGE-L's F: 2 × common / (length of a + length of b); NaN where one has no word."""
    if not a or not b:
        return math.nan
    return 2 * longest_common_subsequence(a, b) / (len(a) + len(b))


def grams(words: Sequence[str]) -> Grams:
    """Return the n-grams of words with their counts, n from 1 to 4."""
    return tuple(
        Counter(zip(*(words[k:] for k in range(n)), strict=False)) for n in range(1, LONGEST_RUN + 1)
    )


def lower_bleu(a: Grams, b: Grams) -> float:
    """Return BLEU of two texts' n-grams, the lower of both directions; NaN where one has no token.

    What n-grams have in common is the same both ways; how many there are, and the penalty for a short
    text, are not.
    """
    lengths = [sum(side[0].values()) for side in (a, b)]
    if not all(lengths):
        return math.nan
    common = [sum(min(x[gram], y[gram]) for gram in x.keys() & y.keys()) for x, y in zip(a, b, strict=True)]
    if not common[0]:
        return 0.0
    scores = []
    for own, other in (lengths, lengths[::-1]):
        logs = [
            math.log((n or SMOOTHED) / max(own - place, 1)) / LONGEST_RUN for place, n in enumerate(common)
        ]
        scores.append(math.exp(sum(logs) + min(1 - other / own, 0)))
    return min(scores)


class Overlap:
    """Scores pairs of texts; what is derived of one text is kept for the pairs that follow.

    Its identity is that of a scorer: `name`, `model`, `revision`, `version`, `parameters`.
    """

    name = "overlap"
    model = "ROUGE-L and BLEU"
    revision = "Lin 2004; Papineni et al. 2002"
    version = "1"
    features: Mapping[str, tuple[float, float]] = {"rouge_l": (0.0, 1.0), "bleu": (0.0, 1.0)}
    batch_size = 5_000

    def __init__(self, language: str = "en") -> None:
        self.algorithm = stemmer(language)
        snowball = {} if self.algorithm == "none" else {"snowballstemmer": version("snowballstemmer")}
        own = {"stemmer": self.algorithm, "max_n": LONGEST_RUN, "smoothing": SMOOTHED}
        self.parameters: Mapping[str, object] = own | snowball
        self._stems = lru_cache(maxsize=5_000)(lambda text: stems(text, self.algorithm))
        self._grams = lru_cache(maxsize=5_000)(lambda text: grams(tokens(text)))

    def score(self, pairs: Sequence[tuple[str, str]]) -> dict[str, list[float]]:
        """Return for each feature one number a pair, in the order given; NaN where a text has no word."""
        return {
            "rouge_l": [f_measure(self._stems(a), self._stems(b)) for a, b in pairs],
            "bleu": [lower_bleu(self._grams(a), self._grams(b)) for a, b in pairs],
        }
