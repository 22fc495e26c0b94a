"""Recommended lists and classifications, from a suite and a file of answers to the marts.

Where the reference figures of LangFair are there (`shared/oracles/langfair` beside this repository, or
under the folder that PLUMBLINE_ORACLES names), its lists are answers of a further category.
"""

import csv
import json

import pytest
from click.testing import CliRunner
from places import ORACLES

from ingest import extract, load, warehouse
from ingest.errors import PlumblineError
from ingest.suite import load_suite

LANGFAIR = ORACLES / "langfair"
LISTS = LANGFAIR / "recommendation_dict_file.csv"
GROUPS = ("neutral", "male", "female")
RULE = {
    "set": "decision", "kind": "pattern", "text": "raw", "labels": {"Yes": ["yes"], "No": ["no"]},
    "unmatched": "Other",
}  # fmt: skip
CATEGORY = {"title": "Songs", "block": "root", "outcomes": [RULE]}
SUITE = {
    "suite": "lists",
    "title": "Lists and classes",
    "version": 1,
    "attributes": {
        "gender": {group: {} for group in GROUPS},
        "fit": {"fit": {}, "unfit": {}, "unknown": {}},
    },
    "axes": ["gender"],
    "reference": {"gender": "neutral"},
    "minimum": {"cell": 1},
    "recommendations": {"categories": ["songs", "langfair"], "as_langfair": True},
    "resampling": {"permutations": 100, "bootstrap": 100},
    "columns": {
        **{name: name for name in ("response", "prompt", "model", "category", "root")},
        "attributes": {"gender": "gender", "fit": "fit"},
    },
    "categories": {
        "songs": CATEGORY,
        "langfair": CATEGORY,
        "hiring": {
            **CATEGORY,
            "classification": {
                "set": "decision", "predicted": ["Yes"], "truth": "fit", "positive": ["fit"]
            },
        },
    },
}  # fmt: skip
# By hand, against neutral a b: male b c, female a b. Ranks are of the group's list.
SONGS = {"neutral": "1. A\n2. B", "male": "1. B\n2. C", "female": "- a\n- b"}
# Of four fit people one man and two women are turned down, of two unfit ones one man is taken.
HIRED = {
    ("male", "fit"): "yyyn",
    ("male", "unfit"): "yn",
    ("female", "fit"): "yynn",
    ("female", "unfit"): "nn",
}


def answers():
    """Yield category, root, group, truth, response."""
    for group, response in SONGS.items():
        yield "songs", "r", group, "unknown", response
    if LISTS.is_file():
        lists = json.loads(LISTS.read_text("utf-8"))
        for group in GROUPS:
            for root, items in lists[f"{group}_dict"].items():
                yield "langfair", root, group, "unknown", "\n".join(items)
    for (group, truth), decisions in HIRED.items():
        for i, decision in enumerate(decisions):
            yield "hiring", f"{truth} {i}", group, truth, {"y": "Yes.", "n": "No."}[decision]


@pytest.fixture(scope="module")
def marts(tmp_path_factory):
    data = tmp_path_factory.mktemp("lists")
    suite = data / "suite.yml"
    suite.write_text(json.dumps(SUITE), "utf-8")
    with (data / "answers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["category", "root", "gender", "fit", "response", "model", "prompt"])
        for category, root, *rest in answers():
            writer.writerow([category, root, *rest, "m", f"{category} {root}?"])
    for command, arguments in (
        (load.command, [str(data / "answers.csv"), "--suite", str(suite)]),
        (extract.command, ["--suite", str(suite)]),
    ):
        result = CliRunner().invoke(command, arguments, obj=data)
        assert result.exit_code == 0, result.output
    warehouse.build(data, ["fct_recommendations", "fct_recommended_items", "fct_classification_parity"])
    with warehouse.Warehouse(data) as opened:
        yield opened


def recommended(marts, category):
    rows = marts.rows("select * from fct_recommendations where category = ?", [category])
    return {
        (row["comparison"], row["metric"].removeprefix("recommendation_"), row["group_value"]): row
        for row in rows
    }


def test_lists_are_compared_with_the_neutral_one(marts):
    found = recommended(marts, "songs")
    expected = {"jaccard": (1 / 3, 1), "serp": (2 / 3, 1), "prag": (1, 1)}
    for metric, (male, female) in expected.items():
        rows = [found["neutral", metric, group] for group in ("male", "female")]
        assert [row["value"] for row in rows] == pytest.approx([male, female])
        assert [row["snsr"] for row in rows] == pytest.approx([female - male] * 2)
        assert {row["n_pairs"] for row in rows} == {1} and {row["ci_status"] for row in rows} == {"too_few"}
    assert found["pairwise", "jaccard", "male"]["value"] == pytest.approx(1 / 3)
    assert len(found) == 15


def test_items_are_counted_by_group(marts):
    rows = marts.rows("select * from fct_recommended_items where category = 'songs'")
    found = {row["item"]: row for row in rows}
    shares = {item: (row["share_high"], row["share_low"]) for item, row in found.items()}
    assert shares == {"a": (1, 0), "b": (1, 1), "c": (1, 0)}
    assert (found["c"]["group_high"], found["a"]["group_low"]) == ("male", "male")
    # One prompt a group: nothing can be shuffled, and nothing is said to be sure.
    assert {row["p_family"] for row in rows} == {None} and {row["n"] for row in rows} == {3}


@pytest.mark.skipif(not LISTS.is_file(), reason=f"{LISTS} is not there (PLUMBLINE_ORACLES names its folder)")
def test_langfair_gives_the_same(marts):
    found = recommended(marts, "langfair")
    names = {"Jaccard": "jaccard", "SERP": "serp_langfair", "PRAG": "prag_langfair"}
    neutral = json.loads((LANGFAIR / "recommendation_results_against_neutral.json").read_text("utf-8"))
    pairwise = json.loads((LANGFAIR / "recommendation_results_pairwise.json").read_text("utf-8"))
    columns = {"max": "max_similarity", "min": "min_similarity", "SNSR": "snsr", "SNSV": "snsv"}
    assert set(neutral) == set(pairwise) == set(names)
    for name, metric in names.items():
        for group in ("male", "female"):
            row = found["neutral", metric, group]
            for key, column in columns.items():
                assert row[column] == pytest.approx(neutral[name][key], rel=0, abs=1e-9), (name, key)
        value = found["pairwise", metric, "male"]["value"]
        assert value == pytest.approx(pairwise[name], rel=0, abs=1e-9), name


def test_error_rates_by_group(marts):
    rows = marts.rows("select * from fct_classification_parity")
    found = {(row["group_value"], row["metric"]): row for row in rows}
    expected = {
        "false_negative_rate": (1 / 4, 2 / 4),
        "false_omission_rate": (1 / 2, 2 / 4),
        "false_positive_rate": (1 / 2, 0),
        "false_discovery_rate": (1 / 4, 0),
        "predicted_prevalence": (4 / 6, 2 / 6),
    }
    for metric, values in expected.items():
        assert [found[group, metric]["value"] for group in ("male", "female")] == pytest.approx(values), (
            metric
        )
    assert {row["axis"] for row in rows} == {"gender"} and len(rows) == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"set": "other"}, "there is no outcome set 'other'"),
        ({"predicted": ["Maybe"]}, "'Maybe' is no label of 'decision'"),
        ({"truth": "height"}, "'height' is no attribute"),
        ({"positive": ["tall"]}, "'tall' is no value of 'fit'"),
    ],
)
def test_mistakes_are_named(tmp_path, change, message):
    hiring = SUITE["categories"]["hiring"]
    wrong = {**hiring, "classification": {**hiring["classification"], **change}}
    path = tmp_path / "suite.yml"
    path.write_text(
        json.dumps({**SUITE, "categories": {**SUITE["categories"], "hiring": wrong}}),
        "utf-8",
    )
    with pytest.raises(PlumblineError, match=message):
        load_suite(path)
