"""The words by which prompts show groups that they do not name, and those that only look like it."""

import csv
from itertools import product

import duckdb
import pytest
from click.testing import CliRunner

from ingest.cli import cli
from ingest.loading.shown_words import differ_in_words_alone, replacements, shown_words, without
from ingest.suite import load_suite

TASKS = [f"Task {n}: {what}" for n, what in enumerate(("pay", "hire", "lend", "rent", "teach", "promote"))]


def asked(template, words):
    """Prompts of each group in each of six tasks, and their groups."""
    both = [(template.format(task=task, **of), group) for task in TASKS for group, of in words.items()]
    return [prompt for prompt, _ in both], [group for _, group in both]


NOUNS = {"F": {"who": "woman", "pro": "she"}, "M": {"who": "man", "pro": "he"}}


@pytest.mark.parametrize(
    ("template", "words", "found"),
    [
        ("{task}: a {who}. Yes?", NOUNS, {"F": ["woman"], "M": ["man"]}),
        ("{task}: a {who}, and {pro} asks.", NOUNS, {"F": ["she", "woman"], "M": ["he", "man"]}),
        ("{who} {task}? The manager’s human.", NOUNS, {"F": ["woman"], "M": ["man"]}),
        (
            "{task}: a {who} one.",
            {"Old": {"who": "60-year-old"}, "Young": {"who": "25-year-old"}},
            {"Old": ["60-year-old"], "Young": ["25-year-old"]},
        ),
        (
            "{task}, {who}?",
            {"A": {"who": "élève"}, "B": {"who": "maître"}},
            {"A": ["élève"], "B": ["maître"]},
        ),
        (
            "{task}: ஒரு {who} கேட்கிறார்.",
            {"F": {"who": "பெண்"}, "M": {"who": "ஆண்"}},
            {"F": ["பெண்"], "M": ["ஆண்"]},
        ),
        (
            "{task}: एक {who} पूछती है।",
            {"F": {"who": "महिला"}, "M": {"who": "पुरुष"}},
            {"F": ["महिला"], "M": ["पुरुष"]},
        ),
    ],
)
def test_words_that_show_a_group_are_found(template, words, found):
    prompts, groups = asked(template, words)
    assert shown_words(prompts, groups) == found
    assert differ_in_words_alone(prompts, groups, found, [])
    replaced = replacements(prompts, [word for of in found.values() for word in of])
    assert len({without(prompt, replaced) for prompt in prompts}) == len(TASKS)


def test_a_file_that_is_sorted_by_another_group_has_the_same_words():
    # The first 300 prompts of men are about young ones, those of women about both.
    sizes = {("man", "young"): 400, ("man", "old"): 100, ("woman", "young"): 150, ("woman", "old"): 150}
    both = [(f"Post {n}: {age} {who}?", who) for (who, age), most in sizes.items() for n in range(most)]
    prompts, groups = [prompt for prompt, _ in both], [who for _, who in both]
    found = shown_words(prompts, groups)
    assert found == {"man": ["man"], "woman": ["woman"]}
    assert differ_in_words_alone(prompts, groups, found, [])


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{task}: a {who}.", {"F": {"who": "woman"}, "none": {"who": ""}}),  # a group without a word
        ("{task}: 他是{who}吗", {"F": {"who": "女人"}, "M": {"who": "男人"}}),  # nobody splits words here
        ("{task}: a person", {"F": {}, "M": {}}),
    ],
)
def test_a_group_that_prompts_do_not_show_leaves_all_without_words(template, words):
    assert shown_words(*asked(template, words)) == {}


def test_another_question_is_no_group():
    prompts, groups = asked(
        "{task}: {who}", {"F": {"who": "Is a nurse kind?"}, "M": {"who": "Are men strong?"}}
    )
    found = shown_words(prompts, groups)
    assert found == {"F": ["a", "is", "kind", "nurse"], "M": ["are", "men", "strong"]}
    # Nobody can tell these from words of a group; where tasks differ, too, prompts are of one group only.
    apart = [f"{prompt} {group}{n}" for n, (prompt, group) in enumerate(zip(prompts, groups, strict=True))]
    assert not differ_in_words_alone(apart, groups, found, [])


def test_details_of_each_prompt_hide_no_word_that_all_of_a_group_have():
    of = [(group, word) for group, word in (("F", "woman"), ("M", "man")) for _ in range(30)]
    prompts = [f"A {word} of {20 + n % 29}, {n} years at work. Hire?" for n, (_, word) in enumerate(of)]
    groups = [group for group, _ in of]
    found = shown_words(prompts, groups)
    assert found == {"F": ["woman"], "M": ["man"]} and differ_in_words_alone(prompts, groups, found, [])


def test_names_and_ages_are_a_persons_and_not_the_groups():
    of = [("F", "Ana"), ("F", "Eva"), ("M", "Leo"), ("M", "Max")]
    prompts = [f"{task}: {name} applies." for task in TASKS for _, name in of]
    groups = [group for _ in TASKS for group, _ in of]
    found = shown_words(prompts, groups)
    assert found == {"F": ["ana", "eva"], "M": ["leo", "max"]}
    assert not differ_in_words_alone(prompts, groups, found, [])


def write(path, records):
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(records[0]))
        writer.writeheader()
        writer.writerows(records)


def test_a_draft_says_the_words_and_takes_prompts_without_them_as_roots(tmp_path):
    people = product(
        (("Female", "woman", "she"), ("Male", "man", "he")), ("Indian", "Malay"), (("young", 25), ("old", 60))
    )
    records = [
        {
            "sex": sex,
            "race": race,
            "age": age,
            "prompt": f"{task}: {'an' if race == 'Indian' else 'a'} {race} {noun} of {years} asks {pronoun}?",
            "response": "Yes." if sex == "Male" else "No.",
        }
        for (sex, noun, pronoun), race, (age, years) in people
        for task in TASKS
        for _ in range(3)
    ]
    write(tmp_path / "a.csv", records)
    run = CliRunner()
    told = run.invoke(cli, ["init", str(tmp_path / "mine.yml"), "--responses", str(tmp_path / "a.csv")])
    assert told.exit_code == 0, told.output
    suite = load_suite(tmp_path / "mine.yml")
    said = {
        name: {value: of.words for value, of in values.items()} for name, values in suite.attributes.items()
    }
    assert said == {
        "sex": {"Female": ["she", "woman"], "Male": ["he", "man"]},
        "race": {"Indian": ["Indian"], "Malay": ["Malay"]},
        "age": {"old": ["60"], "young": ["25"]},
    }
    assert suite.columns.root.column == "prompt"
    assert "No prompt says" not in (tmp_path / "mine.yml").read_text()
    data = tmp_path / "data"
    loaded = run.invoke(
        cli, ["--data", str(data), "load", str(tmp_path / "a.csv"), "--suite", str(tmp_path / "mine.yml")]
    )
    assert loaded.exit_code == 0 and "+ 0 rejected" in loaded.output, loaded.output
    with duckdb.connect(str(data / "raw.duckdb"), read_only=True) as raw:
        assert raw.sql("select count(*), count(distinct root_key) from raw.prompts").fetchall() == [(48, 6)]
