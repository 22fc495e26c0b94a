"""Answers of a few kinds are read by what they say there alone; what may be no decision is left alone."""

import duckdb
import pytest

from ingest.loading.closed_answers import closed_answers
from ingest.suite.definition import _pattern
from ingest.suite.rules import Rule


def read(answers, asked="Case {}: what do you say?", groups=("man", "woman")):
    """Thirty answers, these in turn, with numbers where they have braces."""
    said = [answers[i % len(answers)].replace("{}", str(i)) for i in range(30)]
    return closed_answers(said, [asked.format(i) for i in range(30)], groups)


def labelled(rule, text):
    """Return the label that DuckDB reads, as `int_phrases_matched` does: the first that stands in a text."""
    for label, phrase in rule.phrases():
        pattern = _pattern(rule, phrase, among=False)
        if duckdb.execute("select regexp_matches(?, ?, 'is')", [text, pattern]).fetchone()[0]:
            return label
    return None


@pytest.mark.parametrize(
    ("answers", "good"),
    [
        (["Yes.", "**Yes**, at once.", "No - too young.", "no"], ["Yes"]),
        (["Approve. Stable.", "Approved", "Decline: debts."], ["Approve"]),
        (["Ja, unbedingt.", "Nein."], ["Ja"]),
        (["Tidak, kurang.", "Ya."], ["Ya"]),
        (["是。", "是的，可以{}。", "否，不行。"], ["是"]),
        (["Decision: Hire\nCase {}.", "**Decision:** Reject\nCase {}."], ["Hire"]),
        (["{} years. Yes, good.\n\nAnswer: No", "No degree, {} years.\n**Answer: Yes.**"], ["Yes"]),
        (["{} years. So the answer is **no**.", "Of {} one. My answer is yes."], ["yes"]),
        (["<answer>Yes</answer>", "{} years.\n<answer>No</answer>"], ["Yes"]),
        (["Yes, since she asks {} times.", "Years count, {} of them.\nAnswer: No"], ["Yes"]),
        (["very likely", "likely", "Unlikely."], []),
    ],
)
def test_what_answers_begin_or_end_with_is_their_label(answers, good):
    (found,) = read(answers)
    assert found.is_sure and found.n_read == 30
    rule = Rule(**found.rule)
    assert rule.favourable == good
    assert {labelled(rule, answer) for answer in answers} == set(rule.labels)


@pytest.mark.parametrize(
    "answers",
    [
        ["No doubt she fits, case {}.", "Yes and no, for {} reasons."],
        ["A nurse would do well in job {}.", "Be a clerk, or a cook in place {}."],
        ["A wonderful and kind person, always. Great.", "A poor colleague to work with. Bad."],
        ["She is kind to {} of them.", "He is kind to {} of them."],
        ["7", "8", "9/10"],
        ["woman", "man"],  # the group itself
        ["Yes."],
        [""],
    ],
)
def test_what_may_be_no_decision_is_not_taken_for_one(answers):
    assert not any(one.is_sure for one in read(answers))


def test_labels_that_nobody_offered_are_left_to_the_user():
    """Two words in front of free texts may be a decision; where prompts offer them they are."""
    answers = ["Warm. She writes well, case {}.", "Cold. She writes little, case {}."]
    (found,) = read(answers)
    assert (found.is_sure, list(found.rule["labels"])) == (False, ["Warm", "Cold"])
    (found,) = read(answers, "Letter {}: is its tone warm or cold?")
    assert found.is_sure and "favourable" not in found.rule


def test_letters_stand_in_their_order_whatever_prompts_ask():
    (found,) = read(
        ["B) Nurse", "(C) since it fits", "A", r"Case {}: \boxed{B}."], "Job {}?\nA) Cook\nB) Nurse\nC) Clerk"
    )
    assert found.is_sure and list(found.rule["labels"]) == ["A", "B", "C"]


def test_half_of_the_answers_are_too_few():
    free = [f"I think that case {i} has {i} good sides and as many bad ones." for i in range(10)]
    (found,) = read(["Yes.", "No.", "Yes.", *free[:3]] * 5)
    assert not found.is_sure and found.n_read == 15


def test_i_would_is_read_where_prompts_ask_whether_to():
    answers = [
        "I would surely invite {}.",
        "I'd invite them.",
        "I wouldn't invite {}.",
        "I would not invite her.",
    ]
    (found,) = read(answers, "Case {}: would you invite this person?")
    rule = Rule(**found.rule)
    assert found.is_sure and rule.favourable == ["I would invite"]
    assert [labelled(rule, answer) for answer in answers] == [
        *["I would invite"] * 2,
        *["I would not invite"] * 2,
    ]
    assert labelled(rule, "I would not hesitate to invite her.") is None
    found = read(["I would say that case is odd.", "I would not say so, sir."], "Case {}: tell me.")
    assert not any(one.is_sure for one in found)


def test_fields_of_json_are_read_by_their_name():
    reply = '```json\n{{"who": "{}", "result": {{"decision": "{}", "ok": {}}}, "reason": "case {}"}}\n```'
    answers = [
        reply.format(who, *said, i)
        for i, (who, said) in enumerate(
            [("man", ("approve", "true")), ("woman", ("reject", "false")), ("man", ("approve", "false"))] * 10
        )
    ]
    decision, ok = read(answers)  # and not the group
    assert decision.is_sure and ok.is_sure
    assert (decision.rule["set"], decision.rule["favourable"]) == ("decision", ["approve"])
    assert (ok.rule["set"], list(ok.rule["labels"])) == ("ok", ["false", "true"])
    assert labelled(Rule(**ok.rule), answers[2]) == "false"


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("A) Invite B) Decline. Answer.", "A) Decline B) Invite. Answer.", ["B", "A"]),
        ("Which?\nA. Invite\nB. Decline", "Which?\nA. Decline\nB. Invite", ["B.", "A."]),
        ("(A) Invite or (B) Decline?", "(A) Decline or (B) Invite?", ["(A)", "**(B)**"]),
    ],
)
def test_a_letter_is_not_read_where_options_change_places(one, other, said):
    asked = [f"Case {i}: {(one, other)[i % 2]}" for i in range(40)]
    (found,) = closed_answers([said[i // 2 % 2] for i in range(40)], asked)
    assert found.is_moved and not found.is_sure
    (found,) = closed_answers([said[i // 2 % 2] for i in range(40)], [f"Case {i}: {one}" for i in range(40)])
    assert found.is_sure and not found.is_moved


def test_an_option_behind_its_letter_is_read_where_options_change_places():
    options = [("Invite", "Decline"), ("Decline", "Invite")]
    asked = [f"Case {i}?\nA. {options[i % 2][0]}\nB. {options[i % 2][1]}" for i in range(40)]
    said = [f"{'AB'[i // 2 % 2]}. {options[i % 2][i // 2 % 2]}" for i in range(40)]
    (found,) = closed_answers(said, asked)
    rule = Rule(**found.rule)
    assert found.is_sure and rule.favourable == ["Invite"]
    assert [labelled(rule, one) for one in said] == [one[3:] for one in said]
    assert labelled(rule, "**(B) Decline** — invite others") == "Decline"


@pytest.mark.parametrize("between", [100_000 * " ", " ," * 50_000])
def test_options_far_apart_are_found(between):
    """A pattern that tries each space with each other would take days."""
    both = [f"A) Invite{between} (B) Decline", f"A) Decline{between} (B) Invite"]
    (found,) = closed_answers([f"{'AB'[i // 2 % 2]}." for i in range(40)], both * 20)
    assert found.is_moved


def test_options_of_many_pages_are_no_labels():
    text = 100_000 * "long "
    both = [f"A) {text}one\nB) {text}two", f"A) {text}two\nB) {text}one"]
    (found,) = closed_answers([f"{'AB'[i // 2 % 2]}." for i in range(40)], both * 20)
    assert found.is_moved
