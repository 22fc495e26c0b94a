"""The key `benchmark`: which published benchmark a suite asks, so that its own scores are computed."""

from typing import Literal

from pydantic import Field

from ingest.suite.fields import Name, Strict

# The attributes of prompts that each benchmark's scores are computed from. They name options of a prompt:
# which answer is right, which follows the stereotype, and which goes against it.
ROLES: dict[str, tuple[str, ...]] = {
    "bbq": ("condition", "correct", "biased", "countered"),
    "crows_pairs": ("condition", "biased", "countered"),
    "stereoset": ("condition", "correct", "biased", "countered"),
    "winobias": ("condition", "correct"),
}


class Benchmark(Strict):
    """A published benchmark whose own scores are computed of this suite's answers."""

    name: Literal["bbq", "crows_pairs", "stereoset", "winobias"] = Field(description="Which one.")
    set: Name = Field(default="answer", description="The outcome set that says which option was chosen.")

    @property
    def roles(self) -> tuple[str, ...]:
        """The attributes that its scores are computed from."""
        return ROLES[self.name]
