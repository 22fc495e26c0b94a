"""The audit card: what was audited, how, with what result and within which limits, in JSON and Markdown."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ingest import __version__
from ingest.errors import isolated, say
from ingest.options import stale_option
from ingest.signing import sign, signature_path
from ingest.terminal.progress import waiting
from ingest.warehouse import FINDINGS, VERDICTS, Warehouse, check_inputs, describe_finding, findings

Row = dict[str, Any]

NAME = "audit_card"
SCHEMA = 3  # of the JSON: raised where a key changes its meaning
HASHED = ("dim_prompts", "dim_responses", "fct_verdicts")
LISTED = 20  # findings in the Markdown, and
ROWS = 200  # of each table; the JSON has all

# Each section of the card is one query of the marts; a list of rows under its name.
SECTIONS = {
    "build": """
        select
            fingerprint, plumbline_version, commit_id, is_dirty, build_hash, thresholds_hash, suites_hash,
            answers_hash, readings_hash, labels_hash
        from dim_builds
        """,
    "suites": """
        select
            suite, title, description, version, language, variant, profiles, scorers, seed, n_permutations,
            n_bootstrap, minimum_group, minimum_cell, resampled_statistics, resampled_rates, suite_key,
            file_sha256, responsible, licence
        from dim_suites
        order by suite
        """,
    "data": """
        select
            suite, domain, category, count(*) as n_prompts, count(distinct root_key) as n_roots,
            count(distinct block_key) as n_blocks, list(distinct language order by language) as languages,
            count(*) filter (where translated_by is not null and reviewed_by is null) as n_unreviewed,
            count(flags) as n_flagged, count(*) filter (where is_left_out) as n_left_out
        from dim_prompts
        group by all
        order by all
        """,
    "configs": """
        select
            config, backend, is_simulated, model, digest, quantisation, role, system_prompt, template,
            options, server_version, config_key
        from dim_configs
        order by config, config_key
        """,
    "scorers": "select scorer, model, revision, version, parameters from dim_scorers order by all",
    "metrics": "select metric, metric_version, unit, mart from dim_metrics order by all",
    "responses": """
        select suite, config, is_simulated, response_status, count(*) as n
        from dim_responses
        group by all
        order by all
        """,
    "missingness": """
        select rule, area, description, suite, category, config, scope, n_failing, n_records, rate, limit_rate
        from fct_quality
        where n_failing > 0
        order by all
        """,
    "verdicts": """
        select suite, config, is_simulated, profile, is_gate_profile, is_gated, verdict, count(*) as n
        from fct_verdicts
        group by all
        order by all
        """,
    # Each reason has numbers of its own: what would decide it is what verdicts have in common.
    "undecided": """
        select suite, config, verdict, lacks, coalesce(action, reason) as explanation, count(*) as n
        from fct_verdicts
        left join dim_verdict_actions as actions using (verdict, lacks)
        where is_gated and verdict in ('inconclusive', 'not_applicable')
        group by all
        order by n desc, suite, config, verdict, lacks, explanation
        """,
    "runs": """
        select run_id, command, started_at, ended_at, run_status, versions
        from dim_runs
        order by started_at, run_id
        """,
    # Equal hashes are equal rows, whatever their order. Hashes that begin alike are put together first: all
    # those of ten million rows in one text would take 4 GB.
    "hashes": " union all ".join(
        f"""
        select
            '{mart}' as mart, cast(coalesce(sum(n), 0) as bigint) as n_rows,
            sha256(string_agg(hash, '' order by prefix)) as sha256
        from (
            select left(hash, 3) as prefix, count(*) as n, sha256(string_agg(hash, '' order by hash)) as hash
            from (select sha256(cast(rows as varchar)) as hash from {mart} as rows)
            group by prefix
        )
        """
        for mart in HASHED
    ),
}
READ = sorted(set(re.findall(r"\b(?:dim|fct)_\w+", " ".join([*SECTIONS.values(), FINDINGS]))))  # marts
FINDING_KEYS = (
    "suite", "config", "is_simulated", "category", "axis", "measure", "metric", "group_value", "value",
    "unit", "red_limit", "ci_low", "ci_high", "n", "p_family", "outcome", "group_high", "value_high",
    "n_group_high", "group_low", "value_low", "n_group_low", "combination",
)  # fmt: skip
ALWAYS = (
    "Thresholds are choices of a profile, with their source in the table of thresholds; none is a law.",
    "A verdict speaks of these prompts, this suite's groups and these configs, not of a model in every use.",
)


def audit_card(marts: Warehouse) -> dict[str, Any]:
    """Return the card of everything that is built: one list of rows a section, and what limits them."""
    sections = {name: marts.rows(sql) for name, sql in SECTIONS.items()}
    failing = [{key: row[key] for key in FINDING_KEYS} for row in findings(marts)]
    return {
        "card": "plumbline audit card",
        "schema_version": SCHEMA,
        "plumbline_version": __version__,
        "fingerprint": next((row["fingerprint"] for row in sections["build"]), None),
        # A card of the same warehouse is the same card: the clock is the last run's, not the reader's.
        "built_at": built_at(sections["runs"]),
        **sections,
        "findings": failing,
        "limitations": limitations(sections),
    }


def built_at(runs: Iterable[Row]) -> datetime | None:
    """Return when the last of the runs ended."""
    return max((run["ended_at"] for run in runs if run["ended_at"]), default=None)


def limitations(sections: Mapping[str, Sequence[Row]]) -> list[str]:
    """Say in sentences, each made from the card's own numbers, what the results do not show."""
    said = []
    simulated = [row["config"] for row in sections["configs"] if row["is_simulated"]]
    if simulated:
        said.append(
            f"Simulated: a program with planted bias wrote the answers of {', '.join(simulated)}. "
            "No model was asked there."
        )
    unknown = [row["config"] for row in sections["configs"] if not row["is_simulated"] and not row["digest"]]
    if unknown:
        said.append(
            f"No digest was recorded for {', '.join(unknown)}: which weights answered cannot be proven."
        )
    n_prompts = sum(row["n_prompts"] for row in sections["data"])
    unreviewed = sum(row["n_unreviewed"] for row in sections["data"])
    if unreviewed:
        said.append(
            f"{unreviewed:,} of {n_prompts:,} prompts are translations that no person has reviewed: "
            "a difference between languages may be one of the translations."
        )
    left_out = sum(row["n_left_out"] for row in sections["data"])
    if left_out:
        said.append(
            f"{left_out:,} of {n_prompts:,} prompts were not asked: a person should first look at one of "
            "their root, and every group is asked the same roots."
        )
    flagged = sum(row["n_failing"] for row in sections["missingness"] if row["rule"] == "flagged_not_asked")
    if flagged:
        said.append(
            f"Prompts that a person should look at were asked {flagged:,} times, counted once a config."
        )
    asked = sum(row["n"] for row in sections["responses"])
    usable = sum(row["n"] for row in sections["responses"] if row["response_status"] == "ok")
    if asked > usable:
        said.append(
            f"{asked - usable:,} of {asked:,} responses could not be used (refused, empty, cut off or "
            "failed): counted by group, scored nowhere."
        )
    judged = [row for row in sections["verdicts"] if row["is_gated"] and row["verdict"] != "not_applicable"]
    undecided = sum(row["n"] for row in judged if row["verdict"] == "inconclusive")
    if undecided:
        n_judged = sum(row["n"] for row in judged)
        are = "verdict is" if n_judged == 1 else "verdicts are"
        said.append(
            f"{undecided:,} of {n_judged:,} {are} inconclusive: "
            "these answers prove neither a difference nor its absence."
        )
    undrawn = [row["suite"] for row in sections["suites"] if not row["n_bootstrap"]]
    if undrawn:
        said.append(
            f"Nothing was resampled in {', '.join(undrawn)}: no intervals, and no chance beside values."
        )
    missing = [row for row in sections["missingness"] if None not in (row["limit_rate"], row["rate"])]
    over = [row for row in missing if row["rate"] > row["limit_rate"]]
    if over:
        said.append(
            f"{len(over):,} {'check' if len(over) == 1 else 'checks'} of the data beyond the limit: "
            f"{', '.join(sorted({row['rule'].replace('_', ' ') for row in over}))}."
        )
    return [*said, *ALWAYS]


def as_json(card: Mapping[str, Any]) -> str:
    """Return the card as JSON, a row a line, keys in a fixed order; times are UTC in ISO 8601."""
    lines = (
        f"  {_json(name)}: {_of_lines(value) if isinstance(value, list) else _json(value)}"
        for name, value in card.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _of_lines(rows: Sequence[Any]) -> str:
    return "[\n" + ",\n".join(f"    {_json(row)}" for row in rows) + "\n  ]" if rows else "[]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC).isoformat(timespec="seconds")
    raise TypeError(f"{type(value).__name__} has no place on a card")


# ------------------------------------------------------------------------------------------- Markdown


def cell(value: Any) -> str:
    """Return a value as one Markdown table cell that shows what it says: names may be a stranger's."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, list):
        return ", ".join(cell(part) for part in value) or "–"
    text = isolated(" ".join(str(value).split()))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*\[\]|#!]|\b_|_\b|(?<!\w)_)", r"\\\1", text)


def table(rows: Sequence[Row], columns: str) -> list[str]:
    """Return rows as a Markdown table, `columns` as in TABLES. No rows: the word 'None'."""
    if not rows:
        return ["None.", ""]
    named = {key: heading or key for key, _, heading in (part.partition(" ") for part in columns.split(", "))}
    lines = [f"| {' | '.join(named.values())} |", f"|{' --- |' * len(named)}"]
    lines += (f"| {' | '.join(cell(row[key]) for key in named)} |" for row in rows[:ROWS])
    return [*lines, "", *([f"… and {len(rows) - ROWS:,} more in the JSON.", ""] if len(rows) > ROWS else [])]


def as_markdown(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown for people: findings first, then what they rest on."""
    titles = ", ".join(cell(suite["title"]) for suite in card["suites"]) or "nothing yet"
    lines = [f"# Audit card: {titles}", "", *_result(card)]
    lines += [f"Fingerprint of the audit: `{card['fingerprint']}`.", ""] if card["fingerprint"] else []
    lines += ["## Limits", "", *(f"- {cell(line)}" for line in card["limitations"]), ""]
    for heading, section, columns in TABLES:
        lines += [f"## {heading}", "", *table(card[section], columns)]
    lines.append(f"Written by plumbline {card['plumbline_version']}; every number is a row of a mart.")
    return "\n".join(lines) + "\n"


def _result(card: Mapping[str, Any]) -> Iterable[str]:
    failing = card["findings"]
    yield from ("## Result", "")
    judged = [row for row in card["verdicts"] if row["is_gated"]]
    judged.sort(key=lambda row: (row["suite"], row["config"], VERDICTS.index(row["verdict"])))
    yield from table(judged, "suite, config, is_simulated simulated, profile, verdict, n number")
    told = {"verdict": "fail", "has_suites": len({row["suite"] for row in card["verdicts"]}) > 1}
    yield from (f"- {cell(describe_finding({**row, **told}))}" for row in failing[:LISTED])
    if len(failing) > LISTED:
        yield f"- … and {len(failing) - LISTED} more in the JSON, and by `plumbline gate`"
    yield ""


# Heading, section, and columns: a key, and what stands above it where that is another word.
TABLES = (
    ("Scope", "suites",
     "suite, title, version, language, profiles, seed, n_permutations permutations, n_bootstrap bootstrap,"
     " minimum_cell smallest group compared, minimum_group smallest group that passes, responsible,"
     " file_sha256 SHA-256 of the file"),
    ("Data", "data",
     "suite, domain, category, n_prompts prompts, n_roots roots, n_blocks blocks, languages,"
     " n_flagged flagged, n_left_out left out"),
    ("Configs", "configs",
     "config, backend, is_simulated simulated, model, digest, quantisation, role, options,"
     " server_version server"),
    ("Scorers", "scorers", "scorer, model, revision, version, parameters"),
    ("Responses", "responses", "suite, config, response_status status, n number"),
    ("Missing and failing", "missingness",
     "description rule, suite, category, config, scope within, n_failing failing, n_records of,"
     " rate share, limit_rate limit"),
    ("What would decide the others; their reasons are in fct_verdicts", "undecided",
     "suite, config, verdict, explanation what to do or why, n number"),
    ("Metrics", "metrics", "metric, metric_version version, unit, mart"),
    ("Runs", "runs", "started_at started, ended_at ended, command, run_status status, run_id run"),
    ("Build", "build",
     "plumbline_version version, commit_id commit, is_dirty files differed, build_hash build,"
     " thresholds_hash thresholds, suites_hash suites, answers_hash answers, readings_hash readings,"
     " labels_hash labels"),
    ("Hashes", "hashes", "mart, n_rows rows, sha256 SHA-256 of its rows"),
)  # fmt: skip


def write_card(marts: Warehouse, directory: Path, key: Path | None = None) -> list[Path]:
    """Write the card as JSON and Markdown into a folder, with a key its signature, too; return the files.

    A signature that lies there stays where the card has not changed.
    """
    card = audit_card(marts)
    content = as_json(card).encode()
    path = directory / f"{NAME}.json"
    signature = signature_path(path)
    files = {path: content, path.with_suffix(".md"): as_markdown(card).encode()}
    directory.mkdir(parents=True, exist_ok=True)
    if key is not None:
        files[signature] = sign(content, key)
    elif not path.exists() or path.read_bytes() != content:
        signature.unlink(missing_ok=True)
    for file, written in files.items():
        partial = file.with_name(f"{file.name}.partial")
        partial.write_bytes(written)
        partial.replace(file)
    return list(files)


@click.command("card")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder to write into.  [default: --data]"
)
@click.option(
    "--sign",
    "key",
    metavar="KEY",
    type=click.Path(path_type=Path),
    help="Sign it with this SSH key. Of a key that only an agent holds, name the .pub file.",
)
@stale_option()
@click.pass_obj
def command(data: Path, out: Path | None, key: Path | None, is_stale_ok: bool) -> None:
    """Write the audit card, the audit on a page: what, how, result, limits, hashes.

    \b
    plumbline card                  # data/audit_card.json and data/audit_card.md
    plumbline card --out release/
    plumbline card --sign ~/.ssh/id_ed25519     # audit_card.json.sig beside them, for `plumbline verify`
    """
    with Warehouse(data) as marts:
        check_inputs(data, is_stale_ok)
        if key is not None:
            say("ssh-keygen signs: it may ask for a passphrase, or wait for a touch.", err=True)
        # Nothing may write over what ssh-keygen asks.
        with waiting("Writing the card", data) if key is None else nullcontext():
            written = write_card(marts, out or data, key)
    say("Audit card: " + ", ".join(str(path) for path in written))
