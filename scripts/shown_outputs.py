"""Do README and the guide show what their queries and commands give now? scripts/shown_outputs.py DATA

DATA is the demo's folder. Each query of a page is run; a block without a language right below a query or a
command is its output. `…` in an output is what the page leaves out. Where more has to be said, a comment
stands right before a block:

    <!-- file: NAME -->       the block is this file of the reader's folder
    <!-- end of: NAME -->     the block takes the place of the file's end, from where its first line stands
    <!-- has: NAME = PATH --> the reader has this file of the project (no block needed)
    <!-- first: COMMANDS -->  these are run before, one on a line
    <!-- shows: COMMANDS -->  the output is of these
    <!-- not run: WHY -->     nobody looks at this block
What the reader audits is built as far as the commands of the page look, and without tests: the demo's own
audit has run these.
"""

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import duckdb
from click.testing import CliRunner

from ingest.cli import cli
from ingest.help_page import PAGE as COMMANDS
from ingest.show import closing
from ingest.suite import load_suite
from ingest.warehouse import Warehouse, build

PROJECT = Path(__file__).resolve().parents[1]
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs/guide").glob("*.md")))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = re.compile(r"<!-- (file|end of|has|first|shows|not run):\s(.*?)\s-->", re.DOTALL)
REF = re.compile(r"\{\{ ref\('plumbline', '(\w+)'\) \}\}")
TYPE = re.compile(r"varchar|boolean|double|u?(?:tiny|small|big|huge)?int(?:eger)?\d*|date|timestamp.*|.*\[\]")
SHIPPED = "fair_sea"  # the suite that `make audit` audits
BRINGS_IN = {"assemble", "audit", "branch", "extract", "generate", "load", "scrape"}
# What show, why and the end of an audit read.
READ = (
    "dim_outcome_rules", "dim_prompts", "dim_responses", "fct_outcome_shares", "fct_outcomes",
    "fct_score_shifts", "fct_verdicts", "int_prompts_grouped", "rpt_recommended_items", "rpt_verdicts",
)  # fmt: skip


def main(data: Path) -> int:
    """Print what differs; return 1 where anything does."""
    wrong = []
    for page in PAGES:
        if page == PROJECT / COMMANDS:
            continue
        name = page.relative_to(PROJECT).as_posix()
        found = list(compared(page.read_text("utf-8"), data))
        wrong += [f"{name}: {words}" for words in found if words]
        if found:
            print(f"{name}: {len(found)} queries and outputs, {sum(map(bool, found))} of them wrong.")
    print(*wrong, sep="\n\n", end="")
    return bool(wrong)


def compared(text: str, data: Path) -> Iterator[str]:
    """Yield, for each query and each output of a page, what is wrong with it: mostly nothing."""
    blocks = list(BLOCK.finditer(text))
    ends = [0, *(block.end() for block in blocks)]
    between = [text[end : block.start()] for end, block in zip(ends, blocks, strict=False)]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        reader = _Reader(data)
        for place, (before, block) in enumerate(zip(between, blocks, strict=True)):
            kind, content = block.groups()
            marks = dict(MARK.findall(before))
            above = blocks[place - 1][1] if place and not before.strip() else ""
            if "has" in marks:
                reader.take(*marks["has"].split(" = "))
            if "file" in marks:
                reader.put(marks["file"], content)
            elif "end of" in marks:
                reader.put(marks["end of"], content, is_end=True)
            elif "not run" in marks:
                continue
            elif kind == "sql":
                is_shown = place + 1 < len(blocks) and not (
                    blocks[place + 1][1] or between[place + 1].strip()
                )
                yield _query_differs(content, blocks[place + 1][2] if is_shown else None, data)
            elif not kind and above != "sql":
                commands = marks.get("shows") or (blocks[place - 1][2] if above == "sh" else "")
                if commands:
                    reader.run(marks.get("first", ""))
                    yield _text_differs(commands, content, reader.run(commands))
                else:
                    yield f"nothing says which command shows this, or that it is not run.\n{content}"


class _Reader:
    """Does what a page says, in the working folder."""

    def __init__(self, demo: Path) -> None:
        self.demo, self.own = demo, Path("data")
        for shared in ("docs", "suites", "tests"):
            Path(shared).symlink_to(PROJECT / shared)

    def take(self, name: str, path: str) -> None:
        """Have a file of the project."""
        shutil.copy(PROJECT / path, name)

    def put(self, name: str, content: str, is_end: bool = False) -> None:
        """Write a file, or replace its end, from where the content begins."""
        kept = Path(name).read_text("utf-8").partition(content.splitlines()[0])[0] if is_end else ""
        Path(name).write_text(kept + content, "utf-8")

    def run(self, commands: str) -> str:
        """Return what a terminal shows of these."""
        return "".join(self._run(shlex.split(line, comments=True)) for line in commands.splitlines() if line)

    def _run(self, words: list[str]) -> str:
        if words == ["make", "audit"]:
            return self._closing(self.demo, SHIPPED)
        if words[0] == "cat":
            return Path(words[1]).read_text("utf-8")
        if words[0] != "plumbline":
            raise SystemExit(f"`{shlex.join(words)}` has an output, and {Path(__file__).name} cannot run it.")
        words = words[1:]
        data = self._data(words[0])
        if words[0] == "--data":
            data, words = Path(words[1]), words[2:]
        if words[0] != "audit":
            return self._command(data, *words, *["--stale"] * (words[0] in ("why", "gate")))
        suite, responses = words[1], words[words.index("--responses") + 1]
        self._command(data, "load", responses, "--suite", suite)
        self._command(data, "extract", "--suite", suite)
        build(data, READ)
        return self._closing(data, load_suite(Path(suite)).suite)

    def _data(self, command: str) -> Path:
        """Where a command without --data looks: the demo, until the page has brought something in."""
        if command == "labels" and not self.own.exists():  # which writes down what it draws
            shutil.copytree(self.demo, self.own, ignore=shutil.ignore_patterns("target"))
        # A plan is made before anything is asked.
        return self.own if command in BRINGS_IN | {"plan"} or self.own.exists() else self.demo

    def _command(self, data: Path, *words: str) -> str:
        result = CliRunner().invoke(cli, ["--data", str(data), *words])
        if result.exit_code and words[0] != "gate":
            raise SystemExit(f"plumbline {shlex.join(words)}: {result.output}{result.exception or ''}")
        return result.output

    def _closing(self, data: Path, suite: str) -> str:
        said = StringIO()
        with Warehouse(data) as opened, redirect_stdout(said):
            closing(opened, suite, is_terminal=True)
        return said.getvalue()


def _pattern(told: str) -> str:
    """Return what fits an output: a line `…` stands for any lines or none, `…` in a line for any words."""
    lines = re.escape(told).replace("\\\n", "\n")
    return re.sub("^…\n", "(?:.*\n)?", lines, flags=re.MULTILINE).replace("…", ".*")


def _text_differs(commands: str, told: str, given: str) -> str:
    if re.fullmatch(_pattern(told), given.strip("\n") + "\n", re.DOTALL):
        return ""
    return f"this is not what is shown.\n{commands}\n{given}"


def _query_differs(query: str, told: str | None, data: Path) -> str:
    """Return what is wrong with a query and its table; where a page shows none, it only has to run."""
    asked = REF.sub(r"\1", query)
    with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as connection:
        try:
            answer = connection.sql(asked)
            names = ", ".join(f"coalesce(\"{name}\"::varchar, 'NULL')" for name in answer.columns)
            rows = [answer.columns, *map(list, answer.project(names).fetchall())]
        except duckdb.Error as error:
            return f"this query does not run: {error}\n{query}"
        drawn = str(connection.sql(asked))
    if told is None:
        return ""
    lines = [line for line in told.splitlines() if line.startswith("│")]
    shown = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    if len(shown) > 1 and all(TYPE.fullmatch(cell) for cell in shown[1]):
        del shown[1]
    return "" if shown == rows else f"this is not what is shown.\n{query}\n{drawn}"


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main(Path(sys.argv[1]).resolve()))
