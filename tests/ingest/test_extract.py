import json
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from extract_world import ANCHOR, Fake, Length, World, score_rule
from places import ROOT
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from ingest.errors import PlumblineError
from ingest.measuring import pages
from ingest.measuring.texts import STATUSES
from ingest.scorers import MAX_CHARACTERS, Embedder, Scorer, load_scorer, scorer_row
from ingest.scorers.minilm import MiniLM
from ingest.scorers.vader import Vader
from ingest.store import RAW_NAME, Store


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


@pytest.fixture
def length(world):
    world.scorers["length"] = Length()
    return world.scorers["length"]


def test_variants_are_made_where_they_are_needed(world, length):
    world.suite(decision=score_rule("without_decision"))
    world.respond(['"Red."'])
    world.respond(["Yes, good."], category="decision")
    world.extract()
    variants = world.rows("""
        select raw.text, text_variant, variant.text, variant.n_characters from text_variants as v
        join texts as raw using (text_key) join texts as variant on variant.text_key = v.variant_text_key""")
    assert set(variants) == {
        ('"Red."', "clean", "red", 3),
        ("Yes, good.", "clean", "yes, good", 9),
        ("Yes, good.", "without_decision", ", good", 6),
    }
    assert world.measured() == {"red": (3, "ok"), "yes, good": (9, "ok"), ", good": (6, "ok")}


def test_a_rule_on_the_raw_text_measures_the_raw_text(world, length):
    world.suite(scorer="vader", open=score_rule("raw"))
    world.respond(["Red."])
    world.extract("--scorer", "length")
    assert world.measured() == {"Red.": (4, "ok")}


def test_a_text_that_occurs_often_is_measured_once(world, length):
    world.respond(["Good."] * 700 + [" good"] * 300)
    result = world.extract()
    assert length.seen == ["good"]
    assert result.stdout == "length: 1 texts measured, 0 already there.\n"


def test_running_again_adds_nothing(world, length):
    world.respond([f"text {i}" for i in range(10)])
    world.extract()
    before = world.measured()
    result = world.extract()
    assert result.stdout == "length: 0 texts measured, 10 already there.\n"
    assert len(length.seen) == 10
    assert world.measured() == before
    assert world.rows("select count(*) from scorers where scorer <> 'language'") == [(1,)]


def test_an_interrupted_run_goes_on_where_it_stopped(world, length):
    texts = [f"text {i}" for i in range(19)]
    world.respond(texts)

    def interrupt(text):
        if len(length.seen) == 8:
            raise KeyboardInterrupt

    length.refuse = interrupt
    world.extract(exit_code=1)
    assert len(world.measured()) == 8
    length.refuse = lambda text: None
    result = world.extract()
    assert result.stdout == "length: 11 texts measured, 8 already there.\n"
    assert sorted(length.seen) == sorted(texts)
    assert set(world.measured()) == set(texts)
    assert world.rows("select run_status from runs order by started_at") == [("interrupted",), ("ok",)]


def test_ctrl_c_waits_for_the_end_of_a_transaction(world, length, monkeypatch):
    world.respond([f"text {i}" for i in range(9)])
    append = Store.append_arrow

    def interrupted(store, table, batch):
        if table == "measurements":
            signal.raise_signal(signal.SIGINT)
        return append(store, table, batch)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append_arrow", interrupted)
        assert world.extract(exit_code=1).output.endswith("Aborted!\n")
    # The batch under way is in, whole; nothing after it.
    assert world.rows("select count(*) from measurements") == [(4,)]
    assert world.rows("select run_status from runs") == [("interrupted",)]
    world.extract()
    assert world.rows("select count(*), count(distinct text_key) from measurements") == [(9, 9)]


KILLED = """
import os, sys, time
from pathlib import Path
sys.path[:0] = sys.argv[3:]
import ingest.extract, ingest.suite.lookups
from extract_world import Length
from ingest.plugins import Offer

def wait(text):
    if len(scorer.seen) == 8:
        print("two batches", flush=True)
        time.sleep(60)

scorer = Length(wait)
ingest.extract.load_scorer = lambda name, folder: scorer
ingest.suite.lookups.offers = lambda kind: {"length": [Offer("test", None)]}
ingest.extract.command(["--suite", sys.argv[2]], obj=Path(sys.argv[1]))
"""


def test_a_killed_run_loses_at_most_one_batch(world, length):
    texts = [f"text {i}" for i in range(19)]
    world.respond(texts)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, world.data, world.path, str(ROOT / "tests" / "helpers"), str(ROOT)],
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout.readline() == b"two batches\n"
    finally:
        process.kill()
        process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    with Store(world.data) as store:  # replays the log that the process left
        assert store.value("select count(*) from measurements") == 8
    result = world.extract()
    assert result.stdout == "length: 11 texts measured, 8 already there.\n"
    assert set(world.measured()) == set(texts)


def test_a_text_that_the_scorer_fails_on_is_a_failure_and_the_rest_goes_on(world, length):
    def refuse(text):
        if text.startswith("bad"):
            raise ValueError("no number")
        return {"nan": np.nan, "inf": np.inf, "low": -1.0, "high": 2e6}.get(text)

    length.refuse = refuse
    bad = ["bad 1", "bad 2", "nan", "inf", "low", "high"]
    world.respond(["fine", *bad, "well"])
    result = world.extract()
    expected = {"fine": (4, "ok"), "well": (4, "ok"), **dict.fromkeys(bad, (None, "failed"))}
    assert world.measured() == expected
    assert "8 texts measured (of these 6 failed)" in result.stdout
    # Whichever text comes first by its key.
    told = ("ValueError: no number\n", "length is 2e+06, outside its range from 0 to 1e+06\n")
    assert result.stderr.endswith(tuple(f"length failed on 6; first: {one}" for one in told))

    length.refuse = lambda text: None
    length.seen.clear()
    result = world.extract()
    assert sorted(length.seen) == sorted(bad)
    assert world.measured()["bad 1"] == (5, "ok")
    assert len(world.measured()) == 8


def test_a_mistake_in_a_scorer_is_not_a_failed_text(world, length):
    world.respond(["text"])
    length.score = lambda texts: {"width": np.zeros(len(texts))}
    said = world.extract(exit_code=1).stderr
    assert "The scorer 'length' failed: TypeError: length did not return one number a text" in said
    assert world.measured() == {}
    assert world.rows("select run_status from runs") == [("failed",)]


def test_long_texts_are_capped_and_empty_ones_are_no_zero(world, length):
    longest = "é" * MAX_CHARACTERS
    world.respond(["x" * 100_000, longest, longest + "é", '"."', "  "])
    world.extract()
    assert world.measured() == {
        "x" * 100_000: (MAX_CHARACTERS, "capped"),
        longest: (MAX_CHARACTERS, "ok"),
        longest + "é": (MAX_CHARACTERS, "capped"),
        "": (None, "empty"),
    }
    assert {status for _, status in world.measured().values()} < set(STATUSES)


def test_vader_measures_any_text(world):
    world.suite(scorer="vader")
    texts = [
        "A great, kind nurse!",
        "😂" * 50,
        "工程师很好",
        "พยาบาล",
        "\u202eevil\u200b",
        "good " * 20_000,
        '"."',
    ]
    world.respond(texts)
    world.extract()
    rows = world.rows(
        "select text, feature, value, measurement_status from measurements join texts using (text_key)"
    )
    assert len(rows) == 4 * len(texts)
    analyzer = SentimentIntensityAnalyzer()
    for text, feature, value, status in rows:
        if status == "empty":
            assert (text, value) == ("", None)
        elif text in ("工程师很好", "พยาบาล"):
            assert (status, value) == ("unsupported_language", None)
        else:
            assert status == ("capped" if len(text) > MAX_CHARACTERS else "ok")
            assert value == analyzer.polarity_scores(text[:MAX_CHARACTERS])[feature.removeprefix("vader_")]


def test_a_text_in_a_language_that_a_scorer_does_not_read_has_no_number(world):
    world.suite(scorer="vader")
    world.respond(["sangat buruk dan malas", "very bad and lazy", "Tan Wei Ming", "sangat baik dan rajin"])
    result = world.extract()
    assert "4 texts measured (of these 2 unsupported language), 0 already there" in result.stdout
    found = dict(
        world.rows(
            "select text, list(distinct measurement_status || ' ' || (value is null))"
            " from measurements join texts using (text_key) group by text"
        )
    )
    assert found == {
        "sangat buruk dan malas": ["unsupported_language true"],
        "sangat baik dan rajin": ["unsupported_language true"],
        "very bad and lazy": ["ok false"],
        "tan wei ming": ["ok false"],
    }
    assert "0 texts measured, 4 already there" in world.extract().stdout
    parameters = world.rows("select parameters from scorers where scorer = 'vader'")
    assert json.loads(parameters[0][0])["languages"] == ["en"]


def test_a_suite_whose_language_its_scorer_does_not_read_is_refused(world):
    world.suite(scorer="vader")
    world.path.write_text(world.path.read_text("utf-8") + "language: ms\n", "utf-8")
    result = world.extract(exit_code=1)
    assert "the scorer 'vader' reads en, and the suite is in ms. Name sentiment" in result.stderr


def test_only_finished_responses_of_the_suite_are_measured(world, length):
    world.respond(["refusal"], status="refused")
    world.respond(["other"], suite="other")
    result = world.extract()
    assert length.seen == []
    assert "no response with the status `ok`" in result.stderr
    world.respond(["answer"])
    world.extract()
    assert length.seen == ["answer"]


def test_baselines_are_measured_like_responses(world, length):
    world.respond(["Answer."], baseline="Neutral.")
    world.extract()
    assert set(world.measured()) == {"answer", "neutral"}


def test_pages_cover_every_text(world, length, monkeypatch):
    monkeypatch.setattr(pages, "PAGE_CHARACTERS", 500)
    texts = [f"Text {i} " + "x" * (i * 37 % 900) for i in range(41)]
    world.respond(texts)
    world.extract()
    assert sorted(length.seen) == sorted(text.lower().strip() for text in texts)


def test_vectors_of_texts_and_of_anchor_phrases(world):
    world.scorers["fake"] = Fake()
    world.suite(scorer="fake", open=ANCHOR)
    world.respond(["One two.", "bad", '"."'])
    result = world.extract()
    assert world.measured("embeddings", "vector") == {
        "one two": ([7, 2], "ok"),
        "bad": (None, "failed"),
        "": (None, "empty"),
        "First Anchor": ([12, 2], "ok"),
        "second": ([6, 1], "ok"),
        "third": ([5, 1], "ok"),
    }
    assert "first: RuntimeError: not this one" in result.stderr
    phrases = "unnest(definition ->> '$.categories.*.outcomes[*].phrases[*].text_key')"
    assert world.rows(
        f"select count(*) from (select {phrases} as text_key from suites) inner join texts using (text_key)"
    ) == [(3,)]


def test_a_suite_without_answers_still_embeds_its_anchors(world):
    world.scorers["fake"] = Fake()
    world.suite(scorer="vader", open=ANCHOR)
    world.respond([])
    world.extract()
    assert set(world.measured("embeddings", "vector")) == {"First Anchor", "second", "third"}


def test_dry_run_says_what_is_missing_and_writes_nothing(world, length):
    world.extract("--dry-run", exit_code=1)  # there is no database
    assert not (world.data / RAW_NAME).exists()
    world.respond(["One", "two", "three"])
    assert world.extract("--dry-run").stdout == "length: up to 3 texts to measure.\n"
    assert world.rows("select count(*) from runs") == [(0,)]
    world.extract("--limit", "1")
    assert world.extract("--dry-run").stdout == "length: 2 texts to measure.\n"
    assert len(length.seen) == 1


def test_limit_counts_the_texts_of_all_scorers(world, length):
    world.suite(scorer="length, vader")
    world.respond(["one", "two", "three"])
    world.extract("--limit", "4")
    assert world.rows("""
        select scorer, count(distinct text_key) from measurements join scorers using (scorer_key)
        group by all order by all""") == [("length", 3), ("vader", 1)]


def test_a_run_records_which_scorers_it_used(world, length):
    world.respond(["one"])
    world.extract()
    keys = world.rows(
        "select detail ->> '$.suite', detail ->> '$.scorers.length' from runs where run_status = 'ok'"
    )
    assert keys == [("tiny", scorer_row(length)["scorer_key"])]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"scorer": "nosuch"}, "no scorer 'nosuch'"),
        ({"open": score_rule(feature="width")}, "the feature 'width'.*gives only length"),
        ({"open": score_rule(scorer="fake")}, "the feature 'length'.*gives vectors"),
        ({"open": ANCHOR.replace("fake", "length")}, "needs vectors.*gives only length"),
    ],
)
def test_scorers_that_do_not_fit_the_suite(world, length, parts, message):
    world.scorers["fake"] = Fake()
    world.suite(**parts)
    result = world.extract(exit_code=1)
    assert re.search(message, result.stderr), result.stderr


@pytest.mark.parametrize("part", ["name", "model", "revision", "version", "parameters"])
def test_everything_that_identifies_a_scorer_is_in_its_key(part):
    scorer = Length()
    before = scorer_row(scorer)["scorer_key"]
    assert scorer_row(Length())["scorer_key"] == before
    setattr(scorer, part, {"n": 1} if part == "parameters" else "other")
    assert scorer_row(scorer)["scorer_key"] != before


def test_the_cap_is_in_the_key(monkeypatch):
    before = scorer_row(Length())["scorer_key"]
    monkeypatch.setattr("ingest.scorers.MAX_CHARACTERS", 100)
    assert scorer_row(Length())["scorer_key"] != before


def test_vader_is_identified_by_its_lexicon():
    vader = load_scorer("vader")
    assert isinstance(vader, Scorer)
    assert not isinstance(vader, Embedder)
    assert vader.version == "3.3.2"
    assert vader.revision == Vader().revision
    assert vader.revision.startswith("sha256:")


def test_minilm_is_identified_by_its_encoder():
    class Encoder:
        name, revision, version, dimensions = "a/model", "abc", "numpy-9", 3

        def encode(self, texts, batch_size=32):
            return np.ones((len(texts), 3), dtype=np.float32)

    embedder = MiniLM(Encoder())
    assert isinstance(embedder, Embedder)
    assert not isinstance(embedder, Scorer)
    row = scorer_row(embedder)
    assert (row["scorer"], row["model"], row["revision"], row["version"]) == (
        "minilm",
        "a/model",
        "abc",
        "numpy-9",
    )
    assert embedder.embed(["a", "b"]).shape == (2, 3)


def test_an_unknown_scorer_names_the_known_ones():
    with pytest.raises(PlumblineError, match=r"minilm, .*sentiment, .*vader"):
        load_scorer("nosuch")
