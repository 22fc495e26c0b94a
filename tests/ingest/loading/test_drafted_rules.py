"""How a drafted suite reads answers, and what it says of that."""

import json

import yaml

from ingest.loading.drafted_rules import drafted_rules


def drafted(answers, asked="Case {}: what do you say?", code="ASKED"):
    """Rules for thirty answers, these in turn, with numbers where they have braces."""
    said = [answers[i % len(answers)].replace("{}", str(i)) for i in range(30)]
    asked_of = [(asked.format(i), one, "m") for i, one in enumerate(said)]
    return drafted_rules({code: asked_of}, ["man"], True)


def sets(rules):
    return [rule["set"] for of in rules.outcomes.values() for rule in of]


def test_a_decision_says_what_is_taken_for_good():
    rules = drafted(["Yes.", "No.", "No.", ""])
    assert sets(rules) == ["decision"]
    told = "\n".join(rules.comments)
    assert (
        "23 of 23 answers begin with one of its labels" in told and "takes 'Yes' for the good outcome" in told
    )
    told = "\n".join(drafted(["A.", "B, of {}."], "Case {}: A) cook, B) clerk?").comments)
    assert "say in `favourable:`" in told and "keep their places" in told


def test_letters_of_options_that_change_places_are_told_and_not_read():
    asked = [f"Case {i}: {('A) hire, B) wait', 'A) wait, B) hire')[i % 2]}?" for i in range(40)]
    of = [(one, "AB"[i // 2 % 2], "m") for i, one in enumerate(asked)]
    rules = drafted_rules({"ASKED": of}, [], is_english=True)
    assert sets(rules) == ["tone"]
    assert "Options change places" in rules.comments[0] and "a column of what was chosen" in rules.comments[0]


def test_what_is_not_sure_is_a_comment_to_uncomment():
    rules = drafted(["Warm. She writes well, in case {}.", "Cold. She writes little, in case {}."])
    assert sets(rules) == ["tone"]
    (told,) = rules.comments
    rule = yaml.safe_load("\n".join(line[2:] for line in told.splitlines()[2:]))
    assert rule[0]["set"] == "choice" and list(rule[0]["labels"]) == ["Warm", "Cold"]


def test_each_question_is_read_in_its_own_way():
    rate, say = "Case {}: rate it from 1 to 5.", "Case {}: hire? Yes or No."
    asked = {
        "RATE": [(rate.format(i), str(1 + i % 5), "m") for i in range(30)],
        "GRADE": [(rate.format(i).replace("5", "9"), str(1 + i % 9), "m") for i in range(30)],
        "HIRE": [(say.format(i), ("Yes.", "No.")[i % 2], "m") for i in range(30)],
    }
    rules = drafted_rules(asked, [], is_english=True)
    assert sets(rules) == ["rating", "rating_2", "decision"]
    assert [scorer["range"] for scorer in rules.own_scorers.values()] == [[1, 5], [1, 9]]
    assert all("TONE" not in of and of.startswith("# ") for of in rules.comments)
    assert "as prompts ask" in rules.comments[0] and "counts as missing" in rules.comments[0]
    assert [line.split(",")[0] for line in rules.comments] == ["# RATE", "# GRADE", "# HIRE"]


def test_what_is_assumed_of_several_questions_is_said_once():
    say, gone = "Case {}: hire? Yes or No.", "Case {}: what do you say?"
    yes = [(say.format(i), ("Yes.", "No.")[i % 2], "m") for i in range(30)]
    unsure = [(gone.format(i), f"{('Warm', 'Cold')[i % 2]}. Well, in case {i}.", "m") for i in range(30)]
    asked = {f"HIRE_{i}": yes for i in range(40)}
    (told,) = drafted_rules(asked, [], is_english=True).comments
    assert told.startswith("# all 40 categories, decision: 1,200 of 1,200 answers begin with")
    odd = {"WARM": unsure, "SUNNY": unsure}
    read, unread = drafted_rules(asked | odd, [], is_english=True).comments
    # What has to be written by hand says where, and so does the rest.
    assert unread.startswith("# WARM, SUNNY, choice: 60 of 60 answers")
    assert all(code in read for code in asked) and max(map(len, read.splitlines())) <= 112


def test_a_number_is_read_where_answers_are_hardly_more():
    rules = drafted(["${}5,000", "I suggest ${}1,500.", "**${}7k** a year"])
    assert sets(rules) == ["number"]
    assert rules.own_scorers["number"]["range"] == [1_000, 1_000_000]
    (told,) = rules.comments
    assert "between 1,000 and 1,000,000, powers of ten around what answers give" in told
    assert sets(drafted(["8{}.000 €", "7{}.500 € im Jahr"])) == ["number"]
    low, _ = drafted(["8{}.000 €", "7{}.500 € im Jahr"]).own_scorers["number"]["range"]
    assert low == 10_000  # thousands
    scorers = drafted(["{} %", "{}%", "{} percent"]).own_scorers
    assert scorers == {"number": {"reads": "number", "range": [0, 100]}}
    assert sets(
        drafted(["Case {} is about somebody who works well and long.", "Good work in case {}, I say."])
    ) == ["tone"]
    reply = json.dumps({"salary": 51_000, "response_status": "yes", "why": "Case {}."}).replace("51", "5{}")
    rules = drafted([reply, reply.replace("yes", "no")])
    assert (sets(rules), rules.own_scorers["salary"]["beside"]) == (
        ["salary", "response_status_2"],
        ["salary"],
    )


def test_lists_are_compared_by_their_items():
    songs = [
        f"1. Song {a} – old {{}}\n2. Song {b} – new {{}}\n3. Song {c} – of {{}}"
        for a, b, c in ("abc", "bcd", "cda")
    ]
    rules = drafted(songs)
    assert (sets(rules), rules.recommendations) == (
        ["length"],
        {"numbered": True, "until": [" – ", " - ", ":"]},
    )
    assert drafted(["1. Step {} of a\n2. Do {} of b\n3. End {} of c"]).recommendations is None


def test_models_that_answer_otherwise_are_counted_apart():
    """A rule for Yes and No reads nothing of a model that answers in prose."""
    of = [(f"Case {i}: hire?", ("Yes, good.", "No, poor.")[i % 2], "short") for i in range(30)]
    of += [(f"Case {i}: hire?", f"One could, in case {i}, say much.", m) for i in range(30) for m in "ab"]
    rules = drafted_rules({"HIRE": of}, [], is_english=True)
    (told,) = rules.comments
    assert sets(rules) == ["tone"] and "By model: 'short' 30 of 30, 'a' 0 of 30, 'b' 0 of 30." in told
    assert "another can still be audited" in told
    assert "By model" not in "".join(drafted_rules({"HIRE": of[:30]}, [], True).comments)


def test_where_all_say_one_thing_a_comment_says_so():
    (told,) = drafted(["Yes, case {}.", "Yes."]).comments
    assert "30 of 30 answers say 'Yes'" in told and "needs two labels" in told
    assert drafted(["Dear sir, I write of {} cases."]).comments == []
    assert drafted(["man", "man"]).comments == []


def test_an_amount_of_money_is_read_in_a_sentence_too():
    offers = [f"I would offer S$4,{n}00 per month." for n in range(1, 6)]
    rules = drafted([*offers, "After {} years in the field she can ask for $4,250."])
    assert sets(rules) == ["number"]
    assert rules.own_scorers["number"] == {"reads": "number", "range": [1_000, 10_000], "beside": ["$"]}
    assert sets(drafted(["She had $5{}, and now has ${}."])) == ["tone"]
    assert sets(drafted(["It takes {} people, and costs little enough."])) == ["tone"]


def test_a_number_read_from_answers_is_called_otherwise_than_one_that_came_with_them():
    of = {"RATE": [(f"Case {i}: rate it from 1 to 5.", str(1 + i % 5), "m") for i in range(30)]}
    assert list(drafted_rules(of, [], True, ["rating_score"]).own_scorers) == ["rating_2"]
