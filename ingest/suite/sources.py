"""The parts of a suite file that say where prompts, answers and numbers come from, and who is asked."""

import datetime
import math
from typing import Annotated, Any, Literal

import re2
from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from ingest.suite.applications import Header, JsonPath, Reply, Variable, check_body, check_headers
from ingest.suite.candidates import Candidates
from ingest.suite.conversations import MOST_TURNS, Turn, check_order, conversation
from ingest.suite.fields import FIELD, LARGEST_INTEGER, Function, Label, Language, Name, Phrase, Range, Strict


class Source(Strict):
    """Texts about one concept: files of the suite's folder, pages, articles, or what a config writes."""

    kind: Literal["local", "web", "wikipedia", "synthetic"] = Field(description="Where the texts are.")
    concept: Label = Field(description="The value of the corpus's attribute that the texts are about.")
    source_tag: Name = Field(
        default="text", description="A name for texts of this kind; prompts group by it."
    )
    keyword: Phrase | None = Field(default=None, description="The only keyword that is looked for here.")
    files: Label | None = Field(default=None, description="Pattern of file names in the suite's folder.")
    urls: list[Phrase] = Field(default=[], description="Addresses of pages.")
    titles: list[Label] = Field(default=[], description="Titles of articles.")
    links: int = Field(default=5, ge=0, le=500, description="How many linked articles are read too (COR-6).")
    backlinks: int = Field(default=0, ge=0, le=500, description="How many articles that link here are read.")
    api: Phrase | None = Field(default=None, description="Address of another wiki's api.php.")
    config: Label | None = Field(default=None, description="The config that writes the texts.")
    instruction: Phrase | None = Field(default=None, description="What the config shall write.")
    licence: str = Field(default="", max_length=500, description="Under which licence the texts are.")
    attribution: str = Field(default="", max_length=500, description="Whom the texts' owner wants named.")

    @model_validator(mode="after")
    def _parts_fit(self) -> "Source":
        needed = {"local": "files", "web": "urls", "wikipedia": "titles", "synthetic": "config"}[self.kind]
        if not getattr(self, needed):
            raise ValueError(f"a {self.kind} source needs `{needed}`")
        if self.kind == "synthetic" and not self.instruction:
            raise ValueError("a synthetic source needs an `instruction`: what the config shall write")
        return self


class Finder(Strict):
    """How more keywords of a concept are found."""

    by: Literal["embeddings", "links", "model"] = Field(
        description="By vectors of the texts' words, by an article's links, or by a config's answer."
    )
    limit: int = Field(default=7, ge=1, le=200, description="At most so many keywords.")
    config: Label | None = Field(default=None, description="The config that is asked.")
    runs: int = Field(default=20, ge=1, le=200, description="How often it is asked.")

    @model_validator(mode="after")
    def _parts_fit(self) -> "Finder":
        if self.by == "model" and not self.config:
            raise ValueError("keywords by a model need the `config` that is asked")
        return self


class Questions(Strict):
    """Which config writes a question that a sentence answers."""

    config: Label = Field(description="The config that writes.")
    check: bool = Field(default=False, description="Whether it looks at each question once more.")
    retries: int = Field(
        default=2, ge=0, le=10, description="How often a question that fails is tried again."
    )


class Corpus(Strict):
    """Texts from which a category's prompts are made: one concept is one value of `attribute`."""

    attribute: Name = Field(description="The attribute whose values the texts are about.")
    sources: list[Source] = Field(min_length=1, description="The texts of each concept.")
    keywords: dict[Label, list[Phrase]] = Field(
        default={}, description="Further keywords by concept; its own name always is one."
    )
    find_keywords: Finder | None = Field(default=None, description="How more keywords are found.")
    min_words: int = Field(default=6, ge=1, le=200, description="Shorter sentences are left out.")
    method: Literal["split", "question"] = Field(
        default="split",
        description="`split` cuts a sentence after its main verb; `question` asks what it answers.",
    )
    questions: Questions | None = Field(default=None, description="Who writes the questions.")
    cap: int = Field(default=500, ge=1, le=LARGEST_INTEGER, description="At most so many prompts a concept.")
    seed: int = Field(default=42, ge=0, lt=2**63, description="Draws the prompts where there are more.")

    @model_validator(mode="after")
    def _parts_fit(self) -> "Corpus":
        if self.method == "question" and not self.questions:
            raise ValueError("`method: question` needs `questions:` with the `config` that writes them")
        return self


class Scrape(Strict):
    """Manners on the web."""

    contact: str | None = Field(default=None, max_length=200, description="Whom an operator can reach.")
    allow: list[Label] = Field(default=[], description="The hosts that may be read.")
    spacing: float = Field(default=1.0, ge=0, le=60, description="Seconds between two requests to a host.")


class PromptFile(Strict):
    """Own prompts: a CSV file in the suite's folder, and which column holds what."""

    file: Label = Field(description="Name of the file.")
    prompt: Label = Field(default="prompt", description="Column of the prompt.")
    baseline: Label | None = Field(
        default=None, description="Column of the text that answers are held against."
    )
    root: Label | None = Field(default=None, description="Column of what branches of one prompt share.")
    name: Label | None = Field(default=None, description="Column of the name that stands in the prompt.")
    keyword: Label | None = Field(default=None, description="Column of the keyword.")
    source_tag: Label | None = Field(default=None, description="Column of the kind of source.")
    attributes: dict[Name, Label] = Field(min_length=1, description="Column of each attribute.")


class Translation(Strict):
    """A prompt in another language, with the slots and attributes of the prompt, and who made it."""

    messages: list[Turn] = Field(
        default=[], max_length=MOST_TURNS, description="What stands before it, where the prompt has that."
    )
    prompt: Phrase = Field(description="The prompt, with the same {slots} and {attributes}.")
    baseline: Phrase | None = Field(default=None, description="The baseline, where the prompt has one.")
    by: Label | None = Field(default=None, description="Who translated it, if not who `languages` says.")
    reviewed_by: Label | None = Field(
        default=None, description="The person who reviewed it, if not who `languages` says."
    )

    @property
    def text(self) -> str:
        """The prompt with what stands before it, as one text; fields are not filled in yet."""
        return conversation([turn.model_dump() for turn in self.messages], self.prompt)


class AskedLanguage(Strict):
    """A language in which the suite's questions are asked, beside its own."""

    by: Label = Field(description="Who translated into it: a person, or which model.")
    reviewed_by: Label | None = Field(
        default=None, description="The person who reviewed the translations; until then reports say: nobody."
    )


class Template(Strict):
    """A prompt, and the baseline text that answers to it are held against (SPEC ASM-1, CAL-1).

    Both have the same slots and the same group filled in: a baseline that names the group as the prompt
    does is a counterfactual one.
    """

    messages: list[Turn] = Field(
        default=[],
        max_length=MOST_TURNS,
        description="What stands before the prompt: a system prompt, earlier turns, with {slots} and "
        "{attributes}, too.",
    )
    prompt: Phrase = Field(description="The prompt, with {slots} and {attributes} to fill in.")
    baseline: Phrase | None = Field(default=None, description="The text that answers are held against.")
    translations: dict[Language, Phrase | Translation] = Field(
        default={}, description="The prompt in each of the suite's `languages`."
    )

    def in_language(self, language: str) -> Translation:
        """Return the prompt in one of the suite's languages; as it stands where it is not translated."""
        found = self.translations.get(language)
        if found is None:
            return Translation(messages=self.messages, prompt=self.prompt, baseline=self.baseline)
        return Translation(prompt=found) if isinstance(found, str) else found

    @property
    def text(self) -> str:
        """The prompt with what stands before it, as one text; fields are not filled in yet."""
        return conversation([turn.model_dump() for turn in self.messages], self.prompt)

    @field_validator("messages")
    @classmethod
    def _a_chat_can_go_on_so(cls, messages: list[Turn]) -> list[Turn]:
        check_order(messages)
        return messages

    @field_validator("baseline")
    @classmethod
    def _fields_are_the_prompts(cls, baseline: str | None, info: ValidationInfo) -> str | None:
        said = [info.data.get("prompt", ""), *(turn.content for turn in info.data.get("messages", []))]
        known = {field for text in said for field in FIELD.findall(text)}
        for field in FIELD.findall(baseline or "") if "prompt" in info.data else []:
            if field not in known:
                raise ValueError(f"{{{field}}} stands in the baseline and not in its prompt")
        return baseline


def compiled(pattern: str) -> Any:
    """Return a pattern as RE2 has it: whatever it meets, it takes time in proportion to the text.

    Raises re2.error, whose argument is bytes, for what is none: references and looking around are not in it.
    """
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


class Extract(Strict):
    """A field taken from a column of a file, whole or by a pattern's first group; or what holds for all."""

    column: Label | None = Field(default=None, description="Name of the column.")
    value: Label | None = Field(default=None, description="In place of a column: what holds for all records.")
    pattern: Phrase | None = Field(
        default=None, description="Regular expression (RE2) with one group: the field."
    )
    replace: dict[Phrase, str] = Field(default={}, description="What stands for what in the field.")

    @field_validator("pattern")
    @classmethod
    def _one_group(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            try:
                groups = compiled(pattern).groups
            except re2.error as error:
                said = error.args[0].decode("utf-8", "replace") if error.args else ""
                raise ValueError(f"not a regular expression of RE2: {said}") from error
            if groups != 1:
                raise ValueError("the pattern must have exactly one group in parentheses")
        return pattern

    @model_validator(mode="after")
    def _one_source(self) -> "Extract":
        if (self.column is None) == (self.value is None):
            raise ValueError("name a `column`, or the `value` that holds for all records")
        if self.value is not None and (self.pattern or self.replace):
            raise ValueError("a `value` is taken as it is: `pattern` and `replace` are of a `column`")
        return self


Column = Label | Extract


class Columns(Strict):
    """Where a response file holds what. Prompts of one `root` are branches of it, and differ in groups."""

    response: Column = Field(description="The answer.")
    prompt: Column = Field(description="The prompt.")
    messages: Column | None = Field(
        default=None,
        description='What stood before the prompt: a JSON list of {"role": …, "content": …}.',
    )
    model: Column = Field(description="The model that answered.")
    category: Column = Field(description="The category that the prompt is of.")
    repeat: Column | None = Field(default=None, description="Which repeat of the prompt it is.")
    source_id: Column | None = Field(default=None, description="The file's own name of the row.")
    root: Column | None = Field(default=None, description="What branches of one prompt share.")
    name: Column | None = Field(default=None, description="The person's name in the prompt.")
    status: Column | None = Field(default=None, description="Whether the request was answered.")
    role: Column | None = Field(default=None, description="The role in which the model was asked.")
    baseline: Column | None = Field(
        default=None, description="The text that answers to the prompt are held against."
    )
    attributes: dict[Name, Column] = Field(default={}, description="The value of each attribute.")
    labels: dict[Name, Column] = Field(
        default={}, description="What an answer says, by outcome set, as somebody has labelled it already."
    )
    options: Column | None = Field(default=None, description="Options of the request, as JSON.")
    finish_reason: Column | None = Field(default=None, description="Why the answer ended.")
    served_model: Column | None = Field(default=None, description="What the server calls the model.")
    prompt_tokens: Column | None = Field(default=None, description="Tokens of what was sent.")
    output_tokens: Column | None = Field(default=None, description="Tokens of the answer.")
    scores: dict[Name, Column] = Field(
        default={}, description="Numbers that something else gave an answer, each the name of a feature."
    )
    candidates: Candidates | None = Field(
        default=None, description="The people whom each record asks about, such as two to choose from."
    )

    @model_validator(mode="before")
    @classmethod
    def _each_candidate_is_a_record(cls, columns: Any) -> Any:
        """Say where a record of one candidate has what the file has of several."""
        if not isinstance(columns, dict) or not isinstance(columns.get("candidates"), Candidates | dict):
            if isinstance(columns, dict) and "attributes" not in columns:
                raise ValueError("`attributes` is missing: the column of each")
            return columns
        try:
            candidates = Candidates.model_validate(columns["candidates"])
        except ValidationError:  # said again of the field, which has its place
            return {"attributes": {}, **columns}
        if candidates.name and columns.get("name"):
            raise ValueError("`name` is said twice: of records and of `candidates`")
        each = candidates.of_each()
        for part in ("attributes", "labels"):
            said = columns.get(part)
            for name, column in each[part].items():
                if isinstance(said, dict) and said.get(name, column) != column:
                    raise ValueError(f"{part}: {name!r} is said twice: of records and of `candidates`")
        found = {name: {**(columns.get(name) or {}), **each.pop(name)} for name in ("attributes", "labels")}
        return {**columns, **found, **each, "candidates": candidates}


class Measurements(Strict):
    """Where a file of ready measurements holds what: one row a response, one column a feature.

    Without `repeat` a prompt is answered once under a config; without `category` the suite has one.
    """

    root: Label = Field(description="Column of what branches of one prompt share.")
    attributes: dict[Name, Label] = Field(min_length=1, description="Column of each attribute.")
    shows: list[Name] = Field(default=[], description="The attributes that the prompts showed.")
    model: Label = Field(description="Column of the model.")
    role: Label | None = Field(default=None, description="Column of the role.")
    category: Label | None = Field(default=None, description="Column of the category.")
    repeat: Label | None = Field(default=None, description="Column of the repeat.")
    features: dict[Name, Label] = Field(min_length=1, description="Column of each feature.")
    baselines: dict[Name, Label] = Field(
        default={}, description="Column of each feature as measured on the prompt's baseline text."
    )
    baseline_kind: Literal["counterfactual", "unbranched"] | None = Field(
        default=None,
        description="Whether a baseline was about the prompt's own group, or one text for all groups.",
    )

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
    """How prompts about one group become prompts about the others (SPEC BRA-1)."""

    category: Label = Field(description="The category whose prompts are branched.")
    attribute: Name = Field(description="The attribute whose groups they are about.")
    root: Label = Field(description="The group that the prompts are about as they stand.")
    replacements: list[Label] = Field(
        min_length=1, description="Tables (CSV: target, from, to) in the suite's folder, or ours by name."
    )
    direction: Literal["one_way", "both"] = Field(
        default="one_way", description="From the root's group only, or from the others to it too."
    )
    pairs: Literal["listed", "all"] = Field(
        default="listed", description="Between the groups that tables list, or all: by way of the root."
    )
    source_tag: Label | None = Field(default=None, description="Only prompts of this kind of source.")
    counterfactual_baseline: bool = Field(
        default=True, description="Whether the baseline text is branched as the prompt is."
    )


class OwnScorer(Strict):
    """A scorer of the suite's own, with one feature, `<name>_score`: a function, a file, what texts say."""

    function: Function | None = Field(
        default=None,
        description="module:function, beside the suite or installed: takes a list of texts, returns a number "
        "or None for each. Runs with --allow-code only.",
    )
    file: Label | None = Field(
        default=None, description="File beside the suite (CSV, Parquet, JSON Lines) of texts and numbers."
    )
    text: Label = Field(default="text", description="The file's column of texts.")
    value: Label = Field(default="value", description="The file's column of numbers.")
    reads: Literal["number"] | None = Field(
        default=None, description="`number`: the number that an answer gives, such as a rating or a salary."
    )
    beside: list[Phrase] = Field(
        default=[],
        description="With `reads: number`, words and signs that stand beside it, such as rating or $; none: "
        "any number in the range is read.",
    )
    range: Range = Field(description="Lowest and highest value; a number outside is a failure.")
    languages: list[Language] = Field(
        default=[], description="Languages that it reads (ISO 639-1, such as en); none: it reads any text."
    )

    @model_validator(mode="after")
    def _parts_fit(self) -> "OwnScorer":
        if sum(one is not None for one in (self.function, self.file, self.reads)) != 1:
            raise ValueError("an own scorer has a `function`, a `file` or `reads: number`, one of them")
        if self.beside and self.reads is None:
            raise ValueError("`beside` goes with `reads: number`")
        low, high = self.range
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError("`range`: the first number must be below the second")
        return self


class Prices(Strict):
    """What a million tokens cost, as somebody looked it up."""

    prompt: float = Field(ge=0, le=1e9, description="Tokens of prompts.")
    output: float = Field(ge=0, le=1e9, description="Tokens of answers.")
    batch: float = Field(
        default=1.0, ge=0, le=1, description="What they cost in a batch, as a share of that, such as 0.5."
    )
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] | None = Field(
        default=None, description="In which currency, such as USD."
    )
    date: datetime.date | None = Field(default=None, description="When the prices were looked up.")

    @property
    def in_batches(self) -> "Prices":
        """What tokens cost in a batch."""
        return self.model_copy(
            update={"prompt": self.prompt * self.batch, "output": self.output * self.batch}
        )


Address = Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s#]*)?$", max_length=1_000)]
# What a config of an application needs, which no other has.
ASKED_BY = {"http": ("url", "body", "answer"), "function": ("function",)}


class Config(Strict):
    """A model as it is asked: backend, role, options.

    What stands below `repeats` says where and how fast it is asked; only `base_url` of a server that has
    no digests changes what an answer is. A key is named by its environment variable, never written here.
    """

    backend: Name = Field(description="What asks the model: a backend of docs/guide/models.md.")
    model: Label = Field(description="The model's name, or the folder of its weights.")
    role: str = Field(default="", max_length=200, description="A name for the role in which it is asked.")
    system_prompt: str = Field(default="", max_length=20_000, description="What puts it into the role.")
    template: str = Field(
        default="{prompt}", max_length=20_000, description="What stands around each prompt."
    )
    options: dict[str, str | int | float | bool | list[str]] = Field(
        default={}, description="Options of the request, such as temperature and seed."
    )
    wrapper: Function | None = Field(
        default=None, description="module:function around each request. Runs with --allow-code only."
    )
    determinism_check: bool = Field(
        default=False, description="Repeats at temperature 0 are meant: do they agree?"
    )
    repeats: int = Field(default=1, ge=1, le=1_000, description="How often each prompt is asked.")
    any_fingerprint: bool = Field(
        default=False, description="Answers count whatever system fingerprint the server names."
    )
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)] | None = (
        Field(default=None, description="Address of the server.")
    )
    key_variable: Variable | None = Field(
        default=None, description="The environment variable that holds the key."
    )
    url: Address | None = Field(default=None, description="Address of an application.")
    body: dict[str, Any] | None = Field(
        default=None, description="What an application is sent: JSON with {prompt}, or with {messages}."
    )
    headers: dict[str, str | Header] = Field(
        default={}, description="Headers of an application; secrets as `{env: VARIABLE}`."
    )
    answer: JsonPath | None = Field(
        default=None, description="Where an application's reply holds the answer, such as $.choices[0].text."
    )
    reply: Reply = Field(default=Reply(), description="What else an application's reply says, and where.")
    function: Function | None = Field(
        default=None, description="module:function that answers. Runs with --allow-code only."
    )
    timeout_seconds: float = Field(default=300, gt=0, le=86_400, description="How long an answer may take.")
    requests_per_minute: float | None = Field(
        default=None, gt=0, le=1e6, description="At most so many requests."
    )
    concurrency: int = Field(default=1, ge=1, le=256, description="How many requests run side by side.")
    batch: bool = Field(
        default=False, description="Ask in batches, which a server answers within a day, for less."
    )
    prices: Prices | None = Field(default=None, description="What tokens cost.")

    @field_validator("template")
    @classmethod
    def _holds_the_prompt(cls, template: str) -> str:
        if template.count("{prompt}") != 1:
            raise ValueError("the template must hold {prompt} exactly once")
        return template

    @model_validator(mode="after")
    def _is_asked_in_one_way(self) -> "Config":
        needed = ASKED_BY.get(self.backend, ())
        for backend, keys in ASKED_BY.items():
            for key in (*keys, *(("headers", "reply") if backend == "http" else ())):
                if backend != self.backend and getattr(self, key) != type(self).model_fields[key].default:
                    raise ValueError(f"`{key}` belongs to `backend: {backend}`")
        if lacking := [key for key in needed if getattr(self, key) is None]:
            raise ValueError(f"`backend: {self.backend}` needs `{lacking[0]}`")
        if needed and self.base_url:
            raise ValueError(f"`backend: {self.backend}` has no `base_url`")
        if self.batch and (self.wrapper or self.options.get("stream")):
            other = "wrapper" if self.wrapper else "stream"
            raise ValueError(f"`batch` and `{other}` do not go together: take one of them out")
        check_headers(self.headers)
        if self.body is not None:
            check_body(self.body)
        return self

    @property
    def address(self) -> str | None:
        """Where it is asked, None where the backend knows."""
        return self.url or self.base_url

    @property
    def charged(self) -> Prices | None:
        """What tokens cost in the way in which it is asked."""
        return self.prices.in_batches if self.prices and self.batch else self.prices

    @property
    def code(self) -> list[str]:
        """The functions of the suite's own that it runs."""
        return [name for name in (self.wrapper, self.function) if name]

    @property
    def variables(self) -> list[str]:
        """The environment variables that hold its keys."""
        headers = [header.env for header in self.headers.values() if isinstance(header, Header)]
        return [*([self.key_variable] if self.key_variable else []), *headers]


class Role(Strict):
    """A role in which every config is asked."""

    role: Label = Field(description="Name of the role.")
    system_prompt: str = Field(default="", max_length=20_000, description="What puts a model into it.")
    options: dict[str, str | int | float | bool] = Field(
        default={}, description="Options that go before those of the config."
    )


class Sample(Strict):
    """How much of a suite is asked (SPEC COR-8). A larger sample holds every smaller one."""

    roots: int | None = Field(
        default=None, ge=1, le=LARGEST_INTEGER, description="At most so many roots of each category."
    )
    configs: int | None = Field(
        default=None, ge=1, le=LARGEST_INTEGER, description="The first so many configs."
    )
    seed: int = Field(default=42, ge=0, lt=2**63, description="Draws the roots.")
