"""The suite file: what to audit. YAML in, checked models out, each mistake named with its line."""

import csv
import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import duckdb
import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.paths import PROJECT
from ingest.suite import word_lists as lexicons

MAX_BYTES = 2_000_000
MAX_DEPTH = 40

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Label = Annotated[str, Field(min_length=1, max_length=200)]
Phrase = Annotated[str, Field(min_length=1, max_length=2_000)]
AXIS_SEPARATOR = " & "
PROMPT_COLUMNS = ("source_tag", "keyword")  # of prompts made from texts; they group as attributes do
FIELD = re.compile(r"\{([^{}]*)\}")
SEX_NAMES, RACE_NAMES = ("sex", "gender"), ("race_ethnicity", "race", "ethnicity")


class Misplaced(ValueError):
    """A mistake that a check of the whole suite finds, and where in the file it stands."""

    def __init__(self, problem: str, *place: str | int) -> None:
        super().__init__(problem)
        self.place = place


class Strict(BaseModel):
    """A mapping in which a misspelt key is an error, not silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AttributeValue(Strict):
    """A value of an attribute: the words that show it in a prompt, and other labels files use for it."""

    words: list[Phrase] = []
    aliases: list[Label] = []


class Names(Strict):
    """People's names, and which attributes a name shows."""

    shows: list[Name]
    people: list[dict[str, Phrase]] = []


class Rule(Strict):
    """An outcome rule: how a response becomes an outcome (`pattern`, `anchor`) or a score (`score`).

    `labels` maps each label, in order, to its phrases (pattern) or anchor phrases (anchor).
    """

    set: Name
    variant: Name = "default"
    kind: Literal["pattern", "anchor", "score"]
    text: Literal["raw", "clean", "without_decision"] = "clean"
    labels: dict[Label, list[Phrase]] = {}
    regex: bool = False
    unmatched: Label | None = None
    favourable: list[Label] = []
    min_similarity: float = Field(0.5, ge=-1, le=1)
    min_margin: float = Field(0.02, ge=0, le=2)
    scorer: Name | None = None
    feature: Name | None = None

    @model_validator(mode="after")
    def _parts_fit(self) -> "Rule":
        if self.kind == "score":
            if not (self.scorer and self.feature):
                raise ValueError("a score rule names its `scorer` and its `feature`")
            if self.labels:
                raise ValueError("a score rule has no `labels`")
        else:
            if len(self.labels) < 2:
                raise ValueError(f"a {self.kind} rule needs at least two `labels`")
            empty = [label for label, phrases in self.labels.items() if not phrases]
            if empty:
                raise ValueError(f"label {empty[0]!r} has no phrase")
            for phrase in self._own_patterns():
                try:
                    duckdb.execute("select regexp_matches('', ?)", [phrase])
                except duckdb.Error as error:
                    raise ValueError(f"{phrase!r} is not a regular expression (RE2): {error}") from error
            unknown = [x for x in self.favourable if x not in self.labels and x != self.unmatched]
            if unknown:
                raise ValueError(f"`favourable` names {unknown[0]!r}, which is no label of this rule")
        return self

    def _own_patterns(self) -> list[str]:
        return [p for phrases in self.labels.values() for p in phrases] if self.regex else []

    @property
    def measured_feature(self) -> str:
        """Name of the feature in `fct_measurements`; it says which text was scored if not the clean one."""
        return self.feature if self.text == "clean" else f"{self.feature}_{self.text}"


class Planted(Strict):
    """A planted bias: for this group, this answer is more (or less) likely by so many log-odds."""

    attribute: Name
    value: Label
    answer: Label
    log_odds: float = Field(ge=-10, le=10)


class Failure(Strict):
    """A planted failure: so often, the response has this status instead of an answer."""

    status: Literal["refused", "empty", "timeout", "server_error", "truncated_output"]
    rate: float = Field(ge=0, le=1)
    attribute: Name | None = None
    value: Label | None = None


class Simulated(Strict):
    """What the `simulated` backend says: weighted answers, planted shifts, planted failures."""

    answers: dict[Label, list[Phrase]]
    weights: dict[Label, float]
    planted: list[Planted] = []
    failures: list[Failure] = []

    @model_validator(mode="after")
    def _answers_have_weights(self) -> "Simulated":
        if set(self.answers) != set(self.weights):
            raise ValueError("`answers` and `weights` must name the same answers")
        if any(not texts for texts in self.answers.values()):
            raise ValueError("every answer needs at least one text")
        if any(not weight > 0 for weight in self.weights.values()):
            raise ValueError("every weight must be above 0")
        unknown = [p.answer for p in self.planted if p.answer not in self.answers]
        if unknown:
            raise ValueError(f"`planted` names {unknown[0]!r}, which is no answer")
        return self


class GroundTruth(Strict):
    """Which official statistic an outcome set is held against."""

    set: Name
    table: Literal["singstat"]
    dimension: Literal["occupation", "industry"]
    attribute: Name


class Classification(Strict):
    """What answers classify (SPEC TX-8): `set` predicts the attribute `truth`, which prompts need not show.

    `predicted` are the labels of the set that count as positive, `positive` the attribute's values that do.
    """

    set: Name
    predicted: list[Label] = Field(min_length=1)
    truth: Name
    positive: list[Label] = Field(min_length=1)


class Recommendations(Strict):
    """Answers that are lists of recommended items (SPEC TX-7), the best first.

    Items stand between separators; a number or bullet before one is no part of it. With `numbered` only what
    has one is an item, so that a sentence around the list is none. `size` is how many items count.
    `as_langfair` gives SERP and PRAG in LangFair's scale as well.
    """

    categories: list[Label] | None = None
    separator: Annotated[str, Field(min_length=1, max_length=20)] = "\n"
    numbered: bool = False
    size: int | None = Field(None, ge=1, le=1_000)
    as_langfair: bool = False


class Source(Strict):
    """Texts about one concept: files of the suite's folder, pages, articles, or what a config writes.

    `keyword` ties a source to one keyword; `links` and `backlinks` are how many related pages of an article
    are read too (SPEC COR-6). `licence` and `attribution` are what the texts' owner wants said of them.
    """

    kind: Literal["local", "web", "wikipedia", "synthetic"]
    concept: Label
    source_tag: Name = "text"
    keyword: Phrase | None = None
    files: Label | None = None
    urls: list[Phrase] = []
    titles: list[Label] = []
    links: int = Field(5, ge=0, le=500)
    backlinks: int = Field(0, ge=0, le=500)
    api: Phrase | None = None
    config: Label | None = None
    instruction: Phrase | None = None
    licence: str = Field("", max_length=500)
    attribution: str = Field("", max_length=500)

    @model_validator(mode="after")
    def _parts_fit(self) -> "Source":
        needed = {"local": "files", "web": "urls", "wikipedia": "titles", "synthetic": "config"}[self.kind]
        if not getattr(self, needed):
            raise ValueError(f"a {self.kind} source needs `{needed}`")
        if self.kind == "synthetic" and not self.instruction:
            raise ValueError("a synthetic source needs an `instruction`: what the config shall write")
        return self


class Finder(Strict):
    """How more keywords of a concept are found: by vectors, by an article's links, by a config's answer."""

    by: Literal["embeddings", "links", "model"]
    limit: int = Field(7, ge=1, le=200)
    config: Label | None = None
    runs: int = Field(20, ge=1, le=200)

    @model_validator(mode="after")
    def _parts_fit(self) -> "Finder":
        if self.by == "model" and not self.config:
            raise ValueError("keywords by a model need the `config` that is asked")
        return self


class Questions(Strict):
    """Which config writes a question that a sentence answers, and whether another look checks it."""

    config: Label
    check: bool = False
    retries: int = Field(2, ge=0, le=10)


class Corpus(Strict):
    """Texts from which a category's prompts are made: one concept is one value of `attribute`.

    A concept's name is always a keyword. `split` cuts a sentence after its main verb; `question` has a
    config write a question that the sentence answers. At most `cap` prompts a concept, drawn by `seed`.
    """

    attribute: Name
    sources: list[Source] = Field(min_length=1)
    keywords: dict[Label, list[Phrase]] = {}
    find_keywords: Finder | None = None
    min_words: int = Field(6, ge=1, le=200)
    method: Literal["split", "question"] = "split"
    questions: Questions | None = None
    cap: int = Field(500, ge=1)
    seed: int = Field(42, ge=0)

    @model_validator(mode="after")
    def _parts_fit(self) -> "Corpus":
        if self.method == "question" and not self.questions:
            raise ValueError("`method: question` needs `questions:` with the `config` that writes them")
        return self


class Scrape(Strict):
    """Manners on the web: whom an operator can reach, which hosts may be read, seconds between requests."""

    contact: str | None = Field(None, max_length=200)
    allow: list[Label] = []
    spacing: float = Field(1.0, ge=0, le=60)


class PromptFile(Strict):
    """Own prompts: a CSV file in the suite's folder, and which column holds what."""

    file: Label
    prompt: Label = "prompt"
    baseline: Label | None = None
    root: Label | None = None
    keyword: Label | None = None
    source_tag: Label | None = None
    attributes: dict[Name, Label] = Field(min_length=1)


class Template(Strict):
    """A prompt, and the baseline text that answers to it are held against (SPEC ASM-1, CAL-1).

    Both have the same slots and the same group filled in: a baseline that names the group as the prompt
    does is a counterfactual one.
    """

    prompt: Phrase
    baseline: Phrase | None = None

    @field_validator("baseline")
    @classmethod
    def _fields_are_the_prompts(cls, baseline: str | None, info: ValidationInfo) -> str | None:
        known = set(FIELD.findall(info.data.get("prompt", "")))
        for field in FIELD.findall(baseline or "") if "prompt" in info.data else []:
            if field not in known:
                raise ValueError(f"{{{field}}} stands in the baseline and not in its prompt")
        return baseline


class Category(Strict):
    """One question asked of the model, its prompts and how its answers are read."""

    title: Label
    domain: Name = "default"
    description: str = Field("", max_length=2_000)
    axes: list[Label] | None = None
    block: Literal["root", "prompt", "name"] = "prompt"
    prompts: list[Phrase | Template] = []
    prompt_file: PromptFile | None = None
    corpus: Corpus | None = None
    slots: dict[Name, Annotated[list[Phrase], Field(min_length=1)]] = {}
    outcomes: list[Rule] = []
    ground_truth: GroundTruth | None = None
    classification: Classification | None = None
    simulated: Simulated | None = None

    @property
    def templates(self) -> list[Template]:
        """The prompts, each with its baseline or None."""
        return [Template(prompt=p) if isinstance(p, str) else p for p in self.prompts]


class Extract(Strict):
    """A field taken from a column of a file, whole or by a pattern's first group."""

    column: Label
    pattern: Phrase | None = None
    replace: dict[Phrase, str] = {}

    @field_validator("pattern")
    @classmethod
    def _one_group(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            try:
                groups = re.compile(pattern).groups
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from error
            if groups != 1:
                raise ValueError("the pattern must have exactly one group in parentheses")
        return pattern


Column = Label | Extract


class Columns(Strict):
    """Where a response file holds what. Prompts of one `root` are branches of it, and differ in groups."""

    response: Column
    prompt: Column
    model: Column
    category: Column
    repeat: Column | None = None
    source_id: Column | None = None
    root: Column | None = None
    name: Column | None = None
    status: Column | None = None
    role: Column | None = None
    attributes: dict[Name, Column]


class Measurements(Strict):
    """Where a file of ready measurements holds what: one row a response, one column a feature.

    There is no text to look into, so `shows` says which attributes the prompts showed. `baselines` names the
    column of the same feature measured on the prompt's baseline text, and `baseline_kind` says whether that
    text was about the prompt's own group (`counterfactual`) or the root's for all (`unbranched`). Without
    `repeat` a prompt is answered once under a config; without `category` the suite has one.
    """

    root: Label
    attributes: dict[Name, Label] = Field(min_length=1)
    shows: list[Name] = []
    model: Label
    role: Label | None = None
    category: Label | None = None
    repeat: Label | None = None
    features: dict[Name, Label] = Field(min_length=1)
    baselines: dict[Name, Label] = {}
    baseline_kind: Literal["counterfactual", "unbranched"] | None = None

    @model_validator(mode="after")
    def _parts_fit(self) -> "Measurements":
        unknown = set(self.baselines) - set(self.features)
        if unknown:
            raise ValueError(f"`baselines` names {min(unknown)!r}, which is no feature")
        if self.baseline_kind and not self.baselines:
            raise ValueError("`baseline_kind` is said of `baselines`, and there are none")
        unknown = set(self.shows) - set(self.attributes)
        if unknown:
            raise ValueError(f"`shows` names {min(unknown)!r}, which has no column in `attributes`")
        return self

    def columns(self) -> list[str]:
        """Return the names of all columns that are read, each once."""
        single = [self.root, self.model, self.role, self.category, self.repeat]
        several = [*self.attributes.values(), *self.features.values(), *self.baselines.values()]
        return list(dict.fromkeys([*(column for column in single if column is not None), *several]))


class Branching(Strict):
    """How prompts about one group become prompts about the others (SPEC BRA-1).

    `replacements` are tables (CSV: target, from, to) in the suite's folder, or one of ours by its name.
    """

    category: Label
    attribute: Name
    root: Label
    replacements: list[Label] = Field(min_length=1)
    direction: Literal["one_way", "both"] = "one_way"
    pairs: Literal["listed", "all"] = "listed"
    source_tag: Label | None = None
    counterfactual_baseline: bool = True


class OwnScorer(Strict):
    """A scorer of the suite's own, with one feature, `<name>_score`: a Python function or a file of numbers.

    `function` takes a list of texts and returns a number or None for each; it lies beside the suite or is
    installed, and runs with --allow-code only. `file` (CSV, Parquet, JSON Lines) lies beside the suite and
    has a column of texts and one of numbers. `range` is the lowest and highest value: others are failures.
    """

    function: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None
    file: Label | None = None
    text: Label = "text"
    value: Label = "value"
    range: tuple[float, float]

    @model_validator(mode="after")
    def _parts_fit(self) -> "OwnScorer":
        if (self.function is None) == (self.file is None):
            raise ValueError("an own scorer names its `function` or its `file`, one of them")
        low, high = self.range
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError("`range`: the first number must be below the second")
        return self


class Topics(Strict):
    """Clusters of what answers say, or baselines, and what is measured against them (SPEC MEA-3).

    Each `segment` of `categories` (all, where none is named) is clustered by itself. `membership` says which
    cluster each answer is nearest to, `distances` how far it lies from each cluster's `centre`.
    """

    of: Literal["responses", "baselines"] = "responses"
    segment: Literal["none", "domain", "category", "concept", "source_tag"] = "none"
    categories: list[Label] = []
    clusters: int = Field(3, ge=1, le=20)
    seed: int = Field(42, ge=0)
    membership: bool = True
    distances: list[Label] = []
    centre: Literal["weighted_mean", "mean", "max", "concatenated"] = "weighted_mean"

    @property
    def topic_set(self) -> str:
        """Name of the clusters, with which the features begin or end."""
        of = "topic" if self.of == "responses" else "baseline_topic"
        return of if self.segment == "none" else f"{of}_{self.segment}"


class Minimum(Strict):
    """Sizes below which a group is not judged."""

    group: int = Field(30, ge=1)
    cell: int = Field(5, ge=1)
    coverage: float = Field(0.95, ge=0, le=1)


def _declared(seed: str, column: str) -> list[str]:
    """Return the distinct names that one of the project's seeds declares, in its order."""
    path = PROJECT / "seeds" / f"{seed}.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        return list(dict.fromkeys(row[column] for row in csv.DictReader(handle)))


class Resampling(Strict):
    """How chance is drawn, and of what: every statistic named costs its share of the time.

    0 resamples: not at all, so that no number has an interval or a p-value.

    `statistics`, `standards` and `methods` are names of the seeds; a statistic stands for all its parameters,
    and every standard goes with every method.
    """

    seed: int = Field(42, ge=0)
    permutations: int = Field(2_000, ge=0, le=100_000)
    bootstrap: int = Field(1_000, ge=0, le=100_000)
    statistics: list[Label] = Field(["mean"], min_length=1)
    standards: list[Label] = Field(["mean"], min_length=1)
    methods: list[Label] = Field(["larger"], min_length=1)

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
            "statistics": [name for name in _declared("statistics", "statistic") if name in KERNELS],
            "standards": _declared("selection_standards", "standard"),
            "methods": _declared("selection_methods", "method"),
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


class LocalLaw144(Strict):
    """Which attributes the tables of New York City's Local Law 144 are made over.

    A category below `minimum_share` of the answers may be left out of the impact ratio (6 RCNY 5-301).
    """

    sex: Name | None = None
    race: Name | None = None
    minimum_share: float = Field(0.02, ge=0, lt=1)


class Pairs(Strict):
    """Which answers are compared pair by pair: those to branches of one root (SPEC TX-2 to TX-6).

    `axes` are the single attributes among the suite's axes, unless named; none: no pairs.
    `against: reference` compares only with the group that `reference:` names, K - 1 pairs a root where all
    are K(K - 1)/2. `text` is what is compared: the answer as it was written, or cleaned. `features` are the
    measured numbers whose distributions are compared; without them those of the score rules, or all where
    there is no such rule.
    """

    axes: list[Label] | None = None
    against: Literal["all", "reference"] = "all"
    text: Literal["clean", "raw"] = "clean"
    features: list[Name] = []


class Prices(Strict):
    """What a million tokens cost, in whatever currency."""

    prompt: float = Field(ge=0)
    output: float = Field(ge=0)


class Config(Strict):
    """A model as it is asked: backend, role, options.

    What stands below `repeats` says where and how fast it is asked; only `base_url` of a server that has
    no digests changes what an answer is. A key is named by its environment variable, never written here.
    """

    backend: Name
    model: Label
    role: str = Field("", max_length=200)
    system_prompt: str = Field("", max_length=20_000)
    template: str = Field("{prompt}", max_length=20_000)
    options: dict[str, str | int | float | bool | list[str]] = {}
    wrapper: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None
    determinism_check: bool = False
    repeats: int = Field(1, ge=1, le=1_000)
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)] | None = (
        None
    )
    key_variable: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")] | None = None
    timeout_seconds: float = Field(300, gt=0, le=86_400)
    requests_per_minute: float | None = Field(None, gt=0)
    concurrency: int = Field(1, ge=1, le=256)
    prices: Prices | None = None

    @field_validator("template")
    @classmethod
    def _holds_the_prompt(cls, template: str) -> str:
        if template.count("{prompt}") != 1:
            raise ValueError("the template must hold {prompt} exactly once")
        return template


class Role(Strict):
    """A role in which every config is asked. Its options go before those of the config."""

    role: Label
    system_prompt: str = Field("", max_length=20_000)
    options: dict[str, str | int | float | bool] = {}


class Sample(Strict):
    """How much of a suite is asked (SPEC COR-8): at most so many roots of each category, drawn by the seed,
    and the first so many configs. A larger sample holds every smaller one.
    """

    roots: int | None = Field(None, ge=1)
    configs: int | None = Field(None, ge=1)
    seed: int = Field(42, ge=0)


class ScoredStereotype(Strict):
    """A feature that says how stereotyped a text is (SPEC ST-9 to ST-11), and from when on it is.

    `at_least` counts a score that equals the threshold. With `equal_repeats` every prompt is judged on as
    many answers as the prompt with fewest has. Below `minimum_repeats` answers a prompt there is a warning.
    """

    feature: Name
    threshold: float = Field(0.5, allow_inf_nan=False)
    at_least: bool = False
    equal_repeats: bool = False
    minimum_repeats: int = Field(25, ge=1)


class Stereotypes(Strict):
    """Which words are counted beside which (SPEC 12): `ours` is a list of this project, by the same name.

    `attributes` maps each attribute to the words of its groups, `targets` each list of target words to its
    words, with further forms (plurals) where it is a mapping. `reference` gives the shares of an attribute's
    groups that are held to be fair; equal ones by default. `tokeniser: treebank` splits texts where that of
    the Penn Treebank does (macro `tokens`), for figures that are to equal another tool's.
    """

    attributes: dict[Name, Literal["ours"] | dict[Label, list[Label]]] = {}
    targets: dict[Name, Literal["ours"] | list[Label] | dict[Label, list[Label]]] = {}
    stop_words: Literal["ours"] | list[Label] = "ours"
    categories: list[Label] | None = None
    tokeniser: Literal["words", "treebank"] = "words"
    counting: list[Literal["product", "indicator"]] = Field(["product"], min_length=1)
    beta: float = Field(0.95, gt=0, le=1)
    smoothing: float = Field(0, ge=0, allow_inf_nan=False)
    normalise_sizes: bool = True
    reference: dict[Name, dict[Label, Annotated[float, Field(gt=0, lt=1)]]] = {}
    scores: list[ScoredStereotype] = []

    def words(self, language: str) -> tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, list[str]]]]:
        """Return the words of each attribute's groups, and the forms of each list's target words.

        Raises Misplaced where a word cannot be told from another: one that stands twice, in two groups, or
        both among the protected and the target words.
        """
        attributes: dict[str, dict[str, list[str]]] = {}
        targets: dict[str, dict[str, list[str]]] = {}
        for name, groups in self.attributes.items():
            with _placed("stereotypes", "attributes", name):
                own = lexicons.protected_words(name, language) if isinstance(groups, str) else groups
                attributes[name] = lexicons.check_groups(name, own)
        protected = {
            word: f"{name}: {group}"
            for name, groups in attributes.items()
            for group, words in groups.items()
            for word in words
        }
        stops = set(self.all_stop_words(language))
        for name, listed in self.targets.items():
            with _placed("stereotypes", "targets", name):
                if isinstance(listed, str):
                    forms = lexicons.target_words(name, language)
                else:
                    forms = listed if isinstance(listed, dict) else _without_forms(listed)
                targets[name] = lexicons.check_targets(name, forms)
                for form in (form for forms in targets[name].values() for form in forms):
                    if form in protected:
                        raise ValueError(f"{form!r} is a protected word too ({protected[form]})")
                    if form in stops:
                        raise ValueError(f"{form!r} is a stop word too")
        return attributes, targets

    def all_stop_words(self, language: str) -> list[str]:
        """Return the stop words, folded. Raises Misplaced where there are none of ours in the language."""
        if not self.attributes:
            return []
        with _placed("stereotypes", "stop_words"):
            if isinstance(self.stop_words, str):
                return lexicons.stop_words(language)
            return [lexicons.folded(word) for word in dict.fromkeys(self.stop_words)]


def _without_forms(words: list[str]) -> dict[str, list[str]]:
    twice = [word for i, word in enumerate(words) if word in words[:i]]
    if twice:
        raise ValueError(f"{twice[0]!r} stands twice")
    return {word: [] for word in words}


@contextmanager
def _placed(*place: str | int) -> Iterator[None]:
    """Say of a mistake found inside where in the file it stands."""
    try:
        yield
    except ValueError as error:
        raise Misplaced(str(error), *place) from error


class Suite(Strict):
    """A whole suite file, checked."""

    suite: Name
    title: Label
    description: str = Field("", max_length=5_000)
    version: int = Field(ge=1)
    language: str = Field("en", pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")
    responsible: str = Field("", max_length=200)
    licence: str = Field("", max_length=200)
    variant: Name = "default"
    profiles: list[Name] = Field(["four_fifths"], min_length=1)
    minimum: Minimum = Minimum()
    resampling: Resampling = Resampling()
    standard_weighting: Literal["row", "group"] = "row"
    reference: Literal["most_populous"] | dict[Label, Label] = {}
    roll_up: list[Literal["category", "domain", "role", "category & role", "domain & role"]] = []
    scorers: list[Name] = ["vader"]
    own_scorers: dict[Name, OwnScorer] = {}
    attributes: dict[Name, dict[Label, AttributeValue]]
    axes: list[Label]
    names: Names | None = None
    configs: list[Config] = []
    roles: list[Role] = []
    sample: Sample = Sample()
    columns: Columns | None = None
    measurements: Measurements | None = None
    ranges: dict[Name, tuple[float, float]] = {}
    encoder: Name | None = None
    distances: list[Label] = []
    topics: list[Topics] = []
    local_law_144: LocalLaw144 | None = None
    stereotypes: Stereotypes | None = None
    pairs: Pairs = Pairs()
    recommendations: Recommendations | None = None
    options: dict[str, str | int | float | bool] = {}
    scrape: Scrape = Scrape()
    branches: list[Branching] = []
    categories: dict[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,62}$")], Category] = Field(
        min_length=1
    )

    @model_validator(mode="after")
    def _references_resolve(self) -> "Suite":
        for attribute, values in self.attributes.items():
            if len(values) < 2:
                raise ValueError(f"attribute {attribute!r} needs at least two values")
            seen: dict[str, str] = {}
            for value, spec in values.items():
                if AXIS_SEPARATOR in value:
                    raise ValueError(f"value {value!r} holds {AXIS_SEPARATOR!r}, which joins groups")
                for label in (value, *spec.aliases):
                    if seen.setdefault(normalise_label(label), value) != value:
                        raise ValueError(f"{label!r} stands for two values of {attribute!r}")
        for axis in self.all_axes():
            self.axis_attributes(axis)
        for attribute in self.names.shows if self.names else []:
            if attribute not in self.attributes:
                raise ValueError(f"`names: shows:` names {attribute!r}, which is no attribute")
        for person in self.names.people if self.names else []:
            self._check_person(person)
        for code, category in self.categories.items():
            self._check_category(code, category)
        if self.columns:
            unknown = set(self.columns.attributes) - set(self.attributes)
            if unknown:
                raise ValueError(f"`columns: attributes:` names {min(unknown)!r}, which is no attribute")
        if self.measurements:
            self._check_measurements(self.measurements)
        for branching in self.branches:
            self._check_branching(branching)
        self._check_roles()
        self._check_own_scorers()
        self._check_distances()
        if self.local_law_144:
            self._check_local_law(self.local_law_144)
        if self.stereotypes:
            self._check_stereotypes(self.stereotypes)
        if isinstance(self.reference, dict):
            for axis, group in self.reference.items():
                self._check_reference(axis, group)
        self._check_pairs(self.pairs)
        for i, code in enumerate((self.recommendations and self.recommendations.categories) or []):
            if code not in self.categories:
                raise Misplaced(f"there is no category {code!r}", "recommendations", "categories", i)
        for feature, (low, high) in self.ranges.items():
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError(f"`ranges`: {feature}: the first number must be below the second")
        return self

    def _check_own_scorers(self) -> None:
        from ingest.plugins import offers

        known = offers("scorer") if self.own_scorers else {}
        for name in self.own_scorers:
            if name in known:
                raise Misplaced(f"{name!r} is a scorer already: give yours another name", "own_scorers", name)

    def _check_distances(self) -> None:
        known = _declared("distances", "distance")
        lists: list[tuple[list[str], tuple[str | int, ...]]] = [(self.distances, ("distances",))]
        lists += [(topics.distances, ("topics", i, "distances")) for i, topics in enumerate(self.topics)]
        for distances, place in lists:
            for i, distance in enumerate(distances):
                if distance not in known:
                    problem = f"there is no distance {distance!r}; known: {', '.join(known)}"
                    raise Misplaced(problem, *place, i)
                if distance in distances[:i]:
                    raise Misplaced(f"the distance {distance!r} stands here twice", *place, i)
        for i, topics in enumerate(self.topics):
            if topics.topic_set in [other.topic_set for other in self.topics[:i]]:
                raise Misplaced(
                    f"the {topics.of} of segment {topics.segment!r} are clustered here twice", "topics", i
                )
            unknown = [category for category in topics.categories if category not in self.categories]
            if unknown:
                raise Misplaced(f"there is no category {unknown[0]!r}", "topics", i, "categories")
            if not (topics.membership or topics.distances):
                raise Misplaced("without `membership` or `distances` nothing is measured", "topics", i)

    def _check_roles(self) -> None:
        if self.roles and not self.configs:
            raise Misplaced("`roles` are played by `configs`, and the suite has none", "roles")
        for i, role in enumerate(self.roles):
            if role.role in [other.role for other in self.roles[:i]]:
                raise Misplaced(f"the role {role.role!r} stands here twice", "roles", i)
        for i, config in enumerate(self.configs if self.roles else []):
            if config.role or config.system_prompt:
                raise Misplaced(
                    "the suite has `roles`, in which every config is asked; put this one there", "configs", i
                )

    def _check_measurements(self, measurements: Measurements) -> None:
        if self.columns:
            raise ValueError(
                "a suite has `columns` (files of texts) or `measurements` (of numbers), not both"
            )
        unknown = set(measurements.attributes) - set(self.attributes)
        if unknown:
            raise ValueError(f"`measurements: attributes:` names {min(unknown)!r}, which is no attribute")
        if measurements.category is None and len(self.categories) > 1:
            raise ValueError("`measurements` needs a `category` column: the suite has several categories")

    def _check_local_law(self, law: LocalLaw144) -> None:
        named = [attribute for attribute in (law.sex, law.race) if attribute is not None]
        if not named:
            raise ValueError("`local_law_144` names the attribute that is `sex`, or `race`, or both")
        if len(set(named)) < len(named):
            raise ValueError("`local_law_144`: sex and race are two attributes")
        for attribute in named:
            if attribute not in self.attributes:
                raise ValueError(f"`local_law_144` names {attribute!r}, which is no attribute")

    def _check_stereotypes(self, stereotypes: Stereotypes) -> None:
        attributes, _ = stereotypes.words(self.language)
        if not attributes and not stereotypes.scores:
            raise Misplaced("name the words of an `attributes:`, or `scores:`", "stereotypes")
        if stereotypes.targets and not attributes:
            raise Misplaced(
                "target words stand beside the words of an `attributes:`", "stereotypes", "targets"
            )
        for code in stereotypes.categories or []:
            if code not in self.categories:
                raise Misplaced(f"{code!r} is no category of this suite", "stereotypes", "categories")
        for name, shares in stereotypes.reference.items():
            if set(shares) != set(attributes.get(name, {})):
                raise Misplaced(
                    f"{name}: give the share of each of its groups", "stereotypes", "reference", name
                )
            if abs(math.fsum(shares.values()) - 1) > 1e-9:
                raise Misplaced(f"{name}: the shares add up to 1", "stereotypes", "reference", name)
        features = [score.feature for score in stereotypes.scores]
        if len(set(features)) < len(features):
            raise Misplaced("a feature stands here twice", "stereotypes", "scores")

    def _check_reference(self, axis: str, group: str) -> None:
        if axis not in self.all_axes():
            raise ValueError(f"`reference` names {axis!r}, which is no axis of this suite")
        values = group.split(AXIS_SEPARATOR)
        attributes = self.axis_attributes(axis)
        if len(values) != len(attributes) or any(
            value not in self.attributes[attribute]
            for attribute, value in zip(attributes, values, strict=True)
            if attribute in self.attributes
        ):
            raise ValueError(f"`reference`: {axis}: {group!r} is no group of that axis")

    def _check_pairs(self, pairs: Pairs) -> None:
        chosen = self.reference if isinstance(self.reference, dict) else {}
        for i, axis in enumerate(pairs.axes or []):
            if axis not in self.all_axes():
                raise Misplaced(f"{axis!r} is no axis of this suite", "pairs", "axes", i)
        for axis in self.pair_axes() if pairs.against == "reference" else []:
            if axis not in chosen:
                raise Misplaced(
                    f"{axis!r} has no reference group; name one under `reference:`, such as {{{axis}: …}}",
                    *("pairs", "against"),
                )

    def pair_axes(self) -> list[str]:
        """Return the axes whose groups are compared pair by pair."""
        if self.pairs.axes is not None:
            return self.pairs.axes
        return [axis for axis in self.all_axes() if AXIS_SEPARATOR not in axis]

    def _check_corpus(self, code: str, corpus: Corpus) -> None:
        values = self.attributes.get(corpus.attribute)
        if values is None:
            raise ValueError(f"category {code}: `corpus` names {corpus.attribute!r}, which is no attribute")
        for concept in [*(source.concept for source in corpus.sources), *corpus.keywords]:
            if concept not in values:
                raise ValueError(
                    f"category {code}: {corpus.attribute}: {concept!r} is not declared in `attributes`"
                )

    def _check_branching(self, branching: Branching) -> None:
        if branching.category not in self.categories:
            raise ValueError(f"`branches` names the category {branching.category!r}, which is not there")
        if branching.root not in self.attributes.get(branching.attribute, {}):
            raise ValueError(
                f"`branches`: {branching.attribute}: {branching.root!r} is not declared in `attributes`"
            )
        same = [b for b in self.branches if b.category == branching.category]
        if len(same) > 1:
            raise ValueError(f"`branches` names the category {branching.category!r} twice")

    def _check_person(self, person: dict[str, str]) -> None:
        if "name" not in person:
            raise ValueError("a person needs a `name`")
        for attribute, value in person.items():
            if attribute == "name":
                continue
            if attribute not in self.attributes or value not in self.attributes[attribute]:
                raise ValueError(
                    f"{person['name']!r}: {attribute}: {value!r} is not declared in `attributes`"
                )

    def _check_category(self, code: str, category: Category) -> None:
        active = [rule.set for rule in category.outcomes if rule.variant == self.variant]
        # Ready measurements come without a text that a rule could read.
        if not active and not (self.measurements and not category.outcomes):
            raise ValueError(f"category {code} has no outcome rule of variant {self.variant!r}")
        if len(set(active)) < len(active):
            raise ValueError(f"category {code} has two rules for one set in variant {self.variant!r}")
        simulated = category.simulated
        for planted in [*simulated.planted, *simulated.failures] if simulated else []:
            attribute = planted.attribute
            if attribute is not None and planted.value not in self.attributes.get(attribute, {}):
                raise ValueError(
                    f"category {code}: {attribute}: {planted.value!r} is not declared in `attributes`"
                )
        if category.classification:
            self._check_classification(code, category.classification)
        if category.corpus:
            self._check_corpus(code, category.corpus)
        unknown = set(category.prompt_file.attributes if category.prompt_file else []) - set(self.attributes)
        if unknown:
            raise ValueError(f"category {code}: `prompt_file` names {min(unknown)!r}, which is no attribute")
        taken = {*self.attributes, "name"} & set(category.slots)
        if taken:
            raise ValueError(
                f"category {code}: the slot {min(taken)!r} has the name of an attribute or of a person"
            )
        fields = {*category.slots, *self.attributes, "name"}
        for i, template in enumerate(category.templates):
            for field in FIELD.findall(template.prompt):
                if field not in fields:
                    known = ", ".join(sorted(fields))
                    raise Misplaced(
                        f"category {code}: {{{field}}} is unknown in a prompt; known: {known}",
                        *("categories", code, "prompts", i),
                    )
        for answer, texts in simulated.answers.items() if simulated else []:
            for i, text in enumerate(texts):
                for field in FIELD.findall(text):
                    if field not in {*self.attributes, "name"}:
                        known = ", ".join(sorted({*self.attributes, "name"}))
                        raise Misplaced(
                            f"category {code}: {{{field}}} is unknown in an answer; known: {known}",
                            *("categories", code, "simulated", "answers", answer, i),
                        )

    def _check_classification(self, code: str, spec: Classification) -> None:
        rules = [rule for _, rule in self.rules() if _ == code and rule.set == spec.set]
        place = ("categories", code, "classification")
        if not rules:
            raise Misplaced(
                f"there is no outcome set {spec.set!r} of variant {self.variant!r}", *place, "set"
            )
        known = {*rules[0].labels, rules[0].unmatched}
        for i, label in enumerate(spec.predicted):
            if label not in known:
                raise Misplaced(f"{label!r} is no label of {spec.set!r}", *place, "predicted", i)
        if spec.truth not in self.attributes:
            raise Misplaced(f"{spec.truth!r} is no attribute", *place, "truth")
        for i, value in enumerate(spec.positive):
            if value not in self.attributes[spec.truth]:
                raise Misplaced(f"{value!r} is no value of {spec.truth!r}", *place, "positive", i)

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

    def word(self, attribute: str, value: str) -> str:
        """Return the word that stands for a value in a text: its first, or the value itself."""
        words = self.attributes[attribute][value].words
        return words[0] if words else value

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
            for role in self.roles
            for config in self.configs
        ]

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

    def all_axes(self) -> list[str]:
        """Return the axes of the suite and of its categories, each once."""
        named = [*self.axes, *(axis for category in self.categories.values() for axis in category.axes or [])]
        return list(dict.fromkeys(named))

    @property
    def suite_key(self) -> str:
        """Hash of the checked content. Who answers for it, and under which licence, changes no number."""
        return key("suite", self.model_dump(mode="json", exclude={"responsible", "licence"}))

    def rules(self) -> Iterator[tuple[str, Rule]]:
        """Yield (category, rule) for the rules of the active variant, in the file's order."""
        for code, category in self.categories.items():
            for rule in category.outcomes:
                if rule.variant == self.variant:
                    yield code, rule


def all_intersections(attributes: list[str]) -> list[str]:
    """Return every axis over the attributes, single ones first."""
    return [
        AXIS_SEPARATOR.join(subset)
        for size in range(1, len(attributes) + 1)
        for subset in combinations(attributes, size)
    ]


def normalise_label(label: str) -> str:
    """Fold what does not distinguish labels: case, Unicode form, surrounding and repeated spaces."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


class _Loader(yaml.SafeLoader):
    """SafeLoader without aliases (a bomb needs them) and without duplicate keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not allowed in a suite", mark)
        self.depth = getattr(self, "depth", 0) + 1
        if self.depth > MAX_DEPTH:
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, f"nested deeper than {MAX_DEPTH} levels", mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key_node, _ in node.value:
            if key_node.value.__hash__ is None or (key_node.tag, str(key_node.value)) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {str(key_node.value)[:60]!r} stands here twice", key_node.start_mark
                )
            seen.add((key_node.tag, str(key_node.value)))
        return super().construct_mapping(node, deep)


def _refuse_binary(loader: _Loader, node: yaml.Node) -> None:
    raise yaml.constructor.ConstructorError(
        None, None, "binary values are not allowed in a suite", node.start_mark
    )


_Loader.add_constructor("tag:yaml.org,2002:binary", _refuse_binary)


def load_suite(path: Path, variant: str | None = None) -> Suite:
    """Read and check a suite file.

    `variant` overrides the file's own choice among named outcome rules.
    Raises PlumblineError with file, line and what would be right.
    """
    text = _read(path)
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        content = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise PlumblineError(
            f"{where}: {problem}.", "Mend the YAML there, then run the command again."
        ) from error
    except (ValueError, OverflowError) as error:
        raise PlumblineError(
            f"{path}: a value cannot be read: {error}.", "Quote it if it is text."
        ) from error
    if not isinstance(content, dict):
        raise PlumblineError(
            f"{path}: a suite is a mapping with keys such as `suite:`, `attributes:`, `categories:`.",
            "suites/fair_sea.yml is an example.",
        )
    if variant is not None:
        content["variant"] = variant
    if content.get("axes") == "all" and isinstance(content.get("attributes"), dict):
        content["axes"] = all_intersections([str(a) for a in content["attributes"]])
    try:
        return Suite.model_validate(content)
    except ValidationError as error:
        # Of a union's errors, the one that got furthest into the value says what is wrong with it.
        mistakes = error.errors()
        place = mistakes[0]["loc"][:2]
        first = max((e for e in mistakes if e["loc"][:2] == place), key=lambda e: len(e["loc"]))
        cause = first.get("ctx", {}).get("error")
        location = cause.place if isinstance(cause, Misplaced) else first["loc"]
        line = _line_of(node, location)
        where = ".".join(str(part) for part in location) or "the suite"
        others = {e["loc"][:2] for e in mistakes} - {place}
        more = f" ({len(others)} more below)" if others else ""
        problem = first["msg"].removeprefix("Value error, ")
        raise PlumblineError(
            f"{path}, line {line}: {where}: {problem}.{more}",
            "Correct that line, then run the command again.",
        ) from error


def _read(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise PlumblineError(
                f"{path} has {size:,} bytes; a suite has at most {MAX_BYTES:,}.", "Is it a suite?"
            )
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise PlumblineError(
            f"{path} does not exist.", "Name a suite file, such as suites/fair_sea.yml."
        ) from error
    except (IsADirectoryError, PermissionError) as error:
        raise PlumblineError(f"{path} cannot be read: {error.strerror}.", "Name a suite file.") from error
    except UnicodeDecodeError as error:
        raise PlumblineError(f"{path} is not UTF-8 (byte {error.start:,}).", "Save it as UTF-8.") from error


def _line_of(node: Any, location: tuple[Any, ...]) -> int:
    """Return the 1-based line of the deepest part of `location` that the file holds."""
    line = node.start_mark.line + 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if str(k.value) == str(part)]
            if not found:
                continue
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
