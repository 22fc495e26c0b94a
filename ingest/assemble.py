"""Stage assemble: templates, sentences and own files become rows of `prompts`."""

import heapq
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from math import prod
from pathlib import Path
from typing import Any

import click

from ingest.asking.written_texts import Writer
from ingest.errors import PlumblineError
from ingest.keys import key, text_key
from ingest.prompts import BASELINE_KINDS, PromptBuilder
from ingest.prompts.from_texts import file_rows, split_rows
from ingest.prompts.questions import question_rows
from ingest.store import SCHEMA, Store, opened
from ingest.suite import FIELD, Suite, Template, load_suite
from ingest.suite.tables import register_suite

METHOD = "template"
BATCH = 2_000
SHOW_PROGRESS_FROM = 20_000
METHODS = [METHOD, "split", "question", "file"]  # what this stage makes
NOT_WANTED = (
    "suite = ? and list_contains(?, method) and prompt_key not in (select prompt_key from wanted_prompts)"
)

WAS_ASKED = "prompt_key in (select prompt_key from responses)"


@dataclass(frozen=True)
class Assembled:
    """What the templates of one category give.

    `n_incomplete` counts roots that lack a group which other roots, showing the same attributes, have;
    `gaps` say which declared values no prompt is about; `n_same_text` counts prompts beyond the first
    of each text; `dropped` are (reason, number) of sentences or file rows that gave none.
    """

    category: str
    n_prompts: int = 0
    n_new: int = 0
    n_roots: int = 0
    n_groups: int = 0
    n_incomplete: int = 0
    n_same_text: int = 0
    n_people: int = 0
    gaps: tuple[str, ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        for reason, n in self.dropped:
            yield f"{self.category}: {n:,} dropped: {reason.replace('_', ' ')}"
        if not self.n_prompts:
            yield f"{self.category}: no prompts in the suite, skipped"
            return
        yield (
            f"{self.category}: {self.n_prompts:,} prompts ({self.n_new:,} new), "
            f"{self.n_roots:,} roots × {self.n_groups:,} groups"
            + (f" ({self.n_people:,} people)" if self.n_people else "")
        )
        if self.n_incomplete:
            yield f"{self.category}: {self.n_incomplete:,} roots lack a group that other roots have"
        for gap in self.gaps:
            yield f"{self.category}: {gap}"
        if self.n_same_text:
            yield f"{self.category}: {self.n_same_text:,} prompts repeat another's text word for word"


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values in the place of `{field}`, in one pass: braces inside a value stay what they are.

    >>> fill("{a} is 100 % {b}", {"a": "{b}", "b": "{a}"})
    '{b} is 100 % {a}'
    """
    return FIELD.sub(lambda match: values.get(match[1], match[0]), template)


def prompt_rows(suite: Suite, category: str, builder: PromptBuilder) -> Iterator[dict[str, Any]]:
    """Yield the rows of `prompts` that a category's templates give, duplicates included.

    A root is a template with its slots filled. Each root meets every combination of the attributes that
    it names, or, where it names {name}, every person; a person's own attributes hold for them. The suite's
    `sample` leaves whole roots out. `baseline` holds the text that `baseline_text_key` is the key of.
    """
    kept = sampled_roots(suite, category)
    for template in suite.categories[category].templates:
        fields = set(FIELD.findall(template.prompt))
        kind = baseline_kind(suite, template)
        groups = list(_groups(suite, category, fields))
        for filled, root in _roots(suite, category, template):
            if kept is not None and root not in kept:
                continue
            for name, attributes in groups:
                shown = {a: suite.word(a, value) for a, value in attributes.items() if a in fields}
                values = {**filled, **shown, "name": name or ""}
                baseline = None if template.baseline is None else fill(template.baseline, values)
                row = builder.row(
                    category,
                    fill(template.prompt, values),
                    attributes,
                    method=METHOD,
                    name=name,
                    root=root,
                    baseline=baseline,
                    baseline_kind=kind,
                )
                yield {**row, "baseline": baseline}


def baseline_kind(suite: Suite, template: Template) -> str | None:
    """Return which of BASELINE_KINDS a template's baseline is; None where it has none."""
    if template.baseline is None:
        return None
    about = {*suite.attributes, "name"} & set(FIELD.findall(template.prompt))
    named = about & set(FIELD.findall(template.baseline))
    counterfactual, partial, unbranched = BASELINE_KINDS
    if not named:
        return unbranched
    return counterfactual if named == about else partial


def _roots(suite: Suite, category: str, template: Template) -> Iterator[tuple[dict[str, str], str]]:
    """Yield (slot values, root) for every root of a template."""
    spec = suite.categories[category]
    fields = set(FIELD.findall(template.prompt))
    slots = [slot for slot in spec.slots if slot in fields]
    for chosen in product(*(spec.slots[slot] for slot in slots)):
        filled = dict(zip(slots, chosen, strict=True))
        yield filled, fill(template.prompt, filled)


def sampled_roots(suite: Suite, category: str) -> set[str] | None:
    """Return the roots that the suite's `sample` keeps of a category; None where it keeps all."""
    if suite.sample.roots is None:
        return None
    roots = {root for t in suite.categories[category].templates for _, root in _roots(suite, category, t)}

    def rank(root: str) -> str:
        return key("sample", suite.sample.seed, suite.suite, category, root)

    return set(heapq.nsmallest(suite.sample.roots, roots, key=rank))


def _groups(suite: Suite, category: str, fields: set[str]) -> Iterator[tuple[str | None, dict[str, str]]]:
    """Yield (person's name or None, attribute values) for everyone a template is about."""
    people: list[dict[str, str]] = [{}]
    if "name" in fields:
        people = suite.names.people if suite.names else []
        if not people:
            raise PlumblineError(
                f"Category {category}: a prompt holds {{name}}, but the suite has no `names: people:`.",
                "List people there, each with a `name` and the attributes it stands for.",
            )
    for person in people:
        own = {field: value for field, value in person.items() if field != "name"}
        open_attributes = [a for a in suite.attributes if a in fields and a not in own]
        for values in product(*(suite.attributes[a] for a in open_attributes)):
            yield person.get("name"), {**own, **dict(zip(open_attributes, values, strict=True))}


def n_combinations(suite: Suite, category: str) -> int:
    """Return how many rows `prompt_rows` yields, without making them."""
    spec = suite.categories[category]
    kept = sampled_roots(suite, category)
    total = 0
    for template in spec.templates:
        fields = set(FIELD.findall(template.prompt))
        if kept is None:
            n_roots = prod(len(phrases) for slot, phrases in spec.slots.items() if slot in fields)
        else:
            n_roots = sum(root in kept for _, root in _roots(suite, category, template))
        total += n_roots * sum(1 for _ in _groups(suite, category, fields))
    return total


@dataclass(frozen=True)
class Assembly:
    """All categories of a suite, and how many prompts were asked that today's templates do not give."""

    categories: list[Assembled]
    n_outdated: int


def assemble_prompts(
    store: Store,
    suite: Suite,
    folder: Path = Path(),
    dry_run: bool = False,
    writers: Mapping[str, Writer] | None = None,
) -> Assembly:
    """Add a suite's prompts that are not there yet; say what each category has.

    A prompt that a loaded file brought in already becomes an assembled one (its root is known now) and
    counts as new. Prompts of an earlier version of the templates go if nobody was ever asked them.
    `folder` is where the suite lies, and its prompt files; `writers` write questions, by config.
    """
    builder = PromptBuilder(suite)
    n_rows = sum(n_combinations(suite, category) for category in suite.categories)
    hidden = n_rows < SHOW_PROGRESS_FROM
    store.connection.execute(f"create or replace temp table wanted_prompts ({SCHEMA['prompts']})")
    store.connection.execute(f"create or replace temp table wanted_texts ({SCHEMA['texts']})")
    store.connection.execute(f"create or replace temp table wanted_flags ({SCHEMA['prompt_flags']})")
    dropped: dict[str, Counter[str]] = {category: Counter() for category in suite.categories}
    try:
        with click.progressbar(length=n_rows, label="Assembling", file=sys.stderr, hidden=hidden) as bar:
            for category in suite.categories:
                rows = chain(
                    prompt_rows(suite, category, builder),
                    split_rows(store, suite, category, builder, dropped[category]),
                    file_rows(suite, category, builder, folder, dropped[category]),
                    _question_rows(store, suite, category, builder, writers or {}, dropped[category]),
                )
                while batch := list(islice(rows, BATCH)):
                    _want(store, batch)
                    bar.update(len(batch))
        categories = [
            replace(_assembled(store, suite, category), dropped=tuple(dropped[category].most_common()))
            for category in suite.categories
        ]
        if not dry_run:
            with store.transaction():
                _keep(store, suite)
        n_outdated = store.value(
            f"select count(*) from prompts where {NOT_WANTED} and {WAS_ASKED}",
            [suite.suite, METHODS],
        )
    finally:
        store.connection.execute("drop table wanted_prompts")
        store.connection.execute("drop table wanted_texts")
        store.connection.execute("drop table wanted_flags")
    return Assembly(categories, n_outdated)


def _question_rows(
    store: Store,
    suite: Suite,
    category: str,
    builder: PromptBuilder,
    writers: Mapping[str, Writer],
    dropped: Counter[str],
) -> Iterator[dict[str, Any]]:
    corpus = suite.categories[category].corpus
    writer = writers.get(corpus.questions.config) if corpus and corpus.questions else None
    return question_rows(store, suite, category, builder, writer, dropped)


def _want(store: Store, rows: list[dict[str, Any]]) -> None:
    """Put rows into the temporary tables, each part into its own."""
    baselines = {row.pop("baseline") for row in rows} - {None}
    flags = [{"prompt_key": row["prompt_key"], "flag": flag} for row in rows for flag in row.pop("flags", [])]
    texts = [{"text_key": text_key(t), "text": t, "n_characters": len(t)} for t in sorted(baselines)]
    store.append("wanted_prompts", rows)
    store.append("wanted_texts", texts)
    store.append("wanted_flags", flags)


def _keep(store: Store, suite: Suite) -> None:
    store.connection.execute("insert or ignore into texts select * from wanted_texts")
    store.connection.execute(
        "delete from prompt_flags where prompt_key in (select prompt_key from wanted_prompts)"
    )
    store.connection.execute("insert into prompt_flags select * from wanted_flags")
    store.connection.execute(
        """
        insert into prompts
        select * from wanted_prompts
        on conflict (prompt_key) do update set
            method = excluded.method,
            keyword = excluded.keyword,
            root_key = excluded.root_key,
            block_key = excluded.block_key,
            baseline_text_key = excluded.baseline_text_key,
            baseline_kind = excluded.baseline_kind
        where
            method = 'loaded'
            or baseline_text_key is distinct from excluded.baseline_text_key
            or baseline_kind is distinct from excluded.baseline_kind
        """
    )
    store.connection.execute(
        f"delete from prompts where {NOT_WANTED} and not {WAS_ASKED}",
        [suite.suite, METHODS],
    )


def _assembled(store: Store, suite: Suite, category: str) -> Assembled:
    counts = store.rows(
        """
        select
            count(*),
            count(*) filter (where p.prompt_key is null),
            count(distinct w.root_key),
            count(distinct w.attributes),
            count(*) - count(distinct w.prompt),
            count(distinct w.keyword) filter (where w.method = 'template')
        from wanted_prompts as w
        left join prompts as p on w.prompt_key = p.prompt_key and p.method = w.method
        where w.category = ?
        """,
        [category],
    )[0]
    n_incomplete = store.value(
        """
        with groups as (
            select distinct root_key, map_keys(attributes) as shown, attributes
            from wanted_prompts
            where category = ?
        ),

        roots as (
            select root_key, shown, count(*) as n_groups
            from groups
            group by root_key, shown
        ),

        expected as (
            select shown, count(distinct attributes) as n_groups
            from groups
            group by shown
        )

        select count(distinct roots.root_key)
        from roots
        inner join expected on roots.shown = expected.shown
        where roots.n_groups < expected.n_groups
        """,
        [category],
    )
    present: dict[str, set[str]] = {}
    for attribute, value in store.rows(
        """
        select distinct entry.key, entry.value
        from (select unnest(map_entries(attributes)) as entry from wanted_prompts where category = ?)
        """,
        [category],
    ):
        present.setdefault(attribute, set()).add(value)
    gaps = []
    for attribute, shown in present.items():
        missing = [value for value in suite.attributes[attribute] if value not in shown]
        if missing and len(shown) == 1:
            gaps.append(f"{attribute} is always {min(shown)}")
        elif missing:
            gaps.append(f"no prompt is about {attribute} {', '.join(missing)}")
    n_prompts, n_new, n_roots, n_groups, n_same_text, n_people = counts
    return Assembled(
        category=category,
        n_prompts=n_prompts,
        n_new=n_new,
        n_roots=n_roots,
        n_groups=n_groups,
        n_incomplete=n_incomplete,
        n_same_text=n_same_text,
        n_people=n_people,
        gaps=tuple(sorted(gaps)),
    )


@click.command("assemble")
@click.option(
    "--suite",
    "suite_path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The suite file, such as suites/fair_sea.yml.",
)
@click.option(
    "--roots",
    type=click.IntRange(min=1),
    help="At most this many roots of each category, in place of the suite's `sample:`.",
)
@click.option(
    "--send-key",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Let this host have the key that the suite names, where a model writes questions.",
)
@click.option("--dry-run", is_flag=True, help="Say how many prompts there would be, then stop.")
@click.pass_obj
def command(
    directory: Path, suite_path: Path, roots: int | None, hosts: tuple[str, ...], dry_run: bool
) -> None:
    """Make the prompts that a suite's templates describe.

    Every root is asked about every group, so prompts of a root differ in the group and in nothing else.
    Run it again, and it adds only what is new.

    Roots are sampled whole, with all their groups, by the suite's `sample: seed:`. A larger sample holds
    every smaller one, so a small audit can grow.
    """
    suite = load_suite(suite_path).sampled(roots=roots)
    with opened(directory, dry_run) as store:
        if dry_run:
            assembly = assemble_prompts(store, suite, suite_path.resolve().parent, dry_run=True)
        else:
            detail = {"suite": suite.suite, "suite_key": suite.suite_key, "sample": suite.sample.model_dump()}
            with store.run("assemble", detail) as run_id:
                register_suite(store, suite, suite_path, run_id)
                asked = {
                    category.corpus.questions.config
                    for category in suite.categories.values()
                    if category.corpus and category.corpus.method == "question" and category.corpus.questions
                }
                writers = {label: Writer(store, suite, label, run_id, hosts) for label in sorted(asked)}
                folder = suite_path.resolve().parent
                assembly = assemble_prompts(store, suite, folder, writers=writers)
    for assembled in assembly.categories:
        for line in assembled.lines():
            click.echo(line)
    if assembly.n_outdated:
        click.echo(
            f"{assembly.n_outdated:,} prompts of an earlier version of the templates, or of a larger sample, "
            "have answers and stay.",
            err=True,
        )
    if not any(assembled.n_prompts for assembled in assembly.categories):
        raise PlumblineError(
            f"{suite_path} has no prompts, so there is nothing to ask.",
            "Give a category `prompts:`, or bring in responses with `plumbline load FILE --suite FILE`.",
        )
