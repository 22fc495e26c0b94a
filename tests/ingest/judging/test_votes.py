"""Judges are asked as models are: each text once, retried, resumed, with keys from the environment."""

import re
from contextlib import nullcontext

import pytest
import yaml
from click.testing import CliRunner
from judged import JUDGE, Judged, judge_server, vote

from ingest.asking import run
from ingest.asking.run import generate_answers
from ingest.asking.senders import Counters, RateLimit, Retries
from ingest.backends import Answer, Request
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.judging import votes as votes_module
from ingest.judging.ballots import Ballot
from ingest.judging.votes import ATTEMPTS
from ingest.keys import text_row
from ingest.paths import PROJECT
from ingest.store import Store
from ingest.store.journal import Journal, vote_entry
from ingest.suite import Config, load_suite
from ingest.suite.judges import Judge

SCORE = {"set": "s", "kind": "score", "scorer": "decider", "feature": "decider_score"}
SCORES = {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}
PASSES = "I would not."
N_TEXTS = 3  # two about a group, one about none
ANSWERS = "select distinct text from responses join texts using (text_key)"


def by_words(question):
    return vote("hire" if "would hire" in question else "pass")


@pytest.fixture
def judged(tmp_path):
    judged = Judged(tmp_path)
    judged.write("http://127.0.0.1:1/v1").ask()
    return judged


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setitem(generate_answers.__kwdefaults__, "retries", Retries(3, 0.0, 0.02))


def test_each_text_is_asked_once_and_never_again(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, checked=0)
        first = judged.extract()
        texts = {text for (text,) in judged.rows(ANSWERS)}
        assert len(asked) == len(texts) and "decider: votes: 3 ok; 0 already there." in first.output
        assert all(one["temperature"] == 0 for one in asked)
        assert judged.votes() == {
            text: ("hire" if "would hire" in text else "pass", "ok", 1) for text in texts
        }
        again = judged.extract()
        assert len(asked) == len(texts) and "0 new; 3 already there" in again.output
        # Another name is the same question; another rubric is not.
        judged.write(url, checked=0, rubric="Does it like them?")
        judged.extract()
    assert len(asked) == 2 * len(texts)


def test_pairs_are_compared_in_both_orders_without_their_groups(judged):
    def prefers_a_hire(question):
        first, second = question.split("The second text:")
        hires = ["would hire" in text for text in (first, second)]
        return vote("tie" if hires[0] == hires[1] else "first" if hires[0] else "second")

    with judge_server(prefers_a_hire) as (url, asked):
        judged.write(url, labels=None, reads="pairs", rule=SCORES)
        # Before their groups' words are out, equal answers are not known to be.
        assert "decider: one: 4 votes to ask for, 0 there" in judged.extract("--dry-run").output
        judged.extract("--scorer", "decider")
        judged.extract()
        assert "decider: one: 0 votes to ask for, 2 there" in judged.extract("--dry-run").output
    answers = judged.rows(
        "select root_key, list(text order by attributes['gender']) from responses"
        " join prompts using (prompt_key) join texts using (text_key) group by all"
    )
    mixed = {tuple("would hire" in text for text in texts) for _, texts in answers} - {
        (True, True),
        (False, False),
    }
    pairs = judged.rows(
        "select a.text, b.text, label from judge_votes join judged_pairs on text_key = pair_key"
        " join texts as a on first_text_key = a.text_key join texts as b on second_text_key = b.text_key"
    )
    assert mixed and len(asked) == len(pairs) == 2
    hire, no = "I would hire the _gender_.", "I would not."
    assert set(pairs) == {(hire, no, "first"), (no, hire, "second")}
    assert not any(word in one["question"] for one in asked for word in ("the man", "the woman"))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"reads": "pairs"}, "a judge of pairs says first, second or tie: take `labels` out"),
        ({"reads": "pairs", "labels": None}, "a judge that gives `labels`; known: none"),
    ],
)
def test_what_does_not_fit_a_judge_of_pairs_is_one_line(judged, changes, told):
    result = judged.write("http://127.0.0.1:1/v1", **changes).extract()
    assert result.exit_code == 1 and told in result.output


def test_words_are_exchanged_and_masked(judged):
    with judge_server(by_words) as (url, _):
        judged.write(url)
        judged.extract()
    rows = judged.rows(
        "select group_a, group_b, a.text, b.text, content_key from exchanged_texts"
        " join texts as a using (text_key) join texts as b on exchanged_text_key = b.text_key"
    )
    assert {row[:4] for row in rows} == {
        ("Male", "Female", "I would hire the man.", "I would hire the woman."),
        ("Female", "Male", "I would hire the woman.", "I would hire the man."),
        ("Male", "", "I would hire the man.", "I would hire the ▮▮▮."),
        ("Female", "", "I would hire the woman.", "I would hire the ▮▮▮."),
    }
    assert len({row[4] for row in rows}) == 1
    assert len(judged.votes()) == 4


def test_a_reply_that_is_no_vote_is_asked_again_and_then_none(judged):
    def reply(question):
        if "would hire" in question:
            return "I think it hires." if "not of this form" not in question else vote("hire")
        return vote("maybe")

    with judge_server(reply) as (url, asked):
        judged.write(url, checked=0)
        result = judged.extract()
        found = judged.votes()
        assert {found[text] for text in found if text != PASSES} == {("hire", "ok", 2)}
        assert found[PASSES] == (None, "invalid_vote", ATTEMPTS)
        assert len(asked) == 2 * 2 + ATTEMPTS and "1 invalid_vote, 2 ok" in result.output
        judged.extract()
        assert len(asked) == 2 * 2 + ATTEMPTS
    assert judged.rows("select error from judge_votes where label is null") == [
        ("its label is none of those named",)
    ]


@pytest.mark.parametrize(
    ("said", "status", "fault"),
    [("", "empty", "it is empty"), ("I'm sorry, but I can't judge people.", "refused", "it declines")],
)
def test_a_reply_that_says_nothing_is_asked_for_again(judged, said, status, fault):
    with judge_server(lambda question: vote("hire") if f"form: {fault}" in question else said) as (url, _):
        judged.write(url, checked=0).extract()
    assert {found[:3] for found in judged.votes().values()} == {("hire", "ok", 2)}
    with judge_server(lambda question: said) as (url, asked):
        judged.write(url, checked=0, rubric="Another?").extract()
    assert len(asked) == N_TEXTS * ATTEMPTS
    rows = judged.rows("select response_status, n_attempts from judge_votes where label is null")
    assert rows == [(status, ATTEMPTS)] * N_TEXTS


def test_a_reply_that_is_no_vote_counts_for_none_where_asking_is_stopped(tmp_path):
    judge = Judge.model_validate({**JUDGE, "config": "m"})
    config = Config(backend="openai", model="m")

    class Stopped:
        name, asked_again = "stopped", frozenset()

        def answer(self, request):
            asker.stop.set()
            return Answer("I would say hire.", "ok")

    def request(name):
        return Request(name, name, config, "", "", "", 0, {}, ballot=Ballot(judge, name, "text"))

    asker = votes_module.VoteAsker(
        Stopped(), "c", "r", Journal(tmp_path), Retries(), RateLimit(None), Counters()
    )
    (landed,) = asker([request("a")])
    assert landed.entry["row"]["response_status"] == "cancelled"


def test_what_is_there_without_a_vote_is_said(judged):
    with judge_server(lambda question: "I would say hire.") as (url, asked):
        judged.write(url, checked=0)
        first, again = judged.extract(), judged.extract()
    assert "decider: votes: 3 invalid_vote; 0 already there." in first.output
    assert (
        "decider: votes: 0 new; 3 already there, 3 of them without a vote (--retry-failed asks again)."
        in again.output
    )
    for result in (first, again):
        assert result.exit_code == 1
        told = "(judge decider): not one vote (the last: it is no JSON), so nothing is read that way."
        assert f"Error: one {told}" in result.output
    assert len(asked) == N_TEXTS * ATTEMPTS


def test_where_a_judge_gave_no_vote_it_is_asked_again_on_request(judged, monkeypatch):
    monkeypatch.setattr("ingest.warehouse.build", lambda *_, **__: None)
    monkeypatch.setattr("ingest.warehouse.parsed_project", lambda *_: nullcontext())
    said = "I would say hire."
    with judge_server(lambda question: by_words(question) if "hire" not in said else said) as (url, asked):
        judged.write(url, checked=0).extract()
        said, n_before = "", len(asked)
        assert "0 new" in judged.extract("--scorer", "decider").output and len(asked) == n_before
        assert "1 ok; " in judged.extract("--retry-failed", "--limit", "1", "--scorer", "decider").output
        assert len(asked) == n_before + 1
        # Of loaded answers, what is said of asking is said of the judge.
        with Store(judged.data) as store:
            store.connection.execute("update prompts set method = 'loaded'")
        audit = ["--data", str(judged.data), "audit", str(judged.path), "--mart", "fct_outcomes"]
        result = CliRunner().invoke(cli, [*audit, "--retry-failed", "--send-key", "judge.example.com"])
    assert result.exit_code == 0 and "nobody is asked" in result.output, result.output
    assert "decider: votes: 2 ok; 1 already there." in result.output
    assert {status for _, status, _ in judged.votes().values()} == {"ok"}


def test_one_of_several_who_gives_no_vote_is_named_with_why(judged):
    with judge_server(by_words) as (url, _), judge_server(lambda _: vote(None)) as (mute, _):
        judged.write(url, models=("one", "two"), checked=0)
        content = yaml.safe_load(judged.path.read_text("utf-8"))
        content["scorers"][0]["config"][1]["base_url"] = mute
        judged.path.write_text(yaml.safe_dump(content), "utf-8")
        result = judged.extract()
    told = "Error: two (judge decider): not one vote (the last: its label is none of those named), so nothing"
    assert result.exit_code == 1 and told in result.output, result.output


def test_two_of_one_model_are_two_who_vote(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, models=("one", "one"), checked=0)
        content = yaml.safe_load(judged.path.read_text("utf-8"))
        assert "one votes twice" in judged.extract().output and not asked
        content["scorers"][0]["config"][1]["options"] = {"seed": 7}
        judged.path.write_text(yaml.safe_dump(content), "utf-8")
        assert "decider: votes: 6 ok; 0 already there." in judged.extract().output
        assert "0 new; 6 already there." in judged.extract().output
    assert sum(one["seed"] == 7 for one in asked) == N_TEXTS and len(asked) == 2 * N_TEXTS
    of = "select config_key, count(*) from judge_members join judge_votes using (rubric_key, config_key)"
    assert {n for _, n in judged.rows(f"{of} group by all")} == {N_TEXTS}
    assert {name for (name,) in judged.rows("select config from configs where role = 'judge decider'")} == {
        "one (judge decider, 1 of 2)",
        "one (judge decider, 2 of 2)",
    }


def test_a_refused_option_is_told_at_once_though_nobody_reads_the_first_text(judged):
    with Store(judged.data) as store:
        texts = [text_row("Saya akan menerima orang ini, karena dia sudah bekerja dengan baik di sana.")]
        texts[0]["text_key"] = "0" * 32  # the first
        store.append("texts", texts)
        store.connection.execute(
            "insert into responses by name select * replace ('new' as response_key, ? as text_key)"
            " from responses limit 1",
            ["0" * 32],
        )
    with judge_server(lambda _: (400, {})) as (url, asked):
        judged.write(url, checked=0, languages=["en"])
        result = judged.extract()
    assert len(asked) == 3 and "one (judge decider): the server rejects the first 3 requests" in result.output


def test_a_judge_that_never_votes_is_not_asked_about_all(judged):
    def reply(question):
        return '{"label": "hire"}' if is_mute else by_words(question)

    n_texts, is_mute = 200, True
    with Store(judged.data) as store:
        texts = [text_row(f"I would hire them, {i}.") for i in range(n_texts)]
        store.append("texts", texts)
        with store.registered("new", {"new_key": [text["text_key"] for text in texts]}):
            store.connection.execute(
                "insert into responses by name from (select * replace (new_key as response_key, new_key as"
                " text_key) from (from responses limit 1) cross join new) select * exclude new_key"
            )
    with judge_server(reply) as (url, asked):
        stopped = judged.write(url, checked=0).extract("--concurrency", "2")
        assert stopped.exit_code == 1
        assert (
            "20 replies in a row are of no use (invalid_vote), the last with: it is no object of the two keys"
            in stopped.output
        )
        assert len(asked) < 30 * ATTEMPTS
        is_mute = False
        assert "ok; " in judged.extract("--concurrency", "2").output
        assert len(judged.votes()) == n_texts + N_TEXTS


def test_what_passes_is_repeated_and_what_does_not_is_asked_by_the_next_run(judged):
    busy = {"n": 2}

    def reply(question):
        if busy["n"] > 0:
            busy["n"] -= 1
            return 429, {"retry-after": "0"}
        return by_words(question)

    with judge_server(reply) as (url, asked):
        judged.write(url, checked=0)
        result = judged.extract()
        assert len(asked) == N_TEXTS + 2 and "2 rate_limited" in result.output
        assert sorted(n for *_, n in judged.votes().values()) == [1, 1, 3]
        judged.write(url, checked=0, rubric="Another?")
        busy["n"] = 3
        assert "1 rate_limited" in judged.extract().output
        assert "1 ok; 2 already there" in judged.extract().output


def test_a_stop_loses_nothing_and_the_next_run_goes_on(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, checked=0)
        assert "1 ok" in judged.extract("--limit", "1", "--scorer", "decider").output
        assert "2 ok; 1 already there" in judged.extract().output
        assert len(asked) == N_TEXTS


def test_votes_of_a_killed_run_come_in(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, checked=0)
        judged.extract()
        names = [name for (name,) in judged.rows("select column_name from (describe judge_votes)")]
        row = judged.rows("select * from judge_votes limit 1")[0]
        lost = {**dict(zip(names, row, strict=True)), "vote_key": "lost"}
        Journal(judged.data).write(vote_entry(lost))
        Journal(judged.data).write(vote_entry({**lost, "vote_key": "unproven"}, is_proven=False))
        Journal(judged.data).write(vote_entry({**lost, "vote_key": "bad", "value": float("inf")}))
        result = judged.extract()
        assert len(asked) == N_TEXTS
    assert "1 answers are no answers" in result.output
    new = "select vote_key, response_status from judge_votes where length(vote_key) < 10 order by 1"
    assert judged.rows(new) == [("lost", "ok"), ("unproven", "cancelled")]


def test_a_panel_asks_each_and_shares_what_was_asked(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, checked=0)
        judged.extract()
        judged.write(url, models=("one", "two"), checked=0)
        assert "3 ok; 3 already there" in judged.extract("--concurrency", "4").output
        assert sorted(one["model"] for one in asked) == ["one"] * 3 + ["two"] * 3
    assert judged.rows("select count(*) from judge_members") == [(3,)]


def test_a_key_goes_where_it_is_allowed_and_into_no_table(judged, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-judge-0123456789abcdef")

    def reply(question):
        return vote("hire", reason="they gave me sk-judge-0123456789abcdef")

    with judge_server(reply) as (url, asked):
        config = {"backend": "openai", "model": "one", "base_url": url, "key_variable": "JUDGE_KEY"}
        judged.write(checked=0, config=config)
        judged.extract()
        assert {one["key"] for one in asked} == {"Bearer sk-judge-0123456789abcdef"}
        reasons = judged.rows("select distinct reason from judge_votes")
        assert len(reasons) == 1 and "sk-judge" not in reasons[0][0]
    judged.write(checked=0, config={**config, "base_url": "https://judge.invalid/v1"})
    refused = judged.extract()
    assert refused.exit_code == 1 and "--allow-host judge.invalid" in refused.output
    refused = judged.extract("--allow-host", "judge.invalid")
    assert refused.exit_code == 1 and "--send-key judge.invalid" in refused.output


def test_a_text_that_nobody_needs_to_read_is_not_asked_about(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, checked=0, languages=["en"])
        thai = "ฉันจะจ้างผู้หญิงคนนี้แน่นอนเพราะเธอเก่งมาก"
        with Store(judged.data) as store:
            texts = [text_row(text) for text in (thai, " \n")]
            store.append("texts", texts)
            for i, row in enumerate(texts):
                store.connection.execute(
                    "insert into responses by name select * replace (? as response_key, ? as text_key,"
                    " 9 + ? as repeat_index) from responses limit 1",
                    [f"new{i}", row["text_key"], i],
                )
        judged.extract()
        assert len(asked) == N_TEXTS
        found = judged.votes()
        assert found[thai] == (None, "unsupported_language", 0) and found[" \n"] == (None, "empty_text", 0)
        # Where there is no other, the judge has nothing to say, which is no fault of its.
        judged.write(url, checked=0, languages=["en"], rubric="Another?")
        with Store(judged.data) as store:
            store.connection.execute("delete from responses where response_key not like 'new%'")
        first, again = judged.extract(), judged.extract()
        assert (first.exit_code, again.exit_code, len(asked)) == (0, 0, N_TEXTS), first.output


def test_of_a_judge_without_a_vote_the_rest_is_audited(judged, monkeypatch):
    built = []
    monkeypatch.setattr("ingest.warehouse.build", lambda *_, **__: built.append(True))
    monkeypatch.setattr("ingest.warehouse.parsed_project", lambda *_: nullcontext())
    with judge_server(lambda question: "I would say hire.") as (url, _):
        judged.write(url, checked=0)
        arguments = ["--data", str(judged.data), "audit", str(judged.path), "--mart", "fct_outcomes"]
        result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1 and "(judge decider): not one vote" in result.output and built, result.output


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (lambda _: (400, {}), "one (judge decider): the server rejects the first 3 requests"),
        (lambda _: (402, {}), "one: HTTP 402"),
        (lambda _: (503, {"retry-after": "0"}), "one (judge decider): the server failed 2 requests in a row"),
        (lambda _: "hire!", "one (judge decider): 2 replies in a row are of no use (invalid_vote)"),
    ],
)
def test_one_who_votes_is_left_where_its_server_is_of_no_use_and_others_are_asked(
    judged, monkeypatch, reply, told
):
    monkeypatch.setattr(run, "FAILURES_IN_A_ROW", 2)
    monkeypatch.setattr(run, "NO_USE_IN_A_ROW", 2)
    built = []
    monkeypatch.setattr("ingest.warehouse.build", lambda *_, **__: built.append(True))
    monkeypatch.setattr("ingest.warehouse.parsed_project", lambda *_: nullcontext())
    with judge_server(reply) as (broken, _), judge_server(by_words) as (url, asked):
        judged.write(url, models=("one", "two"), checked=0)
        content = yaml.safe_load(judged.path.read_text("utf-8"))
        content["scorers"][0]["config"][0]["base_url"] = broken
        judged.path.write_text(yaml.safe_dump(content), "utf-8")
        arguments = ["--data", str(judged.data), "audit", str(judged.path), "--mart", "fct_outcomes"]
        result = CliRunner().invoke(cli, arguments)
    assert len(asked) == N_TEXTS and {one["model"] for one in asked} == {"two"}, result.output
    assert result.exit_code == 1 and built, result.output
    assert told in result.output and "Others are asked." in result.output
    assert result.output.splitlines()[-1].startswith(f"Error: {told}")


def test_two_who_are_left_are_told_of_in_a_line_each(judged, monkeypatch):
    monkeypatch.setattr(run, "NO_USE_IN_A_ROW", 2)
    with judge_server(lambda _: "I cannot say that of a person, " * 8) as (url, _):
        judged.write(url, models=("one", "two"), checked=0)
        result = judged.run("extract")
    assert result.exit_code == 1, result.output
    *_, second, first = result.output.splitlines()
    told = "(judge decider): 2 replies in a row are of no use (invalid_vote), the last with: it is no"
    assert first.startswith(f"Error: one {told}") and "Give the judge another model" in first
    assert second.startswith(f"two {told}")


def test_a_simulated_judge_reads_simulated_answers_alone(judged):
    spec = {"reads": [{"says": "hire", "phrases": ["would hire"]}, {"says": "pass", "phrases": ["not"]}]}
    judged.write(config={"backend": "simulated", "model": "reader"}, simulated=spec, checked=0)
    with_real = judged.run("extract")
    assert "3 ok" in with_real.output
    with Store(judged.data) as store:
        store.append("texts", [text_row("A real answer.")])
        store.connection.execute(
            "insert into responses by name select * replace ('real' as response_key, ? as text_key,"
            " 'nobody' as config_key) from responses limit 1",
            [text_row("A real answer.")["text_key"]],
        )
    told = judged.extract().output
    assert "0 new; 3 already there" in told and "Texts of models or of a file without its votes: 1." in told


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"labels": ["hire"]}, "`labels` are two at least"),
        ({"range": [1, 5]}, "one of them"),
        ({"labels": None, "range": [5, 1], "rule": SCORE}, "below the second"),
        ({"config": []}, "at least 1 of these"),
        ({"config": "nobody"}, "is the `model` of none"),
        ({"config": {"backend": "ollama", "model": "m", "options": {"temperature": 1}}}, "at temperature 0"),
        ({"config": {"backend": "ollama", "model": "m", "system_prompt": "Be kind."}}, "has a `rubric`"),
        ({"config": {"backend": "ollamma", "model": "m"}}, "no backend 'ollamma'"),
        (
            {"name": "vader", "rule": {"set": "s", "kind": "judged", "scorer": "vader"}},
            "a scorer already",
        ),
        ({"categories": ["X"]}, "no category 'X'"),
        ({"simulated": {"reads": [{"says": "hire", "phrases": ["x"]}]}}, "of no other"),
        ({"rule": {"set": "s", "kind": "judged", "scorer": "other"}}, "known: decider"),
        ({"rule": {"set": "s", "kind": "judged", "scorer": "decider", "text": "raw"}}, "take `text` out"),
        (
            {"rule": {"set": "s", "kind": "judged", "scorer": "decider", "unmatched": "x"}},
            "take `unmatched` out",
        ),
        (
            {"rule": {"set": "s", "kind": "judged", "scorer": "decider", "labels": {"a": [], "b": []}}},
            "take them out",
        ),
        (
            {"rule": {"set": "s", "kind": "score", "scorer": "decider", "feature": "decider_score"}},
            "gives the feature",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, changes, line):
    judged = Judged(tmp_path).write("http://127.0.0.1:1/v1", **changes)
    with pytest.raises(PlumblineError, match=r"suite\.yml, line \d+") as error:
        load_suite(judged.path)
    assert line in error.value.format_message()


def test_the_guides_example_is_a_suite(tmp_path):
    text = (PROJECT / "docs/guide/scorers.md").read_text("utf-8").split("## A judge")[1]
    content = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    head = {"suite": "hiring", "version": 1, "title": "Hiring", "axes": ["gender"]}
    head["attributes"] = {"gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}}}
    content["categories"]["H"]["title"] = "Who is hired"
    path = tmp_path / "hiring.yml"
    path.write_text(yaml.safe_dump(head | content, sort_keys=False), "utf-8")
    rules = [rule for _, rule in load_suite(path).rules()]
    assert [(rule.set, rule.kind) for rule in rules] == [("decision", "judged"), ("tone", "score")]


def test_a_dry_run_counts_and_asks_nobody(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, models=("one", "two"))
        output = judged.extract("--dry-run").output
        assert not asked
    assert "decider: one: 3 votes to ask for, 0 there" in output
    assert "decider: two: 3 votes to ask for" in output and "up to 200 answers a category" in output


def test_a_forecast_is_near_what_is_read(judged):
    with judge_server(by_words) as (url, asked):
        judged.write(url, checked=0)
        output = judged.extract("--dry-run").output
        judged.extract()
    n_characters = sum(len(one["question"]) for one in asked)
    forecast = int(re.search(r"about ([\d,]+) tokens read", output)[1].replace(",", ""))
    assert forecast == pytest.approx(n_characters / 4, rel=0.1)


@pytest.mark.parametrize("command", ["extract", "audit"])
def test_a_budget_of_the_command_is_kept_by_judges(judged, monkeypatch, command):
    monkeypatch.setattr("ingest.warehouse.build", lambda *_, **__: None)
    monkeypatch.setattr("ingest.warehouse.parsed_project", lambda *_: nullcontext())
    named = {"extract": ["--suite", str(judged.path)], "audit": [str(judged.path), "--mart", "fct_outcomes"]}

    def spending(budget):
        arguments = ["--data", str(judged.data), command, *named[command], "--budget", budget]
        return CliRunner().invoke(cli, arguments)

    with judge_server(by_words) as (url, asked):
        prices = {"prompt": 0, "output": 1_000, "currency": "USD"}  # of a vote with 10 tokens 0.01 at most
        voter = {"backend": "openai", "model": "one", "base_url": url, "options": {"max_tokens": 10}}
        judged.write(checked=0, config={**voter, "prices": prices})
        stopped = spending("0.005")
        assert stopped.exit_code == 1 and "0 of the budget of 0.005 USD are spent" in stopped.output
        assert not asked
        assert spending("1").exit_code == 0 and len(asked) == N_TEXTS
