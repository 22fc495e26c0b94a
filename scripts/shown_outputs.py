"""Do README and the guide show what their queries and commands give now? scripts/shown_outputs.py DATA

DATA is the demo's folder. A query or a command is looked at where its output stands in the block right below
it. `…` in an output is what the page leaves out. What the reader audits in data/own is built as far as the
commands of the page look, and without tests: the demo's own audit has run these.
"""

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import duckdb
from click.testing import CliRunner

from ingest.cli import cli
from ingest.show import closing
from ingest.suite import load_suite
from ingest.warehouse import Warehouse, build

PROJECT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md", "docs/guide/sql.md", "docs/guide/results.md", "docs/guide/first-audit.md",
    "docs/guide/planning.md",
)  # fmt: skip
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"varchar|boolean|double|u?(?:tiny|small|big|huge)?int(?:eger)?\d*|date|timestamp.*|.*\[\]")
OWN = "data/own"
SHIPPED = "fair_sea"  # the suite that `make audit` audits
# What show, why and the end of an audit read.
READ = (
    "dim_outcome_rules", "dim_prompts", "dim_responses", "fct_outcome_shares", "fct_outcomes",
    "fct_score_shifts", "fct_verdicts", "int_prompts_grouped", "rpt_recommended_items", "rpt_verdicts",
)  # fmt: skip


def main(data: Path) -> int:
    """Print what differs; return 1 where anything does."""
    compared = {page: list(_compared(page, data)) for page in PAGES}
    wrong = [words for found in compared.values() for words in found if words]
    for page, found in compared.items():
        if not found:
            wrong.append(f"{page} shows no output.")
        print(f"{page}: {len(found)} outputs, {sum(map(bool, found))} of them out of date.")
    print(*wrong, sep="\n\n", end="")
    return bool(wrong)


def _compared(page: str, data: Path) -> Iterator[str]:
    """Yield, for each output that a page shows, what is wrong with it: mostly nothing."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for shared in ("docs", "suites"):
            Path(shared).symlink_to(PROJECT / shared)
        Path("data").mkdir()
        reader = _Reader(data, Path(folder))
        for block, after in zip(blocks, [*blocks, None][1:], strict=True):
            kind, content = block.groups()
            told = after[2] if after and not (after[1] or text[block.end() : after.start()].strip()) else None
            if kind == "sql":
                if told is not None:
                    yield _table_differs(page, content, told, data)
            elif kind == "yaml" and reader.suite.exists():
                reader.put(content)
            elif kind == "sh" and (told is not None or reader.is_needed(content)):
                given = reader.run(content)
                if told is not None:
                    yield _text_differs(page, content, told, given)


class _Reader:
    """Does what a page says, in a folder of its own."""

    def __init__(self, demo: Path, folder: Path) -> None:
        self.demo, self.own = demo, folder / OWN
        self.suite = folder / "hiring.yml"

    def is_needed(self, commands: str) -> bool:
        """Say whether later commands stand on these, so that they are run though nothing of them is shown."""
        return "plumbline init" in commands or f"--data {OWN} audit" in commands

    def put(self, content: str) -> None:
        """Replace the end of the suite, from where this begins."""
        kept, _, _ = self.suite.read_text("utf-8").partition(content.splitlines()[0])
        self.suite.write_text(kept + content, "utf-8")

    def run(self, commands: str) -> str:
        """Return what a terminal shows of these."""
        return "".join(self._run(shlex.split(line, comments=True)) for line in commands.splitlines() if line)

    def _run(self, words: list[str]) -> str:
        if words == ["make", "audit"]:
            return self._closing(self.demo, SHIPPED)
        if words[0] != "plumbline":
            raise SystemExit(f"`{shlex.join(words)}` has an output, and {Path(__file__).name} cannot run it.")
        data, words = (self.own, words[3:]) if words[1:3] == ["--data", OWN] else (self.demo, words[1:])
        if words[0] == "plan":  # before anything is asked
            data = self.own
        if words[0] != "audit":
            return self._command(data, *words, *["--stale"] * (words[0] in ("why", "gate")))
        suite, responses = words[1], words[words.index("--responses") + 1]
        self._command(data, "load", responses, "--suite", suite)
        self._command(data, "extract", "--suite", suite)
        build(data, READ)
        return self._closing(data, load_suite(Path(suite)).suite)

    def _command(self, data: Path, *words: str) -> str:
        result = CliRunner().invoke(cli, ["--data", str(data), *words])
        if result.exit_code and words[0] != "gate":
            raise SystemExit(f"plumbline {shlex.join(words)}: {result.output}{result.exception or ''}")
        return result.stdout or result.output

    def _closing(self, data: Path, suite: str) -> str:
        said = StringIO()
        with Warehouse(data) as opened, redirect_stdout(said):
            closing(opened, suite, is_terminal=True)
        return said.getvalue()


def _pattern(told: str) -> str:
    """Return what fits an output: a line `…` stands for any lines or none, `…` in a line for any words."""
    lines = re.escape(told).replace("\\\n", "\n")
    return re.sub("^…\n", "(?:.*\n)?", lines, flags=re.MULTILINE).replace("…", ".*")


def _text_differs(page: str, commands: str, told: str, given: str) -> str:
    if re.fullmatch(_pattern(told), given.strip("\n") + "\n", re.DOTALL):
        return ""
    return f"{page}: this is not what is shown.\n{commands}\n{given}"


def _table_differs(page: str, query: str, told: str, data: Path) -> str:
    with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as connection:
        answer = connection.sql(query)
        names = ", ".join(f"coalesce(\"{name}\"::varchar, 'NULL')" for name in answer.columns)
        rows = [answer.columns, *map(list, answer.project(names).fetchall())]
        drawn = str(connection.sql(query))
    lines = [line for line in told.splitlines() if line.startswith("│")]
    shown = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    if len(shown) > 1 and all(TYPE.fullmatch(cell) for cell in shown[1]):
        del shown[1]
    return "" if shown == rows else f"{page}: this is not what is shown.\n{query}\n{drawn}"


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main(Path(sys.argv[1]).resolve()))
