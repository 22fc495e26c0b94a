"""The story, the word list and the workbench, as a reader uses them."""

import csv
import json
from pathlib import Path

import duckdb
import pytest
from hostile import PAYLOAD
from in_browser import REPORTS, in_browser

from ingest.paths import PROJECT

QUESTIONS = json.loads((REPORTS / "components" / "pages" / "questions.json").read_text("utf-8"))
HOSTILE = "<img src=x onerror=alert(1)>"
MOST_WORDS = 20


@pytest.fixture(scope="module")
def seen(site: Path) -> dict:
    return in_browser("tests/depths.mjs", site, PAYLOAD)


def rows(tables: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(tables), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def as_one(text: str) -> str:
    return " ".join(text.split())


def test_nothing_goes_wrong_on_the_way(seen):
    assert seen["problems"] == []


def test_the_story_tells_the_gravest_finding_and_fits_two_sheets(seen, tables):
    story = seen["story"]
    assert story["nSheets"] == 2
    configs = rows(tables, "select suite, config, is_simulated from rpt_configs")
    told = {
        (suite, config): (rank, high, low)
        for suite, config, rank, high, low in rows(
            tables,
            "select suite, config, verdict_rank, group_high, group_low from rpt_verdicts"
            " where telling_rank = 1 and is_gate_profile and not is_control and measure_kind is not null",
        )
    }
    real = [one for one in configs if not one[2]] or configs
    gravest = min(told[suite, config][0] for suite, config, _ in real if (suite, config) in told)
    assert any(
        as_one(f"{told[suite, config][1]} ") in as_one(story["drawn"])
        and as_one(told[suite, config][2]) in as_one(story["drawn"])
        for suite, config, _ in real
        if told.get((suite, config), (None,))[0] == gravest
    )
    if all(is_simulated for _, _, is_simulated in configs):
        assert "No model was asked" in story["text"] and "simulated" in story["title"]
    assert len(story["answers"]) == 2


def test_what_may_be_written_is_what_the_tables_say(seen, tables):
    claims = {kind: set() for kind in ("may", "may_not")}
    for kind, sentence, because in rows(tables, "select kind, sentence, because from rpt_story_claims"):
        claims[kind].add(as_one(sentence if kind == "may" else f"{sentence} {because}"))
    assert seen["story"]["may"] and {as_one(one) for one in seen["story"]["may"]} <= claims["may"]
    shown = {as_one(one) for one in seen["story"]["mayNot"]}
    assert shown and shown <= claims["may_not"]


def test_the_citation_names_the_audit(seen, tables):
    ((fingerprint,),) = rows(tables, "select fingerprint from rpt_builds")
    assert fingerprint in seen["story"]["citation"]


def test_a_term_is_explained_to_the_pointer_and_to_the_keyboard(seen):
    terms = seen["terms"]
    for way in ("byKey", "byPointer"):
        assert as_one(terms[way]) == f"{terms['term']} {terms['described']}"
    assert terms["isHidden"]


def test_each_term_is_explained_in_few_words():
    with (PROJECT / "seeds" / "terms.csv").open(encoding="utf-8", newline="") as file:
        meanings = [row["meaning"] for row in csv.DictReader(file)]
    assert meanings and [one for one in meanings if len(one.split()) > MOST_WORDS] == []


def test_the_ten_questions_are_answered_from_the_published_files(seen, site):
    answers = seen["workbench"]["answers"]
    assert len(QUESTIONS) == len(answers) == 10
    with duckdb.connect() as connection:
        for file in (site / "downloads").glob("*.parquet"):
            connection.execute(f"create view {file.stem} as from read_parquet('{file}')")
        for question, answer in zip(QUESTIONS, answers, strict=True):
            found = connection.execute(question["sql"])
            names, n = [column[0] for column in found.description], len(found.fetchall())
            assert not answer["wrong"], answer
            assert answer["nRows"] == min(n, 500), answer
            assert answer["head"] == (names if n else []), answer
            assert n or answer["count"].startswith("No rows."), answer
    assert any(answer["nBars"] for answer in answers)


def test_what_a_query_gives_stays_text_and_within_the_limit(seen):
    hostile = seen["workbench"]["hostile"]
    assert hostile["cells"] == [HOSTILE, "1"] and hostile["head"] == ["<b>x</b>", "n"]
    assert hostile["nInjected"] == 0
    assert seen["workbench"]["many"]["nRows"] == 500
    assert "there are more" in seen["workbench"]["many"]["count"]
    wrong = seen["workbench"]["wrong"]
    assert "Error" in wrong["wrong"] and wrong["nInjected"] == 0


def test_a_link_keeps_the_query_and_runs_nothing(seen):
    assert "onerror" in seen["workbench"]["url"].split("#sql=")[1]
    assert seen["link"]["before"] == {"sql": "select 6 * 7 as n", "nAnswers": 0}
    assert seen["link"]["after"]["cells"] == ["42"]


def test_a_query_reaches_no_other_host(seen):
    assert seen["elsewhere"]["wrong"] and seen["elsewhere"]["reached"] == []
