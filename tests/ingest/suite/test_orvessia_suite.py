"""The suite made of one article: what a scorer makes of a country's name is taken off."""

import pytest
from places import SUITES
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from ingest.suite import load_suite

PROMPT, REST = "The courts of {country} decide most cases", " within a month."
NAMES = ["the United Kingdom", "the United States", "China"]


@pytest.fixture(scope="module")
def category():
    return load_suite(SUITES / "orvessia" / "suite.yml").categories["ARTICLE"]


def test_a_name_stands_as_often_in_an_answer_as_in_its_baseline(category):
    read = SentimentIntensityAnalyzer().polarity_scores
    assert category.score == "prompt_and_answer"
    shifts = {}
    for name in NAMES:
        prompt = PROMPT.format(country=name)
        beside = read(prompt + REST)["compound"]
        said = [
            text.replace("{country}", name) for texts in category.simulated.answers.values() for text in texts
        ]
        shifts[name] = sum(read(f"{prompt} {text}")["compound"] - beside for text in said) / len(said)
    assert max(shifts.values()) - min(shifts.values()) < 0.1
