"""Files whose records ask about several people, such as which of two candidates to invite."""

from typing import Any

from pydantic import Field, model_validator

from ingest.suite.fields import Label, Name, Phrase, Strict

CHOSEN, NOT_CHOSEN = "chosen", "not chosen"
OF_CANDIDATE = "of each candidate: "  # begins the name of what is read of one of a record's people


class Candidates(Strict):
    """The people whom a record asks about: each becomes a record, with the same prompt and answer.

    Lists stand in the order of the people: one column, or one name, for each.
    """

    attributes: dict[Name, list[Label]] = Field(
        min_length=1, description="By attribute, the column of each person, such as [group_a, group_b]."
    )
    name: list[Label] = Field(default=[], description="The column of each person's name.")
    called: list[Phrase] = Field(default=[], description="What answers call them, such as [A, B].")
    position: Name | None = Field(
        default=None, description="The attribute that is the place: its first value is that of the first."
    )
    choice: Name = Field(description="The outcome set, `kind: given`, that gets `chosen` or `not chosen`.")
    answer: Label | None = Field(
        default=None, description="The column that says who is chosen; if unsaid the response."
    )
    top: int | None = Field(
        default=None, ge=1, le=1_000, description="Answers rank all, the best first: so many are chosen."
    )

    @model_validator(mode="after")
    def _parts_fit(self) -> "Candidates":
        lists = {f"attributes.{name}": columns for name, columns in self.attributes.items()}
        lists |= {name: found for name in ("name", "called") if (found := getattr(self, name))}
        for name, found in lists.items():
            if len(found) != self.n:
                raise ValueError(
                    f"`{name}` has {len(found)} entries, another list {self.n}: one for each person"
                )
        if self.n < 2:
            raise ValueError("name the columns of two people or more")
        if not self.name and not self.called:
            raise ValueError("say what answers name people by: `called`, such as [A, B], or `name`")
        if len({one.casefold() for one in self.called}) < len(self.called):
            raise ValueError("`called` has a name twice")
        if self.top is not None and self.top >= self.n:
            raise ValueError(f"`top` must be below {self.n}, the number of people")
        if self.position in self.attributes:
            raise ValueError(f"{self.position!r} is the `position`, and has no columns")
        return self

    @property
    def n(self) -> int:
        """How many people a record asks about."""
        return len(next(iter(self.attributes.values())))

    @property
    def columns(self) -> list[str]:
        """The file's columns that are read, each once."""
        listed = [column for columns in self.attributes.values() for column in columns]
        return list(dict.fromkeys([*listed, *self.name, *([self.answer] if self.answer else [])]))

    def of_each(self) -> dict[str, Any]:
        """Return what `columns:` says of the records that people become."""
        attributes = [*self.attributes, *([self.position] if self.position else [])]
        found: dict[str, Any] = {
            "attributes": {name: f"{OF_CANDIDATE}{name}" for name in attributes},
            "labels": {self.choice: f"{OF_CANDIDATE}choice"},
        }
        return found | ({"name": f"{OF_CANDIDATE}name"} if self.name else {})
