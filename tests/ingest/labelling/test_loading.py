"""Labels of a file: all or none, each mistake with its row, nothing twice."""

import csv
import io
from datetime import datetime

import pytest
from click.testing import CliRunner
from labelled import ANCHORS, SCORE, World, by_each_kind, tiny_with
from tiny import record

from ingest.cli import cli
from ingest.labelling.loading import come_since, forgotten
from ingest.labelling.questions import questions
from ingest.labelling.table import guarded, unguarded
from ingest.store import Store
from ingest.suite import load_suite


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path, tiny_with(tmp_path, ANCHORS, SCORE), by_each_kind)
    made.load([record(i, answer=f"=A baker {i}.") for i in range(1, 13)])
    return made


def run(world, *arguments):
    return CliRunner().invoke(cli, ["--data", str(world.data), "labels", *map(str, arguments)])


@pytest.fixture
def rows(world):
    """The rows of a sample's table, as a spreadsheet has them."""
    result = run(world, "sample", world.suite_path, "--n", 100, "--out", world.folder / "out")
    assert result.exit_code == 0, result.output
    (path,) = (world.folder / "out").glob("*.csv")
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


@pytest.fixture
def load(world):
    def load(rows, *options, name="labels.csv"):
        path = world.folder / name
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return run(world, "load", world.suite_path, path, *options)

    return load


def of(rows, outcome_set, n=2):
    return [row for row in rows if row["outcome_set"] == outcome_set][:n]


def stored(world, columns="outcome_set, annotator, label, value, note"):
    return world.rows(f"select {columns} from labels order by outcome_set, annotator, response_key")


def labelled(rows, said, **more):
    return [{**row, "label": said, "annotator": "Ada", **more} for row in rows]


def test_labels_numbers_and_what_cannot_be_told_are_stored(world, rows, load):
    given = [
        *labelled(of(rows, "job", 1), " Baker "),
        *labelled(
            of(rows, "mood", 1), "unclear", note="=1+1", seconds="2.5", labelled_at="2026-01-02T03:04:05Z"
        ),
        *labelled(of(rows, "tone")[:1], "-0.25"),
        *labelled(of(rows, "tone")[1:], "?"),
        *of(rows, "job", 5)[1:],
    ]
    result = load(given)
    assert result.exit_code == 0, result.output
    assert "8 rows = 4 new +" in result.output and "4 without a label" in result.output
    assert "A1 tone: 2 answers carry labels, by 1 annotator" in result.output
    assert f"plumbline audit {world.suite_path}" in result.output
    found = stored(world, "outcome_set, annotator, label, value, note, category, suite, source")
    shared = ("A1", "tiny", "annotator")
    assert sorted(found, key=repr) == sorted(
        [
            ("job", "Ada", "baker", None, "", *shared),
            ("mood", "Ada", "unclear", None, "=1+1", *shared),
            ("tone", "Ada", None, -0.25, "", *shared),
            ("tone", "Ada", None, None, "", *shared),
        ],
        key=repr,
    )
    (seen,) = world.rows(
        "select seconds, labelled_at, sample_key = ? from labels where label = 'unclear'",
        rows[0]["sample_key"],
    )
    assert seen == (2.5, datetime(2026, 1, 2, 3, 4, 5), True)


@pytest.mark.parametrize(("separator", "value"), [(";", -0.25), ("\t", None)])
def test_a_table_that_a_spreadsheet_saved_with_semicolons_has_decimal_commas(separator, value, world, rows):
    (row,) = labelled(of(rows, "tone", 1), "-0,25", seconds="2,5")
    path = world.folder / "labels.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(row), delimiter=separator)
        writer.writeheader()
        writer.writerow(row)
    result = run(world, "load", world.suite_path, path)
    if value is None:  # there a comma may mark thousands
        assert "row 2: '-0,25' is no number, such as 0.5" in result.output
    else:
        assert result.exit_code == 0, result.output
        assert world.rows("select value, seconds from labels") == [(value, 2.5)]


def test_loading_again_adds_nothing_and_a_dry_run_writes_nothing(world, rows, load):
    given = labelled(of(rows, "job"), "baker")
    assert "Dry run" in load(given, "--dry-run").output and stored(world) == []
    load(given)
    before = stored(world, "*")
    assert "0 new + 0 replaced + 2 already there" in load(given).output
    assert stored(world, "*") == before


def test_a_later_label_takes_the_place_and_an_older_one_does_not(world, rows, load):
    load(labelled(of(rows, "job", 1), "baker", labelled_at="2026-01-02T00:00:00"))
    assert (
        "+ 1 replaced +"
        in load(labelled(of(rows, "job", 1), "driver", labelled_at="2026-01-03T00:00:00")).output
    )
    result = load(labelled(of(rows, "job", 1), "baker", labelled_at="2026-01-02T00:00:00"))
    assert "+ 1 older +" in result.output
    assert [row[2] for row in stored(world)] == ["driver"]


def test_a_label_that_is_replaced_is_named_with_its_row(world, rows, load):
    first, second = of(rows, "job")
    load([{**first, "label": "baker", "annotator": "Ada"}])
    assert "first replaced" not in load(labelled([first], "baker", note="sure")).output
    told = load(labelled([second, first], "driver"), name="again.csv").output
    assert "1 new + 1 replaced" in told
    assert "first replaced: again.csv, row 3: Ada said baker, now driver" in told


def test_a_name_in_another_case_is_the_same_annotator(world, rows, load):
    first, second = of(rows, "job")
    load(labelled([first], "baker"))
    told = load(
        [{**first, "label": "baker", "annotator": "ADA"}, {**second, "label": "?", "annotator": "ada"}]
    )
    assert "1 new + 0 replaced + 1 already there" in told.output
    assert "ADA is taken for Ada" in told.output and "ada is taken for Ada" in told.output
    assert {name for _, name, *_ in stored(world)} == {"Ada"}
    both = [
        {**second, "label": said, "annotator": name} for said, name in (("baker", "Bo"), ("driver", "BO"))
    ]
    assert "row 3: Bo gave this answer another label in row 2" in load(both).output


def test_labels_of_a_worked_example_are_marked_until_they_are_loaded_without(world, rows, load):
    load(labelled(of(rows, "job"), "baker"), "--example")
    assert stored(world, "source") == [("example",)] * 2
    assert "2 already there" in load(labelled(of(rows, "job"), "baker"), "--example").output
    assert "+ 2 replaced +" in load(labelled(of(rows, "job"), "baker")).output
    assert stored(world, "source") == [("annotator",)] * 2


def test_two_annotators_have_a_label_each(world, rows, load):
    load(labelled(of(rows, "job"), "baker"))
    blank = [{**row, "annotator": "", "label": "driver"} for row in of(rows, "job", 1)]
    assert "A1 job: 2 answers carry labels, by 2 annotators" in load(blank, "--annotator", " Bo ").output
    assert [row[1:3] for row in stored(world)] == [("Ada", "baker"), ("Ada", "baker"), ("Bo", "driver")]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"label": "cook"}, "row 2: label 'cook' is none of: baker | driver | unmatched | ?."),
        ({"label": "unclear"}, "row 2: label 'unclear' is none of"),
        ({"response_key": "f" * 32}, f"row 2: answer '{'f' * 32}' under 'job' is not in this sample"),
        ({"outcome_set": "other"}, "under 'other' is not in this sample"),
        ({"sample_key": "nothing"}, "row 2: sample 'nothing' was not drawn here from suite tiny"),
        ({"annotator": " "}, "row 2: nobody is named as annotator"),
        ({"annotator": "Rule"}, "an annotator cannot be called 'Rule'"),
        ({"annotator": "A" * 101}, "name has 101 characters"),
        ({"seconds": "-1"}, "seconds: '-1' is no number from 0"),
        ({"seconds": "nan"}, "seconds: 'nan' is no number from 0"),
        ({"labelled_at": "31.1.2026"}, "labelled_at: '31.1.2026' is no time"),
        ({"note": "a\0b"}, "row 2: note: at character 2"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_row_and_nothing_is_loaded(world, rows, load, changes, said):
    good = labelled(of(rows, "mood"), "glad")
    bad = labelled(of(rows, "job", 1), "baker", **changes)
    result = load([*bad, *good])
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert said in result.output and len(result.output.splitlines()) == 1 and len(result.output) <= 301
    assert stored(world) == []


@pytest.mark.parametrize(
    ("number", "said"), [("1.5", "1.5 lies outside -1 to 1"), ("much", "'much' is no number")]
)
def test_a_score_is_a_number_in_its_range(rows, load, number, said):
    assert said in load(labelled(of(rows, "tone"), number)).output


def test_the_range_is_that_of_the_scorer_that_measured_this_suite(world):
    with Store(world.data) as store:
        named = {"scorer": "vader", "model": "", "revision": "", "version": "2", "parameters": "{}"}
        store.append("scorers", [{"scorer_key": "w", **named}])
        wide = {"feature": "vader_compound", "range_low": 0, "range_high": 100, "scorer_key": "w"}
        store.append("scorer_features", [wide])
        for suite, measured in (("theirs", "v"), (world.suite.suite, "w"), ("theirs", "v")):
            with store.run("extract", {"suite": suite, "scorers": {"vader": measured}}):
                pass
        (tone,) = questions(store, world.suite, [("A1", "tone")]).values()
    assert (tone.low, tone.high) == (0, 100)


def test_one_annotator_says_one_thing_of_an_answer_in_a_file(world, rows, load):
    (row,) = of(rows, "job", 1)
    result = load([*labelled([row, row], "baker"), *labelled([row], "driver")])
    assert "row 4: Ada gave this answer another label in row 2." in result.output and stored(world) == []
    told = load(labelled([row, row], "baker")).output
    assert "2 rows = 1 new + 0 replaced + 1 already there +" in told and len(stored(world)) == 1


def test_several_files_are_loaded_together_or_not_at_all(world, rows, load):
    load(labelled(of(rows, "job"), "baker"), "--dry-run", name="good.csv")
    result = load(labelled(of(rows, "mood"), "none"), world.folder / "good.csv", name="bad.csv")
    assert "bad.csv, row 2" in result.output and "1 more rows cannot be used" in result.output
    assert stored(world) == []


def test_a_table_without_labels_or_without_its_columns_is_refused(rows, load):
    assert "none of its 36 rows has a label. Fill in the column `label`." in load(rows).output
    short = [{"label": row["label"], "answer": row["answer"]} for row in rows]
    assert "has no column 'note'" in load(short).output
    assert "Leave the columns of the sheet or the table as they are." in load(short).output


def test_cells_are_no_formulas_and_come_back_as_they_were(rows):
    assert all(row["answer"].startswith("'=A baker") for row in rows)
    for cell in ("=1", "'=1", "''=1", "-0.5", "-x", "'x", " +a", "＝1", "@", "", "\t=1", "x=1"):
        assert unguarded(guarded(cell)) == cell
    assert guarded("-0.5") == "-0.5" and guarded("\t=1") == "'\t=1" and guarded("x=1") == "x=1"


def test_labels_whose_name_is_gone_are_counted_by_question(world, rows, load):
    assert load(labelled(of(rows, "job"), "baker")).exit_code == 0
    suite = load_suite(world.suite_path)
    with Store(world.data, read_only=True) as store:
        assert list(forgotten(store, suite)) == []
        text = world.suite_path.read_text("utf-8")
        assert "baker:" in text
        world.suite_path.write_text(text.replace("baker:", "cook:"), "utf-8")
        (line,) = forgotten(store, load_suite(world.suite_path))
    assert line.startswith("A1 job: all 2 labels of people are left out")
    assert "no such label now: baker 2." in line


def test_answers_that_came_after_the_last_draw_are_counted_by_question(world, rows, load):
    assert load(labelled(of(rows, "job"), "baker")).exit_code == 0

    def said():
        with Store(world.data, read_only=True) as store:
            return list(come_since(store, load_suite(world.suite_path)))

    assert said() == []
    world.load([record(i, answer=f"=A baker {i}.") for i in range(1, 16)])
    (line,) = said()
    assert line.startswith("A1 job: 3 of 15 answers came after answers were last drawn for people to read.")
    again = run(world, "sample", world.suite_path, "--n", 9, "--out", world.folder / "again")
    assert again.exit_code == 0, again.output
    assert said() == []


def test_labels_whose_question_is_gone_are_not_to_be_loaded_anew(world, rows, load):
    assert load([*labelled(of(rows, "job"), "baker"), *labelled(of(rows, "tone"), "0.5")]).exit_code == 0
    text = world.suite_path.read_text("utf-8")
    world.suite_path.write_text(text.replace("set: job", "set: work").replace("set: tone", "set: t"), "utf-8")
    with Store(world.data, read_only=True) as store:
        found = list(forgotten(store, load_suite(world.suite_path)))
    assert found == [
        f"A1 {name}: all 2 labels of people are left out, because the suite has no such outcome set now. "
        "Write it there again if they are to count"
        for name in ("job", "tone")
    ]


def test_a_table_in_a_spreadsheet_s_own_encoding_is_told_what_to_do(world, rows):
    path = world.folder / "ansi.csv"
    (row,) = labelled(of(rows, "job", 1), "baker", annotator="Zo\u00eb")
    with path.open("w", encoding="cp1252", errors="replace", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    told = run(world, "load", world.suite_path, path).output
    assert "row 2: annotator: bytes that are not UTF-8" in told and "in Excel: CSV UTF-8" in told
