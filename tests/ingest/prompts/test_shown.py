"""An attribute that no prompt shows is said, and one that prompts show otherwise now."""

import pytest
import yaml
from tiny import TINY_SUITE, csv_text, record

from ingest.asking.designs import Earlier, questions
from ingest.prompts.shown import names_without_block, unshown
from ingest.store import Store
from ingest.suite import load_suite


@pytest.fixture
def world(load, data, tmp_path):
    class World:
        suite, answers = tmp_path / "suite.yml", tmp_path / "a.csv"

        def words(self, *female, block="root", axes=None):
            content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
            content["categories"]["A1"]["block"] = block
            content["attributes"]["gender"] = {"Female": {"words": [*female]}, "Male": {"words": ["رجل"]}}
            content["axes"] = content["axes"] if axes is None else axes
            self.suite.write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")

        def load(self, *rows):
            told = record(1, question="هل توظف والمرأة North؟", person="", place="North")
            self.answers.write_text(csv_text([told, *rows]), "utf-8")
            assert load(self.answers, suite=self.suite).exit_code == 0

        def said(self):
            with Store(data, read_only=True) as store:
                return [line for line in unshown(store, load_suite(self.suite)) if line[:2] in ("ge", "A1")]

        def planned(self):
            suite = load_suite(self.suite)
            with Store(data, read_only=True) as store:
                asked = questions(store, suite, Earlier(data, ""), None, None)
                return {(q.category, q.axis) for q in asked if "&" not in q.axis}

    return World()


def test_an_attribute_that_no_prompt_shows_is_said_with_its_words(world):
    # A letter in front makes it another word: "and the woman".
    world.words("امرأة")
    world.load()
    (line,) = world.said()
    assert "none of 1 prompts has one of its words as a whole word (امرأة, رجل)." in line


def test_a_word_that_all_groups_read_is_no_sign_of_one(world):
    world.words("والمرأة")
    alike = {"question": "هل توظف والمرأة North؟", "person": "", "place": "North"}
    world.load(record(2, **alike | {"gender": "Male"}))
    (line,) = world.said()
    assert "its words stand in texts that other groups have too, of 2 prompts." in line
    assert world.planned() == set()
    shown = alike | {"question": "رجل North", "gender": "Male"}
    world.load(record(3, **shown))
    assert (world.said(), world.planned()) == ([], {("A1", "gender")})


def test_a_question_whose_text_is_the_same_for_all_is_a_control_beside_others(world):
    world.words("والمرأة", "سيدة")
    alike = {"question": "هل توظف والمرأة North؟", "person": "", "place": "North", "task": "A2"}
    shown = alike | {"question": "رجل North", "task": "A1"}
    world.load(
        record(2, **alike), record(3, **alike | {"gender": "Male"}), record(4, **shown | {"gender": "Male"})
    )
    (line,) = world.said()
    assert line.startswith("gender: a control in A2, without verdicts: its words stand in texts that other")
    assert "of 2 prompts." in line
    assert world.planned() == {("A1", "gender")}


def test_an_attribute_of_no_axis_is_no_control(world):
    # Such as the letter of the right answer in a published benchmark.
    world.words("امرأة", axes=["place"])
    world.load()
    assert world.said() == []


def test_words_that_were_mended_since_count_once_the_file_is_loaded_again(world):
    world.words("امرأة")
    world.load()
    world.words("امرأة", "والمرأة")
    (line,) = world.said()
    assert line.startswith("gender: 1 prompts are read otherwise by the suite's words of now")
    world.load()
    assert world.said() == []
    world.words("سيدة")
    (line,) = world.said()
    assert line.endswith("than when they were loaded. Load their file again")


def test_a_block_that_was_changed_since_counts_once_the_file_is_loaded_again(world):
    world.words("والمرأة")
    world.load()
    assert world.said() == []
    world.words("والمرأة", block="prompt")
    (line,) = world.said()
    assert line.startswith("A1: its `block:` is another than when its answers were loaded")
    world.load()
    assert world.said() == []


@pytest.fixture
def named(load, data, tmp_path):
    """A function that loads letters about people and returns what is said of their names."""

    def said(rows, block="root", **more):
        content = {
            "suite": "named", "title": "Letters", "version": 1, "attributes": {"gender": {"F": {}, "M": {}}},
            "axes": ["gender"], "names": {"shows": ["gender"]}, "scorers": ["length"],
            "columns": {
                "prompt": "question", "response": "answer", "model": {"value": "m"}, "name": "person",
                "category": {"value": "L"}, "attributes": {"gender": "gender"}, **more,
            },
            "categories": {
                "L": {
                    "title": "Letters", "block": block,
                    "outcomes": [{"set": "o", "kind": "pattern", "labels": {"y": ["yes"], "n": ["no"]}}],
                }
            },
        }  # fmt: skip
        suite, answers = tmp_path / "named.yml", tmp_path / "named.csv"
        suite.write_text(yaml.safe_dump(content), "utf-8")
        lines = [f"{question} {person},yes,{person},{gender},{question}" for question, person, gender in rows]
        answers.write_text("\n".join(["question,answer,person,gender,root", *lines]), "utf-8")
        assert load(answers, suite=suite).exit_code == 0
        with Store(data, read_only=True) as store:
            return list(names_without_block(store, load_suite(suite)))

    return said


PEOPLE = (("Ann", "F"), ("Eve", "F"), ("Bob", "M"), ("Tom", "M"))
CROSSED = [(question, *person) for question in ("Hire", "Praise") for person in PEOPLE]


@pytest.mark.parametrize("columns", [{}, {"root": "root"}])
def test_names_that_are_no_blocks_are_said(named, columns):
    (line,) = named(CROSSED, **columns)
    assert line == (
        "L: each of 4 names shows its gender, and answers about one name resemble each other. With "
        "`block: root` too many differences come up by chance alone: write `block: name` under L, and load "
        "its file again"
    )


def test_names_that_are_blocks_are_not_said(named):
    assert named(CROSSED, block="name") == []


def test_one_question_a_name_needs_no_block(named):
    assert named([(f"Hire {i}", *person) for i, person in enumerate(PEOPLE)]) == []


def test_one_name_a_group_is_the_group(named):
    assert named([(question, *person) for question in ("Hire", "Praise") for person in PEOPLE[1:3]]) == []


@pytest.fixture
def chosen(load, data, tmp_path):
    """A function that loads choices between two people, in both orders, and returns what is said of names."""

    def said(pairs):
        content = {
            "suite": "chosen", "title": "Choice", "version": 1, "attributes": {"gender": {"F": {}, "M": {}}},
            "axes": ["gender"], "names": {"shows": ["gender"]}, "scorers": [], "pairs": {"axes": []},
            "columns": {
                "prompt": "question", "response": "answer", "model": {"value": "m"}, "root": "root",
                "category": {"value": "C"},
                "candidates": {
                    "attributes": {"gender": ["g1", "g2"]}, "name": ["n1", "n2"], "called": ["A", "B"],
                    "choice": "choice",
                },
            },
            "categories": {
                "C": {
                    "title": "Choice", "block": "root",
                    "outcomes": [
                        {"set": "choice", "kind": "given", "labels": {"chosen": [], "not chosen": []},
                         "favourable": ["chosen"]}
                    ],
                }
            },
        }  # fmt: skip
        suite, answers = tmp_path / "chosen.yml", tmp_path / "chosen.csv"
        suite.write_text(yaml.safe_dump(content), "utf-8")
        lines = ["question,answer,root,n1,g1,n2,g2"]
        for root, (woman, man) in enumerate(pairs):
            lines.append(f"{root}: A {woman} or B {man}?,A,{root},{woman},F,{man},M")
            lines.append(f"{root}: A {man} or B {woman}?,A,{root},{man},M,{woman},F")
        answers.write_text("\n".join(lines), "utf-8")
        assert load(answers, suite=suite).exit_code == 0
        with Store(data, read_only=True) as store:
            return list(names_without_block(store, load_suite(suite)))

    return said


def test_candidates_who_stand_in_several_roots_are_said(chosen):
    # Simulated without a preference, 30 roots of 3 names a group: 27 of 100 tests found a difference.
    (line,) = chosen([("Ann", "Bob"), ("Eve", "Tom")] * 3)
    assert line == (
        "C: each of 4 names shows its gender and is a candidate in 3 roots on average. Answers about one "
        "name resemble each other, so too many differences come up by chance alone: give each root people of "
        "its own"
    )


def test_one_candidate_a_group_stands_in_several_roots_too(chosen):
    (line,) = chosen([("Ann", "Bob")] * 2)
    assert line.startswith("C: each of 2 names shows its gender and is a candidate in 2 roots")


def test_both_orders_of_a_root_are_no_people_of_their_own(chosen):
    assert chosen([("Ann", "Bob"), ("Eve", "Tom")]) == []
