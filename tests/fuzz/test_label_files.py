"""Whatever bytes a file of labels holds, all of its labels are taken, or one line says why none is."""

import csv
import io

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from labelled import SCORE, World, by_trade, tiny_with
from tiny import record

from ingest.errors import LONGEST, PlumblineError
from ingest.labelling.files import write_files
from ingest.labelling.loading import Reading, take_in
from ingest.labelling.questions import questions
from ingest.store import Store

CELLS = [
    "baker",
    "?",
    "0.5",
    "-1",
    "nan",
    "1e999",
    "'=x",
    "",
    "2026-01-02T03:04:05Z",
    "9999-12-31T23:59:59-23:59",
]
COLUMNS = (
    "label",
    "note",
    "annotator",
    "seconds",
    "labelled_at",
    "outcome_set",
    "response_key",
    "sample_key",
)
cells = st.one_of(
    st.sampled_from(CELLS), st.text(max_size=12), st.text(max_size=1).map(lambda one: one * 3_000)
)
changes = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(COLUMNS), cells), max_size=6)
bytes_in = st.lists(st.tuples(st.integers(0, 4_000), st.binary(max_size=4)), max_size=2)


def reads(answer):
    yield by_trade(answer)[0]
    yield {"outcome_set": "tone", "rule_kind": "score", "score": 0.1}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A store in which a sample was drawn, and the rows of its table, labelled."""
    folder = tmp_path_factory.mktemp("labels")
    world = World(folder, tiny_with(folder, SCORE), reads)
    world.load([record(i) for i in range(1, 3)])
    sample = world.draw(4)
    with Store(world.data, read_only=True) as store:
        asked = questions(store, world.suite, sample.parts)
        written = write_files(folder / "out", world.suite, world.suite_path, sample, asked)
        rows = list(csv.DictReader(io.StringIO(written.table.read_text("utf-8-sig"))))
        for row in rows:
            row |= {"label": "baker" if row["outcome_set"] == "job" else "0.5", "annotator": "Ada"}
        yield store, Reading(world.suite, asked), rows, folder / "labels.csv"


@fuzzed(60)
@given(changes, bytes_in)
def test_labels_that_are_spoilt(opened, changes, bytes_in):
    store, reading, rows, path = opened
    spoilt = [dict(row) for row in rows]
    for place, column, cell in changes:
        spoilt[place][column] = cell
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(spoilt)
    content = out.getvalue().encode("utf-8", "surrogatepass")
    for place, piece in bytes_in:
        content = content[:place] + piece + content[place:]
    path.write_bytes(content)
    try:
        taken = take_in(store, reading, [path], "run", is_dry=True)
    except PlumblineError as error:
        assert path.name in error.what and len(error.format_message()) <= LONGEST
        assert error.format_message().isprintable()
    else:
        assert taken.counts.total() + taken.n_empty <= len(rows) and taken.counts["new"] > 0
