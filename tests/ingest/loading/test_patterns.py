"""Patterns of a suite over the cells of a file: RE2, whose time grows with the cell and no faster."""

import time

import pytest
import yaml
from tiny import TINY_SUITE, record

from ingest.errors import PlumblineError
from ingest.suite import load_suite


@pytest.fixture
def suite(tmp_path):
    """Write the tiny suite with the answer taken by a pattern."""

    def write(pattern):
        content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
        content["columns"]["response"] = {"column": "answer", "pattern": pattern}
        path = tmp_path / "suite.yml"
        path.write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")
        return path

    return write


@pytest.mark.parametrize("pattern", ["^((?:a+)+)$", "((?:a|a)*)b", "^((?:a*)*)c", "(a?" + "a?" * 99 + ")z"])
def test_patterns_that_backtrack_take_no_longer_than_the_text(suite, load_records, query, pattern):
    start = time.process_time()
    result = load_records([record(1, answer="a" * 100_000 + "!")], suite=suite(pattern))
    assert result.exit_code == 0, result.output
    assert time.process_time() - start < 5
    assert query("select response_status from responses") == [("empty",)]


@pytest.mark.parametrize(
    ("pattern", "answer", "found"),
    [
        ("Answer: (.+)$", "Answer: a nurse", "a nurse"),
        ("(?i)answer: (é+)", "ANSWER: éÉ!", "éÉ"),
        ("(护士)|x", "她是护士。", "护士"),
        ("(a)?b", "b", None),
        (r"\bjob (?P<job>\w+)", "a job here", "here"),
    ],
)
def test_the_group_is_the_field(suite, load_records, query, pattern, answer, found):
    load_records([record(1, answer=answer)], suite=suite(pattern))
    assert query("select text from responses left join texts using (text_key)") == [(found,)]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a", r"not a regular expression of RE2: missing \)"),
        (r"(a)\1", "not a regular expression of RE2: invalid escape sequence"),
        ("(?=a)(b)", "not a regular expression of RE2: invalid perl operator"),
        ("((a{100}){100}){100}", "not a regular expression of RE2: invalid repetition size"),
        ("a", "exactly one group"),
        ("(a)(b)", "exactly one group"),
    ],
)
def test_a_pattern_that_is_none_is_named_with_its_line(suite, pattern, said):
    with pytest.raises(PlumblineError, match=said) as error:
        load_suite(suite(pattern))
    assert "line " in error.value.what and "columns" in error.value.what
