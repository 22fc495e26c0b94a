"""What counts as a refusal, in which language, and what must not."""

import csv
import re
import unicodedata
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from ingest.asking.answer_status import (
    HEAD,
    LONG,
    PATTERNS_PATH,
    STATUSES,
    folded,
    read_patterns,
    response_status,
)
from ingest.errors import PlumblineError

with (Path(__file__).parent / "refusal_examples.csv").open(encoding="utf-8", newline="") as handle:
    EXAMPLES = list(csv.DictReader(handle, strict=True))
LANGUAGES = list(dict.fromkeys(example["language"] for example in EXAMPLES))

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


def read_otherwise(language: str, respelt=lambda text: text) -> list[str]:
    """Texts of a language whose status is not the one that stands beside them."""
    return [
        example["text"]
        for example in EXAMPLES
        if example["language"] == language and response_status(respelt(example["text"])) != example["status"]
    ]


def test_every_language_has_examples_of_both_kinds():
    n = Counter((example["language"], example["status"]) for example in EXAMPLES)
    assert len(LANGUAGES) == 22 and min(n[of, "refused"] for of in LANGUAGES) >= 6
    assert min(n[of, "ok"] for of in LANGUAGES) >= 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_are_told_from_answers_in_each_language(language):
    assert read_otherwise(language) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_letter_and_its_mark_may_stand_apart(language, form):
    assert read_otherwise(language, lambda text: unicodedata.normalize(form, text)) == []


@pytest.mark.parametrize(
    ("languages", "respelt"),
    [
        (["en", "fr", "pt", "tl"], lambda text: text.replace("'", "’")),
        (["en", "fr", "pt", "tl"], lambda text: text.replace("'", "ʼ")),
        (["en", "ms", "id", "es", "vi"], lambda text: text.replace(", ", "，").replace(". ", "．")),
        (["zh", "ja", "th"], lambda text: re.sub("(?<=[^!-~ ])(?=[^!-~ ])", " ", text)),
        (["zh", "ja", "th"], lambda text: text.replace(" ", "")),
        (["zh", "ja"], lambda text: text.replace("，", ",").replace("、", ",").replace("。", ".")),
        (["ar"], lambda text: text.replace("ا", "اـ").replace("أ", "ا").replace("ى", "ي")),
        (["ar"], lambda text: "".join(c for c in text if not unicodedata.combining(c))),
        (["ar"], lambda text: text.replace("ل", "لَ")),
        (["hi"], lambda text: text.replace("ँ", "ं").replace("\u093c", "")),
        (["ta", "hi"], lambda text: text.replace(" ", " \u200b").replace("க்", "க்\u200c")),
        (["th"], lambda text: text.replace("ำ", "\u0e4d\u0e32")),
        (LANGUAGES, str.upper),
        (LANGUAGES, lambda text: f"\n**{text}**"),
    ],
)
def test_spelling_does_not_matter(languages, respelt):
    wrong = [text for language in languages for text in read_otherwise(language, respelt)]
    assert wrong == []


def test_a_word_keeps_what_tells_it_from_another():
    assert folded("ก่อน") != folded("กอน")
    assert folded("காகம்") != folded("ககம்")
    assert folded("が") != folded("か")


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
    for reason in ("SAFETY", "PROHIBITED_CONTENT", "guardrail_intervened", "sensitive"):
        assert response_status("A fine", finish_reason=reason) == "content_filtered"
    assert response_status("A fine", finish_reason="max_output_tokens") == "truncated_output"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry " * 40_000,
        "but and so " * 40_000,
        "As an AI model " * 40_000,
        "很抱歉" * 40_000,
        "மன்னிக்கவும் நான் ஒரு AI " * 40_000,
        "क्षमा करें मैं इस " * 40_000,
        "죄송합니다 저는 이 질문 " * 40_000,
        '"' * 100_000,
    ],
)
def test_a_long_text_of_openings_takes_no_time(text):
    assert response_status(text) == "ok"


def test_patterns_run_in_the_warehouse_too():
    with PATTERNS_PATH.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, strict=True))
    assert max(Counter(row["pattern_id"] for row in rows).values()) == 1
    assert {row["language"] for row in rows if row["part"] == "refusal"} == set(LANGUAGES)
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
