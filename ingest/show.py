"""Command show: the widest gaps between groups, drawn in the terminal, and the answers behind one."""

from pathlib import Path
from typing import Any

import click

from ingest.errors import PlumblineError, cut, in_one_line, printable, say
from ingest.options import completed
from ingest.terminal import drawing
from ingest.warehouse import Warehouse, check_inputs, evidence, verdict_counts

MOST = 12  # comparisons shown without a question
CONFIGS = 3  # configs of which an audit's last lines tell
EXAMPLES = 2  # answers of each group
# Four fifths has none for labels of which none is good, plumbline none for numbers that came with answers.
NO_LIMIT = (
    "no limit of its profiles is about its numbers. Limits on rates need the good labels in `favourable:`. "
    "`profiles: [plumbline]` judges all labels, `[four_fifths]` numbers that came with answers."
)
LONGEST = 300  # characters of an answer


@click.command(name="show")
@click.argument("category", metavar="[QUESTION]", required=False, shell_complete=completed("questions"))
@click.argument("axis", metavar="[ATTRIBUTE]", required=False, shell_complete=completed("attributes"))
@click.option("--config", help="Only this config.", shell_complete=completed("configs"))
@click.pass_obj
def command(data: Path, category: str | None, axis: str | None, config: str | None) -> None:
    """Draw the widest gap between two groups of each comparison, gravest verdict first.

    With a question and an attribute, show each group's number with its interval, two answers of each of the
    two groups that lie farthest apart, and the query that gives the rest.

    \b
    plumbline show                      # what is most different
    plumbline show D4                   # one question, by every attribute
    plumbline show D4 gender            # down to the answers
    plumbline show D4 "gender & race" --config gpt-4o-mini
    """
    check_inputs(data, is_stale_ok=True)
    with Warehouse(data) as warehouse:
        rows = evidence.comparisons(warehouse, category, axis, config)
        if not rows:
            raise _nothing_to_show(warehouse, category, axis, config)
        listed = rows if category else rows[:MOST]
        for row in listed:
            say(drawing.gap(row))
            if category and axis:
                say("\n".join(_way_to_the_answers(warehouse, row)))
            say(f"  Why: plumbline why {row['verdict_name']}\n")
    if len(rows) > len(listed):
        say(
            f"… and {len(rows) - len(listed)} more: name a question, as in plumbline show "
            f"{in_one_line(str(rows[0]['category']))}"
        )


def closing(warehouse: Warehouse, suite: str, is_terminal: bool) -> None:
    """End an audit: verdicts as a table, where groups lie farthest apart."""
    counts = verdict_counts(warehouse)
    if is_terminal:
        say("\n".join(drawing.verdict_table(counts)))
    rows = [row for row in evidence.comparisons(warehouse) if row["suite"] == suite]
    gravest: dict[str, dict[str, Any]] = {}
    for row in rows:
        gravest.setdefault(row["config"], row)
    for row in list(gravest.values())[:CONFIGS]:
        say(f"\n{drawing.gap(row)}\n  Why: plumbline why {row['verdict_name']}")
    if suite not in evidence.judged_suites(warehouse):
        say(f"{in_one_line(suite)} has no verdict: {NO_LIMIT}")
    if rows:
        say("\nplumbline show draws the others; plumbline gate lists what fails.")


def _way_to_the_answers(warehouse: Warehouse, row: dict[str, Any]) -> list[str]:
    """Each group's number, what was judged, answers of the two groups, and the query for the rest."""
    is_share = row["measure_kind"] == "outcome"
    lines = [""]
    if numbers := evidence.group_numbers(warehouse, row):
        lines += drawing.groups(numbers, is_share, row["gap_chance"])
        lines += drawing.key_of_groups(is_share, row["gap_chance"])
        if row["measure_check"] == "corrected":
            lines.append(
                drawing.wrapped(
                    f"Groups stand as the rules read them, the gap does not.{drawing.checked(row)}"
                )
            )
    lines += ["", drawing.wrapped(f"What was judged: {row['headline']} {row['reason']}"), ""]
    for group in (row["group_high"], row["group_low"]):
        found = evidence.answers(warehouse, row, group, EXAMPLES)
        lines.append(drawing.wrapped(f"About {group}:{'' if found else ' no answer came with its text.'}"))
        for answer in found:
            lines.append(drawing.wrapped(answer["prompt"], 4))
            if "value" in answer:
                read = drawing.measured(answer["value"])
            else:
                read = drawing.words(answer["outcome"] or "")
            shown = f" [{read}]" if read and answer["response"] != f"({answer.get('outcome')})" else ""
            lines.append(drawing.wrapped(f"→ {cut(in_one_line(answer['response']), LONGEST)}{shown}", 4))
            lines.append(f"      [{answer['response_key']}]")
    lines += ["", f"  All of them: {in_one_line(evidence.query(row))}"]
    return lines


def _nothing_to_show(
    warehouse: Warehouse, category: str | None, axis: str | None, config: str | None
) -> PlumblineError:
    configs = evidence.configs(warehouse)
    if config is not None and config not in configs:
        return PlumblineError(f"There is no config {printable(config)}.", f"There are: {', '.join(configs)}.")
    names = evidence.places(warehouse, category) or evidence.places(warehouse, None)
    if not names:
        return PlumblineError("Nothing was judged.", "Run `plumbline status`.")
    place = (category, axis, config)
    if reasons := evidence.unjudged(warehouse, *place):
        is_judged = evidence.is_judged(warehouse, *place)
        none = "No two groups differ." if is_judged else "Nothing could be judged."
        return PlumblineError(f"{none} {' '.join(reasons)}", "Run `plumbline status`.")
    return PlumblineError("There is no such comparison.", f"There are: {', '.join(names)}.")
