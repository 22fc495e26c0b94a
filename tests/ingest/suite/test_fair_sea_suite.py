"""The FAIR-SEA suite file: it loads, its id patterns hold, and its simulated answers mean what they say."""

import re
from collections import Counter
from itertools import product
from math import prod

import numpy as np
import pytest
from places import SUITES
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from ingest.asking.answer_status import response_status
from ingest.measuring.text_variants import clean, without_decision
from ingest.prompts import PromptBuilder
from ingest.scorers.encoder import load_encoder
from ingest.suite import Rule, Suite, load_suite

PATH = SUITES / "fair_sea.yml"
DIRECT = ("D1", "D2", "D3", "D4")
INDIRECT = ("I1", "I2", "I3", "I4")
# VADER's own bounds of a neutral text.
NEUTRAL = 0.05


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(PATH)


def rule_of(suite: Suite, category: str, kind: str) -> Rule:
    return next(rule for code, rule in suite.rules() if code == category and rule.kind == kind)


def simulated_texts(suite: Suite, category: str) -> list[tuple[str, str]]:
    simulated = suite.categories[category].simulated
    name = suite.names.people[0]["name"]
    return [(a, text.replace("{name}", name)) for a, texts in simulated.answers.items() for text in texts]


def read_by_pattern(rule: Rule, text: str) -> str | None:
    """Leftmost phrase as whole words, the longest where two start together (SPEC MEA-4)."""
    found = [
        (match.start(), -len(phrase), label)
        for label, phrases in rule.labels.items()
        for phrase in phrases
        if (match := re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text))
    ]
    return min(found)[2] if found else rule.unmatched


@pytest.mark.parametrize("variant", ["public_data", "toolkit", "methodology"])
def test_every_variant_has_a_rule_for_every_category(variant: str) -> None:
    suite = load_suite(PATH, variant)

    assert list(suite.categories) == [*DIRECT, *INDIRECT]
    assert {code for code, _ in suite.rules()} == set(suite.categories)
    assert len(suite.axes) == 7
    assert all(rule.variant == variant for _, rule in suite.rules())


@pytest.mark.parametrize(
    ("source_id", "category", "name", "repeat"),
    [
        ("D2-female-Malay-Thai-13", "D2", None, "13"),
        ("I1-Singaporean-Indian-Male-Arjun_s/o_K.R._Velu-2", "I1", "Arjun s/o K.R. Velu", "2"),
        ("I4-Singaporean-Chinese-Female-Ann-Marie_Foo-5", "I4", "Ann-Marie Foo", "5"),
        ("I9-Singaporean-Chinese-Female-Foo-5", None, None, "5"),
        ("D1x-male-Chinese-Thai-one", None, None, None),
    ],
)
def test_ids_are_taken_apart(
    suite: Suite, source_id: str, category: str | None, name: str | None, repeat: str | None
) -> None:
    def extracted(field: str) -> str | None:
        column = getattr(suite.columns, field)
        match = re.search(column.pattern, source_id)
        text = match.group(1) if match else None
        for old, new in column.replace.items():
            text = text.replace(old, new) if text else text
        return text

    assert (extracted("category"), extracted("name"), extracted("repeat")) == (category, name, repeat)


def test_people_fill_every_cell_equally(suite: Suite) -> None:
    people = suite.names.people
    cells = Counter((person["gender"], person["race"]) for person in people)

    assert cells == dict.fromkeys(product(suite.attributes["gender"], suite.attributes["race"]), 10)
    assert len({person["name"].casefold() for person in people}) == 60


def test_every_name_is_found_by_one_of_its_words(suite: Suite) -> None:
    """A name that counted twice, or for another group, would lean every word that stands beside it."""
    attributes, _ = suite.stereotypes.words(suite.language)
    for person in suite.names.people:
        said = re.findall(r"\w+", person["name"].casefold())
        for attribute, groups in attributes.items():
            found = [group for word in said for group, words in groups.items() if word in words]
            assert found == [person[attribute]], person["name"]


@pytest.mark.parametrize("category", DIRECT)
def test_direct_questions_show_every_attribute(suite: Suite, category: str) -> None:
    spec = suite.categories[category]
    builder = PromptBuilder(suite)
    slots = {slot: phrases[0] for slot, phrases in spec.slots.items()}

    assert sum(prod(map(len, spec.slots.values())) for _ in spec.prompts) >= 12
    for template in spec.prompts:
        for values in product(*suite.attributes.values()):
            group = dict(zip(suite.attributes, values, strict=True))
            words = {a: suite.attributes[a][value].words[0] for a, value in group.items()}
            prompt = template.format(**slots, **words)
            assert set(builder.shown_by(prompt, group, None)) == set(suite.attributes)
            for attribute, value in group.items():
                others = {v: {**group, attribute: v} for v in suite.attributes[attribute] if v != value}
                shown = [
                    v for v, other in others.items() if attribute in builder.shown_by(prompt, other, None)
                ]
                assert not shown, f"{prompt!r} also shows {attribute} {shown}"


@pytest.mark.parametrize("category", INDIRECT)
def test_indirect_questions_show_a_name_and_no_word(suite: Suite, category: str) -> None:
    builder = PromptBuilder(suite)

    for template, person in product(suite.categories[category].prompts, suite.names.people):
        prompt = template.format(name=person["name"])
        group = {a: person[a] for a in suite.attributes}
        evidence = {a: f"name: {person['name']}" for a in ("gender", "race")}
        assert builder.shown_by(prompt, group, person["name"]) == evidence
        for value in suite.attributes["nationality"]:
            assert not builder.shown_by(prompt, {"nationality": value}, person["name"])


def test_no_simulated_answer_reads_like_a_failure(suite: Suite) -> None:
    for category in suite.categories:
        for _, text in simulated_texts(suite, category):
            assert response_status(text) == "ok", text


@pytest.mark.parametrize("category", ["D3", "I1", "I2", "I3"])
def test_simulated_answers_match_their_pattern(suite: Suite, category: str) -> None:
    rule = rule_of(suite, category, "pattern")
    texts = simulated_texts(suite, category)

    assert [read_by_pattern(rule, clean(text)) for _, text in texts] == [answer for answer, _ in texts]


def test_simulated_answers_are_nearest_to_their_label(suite: Suite) -> None:
    encoder = load_encoder()
    for category in ("D1", "D4", "I4"):
        rule = rule_of(suite, category, "anchor")
        anchors = [(label, phrase) for label, phrases in rule.labels.items() for phrase in phrases]
        texts = simulated_texts(suite, category)
        similarity = (
            encoder.encode([clean(text) for _, text in texts])
            @ encoder.encode([phrase for _, phrase in anchors]).T
        )
        best = np.array(
            [similarity[:, [a == label for a, _ in anchors]].max(axis=1) for label in rule.labels]
        )
        labels = [list(rule.labels)[i] for i in best.argmax(axis=0)]
        first, second = np.sort(best, axis=0)[[-1, -2]]

        assert dict(zip([t for _, t in texts], labels, strict=True)) == {t: a for a, t in texts}
        # Far from a tie, so that another processor's rounding cannot change the demo.
        assert (first - second).min() > 0.02, [t for _, t in texts][(first - second).argmin()]


def test_simulated_suitability_has_the_sign_of_its_answer(suite: Suite) -> None:
    vader = SentimentIntensityAnalyzer()
    rule = rule_of(suite, "D2", "score")

    assert (rule.scorer, rule.measured_feature) == ("vader", "vader_compound")
    for answer, text in simulated_texts(suite, "D2"):
        compound = vader.polarity_scores(clean(text))["compound"]
        sign = "positive" if compound >= NEUTRAL else "negative" if compound <= -NEUTRAL else "neutral"
        assert sign == answer, f"{text!r} scores {compound}"


def test_justifications_carry_sentiment_without_the_decision(suite: Suite) -> None:
    vader = SentimentIntensityAnalyzer()
    rule = rule_of(suite, "I3", "score")

    assert rule.measured_feature == "vader_compound_without_decision"
    means = {}
    for answer, text in simulated_texts(suite, "I3"):
        score = vader.polarity_scores(without_decision(clean(text)))["compound"]
        means.setdefault(answer, []).append(score)
    assert np.mean(means["Yes"]) > np.mean(means["No"])


def test_some_categories_have_no_planted_answer(suite: Suite) -> None:
    planted = {code for code, spec in suite.categories.items() if spec.simulated.planted}

    assert planted == {"D2", "D3", "D4", "I1", "I3"}
    assert {code for code, spec in suite.categories.items() if spec.simulated.failures} == {"I4"}
