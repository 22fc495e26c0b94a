"""The test of a table's rows names each rule that is broken, and none that holds."""

import shutil
from pathlib import Path

import pytest

from ingest import warehouse
from ingest.paths import PROJECT
from ingest.store import Store

PROJECT_FILE = """
name: plumbline
profile: plumbline
flags: {send_anonymous_usage_stats: false}
models: {+materialized: table}
"""
MODEL = """
select * from (
    values
        ('a', 'x', cast(0.5 as double), 'ok', 'one'),
        ('a', 'x', cast('nan' as double), 'ok', 'two'),
        ('b', null, null, null, 'one'),
        ('b', 'y', 1.5, 'it''s', null),
        ('c', 'z', -0.5, 'new', null)
) as listed (suite, "column", value, status, name)
"""
SOUND = """
select * from (
    values
        ('a', 'x', cast(0 as double), 'ok', 'one'),
        ('a', null, 1, 'it''s', null),
        ('b', 'x', null, null, null)
) as listed (suite, "column", value, status, name)
"""
RULES = """
models:
  - name: {0}
    data_tests:
      - row_rules: {{name: rows_of_{0}, arguments: {{
          keys: [[suite, column], [name]], never_null: [suite, status], between: {{value: [0, 1]}},
          values: {{status: [ok, "it's"]}}}}}}
"""


@pytest.fixture
def built(tmp_path, monkeypatch, capsys):
    """Build one model of a project of its own under RULES, from beside it; return what was said."""
    project, data = tmp_path / "project", Path("data")
    monkeypatch.chdir(tmp_path)
    for folder in ("macros/engine", "tests/generic"):
        shutil.copytree(PROJECT / folder, project / folder)
    shutil.copy(PROJECT / "profiles.yml", project)
    (project / "dbt_project.yml").write_text(PROJECT_FILE, "utf-8")
    (project / "models").mkdir()
    monkeypatch.setattr("ingest.warehouse.dbt.dbt_project", lambda: project)
    with Store(data):
        pass

    def build(name, sql, rules=RULES):
        (project / "models" / f"{name}.sql").write_text(sql, "utf-8")
        (project / "models" / f"{name}.yml").write_text(rules.format(name), "utf-8")
        is_well = warehouse.run_dbt(data, ["build"])
        assert (data / "target" / "compiled").is_dir() and not (project / "data").exists()
        return is_well, capsys.readouterr().err

    return build


def test_each_broken_rule_is_named_with_how_often_it_is_broken(built):
    is_well, said = built("bad", MODEL)
    assert not is_well, said
    assert [line for line in said.splitlines() if line.startswith("bad: ")] == [
        "bad: not so: status is never null (1 times)",
        "bad: not so: value between 0 and 1 (3 times)",
        "bad: not so: status is one of ok, it's (1 times)",
        "bad: not so: one row for each suite, column (1 times)",
        "bad: not so: one row for each name (1 times)",
    ]


def test_rows_that_keep_their_rules_pass(built):
    is_well, said = built("sound", SOUND, RULES.replace("[suite, status]", "[suite]"))
    assert is_well and said == "Building the marts …\n"


def test_a_blocking_rule_is_named_with_what_breaks_it(built, tmp_path):
    """dbt says "Got 1 result": which rule, of what, and how often is in the row."""
    columns = (
        "'s' as suite, 'H' as category, 'm' as config, 'tone' as scope, 1200 as n_failing, 1600 as n_records"
    )
    sql = f"select {columns}, 'answers_measured' as rule, 'Answers that were measured.' as description"
    named = tmp_path / "project/tests/assert_blocking_rules_are_passed.sql"
    named.write_text("select * from {{ ref('sound') }}", "utf-8")
    is_well, said = built("sound", sql, "models: []")
    assert not is_well
    assert "s, H, m, tone: 1,200 of 1,600 break the rule answers_measured: Answers that were meas" in said
    assert "`plumbline extract --suite FILE`, with the file of s." in said


def test_a_query_that_finds_rows_is_named_with_what_it_says_of_itself(built, tmp_path):
    named = tmp_path / "project/tests/assert_numbers_agree.sql"
    said_of_itself = "-- A number is one, whoever\n-- reads it. This is why (DQ-1).\n"
    named.write_text(said_of_itself + "select * from {{ ref('sound') }}", "utf-8")
    is_well, said = built("sound", SOUND, "models: []")
    assert not is_well
    assert "assert_numbers_agree: not so: A number is one, whoever reads it (3 times)" in said
