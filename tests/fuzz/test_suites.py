"""Any suite file: read and checked, or refused in one line that names it; and a life of a data folder.

PLUMBLINE_FUZZ_EXAMPLES says how many are tried. What ever failed stands among the examples.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from places import FIXTURES
from tiny import TINY_SUITE, csv_text, record

from ingest.cli import cli
from ingest.errors import LONGEST, PlumblineError, printable
from ingest.store import Store
from ingest.suite import Suite, load_suite

SUITES = [
    yaml.safe_load((FIXTURES / name).read_text("utf-8"))
    for name in ("tiny_suite.yml", "warehouse_suite.yml", "asked_suite.yml")
]

texts = st.text(st.characters(), max_size=12) | st.sampled_from(
    [
        "",
        " ",
        "{gender}",
        "{",
        "a & b",
        "=1",
        "../x",
        "*",
        "(",
        "[a-z]+",
        "\x1b[2J",
        "\u202e",
        "NaN",
        "null",
        "all",
        "vader",
    ]
)
numbers = st.integers() | st.floats() | st.sampled_from([2**31, 2**63, 2**64, -1, 0, 10**30])
values = st.recursive(
    texts | numbers | st.booleans() | st.none() | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


def places(content: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where something stands in a suite."""
    parts = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    return [at, *(place for name, part in parts for place in places(part, (*at, name)))]


def changed(content: Any, at: tuple[Any, ...], how: str, value: Any) -> Any:
    """Return a suite with another value, another key or nothing in a place."""
    if not at:
        return value
    name, *rest = at
    copy = dict(content) if isinstance(content, dict) else list(content)
    if rest:
        copy[name] = changed(content[name], tuple(rest), how, value)
    elif how == "drop":
        del copy[name]
    elif how == "rename" and isinstance(copy, dict):
        copy[str(value)[:40]] = copy.pop(name)
    elif how == "twice" and isinstance(copy, list):
        copy.append(copy[name])
    else:
        copy[name] = value
    return copy


@st.composite
def suites(draw: st.DrawFn) -> bytes:
    """A suite with a few changes anywhere, as YAML; at times with bytes of it changed."""
    content = draw(st.sampled_from(SUITES))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(places(content)))
        content = changed(
            content, at, draw(st.sampled_from(["value", "drop", "rename", "twice"])), draw(values)
        )
    written = bytearray(
        yaml.safe_dump(content, allow_unicode=draw(st.booleans()), sort_keys=False).encode("utf-8", "replace")
    )
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 4]))):
        at = draw(st.integers(0, max(0, len(written) - 1)))
        written[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(written)


@fuzzed(60)
@given(suites())
@example(b"")
@example(b"? [a, b]\n: 1\n")
@example(b"suite: !!python/name:os.system\n")
@example(b"a: &a [*a]\n")
@example(b"a: 1:2:3\nb: 0x" + b"f" * 400 + b"\n")
@example(b"a: 2020-99-99\n")
def test_a_suite_is_read_or_refused_in_one_line(written):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.yml"
        path.write_bytes(written)
        try:
            assert isinstance(load_suite(path), Suite)
        except PlumblineError as error:
            line = error.format_message()
            assert "suite.yml" in line and line == printable(line) and len(f"Error: {line}") <= LONGEST


SUITE = ("--suite", str(TINY_SUITE))


def at_most(limit: int | None) -> tuple[str, ...]:
    return () if limit is None else ("--limit", str(limit))


class Life(RuleBasedStateMachine):
    """Loads of files that overlap, and measuring, in any order: nothing is lost, nothing is there twice."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.data = self.folder / "data"
        self.known: set[int] = set()
        self.measured = False

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words: str) -> int:
        result = CliRunner().invoke(cli, ["--data", str(self.data), *words])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "mistake in Plumbline" not in result.output
        return result.exit_code

    @rule(
        numbers=st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True),
        limit=st.none() | st.integers(1, 5),
    )
    def load(self, numbers: list[int], limit: int | None) -> None:
        path = self.folder / "answers.csv"
        path.write_text(csv_text([record(n, answer=f"She is kind {n % 7}.") for n in numbers]), "utf-8")
        assert self.run("load", str(path), *SUITE, *at_most(limit)) == 0
        for n in numbers[:limit]:
            self.known.add(n)
            self.measured = False

    @rule()
    def load_nonsense(self) -> None:
        path = self.folder / "other.csv"
        path.write_bytes(b"\xff\xfe nonsense")
        assert self.run("load", str(path), *SUITE) == 1

    @rule(limit=st.none() | st.integers(1, 3))
    def extract(self, limit: int | None) -> None:
        if self.known:
            assert self.run("extract", *SUITE, *at_most(limit)) == 0
            self.measured = limit is None

    @invariant()
    def nothing_is_lost_or_twice(self) -> None:
        if not getattr(self, "known", None):
            return
        with Store(self.data, read_only=True) as store:
            found = [name for (name,) in store.rows("select source_id from responses order by source_id")]
            unmeasured = store.value(
                """
                select count(*) from text_variants as v
                where v.text_variant = 'raw'
                    and v.variant_text_key not in (select text_key from measurements)
                """
            )
        assert found == sorted(f"r-{n}" for n in self.known)
        assert not (self.measured and unmeasured)


Life.TestCase.settings = fuzzed(3, part=20, stateful_step_count=6)
TestLife = Life.TestCase
