"""`plumbline models check`, and the same check in an audit, with models of random weights."""

import json
import sys
from dataclasses import replace

import pytest
import yaml
from click.testing import CliRunner

from ingest.cli import cli
from ingest.scorers.classifier import CLASSIFIERS
from ingest.store import RAW_NAME

torch = pytest.importorskip("torch", reason="torch is an extra (`models`) and is not installed")
pytest.importorskip("transformers", reason="transformers is an extra and is not installed")
from random_models import LABELS, build  # noqa: E402

SUITE = {
    "suite": "checked",
    "title": "Checked",
    "version": 1,
    "scorers": ["vader", "sentiment"],
    "attributes": {"colour": {"Red": {}, "Blue": {}}},
    "axes": ["colour"],
    "categories": {
        "TONE": {
            "title": "Tone",
            "prompts": ["How is a {colour} day?"],
            "outcomes": [
                {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"},
            ],
        }
    },
    "configs": [{"backend": "simulated", "model": "sim"}],
}


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump(SUITE), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path):
    torch.set_num_threads(1)

    def call(*arguments):
        return CliRunner().invoke(cli, ["--data", str(tmp_path / "data"), *map(str, arguments)])

    return call


@pytest.fixture
def folders(tmp_path, run):
    """Two copies of a model, the second with its labels turned round: one of them reads the texts rightly."""
    right, wrong = tmp_path / "a", tmp_path / "b"
    build(right / "sentiment", "sentiment", labels=LABELS["sentiment"])
    build(wrong / "sentiment", "sentiment", labels=LABELS["sentiment"][::-1])
    if run("models", "check", "--scorer", "sentiment", "--model-dir", right).exit_code:
        right, wrong = wrong, right
    (tmp_path / "data" / "models.lock.json").unlink(missing_ok=True)
    return right, wrong


@pytest.fixture(autouse=True)
def english(monkeypatch):
    """Random weights read one pair by chance, not twelve."""
    monkeypatch.setitem(CLASSIFIERS, "sentiment", replace(CLASSIFIERS["sentiment"], languages=("en",)))


def test_a_model_that_reads_rightly_passes_and_is_not_read_again(run, suite, folders, tmp_path):
    right, _ = folders
    told = run("models", "check", suite, "--model-dir", right)
    assert told.exit_code == 0, told.output
    assert "sentiment: loads (lxyuan/distilbert" in told.output and "sentiment_score (en) " in told.output
    assert "vader" not in told.output
    entry = json.loads((tmp_path / "data" / "models.lock.json").read_text())
    (kept,) = entry.values()
    assert kept["checked"] and kept["sha256"]


def test_an_audit_with_a_model_that_misreads_asks_for_nothing(run, suite, folders, tmp_path):
    _, wrong = folders
    said = run("audit", suite, "--no-site", "--model-dir", wrong)
    assert said.exit_code == 1 and "the wrong order" in said.output, said.output
    assert len(said.output.strip().splitlines()) == 2 and "Generating" not in said.output
    assert not (tmp_path / "data" / RAW_NAME).exists()


def test_each_failure_is_a_line_and_the_others_are_checked(run, suite, folders):
    right, _ = folders
    build(right / "regard", "regard", labels=LABELS["sentiment"])
    (right / "toxigen").mkdir()
    (right / "toxigen" / "pytorch_model.bin").write_bytes(b"x")
    told = run("models", "check", suite, "--scorer", "regard", "--scorer", "toxigen", "--model-dir", right)
    lines = told.output.splitlines()
    assert told.exit_code == 1
    assert lines[0].startswith("sentiment: loads") and lines[2].startswith("regard: ") and len(lines) == 4
    assert f"gives the labels {', '.join(LABELS['sentiment'])}; sasha/regardv3 gives" in lines[2]
    assert "toxigen: tomh/toxigen_roberta has its weights as a pickle only (pytorch_model.bin)" in lines[3]


def test_without_the_extra_it_says_what_to_install(run, suite, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    told = run("models", "check", suite)
    assert told.exit_code == 1 and told.output.startswith(
        "sentiment: The scorer `sentiment` needs the package"
    )
    said = run("audit", suite, "--no-site")
    assert said.exit_code == 1 and "needs the package transformers" in said.output


def test_a_suite_without_classifiers_has_nothing_to_check(run, suite):
    suite.write_text(yaml.safe_dump({**SUITE, "scorers": ["vader"]}), encoding="utf-8")
    assert "names no classifier" in run("models", "check", suite).output
    assert run("models", "check").exit_code == 2
    assert run("models", "check", "--scorer", "nosuch").exit_code == 2
