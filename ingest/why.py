"""Command why: from a verdict to the answers behind it, in ten lines."""

from pathlib import Path
from typing import Any

import click

from ingest.errors import cut, in_one_line, printable, say
from ingest.options import completed, stale_option
from ingest.terminal import drawing
from ingest.warehouse import Warehouse, check_inputs, evidence

LONGEST = 160  # characters of an answer
INDENT = 9


@click.command(name="why")
@click.argument("name", metavar="VERDICT", shell_complete=completed("verdicts"))
@stale_option()
@click.pass_obj
def command(data: Path, name: str, is_stale_ok: bool) -> None:
    """Lead from a verdict to the answers behind it, in ten lines.

    VERDICT is a name that `plumbline gate`, `plumbline show` and the end of an audit print, or its beginning.
    The lines: verdict, limit, number, reason, groups, how answers are read, an answer about each of the two
    groups that lie farthest apart, and the query that finds all of them.

    \b
    plumbline why D4-gender-5c0f91ab
    plumbline why D4-gender-5         # enough, where no other name begins so
    """
    check_inputs(data, is_stale_ok)
    with Warehouse(data) as warehouse:
        say("\n".join(ten_lines(warehouse, evidence.verdict_named(warehouse, name))))


def ten_lines(warehouse: Warehouse, row: dict[str, Any]) -> list[str]:
    """Return the way from a row of `rpt_verdicts` to answers, a line a step."""
    line = f"{drawing.verdict_line(row)}  [{row['verdict_name']}]"
    group = f" of {row['group_value']}" if row["group_value"] else ""
    steps = [
        ("limit", f"{row['profile']} judges {row['metric']}{group}: {_limits(row)}. Source: {row['source']}"),
        ("number", row["number_sentence"]),
        ("reason", row["reason"]),
    ]
    if row["measure_kind"] is None:
        return [
            printable(line),
            *map(_step, steps),
            _step(("groups", row["contrast"] or "No two groups are compared.")),
        ]
    steps += [
        ("groups", drawing.gap_in_words(row)),
        ("", drawing.gap_line(row)),
        ("read by", f"{evidence.reading(warehouse, row)}{drawing.checked(row)}"),
    ]
    names = [drawing.fitted(row[name], INDENT) for name in ("group_high", "group_low")]
    for about in (row["group_high"], row["group_low"]):
        for answer in evidence.answers(warehouse, row, about, 1):
            number = f" ({drawing.measured(answer['value'])})" if "value" in answer else ""
            said = f"{cut(in_one_line(answer['response']), LONGEST)}{number} [{answer['response_key']}]"
            told = f"{cut(in_one_line(answer['prompt']), LONGEST)} → {said}"
            # Names that are alike as far as there is room stand in full.
            steps.append((about, told) if len({*names}) == 2 else ("about", f"{about}: {told}"))
    return [printable(line), *map(_step, [*steps, ("the rest", evidence.query(row))])]


def _limits(row: dict[str, Any]) -> str:
    is_higher_worse = row["direction"] == "higher_is_worse"
    red = row["red_limit"]
    fail = "no fail limit" if red is None else f"fail {'above' if is_higher_worse else 'below'} {red:g}"
    return f"pass {'below' if is_higher_worse else 'from'} {row['green_limit']:g}, {fail}"


def _step(step: tuple[str, str]) -> str:
    name, said = step
    return f"{drawing.fitted(name, INDENT)} {said if not name else in_one_line(said)}"
