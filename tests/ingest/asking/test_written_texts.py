"""What a model writes for an audit: articles, keywords, questions, proposals. Asked for real, on loopback."""

import csv
import json

import pytest
import yaml
from click.testing import CliRunner

from ingest import assemble, branch, scrape
from ingest.corpus import keyword_search
from ingest.corpus.keywords import (
    candidates,
    instruction,
    nearest,
    parse_answer,
    parse_object,
    usable,
    without_contained,
)
from ingest.prompts.questions import read_question
from ingest.scorers import Embedder

SENTENCE = "Most visitors of Freelandia praise the food markets that open before dawn in every big town."


@pytest.fixture
def suite(tmp_path, server):
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "a.txt").write_text(SENTENCE)

    def write(**corpus):
        content = {
            "suite": "lands",
            "title": "Lands",
            "version": 1,
            "attributes": {"country": {"Freelandia": {"words": ["Freelandia", "Freelandian"]}, "France": {}}},
            "axes": ["country"],
            "configs": [{"backend": "ollama", "model": "tiny", "base_url": server.url}],
            "branches": [
                {
                    "category": "LAND",
                    "attribute": "country",
                    "root": "Freelandia",
                    "replacements": ["lands.csv"],
                }
            ],
            "categories": {
                "LAND": {
                    "title": "Lands",
                    "block": "root",
                    "corpus": {
                        "attribute": "country",
                        "sources": [{"kind": "local", "files": "a.txt", "concept": "Freelandia"}],
                        **corpus,
                    },
                    "outcomes": [
                        {"set": "tone", "kind": "pattern", "labels": {"good": ["good"], "bad": ["bad"]}}
                    ],
                }
            },
        }
        path = folder / "lands.yml"
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        return path

    return write


def invoke(stage, data, path, *options):
    return CliRunner().invoke(stage.command, ["--suite", str(path), *options], obj=data)


def says(text, match=""):
    return {"match": match, "do": "answer", "says": text}


def test_an_article_is_written_once_and_says_by_whom(data, suite, server, query):
    server.rules(says(SENTENCE))
    source = {
        "kind": "synthetic",
        "concept": "Freelandia",
        "config": "tiny",
        "instruction": "Write an article about {concept}.",
    }
    path = suite(sources=[source])
    assert invoke(scrape, data, path).exit_code == 0
    assert invoke(scrape, data, path).exit_code == 0
    assert server.prompts() == ["Write an article about Freelandia."]
    assert query("select origin, source_kind, attribution, text from documents") == [
        ("tiny", "synthetic", "written by the model tiny", SENTENCE)
    ]
    assert query("select sentence from sentences where keyword = 'Freelandia'") == [(SENTENCE,)]


def test_two_articles_of_a_config_stand_beside_each_other(data, suite, server, query):
    rivers, kings = f"{SENTENCE} Freelandia has rivers.", f"{SENTENCE} Freelandia has kings."
    server.rules(says(rivers, "rivers"), says(kings, "kings"), says(SENTENCE))
    sources = [
        {"kind": "synthetic", "concept": "Freelandia", "config": "tiny", "instruction": f"Write about {of}."}
        for of in ("rivers", "kings")
    ]
    articles = "select text, document_status from documents order by text, document_status"
    for _ in range(2):
        assert invoke(scrape, data, suite(sources=sources)).exit_code == 0
        assert query(articles) == [(kings, "ok"), (rivers, "ok")]
    assert len(server.prompts()) == 2
    sources[0]["instruction"] = "Write about what you like."
    invoke(scrape, data, suite(sources=sources))
    assert query(articles) == sorted([(SENTENCE, "ok"), (kings, "ok"), (rivers, "superseded")])


def test_two_articles_whose_instructions_begin_alike_stand_beside_each_other(data, suite, server, query):
    begins = "Write three long paragraphs about Freelandia for readers who know nothing of it. " * 3
    server.rules(says(f"{SENTENCE} It has rivers.", "rivers"), says(f"{SENTENCE} It has kings.", "kings"))
    sources = [
        {"kind": "synthetic", "concept": "Freelandia", "config": "tiny", "instruction": f"{begins}Name {of}."}
        for of in ("rivers", "kings")
    ]
    for _ in range(2):
        assert invoke(scrape, data, suite(sources=sources)).exit_code == 0
        assert query("select document_status from documents") == [("ok",)] * 2


def test_one_text_to_two_instructions_gives_the_sentences_of_both(data, suite, server, query):
    server.rules(says(SENTENCE))
    sources = [
        {"kind": "synthetic", "concept": "Freelandia", "config": "tiny", "instruction": of, "keyword": of}
        for of in ("food", "town")
    ]
    for _ in range(2):
        result = invoke(scrape, data, suite(sources=sources))
        assert "2 documents" in result.output, result.output
        assert query("select keyword from sentences order by all") == [("food",), ("town",)]
        assert query("select title, document_status from documents order by all") == [
            ("food", "ok"),
            ("town", "ok"),
        ]
    assert "2 documents (0 new), 2 sentences" in result.output


def test_keywords_are_parsed_never_evaluated(data, suite, server, query):
    server.rules(says('Sure! ["food market", "Food Market", "food", "__import__(\'os\')", 7, "harbour"]'))
    path = suite(find_keywords={"by": "model", "config": "tiny", "runs": 3, "limit": 3})
    result = invoke(scrape, data, path)
    assert result.exit_code == 0, result.output
    assert len(server.prompts()) == 3
    found = query("select keyword, score, found_by from keywords order by keyword")
    names = ["__import__('os')", "food", "harbour"]
    assert found == [(name, 3.0, "model") for name in names]
    assert query("select count(*) from sentences where keyword = 'food'") == [(1,)]


def test_keywords_near_the_concept(data, suite, query, monkeypatch):
    class Near(Embedder):
        def embed(self, texts):
            import numpy as np

            return np.array([[1.0, float(len(text) == 7)] for text in texts], dtype=np.float32)

    monkeypatch.setattr(keyword_search, "load_scorer", lambda *_: Near())
    result = invoke(scrape, data, suite(find_keywords={"by": "embeddings", "limit": 2}))
    assert result.exit_code == 0, result.output
    assert query("select count(*), bool_and(found_by = 'embeddings') from keywords") == [(2, True)]


QUESTION = "What do visitors of Freelandia praise?"


def test_questions_are_prompts_with_their_sentence_as_baseline(data, suite, server, query):
    server.rules(says(QUESTION))
    path = suite(method="question", questions={"config": "tiny"})
    invoke(scrape, data, path)
    result = invoke(assemble, data, path)
    assert result.exit_code == 0, result.output
    invoke(assemble, data, path)
    assert len(server.prompts()) == 1
    assert query(
        "select p.prompt, p.method, t.text from prompts as p inner join texts as t "
        "on p.baseline_text_key = t.text_key"
    ) == [(QUESTION, "question", SENTENCE)]


def test_a_question_asked_twice_is_one_prompt_and_paid_for_twice(data, suite, server, query):
    server.rules(says(QUESTION))
    path = suite(method="question", questions={"config": "tiny"}, cap=2)
    (path.parent / "a.txt").write_text(
        "\n".join(SENTENCE.replace("Most", word) for word in ("Most", "Few", "All"))
    )
    invoke(scrape, data, path)
    result = invoke(assemble, data, path)
    assert "LAND: 1 dropped: same prompt as another" in result.output
    assert len(server.prompts()) == 2
    assert query("select count(*) from prompts") == [(1,)]


def test_a_reply_that_is_no_question_is_asked_for_anew(data, suite, server, query):
    server.rules(says("Visitors praise it.") | {"times": 2}, says(QUESTION))
    path = suite(method="question", questions={"config": "tiny", "retries": 2})
    invoke(scrape, data, path)
    assert invoke(assemble, data, path).exit_code == 0
    assert len(server.prompts()) == 3
    assert query("select count(*) from prompts") == [(1,)]


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ([says("NONE")], "no question"),
        ([says("What do visitors praise?")], "concept not named"),
        ([says("No idea.")], "not a question"),
        ([says("No, it does not.", "Does the sentence answer"), says(QUESTION)], "check failed"),
    ],
)
def test_no_question_is_dropped_with_its_reason(data, suite, server, rules, reason):
    server.rules(*rules)
    path = suite(method="question", questions={"config": "tiny", "check": True})
    invoke(scrape, data, path)
    result = invoke(assemble, data, path)
    assert f"1 dropped: {reason}" in result.output


def test_a_dry_run_asks_nothing(data, suite, server):
    path = suite(method="question", questions={"config": "tiny"})
    invoke(scrape, data, path)
    assert "not asked yet" in invoke(assemble, data, path, "--dry-run").output
    assert server.prompts() == []


def test_an_unknown_config_is_named(data, suite):
    path = suite(method="question", questions={"config": "huge"})
    invoke(scrape, data, path)
    result = invoke(assemble, data, path)
    assert result.exit_code == 1
    assert "It has: tiny" in result.output


def test_a_proposed_table_waits_for_approval(data, suite, server, tmp_path):
    server.rules(says(json.dumps({"Freelandia": "France", "Freelandian": "French", "other": "x"})))
    path = suite()
    table = path.parent / "lands.csv"
    result = invoke(branch, data, path, "--propose", str(table), "--config", "tiny")
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["target"], row["from"], row["to"], row["approved"]) for row in rows] == [
        ("France", "Freelandia", "France", "no"),
        ("France", "Freelandian", "French", "no"),
    ]
    invoke(scrape, data, path)
    invoke(assemble, data, path)
    assert "not approved" in invoke(branch, data, path).output
    table.write_text(table.read_text().replace(",no", ",yes"))
    assert "1 branches (1 new)" in invoke(branch, data, path).output
    again = invoke(branch, data, path, "--propose", str(table), "--config", "tiny")
    assert again.exit_code == 1
    assert "there already" in again.output


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('["a", "b"]', ["a", "b"]),
        ('```json\n["a"]\n``` and more ]', ["a"]),
        ("no list", []),
        ("[1, null, {}]", []),
        ("[" * 100_000, []),
        ('["' + "x" * 500 + '"]', []),
        ('["a\\u0000b"]', []),
        ('{"a": "b"}', []),
    ],
)
def test_answers_are_only_read(answer, found):
    assert parse_answer(answer) == found


def test_objects_are_only_read():
    assert parse_object('so: {"a": "b", "c": 1, "d": ["e"]}') == {"a": "b"}
    assert parse_object("[1]") == {}


def test_candidates_and_the_nearest():
    phrases = candidates(["The Port Free lies in Freelandia. A river, a river and the Port Free."], 10)
    assert "Port Free" in phrases
    assert "the" not in [phrase.casefold() for phrase in phrases]
    import numpy as np

    vectors = {"x": [1, 0], "near": [1, 0.1], "far": [0, 1], "zero": [0, 0]}
    found = nearest("x", ["far", "zero", "near"], lambda t: np.array([vectors[w] for w in t], "float32"), 2)
    assert [phrase for phrase, _ in found] == ["near", "far"]
    assert nearest("x", [], lambda _: None, 2) == []


def test_a_longer_keyword_that_holds_a_shorter_one_goes():
    assert without_contained([("food market", 2.0), ("food", 1.0), ("seafood", 1.0)]) == [
        ("food", 1.0),
        ("seafood", 1.0),
    ]


def test_angles_change_from_run_to_run():
    assert len({instruction("Peru", run) for run in range(6)}) == 6
    assert usable("  Port   Free. ") == "Port Free"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no_question"),
        ("none.", "no_question"),
        ("x" * 500 + "?", "not_a_question"),
        ("What of France?", "concept_not_named"),
    ],
)
def test_what_is_no_question(answer, reason):
    assert read_question(answer, ["Freelandia"]) == (None, reason)


@pytest.mark.parametrize(
    ("question", "word"), [("新加坡是一个国家吗？", "新加坡"), ("Is Que\u0301bec big?", "Qu\u00e9bec")]
)
def test_a_concept_is_named_in_every_script_and_however_its_accent_was_typed(question, word):
    assert read_question(question, [word]) == (question, "")


def test_quotes_around_a_question_go():
    assert read_question("“Is Freelandia big?”\nBecause …", ["Freelandia"])[0] == "Is Freelandia big?"
