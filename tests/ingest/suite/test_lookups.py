"""What a suite names is looked up when it is read, and a suite that is refused leaves no trace."""

import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES
from tiny import all_rows

from ingest.cli import cli
from ingest.store import Store

SCORE = {"set": "tone", "kind": "score", "scorer": "nobody", "feature": "f"}


@pytest.fixture
def run(tmp_path):
    def run(stage, change=lambda content: None):
        content = yaml.safe_load((FIXTURES / "asked_suite.yml").read_text("utf-8"))
        change(content)
        path = tmp_path / "suite.yml"
        path.write_text(yaml.safe_dump(content), "utf-8")
        return CliRunner().invoke(cli, ["--data", str(tmp_path / "data"), stage, "--suite", str(path)])

    return run


@pytest.fixture
def rows(tmp_path):
    def rows():
        with Store(tmp_path / "data", read_only=True) as store:
            return all_rows(store)

    return rows


@pytest.mark.parametrize("stage", ["assemble", "generate", "extract", "scrape"])
@pytest.mark.parametrize(
    ("change", "where", "said"),
    [
        (lambda c: c.update(profiles=["nobody"]), "profiles.0", "no profile 'nobody'"),
        (lambda c: c.update(profiles=["four_fifths", "nobody"]), "profiles.1", "no profile 'nobody'"),
        (lambda c: c.update(scorers=["nobody"]), "scorers.0", "no scorer 'nobody'"),
        (lambda c: c.update(encoder="nobody"), "encoder", "no scorer 'nobody'"),
        (
            lambda c: c["categories"]["FLAT"]["outcomes"].append(SCORE),
            "categories.FLAT.outcomes.1.scorer",
            "no scorer 'nobody'",
        ),
        (
            lambda c: c.update(configs=[{"backend": "nobody", "model": "m"}]),
            "configs.0.backend",
            "no backend 'nobody'",
        ),
    ],
)
def test_what_a_suite_names_is_looked_up_when_it_is_read(run, rows, stage, change, where, said):
    assert run("assemble").exit_code == 0
    before = rows()
    result = run(stage, change)
    line = result.output.splitlines()[0]
    assert result.exit_code == 1 and where in line and said in line and "suite.yml, line " in line
    assert len(line.partition("suite.yml")[2]) <= 280
    assert rows() == before


def test_a_profile_of_the_suites_own_limits_is_one(run):
    limit = {"metric": "min_impact_ratio", "green_limit": 0.9, "direction": "lower_is_worse"}
    assert run("assemble", lambda c: c.update(profiles=["ours"], thresholds=[limit])).exit_code == 0


CONFIGS = [
    {"backend": "simulated", "model": "m"},
    {"backend": "simulated", "model": "m", "role": "careful"},
]


def mitigated(*pairs):
    def change(content):
        named = [{"name": f"{i}", "control": one, "treated": other} for i, (one, other) in enumerate(pairs)]
        content.update(configs=CONFIGS, mitigations=named)

    return change


def mixed(shares):
    return lambda content: content["categories"]["FLAT"].update(mix={"shares": shares})


@pytest.mark.parametrize(
    ("change", "where", "said"),
    [
        (mitigated(("m", "careful")), "mitigations.0.treated", "no config 'careful'. It has: m; m (careful)"),
        (mitigated(("m", "m")), "mitigations.0", "one config: name two"),
        (mitigated(("m", "m (careful)"), ("m", "m (careful)")), "mitigations.1", "stands here twice"),
        (mixed({"colour": {"Red": 1}}), "mix.shares", "'colour' is no attribute"),
        (mixed({"gender": {"Other": 1}}), "mix.shares.gender", "'Other' is no value of 'gender'"),
        (mixed({"gender": {"Male": 0}}), "mix.shares", "one of them is more than 0"),
        (mixed({"gender": {"Male": -1, "Female": 2}}), "mix.shares", "shares are 0 or more"),
    ],
)
def test_mitigations_and_mixes_name_what_is_there(run, change, where, said):
    result = run("assemble", change)
    line = result.output.splitlines()[0]
    assert result.exit_code == 1 and where in line and said in line, line


def nothing_to_ask(content):
    content["categories"]["FLAT"].pop("prompts")
    content["categories"]["FLAT"].pop("slots")


def no_file(content):
    content["categories"]["FLAT"]["prompt_file"] = {"file": "nowhere.csv", "attributes": {"gender": "g"}}


def no_table(content):
    branch = {"category": "FLAT", "attribute": "gender", "root": "Male", "replacements": ["nowhere.csv"]}
    content["branches"] = [branch]


def no_writer(content):
    corpus = {"attribute": "gender", "sources": [{"concept": "Male", "kind": "synthetic"}]}
    corpus["sources"][0] |= {"config": "nobody", "instruction": "Write about {concept}."}
    content["categories"]["FLAT"]["corpus"] = corpus


@pytest.mark.parametrize(
    ("stage", "change"),
    [
        ("assemble", nothing_to_ask),
        ("assemble", no_file),
        ("branch", no_table),
        ("scrape", no_writer),
        ("generate", lambda c: c.update(configs=[{"backend": "openai", "model": "m"}])),
        (
            "generate",
            lambda c: c.update(configs=[{"backend": "simulated", "model": "m", "options": {"a": 1}}]),
        ),
    ],
)
def test_a_suite_that_is_refused_later_leaves_no_trace_either(run, rows, stage, change):
    assert run("assemble").exit_code == 0
    before = rows()
    result = run(stage, change)
    assert result.exit_code == 1 and "Traceback" not in result.output, result.output
    assert rows() == before and before["prompts"]
