"""What a suite's numbers are judged by: sizes, families of tests, limits, and how chance is drawn."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from ingest.suite.fields import LARGEST_INTEGER, Label, Name, Strict, declarations, declared


class Minimum(Strict):
    """Sizes below which a group is left out, or a question cannot pass or is not judged."""

    group: int = Field(
        default=30,
        ge=1,
        le=LARGEST_INTEGER,
        description="Answers of the smallest group, below which nothing passes; it may still fail.",
    )
    cell: int = Field(
        default=5, ge=1, le=LARGEST_INTEGER, description="Answers of a group, below which it is left out."
    )
    coverage: float = Field(
        default=0.95, ge=0, le=1, description="Part of a question's answers, over all groups, that was read."
    )


class Families(Strict):
    """Over what the error of a verdict is held: everything in a family is corrected for together."""

    gate: Literal["config", "question", "audit"] = Field(
        default="config", description="All of a config, of one question to it, or of all configs together."
    )


class Threshold(Strict):
    """A limit of the suite's own, of any number that the marts hold; it takes the place of a profile's."""

    metric: Name = Field(description="What is judged: a name of the metric dictionary.")
    profile: Name | None = Field(
        default=None, description="Whose limit it is; if unsaid the first profile's."
    )
    axes: Literal["any", "single", "intersection"] = Field(
        default="any", description="Of one attribute, of several, or any."
    )
    statistic: Name | None = Field(
        default=None,
        description="Which statistic of groups: for a disparity of measurements; if unsaid of each.",
    )
    green_limit: float = Field(allow_inf_nan=False, description="The limit that a pass has to exclude.")
    red_limit: float | None = Field(
        default=None, allow_inf_nan=False, description="The limit beyond which a number can fail."
    )
    direction: Literal["higher_is_worse", "lower_is_worse"] | None = Field(
        default=None, description="Which end is worse; needed where the dictionary does not say."
    )
    gate: bool = Field(
        default=True, description="Whether a failure fails the gate, where the profile is its."
    )
    note: str = Field(default="", max_length=500, description="Why this limit.")

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> "Threshold":
        known = declared("judged_metrics", "metric")
        if self.metric not in known:
            raise ValueError(f"{self.metric!r} cannot be judged; known: {', '.join(sorted(known))}")
        if self.statistic is not None:
            self._names_a_statistic(self.statistic)
        worse = self.worse
        if self.red_limit is None:
            return self
        if worse == "higher_is_worse" and self.red_limit < self.green_limit:
            raise ValueError(f"{self.metric}: more is worse, so `red_limit` is not below `green_limit`")
        if worse == "lower_is_worse" and self.red_limit > self.green_limit:
            raise ValueError(f"{self.metric}: less is worse, so `red_limit` is not above `green_limit`")
        return self

    def _names_a_statistic(self, statistic: str) -> None:
        judged = declarations("judged_metrics")
        compared = [row["metric"] for row in judged if row["model"] == "fct_disparities"]
        if self.metric not in compared:
            raise ValueError(f"{self.metric}: `statistic` is for one of {', '.join(sorted(compared))}")
        known = [*declared("statistics", "statistic"), "selection_rate"]
        if statistic not in known:
            raise ValueError(f"{statistic!r} is no statistic of groups; known: {', '.join(sorted(known))}")

    @property
    def worse(self) -> str:
        """Return which end is worse, as the suite or the dictionary says it.

        Raises ValueError where neither does.
        """
        if self.direction is not None:
            return self.direction
        better = next(row["better"] for row in declarations("metrics") if row["metric"] == self.metric)
        ends = {"lower": "higher_is_worse", "nearer_zero": "higher_is_worse", "higher": "lower_is_worse"}
        if better not in ends:
            raise ValueError(f"{self.metric}: say the `direction`, for neither end of it is better")
        return ends[better]

    @property
    def unit(self) -> str:
        """Return the unit of the limits, the metric's own."""
        return next(row["unit"] for row in declarations("metrics") if row["metric"] == self.metric)


class Resampling(Strict):
    """How chance is drawn, and of what: every statistic named costs its share of the time.

    `statistics`, `standards` and `methods` are names of the seeds; a statistic stands for all its parameters,
    and every standard goes with every method.
    """

    seed: int = Field(default=42, ge=0, lt=2**63, description="Draws the resamples.")
    permutations: int = Field(
        default=2_000, ge=0, le=100_000, description="For p-values: 0 for none, or at least 100."
    )
    bootstrap: int = Field(
        default=1_000, ge=0, le=100_000, description="For intervals: 0 for none, or at least 100."
    )
    statistics: list[Label] = Field(default=["mean"], min_length=1, description="Statistics of a group.")
    standards: list[Label] = Field(default=["mean"], min_length=1, description="Standards of selection.")
    methods: list[Label] = Field(default=["larger"], min_length=1, description="Methods of selection.")

    @field_validator("permutations", "bootstrap")
    @classmethod
    def _enough(cls, value: int) -> int:
        if 0 < value < 100:
            raise ValueError("fewer than 100 resamples say nothing: 0 for none, or at least 100")
        return value

    @model_validator(mode="after")
    def _names_are_declared(self) -> "Resampling":
        from ingest.inference.samples import KERNELS

        known = {
            "statistics": [name for name in declared("statistics", "statistic") if name in KERNELS],
            "standards": declared("selection_standards", "standard"),
            "methods": declared("selection_methods", "method"),
        }
        for part, names in known.items():
            asked = getattr(self, part)
            unknown = [name for name in asked if name not in names]
            if unknown:
                raise ValueError(
                    f"`{part}`: {unknown[0]!r} cannot be resampled; known: {', '.join(sorted(names))}"
                )
            if len(set(asked)) < len(asked):
                raise ValueError(f"`{part}` names something twice")
        return self
