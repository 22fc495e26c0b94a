"""What an annotator is asked about an answer: a rule's labels, or a number within its feature's range."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.suite import Rule, Suite, normalise_label

STEPS = 5  # of a score in the sheet, from its lowest value to its highest
EXAMPLES = 6  # phrases of a label that an annotator is shown

# By the scorer that measured this suite last: another suite may have one of the same name.
MEASURED_IN = """
    select features.range_low, features.range_high
    from scorer_features as features
    inner join scorers using (scorer_key)
    left join runs
        on
            runs.command = 'extract'
            and json_extract_string(runs.detail, '$.suite') = $suite
            and json_extract_string(runs.detail, '/scorers/' || scorers.scorer) = scorers.scorer_key
    where features.feature = $feature and scorers.scorer = $scorer
    order by runs.started_at desc nulls last, scorers.scorer_key
    limit 1"""


class Question(NamedTuple):
    """One outcome set of a category, as people are asked about it.

    `none` is the label of an answer that fits no other. A score has `low` and `high`, and no labels.
    """

    category: str
    outcome_set: str
    title: str
    description: str
    labels: dict[str, list[str]]  # label -> its phrases
    none: str | None = None
    low: float | None = None
    high: float | None = None

    @property
    def known(self) -> list[str]:
        """All labels that can be given."""
        return [*self.labels, *([] if self.none is None else [self.none])]

    @property
    def choices(self) -> str:
        """What can be answered, for the cell of a table."""
        if self.low is not None:
            return f"a number from {self.low:g} to {self.high:g} | ?"
        return " | ".join(dict.fromkeys([*self.known, "?"]))

    def label(self, text: str) -> str | None:
        """Return the label that a cell means, its case and spaces aside; None where it is none of them."""
        if text in self.known:
            return text
        folded = normalise_label(text)
        return next((label for label in self.known if normalise_label(label) == folded), None)

    def without(self, is_left_out: Callable[[str], bool]) -> "Question":
        """Return it with fewer phrases: some would say of whom an answer is."""
        labels = {
            label: [phrase for phrase in phrases if not is_left_out(phrase)][:EXAMPLES]
            for label, phrases in self.labels.items()
        }
        return self._replace(labels=labels)

    def as_json(self) -> dict[str, Any]:
        """What the sheet needs of it."""
        said = self._asdict()
        if self.low is not None and self.high is not None:
            span = self.high - self.low
            said["steps"] = [self.low + span * i / (STEPS - 1) for i in range(STEPS)]
        return said


def questions(
    store: Store, suite: Suite, sets: Collection[tuple[str, str]]
) -> dict[tuple[str, str], Question]:
    """Return (category, outcome set) -> what people are asked, of those of `sets` that the suite has.

    Raises PlumblineError where the range of a score is not known yet.
    """
    found = {}
    for code, rule in suite.rules():
        if (code, rule.set) not in sets:
            continue
        category = suite.categories[code]
        title, about = category.title, category.description
        if rule.is_score:
            low, high = _range(store, suite, code, rule)
            found[code, rule.set] = Question(code, rule.set, title, about, {}, None, low, high)
        else:
            phrases = {label: [] if rule.regex else given for label, given in rule.labels.items()}
            found[code, rule.set] = Question(code, rule.set, title, about, phrases, none_of_these(rule))
    return found


def none_of_these(rule: Rule) -> str:
    """Return what the rule itself says of an answer that fits none of its labels."""
    return rule.unmatched or ("unclear" if rule.kind == "anchor" else "unmatched")


def _range(store: Store, suite: Suite, code: str, rule: Rule) -> tuple[float, float]:
    if rule.kind == "probability":  # of an answer itself it is 0 or 1
        return 0.0, 1.0
    if rule.feature in suite.ranges:
        return suite.ranges[rule.feature]
    if rule.reads_given:
        raise PlumblineError(
            f"Category {code}, set {rule.set}: the range of {rule.feature} is not known.",
            f"Write `ranges: {{{rule.feature}: [LOWEST, HIGHEST]}}` in the suite.",
        )
    asked = {"suite": suite.suite, "feature": rule.feature, "scorer": rule.scorer}
    found = store.connection.execute(MEASURED_IN, asked).fetchall()
    if not found:
        raise PlumblineError(
            f"Category {code}, set {rule.set}: the range of {rule.feature} is not known.",
            "Run `plumbline extract --suite FILE`, which measures it.",
        )
    return found[0]
