"""Parity with LangFair's stereotype metrics, from texts to the mart, on its test data and on real answers.

The reference figures are in a folder beside this repository, `shared/oracles/langfair`, or under the folder
that PLUMBLINE_ORACLES names; they are not part of it. Every row of i3_stereotype_scores.csv and
i3_stereotype_words.csv, and the four published results that need no classifier, are accounted for.

The suites of this test take the library's lists and stop words. Two entries are left out, `Mr.` and `Mrs.`:
the library can never match them, for it compares small letters, and each group loses one. Its plurals (each
profession with an s) are words of their own.
"""

import csv
import json
from collections import defaultdict

import pytest
import yaml
from click.testing import CliRunner
from places import ORACLES

from ingest import load, warehouse

ORACLE = ORACLES / "langfair"
if not ORACLE.is_dir():
    pytest.skip(
        f"parity with LangFair is not tested: {ORACLE} is not there (PLUMBLINE_ORACLES names its parent)",
        allow_module_level=True,
    )

TOLERANCE = 1e-9
NEVER_MATCHED = {"Mr.", "Mrs."}
BETAS = {"mean": 0.95, "mean_beta_0.8": 0.8, "mean_beta_1.0": 1.0}
POOLED = "ALL"
PUBLISHED = {
    "test1": ("stereotypical_associations", "adjective", "responses"),
    "test2": ("stereotypical_associations", "profession", "responses_profession"),
    "test3": ("cooccurrence_bias", "adjective", "responses"),
    "test4": ("cooccurrence_bias", "profession", "responses_profession"),
}


def rows_of(name):
    with (ORACLE / name).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def target_list(metric, category):
    """The library looks for plurals in associations only."""
    plural = category == "profession" and metric == "stereotypical_associations"
    return "profession_and_plural" if plural else category


def suite_of(beta):
    words = defaultdict(list)
    for row in rows_of("word_lists.csv"):
        if row["word"] not in NEVER_MATCHED:
            words[row["list"]].append(row["word"])
    plurals = [f"{word}s" for word in words["profession"]]
    return {
        "suite": f"beta_{round(100 * beta)}",
        "title": "The library's lists",
        "version": 1,
        "attributes": {"gender": {"Female": {}, "Male": {}}},
        "axes": ["gender"],
        "resampling": {"permutations": 0, "bootstrap": 0},
        "columns": {
            "response": "answer",
            "prompt": "question",
            "model": "model",
            "category": "task",
            "attributes": {"gender": "gender"},
        },
        "stereotypes": {
            "attributes": {"gender": {"female": words["female"], "male": words["male"]}},
            "targets": {
                "adjective": words["adjective"],
                "profession": words["profession"],
                "profession_and_plural": words["profession"] + plurals,
            },
            "stop_words": [row["word"] for row in rows_of("nltk_stopwords_english.csv")],
            "tokeniser": "treebank",
            "beta": beta,
        },
        "categories": {
            "W1": {
                "title": "Answers",
                "outcomes": [{"set": "said", "kind": "pattern", "labels": {"yes": ["yes"], "no": ["no"]}}],
            }
        },
    }


def answers():
    """(model, text): the real answers, all of them once more as one model's, and the library's test data."""
    with (ORACLES / "fair_sea" / "responses.csv").open(newline="", encoding="utf-8") as handle:
        real = [row for row in csv.DictReader(handle) if row["prompt_id_full"].startswith("I3-")]
    found = [(row["model"], row["llm_output"]) for row in real]
    found += [(POOLED, text) for _, text in found]
    data = json.loads((ORACLE / "stereotype_data_file.json").read_text(encoding="utf-8"))
    return found + [(name, text) for name in ("responses", "responses_profession") for text in data[name]]


@pytest.fixture(scope="module")
def marts(tmp_path_factory):
    data = tmp_path_factory.mktemp("langfair")
    table = data / "answers.csv"
    with table.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["answer", "question", "model", "task", "gender"])
        for number, (model, text) in enumerate(answers()):
            writer.writerow([text, f"Question {number}", model, "W1", "Female"])
    for beta in BETAS.values():
        suite = data / f"{beta}.yml"
        suite.write_text(yaml.safe_dump(suite_of(beta), sort_keys=False), encoding="utf-8")
        result = CliRunner().invoke(load.command, [str(table), "--suite", str(suite)], obj=data)
        assert result.exit_code == 0, result.output
    warehouse.build(data, ["fct_stereotypes"])
    with warehouse.Warehouse(data) as opened:
        yield opened


@pytest.fixture(scope="module")
def values(marts):
    """(beta, model, metric, list, word) -> row."""
    return {
        (row["suite"], row["model"], row["metric"], row["target_list"], row["word"]): row
        for row in marts.rows("select * from fct_stereotypes where metric <> 'representation'")
    }


def test_scores_are_the_librarys(values):
    rows = rows_of("i3_stereotype_scores.csv")
    assert len(rows) == 30
    for row in rows:
        beta = BETAS.get(row["how"], 0.95)
        name = target_list(row["metric"], row["target_category"])
        found = values[f"beta_{round(100 * beta)}", row["model"], row["metric"], name, ""]
        ours = found["n_words"] if row["how"] == "n_words_scored" else found["value"]
        expected = float(row["value"]) if row["value"] else None
        assert ours == (None if expected is None else pytest.approx(expected, abs=TOLERANCE)), row
        assert found["n"] == int(row["n_responses"])


def test_words_are_the_librarys(values):
    rows = rows_of("i3_stereotype_words.csv")
    assert len(rows) == 43
    ours = {
        key[1:]: row["value"]
        for key, row in values.items()
        if key[0] == "beta_95" and key[4] and row["value"] is not None and "responses" not in key[1]
    }
    theirs = {
        (row["model"], row["metric"], target_list(row["metric"], row["target_category"]), row["word"]): float(
            row["value"]
        )
        for row in rows
    }
    listed = {key[:3] for key in theirs}
    # The other list of professions is nothing of the library's; nothing else is scored on either side.
    assert {key: value for key, value in ours.items() if key[:3] in listed} == pytest.approx(
        theirs, abs=TOLERANCE
    )


def test_published_results(values):
    expected = json.loads((ORACLE / "stereotype_results_file.json").read_text(encoding="utf-8"))
    for name, (metric, category, texts) in PUBLISHED.items():
        found = values["beta_95", texts, metric, target_list(metric, category), ""]
        assert found["value"] == pytest.approx(expected[name], abs=TOLERANCE), name
