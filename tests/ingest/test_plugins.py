"""Scorers and backends of other packages: an installed one is used by its name, a broken one is named."""

from importlib import import_module
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from ingest.backends import create_backend
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.plugins import OURS, offers, one_line
from ingest.scorers import load_scorer
from ingest.store import AUDIT_NAME, Store

SCORER = """
import numpy as np

class Marks:
    name, model, revision, version, parameters, batch_size = "marks", "count", "", "1", {}, 100
    features = {"exclamation_marks": (0.0, 50.0)}

    def score(self, texts):
        return {"exclamation_marks": np.array([float(text.count("!")) for text in texts])}

def load(name, where):
    return Marks()
"""
BACKEND = """
from ingest.backends import Answer, Description

class Parrot:
    name, asked_again = "parrot", frozenset()

    def __init__(self, suite):
        pass

    def describe(self, config):
        return Description(digest="1")

    def answer(self, request):
        return Answer(request.prompt + "!" * request.repeat_index, "ok")
"""
SUITE = """
suite: shouts
title: Who is shouted at?
version: 1
attributes: {gender: {Female: {words: [woman]}, Male: {words: [man]}}}
axes: all
categories:
  GREETING:
    title: A greeting
    prompts: ["Greet the {gender}"]
    outcomes: [{set: marks, kind: score, text: raw, scorer: marks, feature: exclamation_marks}]
scorers: [marks]
configs: [{backend: parrot, model: grey, repeats: 3}]
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package as pip does: its module, and its entry points beside it."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def run(package: str, module: str, code: str, **points: str) -> None:
        (folder / f"{module}.py").write_text(code)
        information = folder / f"{package.replace('-', '_')}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        groups = [f"[plumbline.{group}]\n{line}\n" for group, line in points.items()]
        (information / "entry_points.txt").write_text("".join(groups))

    return run


@pytest.fixture
def shout(install, tmp_path):
    """Install a scorer's and a backend's package, and run the commands of a suite of both up to an error."""

    def run(scorer=SCORER, backend=BACKEND, commands=("assemble", "generate", "extract")):
        # Modules are imported once: each case has its own.
        marks, parrot = (f"{name}_{tmp_path.name}" for name in ("marks", "parrot"))
        install("plumbline-marks", marks, scorer, scorers=f"marks = {marks}:load")
        install("plumbline-parrot", parrot, backend, backends=f"parrot = {parrot}:Parrot")
        suite: Path = tmp_path / "shouts.yml"
        suite.write_text(SUITE)
        for command in commands:
            arguments = ["--data", str(tmp_path / "data"), command, "--suite", str(suite)]
            result = CliRunner().invoke(cli, arguments)
            if result.exit_code:
                break
        return result

    return run


def test_an_installed_package_s_scorer_and_backend_are_audited_with(install, tmp_path):
    install("plumbline-marks", "shout_marks", SCORER, scorers="marks = shout_marks:load")
    install("plumbline-parrot", "shout_parrot", BACKEND, backends="parrot = shout_parrot:Parrot")
    suite: Path = tmp_path / "shouts.yml"
    suite.write_text(SUITE)
    command = ["--data", str(tmp_path / "data"), "audit", str(suite), "--mart", "fct_measurements"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    with duckdb.connect(str(tmp_path / "data" / AUDIT_NAME), read_only=True) as connection:
        found = connection.execute("select feature, value from fct_measurements").fetchall()
    assert sorted(v for feature, v in found if feature == "exclamation_marks") == [0, 0, 1, 1, 2, 2]


def test_nobody_s_name_says_what_there_is():
    with pytest.raises(PlumblineError, match="no scorer 'marks'") as error:
        load_scorer("marks")
    assert "vader" in error.value.what_to_do
    with pytest.raises(PlumblineError, match="no backend 'parrot'") as error:
        create_backend("parrot", None)
    assert "ollama" in error.value.what_to_do


@pytest.mark.parametrize("kind", ["scorer", "backend"])
def test_no_name_of_ours_has_two_meanings(kind):
    ours = [name for name, found in offers(kind).items() for offer in found if offer.package == OURS]
    assert len(ours) == len(set(ours)) >= 4


def test_two_packages_with_one_name_are_both_named(install):
    install("plumbline-marks", "clash_marks", SCORER, scorers="vader = clash_marks:load")
    with pytest.raises(PlumblineError, match="'vader' is in two packages, plumbline and plumbline-marks"):
        load_scorer("vader")
    assert load_scorer("minilm").name == "minilm"  # one clash keeps nobody from the others


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import nosuch_module", "does not load: ModuleNotFoundError: No module named 'nosuch_module'"),
        ("x = 1", "does not load: AttributeError"),
        ("load = lambda name, where: 1 / 0", "does not load: ZeroDivisionError"),
        ("load = lambda name, where: name", "gives 'marks' where the scorer 'marks' should be"),
        (SCORER.replace('"marks"', '"dots"'), "a Scorer or Embedder of that name: its name is 'dots'"),
        (SCORER.replace("def score", "def scores"), "a Scorer or Embedder of that name: it has no score"),
        (SCORER.replace("version, ", "").replace('"1", ', ""), "it has no version"),
        (SCORER.replace("features =", "dimensions ="), "it has no (embed|features)"),
        ("raise SystemExit(0)", "does not load: SystemExit: 0"),
        ("def load(name, where): raise SystemExit(0)", "does not load: SystemExit: 0"),
    ],
)
def test_a_broken_package_is_named_in_one_line(install, tmp_path, code, problem):
    module = tmp_path.name
    install("plumbline-broken", module, code, scorers=f"marks = {module}:load")
    with pytest.raises(PlumblineError, match=problem) as error:
        load_scorer("marks")
    assert "plumbline-broken" in error.value.what
    assert "\n" not in error.value.what


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('"1", {}', "1, {}", "version=1, which should be a text"),
        (
            '"1", {}',
            '"1", {"words": {1}}',
            "parameters={'words': {1}}, which should be a dict that JSON",
        ),
        ("{}, 100", "{}, 0", "batch_size=0, which should be a whole number above 0"),
        ("(0.0, 50.0)", "None", "features={'exclamation_marks': None}, which should be a dict of names"),
        ("(0.0, 50.0)", "(50.0, 0.0)", "features={'exclamation_marks': (50.0, 0.0)}, which should be"),
        ("def score", "languages = 'en'\n    def score", "languages='en', which should be several texts"),
        (
            "def score",
            "max_characters = 'all'\n    def score",
            "max_characters='all', which should",
        ),
        (
            "features",
            "dimensions = '3'\n    def embed(self, texts): pass\n    features",
            "dimensions='3', which",
        ),
    ],
)
def test_a_scorer_with_a_wrong_member_is_told_which(install, tmp_path, right, wrong, told):
    module = tmp_path.name
    assert right in SCORER
    install("plumbline-marks", module, SCORER.replace(right, wrong, 1), scorers=f"marks = {module}:load")
    with pytest.raises(PlumblineError) as error:
        load_scorer("marks")
    assert error.value.what.startswith(f"The scorer 'marks' of plumbline-marks has {told}")


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('name, asked_again = "parrot", frozenset()', 'name = "parrot"', "gives <.*: it has no asked_again"),
        ("def describe", "def described", "gives <.*: it has no describe"),
        ("frozenset()", "None", "has asked_again=None, which should be a frozenset of statuses"),
        ("frozenset()", "'timeout'", "has asked_again='timeout', which should be a frozenset"),
        ("frozenset()", "{5}", "has asked_again=.5., which should be a frozenset"),
        (
            "def describe",
            "describe = property(lambda self: 1 / 0)\n\n    def no",
            "not load: ZeroDivisionError",
        ),
        ("def describe", "__repr__ = lambda self: 1 / 0\n\n    def no", "not load: ZeroDivisionError"),
    ],
)
def test_a_backend_with_a_wrong_member_is_told_which(install, tmp_path, right, wrong, told):
    module = tmp_path.name
    code = BACKEND.replace(right, wrong, 1)
    install("plumbline-parrot", module, code, backends=f"parrot = {module}:Parrot")
    with pytest.raises(PlumblineError, match=told) as error:
        create_backend("parrot", None)
    assert "plumbline-parrot" in error.value.what


def test_a_backend_that_does_not_take_the_named_hosts_is_told(install, tmp_path):
    module = tmp_path.name
    code = BACKEND.replace("def describe", "hosts = property(lambda self: ())\n\n    def describe")
    install("plumbline-parrot", module, code, backends=f"parrot = {module}:Parrot")
    with pytest.raises(PlumblineError, match=r"The backend 'parrot' failed: AttributeError: .*hosts"):
        create_backend("parrot", None)


def test_ctrl_c_is_no_failure_of_a_package():
    during_a_query = RuntimeError("Query interrupted")  # of DuckDB
    for stops, cause in ((KeyboardInterrupt(), None), (during_a_query, KeyboardInterrupt())):
        with pytest.raises(type(stops)), one_line("It failed", "Mend it."):
            raise stops from cause
    with pytest.raises(PlumblineError, match="failed: RuntimeError"), one_line("It failed", "Mend it."):
        raise RuntimeError("Query interrupted")


@pytest.mark.parametrize("number", ["103", "np.inf"])
def test_a_number_outside_its_range_is_told(shout, number):
    result = shout(scorer=SCORER.replace('float(text.count("!"))', number))
    assert result.exit_code == 0, result.output
    number = number.removeprefix("np.")
    assert f"; first: exclamation_marks is {number}, outside its range from 0 to 50\n" in result.stderr


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("scorer", "return {", "raise SystemExit(0); return {"),
        ("scorer", "return {", "import os; os.nothing; return {"),
        ("scorer", "for text in texts]", "for text in texts[1:]]"),
        ("scorer", "for text in texts])", "for text in texts]).repeat(2).reshape(-1, 2)"),
        ("scorer", 'return {"exclamation_marks"', 'return {"marks"'),
        ("backend", "return Answer", "raise SystemExit(0); return Answer"),
        ("backend", "return Answer", "1 / 0; return Answer"),
        ("backend", "return Answer", "return None and Answer"),
        ("backend", '"ok")', '"fine")'),
        ("backend", "return Description", "raise SystemExit(0); return Description"),
        ("backend", "return Description", "Description"),
        ("backend", 'digest="1"', "digest=1"),
        ("backend", 'digest="1"', "digest='1', options=None"),
        ("backend", 'digest="1"', "digest='1', details={'since': {1}}"),
        ("backend", 'digest="1"', "digest='1', max_prompt_tokens='100'"),
    ],
)
def test_a_package_that_fails_at_work_ends_in_one_line_and_never_well(shout, kind, right, wrong):
    codes = {"scorer": SCORER, "backend": BACKEND}
    result = shout(**codes | {kind: codes[kind].replace(right, wrong)})
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    message = result.stderr.partition("Error: ")[2]
    assert message.startswith(f"The {kind} {'marks' if kind == 'scorer' else 'parrot'!r} failed: ")
    assert len(message) <= 300 and message.count("\n") == 1


@pytest.mark.parametrize("text", ["None", "''", "' \\n'"])
def test_an_answer_without_a_text_is_empty_whatever_its_backend_says(shout, text):
    backend = BACKEND.replace('request.prompt + "!" * request.repeat_index', text)
    result = shout(backend=backend, commands=("assemble", "generate"))
    assert result.exit_code == 0, result.output
    assert "6 empty; 0 left" in result.stdout


def test_a_failure_of_several_lines_is_told_in_one(shout):
    code = "raise RuntimeError('no weights\\nlook there'); return {"
    result = shout(scorer=SCORER.replace("return {", code))
    assert result.exit_code == 0, result.output
    assert "; first: RuntimeError: no weights look there\n" in result.stderr


def test_the_same_version_with_another_feature_measures_it_and_another_range_is_refused(install, tmp_path):
    marks, parrot = (f"{name}_{tmp_path.name}" for name in ("marks", "parrot"))
    install("plumbline-marks", marks, SCORER, scorers=f"marks = {marks}:load")
    install("plumbline-parrot", parrot, BACKEND, backends=f"parrot = {parrot}:Parrot")
    scorer = import_module(marks).Marks
    score = scorer.score
    suite: Path = tmp_path / "shouts.yml"

    def measured(feature: str, high: float, version: str = "1"):
        scorer.version, scorer.features = version, {feature: (0.0, high)}
        scorer.score = lambda self, texts: {feature: score(self, texts)["exclamation_marks"]}
        suite.write_text(SUITE.replace("exclamation_marks", feature))
        for command in ("assemble", "generate", "extract"):
            given = ["--data", str(tmp_path / "data"), command, "--suite", str(suite)]
            result = CliRunner().invoke(cli, given)
        return result

    assert measured("exclamation_marks", 50.0).exit_code == 0
    assert measured("bangs", 50.0).exit_code == 0
    counted = "select feature, count(value) from measurements group by feature order by feature"
    with Store(tmp_path / "data", read_only=True) as store:
        (bangs, n_bangs), (marks, n_marks) = store.rows(counted)
    assert (bangs, marks) == ("bangs", "exclamation_marks") and n_bangs == n_marks > 0
    wider = measured("bangs", 100.0)
    assert wider.exit_code == 1
    assert "gives 'bangs' from 0 to 100, and gave it from 0 to 50" in wider.stderr
    assert measured("bangs", 100.0, version="2").exit_code == 0
