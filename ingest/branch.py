"""Stage branch: prompts about a root group become the same prompts about every other group (SPEC BRA)."""

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ingest.asking.plan import asked_configs
from ingest.asking.written_texts import Writer
from ingest.corpus.keywords import parse_object
from ingest.errors import PlumblineError, say
from ingest.keys import key, text_key, text_row
from ingest.options import allow_host_option, dry_run_option, send_key_option, suite_option
from ingest.prompts import BASELINE_KINDS, PromptBuilder
from ingest.prompts.replacements import Replacer, read_tables, replacers
from ingest.prompts.wanted import delete_unasked, keep_prompts, wanted_tables
from ingest.reach import asked_places, check_reach
from ingest.store import Store, opened
from ingest.suite import Branching, Suite, load_suite
from ingest.suite.definition import register_suite
from ingest.suite.fields import composed

METHOD = "branch"
SHOW_PROGRESS_FROM = 5_000
UNCHANGED = "unchanged"
RESIDUAL = "mentions_root"
SAME_TEXT = "same_text"
COUNTERFACTUAL, _, UNBRANCHED = BASELINE_KINDS
REASONS = {
    UNCHANGED: "no phrase of its table stands in the root",
    SAME_TEXT: "another root gives the same words",
}


@dataclass
class Branched:
    """What branching one category gave; counts are of prompts."""

    category: str
    n_roots: int = 0
    n_targets: int = 0
    n_prompts: int = 0
    n_new: int = 0
    n_incomplete: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    untold: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        if not self.n_roots:
            yield f"{self.category}: no prompt is about the root, nothing to branch"
            return
        yield (
            f"{self.category}: {self.n_prompts:,} branches ({self.n_new:,} new) of {self.n_roots:,} roots "
            f"× {self.n_targets:,} groups"
        )
        for reason, n in self.rejected.most_common():
            yield f"{self.category}: {n:,} branches rejected: {reason}"
        if self.n_incomplete:
            yield f"{self.category}: {self.n_incomplete:,} roots lack a group"
        for flag, n in self.flags.most_common():
            yield f"{self.category}: {n:,} branches flagged {flag}: look at them in prompt_flags"
        if self.untold:
            yield f"{self.category}: no replacements for {', '.join(self.untold)}"


@dataclass(frozen=True)
class Root:
    """A prompt to branch: what the raw table holds of it."""

    prompt_key: str
    prompt: str
    baseline: str | None
    source_tag: str | None
    keyword: str | None
    root_key: str
    block_key: str
    attributes: dict[str, str]
    template: str | None
    slots: dict[str, str] | None

    @property
    def goes_on(self) -> str:
        """What stood after the prompt in the sentence that it was cut from."""
        baseline = self.baseline or ""
        return baseline[len(self.prompt) :] if baseline.startswith(self.prompt) else ""


@dataclass
class Made:
    """Rows of the raw tables `rejects`, `prompt_flags` and `texts` that branching gives."""

    rejects: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, Any]] = field(default_factory=list)
    texts: list[dict[str, Any]] = field(default_factory=list)


def branch_prompts(store: Store, suite: Suite, suite_path: Path, run_id: str | None) -> list[Branched]:
    """Add the branches that are not there yet; `run_id` None leaves the tables as they are.

    Branches of an earlier version of the tables go if nobody was ever asked them.
    """
    builder = PromptBuilder(suite)
    results = []
    made = Made()
    with wanted_tables(store, ("prompts",)):
        for branching in suite.branches:
            tables = _tables(suite, suite_path, branching)
            results.append(_branch(store, suite, branching, tables, builder, made))
        _flag_same_texts(store, suite, results, made)
        for branched in results:
            branched.n_prompts, branched.n_new = store.rows(
                """
                select count(*), count(*) filter (where p.prompt_key is null)
                from wanted_prompts as w
                left join prompts as p on w.prompt_key = p.prompt_key
                where w.category = ?
                """,
                [branched.category],
            )[0]
        if run_id is not None:
            with store.transaction():
                _keep(store, suite, run_id, made)
    return results


def _tables(suite: Suite, suite_path: Path, branching: Branching) -> dict[tuple[str, str], Replacer]:
    values = list(suite.attributes[branching.attribute])
    rows = read_tables(suite_path, branching.replacements, values)
    try:
        return replacers(branching, rows, values)
    except ValueError as error:
        raise PlumblineError(
            f"{suite_path}: branches of {branching.category}: {error}.", "Correct the replacement table."
        ) from error


def _branch(
    store: Store,
    suite: Suite,
    branching: Branching,
    tables: dict[tuple[str, str], Replacer],
    builder: PromptBuilder,
    made: Made,
) -> Branched:
    """Put one category's branches into `wanted_prompts`."""
    branched = Branched(branching.category, n_targets=len(tables))
    reached = {value for pair in tables for value in pair}
    branched.untold = [v for v in suite.attributes[branching.attribute] if v not in reached]
    roots = {start: _roots(store, suite, branching, start) for start in dict.fromkeys(a for a, _ in tables)}
    branched.n_roots = sum(len(found) for found in roots.values())
    total = sum(len(roots[start]) for start, _ in tables)
    hidden = total < SHOW_PROGRESS_FROM
    lacking: set[str] = set()
    taken: dict[str, str] = {}
    with click.progressbar(length=total, label="Branching", file=sys.stderr, hidden=hidden) as bar:
        for (start, target), replacer in tables.items():
            batch = []
            for root in roots[start]:
                found = replacer(root.prompt, root.goes_on)
                row = _row(suite, branching, builder, root, (start, target), found.text)
                reason = UNCHANGED if found.text == root.prompt else None
                if not reason and taken.setdefault(row["prompt_key"], root.prompt_key) != root.prompt_key:
                    reason = SAME_TEXT
                if reason:
                    made.rejects.append(_reject(suite, branching, root, target, reason))
                    branched.rejected[reason] += 1
                    lacking.add(root.prompt_key)
                    continue
                still_named = builder.word_of(branching.attribute, start, composed(found.text))
                flags = {*found.flags, *([RESIDUAL] if still_named else [])}
                if root.baseline is not None:
                    text = root.baseline
                    if branching.counterfactual_baseline:
                        baseline = replacer(text)
                        text = baseline.text
                        flags |= {f"baseline_{flag}" for flag in baseline.flags}
                    row["baseline_text_key"] = text_key(text)
                    row["baseline_kind"] = COUNTERFACTUAL if branching.counterfactual_baseline else UNBRANCHED
                    made.texts.append(text_row(text))
                branched.flags.update(flags)
                made.flags += [{"prompt_key": row["prompt_key"], "flag": flag} for flag in sorted(flags)]
                batch.append(row)
            store.append("wanted_prompts", batch)
            bar.update(len(roots[start]))
    branched.n_incomplete = len(lacking)
    return branched


def _roots(store: Store, suite: Suite, branching: Branching, start: str) -> list[Root]:
    tag = branching.source_tag
    rows = store.rows(
        """
        select
            p.prompt_key, p.prompt, t.text, p.source_tag, p.keyword, p.root_key, p.block_key, p.attributes,
            p.template, p.slots
        from prompts as p
        left join texts as t on p.baseline_text_key = t.text_key
        where
            p.suite = ? and p.category = ? and p.method not in (?, 'loaded')
            and p.attributes[?] = ?
            and p.source_tag is not distinct from coalesce(?, p.source_tag)
        order by p.prompt_key
        """,
        [suite.suite, branching.category, METHOD, branching.attribute, start, tag],
    )
    return [Root(*values) for values in rows]


def _row(
    suite: Suite, branching: Branching, builder: PromptBuilder, root: Root, pair: tuple[str, str], text: str
) -> dict[str, Any]:
    start, target = pair
    attributes = {**root.attributes, branching.attribute: target}
    row = builder.row(
        branching.category,
        text,
        attributes,
        method=METHOD,
        root=root.prompt,
        template=root.template,
        slots=root.slots,
    )
    is_own_block = suite.categories[branching.category].block == "prompt"
    return row | {
        "concept": target,
        "keyword": root.keyword,
        "source_tag": f"br_{root.source_tag or 'prompts'}_cat_{start}",
        "root_key": root.root_key,
        # Branches share what a root is; a prompt that is its own block stays one.
        "block_key": (row if is_own_block else vars(root))["block_key"],
    }


def _reject(suite: Suite, branching: Branching, root: Root, target: str, reason: str) -> dict[str, Any]:
    return {
        "reject_key": key("reject", suite.suite, METHOD, root.prompt_key, target),
        "suite": suite.suite,
        "source_file": ", ".join(branching.replacements),
        "source_row": None,
        "reason": reason,
        "detail": f"{target}: {REASONS[reason]}, prompt {root.prompt_key}",
    }


def _flag_same_texts(store: Store, suite: Suite, results: list[Branched], made: Made) -> None:
    """Flag branches that say of one group, word for word, what another prompt says of another."""
    found = store.rows(
        """
        with everything as (
            select category, prompt, prompt_key from wanted_prompts
            union
            select category, prompt, prompt_key from prompts where suite = ? and method <> ?
        )

        select w.category, w.prompt_key
        from wanted_prompts as w
        inner join everything as e
            on w.category = e.category and w.prompt = e.prompt and w.prompt_key <> e.prompt_key
        group by all
        order by all
        """,
        [suite.suite, METHOD],
    )
    for category, prompt_key in found:
        made.flags.append({"prompt_key": prompt_key, "flag": SAME_TEXT})
        next(r for r in results if r.category == category).flags[SAME_TEXT] += 1


def _keep(store: Store, suite: Suite, run_id: str, made: Made) -> None:
    own = "select prompt_key from prompts where suite = ? and method = ?"
    execute = store.connection.execute
    execute(f"delete from prompt_flags where prompt_key in ({own})", [suite.suite, METHOD])
    delete_unasked(store, suite.suite, [METHOD])
    keep_prompts(store, METHOD)
    store.append("texts", list({row["text_key"]: row for row in made.texts}.values()))
    store.append("prompt_flags", made.flags)
    execute(
        "delete from rejects where suite = ? and list_contains(?, reason) and source_row is null",
        [suite.suite, list(REASONS)],
    )
    store.append("rejects", [{**row, "run_id": run_id} for row in made.rejects])


def propose(writer: Writer, suite: Suite, branching: Branching, path: Path) -> int:
    """Write a table that a model proposes, for a person to correct and approve; return its rows.

    Raises PlumblineError if the file is there.
    """
    values = suite.attributes[branching.attribute]
    words = list(dict.fromkeys([branching.root, *values[branching.root].words]))
    rows = []
    for target in values:
        if target == branching.root:
            continue
        asked = (
            f"In texts about {suite.word(branching.attribute, branching.root)} these words stand: "
            f"{json.dumps(words, ensure_ascii=False)}. The same texts shall be about "
            f"{suite.word(branching.attribute, target)}. Answer with a JSON object and nothing else: each "
            "word above with the word or phrase that has its place, in the same grammatical form."
        )
        answer = writer.write("replacements", asked, category=branching.category)
        found = parse_object(answer or "")
        rows += [[target, word, found.get(word, ""), "no"] for word in words]
    try:
        with path.open("x", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["target", "from", "to", "approved"])
            table.writerows(rows)
    except FileExistsError as error:
        raise PlumblineError(f"{path} is there already.", "Name another file.") from error
    except OSError as error:
        raise PlumblineError(f"{path} cannot be written: {error.strerror}.", "Name another file.") from error
    return len(rows)


@click.command("branch")
@suite_option(help="The suite file; its `branches:` name the root group and the replacement tables.")
@click.option(
    "--propose",
    "proposal",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Have --config propose a replacement table, write it here and stop.",
)
@click.option("--config", "label", metavar="LABEL", help="The config that proposes: model (role).")
@send_key_option(help="Let this host have the config's key.")
@allow_host_option()
@dry_run_option(help="Say how many branches there would be, then stop.")
@click.pass_obj
def command(
    directory: Path,
    suite_path: Path,
    proposal: Path | None,
    label: str | None,
    hosts: tuple[str, ...],
    allowed_hosts: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Turn prompts about the root group into the same prompts about every other group.

    \b
    plumbline branch --suite suites/mine.yml --propose lands.csv --config llama3.1:8b
    plumbline branch --suite suites/mine.yml --dry-run   # counts, rejected and flagged branches
    plumbline branch --suite suites/mine.yml

    A branch that says the same as its root is rejected. One that a person should look at is flagged, and
    not asked unless the suite's `ask_flagged:` says so. Run it again, and it adds only what is new. A
    proposed table is not used until a person has written yes into each row's `approved`.
    """
    suite = load_suite(suite_path)
    if not suite.branches:
        raise PlumblineError(
            f"{suite_path} has no `branches:`.",
            "Name a category, its root group and a replacement table there, or skip this stage.",
        )
    if proposal is not None:
        if label is None:
            raise click.UsageError("--propose needs --config: which config shall propose?")
        detail = {"suite": suite.suite, "suite_key": suite.suite_key, "proposal": proposal.name}
        with Store(directory) as store:
            check_reach(
                store,
                suite_path,
                asked_places(asked_configs(suite, label).values()),
                (*allowed_hosts, *hosts),
            )
            with store.run("branch", detail) as run_id:
                writer = Writer(store, suite, label, run_id, hosts)
                n_rows = propose(writer, suite, suite.branches[0], proposal)
        say(f"{proposal}: {n_rows:,} rows. Correct them, and write yes where you approve.")
        return
    with opened(directory, dry_run) as store:
        if dry_run:
            _say(branch_prompts(store, suite, suite_path, None))
        else:
            detail = {"suite": suite.suite, "suite_key": suite.suite_key}
            with store.run("branch", detail) as run_id, store.transaction():
                _say(branch_prompts(store, suite, suite_path, run_id))
                register_suite(store, suite, suite_path, run_id)


def _say(results: list[Branched]) -> None:
    """Say what was made. Raises PlumblineError where there is nothing to branch."""
    for branched in results:
        for line in branched.lines():
            say(line)
    if not any(branched.n_roots for branched in results):
        raise PlumblineError(
            "There is no prompt about a root group yet.",
            "Run `plumbline assemble` first; a root prompt has the root group as its attribute.",
        )
