"""A file of answers and its suite in a folder, brought in, measured and built as far as one mart."""

from pathlib import Path

from click.testing import CliRunner

from ingest import extract, load
from ingest.warehouse import build


def build_loaded(data: Path, mart: str) -> None:
    """Load `answers.csv` with `suite.yml`, both in `data`, and build the mart with all that it needs."""
    suite = ["--suite", str(data / "suite.yml")]
    for command, files in ((load.command, [str(data / "answers.csv")]), (extract.command, [])):
        result = CliRunner().invoke(command, [*files, *suite], obj=data)
        assert result.exit_code == 0, result.output
    build(data, [mart])
