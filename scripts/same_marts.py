"""Are two builds of the same answers equal, mart by mart and row by row?   scripts/same_marts.py OLD NEW

OLD and NEW are data folders (`--data`), or folders of Parquet: of `plumbline export`, or of the tables of a
warehouse of Spark, where each is a folder; columns there are read as the types that OLD has. Rows of every
mart and report table are matched by all that is no decimal number; decimals may differ by 1e-9 of their size
(sums follow the order in which answers came), or by nothing with `--exact`. When and by which run a row came
about is left out. Prints what differs, with an example, and exits 1 where anything does. Columns that only
one of the two has are named and left out.

    scripts/same_marts.py before/data data
    scripts/same_marts.py before/data data --tables fct_verdicts fct_disparities
    scripts/same_marts.py data data/spark/warehouse/audit.db --all    # what marts are made of, too
"""

import argparse
import sys
import tempfile
from pathlib import Path

import duckdb

# When, where and by which run: different in every build.
VOLATILE = {
    "inputs_hash",
    "run_id",
    "answered_at",
    "audited_at",
    "first_at",
    "last_at",
    "fetched_at",
    "loaded_at",
    "seconds",
    "versions",
}
SKIPPED = {"dim_builds", "dim_runs", "rpt_builds", "rpt_runs", "rpt_exposures"}
DECIMAL = ("DOUBLE", "FLOAT")
# The scope of a rule about a load ends in the load's run; and how many runs there were is no content.
WITHOUT_RUNS = {
    "scope": r"""regexp_replace("scope", ' [0-9a-f]{8}$', '')""",
    "n_rows": """case when "mart" <> 'dim_runs' then "n_rows" end""",
}


def quoted(names: list[str]) -> str:
    """Column names as a list in SQL."""
    return ", ".join(f'"{name}"' for name in names)


def literal(value: object) -> str:
    """A text in SQL."""
    return "'" + str(value).replace("'", "''") + "'"


def attach(
    connection: duckdb.DuckDBPyConnection, folder: Path, like: dict[str, dict[str, str]] | None = None
) -> None:
    """Attach a warehouse under the name that its views know it by, or files, with the types of `like`."""
    path = folder / "audit.duckdb"
    if path.is_file():
        connection.execute(f"attach {literal(path)} as audit (read_only)")
        if (folder / "raw.duckdb").is_file():
            connection.execute(f"attach {literal(folder / 'raw.duckdb')} as raw (read_only)")
        return
    files = {one.stem: one for one in folder.glob("*.parquet")}
    files |= {one.name: one / "*.parquet" for one in folder.glob("*") if any(one.glob("*.parquet"))}
    if not files:
        sys.exit(f"{folder} holds no audit.duckdb and no Parquet: name the data folder of an audit.")
    connection.execute("attach ':memory:' as audit")
    for table, path in files.items():
        rows = f"select * from read_parquet({literal(path)})"
        named = [row[0] for row in connection.execute(f"describe {rows}").fetchall()]
        types = (like or {}).get(table, {})
        columns = (f'cast("{c}" as {types[c]}) as "{c}"' if c in types else f'"{c}"' for c in named)
        columns_read = ", ".join(columns)
        connection.execute(f'create view audit.main."{table}" as select {columns_read} from ({rows})')


def detach(connection: duckdb.DuckDBPyConnection) -> None:
    """Undo `attach`."""
    for (name,) in connection.execute(
        "select database_name from duckdb_databases() where database_name in ('audit', 'raw')"
    ).fetchall():
        connection.execute(f"detach {name}")


def columns_by_table(connection: duckdb.DuckDBPyConnection, names: str) -> dict[str, dict[str, str]]:
    """Types of the columns of each table whose name matches a pattern."""
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(
        "select table_name, column_name, data_type from duckdb_columns() where database_name = 'audit' "
        "and schema_name = 'main' and regexp_matches(table_name, ?) order by table_name, column_index",
        [names],
    ).fetchall():
        found.setdefault(table, {})[column] = kind
    return found


def differences(
    connection: duckdb.DuckDBPyConnection, table: str, types: dict[str, str], slack: float
) -> list[str]:
    """What differs between old.main.table and audit.main.table, in words."""
    decimals = [column for column, kind in types.items() if kind in DECIMAL]
    others = [WITHOUT_RUNS.get(column, quoted([column])) for column in types if column not in decimals]
    order = quoted(decimals) or "1"
    for name, source in (("a", "old"), ("b", "audit")):
        identity = f"row({', '.join(others) or '1'})::varchar"
        connection.execute(
            f"create or replace temp table {name} as "
            f"select *, row_number() over (partition by k order by {order}) as r "
            f"from (select md5({identity}) as k, {identity} as t, {quoted(decimals) or 'null as none'} "
            f'from {source}.main."{table}")'
        )
    found = []
    for name, other, side in (("a", "b", "old"), ("b", "a", "new")):
        alone = f"from {name} anti join {other} using (k, r)"
        (n,) = connection.execute(f"select count(*) {alone}").fetchone()
        if n:
            (example,) = connection.execute(f"select t {alone} order by k, r limit 1").fetchone()
            found.append(f"{n:,} rows only in {side}, such as {example}")
    for column in decimals:
        pair = f'a."{column}" is distinct from b."{column}"'
        near = f'abs(a."{column}" - b."{column}") <= {slack} * greatest(1, abs(a."{column}"))'
        joined = f"from a join b using (k, r) where {pair} and ({near}) is not true"
        (n,) = connection.execute(f"select count(*) {joined}").fetchone()
        if n:
            example = connection.execute(
                f'select a."{column}", b."{column}", a.t {joined} limit 1'
            ).fetchone()
            found.append(f"{column} differs in {n:,} rows, such as {example}")
    return found


def main() -> int:
    """Compare, print, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--tables", nargs="+", help="only these")
    parser.add_argument("--all", action="store_true", help="what marts and report tables are made of, too")
    parser.add_argument("--exact", action="store_true", help="no slack: bit by bit")
    options = parser.parse_args()
    n_rows, n_bad = 0, 0
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute("set memory_limit = '4GB'")
        connection.execute(f"attach '{folder}/old.duckdb' as old")
        attach(connection, options.old)
        names = "." if options.all else "^(fct|dim|rpt)_"
        old = columns_by_table(connection, names)
        for table in old:
            connection.execute(f'create table old.main."{table}" as select * from audit.main."{table}"')
        detach(connection)
        attach(connection, options.new, old)
        new = columns_by_table(connection, names)
        wanted = sorted(set(options.tables or {**old, **new}) - SKIPPED)
        for table in wanted:
            if table not in old or table not in new:
                print(f"{table}: only in {'new' if table in new else 'old'}")
                n_bad += table not in new
                continue
            alone = sorted(set(old[table]) ^ set(new[table]))
            if alone:
                print(f"{table}: not compared, in one of the two only: {', '.join(alone)}")
            types = {c: t for c, t in old[table].items() if c in new[table] and c not in VOLATILE}
            n_rows += connection.execute(f'select count(*) from audit.main."{table}"').fetchone()[0]
            for what in differences(connection, table, types, 0.0 if options.exact else 1e-9):
                n_bad += 1
                print(f"{table}: {what}")
        print(f"{len(wanted)} tables, {n_rows:,} rows: {'DIFFERENT' if n_bad else 'equal'}")
    return int(n_bad > 0)


if __name__ == "__main__":
    sys.exit(main())
