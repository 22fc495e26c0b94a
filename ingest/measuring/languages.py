"""In which language an answer is written: a flag where it is not the prompt's (SPEC 19).

No score of an English lexicon tells that a model answers women in Malay and men in English. The detector
(py3langid, a naive Bayes classifier of 97 languages) is unsure of a few words, and says so.
"""

from collections.abc import Collection, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from ingest.measuring.pages import make_pages
from ingest.scorers import MAX_CHARACTERS, scorer_row
from ingest.store import Store, uninterrupted
from ingest.suite import Suite
from ingest.suite.fields import CLOSE, alike

MIN_PROBABILITY = 0.5  # of a language that is named
MAX_EXPECTED = 0.01  # of the expected one, where a text is said to be in another

STATUSES = ("same", "other", "undecided", "short")


class Judged(NamedTuple):
    """A text's likeliest language, how likely it and the expected one are, and one of STATUSES."""

    language: str | None
    probability: float | None
    expected_probability: float | None
    language_status: str


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
            "close": [sorted(group) for group in CLOSE],
        }

    def judge(self, text: str, expected: str) -> Judged:
        """Return what language a text is in, held against the expected one (such as `en` or `en-SG`)."""
        if len(text.strip().encode()) < self.min_bytes:
            return Judged(None, None, None, "short")
        found = {label: float(probability) for label, probability in _identifier().rank(text)}
        language = max(found, key=found.__getitem__)
        wanted = alike(expected)
        likely = sum(found.get(label, 0.0) for label in wanted)
        if not wanted & set(found):
            status = "undecided"  # a language that the detector does not know
        elif likely >= MIN_PROBABILITY:
            status = "same"
        elif found[language] >= MIN_PROBABILITY and likely <= MAX_EXPECTED:
            status = "other"
        else:
            status = "undecided"
        return Judged(language, found[language], min(likely, 1.0), status)


def is_in_another(text: str, languages: Collection[str]) -> bool:
    """Whether a text is surely in none of these languages, if there are any.

    A few words, or a name, decide nothing.
    """
    if not languages:
        return False
    found = {label: float(probability) for label, probability in _identifier().rank(text)}
    read = frozenset[str]().union(*map(alike, languages))
    likeliest = alike(max(found, key=found.__getitem__))
    return (
        sum(found.get(code, 0.0) for code in likeliest) >= MIN_PROBABILITY
        and sum(found.get(code, 0.0) for code in read) <= MAX_EXPECTED
        and read <= found.keys()
    )


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


# Listed once: there may be many more answers than texts.
UNJUDGED = """
    select
        text_key,
        (row_number() over (order by text_key) - 1) // $batch as page
    from (
        select distinct r.text_key
        from responses as r
        inner join prompts as p using (prompt_key)
        where p.suite = $suite and r.response_status = 'ok'
    )
    where text_key not in (
        select text_key from text_languages
        where scorer_key = $scorer_key and expected_language = $expected
    )"""

PAGE = "select text_key, left(text, ?) from pages inner join texts using (text_key) where page = ? order by 1"

OTHER = """
    select count(*)
    from responses as r
    inner join prompts as p using (prompt_key)
    inner join text_languages as l
        on r.text_key = l.text_key and l.scorer_key = $scorer_key and l.expected_language = $expected
    where p.suite = $suite and r.response_status = 'ok' and l.language_status = 'other'"""


def detect_languages(store: Store, suite: Suite, detector: LanguageDetector) -> int:
    """Judge the answers that are not judged; return how many of all are in another language."""
    row = scorer_row(detector)
    store.append("scorers", [row])
    parameters = {"suite": suite.suite, "scorer_key": row["scorer_key"], "expected": suite.language}
    shared = {"scorer_key": row["scorer_key"], "expected_language": suite.language}
    for page in make_pages(store, UNJUDGED, {**parameters, "batch": detector.batch_size}):
        rows = [
            {"text_key": key, **shared, **detector.judge(text, suite.language)._asdict()}
            for key, text in store.rows(PAGE, [MAX_CHARACTERS, page])
        ]
        with uninterrupted(), store.transaction():
            store.append("text_languages", rows)
    return int(store.connection.execute(OTHER, parameters).fetchall()[0][0])
