"""A suite that has everything resampled, from a file of numbers to the marts."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from built import build_tested
from click.testing import CliRunner

from ingest import load, warehouse
from ingest.errors import PlumblineError
from ingest.inference.group_statistics import DISPARITIES
from ingest.inference.samples import KERNELS, Column, Samples, parse_parameters
from ingest.suite import load_suite

STATISTICS = sorted(KERNELS)
STANDARDS = ["mean", "median", "mode_0.1", "quantile_0.25", "fixed_0.5"]
METHODS = ["larger", "smaller", "within_range_0.1", "in_mode_bin"]
GROUPS = {"North": 12, "South": 14, "East": 13, "West": 2}
SUITE: dict[str, Any] = {
    "suite": "everything",
    "title": "Everything resampled",
    "version": 1,
    "minimum": {"cell": 5},
    "resampling": {
        "permutations": 100,
        "bootstrap": 100,
        "statistics": STATISTICS,
        "standards": STANDARDS,
        "methods": METHODS,
    },
    "reference": {"place": "South"},
    "attributes": {
        "place": {name: {} for name in [*GROUPS, "Centre"]},
        "size": {"Small": {}, "Large": {}},
    },
    "axes": ["place", "place & size"],
    "ranges": {"warmth": [0, 1]},
    "measurements": {
        "root": "question",
        "attributes": {"place": "place", "size": "size"},
        "shows": ["place", "size"],
        "model": "model",
        "repeat": "round",
        "features": {"warmth": "warmth", "length": "length"},
        "baselines": {"warmth": "warmth before", "length": "length before"},
        "baseline_kind": "counterfactual",
    },
    "categories": {"A1": {"title": "One", "block": "root"}},
}


def rows() -> Iterator[dict[str, Any]]:
    """Every place asked its own number of questions, twice each; a tenth of the numbers missing.

    A question is about one size; nobody asked about what is large in the East.
    """
    rng = np.random.default_rng(7)

    def numbers() -> np.ndarray:
        found = np.array([rng.beta(2, 3), np.round(rng.normal(20, 5), 1)])
        return np.where(rng.random(2) < 0.1, np.nan, found)

    for group, n in GROUPS.items():
        for question in range(0, 2 * n, 2) if group == "East" else range(n):
            baselines = numbers()
            for repeat in range(2):
                values = numbers()
                yield {
                    "question": question,
                    "place": group,
                    "size": ("Small", "Large")[question % 2],
                    "model": "m",
                    "round": repeat,
                    "warmth": values[0],
                    "warmth before": baselines[0],
                    "length": values[1],
                    "length before": baselines[1],
                }


def bring(folder: Path, **changes: Any) -> Path:
    """Load the rows with the suite, changed at the top level; return where the databases are."""
    (folder / "suite.yml").write_text(yaml.safe_dump(SUITE | changes), encoding="utf-8")
    with (folder / "numbers.csv").open("w", encoding="utf-8", newline="") as handle:
        found = list(rows())
        writer = csv.DictWriter(handle, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    arguments = [str(folder / "numbers.csv"), "--suite", str(folder / "suite.yml")]
    result = CliRunner().invoke(load.command, arguments, obj=folder / "data")
    assert result.exit_code == 0, result.output
    return folder / "data"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[warehouse.Warehouse]:
    data = bring(tmp_path_factory.mktemp("everything"))
    build_tested(data, "fct_disparities", "fct_summary_statistics", "fct_selection_rates")
    with warehouse.Warehouse(data) as opened:
        yield opened


def coded(marts: warehouse.Warehouse) -> dict[str, np.ndarray]:
    return marts.connection.execute(
        "select * from int_feature_values_coded order by group_feature_key, response_hash"
    ).fetchnumpy()


def numbers(column: Any) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(column, dtype=float), np.nan)


def test_every_kernel_gives_what_its_sql_gives(marts):
    """No second definition: each statistic of each sample, in all its variants, by both ways."""
    values = coded(marts)
    declared = marts.rows("select * from statistics order by statistic_id")
    ends = {
        row["group_feature_key"]: (row["low"], row["high"])
        for row in marts.rows(
            """
            select
                group_feature_key,
                coalesce(range_low, min(least(lowest, baseline_lowest)) over families) as low,
                coalesce(range_high, max(greatest(highest, baseline_highest)) over families) as high
            from int_group_features_listed inner join int_statistics_aggregated using (group_feature_key)
            window families as (partition by analysis_key)
            """
        )
    }
    ours = {
        (row["group_feature_key"], row["statistic"], row["parameters"]): row["value"]
        for row in marts.rows("select * from int_statistics_computed")
    }
    n_compared = 0
    for sample in np.unique(values["group_feature_key"]):
        kept = values["group_feature_key"] == sample
        samples = Samples(
            numbers(values["value"])[kept], numbers(values["baseline_value"])[kept], ends[sample]
        )
        for row in declared:
            name = row["statistic"], row["parameters"] or ""
            if (sample, *name) not in ours:
                continue
            column = Column(row["statistic"], parse_parameters(row["parameters"]))
            expected = ours[sample, *name]
            found = column.of(samples)
            # The rank correlations of a calibrated baseline, which is constant, are null on both sides.
            assert found == pytest.approx(np.nan if expected is None else expected, abs=1e-9, nan_ok=True), (
                row["statistic"],
                row["parameters"],
            )
            n_compared += expected is not None
    assert n_compared > 250


def test_every_kernel_is_of_a_declared_statistic(marts):
    """A statistic without a kernel is computed and not resampled; a kernel without a statistic is nothing."""
    declared = {row["statistic"] for row in marts.rows("select statistic from statistics")}
    assert set(KERNELS) <= declared, "add a row to seeds/statistics.csv"


def is_asked(row: dict[str, Any]) -> bool:
    if row["statistic"] != "selection_rate":
        return row["statistic"] in STATISTICS
    chosen = parse_parameters(row["parameters"])
    return chosen["standard"] in STANDARDS and chosen["method"] in METHODS


def test_all_that_was_asked_for_is_resampled(marts):
    found = marts.rows(
        """
        select statistic, parameters, disparity, value, p_value, p_status, null_p95, ci_low, ci_high,
            ci_status, resampling_unit
        from fct_disparities
        where config = 'm' and calibration = 'none' and feature = 'warmth' and value is not null
            and axis = 'place'
        """
    )
    drawn_of_groups = {disparity.name for disparity in DISPARITIES} | {"min_impact_ratio"}
    for row in found:
        has_chance = row["disparity"] in drawn_of_groups
        if is_asked(row) and has_chance:
            assert row["p_status"] in ("ok", "too_few"), row
            assert row["resampling_unit"] == "block"
        else:
            assert (row["p_status"], row["p_value"]) == ("not_resampled", None)
    drawn = [row for row in found if row["disparity"] == "range" and row["p_status"] == "ok"]
    variants = marts.rows("select statistic from statistics")
    n_variants = sum(row["statistic"] in KERNELS for row in variants)
    assert len(drawn) == n_variants + len(STANDARDS) * (len(METHODS) - 1) + 1
    for row in drawn:
        assert 0 < row["p_value"] <= 1
        assert row["null_p95"] >= 0
        assert row["ci_status"] == "ok"
        assert row["ci_low"] <= row["value"] <= row["ci_high"], row
    missing = marts.rows("select distinct p_status, ci_status from fct_disparities where value is null")
    assert missing == [{"p_status": "not_applicable", "ci_status": "not_applicable"}]


def test_where_a_combination_was_never_asked_no_test_is_valid(marts):
    """Labels cannot be swapped within questions: it says so, and calls nothing concentrated."""
    found = marts.rows(
        """
        select distinct axis, resampling_unit, permutation_scheme, max(concentration) as concentration
        from fct_disparities where p_status = 'ok' and config = 'm' group by all order by axis
        """
    )
    assert [(row["axis"], row["resampling_unit"], row["permutation_scheme"]) for row in found] == [
        ("place", "block", "within_blocks"),
        ("place & size", "block", "prompts"),
    ]
    assert found[0]["concentration"] is not None
    assert found[1]["concentration"] is None


def test_calibrated_rows_say_what_the_baseline_is(marts):
    for mart in ("fct_summary_statistics", "fct_disparities", "fct_selection_rates"):
        found = marts.rows(f"select distinct calibration, baseline_kind from {mart} order by calibration")
        assert [(row["calibration"], row["baseline_kind"]) for row in found] == [
            ("baseline", "counterfactual"),
            ("none", None),
        ]


def test_groups_have_intervals_or_a_reason(marts):
    found = marts.rows(
        """
        select statistic, group_value, value, ci_status, ci_low, ci_high from fct_summary_statistics
        where config = 'm' and calibration = 'none' and feature = 'length' and axis = 'place'
        """
    )
    by_group: dict[str, set[str]] = {}
    for row in found:
        by_group.setdefault(row["group_value"], set()).add(row["ci_status"])
        assert (row["ci_low"] is not None) == (row["ci_status"] == "ok")
    assert by_group["North"] == {"ok"}
    assert by_group["West"] <= {"too_few", "not_applicable"}
    assert by_group["Centre"] == {"not_applicable"}


def test_rates_have_what_chance_gives_and_ratios_to_the_chosen_group(marts):
    found = {
        row["group_value"]: row
        for row in marts.rows(
            """
            select * from fct_selection_rates
            where config = 'm' and calibration = 'none' and feature = 'warmth' and standard = 'median'
                and method = 'larger' and axis = 'place'
            """
        )
    }
    assert {name: row["status"] for name, row in found.items()} == {
        "North": "ok",
        "South": "ok",
        "East": "ok",
        "West": "too_few",
        "Centre": "empty_group",
    }
    for name in ("North", "South", "East"):
        row = found[name]
        assert 0 < row["p_max"] <= 1
        assert 0 < row["null_p05"] <= row["null_median"] <= 1
        assert row["chosen_reference_group"] == "South"
        assert row["chosen_impact_ratio"] == pytest.approx(
            row["selection_rate"] / found["South"]["selection_rate"]
        )
        assert 0 <= row["ci_low"] <= row["selection_rate"] <= row["ci_high"] <= 1
        if name != "South":
            low, high = row["chosen_impact_ratio_low"], row["chosen_impact_ratio_high"]
            assert low <= row["chosen_impact_ratio"] <= high
    lowest = min(found[name]["impact_ratio"] for name in ("North", "South", "East"))
    (disparity,) = marts.rows(
        """
        select value, p_value from fct_disparities
        where config = 'm' and calibration = 'none' and feature = 'warmth'
            and parameters = 'standard=median;method=larger' and disparity = 'min_impact_ratio'
            and axis = 'place'
        """
    )
    assert disparity["value"] == pytest.approx(lowest)
    worst = min(
        (row for row in found.values() if row["impact_ratio"] is not None), key=lambda r: r["impact_ratio"]
    )
    assert worst["p_max"] == pytest.approx(disparity["p_value"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"resampling": {"statistics": ["meen"]}},
            "`statistics`: 'meen' cannot be resampled; known: kendall",
        ),
        (
            {"resampling": {"standards": ["mode"]}},
            "`standards`: 'mode' cannot be resampled; known: fixed_0.5",
        ),
        ({"resampling": {"methods": ["larger", "larger"]}}, "`methods` names something twice"),
        ({"reference": {"age": "old"}}, "reference.age: 'age' is no axis"),
        ({"reference": {"place": "Venus"}}, "reference.place: 'Venus' is no group of that axis"),
        ({"standard_weighting": "gruop"}, "one of 'row' or 'group'"),
    ],
)
def test_what_is_unknown_is_named(tmp_path, changes, message):
    (tmp_path / "suite.yml").write_text(yaml.safe_dump(SUITE | changes), encoding="utf-8")
    with pytest.raises(PlumblineError) as caught:
        load_suite(tmp_path / "suite.yml")
    assert message in caught.value.message
