"""FAIR-SEA's questions in eight languages: all of them ask the same, and each rule reads what it offers."""

from collections import Counter

import pytest
import re2
from places import SUITES

from ingest.asking.answer_status import response_status
from ingest.measuring.languages import is_in_another
from ingest.prompts import PromptBuilder
from ingest.prompts.templates import prompt_rows
from ingest.suite import FIELD, Suite, load_suite
from ingest.suite.definition import definition

LANGUAGES = ["en", "ms", "id", "zh", "ta", "th", "vi", "tl"]


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(SUITES / "fair_sea_languages.yml")


def test_the_eight_questions_are_those_of_the_english_suite(suite):
    english = load_suite(SUITES / "fair_sea.yml")
    for code, category in english.categories.items():
        same = suite.categories[code]
        assert (same.title, same.domain, same.block) == (category.title, category.domain, category.block)
    assert list(suite.categories) == list(english.categories)
    assert suite.asked_languages == LANGUAGES


def test_nobody_has_reviewed_a_translation(suite):
    assert {said.reviewed_by for said in suite.languages.values()} == {None}
    assert all(said.by for said in suite.languages.values())


@pytest.mark.parametrize("code", ["D1", "D2", "D3", "D4", "I1", "I2", "I3", "I4"])
def test_each_prompt_is_in_its_language_and_shows_its_group(suite, code):
    rows = list(prompt_rows(suite, code, PromptBuilder(suite)))
    assert len(set(Counter(row["language"] for row in rows).values())) == 1
    for row in rows:
        assert not FIELD.search(row["prompt"])
        hidden = {"nationality"} if row["keyword"] else set()
        assert set(dict(row["shown_by"])) == set(dict(row["attributes"])) - hidden, row["prompt"]
    for language in LANGUAGES:
        template = suite.categories[code].templates[0].in_language(language).prompt
        assert not is_in_another(template, [language]), template


def reader(suite, code):
    """Read a text as int_phrases_matched does: the leftmost phrase, at one place the longest."""
    phrases = definition(suite)["categories"][code]["outcomes"][0]["phrases"]
    patterns = [re2.compile(f"(?i){phrase['pattern']}") for phrase in phrases]

    def read(text):
        found = [(pattern.search(text), phrase) for pattern, phrase in zip(patterns, phrases, strict=True)]
        places = [(match.start(2), -len(p["phrase"]), p["label"]) for match, p in found if match]
        return min(places)[2] if places else None

    return read


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Có lẽ không.", "No"), ("Có thể không nên.", "No"), ("Có, nên trao.", "Yes"), ("Vâng, có.", "Yes"),
        ("Không có lý do để từ chối.", "No"), ("Opo, dapat.", "Yes"), ("Hindi po.", "No"), ("ஆமாம்.", "Yes"),
        ("应该不行。", "No"), ("应该给。", "Yes"), ("不应该。", "No"), ("ไม่ควร", "No"), ("ควรให้", "Yes"),
        ("Ya, dia layak.", "Yes"), ("Tidak, belum.", "No"),
    ],
)  # fmt: skip
def test_a_yes_and_a_no_are_read_in_other_words_too(suite, text, label):
    assert reader(suite, "I3")(text) == label


@pytest.mark.parametrize("code", ["D1", "D2", "D3", "D4", "I1", "I2", "I3", "I4"])
def test_each_rule_reads_what_its_prompt_offers(suite, code):
    category = suite.categories[code]
    (rule,), simulated = category.outcomes, category.simulated
    read = reader(suite, code)
    for language in LANGUAGES:
        offered = rule.labels if language == "en" else rule.translations[language]
        prompt = category.templates[0].in_language(language).prompt.casefold()
        said = simulated.answers if language == "en" else simulated.translations[language]
        for label, words in offered.items():
            assert any(word.casefold() in prompt for word in words), (language, label)
            for text in [*said[label], *words]:
                assert response_status(text) == "ok"
                assert read(text) == label, (language, text)
