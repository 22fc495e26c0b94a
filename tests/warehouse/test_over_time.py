"""Audits that are kept: each once, compared two by two, and a change over many of them."""

import json
from datetime import datetime, timedelta

import duckdb
import pytest
from click.testing import CliRunner

from ingest import compare, warehouse
from ingest.errors import PlumblineError
from ingest.store import AUDIT_NAME, Store
from ingest.warehouse import history, kept_audits
from ingest.warehouse.history import HASHES, keep_audit
from ingest.watch import numbers_of

HOSTILE = "'; drop table x; -- \x1b[31m<img src=x onerror=alert(1)>"
START = datetime(2026, 3, 2, 8)
STAGED = ("stg_audit__audits", "stg_audit__numbers", "stg_audit__compared_audits", "stg_watch__plans")
CAUTIOUS = ("--indirect-selection", "cautious")  # tests of what is built alone
BUILT = ("+dim_metrics", *(f"{name}+" for name in STAGED))
NUMBER = {
    "suite": "s", "category": "A1", "config": "m", "is_simulated": True, "measure": "job", "axis": "gender",
    "metric": "max_share_gap", "group_value": "", "unit": "share", "direction": "higher_is_worse",
    "n": 200, "n_units": 60, "p_family": 0.5, "verdict": "pass",
}  # fmt: skip


def audit(number, **changes):
    hashes = dict.fromkeys(HASHES, "h")
    return {
        "audit_key": f"audit-{number:02}", "fingerprint": f"{number:02x}" * 32, "plumbline_version": "1",
        "audited_at": START + timedelta(weeks=number), **hashes, "run_id": "r", **changes,
    }  # fmt: skip


def number(of, value, half=0.05, **changes):
    ends = {"ci_low": value - half, "ci_high": value + half} if half is not None else {}
    named = {"audit_key": of["audit_key"], "answers_key": of["audit_key"]}
    return {**named, **NUMBER, "value": value, **ends, **changes}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Twelve weekly audits of two numbers, one of which shifts at the seventh; three looks of a plan."""
    folder = tmp_path_factory.mktemp("kept") / "data"
    folder.mkdir()
    weeks = [audit(week, answers_hash=f"answers {week // 7}") for week in range(1, 13)]
    looks = [audit(20 + look, plan_key="p", look=look, build_hash="hii"[look - 1]) for look in (1, 2, 3)]
    numbers = []
    for week, one in enumerate(weeks, 1):
        wobble = 0.004 * (-1) ** week
        verdict = "fail" if week >= 7 else "pass"
        numbers += [
            number(one, (0.3 if week >= 7 else 0.1) + wobble, verdict=verdict),
            number(one, 0.1 + wobble, axis=HOSTILE),
            number(one, 0.5, half=None, metric="chi_square_p"),
        ]
    numbers += [number(one, 0.2) for one in looks] + [number(looks[2], 0.1, category="NEW")]
    with Store(folder) as store:
        store.append("audits", weeks + looks)
        store.append("audit_numbers", numbers)
        plan = {
            "plan_key": "p",
            "suite": "s",
            "suite_key": "k",
            "n_looks": 4,
            "n_roots": 20,
            "started_at": START,
        }
        store.append("watch_plans", [{**plan, "run_id": "r"}])
    build_marts(folder)
    build_again(folder, "0c" * 32)
    return folder


def build_marts(data):
    """Build the marts of kept audits."""
    selected = [*CAUTIOUS, "--select", *BUILT, "--exclude", compare.COUNTS_ALL]
    assert warehouse.run_dbt(data, ["build", "--exclude-resource-type", "unit_test", *selected])


def build_again(data, fingerprint):
    """Let the marts be of a kept audit."""
    with duckdb.connect(str(data / AUDIT_NAME)) as connection:
        connection.execute("create or replace table dim_builds as select ? as fingerprint", [fingerprint])


def rows(data, sql):
    with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_the_number_that_shifted_raises_an_alarm_and_no_other_does(data):
    found = rows(data, "select distinct axis, min(place) from fct_audit_numbers where is_alarm group by axis")
    assert [axis for axis, _ in found] == ["gender"] and 7 <= found[0][1] <= 8
    last = rows(
        data,
        "select changed_place_low, changed_place, changed_place_high, shift, n_tests from fct_audit_numbers"
        " where place = 12 and axis = 'gender' and metric = 'max_share_gap' and not is_look",
    )
    assert last == [(7, 7, 7, pytest.approx(0.2, abs=0.01), 2)]
    assert rows(data, "select count(p_sequential) from fct_audit_numbers where metric = 'chi_square_p'") == [
        (0,)
    ]


def test_what_changed_since_the_audit_before_is_said(data):
    found = rows(data, "select place, changed_parts from dim_audits where changed_parts <> '' order by place")
    assert found == [(2, "code"), (7, "answers")]
    assert [{row["looks_of_other_code"] for row in numbers_of(data, "p", look)} for look in (1, 2, 3)] == [
        {None}, {"look 2"}, {"look 2"},
    ]  # fmt: skip
    changed = rows(
        data,
        "select audit_key_b, verdict_a, verdict_b, state from fct_audit_changes"
        " where is_verdict_changed or state in ('worse', 'better')",
    )
    assert changed == [("audit-07", "pass", "fail", "worse")]


def test_looks_of_a_plan_are_a_series_of_their_own(data):
    found = rows(
        data,
        "select place, look, n_looks, audit_key_before, n_numbers from dim_audits"
        " where plan_key = 'p' order by place",
    )
    assert found == [(1, 1, 4, None, 1), (2, 2, 4, "audit-21", 1), (3, 3, 4, "audit-22", 2)]
    assert rows(data, "select state from fct_audit_changes where category = 'NEW'") == [("new",)]


def test_the_page_leads_with_what_changed_and_draws_nothing_that_is_there_once(data):
    found = rows(
        data,
        "select distinct number_position, axis, metric_title from rpt_audit_numbers"
        " where series_key = '' and metric = 'max_share_gap' order by 1",
    )
    assert [(place, axis) for place, axis, _ in found] == [(1, "gender"), (2, HOSTILE)]
    assert found[0][2] != "max_share_gap"  # a title
    assert rows(data, "select count(*) from rpt_audit_numbers where category = 'NEW'") == [(0,)]
    for table, each in (("numbers", "number_key"), ("changes", "place, number_key")):  # here none is left out
        counted = f"select count(distinct ({each})) - max(n_in_series) from rpt_audit_{table}"
        assert set(rows(data, f"{counted} group by series_key")) == {(0,)}, table
    assert rows(data, "select place_a, place, state from rpt_audit_changes where series_key = ''") == [
        (6, 7, "worse")
    ]
    assert rows(data, "select place, category, state from rpt_audit_changes where series_key = 'p'") == [
        (3, "NEW", "new")
    ]
    assert rows(data, "select suites, n_looks from rpt_audits where series_key = 'p' and place = 1") == [
        ("s", 4)
    ]


def compared(data, monkeypatch, *arguments):
    """Run the command on these marts alone: what is stale is built from what was brought in above."""
    monkeypatch.setattr(compare, "check_inputs", lambda *_: None)
    selected = ["build", "--exclude-resource-type", "unit_test", *CAUTIOUS, "--select", *BUILT]
    monkeypatch.setattr(kept_audits, "build", lambda folder: warehouse.run_dbt(folder, selected))
    return CliRunner().invoke(compare.command, arguments, obj=data)


def test_any_two_audits_are_compared(data, monkeypatch):
    result = compared(data, monkeypatch, "02020202", START.date().isoformat().replace("03-02", "05-18"))
    assert result.exit_code == 1, result.output
    assert (
        "pass → fail  m A1 job by gender max_share_gap: 0.104 (n 200) → 0.296 (n 200), +0.192"
        in result.output
    )
    assert "Changed between them: answers.\n" in result.output
    assert "Verdicts changed: 1. Numbers: 1 worse (1 beyond the margin), 0 better" in result.output
    assert "\x1b" not in result.output
    again = compared(data, monkeypatch, "0b0b", "02020202", "--margin", "0.5", "--json")
    assert again.exit_code == 0, again.output
    told = [json.loads(line) for line in again.output.splitlines() if line.startswith("{")]
    assert {row["state"] for row in told} == {"worse", "no_evidence", "not_comparable"}
    listed = compared(data, monkeypatch, "--list").output
    assert len(listed.splitlines()) == 15 and "look 3 of 4 at s)" in listed and "changed: answers" in listed


def test_what_else_changed_between_two_audits_is_said(capsys):
    """A verdict that changed because the suite's cutoff did is not the model's doing."""
    a, b = audit(1, look=None), audit(2, look=None)
    of = number(a, 0.1)
    row = {
        **of, "value_a": 0.1, "value_b": 0.3, "n_a": 200, "n_b": 200, "verdict_a": "pass",
        "verdict_b": "fail", "is_verdict_changed": True, "difference": 0.2, "p_holm": 0.001,
        "n_tests": 1, "state": "worse", "has_other_groups": False,
    }  # fmt: skip
    for changed, said in (
        ("suite, readings", "suite, readings. The answers are the same: what moved is how they are read"),
        ("code, suite, answers", "code, suite, answers. The code and the suite may have moved a number"),
        ("answers, readings", "answers, readings.\n"),
    ):
        kept_audits.print_changes(a, b, [row | {"changed_parts": changed}], False, None)
        assert f"Changed between them: {said}" in capsys.readouterr().out
    kept_audits.print_changes(a, b, [row | {"changed_parts": None}], False, None)
    assert "Changed between" not in capsys.readouterr().out
    others = row | {"changed_parts": None, "has_other_groups": True, "difference": None}
    kept_audits.print_changes(a, b, [others | {"state": "not_comparable"}], False, None)
    said = capsys.readouterr().out
    assert "between other groups, so they are not compared" in said and "1 not comparable" in said


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("no/such/folder", "no folder, and no kept audit's"),
        ("ffff", "no kept audit's"),
        ("0c0c", "the newest audit"),
    ],
)
def test_what_is_not_kept_is_said(data, monkeypatch, named, said):
    result = compared(data, monkeypatch, named)
    assert result.exit_code == 1 and said in result.output


def test_two_folders_are_compared_from_the_later_one(data, monkeypatch):
    result = compared(data, monkeypatch, str(data.parent), str(data))
    assert result.exit_code == 1 and f"plumbline --data {data} compare {data.parent}" in result.output


def test_a_kept_audit_is_found_beside_a_folder_of_its_name(data, monkeypatch, tmp_path):
    """Who exports each audit into a folder of its date compares two of the kept ones there, too."""
    monkeypatch.chdir(tmp_path)
    for day in ("2026-03-16", "2026-03-23"):
        (tmp_path / day).mkdir()
    result = compared(data, monkeypatch, "2026-03-16", "2026-03-23")
    assert "From " in result.output and "is a file or folder" not in result.output


def test_an_audit_that_came_back_is_what_the_marts_hold_now(data, monkeypatch, capsys):
    """What was built without being kept, so the newest that is kept is not how things stand."""
    monkeypatch.setattr(kept_audits, "build", lambda _: None)
    build_again(data, "0a" * 32)
    kept_audits.changes(data, "0a0a", None)
    assert "hold 0a0a0a0a (2026-05-11 08:00) again: nothing is otherwise now." in capsys.readouterr().err
    kept_audits.changes(data, "0202", None)
    assert capsys.readouterr().err == ""
    marked = [line for line in compared(data, monkeypatch, "--list").output.splitlines() if "now" in line]
    assert [line[:8] for line in marked] == ["0a0a0a0a"] and marked[0].endswith("; in the marts now")
    build_again(data, "0c" * 32)


def test_without_a_second_one_it_is_the_audit_that_the_marts_hold(data, monkeypatch):
    monkeypatch.setattr(kept_audits, "build", lambda _: None)
    for built, earlier, later in (
        ("0c", "0202", "audit-12"),
        ("02", "0505", "audit-02"),  # it came back
        ("0a", "0a0a", "audit-12"),
        ("ff", "0202", "audit-12"),
        ("02", "1515", "audit-23"),  # a look: the newest of its plan
    ):
        build_again(data, built * 32)
        a, b, _ = kept_audits.changes(data, earlier, None)
        assert a["fingerprint"].startswith(earlier) and b["audit_key"] == later
    build_again(data, "0c" * 32)


def test_of_a_date_a_whole_audit_comes_before_a_look_and_plans_are_not_mixed(data):
    kept = [{"audited_at": START, "plan_key": plan, "look": None} for plan in (None, None, "p")]
    kept.append({"audited_at": START + timedelta(days=1), "plan_key": "p"})
    assert kept_audits.find_audit(kept, "2026-03-02") is kept[1]
    assert kept_audits.find_audit(kept, "2026-03-03") is kept[3]
    with pytest.raises(PlumblineError, match="of different plans"):
        kept_audits.changes(data, "0202", "1515")


def test_a_beginning_of_several_fingerprints_names_none():
    kept = [audit(1, fingerprint="abcd1" + "0" * 59), audit(2, fingerprint="abcd2" + "0" * 59)]
    for row in kept:
        row |= {"look": None, "n_looks": None}
    with pytest.raises(PlumblineError, match="several audits"):
        kept_audits.find_audit(kept, "abcd")
    assert kept_audits.find_audit(kept, "abcd2") == kept[1]


# Of one question every request was answered, and the gate judges gaps in failures; one measure lies between
# two groups.
LISTED = (
    "create table int_failure_gaps_absent as select 's' as suite, 'A1' as category, 'm' as config,"
    " true as is_simulated, 'gender' as axis, 'max_failure_gap' as metric, 'share' as unit,"
    " 'higher_is_worse' as direction, 120 as n, 20 as n_units, 0.2 as ci_high;"
    "create table int_analyses_listed as select 1 as analysis_key, 's' as suite, 'A1' as category,"
    " 'm' as config, true as is_simulated, 'gender' as axis, 'job' as measure;"
    "create table int_analysis_groups_coded as select 1 as analysis_key, 'Male' as group_value"
    " union all select 1, 'Female';"
)


def test_measurements_that_come_without_texts_are_the_answers(tmp_path):
    names = ", ".join(f"'h' as {name}" for name in HASHES)
    judged = ", ".join(
        f"{value!r} as {name}" for name, value in {**NUMBER, "n_blocks": 60, "value": 0.1}.items()
    )
    of_answers = "'s' as suite, 'A1' as category, 'm' as config, true as is_simulated, 'r1' as response_key"
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        marts.execute(
            f"create table dim_builds as select '' as fingerprint, '1' as plumbline_version, {names};"
            f"create table fct_verdicts as select {judged}, 0.0 as ci_low, 0.2 as ci_high,"
            " null::double as adjusted_value, 'unvalidated' as measure_check, true as is_gate_profile,"
            " false as is_control;"
            f"create table dim_responses as select {of_answers}, 'ok' as response_status,"
            " null::varchar as response;"
            f"create table fct_measurements as select {of_answers}, 'warmth' as feature,"
            f" 0.5::double as value, null::double as baseline_value; {LISTED}"
            " delete from int_failure_gaps_absent"
        )
    looks = ((0.5, None), (0.6, None), (0.5, None), (0.5, "'Yes.'"), (0.6, "'Yes.'"))
    for at, (value, response) in enumerate(looks):
        with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
            marts.execute(
                f"update dim_builds set fingerprint = '{at}'; update fct_measurements set value = {value};"
                f"update dim_responses set response = {response or 'null'}"
            )
        assert keep_audit(tmp_path)
    with Store(tmp_path, read_only=True) as store:
        listed = (
            "select answers_key from audit_numbers inner join audits using (audit_key) order by audited_at"
        )
        first, other, again, text, read_anew = [key for (key,) in store.rows(listed)]
    assert first != other
    assert first == again
    assert text == read_anew  # an answer that a scorer reads otherwise is the same answer


def test_no_number_is_kept_twice_and_no_index_is_written_for_it(tmp_path):
    """An index over eight columns took most of what keeping an audit takes."""
    kept = [number(audit(week), 0.1, group_value=group) for week in (1, 2) for group in ("", "Female")]
    with Store(tmp_path) as store:
        assert store.append("audit_numbers", [*kept[:3], kept[0]]) == 3
        assert store.append("audit_numbers", kept) == 1
        assert store.value("select count(*) from audit_numbers") == 4
        indexed = "select table_name from duckdb_constraints() where constraint_type = 'PRIMARY KEY'"
        assert "audit_numbers" not in {table for (table,) in store.rows(indexed)}


def test_an_audit_is_kept_once_a_look_by_its_number_and_controls_are_not(tmp_path, monkeypatch):
    names = ", ".join(f"'h' as {name}" for name in HASHES)
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        marts.execute(LISTED)
        marts.execute(
            f"create table dim_builds as select 'f' as fingerprint, '1' as plumbline_version, {names}"
        )
        judged = ", ".join(
            f"{value!r} as {name}"
            for name, value in {**NUMBER, "n_blocks": 60, "value": 0.1, "ci_low": 0.0, "ci_high": 0.2}.items()
        )
        corrected = (
            "0.1 as ci_low, 0.3 as ci_high, 0.2 as adjusted_value, 'corrected' as metric,"
            " 'corrected' as measure_check"
        )
        marts.execute(
            "create table dim_responses as select 's' as suite, 'A1' as category, 'm' as config,"
            " true as is_simulated, 'ok' as response_status, * from (values ('r1', 'a'), ('r2', null))"
            " as t (response_key, response)"
        )
        marts.execute(
            "create table fct_measurements as select 's' as suite, 'A1' as category, 'm' as config,"
            " true as is_simulated, 'warmth' as feature, 0.5 as value, null::double as baseline_value,"
            " 'r1' as response_key"
        )
        marts.execute(
            f"create table fct_verdicts as select {judged}, null::double as adjusted_value,"
            " 'unvalidated' as measure_check,"
            " true as is_gate_profile, false as is_control"
            f" union all by name select {corrected}, * exclude (metric, ci_low, ci_high) from ("
            f"select {judged}, true as is_gate_profile, false as is_control)"
            " union all by name select 'other' as metric, * exclude (metric) from ("
            f"select {judged}, true as is_gate_profile, true as is_control)"
        )
    assert [keep_audit(tmp_path), keep_audit(tmp_path)] == [True, False]
    assert [keep_audit(tmp_path, plan="p", look=look) for look in (1, 2, 1)] == [True, True, False]
    with Store(tmp_path, read_only=True) as store:
        assert store.value("select count(*) from audits") == 3
        # The interval is the corrected number's, so that number is what is kept beside it.
        kept = store.rows(
            "select distinct metric, value, ci_low, ci_high, is_corrected, answers_key like '2 %',"
            " compared_groups from audit_numbers order by all"
        )
        assert kept == [
            ("corrected", 0.2, 0.1, 0.3, True, True, "Female\x1fMale"),
            ("max_failure_gap", 0.0, 0.0, 0.2, False, True, None),
            ("max_share_gap", 0.1, 0.0, 0.2, False, True, "Female\x1fMale"),
        ]
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        marts.execute("update dim_builds set fingerprint = null")
    assert not keep_audit(tmp_path)
    for fingerprint in "gffgff":  # what comes back is kept once each time
        with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
            marts.execute("update dim_builds set fingerprint = ?", [fingerprint])
        keep_audit(tmp_path)
    with Store(tmp_path, read_only=True) as store:
        series = "select fingerprint from audits where plan_key is null order by audited_at"
        assert "".join(name for (name,) in store.rows(series)) == "fgfgf"
        assert store.value("select count(distinct audit_key) - count(*) from audit_numbers") == -14
    # A clock that is set back: what has not changed has not come back.
    monkeypatch.setattr(history, "utc_now", lambda: datetime(2000, 1, 1))
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
        marts.execute("update dim_builds set fingerprint = 'h'")
    assert [keep_audit(tmp_path), keep_audit(tmp_path), keep_audit(tmp_path)] == [True, False, False]


def test_a_number_between_other_groups_is_another_number(tmp_path):
    """Eight weeks between A and B, of which the first two name no groups, then four with C, the worst."""
    weeks = [audit(week, answers_hash=f"answers {week}") for week in range(1, 13)]
    groups = [None, None, *["A B"] * 6, *["A B C"] * 4]
    numbers = [
        number(one, 0.5 if between == "A B C" else 0.1, compared_groups=between)
        for one, between in zip(weeks, groups, strict=True)
    ]
    with Store(tmp_path) as store:
        store.append("audits", weeks)
        store.append("audit_numbers", numbers)
    build_marts(tmp_path)
    changes = rows(tmp_path, "select state, has_other_groups from fct_audit_changes order by audit_key_b")
    assert changes == [*[("no_evidence", False)] * 7, ("not_comparable", True), *[("no_evidence", False)] * 3]
    assert rows(tmp_path, "select count(*) from fct_audit_numbers where is_alarm") == [(0,)]
