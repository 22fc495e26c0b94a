"""Batches of OpenAI and Anthropic: sent once, taken up again, and what becomes of each request."""

import json
import sys
from datetime import timedelta

import pytest
import yaml
from asked import ASKED, KEY, N_PROMPTS, Case, keyed_case, said
from click.testing import CliRunner
from pydantic import ValidationError
from servers import loopback

from ingest.asking import senders
from ingest.asking.batches import Batcher
from ingest.asking.senders import Asker
from ingest.backends import AttemptFailed, create_backend
from ingest.cli import cli
from ingest.network import TooLarge, lines_of
from ingest.store import utc_now
from ingest.suite import Config, load_suite

pytestmark = pytest.mark.usefixtures("stays_open")

PRICES = {"prompt": 10.0, "output": 1_000.0, "batch": 0.5}
IN_BATCH = N_PROMPTS - 1  # the first request goes out alone, to see what the server refuses


@pytest.fixture(scope="module")
def running():
    with loopback("--slots", "4", "--key", KEY) as server:
        yield server


@pytest.fixture(params=["openai", "anthropic"])
def case(request, tmp_path, running, monkeypatch):
    return keyed_case(request.param, tmp_path, running, monkeypatch, batch=True)


@pytest.fixture
def openai(tmp_path, running, monkeypatch):
    return keyed_case("openai", tmp_path, running, monkeypatch, batch=True)


def batches(case):
    return case.rows("select batch_status, n_requests from batches order by sent_at")


def asked(case):
    """The prompts that the server was asked, in a batch or alone."""
    contents = (entry["content"] for entry in case.server.log())
    return [content["messages"][-1]["content"] for content in contents if content]


def killed(case, monkeypatch, method, *, after=0):
    """Ask, and end as a killed process does where a method of the batcher begins."""
    whole = getattr(Batcher, method)
    left = [after]

    def end(self, *arguments):
        if not left[0]:
            raise SystemExit
        left[0] -= 1
        return whole(self, *arguments)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(Batcher, method, end)
        case.ask()


def test_all_is_asked_once_and_each_answer_is_that_of_its_prompt(case, capsys):
    case.write(prices=PRICES)
    assert case.ask() == {"ok": N_PROMPTS}
    assert batches(case) == [("done", IN_BATCH)] and len(asked(case)) == N_PROMPTS
    answers = """
        select prompt, text, n_prompt_tokens, n_output_tokens, cost, seconds is null
        from responses join prompts using (prompt_key) join texts using (text_key)
    """
    n_alone = 0
    for prompt, text, n_read, n_written, cost, is_of_a_batch in case.rows(answers):
        assert text == prompt[::-1]
        share = 0.5 if is_of_a_batch else 1.0
        n_alone += not is_of_a_batch
        assert cost == pytest.approx(share * (10 * n_read + 1_000 * n_written) / 1e6, rel=1e-12)
    assert n_alone == 1
    assert f"of {IN_BATCH} requests was sent" in capsys.readouterr().err
    keys = {entry["x-api-key"] or entry["authorization"] for entry in case.server.log() if "path" in entry}
    assert keys == {KEY if case.backend == "anthropic" else f"Bearer {KEY}"}
    assert case.ask() == {}


@pytest.mark.parametrize("is_set_back", [False, True])
def test_what_a_killed_run_kept_of_a_batch_is_known(openai, monkeypatch, capsys, is_set_back):
    write, asked_for = Asker.write, []

    def write_some(self, request, answer, *more):
        asked_for.append(request)
        if len(asked_for) == 5:
            raise SystemExit
        if is_set_back:
            patch.setattr(senders, "utc_now", lambda: utc_now() - timedelta(hours=1))
        return write(self, request, answer, *more)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(Asker, "write", write_some)
        openai.ask()
    capsys.readouterr()
    assert openai.ask() == {"ok": IN_BATCH - 3}  # the first of five was alone, and the last was not kept
    is_asked_once(openai)
    assert "left out" not in capsys.readouterr().err


def test_status_says_that_a_batch_is_under_way(openai, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Batcher, "look", lambda self: sys.exit())
        openai.command()
    result = CliRunner().invoke(cli, ["--data", str(openai.data), "status"])
    assert f"tiny: {IN_BATCH} requests are in a batch of " in result.output
    openai.ask()
    result = CliRunner().invoke(cli, ["--data", str(openai.data), "status"])
    assert result.exit_code == 0 and "in a batch" not in result.output


@pytest.mark.parametrize(("method", "after"), [("look", 0), ("look", 1), ("_close", 0)])
def test_a_batch_of_a_killed_run_is_gone_on_with_and_nothing_is_asked_twice(
    openai, monkeypatch, method, after
):
    # Before the first look, before the second, with all answers here.
    killed(openai, monkeypatch, method, after=after)
    assert batches(openai) == [("open", IN_BATCH)]
    assert openai.ask() == ({} if method == "_close" else {"ok": IN_BATCH})
    is_asked_once(openai)


def test_a_batch_whose_name_nobody_kept_is_found_on_the_server(case, monkeypatch):
    killed(case, monkeypatch, "_opened")
    assert batches(case) == [("sending", IN_BATCH)]
    assert case.ask() == {"ok": IN_BATCH}
    is_asked_once(case)


def is_asked_once(case):
    assert batches(case) == [("done", IN_BATCH)]
    assert sorted(asked(case)) == sorted(set(asked(case))) and len(asked(case)) == N_PROMPTS
    assert case.rows("select count(*), sum(n_attempts) from responses") == [(N_PROMPTS, N_PROMPTS)]


def test_a_batch_that_never_came_to_the_server_is_asked_anew(openai, monkeypatch):
    killed(openai, monkeypatch, "_named")
    assert openai.ask() == {"ok": IN_BATCH}
    assert batches(openai) == [("lost", IN_BATCH), ("done", IN_BATCH)]
    assert len(asked(openai)) == N_PROMPTS


def test_a_reply_that_is_lost_makes_no_second_batch(case):
    case.server.batch(create="hangup")
    assert case.ask() == {"ok": N_PROMPTS}
    assert batches(case) == [("done", IN_BATCH)] and len(asked(case)) == N_PROMPTS


def test_what_expires_has_its_status_costs_nothing_and_is_asked_again(openai):
    openai.write(prices=PRICES)
    openai.server.batch(ends="expired")
    n_expired = (IN_BATCH + 1) // 2
    assert openai.ask() == {"ok": N_PROMPTS - n_expired, "timeout": n_expired}
    free = "select count(*) from responses where response_status = 'timeout' and cost = 0"
    assert openai.rows(free) == [(n_expired,)]
    openai.server.batch()
    assert openai.ask() == {"ok": n_expired}
    assert openai.rows("select sum(n_attempts) from responses") == [(N_PROMPTS + n_expired,)]


def test_a_batch_that_was_cancelled_keeps_what_was_answered(openai):
    openai.server.batch(ends="cancelled")
    assert openai.ask() == {"ok": N_PROMPTS - 10, "cancelled": 10}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """What asks in batches, of a backend that asks nobody."""
    folder = tmp_path_factory.mktemp("spoken")

    def made(backend):
        config = {"backend": backend, "model": "tiny", "base_url": "http://127.0.0.1:9/v1"}
        content = yaml.load(ASKED.read_text("utf-8"), yaml.CSafeLoader) | {"configs": [config]}
        path = folder / f"{backend}.yml"
        path.write_text(yaml.dump(content), "utf-8")
        suite = load_suite(path)
        return create_backend(backend, suite).batches(suite.grid[0])

    return {name: made(name) for name in ("openai", "anthropic")}


@pytest.mark.parametrize(("ends", "status"), [("expired", "timeout"), ("canceled", "cancelled")])
def test_anthropics_requests_end_one_by_one(spoken, ends, status):
    answer = spoken["anthropic"].outcome({"custom_id": "k", "result": {"type": ends}})
    assert (answer.status, answer.n_output_tokens) == (status, 0)


def test_a_batch_that_failed_is_over_in_the_way_of_anthropic_too(spoken, monkeypatch):
    told = {"processing_status": "failed", "request_counts": {}}
    monkeypatch.setattr(spoken["anthropic"], "call", lambda *_: told)
    assert spoken["anthropic"].state("b").is_over


ANSWER = {"model": "tiny", "choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
ANSWERED = {"status_code": 200, "body": ANSWER}
DEEP = json.loads("[" * 600 + "]" * 600)  # where looking for a key goes deeper than reading it


def error(code, body):
    return {"response": {"status_code": code, "body": {"error": body}}, "error": None}


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (error(500, {"message": "it broke"}), "server_error"),
        (error(429, {"message": "later"}), "rate_limited"),
        (error(408, {"message": "later"}), "timeout"),
        (error(400, {"message": "too long"}), "client_error"),
        (error(400, {"code": "content_filter", "message": "no"}), "content_filtered"),
        ({"response": None, "error": {"code": "batch_expired", "message": "late"}}, "timeout"),
        ({"response": None, "error": {"code": "batch_cancelled", "message": "late"}}, "cancelled"),
        ({"response": None, "error": None}, "server_error"),
        ({"response": {"status_code": 200, "body": {"model": "tiny"}}}, "server_error"),
        ({"response": {"status_code": 200, "body": []}}, "server_error"),
        ({"response": {"status_code": "200"}}, "server_error"),
        ({"response": [1]}, "server_error"),
        ({"response": ANSWERED, "error": {"message": "it broke"}}, "server_error"),
        ({"response": ANSWERED, "error": None, "deep": DEEP}, "server_error"),
        ({}, "server_error"),
    ],
)
def test_openais_lines_that_are_no_answers_have_their_status(spoken, line, status):
    found = spoken["openai"]._read(json.dumps({"custom_id": "k", **line}).encode(), KEY)
    assert found[0] == "k" and (found[1].status, found[1].text) == (status, None)
    assert found[1].error


@pytest.mark.parametrize(
    ("code", "body", "remedy"),
    [
        (401, {"message": "Incorrect API key"}, "Is the key"),
        (402, {"message": "no"}, "nothing left to pay with"),
        (403, {"message": "no"}, "allow this model"),
        (404, {"message": "no such model"}, "Are `model:` and the address right?"),
        (429, {"code": "insufficient_quota", "message": "no"}, "nothing left to pay with"),
    ],
)
def test_what_would_have_ended_a_run_is_no_answer_of_openais_batch(spoken, code, body, remedy):
    line = {"custom_id": "k", **error(code, body)}
    name, found = spoken["openai"]._read(json.dumps(line).encode(), KEY)
    assert name == "k" and f"HTTP {code}: {body['message']}" in found.what and remedy in found.what_to_do


@pytest.mark.parametrize(
    ("kind", "said", "remedy"),
    [
        ("authentication_error", "invalid x-api-key", "Is the key"),
        ("billing_error", "no", "nothing left to pay with"),
        ("permission_error", "no", "allow this model"),
        ("not_found_error", "model: no", "Are `model:` and the address right?"),
        ("invalid_request_error", "Your credit balance is too low", "nothing left to pay with"),
    ],
)
def test_what_would_have_ended_a_run_is_no_answer_of_anthropics_batch(spoken, kind, said, remedy):
    result = {"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": said}}}
    name, found = spoken["anthropic"]._read(json.dumps({"custom_id": "k", "result": result}).encode(), KEY)
    assert name == "k" and f"{kind}: {said}" in found.what and remedy in found.what_to_do


def test_requests_that_are_turned_away_are_said_and_asked_anew(case):
    body = {"type": "error", "error": {"type": "permission_error", "message": "not this model"}}
    case.server.rules({"match": "Case 3", "do": "status", "status": 403, "body": body})
    line = said(case.ask)
    assert "tiny: the server turned 2 requests of the batch" in line and "not this model" in line
    assert "Does the key" in line and "asks these anew" in line
    assert batches(case) == [("done", IN_BATCH)]
    assert case.rows("select distinct response_status from responses") == [("ok",)]
    case.server.rules()
    assert case.ask() == {"ok": 2}


@pytest.mark.parametrize("status", [None, "asleep"])
def test_a_batch_that_never_says_how_far_it_is_ends_the_run_and_stays(case, status):
    case.server.batch(status=status)
    line = said(case.ask)
    assert f"{status!r} is no status of a batch" in line and "the same command then goes on with it" in line
    assert batches(case) == [("open", IN_BATCH)]
    case.server.batch()
    assert case.ask() == {"ok": IN_BATCH}
    is_asked_once(case)


def test_a_batch_that_others_have_capitals_for_is_over(openai):
    openai.server.batch(ends="COMPLETED")
    assert openai.ask() == {"ok": N_PROMPTS}


def test_another_models_answer_in_a_batch_is_none(openai):
    openai.server.rules({"match": "Case 3: a man", "do": "answer", "served": "tiny-mini"})
    assert openai.ask() == {"ok": N_PROMPTS - 1, "other_model": 1}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("invalid_request_error", "client_error"),
        ("api_error", "server_error"),
        ("overloaded_error", "server_error"),
        ("rate_limit_error", "rate_limited"),
    ],
)
def test_anthropics_errors_have_their_status(spoken, kind, status):
    told = {"type": "error", "error": {"type": kind, "message": "it is so"}}
    answer = spoken["anthropic"].outcome({"result": {"type": "errored", "error": told}})
    assert answer.status == status and answer.error == f"{kind}: it is so"


def test_what_anthropics_filter_stops_in_a_batch_is_filtered(spoken):
    told = {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}
    answer = spoken["anthropic"].outcome({"result": {"type": "errored", "error": {"error": told}}})
    assert answer.status == "content_filtered"


def test_lines_that_are_missing_twice_or_of_nobody(case, capsys):
    more = [
        "",
        "no JSON",
        "[" * 100_000,
        "[]",
        '{"custom_id": 3}',
        '{"custom_id": "../x", "result": {}}',
        "{}",
    ]
    case.server.batch(**{"without": "Case 3: a man", "twice": "Case 4", "more": more})
    assert case.ask() == {"ok": N_PROMPTS - 1, "server_error": 1}
    told = capsys.readouterr().err
    assert "5 lines of the batch" in told and "not of the form that was promised" in told
    assert "2 lines of the batch" in told and "of a request that has an answer" in told
    assert "1 lines of the batch" in told and "of no request of this batch" in told
    ((error,),) = case.rows("select error from responses where response_status <> 'ok'")
    assert "its results do not have this request" in error
    case.server.batch()
    assert case.ask() == {"ok": 1}


def test_a_download_that_breaks_off_is_taken_up_again(openai, capsys):
    openai.server.batch(cut=3_000)
    assert openai.ask() == {"ok": N_PROMPTS}
    assert "left out" not in capsys.readouterr().err
    assert openai.rows("select sum(n_attempts) from responses") == [(N_PROMPTS,)]


@pytest.mark.parametrize("cut", [0, 3_000])
def test_results_that_break_off_without_a_word_are_fetched_again(case, capsys, cut):
    case.server.batch(cut=cut, unsaid=True)
    assert case.ask() == {"ok": N_PROMPTS}
    assert "left out" not in capsys.readouterr().err
    is_asked_once(case)


def test_fewer_results_than_the_server_counts_are_told(case, capsys):
    case.server.batch(without="Case 3: a man")
    assert case.ask() == {"ok": N_PROMPTS - 1, "server_error": 1}
    counted = f"counts {IN_BATCH} results of the batch {{}}, and gave {IN_BATCH - 1}."
    name = "msgbatch_0" if case.backend == "anthropic" else "batch_0"
    assert counted.format(name) in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["<html>", "<title>Log in</title>", '{"custom_id": 3}']])
def test_results_of_which_nothing_can_be_read_keep_the_batch(case, more):
    case.server.batch(without="Case", more=more)
    line = said(case.ask)
    assert "gives nothing that can be read as the results of the batch" in line
    assert "--retry-failed gives it up" in line and batches(case) == [("open", IN_BATCH)]
    assert case.rows("select distinct response_status from responses") == [("ok",)]
    assert case.ask(retry_failed=True) == {}
    case.server.batch()
    assert case.ask() == {"ok": IN_BATCH}


def test_a_key_in_a_result_is_not_stored(openai):
    openai.server.rules({"match": "Case 3", "do": "answer", "says": f"The key is {KEY}, is it not?"})
    assert openai.ask() == {"ok": N_PROMPTS}
    assert openai.rows("select count(*) from texts where contains(text, ?)", KEY) == [(0,)]
    assert KEY not in "".join(p.read_bytes().decode("latin-1") for p in openai.data.iterdir())


def test_a_batch_of_which_nothing_is_taken_says_why_and_its_requests_are_free_again(openai):
    openai.server.batch(fault="Enqueued token limit reached for tiny")
    line = said(openai.ask)
    assert "took none of the batch batch_0: Enqueued token limit reached for tiny." in line
    assert batches(openai) == [("refused", IN_BATCH)]
    openai.server.batch()
    assert openai.ask() == {"ok": IN_BATCH}


@pytest.mark.parametrize(
    "errors", [None, {}, {"data": None}, {"data": [None]}, {"data": [{"message": None}]}]
)
def test_a_batch_that_failed_has_failed_also_where_nothing_says_why(spoken, monkeypatch, errors):
    monkeypatch.setattr(spoken["openai"], "call", lambda *_: {"status": "failed", "errors": errors})
    assert spoken["openai"].state("b").fault == "it does not say why"


def test_an_error_in_place_of_a_batch_is_said_and_the_batch_is_looked_for(case):
    case.server.batch(create=200)
    line = said(case.ask)
    assert "the server failed while it answered: The batch is refused." in line
    assert "looks for the batch there, and sends it anew" in line
    assert batches(case) == [("sending", IN_BATCH)]
    case.server.batch()
    assert case.ask() == {"ok": IN_BATCH} and len(asked(case)) == N_PROMPTS


def test_a_server_that_refuses_batches_says_so_before_anything_is_held(openai):
    openai.server.batch(create=400)
    assert "tiny: the server refuses the batch: HTTP 400" in said(openai.ask)
    assert batches(openai) == [("refused", IN_BATCH)]
    openai.server.batch(create=404)
    assert "Take `batch: true` out of the config, if its server takes no batches." in said(openai.ask)
    openai.write(batch=False)
    # Two runs have asked their first request.
    assert openai.ask() == {"ok": IN_BATCH - 1}


def test_a_server_that_says_nothing_keeps_the_batch(openai, monkeypatch):
    killed(openai, monkeypatch, "look")
    openai.server.batch()
    openai.server.rules()
    monkeypatch.setenv("TINY_KEY", "sk-another-key-9876543210")
    assert "HTTP 401" in said(openai.ask)
    assert batches(openai) == [("open", IN_BATCH)]


def test_a_batch_that_the_server_has_forgotten_is_given_up_where_the_user_says_so(openai, monkeypatch):
    killed(openai, monkeypatch, "look")
    openai.server.reset()
    line = said(openai.ask)
    assert "the server does not know the batch" in line and "--retry-failed gives it up" in line
    assert batches(openai) == [("open", IN_BATCH)]
    assert openai.ask(retry_failed=True) == {}
    assert openai.ask() == {"ok": IN_BATCH}


def test_a_batch_whose_results_are_gone_is_given_up_where_the_user_says_so(case):
    # Files of OpenAI can be deleted and expire; Anthropic has results for 29 days.
    case.server.batch(gone=True)
    line = said(case.ask)
    assert "no longer has the results of the batch" in line and "--retry-failed gives it up" in line
    assert batches(case) == [("open", IN_BATCH)]
    assert case.ask(retry_failed=True) == {}
    assert batches(case) == [("lost", IN_BATCH)]
    case.server.batch()
    assert case.ask() == {"ok": IN_BATCH}


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_list_that_is_refused_is_no_word_on_a_batch_that_may_have_come(case, code):
    case.server.batch(create="hangup", list=code)
    assert f"HTTP {code}" in said(case.ask) and batches(case) == [("sending", IN_BATCH)]
    assert f"HTTP {code}" in said(case.ask) and batches(case) == [("sending", IN_BATCH)]
    case.server.batch()
    assert case.ask() == {"ok": IN_BATCH}
    is_asked_once(case)
    assert n_made(case) == 1


def test_a_batch_of_a_server_that_lists_none_is_given_up_where_the_user_says_so(openai):
    openai.server.batch(create="hangup", list=404)
    assert "--retry-failed gives it up" in said(openai.ask)
    openai.server.batch(list=404)
    assert openai.ask(retry_failed=True) == {"ok": IN_BATCH}
    assert batches(openai) == [("lost", IN_BATCH), ("done", IN_BATCH)]


def test_a_batch_is_found_behind_a_hundred_others(case):
    case.server.batch(create="hangup", others=250)
    assert case.ask() == {"ok": N_PROMPTS}
    is_asked_once(case)
    assert n_made(case) == 1


def n_made(case):
    """How many batches came to the server."""
    sent = [entry["path"] for entry in case.server.log() if entry.get("method") == "POST"]
    return sum(path.endswith("/batches") for path in sent)


def test_a_config_that_asks_no_batches_any_more_still_gets_the_answers_of_one(openai, monkeypatch):
    killed(openai, monkeypatch, "look")
    openai.write(batch=False)
    assert openai.ask() == {"ok": IN_BATCH}
    assert batches(openai) == [("done", IN_BATCH)] and len(asked(openai)) == N_PROMPTS


def test_a_budget_lets_one_batch_go_after_another(openai):
    # In a batch an answer costs about 0.0016, and may cost 0.0053.
    openai.write(prices=PRICES, options={"max_tokens": 10})
    assert openai.ask(budget=0.06) == {"ok": N_PROMPTS}
    sent = batches(openai)
    assert len(sent) > 1 and {status for status, _ in sent} == {"done"}
    assert sum(n for _, n in sent) == IN_BATCH


def test_a_budget_that_is_too_small_stops_and_goes_on_with_more(openai):
    openai.write(prices=PRICES, options={"max_tokens": 10})
    line = said(openai.ask, budget=0.02)
    assert "of the budget of 0.02 are spent, and the next answer may cost 0.005" in line
    n = len(asked(openai))
    assert 1 < n < N_PROMPTS and openai.rows("select sum(cost) <= 0.02 from responses") == [(True,)]
    assert openai.ask(budget=1.0) == {"ok": N_PROMPTS - n}


def test_a_limit_holds_for_batches(openai):
    assert openai.ask(limit=5) == {"ok": 5}
    assert batches(openai) == [("done", 4)]


def test_plan_knows_the_price_of_a_batch(openai):
    def cost(**prices):
        openai.write(prices={"prompt": 100, "output": 10_000, **prices}, options={"max_tokens": 100})
        result = CliRunner().invoke(cli, ["--data", str(openai.folder / "none"), "plan", str(openai.path)])
        assert result.exit_code == 0, result.output
        line = next(line for line in result.stdout.splitlines() if "configs with prices" in line)
        return float(line.rpartition("at most ")[2].split()[0].rstrip("."))

    assert cost(batch=0.5) == pytest.approx(cost() / 2, abs=0.01)


def test_a_backend_without_batches_says_so(tmp_path, running):
    running.reset()
    case = Case(tmp_path, running, "azure", batch=True)
    assert "the backend 'azure' asks no batches. Take `batch: true` out" in said(case.ask)
    case.write(backend="simulated", base_url=None)
    assert "the backend 'simulated' asks no batches." in said(case.ask)


@pytest.mark.parametrize("more", [{"wrapper": "app:wrap"}, {"options": {"stream": True}}])
def test_a_batch_has_neither_wrapper_nor_stream(more):
    with pytest.raises(ValidationError, match=r"`batch` and `(wrapper|stream)` do not go together"):
        Config(backend="openai", model="tiny", batch=True, **more)


@pytest.mark.parametrize(
    "reply",
    [
        {"id": "../../admin"},
        {"id": None},
        {"status": 3},
        {"output_file_id": "x/../../y"},
        {"request_counts": {"completed": "many"}},
    ],
)
def test_a_state_of_another_shape_is_asked_for_again(spoken, monkeypatch, reply):
    batches = spoken["openai"]
    whole = {"id": "b", "status": "completed", "output_file_id": "f", "request_counts": {}, **reply}
    monkeypatch.setattr(batches, "call", lambda *_, **__: whole)
    with pytest.raises(AttemptFailed):
        batches.identified(whole) if "id" in reply else batches.state("b")


def test_a_line_without_end_is_too_large():
    with pytest.raises(TooLarge):
        list(lines_of([b"x" * 10, b"y" * 10], 15))
    assert json.loads(next(lines_of([b'{"a"', b": 1}\n"], 15))) == {"a": 1}
