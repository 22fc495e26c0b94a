"""What the `simulated` backend says, with the biases and the failures that are planted in it."""

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ingest.suite.fields import Label, Language, Name, Phrase, Strict


class Planted(Strict):
    """A planted bias: for this group, this answer is more (or less) likely by so many log-odds."""

    attribute: Name = Field(description="An attribute.")
    value: Label = Field(description="The value of it that is treated otherwise.")
    answer: Label = Field(description="The answer that is given more or less often.")
    log_odds: float = Field(ge=-10, le=10, description="By how much.")


class Failure(Strict):
    """A planted failure: so often, the response has this status instead of an answer."""

    status: Literal["refused", "empty", "timeout", "server_error", "truncated_output"] = Field(
        description="What happens instead of an answer."
    )
    rate: float = Field(ge=0, le=1, description="How often, from 0 to 1.")
    attribute: Name | None = Field(default=None, description="Only where this attribute …")
    value: Label | None = Field(default=None, description="… has this value.")


class Simulated(Strict):
    """What the `simulated` backend says."""

    answers: dict[Label, list[Phrase]] = Field(description="Each answer, with the texts that say it.")
    weights: dict[Label, float] = Field(description="How likely each answer is, beside the others.")
    translations: dict[Language, dict[Label, Annotated[list[Phrase], Field(min_length=1)]]] = Field(
        default={}, description="Texts of the answers in the suite's other languages."
    )
    planted: list[Planted] = Field(default=[], description="Biases to be found.")
    failures: list[Failure] = Field(default=[], description="Failures to be counted.")

    @model_validator(mode="after")
    def _answers_have_weights(self) -> "Simulated":
        if set(self.answers) != set(self.weights):
            raise ValueError("`answers` and `weights` must name the same answers")
        if any(not texts for texts in self.answers.values()):
            raise ValueError("every answer needs at least one text")
        if any(not 0 < weight < math.inf for weight in self.weights.values()):
            raise ValueError("every weight must be above 0")
        unknown = [p.answer for p in self.planted if p.answer not in self.answers]
        if unknown:
            raise ValueError(f"`planted` names {unknown[0]!r}, which is no answer")
        if len({(p.attribute, p.value, p.answer) for p in self.planted}) < len(self.planted):
            raise ValueError("`planted` has two entries for one answer of one group")
        return self
