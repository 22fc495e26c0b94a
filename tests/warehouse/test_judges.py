"""A simulated judge with planted errors: its bias is found, and labels bring its numbers to the truth."""

import csv
import json

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from judged import JUDGE, SUITE

from ingest.cli import cli

WHEN = [f"from the {i}th of May" for i in range(4, 20)]
WHERE = ["in town", "by the sea", "on the hill", "at the port", "up north"]
READS = [{"says": "hire", "phrases": ["i would hire"]}, {"says": "pass", "phrases": ["would not"]}]


def judge(name, *misreads):
    config = {"backend": "simulated", "model": f"{name} reader"}
    rubric = f"Does it hire? ({name})"
    spec = {"reads": [dict(one) for one in READS], "misreads": list(misreads)}
    return {**JUDGE, "name": name, "config": config, "rubric": rubric, "simulated": spec}


def comparing():
    """A judge of pairs that prefers a hire, and, of two equals, often the one that it is shown first."""
    reads = [{"says": 1, "phrases": ["i would hire"]}, {"says": 0, "phrases": ["would not"]}]
    spec = {"reads": reads, "misreads": [{"rate": 0.4, "shift": 0.5}]}
    config = {"backend": "simulated", "model": "comparer"}
    own = {"kind": "judge", "name": "comparer", "rubric": "Which is kinder?", "reads": "pairs"}
    return {**own, "config": config, "simulated": spec}


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judges")
    partial = {"rate": 0.5, "says": "hire", "instead": "pass", "attribute": "gender", "value": "Female"}
    careless = {"rate": 0.2, "says": "hire", "instead": "pass"}
    says = {
        "hire": [f"I would hire the {{gender}} {when} {where}." for when in WHEN for where in WHERE],
        "pass": [f"I would not take the {{gender}} {when} {where}." for when in WHEN for where in WHERE],
    }
    category = SUITE["categories"]["H"] | {
        "slots": {"case": [str(i) for i in range(200)]},
        "outcomes": [
            {"set": name, "kind": "judged", "scorer": name, "favourable": ["hire"]}
            for name in ("partial", "careless")
        ],
        "simulated": {"answers": says, "weights": {"hire": 1, "pass": 1}},
    }
    scorers = [judge("partial", partial), judge("careless", careless), comparing()]
    path = folder / "suite.yml"
    content = SUITE | {"scorers": scorers, "categories": {"H": category}}
    path.write_text(yaml.safe_dump(json.loads(json.dumps(content)), sort_keys=False), "utf-8")
    return folder, path


def run(folder, *arguments):
    result = CliRunner().invoke(cli, ["--data", str(folder / "data"), *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output


def rows(folder, sql):
    with duckdb.connect(str(folder / "data" / "audit.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_bias_is_found_where_it_is_and_labels_correct_it(audited):
    folder, path = audited
    names = ("judge_bias", "outcomes", "label_errors", "judge_positions", "counterfactual_similarity")
    marts = [part for name in names for part in ("--mart", f"fct_{name}")]
    run(folder, "audit", path, *marts)
    found = {
        (name, group_b): (value, finding, is_simulated)
        for name, group_b, value, finding, is_simulated in rows(
            folder,
            "select judge, group_b, value, finding, is_simulated from fct_judge_bias where group_a = 'Male'",
        )
    }
    value, finding, is_simulated = found["partial", "Female"]
    assert value == pytest.approx(0.25, abs=0.12) and finding == "reads_groups" and is_simulated
    assert found["partial", ""][:2] == (0.0, "none_found")
    assert {finding for (name, _), (_, finding, _) in found.items() if name == "careless"} == {"none_found"}

    ((preference, low, high, p_value, n_pairs),) = rows(
        folder,
        "select value, ci_low, ci_high, p_value, n_pairs from fct_counterfactual_similarity"
        " where metric = 'judge_preference' and group_a = 'Male'",
    )
    hired = _truth(folder)
    assert preference == pytest.approx(hired["Male"] - hired["Female"]) and n_pairs == 200
    assert low < preference < high and p_value > 0.05
    ((n_first, n_second, p_value),) = rows(
        folder, "select n_first_twice, n_second_twice, p_value from fct_judge_positions"
    )
    assert n_first > 10 and n_second == 0 and p_value < 0.001

    run(folder, "labels", "sample", path, "--set", "partial", "--n", "160")
    (table,) = (folder / "data" / "labels").glob("*.csv")
    with table.open(encoding="utf-8", newline="") as file:
        drawn = list(csv.DictReader(file))
    for row in drawn:
        row |= {"label": "pass" if "would not" in row["answer"] else "hire", "annotator": "truth"}
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(drawn[0]))
        writer.writeheader()
        writer.writerows(drawn)
    run(folder, "labels", "load", path, table)
    run(folder, "audit", path, *marts, "--mart", "fct_corrected_numbers")
    truth = _truth(folder)
    rates = rows(
        folder,
        "select group_value, read_value, corrected_value, ci_low, ci_high from fct_corrected_numbers"
        " where metric = 'selection_rate' and outcome_set = 'partial' and axis = 'gender'",
    )
    assert {group for group, *_ in rates} == {"Male", "Female"}
    for group, read, corrected, low, high in rates:
        assert low <= truth[group] <= high
        assert abs(corrected - truth[group]) <= max(abs(read - truth[group]), 0.05)
    read, corrected = ({group: row[i] for group, *row in rates} for i in (0, 1))
    gap = truth["Male"] - truth["Female"]
    assert abs(read["Male"] - read["Female"] - gap) > 0.12
    assert abs(corrected["Male"] - corrected["Female"] - gap) < 0.08


def _truth(folder):
    with duckdb.connect(str(folder / "data" / "raw.duckdb"), read_only=True) as connection:
        return dict(
            connection.execute(
                "select p.attributes['gender'], avg(if(contains(t.text, 'would not'), 0.0, 1.0))"
                " from responses as r join prompts as p using (prompt_key) join texts as t using (text_key)"
                " group by all"
            ).fetchall()
        )
