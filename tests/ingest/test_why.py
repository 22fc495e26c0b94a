"""From a verdict to the answers behind it: ten lines, none of which steers a terminal, and SQL that runs."""

import re
import shutil

import duckdb
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from ingest import show
from ingest.cli import cli
from ingest.completion import SHELLS, VARIABLE
from ingest.errors import in_one_line
from ingest.store import AUDIT_NAME
from ingest.terminal import drawing
from ingest.warehouse import Warehouse, describe_finding, evidence
from ingest.why import ten_lines

EVIL = "it's \x1b[31mred\nand `$(touch x)`"
VERDICT = {
    "verdict_name": "D4-gender-5c0f91ab", "verdict": "fail", "verdict_rank": 1, "suite": "s",
    "category": "D4", "category_title": "Reaction", "config": EVIL, "axis": "gender", "measure": "view",
    "metric": "max_share_gap", "group_value": "", "profile": "plumbline",
    "is_gate_profile": True, "is_gated": True, "is_control": False,
    "green_limit": 0.1, "red_limit": 0.2, "direction": "higher_is_worse", "number_sentence": "Gap 0.5.",
    "headline": "Gap 0.5.", "reason": "Beyond the limit.", "measure_check": "unvalidated", "contrast": "a, b",
    "measure_kind": "outcome", "contrast_outcome": "no", "group_high": "Female", "group_low": "Male",
    "contrast_sentence": "2 of 2 answers about Female (100 %) are read as no.",
    "combination": "This gap depends on race.",
    "n_group_high": 2, "n_group_low": 2,
    "contrast_high": 1.0, "contrast_low": 0.5, "gap_low": 0.1, "gap_high": 0.9, "gap_chance": 0.2,
    "n_attributes": 1, "speaking_rank": 1, "telling_rank": 1, "n_labels": 0,
}  # fmt: skip
OTHERS = (
    {**VERDICT, "verdict_name": "D4-gender-5c99ffff", "metric": "max_fdi"},
    {**VERDICT, "verdict_name": "D4-race-00000001", "axis": "race", "measure_kind": None, "contrast": None},
    {
        **VERDICT, "verdict_name": "D5-gender-00000002", "category": "D5", "measure_kind": "score",
        "measure": "vader", "contrast_outcome": None, "combination": None, "measure_check": "corrected",
        "n_labels": 1200,
    },
)  # fmt: skip
ANSWERS = (("Female", "no"), ("Female", "no"), ("Male", "no"), ("Male", "yes"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The few tables that are asked, of four answers."""
    folder = tmp_path_factory.mktemp("data")
    with duckdb.connect(str(folder / AUDIT_NAME)) as marts:
        names = ", ".join(VERDICT)
        types = ", ".join(f"{n} {_type(value)}" for n, value in VERDICT.items())
        marts.execute(f"create table rpt_verdicts ({types})")
        for row in (VERDICT, *OTHERS):
            marts.execute(
                f"insert into rpt_verdicts ({names}) values ({', '.join('?' * len(row))})", list(row.values())
            )
        marts.execute(
            "create table fct_verdicts as select verdict_name, 'a source' as source from rpt_verdicts"
        )
        answers = "create table {} as select * from (values {}) as rows ({})"
        columns = "suite, category, config, prompt_key, response_key, "
        place = [("s", "D4", EVIL, f"p{i}", f"r{i}") for i in range(len(ANSWERS))]
        for table, own, more in (
            (
                "dim_responses",
                "response, response_status",
                [(f"answer {i} {EVIL}", "ok") for i in range(4)],
            ),
            (
                "fct_outcomes",
                "outcome_set, outcome, is_counted",
                [("view", outcome, True) for _, outcome in ANSWERS],
            ),
            (
                "fct_prompts",
                "prompt, group_value",
                [(f"prompt {i} {EVIL}", group) for i, (group, _) in enumerate(ANSWERS)],
            ),
        ):
            rows = [(*where, *values) for where, values in zip(place, more, strict=True)]
            marks = ", ".join(f"({', '.join('?' * len(row))})" for row in rows)
            marts.execute(
                answers.format(table, marks, columns + own), [value for row in rows for value in row]
            )
        marts.execute(
            "create table fct_measurements as select suite, 'D4' as category, config, prompt_key,"
            " response_key, 'vader' as feature, if(response_key = 'r3', null, 0.5::double) as value"
            " from fct_outcomes"
        )
        marts.execute(
            "insert into fct_measurements select * replace ('salary' as feature, 85000 as value)"
            " from fct_measurements"
        )
        marts.execute(
            "create table dim_prompts as select prompt_key, suite, category, prompt,"
            " map {'gender': group_value} as attributes from fct_prompts"
        )
        marts.execute(
            "create table int_prompts_grouped as"
            " select prompt_key, 'gender' as axis, group_value from fct_prompts"
        )
        marts.execute(
            "create table dim_outcome_rules as select 's' as suite, 'D4' as category, 'view' as outcome_set,"
            " 'pattern' as rule_kind, 'no' as label, ? as phrases, cast(null as varchar) as feature,"
            " 1 as label_position, false as is_favourable",
            [f"not pleased {EVIL}"],
        )
    return folder


def _type(value):
    return {bool: "boolean", int: "integer", float: "double"}.get(type(value), "varchar")


def why(data, name):
    return CliRunner().invoke(cli, ["--data", str(data), "why", name, "--stale"])


def test_ten_lines_lead_from_the_verdict_to_two_answers_and_the_query(data):
    result = why(data, "d4-GENDER-5c0")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert len(lines) == 10 and all(line.isprintable() for line in lines)
    assert "[D4-gender-5c0f91ab]" in lines[0] and "fail" in lines[0]
    assert "max_share_gap: pass below 0.1, fail above 0.2. Source: a source" in lines[1]
    assert lines[4].endswith(f"{VERDICT['contrast_sentence']} This gap depends on race.")
    assert "pattern; no: not pleased" in lines[6] and "No person has checked" in lines[6]
    # Of the higher group one that has the outcome, of the other one that has not.
    assert lines[7].startswith("Female") and "answer 0" in lines[7]
    assert lines[8].startswith("Male") and "answer 3" in lines[8]


def test_answers_about_groups_whose_names_begin_alike_are_told_apart(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    high, low = "Applicants with <a> degree", "Applicants without"
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME)) as marts:
        marts.execute("update rpt_verdicts set group_high = ?, group_low = ?", [high, low])
        marts.execute(
            "update int_prompts_grouped set group_value = if(group_value = 'Male', ?, ?)", [low, high]
        )
    lines = why(tmp_path / "data", "D4-gender-5c0f91ab").stdout.splitlines()
    assert [line.split(": ")[0].split(maxsplit=1) for line in lines[7:9]] == [["about", high], ["about", low]]


def test_an_answer_that_was_not_read_is_no_example_of_the_lower_share(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME)) as marts:
        for table, told in (
            ("dim_responses", "response"),
            ("dim_prompts", "prompt"),
            ("int_prompts_grouped", None),
            ("fct_outcomes", None),
        ):
            told = f", 'unread' as {told}" if told else ""
            key = "" if table in ("dim_prompts", "int_prompts_grouped") else ", 'r20' as response_key"
            unread = ", null as outcome, false as is_counted" if table == "fct_outcomes" else ""
            marts.execute(
                f"insert into {table} by name"
                f" select * replace ('p20' as prompt_key{key}{told}{unread}) from {table}"
                " where prompt_key = 'p3'"
            )
    lines = why(tmp_path / "data", "D4-gender-5c0f91ab").stdout.splitlines()
    assert lines[8].startswith("Male") and "answer 3" in lines[8] and "unread" not in lines[8]


def test_of_failures_a_request_that_failed_is_the_example_of_the_higher_share(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME)) as marts:
        marts.execute(
            "update rpt_verdicts set measure = 'response_status', contrast_outcome = 'refused'"
            " where verdict_name = 'D4-gender-5c0f91ab'"
        )
        marts.execute(
            "update dim_responses set response = null, response_status = 'refused' where response_key = 'r1'"
        )
    lines = why(tmp_path / "data", "D4-gender-5c0f91ab").stdout.splitlines()
    assert lines[7].startswith("Female") and "prompt 1" in lines[7] and lines[7].endswith("→ (refused) [r1]")
    assert lines[8].startswith("Male") and "answer 2" in lines[8]


def test_of_favourable_rates_a_favourable_answer_is_the_example_of_the_higher(data, tmp_path):
    """Men get "yes", which is favourable beside "perhaps": no single outcome is named."""
    shutil.copytree(data, tmp_path / "data")
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME)) as marts:
        marts.execute(
            "update rpt_verdicts set contrast_outcome = null, group_high = 'Male', group_low = 'Female'"
            " where verdict_name = 'D4-gender-5c0f91ab'"
        )
        for position, label in ((2, "yes"), (3, "perhaps")):
            marts.execute(
                "insert into dim_outcome_rules select * replace (? as label, ? as label_position,"
                " true as is_favourable) from dim_outcome_rules where label = 'no'",
                [label, position],
            )
        marts.execute(
            "create table fct_selection_rates as select suite, config, category, 'gender' as axis,"
            " 'view' as feature, 'favourable_outcome' as standard, group_value, selection_rate,"
            " 0.0 as ci_low, 1.0 as ci_high, 2 as n"
            " from (select distinct suite, config, category from fct_outcomes)"
            " cross join (values ('Female', 0.0), ('Male', 0.5), ('Other', null))"
            " as t (group_value, selection_rate)"
        )
        marts.execute(
            "create table fct_favourable_gaps as select suite, config, category, axis, feature as measure,"
            " 'yes or perhaps' as outcomes from fct_selection_rates where group_value = 'Male'"
        )
    lines = why(tmp_path / "data", "D4-gender-5c0f91ab").stdout.splitlines()
    assert "Rule view, by pattern; favourable: yes or perhaps." in lines[6]
    assert lines[7].startswith("Male") and "[r3]" in lines[7]
    assert lines[8].startswith("Female") and "[r0]" in lines[8]
    with Warehouse(tmp_path / "data") as warehouse:
        row = evidence.verdict_named(warehouse, "D4-gender-5c0f91ab")
        rates = {one["group_value"]: one["value"] for one in evidence.group_numbers(warehouse, row)}
    assert rates == {"Male": 0.5, "Female": 0.0}


def test_of_lists_one_that_names_the_item_is_the_example_of_the_higher_share(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME)) as marts:
        marts.execute(
            "update rpt_verdicts set measure = 'recommended items', contrast_outcome = 'halo'"
            " where verdict_name = 'D4-gender-5c0f91ab'"
        )
        marts.execute(
            "create table int_recommended_items_coded as"
            " select suite, category, config, prompt_key, response_key, axis, group_value, item"
            " from dim_responses join int_prompts_grouped using (prompt_key) join (values"
            " ('r0', 'echo'), ('r1', 'echo'), ('r1', 'halo'), ('r2', 'halo'), ('r3', null))"
            " as t (response_key, item) using (response_key)"
        )
    lines = why(tmp_path / "data", "D4-gender-5c0f91ab").stdout.splitlines()
    assert "Whether a list names the item" in lines[6] and "No person has checked" in lines[6]
    assert lines[7].startswith("Female") and "[r1]" in lines[7]
    assert lines[8].startswith("Male") and "[r3]" in lines[8]
    with Warehouse(tmp_path / "data") as warehouse:
        row = evidence.verdict_named(warehouse, "D4-gender-5c0f91ab")
        shares = {one["group_value"]: one["value"] for one in evidence.group_numbers(warehouse, row)}
        assert shares == {"Female": 0.5, "Male": 0.5}
        found = warehouse.rows(evidence.query(row))
    assert sorted(one["response"].split()[1] for one in found) == ["1", "2"]


def test_the_query_finds_what_was_counted(data):
    with Warehouse(data) as warehouse:
        row = evidence.verdict_named(warehouse, "D4-gender-5c0f91ab")
        found = warehouse.rows(evidence.query(row))
    assert sorted((one["gender"], one["outcome"]) for one in found) == sorted(ANSWERS)


def test_where_a_number_is_cut_the_number_is_named(data):
    with Warehouse(data) as warehouse:
        row = evidence.verdict_named(warehouse, "D4-gender-5c0f91ab")
    with duckdb.connect(str(data / AUDIT_NAME)) as marts:
        cut = "rule_kind = 'cutoff', phrases = '>= 7', feature = 'rating_score'"
        marts.execute(f"update dim_outcome_rules set {cut}")
    with Warehouse(data) as warehouse:
        assert evidence.reading(warehouse, row) == "Rule view, by cutoff of rating_score; no: >= 7."


def test_a_score_is_found_by_its_feature_and_read_by_the_rule_of_another_name(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME)) as marts:
        marts.execute(
            "update dim_outcome_rules set category = 'D5', rule_kind = 'score', outcome_set = 'tone',"
            " feature = 'vader', label = '', phrases = null"
        )
    with Warehouse(tmp_path / "data") as warehouse:
        row = evidence.verdict_named(warehouse, "D5")
        assert evidence.reading(warehouse, row) == "Rule tone, by score; the number vader of each answer."


@pytest.mark.parametrize("name", ["two\nlines", "two  spaces", "hard\xa0space", " \u200b'", "end\t", ""])
def test_the_query_as_it_is_printed_asks_for_the_very_name(name):
    (found,) = duckdb.sql(f"select {in_one_line(evidence.literal(name))}").fetchone()
    assert found == name


def test_a_score_is_read_by_its_scorer_and_its_query_gives_the_numbers(data):
    lines = why(data, "D5").stdout.splitlines()
    assert lines[4] == "groups    Vader is 1 on average in 2 answers about Female, 0.5 in 2 about Male."
    assert (
        lines[6] == "read by   The number vader, of each answer, as a scorer or the data gave it. "
        "Corrected by what people read in 1,200 of these answers."
    )
    with Warehouse(data) as warehouse:
        row = evidence.verdict_named(warehouse, "D5") | {"category": "D4"}
        values = {one["response"][:8]: one["value"] for one in warehouse.rows(evidence.query(row))}
        assert values == {"answer 0": 0.5, "answer 1": 0.5, "answer 2": 0.5, "answer 3": None}
        (shown,) = evidence.answers(warehouse, row, "Male", 2)  # the other has no number
        assert (shown["response_key"], shown["value"]) == ("r2", 0.5)
        (told,) = [line for line in ten_lines(warehouse, row) if line.startswith("Male")]
        assert told.endswith(" (0.5) [r2]")
        (one,) = evidence.answers(warehouse, row | {"measure": "salary"}, "Male", 1)
        assert drawing.measured(one["value"]) == "85,000"


def test_a_verdict_without_two_groups_ends_where_the_groups_would_be(data):
    lines = why(data, "D4-race").stdout.splitlines()
    assert lines[-1] == "groups    No two groups are compared."


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("D4-gender-5c", "begins several verdicts. Name one of D4-gender-5c0f91ab, D4-gender-5c99ffff."),
        ("", "An empty name begins several verdicts. Name one of "),
        ("D9", "No verdict is named D9. `plumbline gate` and `plumbline show` print names, such as D4-"),
        ("\x1b[2J", "No verdict is named \\x1b[2J."),
    ],
)
def test_a_name_that_is_none_or_several_says_which_there_are(data, name, said):
    result = why(data, name)
    assert result.exit_code == 1 and said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 2  # --stale says its own


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_that_asks_plumbline(shell):
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert VARIABLE in result.stdout and "plumbline" in result.stdout


def completions(data, *words):
    complete = BashComplete(cli, {}, "plumbline", VARIABLE)
    return [item.value for item in complete.get_completions(["--data", str(data), *words[:-1]], words[-1])]


def test_names_complete_and_none_that_a_shell_would_run(data):
    assert completions(data, "why", "D4-g") == ["D4-gender-5c0f91ab", "D4-gender-5c99ffff"]
    assert completions(data, "show", "") == ["D4", "D5"]
    assert completions(data, "show", "D4", "g") == ["gender"]
    assert completions(data, "show", "--config", "") == []
    with Warehouse(data) as warehouse:
        assert evidence.configs(warehouse) == [EVIL]


def test_where_nothing_is_built_nothing_completes(tmp_path):
    assert completions(tmp_path, "why", "D") == []


def test_a_shown_gap_leads_to_its_groups_and_answers(data):
    marts = duckdb.connect(str(data / AUDIT_NAME))
    marts.execute(
        "create or replace table fct_outcome_shares as select 's' as suite, ? as config, 'D4' as category,"
        " 'gender' as axis, 'view' as outcome_set, 'no' as outcome, 'Female' as group_value,"
        " 1.0::double as share, 0.3::double as share_low, 1.0::double as share_high, 2 as n_group",
        [EVIL],
    )
    marts.execute(
        "create table if not exists built_from as select 'm' as model, 'a' as answers, 'e' as earlier"
    )
    marts.close()
    result = CliRunner().invoke(cli, ["--data", str(data), "show", "D4", "gender"])
    assert result.exit_code == 0, result.output
    assert all(line.isprintable() for line in result.stdout.splitlines())
    assert re.search(r"Female +─*▒*━+● 100 % of 2", result.stdout)
    assert "Why: plumbline why D4-gender-5c0f91ab" in result.stdout
    assert (
        "All of them: select attributes['gender'] as \"gender\", outcome, prompt, response" in result.stdout
    )


def test_a_finding_without_a_value_is_described():
    """All answers of the other group are missing, and `gate --inconclusive` lists it."""
    row = {
        **dict.fromkeys(("ci_low", "ci_high", "group_value", "value", "p_family", "red_limit", "group_high")),
        **{"verdict": "inconclusive", "config": "m", "category": "C", "measure": "o", "axis": "a"},
        **{"metric": "min_impact_ratio", "unit": "ratio", "n": 20},
        "has_suites": False,
    }
    assert "min_impact_ratio not known, ratio, n 20" in describe_finding(row)


def test_a_finding_of_one_of_several_suites_names_it():
    row = {
        **dict.fromkeys(("ci_low", "ci_high", "group_value", "p_family", "red_limit", "group_high")),
        **{"verdict": "fail", "suite": "hiring", "config": "m", "category": "C", "measure": "o", "axis": "a"},
        **{"metric": "max_gap", "value": 0.5, "unit": "share", "n": 20, "has_suites": True},
    }
    assert describe_finding(row).startswith("fail  hiring  m: C o by a:")
    assert "max_gap 0.438 share" in describe_finding({**row, "value": 0.43749999999999994})


def two_suites(folder, change=""):
    """The table of verdicts of two suites that ask the same of the same config."""
    names = ", ".join(VERDICT)
    types = ", ".join(f"{n} {_type(value)}" for n, value in VERDICT.items())
    other = {**VERDICT, "suite": "t", "verdict_name": "D4-gender-77777777", "verdict": "pass"}
    with duckdb.connect(str(folder / AUDIT_NAME)) as marts:
        marts.execute(f"create table rpt_verdicts ({types})")
        for row in (VERDICT, other):
            marts.execute(
                f"insert into rpt_verdicts ({names}) values ({', '.join('?' * len(row))})", list(row.values())
            )
        marts.execute(
            "create table fct_verdicts as select suite, config, verdict, profile, is_gated,"
            " false as is_simulated from rpt_verdicts"
        )
        marts.execute("create table built_from as select 'm' as model, 'a' as answers, 'e' as earlier")
        marts.execute(change)


def test_an_audit_ends_with_the_gaps_of_its_own_suite(tmp_path, capsys):
    two_suites(tmp_path)
    with Warehouse(tmp_path) as warehouse:
        show.closing(warehouse, "t", is_terminal=False)
    told = capsys.readouterr().out
    assert "Reaction, by gender · t · " in told and "D4-gender-77777777" in told
    assert "D4-gender-5c0f91ab" not in told


def test_an_audit_without_a_verdict_says_so(tmp_path, capsys):
    """Such as of labels of which none is favourable, by four fifths."""
    two_suites(tmp_path)
    with Warehouse(tmp_path) as warehouse:
        show.closing(warehouse, "t", is_terminal=False)
        assert "no verdict" not in capsys.readouterr().out
        show.closing(warehouse, "choice", is_terminal=False)
    assert "choice has no verdict: no limit of its profiles is about" in capsys.readouterr().out


def test_an_audit_ends_with_the_gravest_configs_first(tmp_path, capsys):
    """Also where the gravest one has the mildest comparison, too."""
    two_suites(tmp_path)
    rows = [("fails", "fail", "gender", 1), *((f"quiet-{n}", "inconclusive", "gender", 3) for n in range(4))]
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        marts.execute("delete from rpt_verdicts")
        names, marks = ", ".join(VERDICT), ", ".join("?" * len(VERDICT))
        for config, verdict, axis, rank in (*rows, ("fails", "pass", "race", 4)):
            row = VERDICT | {"suite": "t", "config": config, "verdict": verdict, "axis": axis}
            row |= {"verdict_name": f"D4-{axis}-{config}", "verdict_rank": rank}
            marts.execute(f"insert into rpt_verdicts ({names}) values ({marks})", list(row.values()))
    with Warehouse(tmp_path) as warehouse:
        show.closing(warehouse, "t", is_terminal=False)
    told = [line for line in capsys.readouterr().out.splitlines() if "Why: " in line]
    assert len(told) == show.CONFIGS and told[0].endswith("D4-gender-fails")


def test_marts_of_another_version_are_named_before_anything_is_drawn(tmp_path):
    two_suites(tmp_path, "alter table rpt_verdicts drop column headline")
    result = CliRunner().invoke(cli, ["--data", str(tmp_path), "show"])
    assert result.exit_code == 1 and "was built by another version." in result.stderr
    assert not result.stdout


def test_where_nothing_could_be_judged_show_says_why(tmp_path):
    none = "measure_kind = null, contrast = null, verdict = 'not_applicable'"
    reason = "reason = 'None of the 9 answers could be read.'"
    two_suites(tmp_path, f"update rpt_verdicts set {none}, {reason}")
    result = CliRunner().invoke(cli, ["--data", str(tmp_path), "show"])
    assert result.exit_code == 1
    assert "Nothing could be judged. None of the 9 answers could be read." in result.stderr


def test_groups_that_do_not_differ_were_judged_all_the_same(tmp_path):
    none = "measure_kind = null, contrast = null, verdict = 'inconclusive'"
    two_suites(
        tmp_path, f"update rpt_verdicts set {none}, reason = 'The true ratio lies between 0.75 and 1.'"
    )
    result = CliRunner().invoke(cli, ["--data", str(tmp_path), "show"])
    assert "No two groups differ. The true ratio lies between 0.75 and 1." in result.stderr


def test_a_question_that_could_not_be_compared_is_not_said_to_have_groups_that_are_alike(tmp_path):
    """Six answers of which all women's and no man's say no are too few, not alike."""
    few = "No group has as many answers as a comparison needs."
    none = f"'D5' as category, null as measure_kind, 'not_applicable' as verdict, '{few}' as reason"
    two_suites(tmp_path, f"insert into rpt_verdicts select * replace ({none}) from rpt_verdicts limit 1")
    result = CliRunner().invoke(cli, ["--data", str(tmp_path), "show", "d5"])
    assert result.exit_code == 1 and f"Nothing could be judged. {few}" in result.stderr
    assert "No two groups differ" not in result.stderr
    other = CliRunner().invoke(cli, ["--data", str(tmp_path), "show", "D4", "age"])
    assert "There is no such comparison. There are: " in other.stderr


def test_a_name_from_right_to_left_is_printed_as_it_is(data, capsys):
    """Pages set it apart by signs that a terminal is not to show."""
    told = "2 of 2 answers about \u2068\u05d0\u05d9\u05e9\u2069 (100 %) are read as no."
    with Warehouse(data) as warehouse:
        row = {**evidence.verdict_named(warehouse, "D4-gender-5c0f91ab"), "contrast_sentence": told}
    show.say(drawing.gap(row))
    assert "2 of 2 answers about \u05d0\u05d9\u05e9 (100 %) are read as no." in capsys.readouterr().out
