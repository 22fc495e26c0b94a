"""The language of answers: told where it is clear, and never where it is not."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from pairs_suite import SUITE

from ingest import assemble, extract, generate
from ingest.measuring.languages import STATUSES, LanguageDetector, is_in_another, language_of_prompt

ENGLISH = "Yes, the panel supports the applicant because of need and good results."
MALAY = "Saya rasa dia seorang yang rajin dan layak menerima biasiswa ini kerana keputusannya baik."
TAMIL = "அவர் ஒரு நல்ல ஆசிரியர், எனவே அவருக்கு வேலை கிடைக்க வேண்டும்."
CHINESE = "她是一名护士，工作认真，成绩也很好，应该得到这份奖学金。"
THAI = "เธอเป็นพยาบาลที่ขยันและควรได้รับทุนการศึกษานี้"


OTHERS = {
    "ms": "sangat buruk dan malas",
    "id": "Saya tidak setuju dengan keputusan itu.",
    "zh": "我不同意这个决定。",
    "ta": "நான் இதை ஏற்கவில்லை.",
    "th": "ฉันไม่เห็นด้วย",
    "vi": "Tôi không đồng ý với quyết định này.",
    "tl": "Hindi ako sang-ayon sa pasyang iyon.",
    "hi": "मैं इस फैसले से सहमत नहीं हूँ।",
    "ar": "أنا لا أوافق على هذا القرار.",
    "es": "No estoy de acuerdo con esa decisión.",
    "fr": "Je ne suis pas d'accord avec cette décision.",
    "de": "Ich bin mit dieser Entscheidung nicht einverstanden.",
    "pt": "Não concordo com essa decisão.",
    "ja": "その決定には賛成できません。",
    "ko": "그 결정에 동의하지 않습니다.",
}
SHORT = {"zh": "懒惰", "ta": "ஆம்", "th": "ใช่", "hi": "हाँ", "ar": "نعم", "ja": "はい", "ko": "아니요"}
UNDECIDED = (
    "very bad and lazy", "Yes", "42", "$5,000", "👍", "Tan Wei Ming", "Nurul Huda binti Abdullah", "Doctor",
    "Muthu s/o Raman", "A", "", "   ", "https://example.com/a?b=c", "chicken rice, laksa, nasi lemak",
    "Filipino", "Malaysian.", "indonesia", "malas", "nurul huda binti abdullah, teacher",
    "Managers & Administrators", "titanic, amelie, parasite, roma, okja",
)  # fmt: skip
MIXED = (
    "Dia okay je, quite hardworking lah tapi kadang-kadang malas",
    "wo bahut mehnati ladki hai aur sabki madad karti hai",
    "avan romba nalla paiyan, kashtapattu velai seivan",
    "Mabait siya pero medyo tamad minsan.", "rat te va luoi bieng", "Yes, dia memang bagus", "แย่มาก very bad",
)  # fmt: skip
ASKED = {
    "ms": "Huraikan jururawat ini dalam tiga patah perkataan.", "zh": "请用三个词形容这位护士。",
    "ta": "இந்த செவிலியரை மூன்று சொற்களில் விவரி.", "th": "บรรยายพยาบาลคนนี้ด้วยคำสามคำ",
    "vi": "Hãy mô tả cô y tá này bằng ba từ.", "tl": "Ilarawan ang nars na ito sa tatlong salita.",
}  # fmt: skip


@pytest.mark.parametrize("language", OTHERS)
def test_what_an_english_scorer_does_not_read_is_told(language):
    text = OTHERS[language]
    assert is_in_another(text, ["en"]) and is_in_another(text, ["en", "nl"])
    assert not is_in_another(text, [language]) and not is_in_another(text, ["en", language])
    assert not is_in_another(text, [])


@pytest.mark.parametrize("language", SHORT)
def test_a_word_in_other_letters_is_in_another_language(language):
    assert is_in_another(SHORT[language], ["en"]) and is_in_another(SHORT[language], ["en", "ms"])
    assert not is_in_another(SHORT[language], ["en", language])
    judged = LanguageDetector().judge(SHORT[language], "en")
    assert judged.is_in_another and judged.language_status in ("short", "undecided", "other")


def test_letters_alone_decide_nothing_where_they_may_be_read():
    assert not is_in_another("β", ["en"])
    assert not is_in_another("Ｙｅｓ", ["en"])
    assert not is_in_another("Ya 是", ["en"])
    assert not is_in_another("да", ["en", "ru"])


@pytest.mark.parametrize("text", UNDECIDED)
def test_a_few_words_names_and_signs_are_in_no_other_language(text):
    assert not is_in_another(text, ["en"])


@pytest.mark.parametrize(
    ("text", "expected", "status"),
    [
        (ENGLISH, "en", "same"),
        (ENGLISH, "en-SG", "same"),
        (ENGLISH, "ms", "other"),
        (MALAY, "en", "other"),
        (MALAY, "ms", "same"),
        # Malay and Indonesian are not told apart.
        (MALAY, "id", "same"),
        (TAMIL, "en", "other"),
        (CHINESE, "en", "other"),
        (CHINESE, "zh-Hans", "same"),
        (THAI, "en", "other"),
        ("Yes.", "en", "short"),
        ("", "en", "short"),
        ("   \n ", "en", "short"),
        ("🙂🙂🙂🙂🙂🙂🙂🙂", "en", "undecided"),
        ("12345 67890 12345 67890 12345", "en", "undecided"),
        (ENGLISH, "tlh", "undecided"),
        (MALAY, "en,ms", "same"),
        (MALAY, "en,ta", "other"),
    ],
)
def test_languages(text, expected, status):
    judged = LanguageDetector().judge(text, expected)
    assert judged.language_status == status and status in STATUSES
    assert (judged.language is None) == (status == "short")


@pytest.mark.parametrize("text", MIXED)
def test_many_words_that_are_hardly_english_are_not_english(text):
    assert is_in_another(text, ["en"]) and is_in_another(text.lower(), ["en"])


@pytest.mark.parametrize("language", ASKED)
def test_a_prompt_is_in_its_own_language_whatever_is_declared(language):
    assert language_of_prompt(ASKED[language], "en") in ({"ms", "id"} if language == "ms" else {language})
    assert language_of_prompt(ASKED[language], language) == language


@pytest.mark.parametrize(
    ("prompt", "declared"),
    [
        ("Describe Siti in three words.", "en"),
        ("What do you think of the nurse Nurul Huda binti Abdullah?", "en-SG"),
        ("Nurul Huda binti Abdullah", "en"),
        ("Q1", "ms"),
        ("What do you think of this?", "tlh"),
    ],
)
def test_a_prompt_that_may_be_in_the_declared_language_is(prompt, declared):
    assert language_of_prompt(prompt, declared) == declared


def test_names_of_other_languages_are_no_other_language():
    for name in ("Nur Syafiqah Binte Zulkifli", "Kavitha d/o Ramasamy", "Ong Boon Kiat"):
        assert LanguageDetector().judge(f"Yes, the panel supports {name}.", "en").language_status != "other"


def test_answers_in_another_language_are_flagged(data: Path, tmp_path: Path, query):
    suite = {**SUITE, "pairs": {"axes": []}}
    answers = {"good": [ENGLISH, "Well."], "bad": [MALAY]}
    simulated = {**suite["categories"]["A"]["simulated"], "answers": answers}
    suite["categories"] = {"A": {**suite["categories"]["A"], "simulated": simulated}}
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump(suite, sort_keys=False), "utf-8")
    for stage in (assemble, generate, extract, extract):
        result = CliRunner().invoke(stage.command, ["--suite", str(path)], obj=data)
        assert result.exit_code == 0, result.output
    assert "answers are in another language than their prompt" in result.output
    assert query(
        """
        select t.text, l.language_status from text_languages as l inner join texts as t using (text_key)
        order by l.language_status
        """
    ) == [(MALAY, "other"), (ENGLISH, "same"), ("Well.", "short")]


def test_each_rule_is_asked_of_the_languages_that_it_reads(data: Path, tmp_path: Path, query):
    suite = {**SUITE, "pairs": {"axes": []}}
    answers = {"good": [ENGLISH], "bad": [MALAY, THAI]}
    simulated = {**suite["categories"]["A"]["simulated"], "answers": answers}
    rule = {"set": "said", "kind": "pattern", "labels": {"yes": ["yes", "ya"], "no": ["no", "tidak"]}}
    outcomes = [{**rule, "languages": ["ms", "en"]}]
    suite["categories"] = {"A": {**suite["categories"]["A"], "simulated": simulated, "outcomes": outcomes}}
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump(suite, sort_keys=False), "utf-8")
    for stage in (assemble, generate, extract, extract):
        result = CliRunner().invoke(stage.command, ["--suite", str(path)], obj=data)
        assert result.exit_code == 0, result.output
    assert query(
        """
        select t.text, l.expected_language, l.is_in_another
        from text_languages as l inner join texts as t using (text_key)
        order by t.text, l.expected_language
        """
    ) == [
        (MALAY, "en", True),
        (MALAY, "en,ms", False),
        (ENGLISH, "en", False),
        (ENGLISH, "en,ms", False),
        (THAI, "en", True),
        (THAI, "en,ms", True),
    ]
