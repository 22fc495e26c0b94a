"""Scorers of a suite's own: functions, which run with consent only, and files of numbers."""

import pytest
from extract_world import SUITE, World, score_rule

from ingest import audit
from ingest.errors import PlumblineError
from ingest.suite import load_suite

CODE = """
from pathlib import Path
Path({ran!r}).touch()

def warmth(texts):
    if any("bad" in text for text in texts):
        raise ValueError("not this one")
    return [None if "unknown" in text else len(text) / 10 for text in texts]

def wrong(texts):
    return [1.0]

def words(texts):
    return ["much"] * len(texts)
"""


class Own(World):
    """A suite with one scorer of its own."""

    def declare(self, spec, outcome=None):
        text = SUITE.format(
            scorer="warmth",
            open=outcome or score_rule("clean", "warmth", "warmth_score"),
            decision="[{set: s, kind: pattern, labels: {A: [a], B: [b]}}]",
        )
        self.path.write_text(text + f"own_scorers: {{warmth: {{{spec}}}}}\n", encoding="utf-8")


@pytest.fixture
def own(tmp_path, monkeypatch):
    world = Own(tmp_path, monkeypatch)
    (tmp_path / "mine.py").write_text(CODE.format(ran=str(tmp_path / "ran")), encoding="utf-8")
    world.declare("function: 'mine:warmth', range: [0, 1]")
    return world


def test_a_function_runs_with_consent_only(own, tmp_path):
    own.respond(["Nine ltrs."])
    refused = own.extract(exit_code=1)
    assert "mine:warmth (scorer 'warmth')" in refused.stderr and "--allow-code" in refused.stderr
    own.extract("--dry-run")
    assert not (tmp_path / "ran").exists() and own.rows("select count(*) from measurements") == [(0,)]
    own.extract("--allow-code")
    assert (tmp_path / "ran").exists()
    assert own.measured() == {"nine ltrs": (0.9, "ok")}
    # Nothing is left to run, so nothing is asked.
    assert own.extract().stdout == "warmth: 0 texts measured, 1 already there.\n"


def test_a_function_that_fails_on_a_text_gives_no_number(own):
    own.respond(["fine", "bad", "unknown", "far too long for its range"])
    result = own.extract("--allow-code")
    none = dict.fromkeys(["bad", "unknown", "far too long for its range"], (None, "failed"))
    assert own.measured() == {"fine": (0.4, "ok"), **none}
    assert "first: ValueError: not this one" in result.stderr


@pytest.mark.parametrize(
    ("function", "message"), [("wrong", "returned 1 values for 2 texts"), ("words", "returned 'much'")]
)
def test_what_is_no_number_a_text_is_refused(own, function, message):
    own.declare(f"function: 'mine:{function}', range: [0, 1]")
    own.respond(["one", "two"])
    assert message in own.extract("--allow-code", exit_code=1).stderr
    assert own.measured() == {}


def test_changed_code_measures_anew(own, tmp_path):
    own.respond(["four"])
    own.extract("--allow-code")
    (tmp_path / "mine.py").write_text("def warmth(texts):\n    return [1] * len(texts)\n", encoding="utf-8")
    assert own.extract("--allow-code").stdout == "warmth: 1 texts measured, 0 already there.\n"
    assert own.rows("select value from measurements order by value") == [(0.4,), (1.0,)]


@pytest.mark.parametrize("name", ["mine:nosuch", "nosuch:warmth"])
def test_a_function_that_is_not_there_is_named(own, name):
    own.declare(f"function: '{name}', range: [0, 1]")
    own.respond(["four"])
    stderr = own.extract("--allow-code", exit_code=1).stderr
    assert f"The function '{name}'" in stderr and "`function: module:function`" in stderr


def test_numbers_of_a_file_are_found_by_text(own, tmp_path):
    own.declare("file: warmth.csv, text: answer, value: warmth, range: [0, 5]")
    (tmp_path / "warmth.csv").write_text(
        'answer,warmth\n"Kind, very.",4.5\nkind,2\nblank,\nover,7\nKind.,2\n', encoding="utf-8"
    )
    own.respond(["Kind, very.", "Kind.", "blank", "over", "absent"])
    own.extract()
    none = dict.fromkeys(["blank", "over", "absent"], (None, "failed"))
    assert own.measured() == {"kind, very": (4.5, "ok"), "kind": (2, "ok"), **none}
    own.declare(
        "file: warmth.csv, text: answer, value: warmth, range: [0, 5]",
        score_rule("raw", "warmth", "warmth_score"),
    )
    own.extract()
    assert own.measured()["Kind, very."] == (4.5, "ok")


def test_the_number_that_a_text_gives(own):
    own.declare("reads: number, beside: [score], range: [1, 10]")
    long = "I weigh 3 degrees. " * 400 + "Score: 9"
    own.respond(
        ["Score: 8/10.", "7", "After 6 years I would hire her.", "Score 12", "Score 2, score 3", long]
    )
    result = own.extract()
    none = ["after 6 years i would hire her", "score 12", "score 2, score 3"]
    read = {"score: 8/10": (8, "ok"), "7": (7, "ok"), long.lower(): (9, "ok")}
    assert own.measured() == read | dict.fromkeys(none, (None, "failed"))
    assert "warmth failed on 3: it gives no number of them" in result.stderr


CUT = (
    "[{{set: s, kind: cutoff, scorer: warmth, feature: warmth_score,"
    " labels: {{High: [{high}], Low: ['< 7']}}{more}}}]"
)


def test_where_a_number_is_cut_the_text_is_measured(own):
    own.declare("reads: number, range: [1, 10]", CUT.format(high="'>= 7'", more=", favourable: [High]"))
    own.respond(["Score: 8/10"])
    own.extract()
    assert own.measured() == {"score: 8/10": (8, "ok")}


def test_limits_may_overlap_where_each_label_is_read(own):
    for high in ("'< 6'", "'> 6.5'", "'> 7', '< 1'"):
        own.declare("reads: number, range: [1, 10]", CUT.format(high=high, more=""))
        load_suite(own.path)


@pytest.mark.parametrize(
    ("high", "more", "message"),
    [
        ("seven", "", "'seven' is no phrase of a cutoff rule; write it as '>= 7'"),
        ("'>= 7'", ", regex: true", "take `regex` and `translations` out"),
        ("'< 7'", "", "'< 7' is a phrase of 'High' and of 'Low'"),
        ("'<7'", "", "'Low' is never read: what meets '< 7' meets the limit of a label above it"),
        ("'<= 7'", "", "'Low' is never read"),
        ("'> 9', '< 8.5'", "", "'Low' is never read"),
    ],
)
def test_a_cutoff_compares_a_number(own, high, more, message):
    own.declare("reads: number, range: [1, 10]", CUT.format(high=high, more=more))
    with pytest.raises(PlumblineError) as error:
        load_suite(own.path)
    assert message in error.value.what


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("answer,warmth\nkind,much\n", "record 1: 'much' is no number"),
        ("answer,warmth\nkind,nan\n", "record 1: 'nan' is no number"),
        ("answer,warmth\nkind,1_000\n", "record 1: '1_000' is no number"),
        ('{"answer": "kind", "warmth": true}\n', "record 1: True is no number"),
        ('{"answer": "kind", "warmth": Infinity}\n', "record 1: inf is no number"),
        ("answer,warmth\nkind,1\nKind.,2\n", "record 2: 'Kind.' has another value further up"),
        ("answer,value\nkind,1\n", "warmth"),
        ("answer,warmth\nkind,1,2\n", "record 1"),
    ],
)
def test_a_file_that_cannot_be_read_as_numbers_is_refused(own, tmp_path, content, message):
    name = "warmth.jsonl" if content.startswith("{") else "warmth.csv"
    own.declare(f"file: {name}, text: answer, value: warmth, range: [0, 5]")
    (tmp_path / name).write_text(content, encoding="utf-8")
    own.respond(["kind"])
    assert message in own.extract(exit_code=1).stderr
    assert own.measured() == {}


@pytest.mark.parametrize(
    ("file", "message"), [("../other.csv", "outside the suite's folder"), ("nosuch.csv", "does not exist")]
)
def test_a_file_lies_beside_the_suite(own, tmp_path, file, message):
    own.declare(f"file: {file}, range: [0, 1]")
    own.respond(["kind"])
    assert message in own.extract(exit_code=1).stderr


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("range: [0, 1]", "`reads: number`, one of them"),
        ("function: 'a:b', file: c.csv, range: [0, 1]", "`reads: number`, one of them"),
        ("file: c.csv, reads: number, range: [0, 1]", "`reads: number`, one of them"),
        ("reads: letter, range: [0, 1]", "'number'"),
        ("file: c.csv, beside: [score], range: [0, 1]", "`beside` goes with `reads: number`"),
        ("file: c.csv, range: [1, 1]", "the first number must be below the second"),
        ("file: c.csv, range: [0, .inf]", "the first number must be below the second"),
        ("file: c.csv", "the key `range` is needed"),
        ("function: 'os.system', range: [0, 1]", "write `module:function`"),
    ],
)
def test_a_mistake_in_the_suite_is_named(own, spec, message):
    own.declare(spec)
    with pytest.raises(PlumblineError, match=r"line 1\d: own_scorers.warmth") as error:
        load_suite(own.path)
    assert message in error.value.what


def test_the_names_of_our_scorers_are_taken(own):
    text = own.path.read_text().replace("own_scorers: {warmth:", "own_scorers: {vader:")
    own.path.write_text(text)
    with pytest.raises(PlumblineError, match="'vader' is a scorer already"):
        load_suite(own.path)


def test_ranges_reach_the_tables(own):
    own.respond(["four"])
    own.extract("--allow-code")
    assert own.rows("select feature, range_low, range_high from scorer_features") == [("warmth_score", 0, 1)]


def test_audit_has_the_same_consent():
    assert "allow_code" in {parameter.name for parameter in audit.command.params}
