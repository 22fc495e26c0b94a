"""Seeds as tables of texts, for what is asked of them before there is a warehouse."""

import csv
from pathlib import Path

from ingest.errors import PlumblineError


def read_seed(project: Path, name: str) -> list[dict[str, str]]:
    """Rows of a seed. Raises PlumblineError where it is missing or a record does not fit."""
    path = Path("seeds") / f"{name}.csv"
    if not (project / path).exists():
        raise PlumblineError(f"{path} does not exist.", "Run the command in a checkout of the project.")
    with (project / path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for record, row in enumerate(rows, start=1):
        if None in row or None in row.values():
            raise PlumblineError(
                f"{path}, record {record}: not as many fields as the header.", "Quote commas."
            )
    return rows
