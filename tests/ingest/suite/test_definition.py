"""The raw table `suites`, and what becomes of those that version 0.1 wrote."""

import re
from unicodedata import normalize

import duckdb
import pytest
import yaml
from places import SUITES
from pydantic import ValidationError

from ingest.errors import PlumblineError
from ingest.store import RAW_NAME, Store
from ingest.suite import Rule, load_suite
from ingest.suite.definition import definition, register_suite
from ingest.suite.schema import Suite
from ingest.warehouse.dbt import run_dbt

FILE = SUITES / "fair_sea.yml"


@pytest.fixture
def old(tmp_path):
    with duckdb.connect(str(tmp_path / RAW_NAME)) as raw:
        raw.execute(
            "create table suites (suite varchar primary key, suite_key varchar, title varchar not null,"
            " file_sha256 varchar, run_id varchar)"
        )
        raw.execute("insert into suites values ('fair_sea', 'k', 'T', 'f', 'r')")
        raw.execute("create table suite_attributes (suite varchar, attribute varchar)")
        raw.execute(
            "create table suite_clusterings (suite varchar, topic_set varchar, segment_value varchar,"
            " is_simulated boolean, clustering_key varchar)"
        )
        raw.execute("insert into suite_clusterings values ('fair_sea', 'topic', '', true, 'c')")
    return tmp_path


def test_an_older_suite_waits_for_its_file(old):
    with pytest.raises(PlumblineError, match=r"'fair_sea' was brought in by version 0\.1"):
        run_dbt(old, ["build"])
    with Store(old) as store:
        assert store.rows("select * from suites") == [("fair_sea", "k", None, "f", "r")]
        assert store.rows("select clustering_key from suite_clusterings") == [("c",)]
        assert not store.rows("select * from duckdb_tables() where table_name = 'suite_attributes'")
        register_suite(store, load_suite(FILE), FILE, "r2")
        assert store.rows("select run_id, definition ->> 'title' from suites") == [
            ("r2", load_suite(FILE).title)
        ]


def test_what_a_file_leaves_open_is_decided():
    content = definition(load_suite(FILE))
    assert content["encoder"] == "minilm"
    assert all(category["axes"] for category in content["categories"].values())
    rules = [rule for category in content["categories"].values() for rule in category["outcomes"]]
    assert {rule["variant"] for rule in rules} == {content["variant"]}
    assert content["stereotypes"]["stop_words"]


def test_the_suite_in_the_guide_reads(tmp_path):
    page = (SUITES.parent / "docs/guide/own-answers.md").read_text(encoding="utf-8")
    path = tmp_path / "hiring.yml"
    path.write_text(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    suite = load_suite(path)
    assert suite.columns.root == "vacancy" and [rule.set for _, rule in suite.rules()] == ["decision"]


def test_the_suite_whose_names_show_a_group_reads(tmp_path):
    page = (SUITES.parent / "docs/guide/own-answers.md").read_text(encoding="utf-8")
    path = tmp_path / "school.yml"
    (example,) = re.findall(r"```yaml\n(suite: school\n.*?)```", page, re.DOTALL)
    path.write_text(example, encoding="utf-8")
    suite = load_suite(path)
    assert suite.columns.name == suite.columns.attributes["gender"] == "alumno"
    assert (suite.names.shows, suite.categories["COMMENT"].block) == (["gender"], "name")


def test_each_category_that_the_guide_shows_is_whole(tmp_path):
    """Beside what a suite has at its top, and the groups that its prompts ask for, nothing is to be added."""
    page = (SUITES.parent / "docs/guide/own-questions.md").read_text(encoding="utf-8")
    head = {"suite": "s", "title": "S", "version": 1, "axes": "all"}
    shown = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    whole = [content for content in shown if isinstance(content, dict) and "categories" in content]
    for content in whole:
        asked = re.findall(r"{(\w+)}", str(content["categories"]))
        slots = {name for category in content["categories"].values() for name in category.get("slots", {})}
        groups = {name: {f"{name} 1": {}, f"{name} 2": {}} for name in {*asked} - slots}
        for category in content["categories"].values():
            for name, shares in category.get("mix", {}).get("shares", {}).items():
                groups[name] = {value: {} for value in shares}
        path = tmp_path / "s.yml"
        path.write_text(yaml.safe_dump(head | {"attributes": groups} | content), encoding="utf-8")
        assert load_suite(path).rules()
    assert len(whole) > 4


@pytest.mark.parametrize(
    "page", sorted((SUITES.parent / "docs/guide").glob("*.md")), ids=lambda page: page.stem
)
def test_keys_that_the_guide_shows_are_known(page):
    """Parts of a suite may lack what the page says elsewhere; a key that there is not is a mistake."""
    unknown = []
    for block in re.findall(
        r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        shown = yaml.safe_load(block)
        if not isinstance(shown, dict) or not shown.keys() & Suite.model_fields.keys():
            continue  # of another file, or of a category
        try:
            Suite.model_validate(shown)
        except ValidationError as error:
            unknown += [one["loc"] for one in error.errors() if one["type"] == "extra_forbidden"]
    assert unknown == []


def test_the_guide_quotes_what_is_said_of_a_missing_key(tmp_path):
    page = (SUITES.parent / "docs/guide/own-answers.md").read_text(encoding="utf-8")
    path = tmp_path / "hiring.yml"
    example = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0]
    path.write_text(re.sub(r"  category: category.*\n", "", example), encoding="utf-8")
    with pytest.raises(PlumblineError) as error:
        load_suite(path)
    said = error.value.message.replace(str(path), "hiring.yml")
    assert said.removesuffix(" Correct that line, then run the command again.") in page


def test_all_keys_that_are_missing_are_named_at_once(tmp_path):
    suite = tmp_path / "s.yml"
    suite.write_text("suite: s\nversion: '1'\nattributes: {}\ncategories: {}\n")
    with pytest.raises(PlumblineError, match="the suite: the keys `title`, `axes` are needed"):
        load_suite(suite)


def test_a_set_is_not_named_as_what_became_of_a_request():
    of = {"set": "response_status", "kind": "pattern", "labels": {"yes": ["yes"], "no": ["no"]}}
    with pytest.raises(ValueError, match="'response_status' is there already, of whether an answer came"):
        Rule.model_validate(of)


@pytest.mark.parametrize("twin", ["Accepté", "accepté", normalize("NFD", "accepté")])
def test_one_phrase_does_not_stand_for_two_labels(twin):
    of = {"set": "decision", "kind": "pattern", "labels": {"yes": ["accepté"], "no": ["refusé", twin]}}
    with pytest.raises(ValueError, match="is a phrase of 'yes' and of 'no'"):
        Rule.model_validate(of)
    apostrophes = {"labels": {"yes": ["I’d hire"], "no": ["i'd hire"]}}
    with pytest.raises(ValueError, match="is a phrase of 'yes' and of 'no'"):
        Rule.model_validate(of | apostrophes)
    patterns = {"labels": {"digit": [r"^\d"], "other": [r"^\D"]}, "regex": True}
    assert Rule.model_validate(of | patterns).regex
