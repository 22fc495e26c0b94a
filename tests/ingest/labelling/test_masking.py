"""What an annotator sees of a prompt and an answer."""

import pytest

from ingest.labelling.drawing import Item
from ingest.labelling.masking import FIRST, LAST, MASK, Masking
from ingest.suite import Rule

WORDS = {
    ("gender", "Female"): ["woman", "she", "女人"],
    ("gender", "Male"): ["man", "he"],
    ("place", "US"): ["US", "United States"],
    ("place", "Thai"): ["Thai", "ไทย"],
    ("place", "Quebec"): ["Québec"],
}
RULE = Rule(set="s", kind="pattern", labels={"yes": ["yes"], "man": ["a Thai"]})
OTHER = Rule(set="s", kind="pattern", labels={"yes": ["yes"], "no": ["no"]})


def masked(text, shown=("gender", "place"), keyword="", rule=OTHER, with_people=()):
    item = Item("C", "s", "k", text, text, keyword, dict.fromkeys(shown, "word"))
    found = Masking(WORDS, with_people).of(item, rule)
    assert found.prompt == found.answer
    return found.prompt


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A Woman and a man: SHE, he.", f"A(n) {MASK} and a(n) {MASK}: {MASK}, {MASK}."),
        ("Human shells, the mane, womanly", "Human shells, the mane, womanly"),
        ("US and us, united\n states", f"{MASK} and us, {MASK}"),
        ("她是女人吗", f"她是{MASK}吗"),
        ("คนไทยพูด", f"คน{MASK}พูด"),
        ("she's", f"{MASK}'s"),
        ("_she_ and __Man__, he_1", f"_{MASK}_ and __{MASK}__, {MASK}_1"),
        ("Que\u0301bec or Qu\u00e9bec", f"{MASK} or {MASK}"),
    ],
)
def test_words_of_all_groups_of_an_attribute_are_hidden(text, shown):
    assert masked(text) == shown


def test_an_article_does_not_tell_which_group_is_hidden():
    words = {("age", "Old"): ["old", "elderly"], ("age", "Young"): ["young"]}
    texts = ["An old man", "a young man", "A plan of an\nElderly an"]
    items = (Item("C", "s", "k", text, text, "", {"age": "old"}) for text in texts)
    assert [Masking(words).of(item, OTHER).prompt for item in items] == [
        f"A(n) {MASK} man", f"a(n) {MASK} man", f"A plan of a(n)\n{MASK} an",
    ]  # fmt: skip
    # All of the groups' words begin alike: the article tells nothing.
    assert masked("A woman", shown=["gender"]) == f"A {MASK}"


def test_only_what_the_prompt_shows_is_hidden():
    assert masked("A Thai woman", shown=["place"]) == f"A(n) {MASK} woman"
    assert masked("A Thai woman", shown=[]) == "A Thai woman"


def test_a_name_is_hidden_in_parts_and_a_keyword_of_a_text_is_not():
    text = "Meena d/o Rajan, or Meena; a rajan, d/o"
    hidden = f"{MASK}, or {MASK}; a(n) {MASK}, d/o"
    assert masked(text, keyword="Meena d/o Rajan", with_people=["C"]) == hidden
    assert masked(text, keyword="Meena d/o Rajan") == text


def test_labels_and_whole_phrases_of_the_rule_stay():
    assert masked("A Thai man or a woman", rule=RULE) == f"A(n) {MASK} man or a(n) {MASK}"


def test_a_phrase_that_names_a_group_is_known():
    masking = Masking(WORDS)
    assert masking.names_a_group("of Thai descent") and not masking.names_a_group("of descent")


def test_a_long_text_is_shown_from_both_ends():
    text = masked("a" * 60_000 + "b" * 40_000)
    assert text.startswith("a" * FIRST + "\n[… 90,000 characters are left out") and text.endswith("b" * LAST)
    assert len(masked("a" * (FIRST + LAST))) == FIRST + LAST


def test_what_no_reader_sees_is_shown_as_such():
    assert masked("a\0b\x1bc\r\nd\te") == "a\ufffdb\ufffdc\nd\te"
