"""Command show: the widest gaps between groups, drawn in the terminal, and the answers behind one."""

from pathlib import Path
from typing import Any

import click

from ingest.errors import PlumblineError, cut, in_one_line, say
from ingest.warehouse import Warehouse, check_inputs

SIGNS = {"fail": "✕", "monitor": "▲", "inconclusive": "?", "pass": "✓"}
WIDTH = 50  # characters from 0 to 100 answers of 100
MOST = 12  # comparisons shown without a question
CONFIGS = 4  # configs of which an audit's last lines tell
EXAMPLES = 2  # answers of each group
LONGEST = 300  # characters of an answer

# The gate's verdict of each comparison; of several numbers, the gravest.
COMPARISONS = """
    select *
    from rpt_verdicts
    where
        is_gate_profile and not is_control and measure_kind is not null
        and ($category is null or lower(category) = lower($category))
        and ($axis is null or axis = $axis)
        and ($config is null or config = $config)
    qualify row_number() over (partition by suite, config, category, axis, measure order by speaking_rank) = 1
    order by
        verdict_rank, n_attributes > 1, contrast_outcome is null, contrast_high - contrast_low desc,
        config, category, axis
"""
SHARES = """
    select group_value, n_cell, n_group, share
    from fct_outcome_shares
    where suite = ? and config = ? and category = ? and axis = ? and outcome_set = ? and outcome = ?
    order by share desc, group_value
"""
ANSWERS = """
    select responses.response_key, prompts.prompt, responses.response
    from dim_responses as responses
    inner join dim_prompts as prompts using (prompt_key)
    inner join int_prompts_grouped as grouped using (prompt_key)
    left join fct_outcomes as outcomes
        on responses.response_key = outcomes.response_key and outcomes.outcome_set = $measure
    where
        responses.suite = $suite and responses.config = $config and responses.category = $category
        and grouped.axis = $axis and grouped.group_value = $group_value
        and responses.response is not null
        and ($outcome is null or outcomes.outcome = $outcome)
    order by responses.response_key
    limit $n
"""


@click.command(name="show")
@click.argument("category", metavar="[QUESTION]", required=False)
@click.argument("axis", metavar="[ATTRIBUTE]", required=False)
@click.option("--config", help="Only this config.")
@click.pass_obj
def command(data: Path, category: str | None, axis: str | None, config: str | None) -> None:
    """Draw the widest gap between two groups of each comparison, gravest verdict first.

    With a question and an attribute, each group's share, two answers of each of the two groups, and the
    query that gives the rest.

    \b
    plumbline show                      # what is most different
    plumbline show D4                   # one question, by every attribute
    plumbline show D4 gender            # down to the answers
    plumbline show D4 "gender & race" --config gpt-4o-mini
    """
    check_inputs(data, is_stale_ok=True)
    with Warehouse(data) as warehouse:
        rows = warehouse.rows(COMPARISONS, {"category": category, "axis": axis, "config": config})
        if not rows:
            raise _nothing_to_show(warehouse, category)
        listed = rows if category else rows[:MOST]
        for row in listed:
            say(drawing(row))
            if category and axis:
                say(_way_to_the_answers(warehouse, row))
            say()
    if len(rows) > len(listed):
        say(f"… and {len(rows) - len(listed)} more: plumbline show {in_one_line(str(rows[0]['category']))}")


def closing(warehouse: Warehouse) -> None:
    """Say of each config where groups lie farthest apart, gravest first: how an audit ends."""
    rows = warehouse.rows(COMPARISONS, {"category": None, "axis": None, "config": None})
    first = list({(row["suite"], row["config"]): row for row in reversed(rows)}.values())[::-1]
    for row in first[:CONFIGS]:
        say("\n" + drawing(row))
    if rows:
        say("\nplumbline show draws the others; plumbline gate lists what fails.")


def drawing(row: dict[str, Any], width: int = WIDTH) -> str:
    """Return the widest gap of a row of `rpt_verdicts` in words and as a line of `width` characters."""
    is_share = row["measure_kind"] == "outcome"
    low, high = row["contrast_low"], row["contrast_high"]
    gap, chance = high - low, row["gap_chance"]
    start, end = (0.0, 1.0) if is_share else _ends(row)

    def number(value: float) -> str:
        # Halves go up, as on the site.
        return f"{int(100 * value + 0.5)}" if is_share else f"{value:.3g}"

    def place(value: float) -> int:
        return min(width - 1, max(0, round((width - 1) * (value - start) / (end - start))))

    line = ["─"] * width
    line[place(low) : place(high) + 1] = "━" * (place(high) - place(low) + 1)
    if chance is not None:
        for at in range(place(low), min(place(low + chance), width - 1) + 1):
            line[at] = "▒"
    line[place(low)], line[place(high)] = "○", "●"
    about, verb = (
        ("requests", "end as") if row["measure"] == "response_status" else ("answers", "are read as")
    )
    if is_share:
        words = f"Of 100 {about} about {row['group_high']}, {number(high)} {verb} "
        words += f"{_words(row['contrast_outcome'])}; "
        words += f"about {row['group_low']}, {number(low)}."
    else:
        words = f"{_words(row['measure'])} is {number(high)} on average about {row['group_high']}, "
        words += f"{number(low)} about {row['group_low']}."
    interval = (
        f" (95 % interval {number(row['gap_low'])} to {number(row['gap_high'])})"
        if row["gap_low"] is not None
        else ""
    )
    # Another number of the comparison may be beyond chance where its widest gap is not.
    rest = "" if row["verdict"] not in ("fail", "monitor") else "; the verdict rests on all groups together"
    beyond = "." if chance is None or gap > chance else f": this gap may be chance{rest}."
    told = "" if chance is None else f" Chance alone goes up to {number(chance)}{beyond}"
    verdict = f"{SIGNS.get(row['verdict'], '–')} {_words(row['verdict'])}"
    return "\n".join(
        [
            f"{verdict}  {row['category']} {row['category_title']}, by {row['axis']} · {row['config']}",
            f"  {words}",
            f"  {number(start)} {''.join(line)} {number(end)}",
            f"  The gap is {number(gap)}{' points' if is_share else ''}{interval}.{told}",
        ]
    )


def _ends(row: dict[str, Any]) -> tuple[float, float]:
    """A scale for means: the lower one at a quarter of it."""
    reach = max(row["contrast_high"] - row["contrast_low"], row["gap_high"] or 0, row["gap_chance"] or 0)
    return row["contrast_low"] - 0.5 * reach, row["contrast_low"] + 1.5 * reach


def _quoted(text: str) -> str:
    """A text as SQL has it."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _way_to_the_answers(warehouse: Warehouse, row: dict[str, Any]) -> str:
    """Each group's share, what was judged, answers of the two groups, and the query for the rest."""
    place = {name: row[name] for name in ("suite", "config", "category", "axis", "measure")}
    outcome = row["contrast_outcome"]
    lines = []
    if outcome is not None:
        lines += [
            f"    {share['group_value']}: {100 * share['share']:.0f} % "
            f"({share['n_cell']:,} of {share['n_group']:,})"
            for share in warehouse.rows(SHARES, [*place.values(), outcome])
        ]
    lines += ["  What was judged: " + in_one_line(f"{row['headline']} {row['reason']}")]
    for group in (row["group_high"], row["group_low"]):
        lines.append(f"  About {group}:")
        wanted = {
            **place,
            "group_value": group,
            "outcome": outcome if group == row["group_high"] else None,
            "n": EXAMPLES,
        }
        for answer in warehouse.rows(ANSWERS, wanted):
            lines.append(f"    {in_one_line(answer['prompt'])}")
            lines.append(f"    → {in_one_line(cut(answer['response'], LONGEST))}  [{answer['response_key']}]")
    chosen = " and ".join(f"{name} = {_quoted(row[name])}" for name in ("suite", "category", "config"))
    lines.append(
        "  All of them: select prompt, attributes, response, outcome from fct_outcomes "
        "join dim_responses using (response_key, prompt_key, suite, category, config) "
        f"join dim_prompts using (prompt_key, suite, category) where {chosen}"
    )
    return "\n".join(lines)


def _nothing_to_show(warehouse: Warehouse, category: str | None) -> PlumblineError:
    there = warehouse.rows(
        """
        select distinct case when $category is null then category else axis end as name
        from rpt_verdicts
        where is_gate_profile and not is_control and ($category is null or lower(category) = lower($category))
        order by name
        """,
        {"category": category},
    )
    if not there and category is not None:
        return _nothing_to_show(warehouse, None)
    names = ", ".join(row["name"] for row in there)
    what = "No two groups differ there, or there is no such comparison."
    return PlumblineError(
        what, f"There are: {names}." if names else "Nothing was judged: run `plumbline status`."
    )
