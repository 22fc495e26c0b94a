"""In which language an answer is written: a flag where it is not the prompt's (SPEC 19).

No score of an English lexicon tells that a model answers women in Malay and men in English. The detector
(py3langid, a naive Bayes classifier of 97 languages) is unsure of a few words, and says so.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from ingest.measuring.pages import make_pages
from ingest.scorers import MAX_CHARACTERS, scorer_row
from ingest.store import Store, uninterrupted
from ingest.suite import Suite
from ingest.suite.fields import CLOSE, LANGUAGE_SEPARATOR, alike

MIN_PROBABILITY = 0.5  # of a language that is named
MAX_EXPECTED = 0.01  # of the expected one, where a text is said to be in another
# Many words that are hardly in the expected one are in another, whichever: two by turns, or in Latin letters.
MANY_WORDS = 5
MAX_EXPECTED_OF_MANY = 0.001
WORD = re.compile(r"[^\W\d_]{2,}")

# Languages that are written in Latin letters alone, so that a word in others is in another language.
LATIN = frozenset((
    "cs", "da", "de", "en", "es", "fi", "fr", "hr", "hu", "id", "it", "ms", "nb", "nl", "nn", "no", "pl",
    "pt", "ro", "sv", "sw", "tl", "tr", "vi",
))  # fmt: skip

# Two of these make a prompt English enough: most are, and the detector takes 100 times as long.
ENGLISH_WORDS = re.compile(r"\b(?:the|of|and|what|which|would|should|with|for|this|that|you|your|please)\b")
N_ENGLISH_WORDS = 2

STATUSES = ("same", "other", "undecided", "short")


class Judged(NamedTuple):
    """A text's likeliest language, how likely it and the expected ones are, and one of STATUSES.

    `is_in_another` says of any text, however short, what the function of this name says of it.
    """

    language: str | None
    probability: float | None
    expected_probability: float | None
    language_status: str
    is_in_another: bool = False


class LanguageDetector:
    """Tells the language of texts. Its identity is that of a scorer."""

    name = "language"
    model = "py3langid"
    revision = "model.npz.xz"
    batch_size = 2_000
    min_bytes = 24  # of a text that is long enough to be judged

    def __init__(self) -> None:
        self.features: dict[str, tuple[float, float]] = {}
        self.version = version("py3langid")
        self.parameters: Mapping[str, Any] = {
            "min_bytes": self.min_bytes,
            "min_probability": MIN_PROBABILITY,
            "max_expected": MAX_EXPECTED,
            "many_words": MANY_WORDS,
            "max_expected_of_many": MAX_EXPECTED_OF_MANY,
            "close": [sorted(group) for group in CLOSE],
        }

    def judge(self, text: str, expected: str) -> Judged:
        """Return what language a text is in, held against the expected ones (such as `en` or `en-SG,ms`)."""
        languages = expected.split(LANGUAGE_SEPARATOR)
        found = _probabilities(text)
        is_other = _is_in_another(text, found, languages)
        if len(text.strip().encode()) < self.min_bytes:
            return Judged(None, None, None, "short", is_other)
        language = max(found, key=found.__getitem__)
        wanted = frozenset[str]().union(*map(alike, languages))
        likely = sum(found.get(label, 0.0) for label in wanted)
        if not wanted & set(found):
            status = "undecided"  # a language that the detector does not know
        elif likely >= MIN_PROBABILITY:
            status = "same"
        elif found[language] >= MIN_PROBABILITY and likely <= MAX_EXPECTED:
            status = "other"
        else:
            status = "undecided"
        return Judged(language, found[language], min(likely, 1.0), status, is_other)


def is_in_another(text: str, languages: Collection[str]) -> bool:
    """Whether a text is surely in none of these languages, if there are any.

    A few words, or a name, decide nothing, but for letters that none of the languages is written in. They are
    taken to be in their prompt's language where answers and prompts meet (int_unread_answers_listed).
    """
    return bool(languages) and _is_in_another(text, _probabilities(text), languages)


def language_of_prompt(text: str, declared: str) -> str:
    """Return the language of a prompt: the declared one, unless it is surely in another."""
    if alike(declared) == {"en"} and len(set(ENGLISH_WORDS.findall(text.casefold()))) >= N_ENGLISH_WORDS:
        return declared
    found = _probabilities(text)
    if not _is_in_another(text, found, [declared]):
        return declared
    return max(found.keys() - alike(declared), key=found.__getitem__)


def language_of_most(texts: Iterable[str]) -> str | None:
    """Return the language that most of the longer texts are surely in, None where most are in none.

    >>> language_of_most(["¿Se debería invitar a esta mujer a una entrevista?", "Sí.", "No."])
    'es'
    """
    longer = [text for text in texts if len(text.strip().encode()) >= LanguageDetector.min_bytes]
    counts: Counter[str] = Counter()
    for text in longer:
        found = _probabilities(text)
        likeliest = max(found, key=found.__getitem__)
        counts[likeliest] += found[likeliest] >= MIN_PROBABILITY
    language, n = max(counts.items(), key=lambda one: one[1], default=(None, 0))
    return language if 2 * n > len(longer) else None


def _probabilities(text: str) -> dict[str, float]:
    return {label: float(probability) for label, probability in _identifier().rank(text)}


def _is_in_another(text: str, found: Mapping[str, float], languages: Collection[str]) -> bool:
    read = frozenset[str]().union(*map(alike, languages))
    if read <= LATIN and _is_in_other_letters(text):
        return True
    if not read <= found.keys() or (text.isascii() and len(WORD.findall(text)) < 2):
        return False  # a word alone may be a name: `Filipino` is in no language
    likely = sum(found[code] for code in read)
    if likely <= MAX_EXPECTED_OF_MANY and _has_many_words(text):
        return True
    likeliest = alike(max(found, key=found.__getitem__))
    return likely <= MAX_EXPECTED and sum(found.get(code, 0.0) for code in likeliest) >= MIN_PROBABILITY


def _has_many_words(text: str) -> bool:
    words = [word for word in WORD.findall(text) if word.islower()]  # a name is no word of a language
    return len(words) >= MANY_WORDS


def _is_in_other_letters(text: str) -> bool:
    """Whether a text has letters, more than one, and none of them is Latin."""
    if text.isascii():
        return False
    # A vowel may be a mark.
    letters = [c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c)[0] in "LM"]
    return len(letters) > 1 and not any("LATIN" in unicodedata.name(letter, "") for letter in letters)


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


# Every answer is held against its prompt's language, and against those that each rule of phrases reads.
# Listed once: there may be many more answers than texts.
UNJUDGED = """
    with answers as (
        select distinct r.text_key, p.category, p.language
        from responses as r
        inner join prompts as p using (prompt_key)
        where p.suite = $suite and r.response_status = 'ok'
    ),

    expected as (
        select text_key, language as expected_language from answers
        union
        select a.text_key, rule.expected_language
        from answers as a
        inner join (
            select
                unnest($categories::varchar[]) as category,
                unnest($expected::varchar[]) as expected_language
        ) as rule using (category)
    )

    select
        text_key,
        expected_language,
        (row_number() over (order by text_key, expected_language) - 1) // $batch as page
    from expected
    anti join (select * from text_languages where scorer_key = $scorer_key) as judged
        using (text_key, expected_language)"""

PAGE = """
    select text_key, expected_language, left(text, ?) from pages inner join texts using (text_key)
    where page = ? order by 1, 2"""

OTHER = """
    select count(*)
    from responses as r
    inner join prompts as p using (prompt_key)
    inner join text_languages as l
        on r.text_key = l.text_key and l.scorer_key = $scorer_key and l.expected_language = p.language
    where p.suite = $suite and r.response_status = 'ok' and l.language_status = 'other'"""


def detect_languages(store: Store, suite: Suite, detector: LanguageDetector) -> int:
    """Judge the answers that are not judged; return how many of all are in another language."""
    row = scorer_row(detector)
    store.append("scorers", [row])
    parameters = {"suite": suite.suite, "scorer_key": row["scorer_key"]}
    read = suite.languages_read()
    listed = {"categories": [code for code, _ in read], "expected": [languages for _, languages in read]}
    for page in make_pages(store, UNJUDGED, {**parameters, **listed, "batch": detector.batch_size}):
        rows = [
            {
                "text_key": key,
                "scorer_key": row["scorer_key"],
                "expected_language": expected,
                **detector.judge(text, expected)._asdict(),
            }
            for key, expected, text in store.rows(PAGE, [MAX_CHARACTERS, page])
        ]
        with uninterrupted(), store.transaction():
            store.append("text_languages", rows)
    return int(store.connection.execute(OTHER, parameters).fetchall()[0][0])
