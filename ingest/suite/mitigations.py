"""What is done against a bias, compared with the same config without it; and which mix of people is asked."""

from pydantic import Field, field_validator

from ingest.suite.fields import Label, Name, Strict


class Mitigation(Strict):
    """A change of a config that is meant to reduce a bias, and the config without it."""

    name: Label = Field(description="What is changed, as reports say it.")
    control: Label = Field(description="The config without the change, by its name: model (role).")
    treated: Label = Field(description="The config with the change, by its name.")


class Mix(Strict):
    """Whom the prompts of a category are about: each root about one person, drawn by declared shares."""

    shares: dict[Name, dict[Label, float]] = Field(
        min_length=1,
        description="By attribute, how many of all roots are about each value, such as 60, 15, 15 and 10.",
    )
    seed: int = Field(default=42, ge=0, lt=2**63, description="Draws who it is.")

    @field_validator("shares")
    @classmethod
    def _can_be_drawn(cls, shares: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        for attribute, of in shares.items():
            if any(not 0 <= share <= 1e9 for share in of.values()) or not sum(of.values()) > 0:
                raise ValueError(f"{attribute}: shares are 0 or more, and one of them is more than 0")
        return shares
