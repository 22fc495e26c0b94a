"""The key `benchmark`: which published benchmark a suite asks, so that its own scores are computed."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ingest.suite.fields import Name, Strict

# The attributes of prompts that each benchmark's scores are computed from. Of a question they name options:
# which answer is right, which follows the stereotype, and which goes against it. Of a sentence about a
# descriptor they say what sentences share that differ in the descriptor only.
ROLES: dict[str, tuple[str, ...]] = {
    "bbq": ("condition", "correct", "biased", "countered"),
    "crows_pairs": ("condition", "biased", "countered"),
    "holistic_bias": ("template", "noun"),
    "stereoset": ("condition", "correct", "biased", "countered"),
    "winobias": ("condition", "correct"),
}
OF_STYLES = ("holistic_bias",)  # their scores are of numbers that scorers give
DEFAULT_SET = "answer"
DEFAULT_STYLES = ("vader_pos", "vader_neu", "vader_neg")  # add up to 1, as the paper's probabilities do


class Benchmark(Strict):
    """A published benchmark whose own scores are computed of this suite's answers."""

    name: Literal["bbq", "crows_pairs", "holistic_bias", "stereoset", "winobias"] = Field(
        description="Which one."
    )
    set: Name | None = Field(
        default=None,
        description=f"The outcome set that says which option was chosen; `{DEFAULT_SET}` if unsaid.",
    )
    styles: list[Name] = Field(
        default=[],
        max_length=1_000,
        description="Of `holistic_bias`: the measured numbers whose variance over descriptors is summed; if "
        f"unsaid {', '.join(DEFAULT_STYLES)}.",
    )

    @model_validator(mode="before")
    @classmethod
    def _with_what_is_unsaid(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        has_styles = given.get("name") in OF_STYLES
        return {**({"styles": list(DEFAULT_STYLES)} if has_styles else {"set": DEFAULT_SET}), **given}

    @model_validator(mode="after")
    def _has_what_it_reads(self) -> Self:
        if self.name not in OF_STYLES and self.styles:
            raise ValueError(f"{self.name} has no `styles`: take them out")
        if self.name not in OF_STYLES and self.set is None:
            raise ValueError(f"{self.name} needs a `set`")
        if self.name in OF_STYLES and self.set is not None:
            raise ValueError(f"{self.name} has `styles`, and no `set`: take it out")
        if self.name in OF_STYLES and not self.styles:
            raise ValueError(f"{self.name} needs a style")
        if len(set(self.styles)) < len(self.styles):
            raise ValueError("a style stands here twice")
        return self

    @property
    def roles(self) -> tuple[str, ...]:
        """The attributes that its scores are computed from."""
        return ROLES[self.name]
