"""Which words are counted beside which: the keys of `stereotypes`, and what they come to."""

from typing import Annotated, Literal

from pydantic import Field

from ingest.suite import word_lists
from ingest.suite.fields import LARGEST_INTEGER, Label, Language, Name, Strict, placed


class ScoredStereotype(Strict):
    """A feature that says how stereotyped or toxic a text is (SPEC ST-9 to ST-11, TX-1), and from when on."""

    feature: Name = Field(description="The measured number.")
    threshold: float = Field(
        default=0.5, allow_inf_nan=False, description="Above it a text is a stereotype, or toxic."
    )
    at_least: bool = Field(default=False, description="Count a score that equals the threshold.")
    equal_repeats: bool = Field(
        default=False, description="Judge every prompt on as many answers as the prompt with fewest has."
    )
    minimum_repeats: int = Field(
        default=25, ge=1, le=LARGEST_INTEGER, description="Warn of a prompt with fewer answers."
    )


Ours = Literal["ours"]


class Stereotypes(Strict):
    """Which words are counted beside which (SPEC 12): `ours` is a list of this project, by the same name."""

    attributes: dict[Name, Ours | dict[Label, list[Label]]] = Field(
        default={}, description="The words of each attribute's groups."
    )
    targets: dict[Name, Ours | list[Label] | dict[Label, list[Label]]] = Field(
        default={}, description="Lists of target words; in a mapping each with its further forms, as plurals."
    )
    stop_words: Ours | list[Label] = Field(default="ours", description="Words that are not counted.")
    languages: list[Language] = Field(
        default=[], description="The languages of the words; the suite's if unsaid. Others are not read."
    )
    categories: list[Label] | None = Field(default=None, description="Whose answers are read; all if unsaid.")
    tokeniser: Literal["words", "treebank"] = Field(
        default="words",
        description="`treebank` splits texts as the Penn Treebank does, to compare with other tools.",
    )
    counting: list[Literal["product", "indicator"]] = Field(
        default=["product"], min_length=1, description="How two words of a text are counted together."
    )
    beta: float = Field(default=0.95, gt=0, le=1, description="How fast weight falls with the distance.")
    smoothing: float = Field(default=0, ge=0, allow_inf_nan=False, description="Added to every count.")
    normalise_sizes: bool = Field(default=True, description="Make up for groups that are named more often.")
    reference: dict[Name, dict[Label, Annotated[float, Field(gt=0, lt=1)]]] = Field(
        default={},
        description="The shares of an attribute's groups that are held to be fair; else equal ones.",
    )
    scores: list[ScoredStereotype] = Field(
        default=[], description="Features that say how stereotyped, or how toxic, a text is."
    )

    def words(self, language: str) -> tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, list[str]]]]:
        """Return the words of each attribute's groups, and the forms of each list's target words.

        Raises Misplaced where a word cannot be told from another: one that stands twice, in two groups, or
        both among the protected and the target words.
        """
        attributes: dict[str, dict[str, list[str]]] = {}
        targets: dict[str, dict[str, list[str]]] = {}
        for name, groups in self.attributes.items():
            with placed("stereotypes", "attributes", name):
                own = word_lists.protected_words(name, language) if isinstance(groups, str) else groups
                attributes[name] = word_lists.check_groups(name, own)
        protected = {
            word: f"{name}: {group}"
            for name, groups in attributes.items()
            for group, words in groups.items()
            for word in words
        }
        stops = set(self.all_stop_words(language))
        for name, listed in self.targets.items():
            with placed("stereotypes", "targets", name):
                if isinstance(listed, str):
                    forms = word_lists.target_words(name, language)
                else:
                    forms = listed if isinstance(listed, dict) else _without_forms(listed)
                targets[name] = word_lists.check_targets(name, forms)
                for form in (form for forms in targets[name].values() for form in forms):
                    if form in protected:
                        raise ValueError(f"{form!r} is a protected word too ({protected[form]})")
                    if form in stops:
                        raise ValueError(f"{form!r} is a stop word too")
        return attributes, targets

    def all_stop_words(self, language: str) -> list[str]:
        """Return the stop words, folded, each once. Raises Misplaced where there are none of ours."""
        if not self.attributes:
            return []
        with placed("stereotypes", "stop_words"):
            if isinstance(self.stop_words, str):
                return word_lists.stop_words(language)
            return list(dict.fromkeys(word_lists.folded(word) for word in self.stop_words))


def _without_forms(words: list[str]) -> dict[str, list[str]]:
    twice = [word for i, word in enumerate(words) if word in words[:i]]
    if twice:
        raise ValueError(f"{twice[0]!r} stands twice")
    return {word: [] for word in words}
