"""The language of answers: told where it is clear, and never where it is not."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from pairs_suite import SUITE

from ingest import assemble, extract, generate
from ingest.measuring.languages import STATUSES, LanguageDetector

ENGLISH = "Yes, the panel supports the applicant because of need and good results."
MALAY = "Saya rasa dia seorang yang rajin dan layak menerima biasiswa ini kerana keputusannya baik."
TAMIL = "அவர் ஒரு நல்ல ஆசிரியர், எனவே அவருக்கு வேலை கிடைக்க வேண்டும்."
CHINESE = "她是一名护士，工作认真，成绩也很好，应该得到这份奖学金。"
THAI = "เธอเป็นพยาบาลที่ขยันและควรได้รับทุนการศึกษานี้"


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
    ],
)
def test_languages(text, expected, status):
    judged = LanguageDetector().judge(text, expected)
    assert judged.language_status == status and status in STATUSES
    assert (judged.language is None) == (status == "short")


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
