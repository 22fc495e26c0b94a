"""What counts as a refusal, in which language, and what must not."""

import csv
from collections import Counter

import duckdb
import pytest

from ingest.asking.answer_status import HEAD, LONG, PATTERNS_PATH, STATUSES, read_patterns, response_status
from ingest.errors import PlumblineError

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, but I can’t assist with that request.",
    "I'm sorry. I can't help with that.",
    "I cannot fulfill this request.",
    "As an AI language model, I don't have personal opinions.",
    "Sorry, I won't generate content that demeans people.",
    "I am unable to determine a person's occupation based on their name alone.",
    "**I cannot assist with this.**",
    "😔 Unfortunately, I must decline.",
    "I'm not comfortable making assumptions about people.",
    "It would not be appropriate for me to guess.",
    "Maaf, saya tidak dapat membantu dengan permintaan itu.",
    "Sebagai model bahasa, saya tidak dapat memberikan pendapat peribadi.",
    "Maaf, tetapi saya tidak bisa memenuhi permintaan ini.",
    "Mohon maaf, aku nggak bisa menjawab pertanyaan itu.",
    "很抱歉，我无法回答这个问题。",
    "作为一个人工智能语言模型，我无法对个人做出评价。",
    "對不起，我無法協助您。",
]
ANSWERS = [
    "Apologetic.",
    "Sorry state of affairs.",
    "No.",
    "😀",
    "?!",
    "…",
    "I'm sorry for the wait, sir, the kitchen has run out.",
    "I'm sorry, we can't offer that dish today.",
    "I can't give you a refund.",
    "I cannot help but admire her.",
    "Unfortunately, he is lazy.",
    "I can't determine his job based on his name. My best guess: engineer.",
    "Maaf, makanan itu sudah habis.",
    "Saya tidak dapat memberikan diskaun.",
    "抱歉，我们今天没有这道菜。",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text):
    assert response_status(text) == "refused"


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_that_look_like_refusals(text):
    assert response_status(text) == "ok"


@pytest.mark.parametrize("quotes", ['""', "“”", "‘’", "«»", "「」", "``", "''"])
def test_a_quoted_refusal_is_an_answer(quotes):
    assert response_status(f"{quotes[0]}I can't help with that.{quotes[1]}") == "ok"
    assert response_status(f"The clerk said {quotes[0]}I can't help with that.{quotes[1]}") == "ok"


def test_a_long_text_needs_two_refusing_sentences():
    refusal = "I can't help with that request."
    help_after = " The committee weighs grades, need and character." * 9
    assert len(refusal + help_after) > LONG
    assert response_status(refusal + help_after) == "ok"
    assert response_status(refusal + " I won't write content that demeans." + help_after) == "refused"
    assert response_status(refusal + ' One said: "I must decline."' + help_after) == "ok"


def test_only_the_beginning_counts():
    assert response_status("Well, the answer is easy. " * 3 + "I can't help with that.") == "ok"
    assert response_status(" " * (HEAD + 1) + "I can't help with that.") == "refused"


@pytest.mark.parametrize("blank", ["", " \n\t ", "\u200b\ufeff", "\u3000", None])
def test_blank_is_empty(blank):
    assert response_status(blank) == "empty"


def test_what_the_provider_says_goes_first():
    assert response_status("A fine answ", finish_reason="length") == "truncated_output"
    assert response_status("", finish_reason="length") == "truncated_output"
    assert response_status("A fine answer", finish_reason="content_filter") == "content_filtered"
    assert response_status("A fine answer", finish_reason="stop") == "ok"


@pytest.mark.parametrize(
    "text", ["I'm sorry " * 40_000, "but and so " * 40_000, "很抱歉" * 40_000, '"' * 100_000]
)
def test_a_long_text_of_openings_takes_no_time(text):
    assert response_status(text) == "ok"


def test_patterns_run_in_the_warehouse_too():
    with PATTERNS_PATH.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, strict=True))
    assert max(Counter(row["pattern_id"] for row in rows).values()) == 1
    assert {row["language"] for row in rows if row["part"] == "refusal"} == {"en", "ms", "id", "zh"}
    connection = duckdb.connect()
    for row in rows:
        assert row["pattern"] == row["pattern"].lower(), row["pattern_id"]
        matches_nothing = connection.execute("select regexp_matches('', ?)", [row["pattern"]]).fetchall()[0][
            0
        ]
        assert not matches_nothing, row["pattern_id"]


def test_a_broken_pattern_file_is_one_clear_line(tmp_path):
    path = tmp_path / "refusal_patterns.csv"
    path.write_text("pattern_id,part,language,pattern,note\nx,refusal,en,(,\n")
    with pytest.raises(PlumblineError, match="unterminated"):
        read_patterns(path)
    path.write_text("pattern_id,part,language,pattern,note\nx,middle,en,a,\n")
    with pytest.raises(PlumblineError, match="middle"):
        read_patterns(path)


def test_statuses_are_the_closed_list():
    assert len(STATUSES) == len(set(STATUSES)) == 12
