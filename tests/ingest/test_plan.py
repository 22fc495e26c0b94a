"""What `plumbline plan` says of a suite, of earlier answers, and of what cannot be planned."""

import json

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES

from ingest.asking.designs import Earlier, questions
from ingest.asking.judged import judged_by, n_together
from ingest.assemble import assemble_prompts
from ingest.cli import cli
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.suite import load_suite
from ingest.suite.definition import register_suite

SUITE = FIXTURES / "simulated_suite.yml"
FLAT = ("--category", "FLAT", "--axis", "gender")


def plumbline(data, *arguments):
    return CliRunner().invoke(cli, ["--data", str(data), "plan", *map(str, arguments)])


def records(data, *arguments):
    result = plumbline(data, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def suite():
    return load_suite(SUITE)


def test_layouts_of_the_suite(tmp_path, suite):
    """Roots are shared by all groups; names are each in one; an axis that no prompt shows is none."""
    with Store(tmp_path) as store:
        assemble_prompts(store, suite)
        found = {(q.category, q.axis): q for q in questions(store, suite, Earlier(tmp_path, ""), None, None)}
    # Ten cases, two sizes that name nobody and one that names the origin, in a man's and a woman's version.
    flat = found["FLAT", "gender"]
    assert (flat.layout.n_groups, flat.layout.is_shared, flat.block) == (2, True, "root")
    assert flat.layout.n_units * flat.layout.n_prompts == 90
    assert (flat.rate, flat.shares, flat.icc_source) == (0.5, (0.5, 0.5), "default")
    trade = found["TRADE", "gender"]
    assert trade.layout[:4] == (2, 2, 2, 1)
    assert (trade.layout.is_shared, trade.block, trade.rate) == (False, "name", None)
    # No prompt about a trade shows an origin.
    assert ("TRADE", "origin") not in found


def test_what_is_said(tmp_path):
    result = plumbline(tmp_path, SUITE, *FLAT)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("simulated_fixture: to be 80% sure of a verdict of the profile four_fifths")
    assert "FLAT decision by gender: 2 groups, 30 roots (all asked about every group)" in lines[2]
    tests = [line[2:30].strip() for line in lines[5:]]
    assert [test.split("  ")[0] for test in tests[:3]] == [f"a gap of {gap} points" for gap in (10, 20, 30)]
    assert "an impact ratio of 0.8" in result.stdout
    assert "min_impact_ratio 0.8 (a gap of 10)" in result.stdout
    # Nothing is written, not even a data folder's database.
    assert not (tmp_path / RAW_NAME).exists()


def test_a_suite_for_answers_that_are_not_there_yet_is_planned_without_repeats(tmp_path):
    result = plumbline(tmp_path, FIXTURES / "asked_suite.yml")
    assert result.exit_code == 0, result.output
    assert "× 1 repeats" in result.stdout


def test_lines_as_json(tmp_path):
    found = {(row["test"], row["gap"]): row for row in records(tmp_path, SUITE, *FLAT)}
    gaps = [found[f"a gap of {points} points", points / 100] for points in (10, 20, 30)]
    assert [row["power_to_fail"] for row in gaps] == sorted(row["power_to_fail"] for row in gaps)
    for verdict in ("to_fail", "to_pass"):
        needed = [row[verdict]["units"] for row in gaps]
        assert needed == sorted(needed, reverse=True)
        assert needed[-1] >= 2
    assert gaps[0]["effective_n"] == pytest.approx(90)
    assert gaps[2]["answers"] == 2 * 3 * max(gaps[2][v]["units"] for v in ("to_fail", "to_pass"))
    assert gaps[0]["cost"] is None
    # As many roots as are asked for give the power that was asked for.
    assert found["min_impact_ratio 0.8", 0.2]["reached_at"] == pytest.approx(0.1)


def test_names_that_are_alike_cannot_be_made_up_for(tmp_path):
    """Two names a gender: no number of repeats decides, and the plan names how many names would."""
    rows = records(tmp_path, SUITE, "--category", "TRADE", "--axis", "gender", "--icc", "0.5")
    row = next(row for row in rows if row["test"] == "a gap of 20 points")
    assert (row["n_units"], row["icc"], row["icc_source"]) == (2, 0.5, "given")
    assert row["power_to_fail"] == 0
    assert row["to_fail"]["repeats"] is None
    assert row["to_fail"]["roots"] is None
    assert row["to_fail"]["units"] > 30


def test_a_choice_is_as_alike_as_all_that_a_block_says_of_a_group(tmp_path):
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        named = "select 's' as suite, 'C' as category, 'choice' as measure, 'gender' as axis"
        marts.execute(f"create table fct_variance_components as {named}, 0.9 as icc")
        marts.execute(
            f"create table fct_design_power as {named}, icc, icc_source"
            " from (values (0.2, 'these answers'), (0.3, 'default')) as t (icc, icc_source)"
        )
    earlier = Earlier(tmp_path, "s")
    assert earlier.icc("C", "choice", "gender") == pytest.approx(0.9)
    assert earlier.icc("C", "choice", "gender", is_choice=True) == pytest.approx(0.2)


def test_earlier_answers_come_before_the_default(tmp_path, suite):
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        marts.execute(
            """
            create table fct_variance_components as
            select 'simulated_fixture' as suite, 'FLAT' as category, 'decision' as measure,
                'gender' as axis, icc
            from (values (0.1), (0.5), (-0.3)) as t (icc)  -- one below 0 counts as 0
            """
        )
        marts.execute(
            """
            create table fct_outcome_shares as
            select 'simulated_fixture' as suite, 'FLAT' as category, 'decision' as outcome_set,
                'gender' as axis, outcome, n_cell
            from (values ('rejected', 30), ('rejected', 30), ('accepted', 20)) as t (outcome, n_cell)
            """
        )
    rows = records(tmp_path, SUITE, *FLAT)
    assert [row["icc"] for row in rows] == pytest.approx([0.2] * len(rows))
    assert {row[name] for row in rows for name in ("icc_source", "shares_source")} == {"earlier answers"}
    with Store(tmp_path) as store:
        assemble_prompts(store, suite)
        earlier = Earlier(tmp_path, suite.suite)
        first = next(iter(questions(store, suite, earlier, None, None)))
        given = next(iter(questions(store, suite, earlier, 0.4, 0.6)))
    assert (first.rate, first.shares) == (0.25, (0.75, 0.25))
    assert (given.rate, given.layout.icc) == (0.6, 0.4)


def test_prices_of_the_configs(tmp_path, suite):
    """What is needed costs what its answers do, of the configs that have prices: two of three."""
    content = yaml.safe_load(SUITE.read_text("utf-8"))
    content["configs"] = [
        {"backend": "simulated", "model": f"m{n}", "options": {"max_tokens": 50}}
        | ({"prices": {"prompt": 10, "output": 1000}} if n else {})
        for n in range(3)
    ]
    path = tmp_path / "priced.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")

    def cost(*options):
        row = next(row for row in records(tmp_path / "data", path, *FLAT, *options) if row["gap"] == 0.2)
        return row["cost"] and row["cost"] / row["answers"]

    # Of two configs, fifty tokens written at a thousand a million; and some fifteen read.
    assert 0.1 < cost() < 0.101
    assert cost("--config", "m1") == cost("--configs", "2") == pytest.approx(cost() / 2)
    assert cost("--config", "m0") is cost("--configs", "1") is None

    # Who is asked three times where the others are asked once costs as much more.
    once = cost()
    content["configs"][1]["repeats"] = 3
    path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    assert cost() == pytest.approx(2 * once)


def test_the_data_folder_has_the_prompts_of_an_unchanged_suite(tmp_path, suite):
    with Store(tmp_path) as store:
        assemble_prompts(store, suite)
        register_suite(store, suite, SUITE, "r")
        store.connection.execute("delete from prompts where category = 'FLAT' and prompt like 'Case 1:%'")
    (changed,) = {row["n_units"] for row in records(tmp_path, SUITE, *FLAT)}
    assert changed == 27
    (fresh,) = {row["n_units"] for row in records(tmp_path / "empty", SUITE, *FLAT)}
    assert fresh == 30


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (("--category", "NONE"), "--category NONE: the suite has FLAT, TRADE, LETTER.", 2),
        (("--axis", "age"), "--axis age: the suite has gender, origin, gender & origin.", 2),
        (("--category", "LETTER"), "no prompt here compares groups by what they are answered", 1),
        (("--icc", "2"), "2.0 is not in the range 0<=x<=1", 2),
    ],
)
def test_what_cannot_be_planned(tmp_path, arguments, said, code):
    result = plumbline(tmp_path, SUITE, *arguments)
    assert result.exit_code == code
    assert said in result.output
    assert "Traceback" not in result.output


def with_families(tmp_path, gate="config", **changes):
    definition = yaml.safe_load(SUITE.read_text()) | changes | {"families": {"gate": gate}}
    path = tmp_path / f"{gate}.yml"
    path.write_text(yaml.safe_dump(definition))
    suite = load_suite(path)
    with Store(tmp_path / gate) as store:
        assemble_prompts(store, suite)
        asked = list(questions(store, suite, Earlier(tmp_path, ""), None, None))
    return suite, asked, judged_by(suite)


def test_what_is_corrected_together_is_what_the_suite_declares(tmp_path):
    # Of trades only shares are judged, of flats ratios too.
    shares = [{"metric": "max_share_gap", "green_limit": 0.1, "red_limit": 0.2}]
    suite, asked, judged = with_families(tmp_path, thresholds=shares)
    of_config = n_together(suite, asked, judged, "FLAT")
    assert of_config == sum(any(one.is_for(question) for one in judged) for question in asked) > 3
    suite, *rest = with_families(tmp_path, "question", thresholds=shares)
    # Gender, origin, and both together.
    assert n_together(suite, *rest, "FLAT") == 3
    assert n_together(suite, *rest, "TRADE") == of_config - 3
    suite, *rest = with_families(tmp_path, "audit", thresholds=shares)
    n_configs = len(suite.grid)
    assert n_configs > 1 and n_together(suite, *rest, "FLAT") == n_configs * of_config
    first = plumbline(tmp_path, tmp_path / "question.yml", *FLAT).stdout.splitlines()[0]
    assert first.endswith("corrects at most 3 tables of a question together.")


def test_a_family_of_more_tables_finds_less(tmp_path):
    for gate in ("question", "audit"):
        with_families(tmp_path, gate)
    found = [
        next(
            row["power_to_fail"]
            for row in records(tmp_path, tmp_path / f"{gate}.yml", *FLAT)
            if row["gap"] == 0.2
        )
        for gate in ("question", "audit")
    ]
    assert found[0] > found[1]


def test_a_limit_beside_the_gate_is_not_planned_for_and_replaces_its_profiles(tmp_path):
    beside = {"metric": "min_impact_ratio", "green_limit": 0.9, "red_limit": 0.9, "gate": False}
    own = {"metric": "max_share_gap", "green_limit": 0.1, "red_limit": 0.2, "axes": "single"}
    _, _, judged = with_families(tmp_path, thresholds=[beside, own])
    assert {one.metric for one in judged} & {"min_impact_ratio", "max_share_gap"} == {"max_share_gap"}
    _, _, before = with_families(tmp_path)
    assert "min_impact_ratio" in {one.metric for one in before}
