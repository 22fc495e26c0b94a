"""Stage assemble: templates, sentences and own files become rows of `prompts`."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from ingest.asking.plan import asked_configs
from ingest.asking.written_texts import Writer
from ingest.errors import PlumblineError, say
from ingest.keys import text_row
from ingest.options import allow_host_option, dry_run_option, roots_option, send_key_option, suite_option
from ingest.prompts import PromptBuilder
from ingest.prompts.from_texts import file_rows, split_rows
from ingest.prompts.questions import question_rows
from ingest.prompts.replacements import starts_with_vowel_sound
from ingest.prompts.templates import n_combinations, prompt_rows
from ingest.prompts.wanted import (
    count_outdated,
    delete_unasked,
    keep_prompts,
    refuse_groups_that_are_gone,
    wanted_tables,
)
from ingest.reach import asked_places, check_reach
from ingest.store import Store, opened
from ingest.suite import Suite, load_suite
from ingest.suite.definition import register_suite
from ingest.suite.fields import alike

BATCH = 2_000
ARTICLE = re.compile(r"\b(an?) \{([^{}]+)\}", re.IGNORECASE)  # and the attribute that it stands before
SHOW_PROGRESS_FROM = 20_000
METHODS = ["template", "split", "question", "file"]  # what this stage makes


@dataclass(frozen=True)
class Assembled:
    """What the templates of one category give.

    `n_incomplete` counts roots that lack a group which other roots, showing the same attributes, have;
    `gaps` say which declared values no prompt is about; `n_same_text` counts prompts beyond the first
    of each text; `misfits` say where a template's article is wrong before a group's word; `dropped` are
    (reason, number) of sentences or file rows that gave none.
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
    misfits: tuple[str, ...] = ()
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
            f"{self.n_roots:,} roots × {self.n_groups:,} group{'' if self.n_groups == 1 else 's'}"
            + (f" ({self.n_people:,} people)" if self.n_people else "")
        )
        if self.n_incomplete:
            yield f"{self.category}: {self.n_incomplete:,} roots lack a group that other roots have"
        for gap in self.gaps:
            yield f"{self.category}: {gap}"
        yield from (f"{self.category}: {misfit}" for misfit in self.misfits)
        if self.n_same_text:
            yield f"{self.category}: {self.n_same_text:,} prompts repeat another's text word for word"


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
    dropped: dict[str, Counter[str]] = {category: Counter() for category in suite.categories}
    with wanted_tables(store, ("prompts", "texts", "prompt_flags")):
        with click.progressbar(length=n_rows, label="Assembling", file=sys.stderr, hidden=hidden) as bar:
            for category in suite.categories:
                rows = chain(
                    prompt_rows(suite, category, builder),
                    split_rows(store, suite, category, builder, dropped[category]),
                    file_rows(suite, category, builder, folder, dropped[category]),
                    question_rows(store, suite, category, builder, writers or {}, dropped[category]),
                )
                while batch := list(islice(rows, BATCH)):
                    _want(store, batch)
                    bar.update(len(batch))
        _are_in_their_language(store, suite)
        categories = [
            replace(
                _assembled(store, suite, category),
                dropped=tuple(dropped[category].most_common()),
                misfits=tuple(dict.fromkeys(_misfits(suite, category))),
            )
            for category in suite.categories
        ]
        if not dry_run:
            with store.transaction():
                _keep(store, suite)
        n_outdated = count_outdated(store, suite.suite, METHODS)
    return Assembly(categories, n_outdated)


def _want(store: Store, rows: list[dict[str, Any]]) -> None:
    """Put rows into the temporary tables, each part into its own."""
    baselines = {row.pop("baseline") for row in rows} - {None}
    flags = [{"prompt_key": row["prompt_key"], "flag": flag} for row in rows for flag in row.pop("flags", [])]
    store.append("wanted_prompts", rows)
    store.append("wanted_texts", [text_row(text) for text in sorted(baselines)])
    store.append("wanted_prompt_flags", flags)


def _misfits(suite: Suite, category: str) -> Iterator[str]:
    """Say before which groups' words the article of a template is wrong."""
    for template in suite.categories[category].templates if suite.language.startswith("en") else ():
        for article, attribute in ARTICLE.findall(template.text):
            wrong = [
                word
                for value in suite.attributes.get(attribute, ())
                if starts_with_vowel_sound(word := suite.word(attribute, value)) == (article.lower() == "a")
            ]
            if wrong:
                yield (
                    f"“{article} {{{attribute}}}” is wrong before {', '.join(wrong[:3])}: rephrase it, "
                    "or write the article into the `words`"
                )


def _are_in_their_language(store: Store, suite: Suite) -> None:
    """Raise PlumblineError where most prompts of a category are in a language that nobody named."""
    counted = store.rows(
        """
        select category, language, count(*), sum(count(*)) over (partition by category)
        from wanted_prompts group by category, language order by category, 3 desc, language"""
    )
    named = frozenset[str]().union(*map(alike, suite.asked_languages))
    for category, language, n, of in counted:
        if not alike(language) & named and 2 * n > of:
            raise PlumblineError(
                f"Category {category}: its prompts are in {language!r}, and the suite says"
                f" `language: {suite.language}`.",
                f"Say `language: {language}`, or under `languages:` that other questions are in it.",
            )


def _keep(store: Store, suite: Suite) -> None:
    store.connection.execute("insert into texts select * from wanted_texts anti join texts using (text_key)")
    store.connection.execute(
        "delete from prompt_flags where prompt_key in (select prompt_key from wanted_prompts)"
    )
    store.connection.execute("insert into prompt_flags select * from wanted_prompt_flags")
    keep_prompts(store)
    delete_unasked(store, suite.suite, METHODS)


def _assembled(store: Store, suite: Suite, category: str) -> Assembled:
    # What a benchmark says of its prompts, such as which option is right, is no group.
    roles = list(suite.benchmark.roles) if suite.benchmark else []
    counts = store.rows(
        """
        select
            count(*),
            count(*) filter (where p.prompt_key is null),
            count(distinct w.root_key),
            count(distinct list_filter(map_entries(w.attributes), lambda e: not list_contains(?, e.key))),
            count(*) - count(distinct w.prompt),
            count(distinct w.keyword) filter (where w.method = 'template')
        from wanted_prompts as w
        left join prompts as p on w.prompt_key = p.prompt_key and p.method = w.method
        where w.category = ?
        """,
        [roles, category],
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
    for attribute, shown in ((name, found) for name, found in present.items() if name not in roles):
        missing = [value for value in suite.attributes[attribute] if value not in shown]
        if missing and len(shown) == 1:
            gaps.append(f"{attribute} is always {min(shown)}")
        elif missing:
            gaps.append(f"no prompt is about {attribute} {', '.join(missing)}")
    n_prompts, n_new, n_roots, n_groups, n_same_text, n_people = counts
    n_incomplete = 0 if roles else n_incomplete
    sizes = (n_prompts, n_new, n_roots, n_groups, n_incomplete, n_same_text, n_people)
    return Assembled(category, *sizes, gaps=tuple(sorted(gaps)))


@click.command("assemble")
@suite_option()
@roots_option(help="At most this many roots of each category, in place of the suite's `sample:`.")
@send_key_option(help="Let this host have the key that the suite names, where a model writes questions.")
@allow_host_option()
@dry_run_option(help="Say how many prompts there would be, then stop.")
@click.pass_obj
def command(
    directory: Path,
    suite_path: Path,
    roots: int | None,
    hosts: tuple[str, ...],
    allowed_hosts: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Make the prompts that a suite's templates describe.

    Every root is asked about every group, so prompts of a root differ in the group and in nothing else.
    Run it again, and it adds only what is new.

    Roots are sampled whole, with all their groups, by the suite's `sample: seed:`. A larger sample holds
    every smaller one, so a small audit can grow.
    """
    suite = load_suite(suite_path).sampled(roots=roots)
    folder = suite_path.resolve().parent
    with opened(directory, dry_run) as store:
        refuse_groups_that_are_gone(store, suite)
        if dry_run:
            _say(assemble_prompts(store, suite, folder, dry_run=True), suite_path)
        else:
            detail = {"suite": suite.suite, "suite_key": suite.suite_key, "sample": suite.sample.model_dump()}
            asked = {
                category.corpus.questions.config
                for category in suite.categories.values()
                if category.corpus and category.corpus.method == "question" and category.corpus.questions
            }
            writing = [asked_configs(suite, label)[label] for label in asked]
            check_reach(store, suite_path, asked_places(writing), (*allowed_hosts, *hosts))
            # What is refused leaves no trace; what a model has written stays.
            whole = nullcontext() if writing else store.transaction()
            with store.run("assemble", detail) as run_id, whole:
                writers = {label: Writer(store, suite, label, run_id, hosts) for label in sorted(asked)}
                assembly = assemble_prompts(store, suite, folder, writers=writers)
                _say(assembly, suite_path)
                register_suite(store, suite, suite_path, run_id)


def _say(assembly: Assembly, suite_path: Path) -> None:
    """Say what was made. Raises PlumblineError where that is nothing."""
    for assembled in assembly.categories:
        for line in assembled.lines():
            say(line)
    if assembly.n_outdated:
        say(
            f"{assembly.n_outdated:,} prompts of an earlier version of the templates, or of a larger sample, "
            "have answers and stay. Where the suite has their category still, each config that lacks answers "
            "to them is asked them, too; an audit without them needs a folder of its own (`plumbline --data "
            "DIR …`).",
            err=True,
        )
    if not any(assembled.n_prompts for assembled in assembly.categories):
        raise PlumblineError(
            f"{suite_path} has no prompts, so there is nothing to ask.",
            "Give a category `prompts:`, or bring in responses with `plumbline load FILE --suite FILE`.",
        )
