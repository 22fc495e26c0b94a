"""`plumbline plan`: how large a design must be for each verdict, what that costs, what it finds as it is."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from ingest.asking.designs import Earlier, Question, questions
from ingest.asking.flagged import UNFLAGGED, asked_parameters, left_out
from ingest.asking.forecast import ASKED, tokens_for
from ingest.asking.judged import Judged, judged_by, n_together
from ingest.asking.plan import OUTPUT_LIMITS, asked_configs
from ingest.assemble import assemble_prompts
from ingest.backends.hosted import LIMIT
from ingest.branch import branch_prompts
from ingest.errors import PlumblineError, say
from ingest.inference.constants import POWER
from ingest.inference.planning import (
    DEFAULT_ICC,
    GAPS,
    LARGEST,
    Layout,
    Limit,
    Shares,
    gap_at,
    least,
    power_to_fail,
    power_to_pass,
)
from ingest.inference.power import labels_needed
from ingest.judging.stage import planned_votes
from ingest.options import config_option, configs_option, variant_option
from ingest.prompts.shown import names_without_block
from ingest.reach import asked_places, read_places
from ingest.store import Store, is_begun
from ingest.store.private import scratch
from ingest.suite import Config, Prices, Suite, config_labels, load_suite
from ingest.suite.definition import is_registered

FOUR_FIFTHS = 0.8
MOST_REPEATS = 1_000
UNITS = {"name": "names", "root": "roots", "prompt": "prompts"}
ERROR_RATES, HALF_WIDTHS = (0.0, 0.05, 0.1, 0.2), (0.1, 0.05, 0.03)
HEAD = ("to tell", "now", "{units}", "repeats", "now", "{units}", "repeats", "answers", "cost")


class Needed(NamedTuple):
    """What a verdict needs, each where nothing else changes; None where no number is enough."""

    units: int | None
    roots: int | None
    repeats: int | None


class Line(NamedTuple):
    """One thing to tell of a question: `fail` where one group differs by `gap`, `pass` where none does.

    `reached_at`: the gap at which the fail limit is reached. `answers` of a config, and the `cost` of all
    configs, are those of the larger design.
    """

    test: str
    gap: float
    reached_at: float | None
    power_to_fail: float
    to_fail: Needed
    power_to_pass: float
    to_pass: Needed
    answers: int | None
    cost: float | None

    def record(self, question: Question) -> dict[str, Any]:
        """The line as JSON has it."""
        layout = question.layout._asdict() | {"effective_n": question.layout.effective_n}
        own = self._asdict() | {"to_fail": self.to_fail._asdict(), "to_pass": self.to_pass._asdict()}
        named = ("category", "measure", "axis", "block", "icc_source", "shares_source")
        return {name: getattr(question, name) for name in named} | layout | own


@contextmanager
def planned(data: Path, suite: Suite, suite_path: Path) -> Iterator[Store]:
    """Open a store that holds the suite's prompts: the data folder's, where the suite is still the same.

    Else they are assembled anew, in a folder that is gone afterwards; sentences that were scraped are only in
    the data folder, and a suite that needs them is planned by the prompts there.
    """
    needs_corpus = any(category.corpus for category in suite.categories.values())
    if is_begun(data):
        with Store(data, read_only=True) as store:
            if needs_corpus or is_registered(store, suite):
                yield store
                return
    with scratch() as empty, Store(empty) as store:
        assemble_prompts(store, suite, suite_path.resolve().parent)
        if suite.branches:
            branch_prompts(store, suite, suite_path, "plan")
        yield store


def lines_of(
    question: Question, judged: Sequence[Judged], n_tables: int, power: float, price: float | None
) -> Iterator[Line]:
    """Yield what is planned of a question: gaps, the impact ratio of four fifths, the profile's limits.

    `n_tables` of a config are corrected together; `price` is a Bill's.
    """
    layout, binary = question.layout, question.most_frequent

    def line(test: str, gap: float, limit: Limit, shares: Shares, has_repeats: bool) -> Line:
        def fails(layout: Layout) -> float:
            return power_to_fail(layout, shares, gap, limit, n_tables)

        def passes(layout: Layout) -> float:
            return power_to_pass(layout, shares, 0.0, limit, n_tables)

        to_fail, to_pass = (_needed(question, reach, power, has_repeats) for reach in (fails, passes))
        units = max((n for n in (to_fail.units, to_pass.units) if n is not None), default=None)
        answers = units and round(units * layout.n_groups * layout.n_prompts * layout.n_repeats)
        cost = answers * price if answers and price is not None else None
        reached = gap_at(limit, shares, layout.n_groups)
        return Line(test, gap, reached, fails(layout), to_fail, passes(layout), to_pass, answers, cost)

    for gap in GAPS:
        yield line(f"a gap of {100 * gap:g} points", gap, Limit("range", None, gap), binary, True)
    if question.rate is not None:
        ratio = Limit("min_impact_ratio", None, FOUR_FIFTHS)
        at = gap_at(ratio._replace(fail=FOUR_FIFTHS), binary, layout.n_groups)
        if at is not None:
            yield line(f"an impact ratio of {FOUR_FIFTHS:g}", at, ratio, binary, True)
    for metric, statistic, _, limit in (one for one in judged if one.is_for(question)):
        for gap in GAPS:
            yield line(f"{metric} {limit.fail:g}", gap, limit, question.shares_of(statistic), False)


def _needed(question: Question, reach: Callable[[Layout], float], power: float, has_repeats: bool) -> Needed:
    layout = question.layout

    units = least(lambda n: reach(layout._replace(n_units=n)), power, LARGEST)
    if not has_repeats:
        return Needed(units, None, None)
    roots = units
    if question.block == "name":
        roots = least(lambda n: reach(layout._replace(n_prompts=n)), power, MOST_REPEATS)
    return Needed(units, roots, least(lambda n: reach(layout._replace(n_repeats=n)), power, MOST_REPEATS))


class Bill(NamedTuple):
    """What asking the suite as it stands takes, of the configs that have prices.

    `price` is that of an answer of the config that is asked least, with what the others answer meanwhile;
    `cost` that of all their answers.
    """

    price: float
    cost: float
    n_answers: int
    n_prompt: int
    n_output: int
    is_measured: bool

    def line(self, suite: Suite, prices: Sequence[Prices]) -> str:
        """The bill in words."""
        about = "about" if self.is_measured else "at most"
        currency = f" {prices[0].currency}" if prices[0].currency else ""
        dates = sorted({str(price.date) for price in prices if price.date})
        of = f" at prices of {' and '.join(dates)}" if dates else ""
        budget = f", of a budget of {suite.budget:,.2f}" if suite.budget is not None else ""
        return (
            f"{suite.suite}: {self.n_answers:,} answers of configs with prices take about {self.n_prompt:,} "
            f"tokens read and {about} {self.n_output:,} written: {about} {self.cost:,.2f}{currency}{of}"
            f"{budget}."
        )


def bill(store: Store, suite: Suite, configs: Mapping[str, Config]) -> Bill | None:
    """What these configs cost, of those that have prices; None where none has, or nothing is asked.

    A config without answers, and without a limit of its own, is taken to write as much as hosted models may
    by default.
    """
    asked = store.rows(f"{ASKED} from prompts as p where {UNFLAGGED}", asked_parameters(suite))[0]
    priced = {label: config for label, config in configs.items() if config.prices}
    if not priced or not asked[0]:
        return None
    least = min(config.repeats for config in suite.grid)
    cost, n_prompt, n_output, is_measured = 0.0, 0.0, 0, True
    for label, config in priced.items():
        keys = store.rows("select config_key from configs where config = ?", [label])
        limits = [config.options[name] for name in OUTPUT_LIMITS if name in config.options]
        most = min((limit for limit in limits if isinstance(limit, int)), default=LIMIT.default)
        tokens = tokens_for(store, config, keys[-1][0] if keys else "", asked, most)
        once = tokens.cost(config.charged) or 0.0
        cost += once * config.repeats
        n_prompt += tokens.n_prompt * config.repeats
        n_output += (tokens.n_output or 0) * config.repeats
        is_measured = is_measured and bool(tokens.n_measured)
    n_answers = asked[0] * sum(config.repeats for config in priced.values())
    return Bill(cost / (asked[0] * least), cost, n_answers, math.ceil(n_prompt), n_output, is_measured)


def _table(question: Question, lines: Sequence[Line]) -> Iterator[str]:
    """Yield a question as text: its layout, then a row a test; a limit's gaps stand in one row."""
    layout, units = question.layout, UNITS[question.block]
    whose = "all asked about every group" if layout.is_shared else "a group"
    among = f", each a choice among {layout.n_together}" if layout.n_together > 1 else ""
    yield ""
    yield (
        f"{question.category} {question.measure} by {question.axis}: {layout.n_groups} groups, "
        f"{layout.n_units:,} {units} ({whose}) × {layout.n_prompts:g} prompts × {layout.n_repeats:g} "
        f"repeats{among}; ICC {layout.icc:.2f} ({question.icc_source}): worth {layout.effective_n:,.0f} "
        "answers a group"
    )
    if layout.n_units < 2:
        yield f"  No verdict: with one of the {units} a group, it and the group cannot be told apart."
    rows = [
        ("", "to fail", "", "", "to pass", "", "", "", ""),
        tuple(cell.format(units=units) for cell in HEAD),
    ]
    tests: dict[str, list[Line]] = {}
    for line in lines:
        tests.setdefault(line.test, []).append(line)
    for test, own in tests.items():
        last = own[-1]
        reached = f" (a gap of {100 * last.reached_at:.0f})" if last.reached_at is not None else ""
        many = len(own) > 1
        rows.append(
            (
                test + (reached if many else ""),
                _listed([f"{100 * line.power_to_fail:.0f}" for line in own]) + " %",
                _listed([_number(line.to_fail.units) for line in own]),
                "" if many else _number(last.to_fail.repeats),
                f"{100 * last.power_to_pass:.0f} %",
                _number(last.to_pass.units),
                "" if many else _number(last.to_pass.repeats),
                _number(last.answers),
                "" if last.cost is None else f"{last.cost:,.2f}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {row[0].ljust(len(first))}  {'  '.join(others)}".rstrip()


def _saving(question: Question) -> dict[str, Any]:
    """Return what token probabilities save: `worth` sampled answers each.

    Answers vary between prompts (that part is the ICC) and between draws of a prompt, of which probabilities
    have none. So one tells what 1 / ICC answers to as many prompts tell; repeats of a prompt never do.
    """
    layout = question.layout
    n_prompts = round(layout.n_units * layout.n_prompts)
    worth = 1 / layout.icc if layout.icc > 0 else None
    named = {name: getattr(question, name) for name in ("category", "measure", "axis", "icc_source")}
    sampled = None if worth is None else round(n_prompts * worth)
    return {**named, "icc": layout.icc, "prompts": n_prompts, "worth": worth, "sampled_answers": sampled}


def _in_words(saving: dict[str, Any]) -> str:
    said = "{category} {measure} by {axis}: {prompts:,} prompts a group, with token probabilities. "
    if saving["worth"] is None:
        return (said + "Prompts are all alike (ICC 0): no number of sampled answers tells as much.").format(
            **saving
        )
    said += (
        "One such answer tells as much as {worth:.1f} sampled ones, each to another prompt "
        "(1 / ICC {icc:.2f}, {icc_source}): together {sampled_answers:,}."
    )
    return said.format(**saving)


def _labels() -> Iterator[str]:
    """Yield how many labels of people a correction needs, as text."""
    yield ""
    yield "Labels of people, of each group, so that errors of reading leave a share's 95 % interval within"
    yield "  errors of reading" + "".join(f"  ± {100 * width:2.0f} points" for width in HALF_WIDTHS)
    for rate in ERROR_RATES:
        cells = (f"{labels_needed(rate, width):,}".rjust(13) for width in HALF_WIDTHS)
        yield f"  {100 * rate:15.0f} %" + "".join(cells)


def _listed(cells: Sequence[str]) -> str:
    return "/".join(cells)


def _number(n: int | None) -> str:
    return "none" if n is None else f"{n:,}"


def _together(suite: Suite, asked: Sequence[Question], judged: Sequence[Judged]) -> str:
    """What a suite's family holds, in words."""
    most = max((n_together(suite, asked, judged, code) for code in suite.categories), default=1)
    what = {
        "config": f"{most:,} tables of a config",
        "question": f"at most {most:,} tables of a question",
        "audit": f"{most:,} tables of all configs",
    }
    return what[suite.families.gate]


@click.command("plan")
@click.argument("suite_path", metavar="SUITE", type=click.Path(path_type=Path))
@click.option(
    "--category",
    "categories",
    multiple=True,
    metavar="CODE",
    help="Plan this question only. Repeat it for more.",
)
@click.option(
    "--axis", "axes", multiple=True, metavar="AXIS", help="Plan this axis only. Repeat it for more."
)
@click.option(
    "--icc",
    type=click.FloatRange(0, 1),
    help="Correlation of answers about one name, or to one prompt.  "
    f"[default: that of earlier answers, or {DEFAULT_ICC}]",
)
@click.option(
    "--reference-rate",
    type=click.FloatRange(0, 1, min_open=True),
    help="Share of favourable answers in all groups but one.  [default: that of earlier answers, or 0.5]",
)
@click.option(
    "--power",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=POWER,
    show_default=True,
    help="How likely a verdict shall be.",
)
@config_option(help="What this config alone would cost: model (role).")
@configs_option(help="What the first N configs would cost.  [default: all]")
@variant_option()
@click.option("--json", "as_json", is_flag=True, help="Print each line as a line of JSON.")
@click.pass_obj
def command(
    data: Path,
    suite_path: Path,
    categories: tuple[str, ...],
    axes: tuple[str, ...],
    icc: float | None,
    reference_rate: float | None,
    power: float,
    only: str | None,
    n_configs: int | None,
    variant: str | None,
    as_json: bool,
) -> None:
    """Say how many names, roots and repeats each verdict needs, and how likely it is as the suite stands.

    To fail: one group differs from all others by so much. To pass: no group differs, and the gap, or the
    limit, is excluded. Two names are not sixty prompts: repeats of a prompt, and prompts about a name, count
    for less the more they resemble each other. `none`: no number is enough. Nothing is asked, and nothing is
    written.

    \b
    plumbline plan suites/mine.yml                          # every question and axis
    plumbline plan suites/mine.yml --category I1 --axis gender
    plumbline plan suites/mine.yml --icc 0.1 --power 0.9
    plumbline plan suites/mine.yml --json | jq 'select(.gap == 0.2)'
    """
    suite = load_suite(suite_path, variant)
    for given, known, option in (
        (categories, [*suite.categories], "--category"),
        (axes, suite.all_axes(), "--axis"),
    ):
        if unknown := [name for name in given if name not in known]:
            raise click.UsageError(f"{option} {unknown[0]}: the suite has {', '.join(known)}.")
    configs = dict(zip(config_labels(suite), suite.grid, strict=True))
    if only is not None or n_configs is not None:
        configs = asked_configs(suite.sampled(configs=n_configs), only)
    with planned(data, suite, suite_path) as store:
        notes = [] if as_json else [*left_out(store, suite), *names_without_block(store, suite)]
        asked = list(questions(store, suite, Earlier(data, suite.suite), icc, reference_rate))
        cost = bill(store, suite, configs)
        votes = list(planned_votes(store, suite, configs.values()))
    for text in notes:
        say(text)
    judged = judged_by(suite)
    chosen = [
        question
        for question in asked
        if (question.shares or question.is_probability)
        and question.category in (categories or suite.categories)
        if question.axis in (axes or suite.all_axes())
    ]
    if not chosen:
        raise PlumblineError(
            f"{suite_path}: no prompt here compares groups by what they are answered.",
            "Give a category `prompts:` about its attributes. Texts of a corpus come with `plumbline scrape` "
            "and `assemble`, answers with `load`.",
        )
    if not as_json:
        for place in [*read_places(suite), *asked_places(configs.values())]:
            say(f"{suite.suite} reaches {place.host}: {place.what}.")
        if cost is not None:
            say(cost.line(suite, [config.prices for config in configs.values() if config.prices]))
        say(
            f"{suite.suite}: to be {power:.0%} sure of a verdict of the profile {suite.profiles[0]}, which "
            f"corrects {_together(suite, asked, judged)} together."
        )
    for question in chosen:
        if question.is_probability:
            say(json.dumps(_saving(question)) if as_json else "\n" + _in_words(_saving(question)))
            continue
        n_tables = n_together(suite, asked, judged, question.category)
        lines = list(lines_of(question, judged, n_tables, power, cost and cost.price))
        if as_json:
            for line in lines:
                say(json.dumps(line.record(question)))
        else:
            for text in _table(question, lines):
                say(text)
    if not as_json:
        for text in [*_labels(), *votes]:
            say(text)
