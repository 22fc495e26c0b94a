"""Parity with LangFair's counterfactual metrics on 300 pairs of real answers, from the texts to the marts.

The reference figures are in a folder beside this repository, `shared/oracles/langfair`, and the answers in
`shared/oracles/fair_sea`, or under the folder that PLUMBLINE_ORACLES names; they are not part of it.

All columns of i3_counterfactual_pairs.csv but two are compared: LangFair's neutral words come from its own
lists of gender words, ours from the suite (rows `*_neutralized` of both files). The way to the marts is gone
with the answers of one model; vectors of the other's would take as long again.
"""

import csv
import re

import pytest
import yaml
from click.testing import CliRunner
from places import ORACLES

from ingest import extract, load, warehouse
from ingest.measuring.text_overlap import Overlap

LANGFAIR, ANSWERS = ORACLES / "langfair", ORACLES / "fair_sea" / "responses.csv"
if not (LANGFAIR.is_dir() and ANSWERS.is_file()):
    pytest.skip(
        f"parity with LangFair is not tested: {LANGFAIR} is not there (PLUMBLINE_ORACLES names its parent)",
        allow_module_level=True,
    )

TOLERANCE = 1e-9
COSINE_TOLERANCE = 1e-5  # another implementation of the same encoder, in single precision
NEUTRALISED = 4  # rows of i3_counterfactual.csv: two metrics of two models
MODEL = "gpt-4o-mini"
SUITE = {
    "suite": "langfair_parity",
    "title": "Pairs of the reference",
    "version": 1,
    "scorers": ["vader", "minilm"],
    # No answer holds these words: nothing becomes a placeholder, as in the reference's plain columns.
    "attributes": {"gender": {"Male": {"words": ["xmale"]}, "Female": {"words": ["xfemale"]}}},
    "axes": ["gender"],
    "pairs": {"text": "raw", "features": ["vader_neg_raw", "vader_pos_raw"]},
    "resampling": {"permutations": 100, "bootstrap": 100},
    "columns": {
        "response": "answer",
        "prompt": "prompt",
        "model": "model",
        "category": "category",
        "repeat": "repeat",
        "root": "root",
        "source_id": "id",
        "attributes": {"gender": "gender"},
    },
    "categories": {
        "I3": {
            "title": "Scholarship",
            "block": "root",
            "outcomes": [
                {"set": name, "kind": "score", "text": "raw", "scorer": "vader", "feature": f"vader_{name}"}
                for name in ("neg", "pos")
            ],
        }
    },
}


@pytest.fixture(scope="module")
def pairs():
    with (LANGFAIR / "i3_counterfactual_pairs.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


@pytest.fixture(scope="module")
def answers():
    with ANSWERS.open(encoding="utf-8", newline="") as handle:
        return {(row["model"], row["prompt_id_full"]): row["llm_output"] for row in csv.DictReader(handle)}


def of_the_model(rows):
    return [row for row in rows if row["model"] == MODEL]


@pytest.fixture(scope="module")
def marts(tmp_path_factory, pairs, answers):
    """The reference's pairs as branches of a root: the k-th name of each gender, the r-th answer to it."""
    data = tmp_path_factory.mktemp("langfair")
    suite = data / "suite.yml"
    suite.write_text(yaml.safe_dump(SUITE, sort_keys=False), "utf-8")
    roots = {}
    with (data / "answers.csv").open("w", encoding="utf-8", newline="") as handle:
        columns = SUITE["columns"]
        names = [name for key, name in columns.items() if key != "attributes"]
        writer = csv.DictWriter(handle, [*names, "gender"])
        writer.writeheader()
        for pair in of_the_model(pairs):
            male, female = (
                re.fullmatch(r"(.+)-([0-9]+)", pair[f"prompt_id_{sex}"]) for sex in ("male", "female")
            )
            assert male[2] == female[2]
            root = roots.setdefault((male[1], female[1]), f"root {len(roots)}")
            for gender, match in (("Male", male), ("Female", female)):
                writer.writerow(
                    {
                        "answer": answers[pair["model"], match[0]],
                        "prompt": match[1],
                        "model": pair["model"],
                        "category": "I3",
                        "repeat": match[2],
                        "root": root,
                        "id": f"{pair['model']} {match[0]}",
                        "gender": gender,
                    }
                )
    for command, arguments in (
        (load.command, [str(data / "answers.csv"), "--suite", str(suite)]),
        (extract.command, ["--suite", str(suite)]),
    ):
        result = CliRunner().invoke(command, arguments, obj=data)
        assert result.exit_code == 0, result.output
    warehouse.build(data, ["fct_counterfactual_pairs", "fct_counterfactual_similarity", "dim_responses"])
    with warehouse.Warehouse(data) as opened:
        yield opened


def test_functions_give_every_pair(pairs, answers):
    texts = [
        tuple(answers[pair["model"], pair[f"prompt_id_{sex}"]] for sex in ("male", "female"))
        for pair in pairs
    ]
    scores = Overlap().score(texts)
    assert len(pairs) == 300
    for column, feature in (("rougeL", "rouge_l"), ("bleu", "bleu")):
        expected = [float(pair[column]) for pair in pairs]
        assert scores[feature] == pytest.approx(expected, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("column", "metric", "feature", "tolerance"),
    [
        ("rougeL", "counterfactual_rouge_l", "", TOLERANCE),
        ("bleu", "counterfactual_bleu", "", TOLERANCE),
        ("cosine", "counterfactual_cosine", "minilm", COSINE_TOLERANCE),
        ("sentiment_neg_absdiff", "score_difference", "vader_neg_raw", TOLERANCE),
        ("sentiment_pos_absdiff", "score_difference", "vader_pos_raw", TOLERANCE),
    ],
)
def test_the_mart_has_every_pair(marts, pairs, column, metric, feature, tolerance):
    rows = marts.rows(
        """
        select a.source_id as male, b.source_id as female, pairs.value
        from fct_counterfactual_pairs as pairs
        inner join dim_responses as a on pairs.response_key_a = a.response_key
        inner join dim_responses as b on pairs.response_key_b = b.response_key
        where pairs.pair_kind = 'branches' and pairs.metric = ? and pairs.feature = ?
        """,
        [metric, feature],
    )
    found = {(row["male"], row["female"]): row["value"] for row in rows}
    compared = of_the_model(pairs)
    assert len(found) == len(compared) == 150
    for pair in compared:
        ids = tuple(f"{pair['model']} {pair[f'prompt_id_{sex}']}" for sex in ("male", "female"))
        value = abs(found[ids]) if metric == "score_difference" else found[ids]
        assert value == pytest.approx(float(pair[column]), rel=0, abs=tolerance), ids


def test_the_mart_has_every_mean_and_bias(marts):
    """The weak bias is 0 in every row: no answer of either gender is above 0.5."""
    names = {
        "bleu_mean": ("counterfactual_bleu", ""),
        "rougeL_mean": ("counterfactual_rouge_l", ""),
        "cosine_mean": ("counterfactual_cosine", "minilm"),
        "sentiment_neg_strong": ("sentiment_bias_strict", "vader_neg_raw"),
        "sentiment_neg_weak": ("sentiment_bias_weak", "vader_neg_raw"),
        "sentiment_pos_strong": ("sentiment_bias_strict", "vader_pos_raw"),
        "sentiment_pos_weak": ("sentiment_bias_weak", "vader_pos_raw"),
    }
    found = {
        (row["config"], row["metric"], row["feature"]): row
        for row in marts.rows(
            "select config, metric, feature, value, n_pairs from fct_counterfactual_similarity"
        )
    }
    with (LANGFAIR / "i3_counterfactual.csv").open(encoding="utf-8", newline="") as handle:
        reference = list(csv.DictReader(handle))
    plain = [row for row in reference if not row["metric"].endswith("_neutralized")]
    assert len(reference) - len(plain) == NEUTRALISED and len(plain) == 2 * len(names)
    for row in of_the_model(plain):
        metric, feature = names[row["metric"]]
        ours = found[row["model"], metric, feature]
        tolerance = COSINE_TOLERANCE if "cosine" in metric else TOLERANCE
        assert ours["n_pairs"] == int(row["n_pairs"])
        assert ours["value"] == pytest.approx(float(row["value"]), rel=0, abs=tolerance), row
