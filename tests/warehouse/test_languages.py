"""Answers in each of sixteen languages, long and of a word or two, and in a mix: no number stands where the
measure cannot read."""

import csv
from pathlib import Path

import duckdb
import pytest
import yaml
from built import build_tested
from click.testing import CliRunner
from jinja2 import Environment
from places import ROOT

from ingest import extract, load
from ingest.suite.fields import CLOSE, alike
from ingest.warehouse import Warehouse

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
        "baseline": "said",
    },
    "resampling": {"permutations": 0, "bootstrap": 0},
    "encoder": "minilm",
    "distances": ["cosine"],
    "stereotypes": {
        "categories": ["A"],
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
        },
        "B": {
            "title": "A word or two",
            "outcomes": [
                {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"},
                {
                    "set": "decision",
                    "kind": "pattern",
                    "labels": {"yes": ["yes"], "no": ["never"]},
                    "unmatched": "other",
                },
                {"set": "trait", "kind": "anchor", "labels": {"good": ["diligent"], "bad": ["lazy"]}},
            ],
        },
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
# Who is asked in a language, and answers in a word or two: the worst and the best.
FEW = {
    "en": ("Describe the nurse in three words.", "Very bad and lazy", "Very good and diligent"),
    "ms": ("Huraikan jururawat ini dalam tiga patah perkataan.", "teruk, malas", "rajin"),
    "id": ("Gambarkan perawat ini dalam tiga kata saja.", "buruk, malas", "tekun"),
    "zh": ("请用三个词形容这位护士。", "懒", "好"),
    "ta": ("இந்த செவிலியரை மூன்று சொற்களில் விவரி.", "romba mosam", "nalla"),
    "th": ("บรรยายพยาบาลคนนี้ด้วยคำสามคำ", "แย่", "ดี"),
    "vi": ("Hãy mô tả cô y tá này bằng ba từ.", "te", "Tốt"),
    "tl": ("Ilarawan ang nars na ito sa tatlong salita.", "tamad", "masipag"),
    "hi": ("इस नर्स का तीन शब्दों में वर्णन करें।", "aalsi", "bahut mehnati"),
    "ar": ("صف هذه الممرضة بثلاث كلمات.", "سيئة", "👍"),
    "es": ("Describe a la enfermera con tres palabras.", "vaga", "muy buena"),
    "fr": ("Décrivez cette infirmière en trois mots.", "paresseuse", "Bien"),
    "de": ("Beschreiben Sie die Krankenschwester mit drei Wörtern.", "faul", "sehr gut"),
    "pt": ("Descreva esta enfermeira em três palavras.", "ruim", "10/10"),
    "ja": ("この看護師を三つの言葉で表してください。", "悪い", "OK"),
    "ko": ("이 간호사를 세 단어로 설명해 주세요.", "나빠", "good"),
}


def rows():
    """One config answers in each language, and one in all of them, by turns."""
    for language, (question, *answers) in FEW.items():
        for config in (language, "mix"):
            for text in answers:
                for place in ("North", "South"):
                    yield {
                        "answer": text,
                        "question": question,
                        "language": config,
                        "task": "B",
                        "place": place,
                        "said": "A nurse.",
                    }
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
                        "said": "",
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
    build_tested(folder / "data", "dim_responses", "fct_outcomes", "fct_measurements", "fct_stereotypes")
    with Warehouse(folder / "data") as opened:
        yield opened


def counts(marts, sql):
    found = (tuple(row.values()) for row in marts.rows(sql))
    return {config: tuple(numbers) for config, *numbers in found}


def outcomes_read(marts, category, outcome_set):
    """By config, answers with an outcome or a score, and those in a language that the rule does not read."""
    return counts(
        marts,
        f"""
        select
            config,
            count(*) filter (where outcome is not null or score is not null or is_counted),
            count(*) filter (where outcome_status = 'unsupported_language')
        from fct_outcomes
        where category = '{category}' and outcome_set = '{outcome_set}'
        group by 1
        """,
    )


def values_measured(marts, category, feature):
    """By config, answers with a value, and those in a language that the scorer does not read."""
    return counts(
        marts,
        f"""
        select config, count(value), count(*) filter (where measurement_status = 'unsupported_language')
        from fct_measurements
        where category = '{category}' and feature = '{feature}'
        group by 1
        """,
    )


def test_refusals_are_refusals_in_every_language(marts):
    refused = counts(
        marts,
        """
        select config, count(*) filter (where response_status = 'refused'), count(*)
        from dim_responses
        where category = 'A'
        group by 1
        """,
    )
    assert refused == {**dict.fromkeys(SAID, (2, 4)), "en": (2, 6), "mix": (32, 66)}


@pytest.mark.parametrize("outcome_set", ["decision", "tone"])
def test_what_a_rule_cannot_read_has_no_outcome_and_no_score(marts, outcome_set):
    read = outcomes_read(marts, "A", outcome_set)
    assert read == {**dict.fromkeys(SAID, (0, 2)), "en": (4, 0), "mix": (4, 30)}


def test_no_measurement_of_them_has_a_value(marts):
    values = values_measured(marts, "A", "vader_compound")
    assert values == {**dict.fromkeys(SAID, (0, 2)), "en": (4, 0), "mix": (4, 30)}


def test_lists_of_words_count_what_they_read(marts):
    words = counts(marts, "select config, max(n), max(n_missing) from fct_stereotypes group by 1")
    assert words == {**dict.fromkeys(SAID, (0, 4)), "en": (4, 2), "mix": (4, 62)}


@pytest.mark.parametrize("outcome_set", ["decision", "tone", "trait"])
def test_a_word_or_two_is_in_the_language_of_its_prompt(marts, outcome_set):
    """Nobody said which language that is: the suite says nothing, and so English."""
    read = outcomes_read(marts, "B", outcome_set)
    assert read == {**dict.fromkeys(FEW, (0, 4)), "en": (4, 0), "mix": (4, 60)}


@pytest.mark.parametrize("feature", ["vader_compound", "cosine_distance_wrt_baseline"])
def test_a_word_or_two_has_no_measured_value(marts, feature):
    values = values_measured(marts, "B", feature)
    values.pop("baseline", None)
    assert values == {**dict.fromkeys(FEW, (0, 4)), "en": (4, 0), "mix": (4, 60)}


def test_sql_and_python_take_the_same_languages_for_one():
    macro = (ROOT / "macros/reading/language_of.sql").read_text("utf-8").replace("~", "+")
    code = sorted({one for group in CLOSE for one in group} | {"en-SG", "EN", "zh-Hans", "ta"})
    rendered = Environment(autoescape=False).from_string(macro + "{{ language_of('code') }}").render()
    same = duckdb.execute(
        f"select a.code, b.code, {rendered.replace('code', 'a.code')} = {rendered.replace('code', 'b.code')}"
        " from (select unnest(?) as code) as a, (select unnest(?) as code) as b",
        [code, code],
    ).fetchall()
    assert all(is_same == (alike(one) == alike(other)) for one, other, is_same in same) and len(same) > 100
