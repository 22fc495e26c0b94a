"""Two audits of those that are kept: found by what a user types, and what changed from one to the other."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError, p_in_words, printable, say, shown
from ingest.store import Store
from ingest.warehouse.dbt import build
from ingest.warehouse.marts import Warehouse

Row = dict[str, Any]

SHORT = 8  # characters of a fingerprint, where one is listed
LISTED = 10
MARGIN = 0.05
ALSO = ("code", "limits", "suite", "labels")  # what moves numbers where the answers changed as well


def audits(marts: Warehouse) -> list[Row]:
    """The kept audits, the newest last."""
    return marts.rows(
        """
        select
            audit_key, fingerprint, audited_at, plan_key, look, n_looks, changed_parts, n_numbers, n_failing,
            (
                select min(suite) from fct_audit_numbers where audit_key = dim_audits.audit_key
            ) as first_suite,
            coalesce(fingerprint = (select fingerprint from dim_builds), false)
            and place = max(place) over (partition by fingerprint, plan_key) as is_in_marts
        from dim_audits
        order by audited_at, audit_key
        """
    )


def _named_by(kept: Sequence[Row], named: str) -> list[Row]:
    """Return the audits that a fingerprint's beginning or a date names: one, none, or several builds."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d([T ][\d:.]+)?", named):
        that_day = [
            row for row in kept if row["audited_at"].isoformat(" ").startswith(named.replace("T", " "))
        ]
        return ([row for row in that_day if row["plan_key"] is None] or that_day)[-1:]
    # What was built again, or looked at in two plans, is the same by its fingerprint.
    found = [
        row for row in kept if re.fullmatch("[0-9a-f]{4,64}", named) and row["fingerprint"].startswith(named)
    ]
    return found[-1:] if len({row["fingerprint"] for row in found}) == 1 else found


def find_audit(kept: Sequence[Row], named: str) -> Row:
    """Return the audit that a fingerprint's beginning or a date names.

    Of a date it is the last whole audit, and a look only where there is none.

    Raises PlumblineError where there is none, or where a beginning could be of several.
    """
    found = _named_by(kept, named)
    if len(found) == 1:
        return found[0]
    what = "is the beginning of several audits'" if found else "is no folder, and no kept audit's"
    listed = (
        "; ".join(_named(row) for row in kept[-LISTED:]) or "none yet: `plumbline audit SUITE` keeps each"
    )
    raise PlumblineError(
        f"{printable(named)!r} {what} fingerprint or date.", f"Kept are, the newest last: {listed}."
    )


def _named(row: Row) -> str:
    look = ""
    if row["look"] is not None:  # a look asks one suite, and several suites may have plans
        look = f", look {row['look']} of {row['n_looks']} at {printable(row['first_suite'])}"
    return f"{row['fingerprint'][:SHORT]} ({row['audited_at']:%Y-%m-%d %H:%M}{look})"


def print_audits(kept: Sequence[Row]) -> None:
    """List the kept audits on stdout, with what changed before each."""
    for row in kept:
        changed = f"; changed: {row['changed_parts']}" if row["changed_parts"] else ""
        now = "; in the marts now" if row["is_in_marts"] else ""
        say(f"{_named(row)}  {row['n_numbers']:,} numbers, {row['n_failing']:,} fail{changed}{now}")


def changes(data: Path, earlier: str, later: str | None) -> tuple[Row, Row, list[Row]]:
    """Two kept audits, the older first, and every number of theirs.

    Where `later` is None it is the audit that the marts hold, or else the newest. Has the mart made anew
    where nobody compared these two yet. Raises PlumblineError where one is not kept, or they are of
    different plans.
    """
    with Warehouse(data) as marts:
        kept = audits(marts)
    if later is not None and not _named_by(kept, later) and Path(later).exists():
        raise PlumblineError(
            f"{shown(later)} is a file or folder; LATER names a kept audit.",
            f"Two folders are compared by `plumbline --data {shlex.quote(later)} compare "
            f"{shlex.quote(earlier)}`.",
        )
    a = find_audit(kept, earlier)
    if later is None:
        alike = [row for row in kept if row["plan_key"] == a["plan_key"]]
        # What came back as it was is not kept again, so it need not be the newest.
        now = [row for row in alike if row["is_in_marts"] and row["fingerprint"] != a["fingerprint"]]
        b = (now or alike)[-1]
        if a["is_in_marts"] and a != b:
            say(f"The marts hold {_named(a)} again: nothing is otherwise now. The newest kept:", err=True)
    else:
        a, b = sorted((a, find_audit(kept, later)), key=kept.index)
    if a["plan_key"] != b["plan_key"]:
        raise PlumblineError(
            f"{_named(a)} and {_named(b)} are of different plans: a look asks a part of the suite.",
            "Name two looks of one plan, or two audits that are no looks; --list lists them.",
        )
    if a == b:
        raise PlumblineError(
            f"{_named(a)} is the newest audit: there is nothing to compare it with.", "Name two."
        )
    keys = [a["audit_key"], b["audit_key"]]
    there = "select count(*) as n from fct_audit_changes where audit_key_a = ? and audit_key_b = ?"
    with Warehouse(data) as marts:
        is_there = marts.rows(there, keys)[0]["n"] > 0
    if not is_there:
        with Store(data) as store, store.run("compare", {"audits": keys}) as run_id, store.transaction():
            store.connection.execute("delete from compared_audits")
            row = dict(zip(("audit_key_a", "audit_key_b", "run_id"), (*keys, run_id), strict=True))
            store.append("compared_audits", [row])
        build(data)
    with Warehouse(data) as marts:
        return (
            a,
            b,
            marts.rows(
                """
            select
                suite, category, config, is_simulated, measure, axis, metric, group_value, unit, value_a,
                value_b, n_a, n_b, verdict_a, verdict_b, is_verdict_changed, has_other_groups, difference,
                ci_low, ci_high, p_holm, n_tests, state, changed_parts
            from fct_audit_changes
            where audit_key_a = ? and audit_key_b = ?
            order by suite, config, category, measure, axis, metric, group_value
            """,
                keys,
            ),
        )


def is_failing(row: Row, margin: float | None) -> bool:
    """Whether a number is worse with all of its interval beyond the margin."""
    least = min(abs(row["ci_low"]), abs(row["ci_high"])) if row["state"] == "worse" else 0
    return row["state"] == "worse" and least > (MARGIN if margin is None else margin)


def print_changes(a: Row, b: Row, rows: Sequence[Row], shows_all: bool, margin: float | None) -> None:
    """Say on stdout what changed from one audit to another: verdicts first, then numbers."""
    say(f"From {_named(a)} to {_named(b)}")
    if changed := next((row["changed_parts"] for row in rows), None):
        say(f"Changed between them: {changed}. {what_it_means(changed.split(', '))}".rstrip())
    for row in rows:
        if row["is_verdict_changed"]:
            say(f"{row['verdict_a']} → {row['verdict_b']}  {_of(row)}: {_moved(row)}")
    for row in rows:
        if row["state"] in ("worse", "better") or shows_all:
            state = row["state"].replace("_", " ")
            if row["state"] == "worse" and not is_failing(row, margin):
                state = f"worse, within {MARGIN if margin is None else margin:g}"
            say(f"{state}  {_of(row)}: {_moved(row)}")
    states = [row["state"] for row in rows]
    n_verdicts = sum(row["is_verdict_changed"] for row in rows)
    say(
        f"Verdicts changed: {n_verdicts:,}. Numbers: {states.count('worse'):,} worse "
        f"({sum(is_failing(row, margin) for row in rows):,} beyond the margin), "
        f"{states.count('better'):,} better, {states.count('no_evidence'):,} without evidence, "
        f"{states.count('not_comparable'):,} not comparable, {states.count('new'):,} new, "
        f"{states.count('gone'):,} gone"
    )


def what_it_means(changed: Sequence[str]) -> str:
    """Say what numbers that moved do not tell of a model, where something else changed; else nothing."""
    if "answers" not in changed:
        return "The answers are the same: what moved is how they are read or judged, not what a model says."
    if not (also := [part for part in ALSO if part in changed]):
        return ""
    return f"The {' and the '.join(also)} may have moved a number or a verdict, too, whatever a model says."


def _of(row: Row) -> str:
    parts = (
        row["config"],
        row["category"],
        row["measure"],
        "by",
        row["axis"],
        row["group_value"],
        row["metric"],
    )
    return " ".join(printable(part) for part in parts if part)


def _moved(row: Row) -> str:
    """Both values with their n, and how far it is from one to the other."""
    ends = [
        f"{row[f'value_{side}']:.3f} (n {row[f'n_{side}']:,})" if row[f"value_{side}"] is not None else "–"
        for side in "ab"
    ]
    if row["has_other_groups"]:
        return f"{' → '.join(ends)}: between other groups, so they are not compared"
    if row["difference"] is None:
        return " → ".join(ends)
    interval = f"95 % {row['ci_low']:+.3f} to {row['ci_high']:+.3f}"
    p_holm = row["p_holm"]
    p_value = "" if p_holm is None else f"; {p_in_words(p_holm)}, corrected over {row['n_tests']:,}"
    return f"{' → '.join(ends)}, {row['difference']:+.3f} ({interval}{p_value})"
