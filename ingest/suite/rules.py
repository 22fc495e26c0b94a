"""How a response becomes an outcome or a score: an outcome rule of a suite."""

import re
from typing import Literal

import duckdb
from pydantic import Field, model_validator

from ingest.suite.beginnings import check_beginnings
from ingest.suite.fields import Label, Language, Name, Phrase, RuleKind, Strict, composed, declarations
from ingest.suite.places import Place

APOSTROPHES = re.compile("[’‘ʼ]")  # as macros/reading/plain_apostrophes.sql has them
GIVEN = "given"  # the scorer of a number that came with an answer, of which nothing measures a text
ANSWERED_OR_NOT = "response_status"  # what became of each request, beside what the sets of a suite read


class Rule(Strict):
    """An outcome rule: how a response becomes an outcome, or by `score` and `probability` a score."""

    set: Name = Field(description="Name of the outcomes; a category has one active rule of each.")
    variant: Name = Field(default="default", description="Active where the suite chooses this variant.")
    kind: RuleKind = Field(
        description="How: by phrases in the text, by the nearest anchor phrase, by the data's own label, "
        "by a judge's votes, by a measured number or where it is cut, or by how likely it began so; "
        "seeds/outcome_rules.csv has all."
    )
    text: Literal["raw", "clean", "without_decision"] = Field(
        default="clean", description="Which text is read: as written, cleaned, or without its decision."
    )
    labels: dict[Label, list[Phrase]] = Field(
        default={}, description="The outcomes, in order, each with its phrases, anchor phrases or spellings."
    )
    translations: dict[Language, dict[Label, list[Phrase]]] = Field(
        default={}, description="Phrases of the labels in the suite's other languages, by language."
    )
    at: Place = Field(
        default="anywhere",
        description="Where a phrase counts: anywhere, as what the text begins with (`Yes, …`, "
        "`Decision: yes.`) or ends with (`Answer: yes`), or `either`; its sentence ends behind it, or "
        "goes on as in `Yes I would`.",
    )
    field: Label | None = Field(
        default=None,
        description="The field of answers in JSON whose value is the phrase: decision.",
    )
    regex: bool = Field(default=False, description="Whether phrases are regular expressions (RE2).")
    unmatched: Label | None = Field(default=None, description="The outcome where no label fits.")
    favourable: list[Label] = Field(default=[], description="The outcomes that count as selected.")
    min_similarity: float = Field(
        default=0.5, ge=-1, le=1, description="Below it an answer is near no anchor phrase."
    )
    min_margin: float = Field(
        default=0.02, ge=0, le=2, description="How much nearer the nearest label must be than the next."
    )
    languages: list[Language] = Field(
        default=[], description="The languages of its phrases; the suite's if unsaid. Others it cannot read."
    )
    scorer: Name | None = Field(
        default=None, description="What measures the text; `given`: the number came with the answer."
    )
    feature: Name | None = Field(default=None, description="The measured number that is the score.")

    min_mass: float = Field(
        default=0.5, ge=0, le=1, description="What the labels' tokens must add up to for a probability."
    )

    @model_validator(mode="after")
    def _parts_fit(self) -> "Rule":
        if self.set == ANSWERED_OR_NOT:
            raise ValueError(
                f"the set {self.set!r} is there already, of whether an answer came: name this one otherwise"
            )
        if self.kind in ("score", "cutoff") and not (self.scorer and self.feature):
            raise ValueError(
                f"a {self.kind} rule names its `scorer` and its `feature`; of a number that came with the "
                f"answers the scorer is `{GIVEN}`"
            )
        if self.kind == "score" and self.labels:
            raise ValueError("a score rule has no `labels`")
        if (self.at != "anywhere" or self.field) and (self.kind != "pattern" or self.regex):
            raise ValueError("`at` and `field` are for phrases of the kind `pattern`, without `regex`")
        if self.at != "anywhere" and self.field:
            raise ValueError("a field's value is all that is read: take `at` out")
        if self.kind == "cutoff" and (self.regex or self.translations):
            raise ValueError("a cutoff rule compares a number: take `regex` and `translations` out")
        if not self.looks_for_words and self.languages:
            who = {
                "given": "the data say what is meant",
                "probability": "no text is read",
            }.get(self.kind, "the scorer says what it reads")
            raise ValueError(f"`languages` are of phrases; here {who}: take them out")
        if self.kind != "score":
            if len(self.labels) < 2:
                raise ValueError(f"a {self.kind} rule needs at least two `labels`")
            empty = [label for label, phrases in self.labels.items() if not phrases]
            if empty and self.kind not in ("given", "judged"):
                raise ValueError(f"label {empty[0]!r} has no phrase")
            (row,) = (row for row in declarations("outcome_rules") if row["kind"] == self.kind)
            self._translations_fit()
            self._phrases_differ()
            for _, phrase in self.phrases():
                if row["phrase_form"] and not re.fullmatch(row["phrase_form"], phrase):
                    raise ValueError(
                        f"{phrase!r} is no phrase of a {self.kind} rule; write it as {row['phrase']!r}"
                    )
            for phrase in self._own_patterns():
                try:
                    # By itself, and as int_patterns_found seeks it: RE2 takes patterns up to a size.
                    for sought in (phrase, f"()({phrase})().*$"):
                        duckdb.execute("select regexp_matches('', ?, 'is')", [sought])
                except duckdb.Error as error:
                    raise ValueError(f"{phrase!r} is not a regular expression (RE2): {error}") from error
            unknown = [x for x in self.favourable if x not in self.labels and x != self.unmatched]
            if unknown:
                raise ValueError(f"`favourable` names {unknown[0]!r}, which is no label of this rule")
        if self.kind == "probability":
            self._probability_fits()
        if self.kind == "cutoff":
            self._cutoffs_are_met()
        return self

    def _cutoffs_are_met(self) -> None:
        """The first label whose limit is met counts: below a wider one a label would never be read."""
        before: list[str] = []
        for label, limits in self.labels.items():
            if all(any(_covers(wider, limit) for wider in before) for limit in limits):
                raise ValueError(
                    f"{label!r} is never read: what meets {limits[0]!r} meets the limit of a label above it; "
                    "put the narrower label first"
                )
            before += limits

    def _probability_fits(self) -> None:
        if not self.favourable or set(self.favourable) == set(self.labels):
            raise ValueError("`favourable` names the labels, but not all, whose probability is the score")
        if wrong := [name for name in ("scorer", "feature", "unmatched") if getattr(self, name) is not None]:
            raise ValueError(f"a probability rule has no `{wrong[0]}`")
        if self.regex or self.text != "clean":
            raise ValueError("a probability rule reads tokens: take `regex` and `text` out")
        check_beginnings(
            {label: [phrase for of, phrase in self.phrases() if of == label] for label in self.labels}
        )

    def _translations_fit(self) -> None:
        for language, labels in self.translations.items():
            if set(labels) != set(self.labels) or not all(labels.values()):
                raise ValueError(
                    f"`translations` into {language} give phrases of each label, and of no other"
                )

    def _phrases_differ(self) -> None:
        of: dict[str, str] = {}
        for label, phrase in self.phrases():
            # In a regular expression \d is not \D.
            as_read = phrase if self.regex else APOSTROPHES.sub("'", composed(phrase).casefold())
            if (first := of.setdefault(as_read, label)) != label:
                raise ValueError(f"{phrase!r} is a phrase of {first!r} and of {label!r}")

    def phrases(self) -> list[tuple[str, str]]:
        """Return (label, phrase) in all languages, each once: the suite's own first, label by label."""
        languages = [self.labels, *self.translations.values()]
        return list(
            dict.fromkeys(
                (label, phrase)
                for label in self.labels
                for labels in languages
                for phrase in labels[label] or [label]
            )
        )

    @property
    def looks_for_words(self) -> bool:
        """Whether it reads a text by its words, so that the text's language matters here."""
        return self.kind not in ("anchor", "score", "cutoff", "given", "judged", "probability")

    @property
    def is_score(self) -> bool:
        """Whether it gives a number, and no outcome."""
        return self.kind in ("score", "probability")

    def _own_patterns(self) -> list[str]:
        return [phrase for _, phrase in self.phrases()] if self.regex else []

    @property
    def reads_given(self) -> bool:
        """Whether it reads a number that came with the answer."""
        return self.kind in ("score", "cutoff") and self.scorer == GIVEN

    @property
    def measured_feature(self) -> str | None:
        """Name of the feature in `fct_measurements`; it says which text was scored if not the clean one."""
        if self.kind == "probability":
            return f"probability_{self.set}"
        return self.feature if self.text == "clean" else f"{self.feature}_{self.text}"


def _covers(wider: str, limit: str) -> bool:
    """Whether every number that meets a limit such as `>= 8` meets the other, such as `> 7`, too."""
    bound, other = float(limit.lstrip("<>= ")), float(wider.lstrip("<>= "))
    is_further = bound > other if limit[0] == ">" else bound < other
    is_as_far = bound == other and ("=" in wider or "=" not in limit)
    return wider[0] == limit[0] and (is_further or is_as_far)
