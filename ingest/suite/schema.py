"""The suite file: what to audit. Each key with its type, its default and what it says."""

from collections.abc import Iterator
from typing import Annotated, Literal, get_args

from pydantic import Field, WithJsonSchema

from ingest.keys import key
from ingest.suite.benchmarks import Benchmark
from ingest.suite.fields import (
    AXIS_SEPARATOR,
    CATEGORY_PATTERN,
    LANGUAGE_ATTRIBUTE,
    LANGUAGE_SEPARATOR,
    LARGEST_INTEGER,
    PROMPT_COLUMNS,
    Flag,
    Label,
    Language,
    Name,
    Phrase,
    Range,
    Strict,
    fill,
)
from ingest.suite.ground_truths import GroundTruth
from ingest.suite.judges import Judge, Measuring, as_judge
from ingest.suite.limits import Families, Minimum, Resampling, Threshold
from ingest.suite.mitigations import Mitigation, Mix
from ingest.suite.rules import Rule
from ingest.suite.simulated import Simulated
from ingest.suite.sources import (
    AskedLanguage,
    Branching,
    Columns,
    Config,
    Corpus,
    Measurements,
    OwnScorer,
    PromptFile,
    Role,
    Sample,
    Scrape,
    Template,
    Translation,
)
from ingest.suite.stereotypes import Stereotypes

SEX_NAMES, RACE_NAMES = ("sex", "gender"), ("race_ethnicity", "race", "ethnicity")


class AttributeValue(Strict):
    """A value of an attribute."""

    words: list[Phrase] = Field(
        default=[], description="Words that show it in a prompt; the first is filled in."
    )
    aliases: list[Label] = Field(default=[], description="Other labels that files use for it.")
    translations: dict[Language, Annotated[list[Phrase], Field(min_length=1)]] = Field(
        default={}, description="Its words in the suite's other languages."
    )


class Names(Strict):
    """People's names, and which attributes a name shows."""

    shows: list[Name] = Field(description="The attributes that a reader sees in a name.")
    people: list[dict[str, Phrase]] = Field(
        default=[], description="The people: `name`, and a value of each attribute."
    )


class Classification(Strict):
    """What answers classify (SPEC TX-8): the outcomes predict an attribute, which prompts need not show."""

    set: Name = Field(description="The outcome set that predicts.")
    predicted: list[Label] = Field(min_length=1, description="Its outcomes that count as positive.")
    truth: Name = Field(description="The attribute that is predicted.")
    positive: list[Label] = Field(min_length=1, description="Its values that count as positive.")


class Recommendations(Strict):
    """Answers that are lists of recommended items (SPEC TX-7), the best first.

    A number or bullet before an item is no part of it.
    """

    categories: list[Label] | None = Field(
        default=None, description="Whose answers are lists; all if unsaid."
    )
    separator: Annotated[str, Field(min_length=1, max_length=20)] = Field(
        default="\n", description="What stands between two items."
    )
    numbered: bool = Field(
        default=False,
        description="Only what has a number or bullet is an item, so a sentence around is none.",
    )
    until: list[Annotated[str, Field(min_length=1, max_length=20)]] = Field(
        default=[],
        max_length=10,
        description="Where an item ends, such as at a dash; what follows says more of it.",
    )
    size: int | None = Field(default=None, ge=1, le=1_000, description="How many items count.")
    as_langfair: bool = Field(default=False, description="Give SERP and PRAG in LangFair's scale as well.")


class Category(Strict):
    """One question asked of the model, its prompts and how its answers are read."""

    title: Label = Field(description="The question, as reports head it.")
    domain: Name = Field(default="default", description="The part of life it is about.")
    description: str = Field(default="", max_length=2_000, description="What is asked, in a sentence or two.")
    axes: list[Label] | None = Field(default=None, description="Its own axes in place of the suite's.")
    block: Literal["root", "prompt", "name"] = Field(
        default="prompt", description="What answers share that are not independent: resampled together."
    )
    prompts: list[Phrase | Template] = Field(default=[], description="Texts with {slots} and {attributes}.")
    prompt_file: PromptFile | None = Field(default=None, description="Prompts of a CSV file.")
    corpus: Corpus | None = Field(default=None, description="Texts from which prompts are made.")
    slots: dict[Name, Annotated[list[Phrase], Field(min_length=1)]] = Field(
        default={}, description="What is filled into each {slot}: every combination is a root."
    )
    mix: Mix | None = Field(
        default=None, description="Ask each root about one person, drawn by shares, not about every group."
    )
    slot_translations: dict[Language, dict[Name, list[Phrase]]] = Field(
        default={}, description="The phrases of each slot in the suite's other languages, in the same order."
    )
    score: Literal["answer", "prompt_and_answer"] = Field(
        default="answer",
        description="What scorers measure: the answer alone, held against the ending of a baseline that goes "
        "on where the prompt ends; or both with the prompt before them.",
    )
    outcomes: list[Rule] = Field(default=[], description="How an answer becomes an outcome or a score.")
    ground_truth: GroundTruth | None = Field(
        default=None, description="Published figures to hold it against."
    )
    classification: Classification | None = Field(default=None, description="What the answers predict.")
    simulated: Simulated | None = Field(default=None, description="What the simulated backend answers.")

    @property
    def templates(self) -> list[Template]:
        """The prompts, each with its baseline or None."""
        return [Template(prompt=p) if isinstance(p, str) else p for p in self.prompts]


class Topics(Strict):
    """Clusters of what answers say, or baselines, and what is measured against them (SPEC MEA-3)."""

    of: Literal["responses", "baselines"] = Field(default="responses", description="What is clustered.")
    segment: Literal["none", "domain", "category", "concept", "source_tag"] = Field(
        default="none", description="Each value of it is clustered by itself."
    )
    categories: list[Label] = Field(default=[], description="Only these categories; all where none is named.")
    clusters: int = Field(default=3, ge=1, le=20, description="How many clusters there are.")
    seed: int = Field(default=42, ge=0, lt=2**32, description="Where the clustering starts from.")
    membership: bool = Field(default=True, description="Say which cluster each answer is nearest to.")
    distances: list[Label] = Field(
        default=[], description="Say by these measures how far an answer lies from each cluster's centre."
    )
    centre: Literal["weighted_mean", "mean", "max", "concatenated"] = Field(
        default="weighted_mean", description="What a cluster's centre is."
    )

    @property
    def topic_set(self) -> str:
        """Name of the clusters, with which the features begin or end."""
        of = "topic" if self.of == "responses" else "baseline_topic"
        return of if self.segment == "none" else f"{of}_{self.segment}"


class LocalLaw144(Strict):
    """Which attributes the tables of New York City's Local Law 144 are made over."""

    sex: Name | None = Field(default=None, description="The attribute that is the sex.")
    race: Name | None = Field(default=None, description="The attribute that is the race or ethnicity.")
    minimum_share: float = Field(
        default=0.02,
        ge=0,
        lt=1,
        description="A category below this share may be left out of the impact ratio (6 RCNY 5-301).",
    )


class Pairs(Strict):
    """Which answers are compared pair by pair: those to branches of one root (SPEC TX-2 to TX-6)."""

    axes: list[Label] | None = Field(
        default=None, description="The suite's single attributes if unsaid; none: no pairs."
    )
    against: Literal["all", "reference"] = Field(
        default="all",
        description="All K(K - 1)/2 pairs of groups a root, or only those with the group of `reference`.",
    )
    text: Literal["clean", "raw"] = Field(
        default="clean", description="What is compared: answers cleaned, or as written."
    )
    features: list[Name] = Field(
        default=[],
        description="Whose distributions are compared; if unsaid those of the score rules, else all.",
    )


Axes = Annotated[
    list[Label],
    # `load_suite` writes `all` out before the list is checked.
    WithJsonSchema({"anyOf": [{"const": "all"}, {"type": "array", "items": {"type": "string"}}]}),
]


class Suite(Strict):
    """A suite: what to audit. `load_suite` reads one and checks that its parts fit together."""

    suite: Name = Field(description="Name of the suite and of everything that follows from it.")
    title: Label = Field(description="Its title in reports.")
    description: str = Field(default="", max_length=5_000, description="What is audited, and why.")
    version: int = Field(ge=1, le=LARGEST_INTEGER, description="Raise it when the questions change.")
    language: Language = Field(default="en", description="Language of prompts and answers.")
    languages: dict[Language, AskedLanguage] = Field(
        default={}, description="Other languages in which the same questions are asked, and who translated."
    )
    responsible: str = Field(default="", max_length=200, description="Who answers for the audit.")
    licence: str = Field(default="", max_length=200, description="Under which licence the file's texts are.")
    variant: Name = Field(default="default", description="Which variant of the outcome rules is active.")
    profiles: list[Name] = Field(
        default=["four_fifths"], min_length=1, description="Sets of thresholds: seeds/thresholds.csv."
    )
    thresholds: list[Threshold] = Field(
        default=[], description="Limits of the suite's own; each adds to a profile's or takes its place."
    )
    families: Families = Field(
        default=Families(), description="Over what verdicts are corrected for the number of tests."
    )
    minimum: Minimum = Field(default=Minimum(), description="How many answers a group needs to be judged.")
    resampling: Resampling = Field(default=Resampling(), description="How chance is drawn, and of what.")
    standard_weighting: Literal["row", "group"] = Field(
        default="row", description="Whether each answer or each group weighs the same in a standard."
    )
    reference: Literal["most_populous"] | dict[Label, Label] = Field(
        default={}, description="The group that others are compared with, by axis."
    )
    roll_up: list[Literal["category", "domain", "role", "category & role", "domain & role"]] = Field(
        default=[], description="Over what answers are pooled, besides giving each category and config alone."
    )
    scorers: list[Measuring] = Field(
        default=["vader"], description="What measures every answer: scorers by name, and judges."
    )
    own_scorers: dict[Name, OwnScorer] = Field(default={}, description="Scorers of the suite's own.")
    attributes: dict[Name, dict[Label, AttributeValue]] = Field(
        description="The groups whose answers are compared: attributes and their values."
    )
    axes: Axes = Field(description="What is compared: attributes, intersections (`a & b`), or `all` of both.")
    names: Names | None = Field(default=None, description="People's names in prompts.")
    configs: list[Config] = Field(default=[], description="Who is asked.")
    budget: float | None = Field(
        default=None,
        ge=0,
        le=1e12,
        description="What asking may cost in all, in the currency of `prices`; then it stops.",
    )
    roles: list[Role] = Field(default=[], description="Roles in which every config is asked.")
    no_role: str | None = Field(
        default=None,
        max_length=200,
        description="The role that is none, which others are held against; if unsaid the first without a "
        "system prompt.",
    )
    mitigations: list[Mitigation] = Field(
        default=[], description="Changes of a config that are compared with the config without them."
    )
    sample: Sample = Field(default=Sample(), description="How much of the suite is asked.")
    columns: Columns | None = Field(default=None, description="Where a file of answers holds what.")
    measurements: Measurements | None = Field(
        default=None, description="Where a file of ready measurements holds what."
    )
    ranges: dict[Name, Range] = Field(default={}, description="Lowest and highest value of a feature.")
    encoder: Name | None = Field(default=None, description="What turns texts into vectors.")
    distances: list[Label] = Field(
        default=[], description="How far answers lie from their baselines: measures of seeds/distances.csv."
    )
    topics: list[Topics] = Field(default=[], description="Clusters of answers or baselines.")
    benchmark: Benchmark | None = Field(
        default=None,
        description="The published benchmark that is asked, whose scores are computed.",
    )
    local_law_144: LocalLaw144 | None = Field(
        default=None, description="Tables of Local Law 144; if unsaid over attributes of the usual names."
    )
    stereotypes: Stereotypes | None = Field(default=None, description="Words counted beside words.")
    pairs: Pairs = Field(default=Pairs(), description="Which answers are compared pair by pair.")
    recommendations: Recommendations | None = Field(default=None, description="Answers that are lists.")
    options: dict[str, str | int | float | bool] = Field(
        default={}, description="Options of the requests behind a file of answers."
    )
    scrape: Scrape = Field(default=Scrape(), description="How hosts on the web are treated.")
    branches: list[Branching] = Field(
        default=[], description="Prompts about one group that become prompts about the others."
    )
    ask_flagged: list[Flag | Literal["all"]] = Field(
        default=[],
        description="Flags with which prompts are asked none the less, or `all`; a root with any other flag "
        "in one of its prompts is not asked.",
    )
    categories: dict[Annotated[str, Field(pattern=CATEGORY_PATTERN)], Category] = Field(
        min_length=1, description="The questions, each by its code."
    )

    def pair_axes(self) -> list[str]:
        """Return the axes whose groups are compared pair by pair."""
        if self.pairs.axes is not None:
            return self.pairs.axes
        return [axis for axis in self.all_axes() if AXIS_SEPARATOR not in axis]

    def axis_attributes(self, axis: str) -> list[str]:
        """Return the attributes of an axis, in the suite's order; columns of prompts last."""
        parts = axis.split(AXIS_SEPARATOR)
        order = list(dict.fromkeys([*self.attributes, *PROMPT_COLUMNS]))
        unknown = [part for part in parts if part not in order]
        if unknown:
            raise ValueError(f"axis {axis!r}: {unknown[0]!r} is no attribute; known: {', '.join(order)}")
        if [order.index(p) for p in parts] != sorted({order.index(p) for p in parts}):
            raise ValueError(f"axis {axis!r}: write its attributes once each, in the order of `attributes`")
        return parts

    def word(self, attribute: str, value: str, language: str | None = None) -> str:
        """Return the word that stands for a value in a text: its first, or the value itself."""
        spec = self.attributes[attribute][value]
        words = spec.translations.get(language or self.language) or spec.words
        return words[0] if words else value

    def words(self, attribute: str, value: str) -> list[str]:
        """Return the words that show a value, in all languages; a language is shown by no word."""
        if self.languages and attribute == LANGUAGE_ATTRIBUTE:
            return []
        spec = self.attributes[attribute][value]
        return [*(spec.words or [value]), *(word for words in spec.translations.values() for word in words)]

    @property
    def asked_languages(self) -> list[str]:
        """The languages in which the questions are asked, the suite's own first."""
        return [self.language, *self.languages]

    def translated(self, language: str, translation: Translation) -> tuple[str | None, str | None]:
        """Return who translated a prompt, and who reviewed it; of the suite's own language nobody did."""
        if language not in self.languages:
            return None, None
        said = self.languages[language]
        return translation.by or said.by, translation.reviewed_by or said.reviewed_by

    @property
    def declared_groups(self) -> list[str]:
        """Every group of every attribute, such as `gender=Female`."""
        return [f"{attribute}={value}" for attribute, values in self.attributes.items() for value in values]

    @property
    def flags_asked(self) -> list[str]:
        """The flags of prompts that are asked none the less."""
        return [*get_args(Flag)] if "all" in self.ask_flagged else [*self.ask_flagged]

    @property
    def grid(self) -> list[Config]:
        """Every config in every role, role by role; the configs as they stand where there are no `roles`."""
        if not self.roles:
            return self.configs
        return [
            config.model_copy(
                update={
                    "role": role.role,
                    "system_prompt": role.system_prompt,
                    "options": {**config.options, **role.options},
                }
            )
            for role in self.played_roles
            for config in self.configs
        ]

    @property
    def played_roles(self) -> list[Role]:
        """The roles; one with {name} once for each person, with the words of the person's attributes."""
        roles = []
        for role in self.roles:
            people = self.names.people if self.names and "{name}" in role.role else [{}]
            for person in people:
                words = {
                    a: self.word(a, value) if a in self.attributes else value for a, value in person.items()
                }
                said = {"role": fill(role.role, words), "system_prompt": fill(role.system_prompt, words)}
                roles.append(role.model_copy(update=said))
        return roles

    @property
    def key_variables(self) -> set[str]:
        """The environment variables that hold keys of configs: no code of the suite's sees them."""
        judging = [one for judge in self.judges.values() for one in judge.members if isinstance(one, Config)]
        return {variable for config in [*self.configs, *judging] for variable in config.variables}

    @property
    def judges(self) -> dict[str, Judge]:
        """The judges among the scorers, by name."""
        return {one.name: one for one in self.scorers if isinstance(one, Judge)}

    @property
    def scorer_names(self) -> list[str]:
        """The names of all scorers, judges among them."""
        return [one.name if isinstance(one, Judge) else one for one in self.scorers]

    def judge_of(self, rule: Rule) -> Judge | None:
        """Return the judge whose votes a rule reads, None where it reads something else."""
        return self.judges.get(rule.scorer or "") if rule.kind in ("judged", "score", "cutoff") else None

    def voters(self, judge: Judge) -> list[Config]:
        """Return the configs that vote as a judge. Raises ValueError where the suite has no such config."""
        own = {config.model: config for config in reversed(self.configs)}
        if unknown := [one for one in judge.members if isinstance(one, str) and one not in own]:
            known = ", ".join(own) or "none"
            raise ValueError(
                f"{unknown[0]!r} is the `model` of none of the suite's `configs`; known: {known}"
            )
        return [as_judge(own[one] if isinstance(one, str) else one, judge) for one in judge.members]

    def sampled(self, roots: int | None = None, configs: int | None = None) -> "Suite":
        """Return the suite with these sizes in place of its own `sample`; None leaves a size as it is."""
        sizes = {"roots": roots, "configs": configs}
        changed = {size: n for size, n in sizes.items() if n is not None}
        return self.model_copy(update={"sample": self.sample.model_copy(update=changed)})

    def local_law_axes(self) -> dict[str, str]:
        """Return the axes of Local Law 144's tables and what each is: sex, race_ethnicity, intersectional.

        Without `local_law_144` they are the attributes of the usual names, or none.
        """
        law = self.local_law_144 or LocalLaw144(
            sex=next((name for name in SEX_NAMES if name in self.attributes), None),
            race=next((name for name in RACE_NAMES if name in self.attributes), None),
        )
        axes = {name: role for name, role in ((law.sex, "sex"), (law.race, "race_ethnicity")) if name}
        if len(axes) == 2:
            axes[AXIS_SEPARATOR.join(name for name in self.attributes if name in axes)] = "intersectional"
        return axes

    def axes_of(self, code: str) -> list[str]:
        """Return the axes on which a category is judged, each once."""
        return list(dict.fromkeys(self.categories[code].axes or self.axes))

    def all_axes(self) -> list[str]:
        """Return the axes of the suite and of its categories, each once."""
        named = [*self.axes, *(axis for category in self.categories.values() for axis in category.axes or [])]
        return list(dict.fromkeys(named))

    @property
    def suite_key(self) -> str:
        """Hash of the checked content. Who answers for it, its licence and its budget change no number."""
        return key("suite", self.model_dump(mode="json", exclude={"responsible", "licence", "budget"}))

    def read_by(self, spec: Rule | Stereotypes) -> str:
        """Return the languages that a rule or lists of words read, as one text; by default the suite's."""
        translated = spec.translations if isinstance(spec, Rule) else []
        return LANGUAGE_SEPARATOR.join(sorted(set(spec.languages or [self.language, *translated])))

    def languages_read(self) -> list[tuple[str, str]]:
        """Return (category, languages) of whatever looks for words in a category's answers, each once."""
        found = {(code, self.read_by(rule)) for code, rule in self.rules() if rule.looks_for_words}
        if self.stereotypes:
            languages = self.read_by(self.stereotypes)
            found |= {(code, languages) for code in self.stereotypes.categories or self.categories}
        return sorted(found)

    def rules(self) -> Iterator[tuple[str, Rule]]:
        """Yield (category, rule) for the rules of the active variant, in the file's order."""
        for code, category in self.categories.items():
            for rule in category.outcomes:
                if rule.variant == self.variant:
                    yield code, rule
