"""Tests of `ingest.loading.ground_truths`: tables of published figures, all of them invented."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from ingest.errors import PlumblineError
from ingest.loading.ground_truths import reference_figures
from ingest.suite import load_suite

TABLE = """year,job,age,persons
2019,Nurse,18-39,1
2020,Nurse,18-39,30
2020,nurse ,40+,10
2020,Paramedic,18-39,5
2020,Paramedic,40+,5
2020,Driver,18-39,15
2020,Driver,40+,35
2020,All,40+,n/a
"""
NO_YOUNG = TABLE.replace(",15", ",0").replace(",30", ",0").replace("18-39,5", "18-39,0")
TRUTH = {
    "set": "job",
    "attribute": "age",
    "table": {
        "file": "jobs.csv",
        "outcome": "job",
        "group": "age",
        "count": "persons",
        "where": {"year": 2020},
        "outcomes": {"care": ["Nurse", "Paramedic"], "other": None},
        "groups": {"Young": "18-39", "Old": "40+"},
        "source": "Invented",
        "date": "2020-06-30",
    },
}


def figures(folder, table=TABLE, changes=(), truth=()):
    (folder / "jobs.csv").write_text(table, "utf-8")
    suite = {
        "suite": "jobs",
        "title": "Jobs",
        "version": 1,
        "attributes": {"age": {"Young": {}, "Old": {}}},
        "axes": ["age"],
        "categories": {
            "J": {
                "title": "Which job",
                "prompts": ["Which job for {age}?"],
                "outcomes": [
                    {
                        "set": "job",
                        "kind": "pattern",
                        "labels": {"care": ["care"], "driver": ["driver"], "other": ["other"]},
                    }
                ],
                "ground_truth": {**TRUTH, **dict(truth), "table": {**TRUTH["table"], **dict(changes)}},
            }
        },
    }
    path = folder / "jobs.yml"
    path.write_text(yaml.safe_dump(suite), "utf-8")
    return reference_figures(load_suite(path), folder)


def cells(found):
    return {
        (row["published_label"], row["group_value"], row["outcome"]): row["figure"]
        for row in found
        if row["figure"] is not None
    }


def test_cells_take_the_labels_and_groups_of_the_suite(tmp_path):
    found = figures(tmp_path)
    assert cells(found) == {
        ("Nurse + Paramedic", "Young", "Nurse"): 30.0,
        ("Nurse + Paramedic", "Old", "nurse"): 10.0,
        ("Nurse + Paramedic", "Young", "Paramedic"): 5.0,
        ("Nurse + Paramedic", "Old", "Paramedic"): 5.0,
        ("driver", "Young", "Driver"): 15.0,
        ("driver", "Old", "Driver"): 35.0,
    }
    assert len(found) == 7  # the total stays, and counts for nothing
    assert {row["source_row"] for row in found} == set(range(2, 9))


def test_labels_that_the_table_calls_the_same_share_a_figure_however_it_is_spelled(tmp_path):
    found = cells(figures(tmp_path, changes={"outcomes": {"care": "Nurse", "other": "NURSE"}}))
    assert {label for label, _, _ in found} == {"Nurse", "driver"}
    assert found["Nurse", "Young", "Nurse"] == 30.0


def test_bands_of_age_that_the_table_divides_are_added_up(tmp_path):
    """The figures of persons by band of age: one value of the suite stands for two bands."""
    table = TABLE.replace("Nurse,18-39,30", "Nurse,18-29,12\n2020,Nurse,30-39,18")
    table = table.replace("Driver,18-39,15", "Driver,18-29,5\n2020,Driver,30-39,10")
    table = table.replace("Paramedic,18-39,5", "Paramedic,18-29,5\n2020,Paramedic,30-39,0")
    found = figures(tmp_path, table, changes={"groups": {"Young": ["18-29", "30-39"], "Old": "40+"}})
    of = {}
    for row in found:
        if row["figure"] is not None:
            place = (row["published_label"], row["group_value"])
            of[place] = of.get(place, 0) + row["figure"]
    assert of == {
        ("Nurse + Paramedic", "Young"): 35.0,
        ("Nurse + Paramedic", "Old"): 15.0,
        ("driver", "Young"): 15.0,
        ("driver", "Old"): 35.0,
    }


@pytest.mark.parametrize("year", [str, int, float])
def test_parquet_gives_what_csv_gives(year, tmp_path):
    rows = [line.split(",") for line in TABLE.splitlines()[1:-1]]
    columns = dict(zip(["year", "job", "age"], zip(*[row[:3] for row in rows], strict=True), strict=True))
    columns["year"] = [*map(year, columns["year"])]
    table = pa.table({**columns, "persons": [float(row[3]) for row in rows]})
    pq.write_table(table, tmp_path / "jobs.parquet")
    assert cells(figures(tmp_path, changes={"file": "jobs.parquet"})) == cells(figures(tmp_path))


@pytest.mark.parametrize(
    ("table", "changes", "said"),
    [
        (TABLE.replace("15", '"1,500"'), {}, "record 6: column 'persons' holds '1,500'"),
        (TABLE.replace("15", "-15"), {}, "record 6: column 'persons' holds '-15'"),
        (TABLE.replace("15", "inf"), {}, "record 6: column 'persons' holds 'inf'"),
        (TABLE.replace("15", ""), {}, "record 6: column 'persons' holds ''"),
        (TABLE, {"where": {}}, "record 2: 'Nurse' of '18-39' stands in record 1 already"),
        (TABLE, {"where": {"year": 1999}}, "no record has what `where` says"),
        (TABLE, {"outcome": "work"}, "has no column 'work'"),
        (TABLE, {"outcomes": {"care": "Nurse"}}, "column 'job' has no 'other'; it has 'all', 'driver'"),
        (TABLE, {"groups": {"Young": "18-39"}}, "column 'age' has no 'Old'"),
        (TABLE.replace("2020,Driver,40+,35\n", ""), {}, "has no record of 'driver' and '40+'"),
        (TABLE.replace("Driver,40+", ",40+"), {}, "record 7: column 'job' is blank"),
        (TABLE.replace("Driver,40+", "Dri\0ver,40+"), {}, "record 7"),
        (NO_YOUNG, {}, "of 'Young' are all 0"),
        (TABLE.replace("35", "3500"), {"count": None, "share": "persons"}, "add up to 3,565.0, over 100"),
        (TABLE, {"file": "../jobs.csv"}, "lies outside the suite's folder"),
        (TABLE, {"file": "no.csv"}, "does not exist"),
        ("", {}, "is empty"),
        (TABLE, {"outcomes": {"care": None, "other": None}}, "compares two outcomes and two groups at least"),
        (TABLE, {"outcomes": {"cure": "Nurse"}}, "'cure' is none of care, driver, other"),
        (TABLE, {"outcomes": {"care": ["Nurse", "Driver"], "driver": "Driver"}}, "a figure is not split"),
        (TABLE, {"outcomes": {"care": ["DRIVER ", "Nurse"], "other": None}}, "'driver' and 'care' both"),
        (TABLE, {"groups": {"Young": "40+", "Old": "40+"}}, "'Young' and 'Old' both take '40+'"),
        (TABLE, {"groups": {"Young": ["18-39", "OLD"]}}, "'Young' and 'Old' both take 'Old'"),
        (TABLE, {"share": "persons"}, "one of them"),
        (TABLE, {"url": "javascript:alert(1)"}, "does not have the form"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_meant_is_said_with_its_place(tmp_path, table, changes, said):
    with pytest.raises(PlumblineError) as error:
        figures(tmp_path, table, changes)
    assert said in str(error.value)
    assert "\n" not in str(error.value).strip()


def test_a_table_of_our_own_has_a_dimension(tmp_path):
    with pytest.raises(PlumblineError, match="needs its `dimension`"):
        figures(tmp_path, truth={"dimension": "occupation"})
