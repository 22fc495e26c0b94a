"""Which published figures an outcome set is held against: ours of Singapore, or a table beside the suite."""

import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ingest.suite.fields import Label, Name, Strict, normalise_label

# One name of the table, several whose figures are added up, or none: then it is left out of both sides.
Published = Label | Annotated[list[Label], Field(min_length=1)] | None
Kind = Literal["count", "share", "share_of_group"]
JOINED = " + "


class ReferenceTable(Strict):
    """A table of published figures beside the suite: which column holds what, and where it is from."""

    file: Label = Field(description="File beside the suite: CSV or Parquet, a row for each cell.")
    outcome: Label = Field(description="Column of what the outcomes are, such as the occupation.")
    group: Label = Field(description="Column of what the attribute is, such as the age.")
    count: Label | None = Field(default=None, description="Column of numbers, as of persons.")
    share: Label | None = Field(default=None, description="Column of shares of the whole, or per cents.")
    share_of_group: Label | None = Field(
        default=None,
        description="Column of shares of each group alone; says nothing of who is in an outcome.",
    )
    where: dict[Label, Label | int] = Field(
        default={}, description="Only rows that have this in a column, such as `year: 2024`."
    )
    outcomes: dict[Label, Published] = Field(
        default={},
        description="What the table calls a label of the set: a name, several to be added up, or null for "
        "none. A label that is not here has its own name.",
    )
    groups: dict[Label, Published] = Field(
        default={}, description="What the table calls a value of the attribute, in the same way."
    )
    source: Label = Field(description="Who published it, and what it is.")
    date: datetime.date = Field(description="Of which day the figures are.")
    url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/\S*)?$", max_length=1_000)] | None = Field(
        default=None, description="Where it was found."
    )
    licence: str = Field(default="", max_length=200, description="Under which licence it may be used.")

    @model_validator(mode="after")
    def _has_one_figure(self) -> "ReferenceTable":
        given = [kind for kind in ("count", "share", "share_of_group") if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(
                "name the column of figures as `count`, `share` or `share_of_group`, and one of them"
            )
        return self

    @property
    def kind(self) -> Kind:
        """What its figures are."""
        return "count" if self.count else "share" if self.share else "share_of_group"

    @property
    def figure(self) -> str:
        """The column of its figures."""
        return self.count or self.share or self.share_of_group or ""


class GroundTruth(Strict):
    """Which published figures an outcome set is held against."""

    set: Name = Field(description="The outcome set.")
    table: Literal["singstat"] | ReferenceTable = Field(
        description="The figures: `singstat`, or a table beside the suite."
    )
    dimension: Literal["occupation", "industry"] | None = Field(
        default=None, description="Of `singstat`: what the outcomes are."
    )
    attribute: Name = Field(description="The attribute that the figures are divided by.")

    @model_validator(mode="after")
    def _dimension_is_of_singstat(self) -> "GroundTruth":
        if (self.table == "singstat") != (self.dimension is not None):
            raise ValueError(
                "`table: singstat` needs its `dimension`, occupation or industry; another table has none"
            )
        return self


def crosswalk(names: list[str], said: dict[str, Published], *, may_share: bool) -> dict[str, list[str]]:
    """Return what a table calls each name: what is said of it, or the name itself.

    Names that the suite leaves out (null) are not among them. What the table calls them is compared as its
    cells are, by `normalise_label`, and has one spelling. Raises ValueError where two names share a part of
    it: a figure is never split. With `may_share` two may have all of it in common.
    """
    spelled: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name in names:
        published = said.get(name, name)
        if published is not None:
            parts = [published] if isinstance(published, str) else published
            found[name] = sorted({spelled.setdefault(normalise_label(part), part) for part in parts})
    of: dict[str, str] = {}
    for name, parts in found.items():
        for part in parts:
            other = of.setdefault(part, name)
            if other != name and not (may_share and found[other] == parts):
                raise ValueError(f"{name!r} and {other!r} both take {part!r}: a figure is not split")
    return found
