"""Answers in each of sixteen languages, and in a mix: no number stands where the measure cannot read."""

import csv
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from places import ROOT

from ingest import extract, load
from ingest.warehouse import Warehouse, run_dbt

SUITE = {
    "suite": "spoken",
    "title": "Answers in many languages",
    "version": 1,
    "scorers": ["vader"],
    "attributes": {"place": {"North": {}, "South": {}}},
    "axes": ["place"],
    "columns": {
        "response": "answer",
        "prompt": "question",
        "model": "language",
        "category": "task",
        "attributes": {"place": "place"},
    },
    "resampling": {"permutations": 0, "bootstrap": 0},
    "stereotypes": {
        "attributes": {"gender": {"Female": ["she"], "Male": ["he"]}},
        "targets": {"work": ["job"]},
    },
    "categories": {
        "A": {
            "title": "A job",
            "outcomes": [
                {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"},
                {
                    "set": "decision",
                    "kind": "pattern",
                    "labels": {"yes": ["yes"], "no": ["no"]},
                    "unmatched": "other",
                },
            ],
        }
    },
}
with (ROOT / "tests/ingest/asking/refusal_examples.csv").open(encoding="utf-8", newline="") as handle:
    EXAMPLES = list(csv.DictReader(handle, strict=True))
REFUSED = {e["language"]: e["text"] for e in reversed(EXAMPLES) if e["status"] == "refused"}
# Answers that hold neither of the rule's words.
SAID = {
    "en": "I believe that she should get the job, for she works hard.",
    "ms": "Saya rasa dia patut mendapat pekerjaan itu kerana dia rajin.",
    "id": "Menurut saya dia pantas mendapat pekerjaan itu karena rajin.",
    "zh": "我认为她应该得到这份工作，因为她很勤奋。",
    "ta": "அவர் கடினமாக உழைப்பதால் அந்த வேலை கிடைக்க வேண்டும்.",
    "th": "ฉันคิดว่าเธอควรได้งานนี้เพราะเธอขยัน",
    "vi": "Tôi nghĩ cô ấy nên được nhận vì cô ấy chăm chỉ.",
    "tl": "Sa tingin ko dapat siyang tanggapin dahil masipag siya.",
    "hi": "मुझे लगता है कि उसे यह नौकरी मिलनी चाहिए क्योंकि वह मेहनती है।",
    "ar": "أعتقد أنها تستحق هذه الوظيفة لأنها مجتهدة.",
    "es": "Creo que ella debería conseguir el trabajo porque es muy trabajadora.",
    "fr": "Je pense qu'elle devrait obtenir ce poste parce qu'elle est travailleuse.",
    "de": "Ich glaube, dass sie die Stelle bekommen sollte, weil sie fleißig ist.",
    "pt": "Acho que ela deveria conseguir o emprego porque é muito trabalhadora.",
    "ja": "彼女は勤勉なので、その仕事に就くべきだと思います。",
    "ko": "그녀는 성실하기 때문에 그 일자리를 얻어야 한다고 생각합니다.",
}


def rows():
    """One config answers in each language, and one in all of them, by turns."""
    for i, (language, said) in enumerate(SAID.items()):
        for config in (language, "mix"):
            for j, text in enumerate((said, REFUSED[language], *(["No."] if language == "en" else []))):
                for place in ("North", "South"):
                    question = f"{config} {i} {j} {place}"
                    yield {
                        "answer": text,
                        "question": question,
                        "language": config,
                        "task": "A",
                        "place": place,
                    }


@pytest.fixture(scope="module")
def marts(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("spoken")
    (folder / "suite.yml").write_text(yaml.safe_dump(SUITE), "utf-8")
    found = list(rows())
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    for command, arguments in ((load.command, [str(folder / "answers.csv")]), (extract.command, [])):
        result = CliRunner().invoke(
            command, [*arguments, "--suite", str(folder / "suite.yml")], obj=folder / "data"
        )
        assert result.exit_code == 0, result.output
    built = ["outcomes", "measurements", "stereotypes"]
    checks = ["--indirect-selection", "cautious", "--exclude", "test_type:unit", "test_type:generic"]
    assert run_dbt(
        folder / "data", ["build", *checks, "--select", "+dim_responses", *(f"+fct_{mart}" for mart in built)]
    )
    with Warehouse(folder / "data") as opened:
        yield opened


def counts(marts, sql):
    found = (tuple(row.values()) for row in marts.rows(sql))
    return {config: tuple(numbers) for config, *numbers in found}


def test_refusals_are_refusals_in_every_language(marts):
    refused = counts(
        marts,
        """
        select config, count(*) filter (where response_status = 'refused'), count(*)
        from dim_responses
        group by 1
        """,
    )
    assert refused == {**dict.fromkeys(SAID, (2, 4)), "en": (2, 6), "mix": (32, 66)}


@pytest.mark.parametrize("outcome_set", ["decision", "tone"])
def test_what_a_rule_cannot_read_has_no_outcome_and_no_score(marts, outcome_set):
    read = counts(
        marts,
        f"""
        select
            config,
            count(*) filter (where outcome is not null or score is not null or is_counted),
            count(*) filter (where outcome_status = 'unsupported_language')
        from fct_outcomes
        where outcome_set = '{outcome_set}'
        group by 1
        """,
    )
    assert read == {**dict.fromkeys(SAID, (0, 2)), "en": (4, 0), "mix": (4, 30)}


def test_no_measurement_of_them_has_a_value(marts):
    values = counts(
        marts,
        """
        select config, count(value), count(*) filter (where measurement_status = 'unsupported_language')
        from fct_measurements
        where feature = 'vader_compound'
        group by 1
        """,
    )
    assert values == {**dict.fromkeys(SAID, (0, 2)), "en": (4, 0), "mix": (4, 30)}


def test_lists_of_words_count_what_they_read(marts):
    words = counts(marts, "select config, max(n), max(n_missing) from fct_stereotypes group by 1")
    assert words == {**dict.fromkeys(SAID, (0, 4)), "en": (4, 2), "mix": (4, 62)}
