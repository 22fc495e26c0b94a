"""Gaps as lines of signs: they need no colour, and fit 80 columns; sentences fit the terminal."""

import math
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ingest.errors import in_one_line, printable

SIGNS = {"fail": "✕", "monitor": "▲", "inconclusive": "?", "pass": "✓", "not_applicable": "–"}
COLUMNS = 80
NARROWEST, WIDEST = 40, 120  # of a sentence's line
WIDTH = 50  # signs from 0 to 100 answers of 100
NAME = 20  # columns of a group's name

Row = Mapping[str, Any]


def columns(text: str) -> int:
    """Return how many columns a text takes.

    >>> columns("né"), columns("中文")
    (2, 4)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def fitted(text: str, width: int) -> str:
    """Return a text of exactly so many columns: cut, or with spaces behind.

    >>> fitted("abcdef", 4), fitted("ab", 4)
    ('abc…', 'ab  ')
    """
    text = in_one_line(text)
    if columns(text) > width:
        while columns(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns(text))


def wrapped(text: str, indent: int = 2) -> str:
    """Return a sentence as lines that fit the terminal, long words uncut, none between a number and its %.

    Where nobody looks, they have at most 80 columns.

    >>> wrapped(76 * "a" + " 69 %", 0).splitlines()[1]
    '69 %'
    """
    margin, width = " " * indent, COLUMNS
    if sys.stdout.isatty():
        width = min(WIDEST, max(NARROWEST, shutil.get_terminal_size().columns))
    return textwrap.fill(
        printable(" ".join(text.splitlines())).replace(" %", "\0%"), width, initial_indent=margin,
        subsequent_indent=margin, break_long_words=False, break_on_hyphens=False,
    ).replace("\0", " ")  # fmt: skip


def words(name: str) -> str:
    """Return a name as words, as the pages have it (`measure_in_words`)."""
    return name.replace("vader_compound", "VADER sentiment").replace("_", " ")


def measured(value: float) -> str:
    """Return a measured number or a mean: from 1,000 on in full, else three digits, halves up."""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{float(f'{value:.7g}') * (1 + 1e-12):.3g}"


class Scale:
    """Numbers as places on a line, and as text: shares in answers of 100, means as they are."""

    def __init__(self, start: float, end: float, is_share: bool, width: int = WIDTH) -> None:
        self.start, self.end, self.is_share, self.width = start, end, is_share, width

    def number(self, value: float) -> str:
        """Return a number, rounded as on the site: halves up; what is not all or nothing is not called so."""
        if not self.is_share:
            return measured(value)
        whole = math.floor(100 * value + 0.5)
        return f"{whole}" if whole not in (0, 100) else f"{whole + float(f'{100 * value - whole:.1g}'):.7g}"

    def apart(self, high: float, low: float) -> str:
        """Return how far two numbers lie apart, and that rounded shares differ by another number."""
        size = self.number(high - low)
        if not self.is_share:
            return size
        is_sum = math.isclose(float(self.number(high)) - float(self.number(low)), float(size), abs_tol=1e-6)
        return f"{size} {'point' if size == '1' else 'points'}{'' if is_sum else ' before rounding'}"

    def place(self, value: float) -> int:
        """Return where a number stands, at either end where it lies beyond."""
        reach = (self.end - self.start) or 1.0
        return min(self.width - 1, max(0, round((self.width - 1) * (value - self.start) / reach)))

    def draw(self, line: list[str], start: float, end: float, sign: str) -> None:
        """Put a sign from one number to another."""
        first, last = self.place(start), self.place(end)
        line[first : last + 1] = sign * (last - first + 1)


def verdict_line(row: Row) -> str:
    """Return what was judged, and how; of which suite, where the marts have several."""
    suite = f"{row['suite']} · " if row["has_suites"] else ""
    verdict = f"{SIGNS.get(row['verdict'], '–')} {words(row['verdict'])}"
    return f"{verdict}  {row['category']} {row['category_title']}, by {row['axis']} · {suite}{row['config']}"


def gap(row: Row, width: int = WIDTH) -> str:
    """Return the widest gap of a row of `rpt_verdicts` in words and as a line of `width` signs."""
    scale = _scale(row, width)
    interval = (
        f" (95 % interval {scale.number(row['gap_low'])} to {scale.number(row['gap_high'])})"
        if row["gap_low"] is not None
        else ""
    )
    size, chance = row["contrast_high"] - row["contrast_low"], row["gap_chance"]
    is_settled = row["verdict"] in ("fail", "monitor")
    told = ""
    if chance is not None and size > chance:
        told = f" Chance alone gives more than {scale.number(chance)} once in 20 times."
        if is_settled and row["gap_low"] is not None and row["gap_low"] <= chance:
            told += " So there is a difference; its size is less sure."
        if row["verdict"] == "inconclusive":
            told += f" {row['reason']}"
    elif chance is not None:
        # Another number of the comparison may be beyond chance where its widest gap is not.
        rest = "; the verdict rests on another number of the comparison" if is_settled else ""
        number = scale.number(chance)
        told = f" Chance alone gives up to {number} in 19 of 20 times: this gap may be chance{rest}."
        if float(scale.number(row["gap_low"] or 0)) > 0:  # the interval leaves out 0, which proves nothing
            told += " Its interval is no proof: chance, too, gives a widest gap above 0."
    return "\n".join(
        [
            wrapped(verdict_line(row), 0),
            wrapped(gap_in_words(row)),
            f"  {gap_line(row, width)}",
            wrapped(f"The gap is {scale.apart(row['contrast_high'], row['contrast_low'])}{interval}.{told}"),
        ]
    )


def checked(row: Row) -> str:
    """Return whether people have checked what is read, after a space; nothing where none has to."""
    if row["measure_check"] == "corrected":
        return f" Corrected by what people read in {row['n_labels']:,} of these answers."
    return " No person has checked what it reads." if row["measure_check"] == "unvalidated" else ""


def gap_in_words(row: Row) -> str:
    """Return how many answers about either group are read so, or what two means are, each with its n.

    Where another attribute is known to matter, it says among whom the gap is widest.
    """
    more = f" {row['combination']}" if row["combination"] else ""
    if row["measure_kind"] == "outcome":
        return f"{row['contrast_sentence']}{more}"
    measure, n_high = words(row["measure"]), row["n_group_high"]
    return (
        f"{measure[:1].upper()}{measure[1:]} is {measured(row['contrast_high'])} on average "
        f"in {n_high:,} {'answer' if n_high == 1 else 'answers'} about {row['group_high']}, "
        f"{measured(row['contrast_low'])} in {row['n_group_low']:,} about {row['group_low']}.{more}"
    )


def gap_line(row: Row, width: int = WIDTH) -> str:
    """Return two dots on a scale, what lies between them, and what chance alone would put between them."""
    scale, low, high = _scale(row, width), row["contrast_low"], row["contrast_high"]
    line = ["─"] * width
    scale.draw(line, low, high, "━")
    if row["gap_chance"] is not None:
        scale.draw(line, low, low + row["gap_chance"], "▒")
    line[scale.place(low)], line[scale.place(high)] = "○", "●"
    return f"{scale.number(scale.start)} {''.join(line)} {scale.number(scale.end)}"


def _scale(row: Row, width: int = WIDTH) -> Scale:
    """Shares from 0 to 1; of means the lower one at a quarter."""
    if row["measure_kind"] == "outcome":
        return Scale(0.0, 1.0, True, width)
    reach = max(row["contrast_high"] - row["contrast_low"], row["gap_high"] or 0, row["gap_chance"] or 0)
    return Scale(row["contrast_low"] - 0.5 * reach, row["contrast_low"] + 1.5 * reach, False, width)


def groups(rows: Sequence[Row], is_share: bool, chance: float | None) -> list[str]:
    """Return a line a group: its number as a dot, its interval, and what chance gives beyond the lowest.

    Rows have group_value, value, low, high and n.
    """
    known = [row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None]
    lowest = min(row["value"] for row in rows)
    start, end = (0.0, 1.0) if is_share else (min(known), max([*known, lowest + (chance or 0)]))
    scale = Scale(start, end, is_share, COLUMNS - NAME - 24)
    band = None if chance is None else (lowest, lowest + chance)
    return [
        f"  {fitted(row['group_value'], NAME)} {_dot(scale, row, band)} {_counted(scale, row)}"
        for row in rows
    ]


def _dot(scale: Scale, row: Row, band: tuple[float, float] | None) -> str:
    line = ["─"] * scale.width
    if band is not None:
        scale.draw(line, *band, "▒")
    if row["low"] is not None and row["high"] is not None:
        scale.draw(line, row["low"], row["high"], "━")
    line[scale.place(row["value"])] = "●"
    return "".join(line)


def _counted(scale: Scale, row: Row) -> str:
    unit = " %" if scale.is_share else ""
    return (
        f"{scale.number(row['value'])}{unit} of {row['n']:,}"
        if unit
        else f"{scale.number(row['value'])}, n {row['n']:,}"
    )


def key_of_groups(is_share: bool, chance: float | None) -> list[str]:
    """Return what the signs of `groups` mean."""
    lines = [f"  ● {'share' if is_share else 'mean'}   ━ its 95 % interval, over names or texts"]
    number: Callable[[float], str] = Scale(0, 1, is_share).number
    if chance is not None:
        unit = " points" if is_share else ""
        lines.append(f"  ▒ how far chance alone puts two groups apart: up to {number(chance)}{unit}")
    return lines


def verdict_table(counts: Sequence[Row]) -> list[str]:
    """Return a line a config: its verdicts as numbers, and as a bar of their signs.

    `counts` are rows of suite, config, is_simulated, profile, verdict, n. A verdict that occurs has a sign.
    """
    shown = ("fail", "monitor", "inconclusive", "pass")
    configs: dict[tuple[str, ...], dict[str, int]] = {}
    for row in counts:
        mark = " (simulated)" if row["is_simulated"] and "simulated" not in row["config"] else ""
        name = f"{row['config']}{mark}"
        configs.setdefault((row["suite"], row["profile"], name), {})[row["verdict"]] = row["n"]
    heads = [f"{SIGNS[verdict]} {words(verdict)}" for verdict in shown]
    room = COLUMNS - NAME - sum(len(head) + 2 for head in heads) - 2
    lines, above, n_silent = [], None, 0
    for (suite, profile, name), n in configs.items():
        if (suite, profile) != above:
            above = (suite, profile)
            lines += ["", fitted(f"Verdicts of {suite}, by the profile {profile}", COLUMNS).rstrip()]
            lines.append(" " * NAME + "".join(f"  {head}" for head in heads))
        cells = "".join(
            f"{n.get(verdict, 0):>{len(head) + 2},}" for verdict, head in zip(shown, heads, strict=True)
        )
        n_silent += n.get("not_applicable", 0)
        lines.append(f"{fitted(name, NAME)}{cells}  {_bar([(SIGNS[v], n.get(v, 0)) for v in shown], room)}")
    if n_silent:
        lines.append(f"{n_silent:,} numbers could not be judged (not applicable).")
    return lines


def _bar(parts: Sequence[tuple[str, int]], room: int) -> str:
    """Signs in proportion, at least one of each that occurs."""
    total = sum(n for _, n in parts)
    if not total:
        return ""
    lengths = [max(1, int(room * n / total)) if n else 0 for _, n in parts]
    while sum(lengths) > room:  # what is kept for the few is taken from the most
        lengths[lengths.index(max(lengths))] -= 1
    return "".join(sign * length for (sign, _), length in zip(parts, lengths, strict=True))
