"""The marts, open for reading, and what commands ask of them."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import duckdb

from ingest.errors import PlumblineError, isolated, p_in_words, printable, say
from ingest.store import AUDIT_NAME, RAW_NAME, NothingYet, Store
from ingest.store.opening import MARTS, open_database
from ingest.store.tables import STATE
from ingest.terminal.drawing import measured

VERDICTS = ("fail", "monitor", "inconclusive", "pass", "not_applicable")
BUILT_FROM = "built_from"  # what each model was made of: macros/engine/
COMPARED = ".fct_config_differences"  # what an earlier run changes
# A text that begins as a formula does, and is no number.
GUARDED = r"""
    case
        when regexp_matches({0}, '^\s*[=+@＝＋－＠-]') and try_cast({0} as double) is null then chr(39) || {0}
        else {0}
    end
"""
DRAFTS = ".export-"  # what the folder of files begins with that are being written
LOST = 3  # lines about answers that count as missing
# The smallest ratio is of the rates of all favourable outcomes: one of them alone may lie the other way.
FINDINGS = """
    with told as (
        select suite, config, category, axis, measure, fct_contrasts.outcome, group_high, value_high,
               n_group_high, group_low, value_low, n_group_low, '' as metric,
               nullif(concat_ws(' ', labels.sentence, combined.sentence), '') as combination
        from fct_contrasts
        left join fct_label_gaps as labels using (suite, config, category, axis, measure, measure_kind)
        left join fct_combined_gaps as combined using (suite, config, category, axis, measure, measure_kind)
        union all by name
        select suite, config, category, axis, measure, outcomes as outcome, group_high, value_high,
               n_group_high, group_low, value_low, n_group_low, 'min_impact_ratio' as metric
        from fct_favourable_gaps
        where not is_of_one_outcome
    ),
    contrasts as (
        select verdict_name, told.outcome, group_high, told.value_high, n_group_high, group_low,
               told.value_low, n_group_low, combination
        from told
        inner join fct_verdicts as verdicts using (suite, config, category, axis, measure)
        where told.metric in ('', verdicts.metric)
        qualify row_number() over (partition by verdict_name order by told.metric desc) = 1
    )
    select suite, config, is_simulated, category, axis, measure, metric, group_value, verdict,
           coalesce(adjusted_value, value) as value, unit, red_limit, ci_low, ci_high, n, p_family,
           verdict_name, outcome, group_high, contrasts.value_high, n_group_high, group_low,
           contrasts.value_low, n_group_low, combination,
           (select count(distinct suite) > 1 from fct_verdicts) as has_suites
    from fct_verdicts as verdicts
    left join contrasts using (verdict_name)
    where
        is_gated
        and (
            verdict = 'fail'
            or ? and (
                verdict = 'inconclusive'
                or (n = 0 and n_missing > 0 and not is_control)
            )
        )
    order by suite, config, verdict, category, axis, metric, group_value, measure
"""
FORMATS = {"parquet": "format parquet, compression zstd", "csv": "format csv, header"}


class Exported(NamedTuple):
    """A mart in a file."""

    mart: str
    description: str
    n_rows: int | None  # of a mart
    path: Path


class NotBuilt(PlumblineError):
    """A table is not there yet."""


class Warehouse:
    """The marts, open for reading."""

    def __init__(self, data: Path) -> None:
        self.path = data / AUDIT_NAME

    def __enter__(self) -> "Warehouse":
        if not self.path.exists():
            raise PlumblineError(
                f"{self.path} does not exist: nothing has been built yet.",
                "Run `plumbline audit SUITE` or `dbt build`.",
            )
        self.connection = open_database(self.path, True, {}, MARTS)
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
        """Return all rows of a query as mappings."""
        try:
            given = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
            cursor = self.connection.execute(sql, given)
        except duckdb.CatalogException as error:
            raise NotBuilt(
                f"{self.path} is not fully built.", "Run `dbt build` or `plumbline audit`."
            ) from error
        except duckdb.BinderException as error:
            raise PlumblineError(
                f"{self.path} was built by another version.",
                "Run `plumbline audit SUITE`, which builds it anew.",
            ) from error
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def tables(self, prefixes: tuple[str, ...]) -> list[str]:
        """Return the names of the tables that begin with one of the prefixes, sorted.

        What a model of an earlier version left is none of them: no build makes it any more.
        """
        rows = self.rows("select table_name from information_schema.tables where table_schema = 'main'")
        names = {row["table_name"] for row in rows}
        if BUILT_FROM in names:
            made = self.rows(f"select split_part(model, '.', 3) as name from {BUILT_FROM}")
            names &= {row["name"] for row in made}
        return sorted(name for name in names if name.startswith(prefixes))

    def content(self, prefixes: tuple[str, ...]) -> dict[str, str]:
        """Return a hash of the rows of each table whose name begins so."""
        hashed = "select concat_ws(' ', count(*), sum(hash(rows))) as hashed from"
        return {name: self.rows(f'{hashed} "{name}" as rows')[0]["hashed"] for name in self.tables(prefixes)}

    def export(self, directory: Path, most: Mapping[str, int] | None = None) -> list[Exported]:
        """Write every mart as Parquet and CSV; return what was written.

        `most` limits the rows of a table in each format, where whoever reads it cannot take any number.
        """
        directory.mkdir(parents=True, exist_ok=True)
        tables = "select table_name as name, comment as description from duckdb_tables()"
        listed = self.rows(f"{tables} union all select view_name, comment from duckdb_views()")
        described = {row["name"]: row["description"] for row in listed}
        views = {row["name"] for row in self.rows("select view_name as name from duckdb_views()")}
        (n_threads,) = self.rows("select current_setting('threads') as n")[0].values()
        written = []
        # What is there already stays whole until all is written: half of two audits would be none.
        for left in directory.glob(f"{DRAFTS}*"):  # by one that was killed
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=DRAFTS, dir=directory) as drafts:
            for name in self.tables(("fct_", "dim_")):
                n_rows = self.rows(f'select count(*) as n from "{name}"')[0]["n"]
                for suffix, options in FORMATS.items():
                    if most is not None and n_rows > most[suffix]:
                        continue
                    path = directory / f"{name}.{suffix}"
                    target = str(Path(drafts) / path.name).replace("'", "''")
                    rows = self._without_formulas(name) if suffix == "csv" else f'from "{name}"'
                    # Several threads give what a view joins in another order each time.
                    self.connection.execute(f"set threads = {1 if name in views else n_threads}")
                    self.connection.execute(f"copy ({rows}) to '{target}' ({options})")
                    written.append(Exported(name, described.get(name) or "", n_rows, path))
            for file in written:
                (Path(drafts) / file.path.name).replace(file.path)
        return written

    def _without_formulas(self, table: str) -> str:
        """Return the query of a table with an apostrophe before what a spreadsheet would compute."""
        texts = self.rows(
            "select column_name as name from duckdb_columns() where table_name = ? and data_type = 'VARCHAR'",
            [table],
        )
        quoted = ['"' + row["name"].replace('"', '""') + '"' for row in texts]
        shown = ", ".join(f"{GUARDED.format(name)} as {name}" for name in quoted)
        return f'select * {f"replace ({shown})" if shown else ""} from "{table}"'


def check_inputs(data: Path, is_stale_ok: bool = False) -> None:
    """Raise PlumblineError where the marts are not made of what the raw tables hold now.

    With `is_stale_ok` it is said on stderr instead.
    """
    with Warehouse(data) as marts:
        try:
            # dbt alone writes nothing of the other nodes that an audit wrote down.
            made = marts.connection.execute(
                f"select model, answers, earlier from {BUILT_FROM}"
                " where split_part(model, '.', 1) not in ('seed', 'snapshot', 'test')"
            ).fetchall()
        except duckdb.CatalogException:
            made = []
    unknown = [model for model, answers, _ in made if answers is None]
    if unknown or not made:
        path = data / AUDIT_NAME
        what = f"{path} is not whole: its last build did not end, failed, or was an older version's."
    else:
        state = raw_state(data)
        is_current = all(
            answers == state.get("answers")
            and (earlier == state.get("earlier") or not model.endswith(COMPARED))
            for model, answers, earlier in made
        )
        if is_current:
            return
        what = f"{data / AUDIT_NAME}: the marts are older than the answers in {RAW_NAME}."
    if not is_stale_ok:
        raise PlumblineError(what, "Run `plumbline audit SUITE` or `dbt build`; --stale goes on regardless.")
    say(what, err=True)


def raw_state(data: Path) -> dict[str, str]:
    """Return the hash of each part of what the raw tables hold."""
    # The view lacks where nothing was brought in since an older version.
    with suppress(NothingYet, duckdb.CatalogException), Store(data, read_only=True) as store:
        return dict(store.connection.execute(f"select part, state from {STATE}").fetchall())
    return {}


def verdict_counts(warehouse: Warehouse) -> list[dict[str, Any]]:
    """Verdicts of the gate's profile per suite and config, findings first."""
    rows = warehouse.rows(
        """
        select suite, config, is_simulated, profile, verdict, count(*) as n
        from fct_verdicts
        where is_gated
        group by all
        """
    )
    return sorted(rows, key=lambda row: (row["suite"], row["config"], VERDICTS.index(row["verdict"])))


def findings(warehouse: Warehouse, is_strict: bool = False) -> list[dict[str, Any]]:
    """Verdicts of the gate's profile that are `fail`, each with the two groups that lie farthest apart.

    `value` is what was judged and what the interval is of: where labels correct a number, the corrected one.
    `is_strict`, those too that could not be told: `inconclusive`, and where no answer could be read.
    """
    return warehouse.rows(FINDINGS, [is_strict])


def print_verdicts(warehouse: Warehouse) -> None:
    """Say how the audit ended, on stdout."""
    for row in verdict_counts(warehouse):
        simulated = " (simulated)" if row["is_simulated"] else ""
        config = printable(row["config"])
        say(f"{row['suite']}  {config}{simulated}  {row['profile']}  {row['verdict']}: {row['n']}")


def print_powerless(warehouse: Warehouse) -> None:
    """Say of each declared family in which no difference could fail what to change, on stdout."""
    for row in warehouse.rows(
        """
        select suite, profile, family, config, category, n_tests, advice
        from int_families_weighed
        where can_fail is not true
        order by all
        """
    ):
        tests = "1 test" if row["n_tests"] == 1 else f"{row['n_tests']:,} tests"
        whose = "  ".join(
            printable(row[name]) for name in ("suite", "config", "category", "profile") if row[name]
        )
        say(f"{whose}  no difference can fail in {tests} (family {row['family']}): {row['advice']}")


def print_lost(warehouse: Warehouse, suite: str | None = None) -> None:
    """Say where more answers of a suite, or of all, than its quality allows count as missing, and as what.

    Says nothing where only a part of the marts was built: that part may be what is wanted.
    """
    has_all = warehouse.rows(
        "select count(*) = 3 as it from duckdb_tables() where schema_name = current_schema()"
        " and table_name in ('fct_quality', 'dim_responses', 'fct_outcomes')"
    )
    if not has_all[0]["it"]:
        return
    rows = warehouse.rows(
        """
        with lost as (
            select suite, config, category, scope, n_records, n_removed
            from fct_quality
            where
                suite = coalesce($suite, suite) and rule in ('responses_usable', 'answers_read')
                and not is_passed
        )
        select
            lost.*,
            case
                when scope = '' then (
                    select mode(response_status order by response_status) from dim_responses
                    where
                        suite = lost.suite and config = lost.config and category = lost.category
                        and response_status <> 'ok'
                )
                else (
                    select mode(outcome_status order by outcome_status) from fct_outcomes
                    where
                        suite = lost.suite and config = lost.config and category = lost.category
                        and outcome_set = lost.scope and not is_counted and score is null
                        and outcome_status not in ('failed_response', 'not_measured', 'unsupported_language')
                )
            end as status
        from lost
        where n_removed > 0
        order by n_removed desc, suite, config, category, scope
        """,
        {"suite": suite},
    )
    for row in rows[:LOST]:
        whose = "  ".join(
            printable(row[name]) for name in ("suite", "config", "category", "scope") if row[name]
        )
        say(
            f"{whose}  {row['n_removed']:,} of {row['n_records']:,} answers count as missing, "
            f"most of them as {row['status']}"
        )
    if len(rows) > LOST:
        say(f"… and {len(rows) - LOST:,} more: select * from fct_quality where not is_passed")


def describe_finding(row: dict[str, Any]) -> str:
    """One line for a failing verdict: metric, group, value with interval, n, groups. Never a bare adjective.

    It names the suite where the marts have several (`has_suites`).
    """
    # Halves go up, as on the site, whatever rounding left of them.
    suite = f"{row['suite']}  " if row["has_suites"] else ""
    interval = f" [{row['ci_low']:.3f}, {row['ci_high']:.3f}]" if row["ci_low"] is not None else ""
    group = f" ({isolated(row['group_value'])})" if row["group_value"] else ""
    p_value = f", corrected {p_in_words(row['p_family'])}" if row["p_family"] is not None else ""
    digits = 4 if row["unit"] == "probability" else 3
    value = "not known," if row["value"] is None else f"{row['value'] * (1 + 1e-12):.{digits}f}"
    limit = f", limit {row['red_limit']:g}" if row["red_limit"] is not None else ""
    named = f"  [{row['verdict_name']}]" if row.get("verdict_name") else ""
    return (
        f"{row['verdict']}  {suite}{isolated(row['config'])}: {row['category']} {row['measure']} by "
        f"{isolated(row['axis'])}{group}: {row['metric']} {value}{interval} {row['unit']}{limit}, "
        f"n {row['n']:,}{p_value}{_farthest(row)}{named}"
    )


def _farthest(row: dict[str, Any]) -> str:
    """Say which two groups lie farthest apart, each with its share or mean, and its n; else nothing."""
    if row["group_high"] is None:
        return ""
    high, low = (
        f"{isolated(row[f'group_{end}'])} {measured(row[f'value_{end}'])} (n {row[f'n_group_{end}']:,})"
        for end in ("high", "low")
    )
    is_answered = row["measure"] == "response_status" and row["outcome"] == "ok"
    read = "answered" if is_answered else isolated(row["outcome"])
    more = f". {row['combination'].removesuffix('.')}" if row["combination"] else ""
    return f". Farthest apart{f' in {read}' if read else ''}: {high}, {low}{more}"
