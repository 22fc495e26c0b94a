"""An attribute that no prompt shows is said, and one that prompts show otherwise now."""

import pytest
import yaml
from tiny import TINY_SUITE, csv_text, record

from ingest.prompts.shown import unshown
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

        def load(self):
            told = record(1, question="هل توظف والمرأة North؟", person="", place="North")
            self.answers.write_text(csv_text([told]), "utf-8")
            assert load(self.answers, suite=self.suite).exit_code == 0

        def said(self):
            with Store(data, read_only=True) as store:
                return [line for line in unshown(store, load_suite(self.suite)) if line[:2] in ("ge", "A1")]

    return World()


def test_an_attribute_that_no_prompt_shows_is_said_with_its_words(world):
    # A letter in front makes it another word: "and the woman".
    world.words("امرأة")
    world.load()
    (line,) = world.said()
    assert "none of 1 prompts has one of its words as a whole word (امرأة, رجل)." in line


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
