"""Run README's query on the demo's warehouse: does its table say the same? scripts/readme_table.py DATA."""

import re
import sys
from pathlib import Path

import duckdb

PROJECT = Path(__file__).resolve().parents[1]


def main(data: str) -> None:
    """Exit with the rows as they are now where README shows others."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```sql\n(.*?)```\s+```\n(.*?)```", text, re.DOTALL)
    if not found:
        sys.exit("README.md has no query with its table.")
    with duckdb.connect(str(Path(data) / "audit.duckdb"), read_only=True) as connection:
        answer = connection.sql(found[1])
        rows = [answer.columns, *([str(value) for value in row] for row in answer.fetchall())]
    lines = [line for line in found[2].splitlines() if line.startswith("│")]
    told = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    if told != rows:
        sys.exit("README.md's table is not what its query gives now:\n" + "\n".join(map(str, rows)))
    print(f"README.md: {len(rows) - 1} rows as its query gives them.")


if __name__ == "__main__":
    main(sys.argv[1])
