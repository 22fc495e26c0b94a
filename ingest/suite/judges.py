"""A judge of a suite: models that read each answer by a rubric, and vote."""

import math
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from ingest.suite.fields import Label, Language, Name, Phrase, Range, Strict
from ingest.suite.sources import Config

SIMULATED = "simulated"
MOST_CHARACTERS = 50_000
PREFERENCES = ("first", "second", "tie")  # what a judge of pairs can say
UNSENT = "none"  # what a config says of an option that its server refuses


class Reading(Strict):
    """What a simulated judge reads in a text that holds one of these phrases."""

    says: Label | float = Field(description="The label, or the number of a judge with a `range`.")
    phrases: list[Phrase] = Field(min_length=1, description="Phrases; capitals do not matter.")


class Misreading(Strict):
    """A planted error: so often, a simulated judge says something else than it read."""

    rate: float = Field(ge=0, le=1, description="How often, from 0 to 1.")
    says: Label | float | None = Field(
        default=None, description="Only where it read this; anything, if unsaid."
    )
    instead: Label | None = Field(default=None, description="The label that it gives.")
    shift: float | None = Field(default=None, description="What it adds to the number that it read.")
    attribute: Name | None = Field(default=None, description="Only where the text holds a word of …")
    value: Label | None = Field(default=None, description="… this value of the attribute.")

    @model_validator(mode="after")
    def _parts_fit(self) -> "Misreading":
        if (self.instead is None) == (self.shift is None):
            raise ValueError("name the label `instead`, or the `shift` of the number, one of them")
        if (self.attribute is None) != (self.value is None):
            raise ValueError("`attribute` and `value` belong together")
        return self


class SimulatedJudge(Strict):
    """How a judge of the `simulated` backend reads, and where it errs."""

    reads: list[Reading] = Field(min_length=1, description="What it reads; the first that fits.")
    misreads: list[Misreading] = Field(default=[], description="Errors to be found.")


def _form(value: Any) -> str:
    """Which form of a key a file has, so that a mistake is told of that form alone."""
    return "several" if isinstance(value, list) else "name" if isinstance(value, str) else "own"


Voter = Annotated[Annotated[Label, Tag("name")] | Annotated[Config, Tag("own")], Discriminator(_form)]
Voters = Annotated[
    Annotated[Label, Tag("name")]
    | Annotated[Config, Tag("own")]
    | Annotated[list[Voter], Tag("several"), Field(min_length=1)],
    Discriminator(_form),
]


class Judge(Strict):
    """Models that read each distinct answer by a rubric, and vote: for a label, or a number."""

    kind: Literal["judge"] = Field(description="`judge`.")
    name: Name = Field(description="Its name; the number of a judge with a `range` is `<name>_score`.")
    config: Voters = Field(
        description="Who judges: one of the suite's `configs` by its name, a config of its own, or several."
    )
    rubric: Annotated[str, Field(min_length=1, max_length=20_000)] = Field(
        description="What is judged, and by what."
    )
    reads: Literal["answers", "pairs"] = Field(
        default="answers",
        description="`answers`, one by one; or `pairs` of answers to two branches of a root, with the words "
        "of their groups taken out: which of two fits the rubric better, asked in both orders.",
    )
    labels: list[Label] = Field(
        default=[], max_length=50, description="What a vote can say. A rule of the kind `judged` reads it."
    )
    range: Range | None = Field(default=None, description="Lowest and highest number of a vote.")
    text: Literal["raw", "clean"] = Field(
        default="raw", description="What it reads: answers as written, or cleaned."
    )
    characters: int = Field(
        default=8_000, ge=100, le=MOST_CHARACTERS, description="How much of a long answer it reads."
    )
    categories: list[Label] | None = Field(default=None, description="Whose answers it reads; all if unsaid.")
    languages: list[Language] = Field(
        default=[], description="Languages that it reads (ISO 639-1); none: it reads any text."
    )
    checked: int = Field(
        default=200,
        ge=0,
        le=1_000_000,
        description="At most so many answers of a category are judged once more with their group's words "
        "exchanged or masked: the judge's own bias. 0: none.",
    )
    simulated: SimulatedJudge | None = Field(
        default=None, description="How a judge of the backend `simulated` reads."
    )

    @model_validator(mode="after")
    def _parts_fit(self) -> "Judge":
        if self.reads == "pairs":
            self._fits_pairs()
        elif bool(self.labels) == (self.range is not None):
            raise ValueError("a judge gives `labels`, or a number in a `range`: one of them")
        if self.labels and (len(self.labels) < 2 or len(set(self.labels)) < len(self.labels)):
            raise ValueError("`labels` are two at least, each once")
        if self.range is not None:
            low, high = self.range
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError("`range`: the first number must be below the second")
        for one in self.members:
            if isinstance(one, Config):
                _fits(one)
        if self.reads == "pairs":
            return self
        for reading in self.simulated.reads if self.simulated else []:
            if isinstance(reading.says, str) != bool(self.labels):
                raise ValueError("`reads` gives labels where the judge does, else numbers")
        for error in self.simulated.misreads if self.simulated else []:
            if (error.instead is not None) != bool(self.labels):
                raise ValueError("`misreads` gives labels `instead` where the judge does, else a `shift`")
        return self

    def _fits_pairs(self) -> None:
        taken = {"labels", "range", "checked", "text"} & self.model_fields_set
        if taken:
            raise ValueError(f"a judge of pairs says first, second or tie: take `{min(taken)}` out")
        for reading in self.simulated.reads if self.simulated else []:
            if isinstance(reading.says, str):
                raise ValueError("`reads` gives numbers where a judge compares: the higher is preferred")
        for error in self.simulated.misreads if self.simulated else []:
            if error.shift is None or error.attribute is not None or error.says is not None:
                raise ValueError(
                    "a judge of pairs errs by a `shift` of the text that stands first, nothing else"
                )

    @property
    def compares(self) -> bool:
        """Whether it reads pairs."""
        return self.reads == "pairs"

    @property
    def choices(self) -> list[str]:
        """What a vote can say; nothing where it is a number."""
        return list(PREFERENCES) if self.compares else self.labels

    @property
    def members(self) -> list[str | Config]:
        """Who votes, in the file's order."""
        return self.config if isinstance(self.config, list) else [self.config]

    @property
    def feature(self) -> str:
        """Name of its number in `fct_measurements`."""
        return f"{self.name}_score"


# A scorer by its name, or a judge.
Measuring = Annotated[Annotated[Name, Tag("name")] | Annotated[Judge, Tag("own")], Discriminator(_form)]


def as_judge(config: Config, judge: Judge) -> Config:
    """Return a config as it votes: at temperature 0, once, in no role of the suite's."""
    options = {
        name: value for name, value in config.options.items() if name != "temperature" or value in (0, UNSENT)
    }
    changed = {
        "role": f"judge {judge.name}",
        "system_prompt": "",
        "template": "{prompt}",
        "repeats": 1,
        "determinism_check": False,
        "batch": False,
        "options": options,
    }
    return config.model_copy(update=changed)


def _fits(config: Config) -> None:
    if config.options.get("temperature", 0) not in (0, UNSENT):
        raise ValueError("a judge votes at temperature 0: take `temperature` out of its `options`")
    if config.role or config.system_prompt or config.wrapper or config.template != "{prompt}":
        raise ValueError("a judge has a `rubric`, and no `role`, `system_prompt`, `template` or `wrapper`")
    if config.batch:
        raise ValueError("a judge's votes are asked one by one: take `batch` out")
    if config.repeats > 1:
        raise ValueError("a judge is asked once: take `repeats` out")
