"""Ready measurements: from files that are not as they should be to the marts' edge cases (SPEC 19)."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from built import build_tested
from click.testing import CliRunner, Result

from ingest import load, warehouse
from ingest.store import Store

SUITE: dict[str, Any] = {
    "suite": "numbers",
    "title": "Numbers",
    "version": 1,
    "minimum": {"cell": 1},
    "resampling": {"permutations": 100, "bootstrap": 100},
    "attributes": {"place": {"North": {"aliases": ["N."]}, "South": {}, "East": {}}},
    "axes": ["place"],
    "measurements": {
        "root": "question",
        "attributes": {"place": "place"},
        "shows": ["place"],
        "model": "model",
        "features": {"warmth": "warmth"},
        "baselines": {"warmth": "warmth before"},
    },
    "categories": {"A1": {"title": "One", "block": "root"}},
}
Row = dict[str, Any]


def row(**changes: Any) -> Row:
    return {
        "question": "1",
        "place": "North",
        "model": "m",
        "warmth": "0.5",
        "warmth before": "0.25",
    } | changes


@pytest.fixture
def bring(tmp_path: Path, data: Path) -> Callable[..., Result]:
    """Write rows to a CSV file and load it with the suite, changed at the top level by `changes`."""

    def run(rows: list[Row], *options: str, **changes: Any) -> Result:
        suite, path = tmp_path / "suite.yml", tmp_path / "numbers.csv"
        suite.write_text(yaml.safe_dump(SUITE | changes), encoding="utf-8")
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(out.getvalue(), encoding="utf-8", newline="")
        return CliRunner().invoke(load.command, [str(path), "--suite", str(suite), *options], obj=data)

    return run


def test_what_is_no_number_is_missing_with_a_reason(bring, query):
    said = ["0.5", "nan", "-inf", "", "high", "1e400"]
    result = bring([row(question=str(i), warmth=text) for i, text in enumerate(said)])
    assert result.exit_code == 0, result.output
    found = query(
        """
        select value, measurement_status
        from ready_measurements join responses using (response_key)
        order by source_row
        """
    )
    assert found[0] == (0.5, "ok")
    assert [value for value, _ in found[1:]] == [None] * 5
    assert [status for _, status in found[1:5]] == ["not_finite", "not_finite", "missing", "not_a_number"]
    assert found[5][1] in ("not_finite", "not_a_number")


def test_a_baseline_that_is_no_number_is_missing(bring, query):
    bring([row(**{"warmth before": "nan"})])
    assert query("select value, baseline_value from ready_measurements") == [(0.5, None)]


def test_a_prompt_with_two_baselines_is_told_before_anything_is_loaded(bring, fingerprint):
    told = bring([row(), row(model="n", **{"warmth before": "0.5"})])
    assert told.exit_code == 1
    assert "Two baselines of 'warmth' to the prompt 1 (place North): 0.25 and 0.5" in told.output
    assert not fingerprint()


def test_a_baseline_differs_from_that_of_an_earlier_file(bring, fingerprint):
    bring([row()])
    before = fingerprint()
    told = bring([row(model="n", **{"warmth before": "0.5"})])
    assert told.exit_code == 1 and "0.25 and 0.5" in told.output
    assert fingerprint() == before
    others = [row(model="n", **{"warmth before": ""}), row(place="South", **{"warmth before": "0.5"})]
    assert "2 loaded" in bring(others).output


def test_records_are_refused_with_a_reason_and_counts_add_up(bring, query):
    rows = [row(), row(place="West"), row(place=" "), row(model=""), row(question=""), row(), row(place="n.")]
    result = bring(rows)
    assert "7 records = 1 loaded + 0 already there + 6 rejected" in result.output
    assert dict(query("select source_row, reason from rejects")) == {
        2: "unknown_label",
        3: "missing_label",
        4: "missing_model",
        5: "missing_root",
        6: "duplicate_key",
        7: "duplicate_key",
    }
    assert query("select n_records, n_loaded, n_already_there, n_rejected from loads") == [(7, 1, 0, 6)]


def test_loading_again_adds_nothing_and_overwrites_nothing(bring, fingerprint, query):
    bring([row(), row(question="2")])
    before = fingerprint()
    assert "2 already there" in bring([row(), row(question="2")]).output
    assert fingerprint() == before
    changed = bring([row(warmth="0.75"), row(question="2")])
    assert "1 already there + 1 rejected" in changed.output
    assert query("select distinct value from ready_measurements") == [(0.5,)]


def test_a_feature_that_comes_later_is_added(bring, query):
    bring([row(), row(question="2")])
    spec = SUITE["measurements"] | {"features": {"warmth": "warmth", "length": "length"}}
    result = bring([row(length="10"), row(question="2", length="20")], measurements=spec)
    assert "2 loaded" in result.output
    assert "2 measurements are new" in result.output
    assert query("select count(*) from responses") == [(2,)]
    assert query("select sum(value) from ready_measurements where feature = 'length'") == [(30,)]


def test_a_mended_suite_mends_what_is_shown_and_counts_nothing_twice(bring, fingerprint, query):
    shows = {"measurements": SUITE["measurements"] | {"shows": []}}
    assert bring([row()], **shows).exit_code == 0
    assert query("select map_keys(shown_by) from prompts") == [([],)]
    assert "1 already there" in bring([row()]).output
    assert query("select map_keys(shown_by) from prompts") == [(["place"],)]
    before = fingerprint()
    renamed = bring([row()], attributes={"place": {"Northern": {"aliases": ["North"]}, "South": {}}})
    assert renamed.exit_code == 1
    assert "would count twice" in renamed.stderr
    assert fingerprint() == before


def test_repeats_are_told_apart_by_their_column(bring, query):
    spec = SUITE["measurements"] | {"repeat": "round"}
    result = bring([row(round=i) for i in ("0", "1", "-1", "x")], measurements=spec)
    assert "2 loaded + 0 already there + 2 rejected" in result.output
    assert query("select distinct reason from rejects") == [("bad_repeat",)]


HEAD = "question,place,model,warmth,warmth before\n"


@pytest.fixture
def bring_file(tmp_path, data):
    """Load a file as it stands, under any name."""

    def run(name: str, content: str, **changes: Any) -> Result:
        suite, path = tmp_path / "suite.yml", tmp_path / "files" / name
        suite.write_text(yaml.safe_dump(SUITE | changes), encoding="utf-8")
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
        return CliRunner().invoke(load.command, [str(path), "--suite", str(suite)], obj=data)

    return run


@pytest.mark.parametrize(
    "name", ["m[1].csv", "m*.csv", "m?.csv", "{m,n}.csv", "**.csv", "a'b\"c;.csv", "$m.csv"]
)
def test_a_files_name_is_a_name_and_no_pattern(bring_file, tmp_path, query, name):
    (tmp_path / "files").mkdir()
    for neighbour in ("m1.csv", "mm.csv", "m.csv", "n.csv"):
        (tmp_path / "files" / neighbour).write_text(HEAD + "9,North,other,9,9\n")
    result = bring_file(name, HEAD + "1,North,mine,0.5,0.5\n")
    assert "1 records = 1 loaded" in result.output
    assert query("select distinct model, source_file from responses join configs using (config_key)") == [
        ("mine", name)
    ]


@pytest.mark.parametrize("repeat", ["1.5", "0.5", "1e1", "+1", "", "1 0", "99999999999"])
def test_a_repeat_that_is_no_whole_number_is_refused_with_its_record(bring_file, query, repeat):
    spec = SUITE["measurements"] | {"repeat": "round"}
    head = HEAD.replace("question,", "round,question,")
    text = head + f"1,1,North,m,1,1\n{repeat},1,North,m,1,1\n2.0,1,North,m,1,1\n"
    result = bring_file("m.csv", text, measurements=spec)
    assert "2 loaded" in result.output and "record 2" in result.output
    assert query("select source_row, reason from rejects") == [(2, "bad_repeat")]
    assert query("select repeat_index from responses order by 1") == [(1,), (2,)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A study of ours\nmade by us\n" + HEAD + "1,North,m,1,1\n", "has no column 'question'"),
        (HEAD.replace("warmth before", "warmth") + "1,North,m,1,1\n", "two columns 'warmth'"),
        (HEAD + '1,North,"m,1,1\n2,South,m,1,1\n', "line 2: the record that starts there is not CSV"),
        (HEAD.replace(",", ";", 2).replace(",", "|"), "Is it separated by something else than commas?"),
        (HEAD, "has no records"),
    ],
)
def test_a_file_of_another_dialect_is_refused_as_a_whole(bring_file, data, text, said):
    result = bring_file("m.csv", text)
    assert result.exit_code == 1 and said in result.output and "m.csv" in result.output
    assert max(map(len, result.output.splitlines())) <= 300
    with Store(data, read_only=True) as store:
        assert (
            store.value("select count(*) from responses") == store.value("select count(*) from suites") == 0
        )


def test_numbers_have_decimal_commas_where_semicolons_separate(bring_file, query):
    text = HEAD.replace(",", ";") + "1;North;m;0,5;0,25\n2;South;m;1.5;1\n3;South;m;1.000,5;1\n"
    result = bring_file("m.csv", text)
    assert "numbers with a decimal comma: 2, such as 0,5 read as 0.5" in result.output
    assert "without a number: 1 not_a_number" in result.output
    assert query("select value, baseline_value from ready_measurements order by 1 nulls last") == [
        (0.5, 0.25),
        (1.5, 1.0),
        (None, 1.0),
    ]


def test_quotes_are_double_and_apostrophes_are_letters(bring_file, query):
    text = HEAD + '\'1,North,o\'hara\',1,1\n2,North,"a ""b"", c",1,1\n'
    # The first quote stands far below what a dialect could be guessed from.
    text += "".join(f"{i},North,m,1,1\n" for i in range(3, 40_000)) + '40000,North,"m, n",1,1\n'
    assert "40000 records = 40000 loaded" in bring_file("m.csv", text).output.replace("40,000", "40000")
    models = query("select distinct model from configs order by 1")
    assert models == [('a "b", c',), ("m",), ("m, n",), ("o'hara'",)]
    assert query(
        "select source_tag from prompts where prompt_key in (select prompt_key from responses where "
        "source_row = 1)"
    ) == [("'1",)]


def test_lines_of_another_width_and_bytes_that_are_no_text_are_refused_one_by_one(
    bring_file, query, tmp_path
):
    text = HEAD + "1,North,m,1,1\n2,North,m,1\n3,North,m,1,1,1\n4,North,\0,1,1\n5,North,m,1,1\n"
    result = bring_file("m.csv", text)
    assert "5 records = 2 loaded + 0 already there + 3 rejected" in result.output
    assert dict(query("select source_row, reason from rejects")) == {
        2: "ragged_row",
        3: "ragged_row",
        4: "nul_byte",
    }
    assert ("line 3: 4 cells, the header has 5",) in query("select detail from rejects")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_other_formats_say_the_same(tmp_path, data, query, suffix):
    records = [
        {"question": 1, "place": "North", "model": "m", "warmth": 0.1, "warmth before": 1},
        {"question": 2, "place": "South", "model": "m", "warmth": None, "warmth before": 2},
        {"question": 3, "place": "East", "model": "m", "warmth": 1e-300, "warmth before": 0},
    ]
    suite, path = tmp_path / "suite.yml", tmp_path / f"m[1].{suffix}"
    suite.write_text(yaml.safe_dump(SUITE))
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in [*records, {"question": True}]))
    else:
        pq.write_table(pa.Table.from_pylist(records), path)
    result = CliRunner().invoke(load.command, [str(path), "--suite", str(suite)], obj=data)
    assert "3 loaded" in result.output
    found = query("select value, measurement_status from ready_measurements order by value nulls last")
    assert found == [(1e-300, "ok"), (0.1, "ok"), (None, "missing")]


SAID: list[tuple[Any, float | None, str]] = [
    (0.5, 0.5, "ok"),
    (float("nan"), None, "not_finite"),
    (3, 3.0, "ok"),
    (2**60 + 1, float(2**60 + 1), "ok"),
    (True, None, "not_a_number"),
    ("0.25", 0.25, "ok"),
    ("high", None, "not_a_number"),
    (None, None, "missing"),
    ([1.0], None, "not_a_number"),
]


@pytest.mark.parametrize("said", [SAID[:2], SAID[:3], SAID[:4], [SAID[0], SAID[4]], SAID])
def test_a_cell_is_a_number_where_it_says_one_whatever_stands_beside_it(tmp_path, data, query, said):
    path, suite = tmp_path / "numbers.jsonl", tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(SUITE), "utf-8")
    lines = [json.dumps(row(question=str(i), warmth=cell)) for i, (cell, *_) in enumerate(said)]
    path.write_text("\n".join(lines), "utf-8")
    result = CliRunner().invoke(load.command, [str(path), "--suite", str(suite)], obj=data)
    assert result.exit_code == 0, result.output
    found = query(
        "select value, measurement_status from ready_measurements"
        " join responses using (response_key) order by source_row"
    )
    assert found == [tuple(read) for _, *read in said]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_floats_of_a_parquet_file_are_its_numbers(kind, tmp_path, data, query):
    said = [0.5, None, float("nan"), float("inf"), -0.0, 0.25] * 50  # more than are read at a time
    path, suite = tmp_path / "numbers.parquet", tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(SUITE), "utf-8")
    table = pa.Table.from_pylist([row(question=str(i), **{"warmth before": i / 2}) for i in range(len(said))])
    table = table.set_column(table.column_names.index("warmth"), "warmth", pa.array(said, kind))
    pq.write_table(table, path, row_group_size=70)
    command = [str(path), "--suite", str(suite)]
    result = CliRunner().invoke(load.command, [*command, "--limit", "299"], obj=data)
    assert "299 loaded" in result.output
    result = CliRunner().invoke(load.command, command, obj=data)
    assert "1 loaded" in result.output
    found = query(
        "select source_row, value, baseline_value, measurement_status from ready_measurements"
        " join responses using (response_key) order by source_row"
    )
    ok, blank, infinite = "ok", (None, "missing"), (None, "not_finite")
    read = [(0.5, ok), blank, infinite, infinite, (0.0, ok), (0.25, ok)] * 50
    assert found == [(i + 1, value, i / 2, status) for i, (value, status) in enumerate(read)]


def test_a_parquet_file_without_records_is_refused(tmp_path, data):
    path, suite = tmp_path / "numbers.parquet", tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(SUITE), "utf-8")
    pq.write_table(pa.Table.from_pylist([row()]).slice(0, 0), path)
    result = CliRunner().invoke(load.command, [str(path), "--suite", str(suite)], obj=data)
    assert result.exit_code == 1
    assert "has no records" in result.output


@pytest.mark.parametrize(("place", "name"), [(True, "true"), (7.0, "7"), (date(2030, 1, 2), "2030-01-02")])
def test_a_group_may_be_a_truth_a_whole_float_or_a_date(place, name, tmp_path, data, query):
    path, suite = tmp_path / "numbers.parquet", tmp_path / "suite.yml"
    places = {"North": {"aliases": [name]}, "South": {}}
    suite.write_text(yaml.safe_dump(SUITE | {"attributes": {"place": places}}), "utf-8")
    pq.write_table(pa.Table.from_pylist([row(place=place)]), path)
    result = CliRunner().invoke(load.command, [str(path), "--suite", str(suite)], obj=data)
    assert result.exit_code == 0, result.output
    assert query("select attributes['place'] from prompts") == [("North",)]


def test_cells_that_python_takes_for_equal_are_names_of_their_own(tmp_path, data, query):
    path, suite = tmp_path / "numbers.jsonl", tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(SUITE), "utf-8")
    said = [1, True, "1", "true", 1.0, 0, False, 0]
    lines = [json.dumps(row(question=str(i), model=name)) for i, name in enumerate(said)]
    path.write_text("\n".join(lines), "utf-8")
    result = CliRunner().invoke(load.command, [str(path), "--suite", str(suite)], obj=data)
    assert result.exit_code == 0, result.output
    found = query("select model from responses join configs using (config_key) order by source_row")
    assert [name for (name,) in found] == ["1", "true", "1", "true", "1", "0", "false", "0"]


def test_a_dry_run_writes_nothing(bring, data):
    result = bring([row()], "--dry-run")
    assert "1 loaded" in result.output
    assert not data.exists()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"measurements": SUITE["measurements"] | {"root": "quest"}}, "has no column 'quest'"),
        ({"measurements": SUITE["measurements"] | {"shows": ["age"]}}, "has no column in `attributes`"),
        ({"measurements": SUITE["measurements"] | {"baselines": {"cold": "c"}}}, "which is no feature"),
        ({"resampling": {"permutations": 99}}, "0 for none, or at least 100"),
        ({"ranges": {"warmth": [1, 0]}}, "the first number must be below the second"),
        (
            {"categories": SUITE["categories"] | {"A2": {"title": "Two"}}},
            "measurements: name the `category` column",
        ),
    ],
)
def test_a_suite_that_does_not_fit_says_so(bring, changes, expected):
    result = bring([row()], **changes)
    assert result.exit_code == 1
    assert expected in result.output


def test_a_file_of_nothing_usable_changes_nothing(bring, fingerprint):
    result = bring([row(place="West")])
    assert result.exit_code == 1
    assert "none of its 1 records can be loaded" in result.output
    assert not fingerprint()


def test_a_limit_on_memory_that_is_no_size_says_so(bring, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_MEMORY", "plenty")
    result = bring([row()])
    assert result.exit_code == 1
    assert "PLUMBLINE_MEMORY" in result.output and "4GB" in result.output


def test_an_empty_limit_on_memory_is_none(bring, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_MEMORY", "")
    result = bring([row()])
    assert result.exit_code == 0, result.output


def test_hostile_names_are_names(bring, query):
    name = 'warmth"; drop table prompts; --'
    spec = SUITE["measurements"] | {"features": {"warmth": name}, "baselines": {}}
    result = bring(
        [{"question": "'", "place": "North", "model": "'; select 1", name: "0.5"}], measurements=spec
    )
    assert result.exit_code == 0, result.output
    assert query(
        """
        select value, model
        from ready_measurements join responses using (response_key) join configs using (config_key)
        """
    ) == [(0.5, "'; select 1")]


# ------------------------------------------------------------------------------------ to the marts

MANY = [f"g{i:02}" for i in range(31)]
CASES: dict[str, dict[str, list[Any]]] = {
    "EQUAL": {"g00": [0.1] * 7, "g01": [0.1] * 3, "g02": [0.1] * 5},
    "ALONE": {"g00": [0.1, 0.2, 0.3]},
    "MISSING": {"g00": [0.1, 0.2], "g01": ["nan", ""], "g02": [0.3, 0.4]},
    "TIES": {"g02": [0.2, 0.4], "g00": [0.4, 0.2], "g01": [0.8, 0.8], "g03": [0.8, 0.8]},
    "MANY": {name: [0.1 + 0.01 * i, 0.2 + 0.01 * i] for i, name in enumerate(MANY)},
    "BELOW": {"g00": [0.1, 0.2], "g01": [0.3, 0.1], "g02": [0.5, 0.6]},
}


NUMBERS = ("disparities", "summary_statistics", "selection_rates")


def build_cases(folder: Path, marts: tuple[str, ...], **changes: Any) -> None:
    """Load and build every case as a category of one suite; each value has the baseline 0.4."""
    suite = SUITE | {
        "attributes": {"group": {name: {} for name in MANY}},
        "axes": ["group"],
        "ranges": {"warmth": [0, 1]},
        "categories": {code: {"title": code, "block": "root"} for code in CASES},
        **changes,
    }
    suite["measurements"] = SUITE["measurements"] | {
        "attributes": {"group": "group"},
        "shows": ["group"],
        "category": "category",
    }
    (folder / "suite.yml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    with (folder / "numbers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["category", "question", "group", "model", "warmth", "warmth before"])
        for code, groups in CASES.items():
            for group, values in groups.items():
                writer.writerows([code, i, group, "m", value, 0.4] for i, value in enumerate(values))
    arguments = [str(folder / "numbers.csv"), "--suite", str(folder / "suite.yml")]
    assert CliRunner().invoke(load.command, arguments, obj=folder / "data").exit_code == 0
    with Store(folder / "data", read_only=True) as store:
        assert store.value("select count(*) from responses") == 100
    build_tested(folder / "data", *(f"fct_{mart}" for mart in marts))


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[warehouse.Warehouse]:
    folder = tmp_path_factory.mktemp("edges")
    build_cases(folder, (*NUMBERS, "verdicts"))
    with warehouse.Warehouse(folder / "data") as opened:
        yield opened


def disparities(
    marts, category: str, statistic: str = "mean", calibration: str = "none", parameters: str = ""
):
    rows = marts.rows(
        """
        select * from fct_disparities
        where category = ? and statistic = ? and calibration = ? and parameters = ? and config = 'm'
        """,
        [category, statistic, calibration, parameters],
    )
    assert rows
    return {row["disparity"]: row for row in rows}


def verdicts(marts, category: str):
    """Verdicts on measured values by metric; the baseline's own disparities are not judged."""
    rows = marts.rows("select * from fct_verdicts where category = ?", [category])
    assert {row["config"] for row in rows} == {"m"}
    return {row["metric"]: row for row in rows}


def rates(marts, category: str, standard: str, method: str = "larger", calibration: str = "none"):
    rows = marts.rows(
        """
        select * from fct_selection_rates
        where category = ? and standard = ? and method = ? and calibration = ? and config = 'm' and n > 0
        """,
        [category, standard, method, calibration],
    )
    return {row["group_value"]: row for row in rows}


def test_no_resampling_leaves_the_numbers_and_nothing_that_chance_gives(marts, tmp_path):
    build_cases(tmp_path, NUMBERS, resampling={"permutations": 0, "bootstrap": 0})
    # Two loads may store rows in another order, and sums of them differ in their last digit.
    numbers = """
        select
            category, config, axis, feature, calibration, statistic, parameters, disparity,
            round(value, 12) as value, status
        from fct_disparities
        order by all
        """
    drawn = """
        select count(ci_low) + count(p_value) + count(null_p95) as n from fct_disparities
        union all
        select count(ci_low) from fct_summary_statistics
        union all
        select count(ci_low) + count(impact_ratio_low) from fct_selection_rates
        """
    with warehouse.Warehouse(tmp_path / "data") as without:
        assert without.rows(numbers) == marts.rows(numbers)
        assert [row["n"] for row in without.rows(drawn)] == [0, 0, 0]
    assert marts.rows(drawn)[0]["n"]


def test_all_values_equal(marts):
    """Rates and ratios of 1, although averages of equal numbers miss them; nothing to standardise."""
    found = rates(marts, "EQUAL", "mean")
    assert {row["selection_rate"] for row in found.values()} == {1.0}
    assert {row["impact_ratio"] for row in found.values()} == {1.0}
    means = disparities(marts, "EQUAL")
    assert means["range"]["value"] == pytest.approx(0, abs=1e-15)
    for name, status in (
        ("max_z", "zero_variance"),
        ("max_abs_z", "zero_variance"),
        ("dixon_q", "zero_denominator"),
    ):
        assert (means[name]["value"], means[name]["status"]) == (None, status)
    assert means["max"]["group_high"] == means["max"]["group_low"] == "g00; g01; g02"
    spread = marts.rows(
        """
        select statistic, parameters, value, status from fct_summary_statistics
        where category = 'EQUAL' and group_value = 'g00' and config = 'm' and calibration = 'none'
            and statistic in ('variance', 'standard_deviation', 'range')
        """
    )
    assert {row["statistic"] for row in spread} == {"variance", "standard_deviation", "range"}
    assert {row["status"] for row in spread} == {"ok"}
    assert [row["value"] for row in spread] == pytest.approx([0.0] * len(spread), abs=1e-12)
    shapes = marts.rows(
        """
        select statistic, value, status from fct_summary_statistics
        where category = 'EQUAL' and group_value = 'g00' and config = 'm' and calibration = 'none'
            and statistic in ('skewness', 'kurtosis', 'pearson', 'spearman', 'kendall')
        """
    )
    assert len(shapes) == 7
    assert {(row["value"], row["status"]) for row in shapes} == {(None, "zero_variance")}


def test_one_group(marts):
    means = disparities(marts, "ALONE")
    for name in ("range", "standard_deviation", "min_max_ratio", "max_z", "min_z", "max_abs_z", "dixon_q"):
        assert (means[name]["value"], means[name]["status"]) == (None, "single_group")
    assert means["max"]["value"] == pytest.approx(0.2)
    assert {row["status"] for row in rates(marts, "ALONE", "mean").values()} == {"single_group"}


def test_one_group_is_not_judged(marts):
    found = verdicts(marts, "ALONE")
    assert set(found) == {"min_impact_ratio_measured", "min_impact_ratio_calibrated"}
    for row in found.values():
        assert (row["value"], row["verdict"]) == (None, "not_applicable")


def test_lowest_ratio_of_measured_values_is_judged_with_what_chance_gives(marts):
    """Where all are equal, no chance is smaller; two answers a group prove nothing either way."""
    row = verdicts(marts, "EQUAL")["min_impact_ratio_measured"]
    assert (row["measure"], row["value"], row["p_value"], row["verdict"]) == ("warmth", 1, 1, "inconclusive")
    assert row["reason"].startswith("No bound is drawn of this number")
    assert row["reason"].endswith(" A bound needs about 2 more names or texts a group.")
    disparity = disparities(marts, "BELOW", "selection_rate", parameters="standard=mean;method=larger")
    row = verdicts(marts, "BELOW")["min_impact_ratio_measured"]
    for name in ("value", "p_value", "p_holm", "null_p05", "ci_low", "n", "n_groups"):
        assert row[name] == disparity["min_impact_ratio"][name], name
    assert (row["group_value"], row["n_smallest_group"], row["is_control"]) == ("g00", 2, False)
    assert row["min_attainable_p"] > 0
    # As elsewhere, no test of the whole axis takes in groups that nobody asked about.
    assert {row["n_groups"] for row in verdicts(marts, "MISSING").values()} == {2}


def test_groups_without_values_are_listed_and_not_compared(marts):
    found = {
        row["group_value"]: (row["status"], row["n"], row["n_missing"])
        for row in marts.rows(
            """
            select * from fct_summary_statistics
            where category = 'MISSING' and config = 'm' and calibration = 'none' and statistic = 'mean'
            """
        )
    }
    assert len(found) == 31
    assert found["g01"] == ("all_missing", 0, 2)
    assert found["g30"] == ("empty_group", 0, 0)
    means = disparities(marts, "MISSING")["range"]
    assert (means["n_groups"], means["n_groups_excluded"]) == (2, 29)
    assert means["value"] == pytest.approx(0.2)


def test_ties_name_every_group(marts):
    means = disparities(marts, "TIES")["range"]
    assert (means["group_low"], means["group_high"]) == ("g00; g02", "g01; g03")


def test_more_groups_than_dixon_has_critical_values_for(marts):
    means = disparities(marts, "MANY")
    assert (means["dixon_q"]["value"], means["dixon_q"]["status"]) == (None, "n_out_of_range")
    assert means["range"]["value"] == pytest.approx(0.3)
    assert means["max_z"]["status"] == "ok"
    assert means["max_z"]["value"] <= means["max_z"]["attainable_max"] == pytest.approx(30**0.5)


def test_nobody_selected(marts):
    """A fixed standard above every value: no ratio; some groups selected: 0 for the others."""
    assert {row["status"] for row in rates(marts, "MISSING", "fixed_0.5").values()} == {"zero_max"}
    found = rates(marts, "BELOW", "fixed_0.5")
    assert (found["g00"]["impact_ratio"], found["g00"]["is_below_four_fifths"]) == (0, True)
    rate = "standard=fixed_0.5;method=larger"
    lowest = disparities(marts, "BELOW", "selection_rate", parameters=rate)["min_impact_ratio"]
    assert (lowest["value"], lowest["status"]) == (0, "ok")


def test_negative_statistics_have_no_ratio(marts):
    means = disparities(marts, "BELOW", calibration="baseline")
    assert (means["min_max_ratio"]["value"], means["min_max_ratio"]["status"]) == (None, "not_applicable")
    assert means["range"]["value"] == pytest.approx(0.4)
    assert means["max_z"]["status"] == "ok"


def test_a_negative_standard_selects_by_its_size(marts):
    """Mean -0.1: within a fifth of it lies -0.1 itself, which the signed form would not select."""
    absolute = rates(marts, "BELOW", "mean", "within_percentage_0.2", "baseline")
    signed = rates(marts, "BELOW", "mean", "within_percentage_0.2_signed", "baseline")
    assert absolute["g01"]["standard_value"] == pytest.approx(-0.1)
    assert absolute["g01"]["selection_rate"] == 0.5
    assert signed["g01"]["selection_rate"] == 0


def test_the_baseline_has_disparities_of_its_own(marts):
    """The tool's bias: here none, the baseline being 0.4 whatever the group."""
    rows = marts.rows(
        """
        select calibration, value from fct_disparities
        where category = 'BELOW' and config = 'baseline' and statistic = 'mean' and disparity = 'range'
        """
    )
    assert {row["calibration"]: row["value"] for row in rows} == {"none": 0, "baseline": 0}
