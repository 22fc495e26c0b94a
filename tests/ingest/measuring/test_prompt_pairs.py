"""Which prompts are a pair, what becomes of the words that show a group, and what is compared."""

import csv
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from pairs_suite import SUITE

from ingest import assemble, extract, generate, load
from ingest.errors import PlumblineError
from ingest.measuring.prompt_pairs import Neutraliser, branch_words
from ingest.store import Store
from ingest.suite import load_suite


@pytest.fixture
def run(data: Path, tmp_path: Path):
    """Write a suite with changes, run stages on it, return what the last one printed."""

    def go(*stages, **changes):
        path = tmp_path / "paired.yml"
        path.write_text(yaml.safe_dump({**SUITE, **changes}, sort_keys=False), "utf-8")
        for stage in stages:
            result = CliRunner().invoke(stage.command, ["--suite", str(path)], obj=data)
            assert result.exit_code == 0, result.output
        return path, result.output

    return go


def test_branches_differ_in_one_group_only(run, query):
    run(assemble, generate, extract)
    assert query("select axis, group_a, group_b, count(*) from prompt_pairs group by all order by all") == [
        ("gender", "Female", "Male", 2 * 3),
        ("origin", "North", "East", 2 * 2),
        ("origin", "North", "South", 2 * 2),
        ("origin", "South", "East", 2 * 2),
    ]
    different = query(
        """
        select p.axis, a.root_key = b.root_key,
            list_filter(['origin', 'gender'], x -> a.attributes[x] <> b.attributes[x])
        from prompt_pairs as p
        inner join prompts as a on p.prompt_key_a = a.prompt_key
        inner join prompts as b on p.prompt_key_b = b.prompt_key
        """
    )
    assert {(axis, same, tuple(names)) for axis, same, names in different} == {
        ("gender", True, ("gender",)),
        ("origin", True, ("origin",)),
    }


def test_answers_about_groups_that_the_suite_has_no_longer_are_compared(run, query):
    run(assemble, generate, extract)
    of_origin = "select * from prompt_pairs where axis = 'origin' order by all"
    before = query(of_origin)
    renamed = {"Woman": {"words": ["woman", "she"]}, "Man": {"words": ["man", "he"]}}
    run(extract, attributes={**SUITE["attributes"], "gender": renamed})
    assert query(of_origin) == before
    words = query("select distinct words from prompt_words order by all")
    assert (["Male", "northern"],) in words


def test_axes_and_reference_limit_the_pairs(run, query):
    run(assemble, generate, extract, pairs={"axes": ["origin & gender"]})
    assert query("select count(*) from prompt_pairs") == [(2 * 6 * 5 // 2,)]
    chosen = {"axes": ["origin"], "against": "reference"}
    run(extract, pairs=chosen, reference={"origin": "South"})
    groups = query("select distinct group_a, group_b from prompt_pairs order by all")
    assert groups == [("North", "South"), ("South", "East")]
    _, output = run(extract, pairs={"axes": []})
    assert query("select count(*) from prompt_pairs") == [(0,)] and "pairs" not in output


def test_without_a_reference_group_none_can_be_compared_with(run):
    with pytest.raises(AssertionError, match="'origin' has no reference group"):
        run(assemble, pairs={"against": "reference"})


def test_every_distinct_pair_of_texts_is_compared_once(run, query, fingerprint):
    _, output = run(assemble, generate, extract)
    n_pairs = query("select count(*) from text_pairs")[0][0] // 2
    assert n_pairs > 3 and f"{n_pairs} pairs of texts compared" in output
    assert query("select count(*) from text_pairs where text_key_a >= text_key_b") == [(0,)]
    before = fingerprint()
    _, output = run(extract)
    assert f"0 pairs of texts compared, {n_pairs} already there" in output
    assert fingerprint() == before


def test_words_of_the_own_group_become_placeholders(run, query):
    path, _ = run(assemble, generate, extract)
    found = query(
        """
        select distinct o.text, t.text from neutral_texts as n
        inner join texts as o using (text_key) inner join texts as t on n.neutral_text_key = t.text_key
        """
    )
    neutral = dict(found)
    assert (
        neutral["Yes, this woman is good."]
        == neutral["Yes, this man is good."]
        == "yes, this _gender_ is good"
    )
    assert ("No, he is bad.", "no, _gender_ is bad") in found and ("No, he is bad.", "no, he is bad") in found
    assert branch_words(load_suite(path), path)["origin", "East"] == ["East"]


def test_longer_phrases_go_first_and_capitals_stay_capitals():
    swap = Neutraliser({"_country_": ["US", "United States", "the United States", "Côte d'Ivoire", "印度"]})
    assert (
        swap("The United States told us: US firms, côte d'ivoire.")
        == "_country_ told us: _country_ firms, _country_."
    )
    assert swap("USB is not US") == "USB is not _country_"
    assert swap("来自印度的人") == "来自_country_的人"
    assert Neutraliser({})("as it is") == "as it is"


def test_words_are_found_however_their_accents_were_typed():
    neutral = Neutraliser({"_place_": ["Que\u0301bec", "Gen\u00e8ve"]})
    assert neutral("Qu\u00e9bec, Que\u0301bec, Gene\u0300ve") == "_place_, _place_, _place_"


def test_hostile_words_are_no_patterns():
    swap = Neutraliser({"_x_": ["a.c", "(", "c++", "\\d"]})
    assert swap("abc a.c 5") == "abc _x_ 5"


def test_loaded_answers_have_roots_too(run, data, tmp_path, query):
    path, _ = run(assemble)
    rows = [
        {"answer": answer, "question": f"About the {o} {g}?", "model": "m", "task": "A", "round": 0,
         "root": "About the …?", "origin": o, "gender": g}
        for o in ("North", "South")
        for g, answer in (("Female", "She is kind."), ("Male", "He is kind."))
    ]  # fmt: skip
    file = tmp_path / "answers.csv"
    with file.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    result = CliRunner().invoke(load.command, [str(file), "--suite", str(path)], obj=data)
    assert result.exit_code == 0, result.output
    run(extract)
    assert query(
        """
        select p.axis, count(*) from prompt_pairs as p
        inner join responses as r on p.prompt_key_a = r.prompt_key
        group by all order by all
        """
    ) == [("gender", 2), ("origin", 2)]


def test_a_long_answer_is_compared_up_to_the_cap(run, data, query):
    run(assemble, generate)
    with Store(data) as store:
        store.connection.execute("update texts set text = repeat(text || ' ', 2000), n_characters = 40000")
    run(extract)
    assert query("select distinct measurement_status from text_pairs") == [("capped",)]


def test_an_unknown_axis_is_named_with_its_line(tmp_path):
    path = tmp_path / "wrong.yml"
    path.write_text(yaml.safe_dump({**SUITE, "pairs": {"axes": ["age"]}}, sort_keys=False), "utf-8")
    with pytest.raises(PlumblineError, match=r"line \d+: pairs.axes.0: 'age' is no axis"):
        load_suite(path)
