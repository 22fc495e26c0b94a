"""Dixon's Q, z and ratios of 116 sets of group values, from a file of numbers to the mart.

The reference figures are in a folder beside this repository, `shared/oracles/saged`, or under the folder
that PLUMBLINE_ORACLES names; they are not part of it.
"""

import csv

import pytest
import yaml
from click.testing import CliRunner
from places import ORACLES

from ingest import warehouse
from ingest.cli import cli

ORACLE = ORACLES / "saged" / "dixon_cases.csv"
if not ORACLE.is_file():
    pytest.skip(
        f"Dixon's Q is not compared with SAGED's: {ORACLE} is not there (PLUMBLINE_ORACLES names its parent)",
        allow_module_level=True,
    )

# Where ours stands in fct_disparities, by the reference's column.
PEERS = {
    "dixon_q_low": "dixon_q_low",
    "dixon_q_high": "dixon_q_high",
    "saged_max_z": "max_z",
    "max_abs_z_ddof0": "max_abs_z",
    "saged_std": "standard_deviation",
    "saged_min_over_max": "min_max_ratio_unrestricted",
}


def cases() -> list[dict[str, str]]:
    with ORACLE.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def category(case: dict[str, str]) -> str:
    return f"{case['case']}_{case['n']}"


@pytest.fixture(scope="module")
def disparities(tmp_path_factory):
    """Each case as a category: a group a value, one answer a group."""
    folder = tmp_path_factory.mktemp("dixon")
    suite = {
        "suite": "dixon",
        "title": "Sets of group values",
        "version": 1,
        "minimum": {"cell": 1},
        "resampling": {"permutations": 100, "bootstrap": 100},
        "attributes": {"group": {f"g{i:02}": {} for i in range(31)}},
        "axes": ["group"],
        "measurements": {
            "root": "root",
            "attributes": {"group": "group"},
            "shows": ["group"],
            "model": "model",
            "category": "category",
            "features": {"value": "value"},
        },
        "categories": {category(case): {"title": case["case"], "block": "root"} for case in cases()},
    }
    (folder / "suite.yml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    with (folder / "values.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["category", "root", "group", "model", "value"])
        for case in cases():
            for i, value in enumerate(case["values"].split()):
                writer.writerow([category(case), "r", f"g{i:02}", "m", value])
    arguments = [str(folder / "suite.yml"), "--responses", str(folder / "values.csv")]
    command = ["--data", str(folder / "data"), "audit", *arguments, "--mart", "fct_disparities"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert "audit.duckdb (fct_disparities)" in result.output
    with warehouse.Warehouse(folder / "data") as opened:
        rows = opened.rows(
            """
            select category, disparity, value, status, n_groups from fct_disparities
            where statistic = 'mean'
            """
        )
    return {(row["category"], row["disparity"]): row for row in rows}


def test_all_cases_are_there(disparities):
    assert len(cases()) == 116
    assert {int(case["n"]) for case in cases()} == set(range(3, 32))
    for case in cases():
        assert disparities[category(case), "range"]["n_groups"] == int(case["n"])


@pytest.mark.parametrize("column", PEERS)
def test_values_are_the_references(disparities, column):
    n_compared = 0
    for case in cases():
        ours = disparities[category(case), PEERS[column]]
        if case[column] == "":
            assert ours["value"] is None, case
            assert ours["status"] in ("n_out_of_range", "zero_denominator", "zero_variance", "zero_max")
            continue
        assert ours["value"] == pytest.approx(float(case[column]), abs=1e-9), case
        n_compared += 1
    assert n_compared > 80
