"""The backends that ask servers, against servers on loopback that speak the real protocols."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from asked import ASKED, KEY, N_PROMPTS, Case
from servers import loopback

from ingest.apart.process import Limits
from ingest.asking import run
from ingest.asking.plan import plan
from ingest.asking.run import generate_answers
from ingest.asking.senders import Retries
from ingest.backends import Request
from ingest.backends.http import seconds_of
from ingest.backends.ollama import OllamaBackend, is_cut
from ingest.backends.openai import OpenAIBackend
from ingest.backends.reasoning import split_reasoning
from ingest.backends.replies import request_seed
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.suite import Config, load_suite, own_code

pytestmark = pytest.mark.usefixtures("stays_open")


@pytest.fixture
def server(running):
    running.reset()
    return running


@pytest.fixture
def ollama(tmp_path, server):
    return Case(tmp_path, server, "ollama")


@pytest.fixture
def openai(tmp_path, server):
    return Case(tmp_path, server, "openai", key_variable="TINY_KEY")


@pytest.fixture(params=["ollama", "openai"])
def case(request, monkeypatch):
    monkeypatch.setenv("TINY_KEY", KEY)
    return request.getfixturevalue(request.param)


def test_all_is_asked_once_and_what_comes_is_kept(case):
    # Long enough that requests meet at the server, however fast the machine.
    case.server.rules({"do": "slow", "seconds": 0.05})
    result = case.command("--concurrency", "4")
    assert result.exit_code == 0, result.output
    assert result.stdout == "tiny: 20 ok; 0 left\n"
    answers = case.rows(
        "select prompt, text from responses join prompts using (prompt_key) join texts using (text_key)"
    )
    assert len(answers) == N_PROMPTS
    assert all(text == prompt[::-1] for prompt, text in answers)
    assert sorted(case.server.prompts()) == sorted(prompt for prompt, _ in answers)
    assert 1 < case.server.most_under_way() <= 4
    measured = """
        select distinct n_attempts, finish_reason, n_prompt_tokens is null, n_output_tokens is null
        from responses
    """
    assert case.rows(measured) == [(1, "stop", False, False)]
    assert "0 new; 0 left" in case.command().stdout
    assert len(case.server.log()) == N_PROMPTS


def test_ollama_is_sent_its_options_and_described_in_full(ollama):
    ollama.write(
        system_prompt="You rent out flats.",
        template="{prompt} Answer in one word.",
        options={"temperature": 0.7, "num_ctx": 512, "stop": ["\n"], "top_p": 0.9},
        repeats=2,
    )
    assert ollama.ask() == {"ok": 2 * N_PROMPTS}
    sent = [entry["content"] for entry in ollama.server.log()]
    assert all(content["stream"] is False and content["keep_alive"] == "30m" for content in sent)
    assert sent[0]["messages"][0] == {"role": "system", "content": "You rent out flats."}
    assert sent[0]["messages"][1]["content"].endswith("asks for a flat. Answer in one word.")
    options = sent[0]["options"]
    assert {name: options[name] for name in options if name != "seed"} == {
        "temperature": 0.7, "num_ctx": 512, "num_predict": 1024, "stop": ["\n"], "top_p": 0.9
    }  # fmt: skip
    # Branches of a root share a seed, repeats and roots do not.
    cases = {(re.match(r"Case (\d+)", c["messages"][1]["content"])[1], c["options"]["seed"]) for c in sent}
    assert len(cases) == 20 and len({seed for _, seed in cases}) == 20
    row = ollama.rows(
        "select digest, quantisation, template, server_version, options, details, system_prompt from configs"
    )[0]
    assert row[:4] == ("sha256:" + "1f" * 32, "Q4_K_M", "{{ .System }} {{ .Prompt }}", "0.12.3")
    assert json.loads(row[4])["seed"] == "root and repeat"
    assert json.loads(row[4])["prompt_template"] == "{prompt} Answer in one word."
    details = json.loads(row[5])
    assert (details["family"], details["parameter_size"], details["context_length"]) == ("llama", "1B", 512)
    assert details["licence"].startswith("A licence")


def test_half_a_surrogate_in_what_a_server_says_of_its_model_is_stored_as_a_mark(ollama, monkeypatch):
    described = OllamaBackend.describe

    def describe(self, config):
        found = described(self, config)
        return replace(found, template="{{ \ud800 }}", details={**found.details, "licence": "\udfff"})

    monkeypatch.setattr(OllamaBackend, "describe", describe)
    assert ollama.ask() == {"ok": N_PROMPTS}
    ((template, details),) = ollama.rows("select template, details from configs")
    assert template == "{{ ? }}" and json.loads(details)["licence"] == "?"


def test_a_run_records_the_model_it_asked(ollama):
    ollama.command("--limit", "1")
    detail = json.loads(ollama.rows("select detail from runs where command = 'generate'")[0][0])
    assert detail["models"]["tiny"]["digest"] == "sha256:" + "1f" * 32


def test_openai_keeps_what_the_server_says_of_itself(openai, monkeypatch):
    monkeypatch.setenv("TINY_KEY", KEY)
    openai.write(options={"temperature": 0.5, "max_tokens": 7, "seed": 3}, repeats=2)
    openai.ask()
    sent = openai.server.log()[0]["content"]
    assert (sent["temperature"], sent["max_tokens"], sent["model"]) == (0.5, 7, "tiny")
    assert {entry["content"]["seed"] for entry in openai.server.log()} == {3, 4}
    assert openai.rows("select distinct served_model, system_fingerprint from responses") == [
        ("tiny-2026-01-01", "fp_1")
    ]
    assert (
        json.loads(openai.rows("select options from configs")[0][0])["base_url"] == openai.server.url + "/v1"
    )


@pytest.mark.parametrize(
    ("rule", "status", "n_asked"),
    [
        ({"do": "status", "status": 500}, "server_error", 3),
        ({"do": "status", "status": 503, "body": {"error": "server busy"}}, "server_error", 3),
        ({"do": "status", "status": 429, "retry_after": 0}, "rate_limited", 3),
        ({"do": "status", "status": 400, "body": {"error": "bad option"}}, "client_error", 1),
        ({"do": "status", "status": 400, "body": {"error": "content filter"}}, "content_filtered", 1),
        ({"do": "body", "body": {"error": "stopped by the content filter"}}, "content_filtered", 1),
        ({"do": "slow", "seconds": 1.5}, "timeout", 3),
        ({"do": "hangup"}, "server_error", 3),
        ({"do": "midway"}, "server_error", 3),
        ({"do": "body", "body": {"error": "the runner ended"}}, "server_error", 3),
        ({"do": "text", "text": "<html>"}, "server_error", 3),
        ({"do": "body", "body": []}, "server_error", 3),
        ({"do": "answer", "finish_reason": "length"}, "truncated_output", 1),
        ({"do": "answer", "finish_reason": "MAX_TOKENS"}, "truncated_output", 1),
        ({"do": "answer", "finish_reason": "ERROR"}, "server_error", 3),
        ({"do": "answer", "says": " \n"}, "empty", 1),
        ({"do": "answer", "says": "I'm sorry, but I can't help with that."}, "refused", 1),
    ],
)
def test_what_goes_wrong_once_and_for_all_has_its_status(case, rule, status, n_asked):
    case.write(timeout_seconds=1.0)
    case.server.rules({"match": "Case 3: a man", **rule})
    assert case.ask() == {"ok": 19, status: 1}
    assert sum("Case 3: a man" in prompt for prompt in case.server.prompts()) == n_asked
    text_key, n_attempts, error = case.rows(
        "select text_key, n_attempts, error from responses where response_status <> 'ok'"
    )[0]
    assert text_key is None and n_attempts == n_asked
    assert error or status in ("empty",)


def test_what_passes_is_repeated_within_the_run(case):
    case.server.rules(
        {"do": "status", "status": 503, "times": 2}, {"match": "Case 5", "do": "midway", "times": 1}
    )
    assert case.ask() == {"ok": N_PROMPTS}
    assert len(case.server.log()) == N_PROMPTS + 3
    assert case.rows("select sum(n_attempts), min(n_attempts) from responses") == [(N_PROMPTS + 3, 1)]


def test_a_server_that_is_down_is_said_where_no_progress_is_seen(case, capsys):
    """In a file of CI no line moves, and retries take minutes."""
    case.server.rules(
        *({"match": f"Case {n}", "do": "status", "status": 503, "times": 1} for n in (2, 3, 5, 7))
    )
    assert case.ask() == {"ok": N_PROMPTS}
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "The last: " in line]
    assert said.startswith("3 attempts repeated (3 server_error)") and "HTTP 503: it broke" in said


def test_the_servers_wish_for_a_pause_is_honoured(case):
    case.server.rules({"do": "status", "status": 429, "times": 1, "retry_after": 1})
    result = case.command()
    assert "1 attempts repeated (1 rate_limited); 1 s waited" in result.stderr
    began = [entry["began"] for entry in case.server.log()]
    assert began[1] - began[0] >= 1
    assert 1 <= case.rows("select max(wait_seconds) from responses")[0][0] < 3


def test_a_wish_for_too_long_a_pause_is_a_failure_at_once(case):
    case.server.rules({"match": "Case 3: a man", "do": "status", "status": 429, "retry_after": 86_400})
    assert case.ask() == {"ok": 19, "rate_limited": 1}
    ((error,),) = case.rows("select error from responses where response_status <> 'ok'")
    assert error == "HTTP 429: it broke; the server asks for a pause of 24.0 hours"


def test_a_wish_for_no_pause_is_none():
    assert Retries().pause(3, 7.0) == 7.0
    assert all(Retries().pause(3, 0.0) >= Retries().shortest for _ in range(20))


def test_the_next_run_asks_what_failed_and_keeps_the_history(case):
    case.server.rules({"match": "Case 3", "do": "status", "status": 500})
    assert case.ask() == {"ok": 18, "server_error": 2}
    n_before = len(case.server.log())
    case.server.rules()
    again = case.command("--dry-run").stdout
    assert "tiny: 2 to ask (2 of them failed before), 18 answered" in again
    assert case.ask() == {"ok": 2}
    assert len(case.server.log()) == n_before + 2
    statuses = case.rows(
        "select response_status, n_attempts, count(*) from responses group by all order by 2"
    )
    assert statuses == [("ok", 1, 18), ("ok", 4, 2)]
    old = "select response_status, n_attempts, error from superseded_responses"
    assert case.rows(old) == [("server_error", 3, "HTTP 500: it broke")] * 2
    assert case.rows("select count(distinct run_id) from responses") == [(2,)]


def test_what_was_rejected_is_asked_again_on_request_only(case):
    case.server.rules({"match": "Case 3", "do": "status", "status": 400})
    assert case.ask() == {"ok": 18, "client_error": 2}
    case.server.rules()
    assert case.ask() == {}
    told = "tiny: 0 to ask, 18 answered, 2 rejected (--retry-failed asks again)"
    assert told in case.command("--dry-run").stdout
    told = "tiny: 2 to ask (2 of them failed before), 18 answered\n"
    assert told in case.command("--dry-run", "--retry-failed").stdout
    assert case.ask(retry_failed=True) == {"ok": 2}


def test_a_server_that_fails_everything_stops_the_run(case):
    case.server.rules({"do": "status", "status": 500})
    with pytest.raises(
        PlumblineError,
        match="tiny: the server failed 5 requests in a row, the last after 3 attempts: HTTP 500",
    ):
        case.ask()
    assert case.rows("select run_status from runs where command = 'generate'") == [("failed",)]
    case.server.rules()
    assert case.ask() == {"ok": N_PROMPTS}


def test_prompts_that_a_server_always_fails_on_hold_up_no_other(case):
    prompts = [prompt for (prompt,) in case.rows("select prompt from prompts order by root_key, prompt_key")]
    n_bad = run.FAILURES_IN_A_ROW + 1
    case.server.rules(*({"match": prompt, "do": "status", "status": 500} for prompt in prompts[:n_bad]))
    with pytest.raises(PlumblineError, match="the server failed 5 requests in a row"):
        case.ask()
    with pytest.raises(PlumblineError, match="the server failed 5 requests in a row"):
        case.ask()  # what never failed first
    assert case.rows("select count(*) from responses where response_status = 'ok'") == [(N_PROMPTS - n_bad,)]
    case.server.rules()
    assert case.ask() == {"ok": n_bad}


def test_answers_that_are_all_cut_off_are_told_while_it_can_be_mended(case, capsys, monkeypatch):
    monkeypatch.setattr(run, "NO_USE_IN_A_ROW", 5)
    case.server.rules({"do": "answer", "finish_reason": "length"})
    assert case.ask() == {"truncated_output": N_PROMPTS}
    told = capsys.readouterr().err
    assert told.count("tiny: 5 answers in a row count as missing (truncated_output).") == 1
    assert "Raise `max_tokens`." in told


def test_a_model_of_ollama_that_does_not_chat_is_said_after_three_requests(ollama):
    """Such as one for embeddings: all prompts were rejected, and none would have been asked again."""
    ollama.server.rules({"do": "status", "status": 400, "body": {"error": '"tiny" does not support chat'}})
    with pytest.raises(PlumblineError, match=r"does not support chat.* Mend the config's `model:`"):
        ollama.ask()
    assert ollama.server.n_asked() == 3


def test_an_unknown_model_stops_before_anything_is_asked(ollama):
    ollama.write(model="huge")
    result = ollama.command()
    assert result.exit_code == 1
    assert "has no model 'huge' (it has: tiny)" in result.stderr and "ollama pull huge" in result.stderr
    assert ollama.server.log() == []


def test_a_model_that_goes_away_stops_the_run(case):
    case.server.rules({"match": "Case 2", "do": "status", "status": 404, "body": {"error": "not found"}})
    with pytest.raises(PlumblineError, match="HTTP 404: not found"):
        case.ask()


def test_no_server_is_said_in_one_line(tmp_path, ollama):
    ollama.write(base_url="http://127.0.0.1:9")
    result = ollama.command()
    assert result.exit_code == 1 and "cannot be asked" in result.stderr and "ollama serve" in result.stderr
    assert "Traceback" not in result.output


def test_a_full_queue_is_waited_out(tmp_path):
    with loopback("--delay", "0.02", "--slots", "1", "--queue", "1") as server:
        case = Case(tmp_path, server, "ollama")
        patient = Retries(attempts=50, shortest=0.005, longest=0.05)
        assert case.ask(patient, concurrency=6) == {"ok": N_PROMPTS}
        assert case.rows("select sum(n_attempts) > count(*) from responses") == [(True,)]
        assert server.most_under_way() <= 2


def test_a_changed_digest_stops_the_run_and_disowns_doubtful_answers(ollama):
    ollama.server.rules({"match": "", "do": "slow", "seconds": 0.05})

    class Changing:
        """Changes the model after some answers."""

        def __init__(self, server):
            self.server, self.n = server, 0

        def __call__(self, answer):
            self.n += 1
            if self.n == 8:
                self.server.change(digest="sha256:" + "2e" * 32)
            return answer

    with Store(ollama.data) as store:
        tasks = plan(store, ollama.suite)
        backend = tasks[0].backend
        change, answer = Changing(ollama.server), backend.answer
        backend.answer = lambda request: change(answer(request))
        with (
            pytest.raises(PlumblineError, match=r"from digest sha256:1f1f\w+ to sha256:2e2e"),
            store.run("generate", {}) as run_id,
        ):
            generate_answers(store, ollama.suite, tasks, run_id, watch_seconds=0.2)
    counts = dict(ollama.rows("select response_status, count(*) from responses group by 1"))
    assert 0 < counts["ok"] <= 8 and counts["cancelled"] >= 1
    assert ollama.rows(
        "select count(*) from responses where response_status <> 'ok' and text_key is not null"
    ) == [(0,)]
    # The next run asks the new model everything, under another label.
    ollama.server.rules()
    assert ollama.ask() == {"ok": N_PROMPTS}
    new = ollama.rows(
        """
        select count(*) from responses join configs using (config_key)
        where response_status = 'ok' and config like 'tiny #%'
        """
    )
    assert new == [(N_PROMPTS,)]


def test_a_prompt_that_the_server_cut_is_no_answer(ollama):
    ollama.write(template="x" * 900 + " {prompt}", options={"num_ctx": 512})
    ollama.server.change(context=128)
    assert ollama.ask() == {"prompt_truncated": N_PROMPTS}
    assert ollama.rows("select distinct text_key is null, n_prompt_tokens from responses") == [(True, 66)]


def test_a_prompt_that_would_not_fit_is_not_asked(ollama):
    ollama.write(template="x" * 2_000 + " {prompt}", options={"num_ctx": 512})
    result = ollama.command()
    assert result.exit_code == 1 and "409 fit" in result.stderr and "num_ctx" in result.stderr
    assert ollama.server.log() == []


@pytest.mark.parametrize(
    ("n_prompt", "n_characters", "context", "cut"),
    [
        (None, 4_000, 1_024, False),
        (1_023, 4_000, 1_024, True),
        (514, 4_000, 1_024, True),
        (514, 2_030, 1_024, False),
        (900, 3_600, 1_024, False),
        (100, 2_000, 1_024, True),
        (1, 400, 4_096, False),
    ],
)
def test_cut_prompts_are_told_from_whole_ones(n_prompt, n_characters, context, cut):
    assert is_cut(n_prompt, [{"role": "user", "content": "x" * n_characters}], context) is cut


def test_reasoning_is_stored_apart(case):
    thought = (
        {"thinking": "Let me see."}
        if case.backend == "ollama"
        else {"message": {"reasoning_content": "Let me see."}}
    )
    case.server.rules(
        {"match": "Case 1: ", "do": "answer", "says": "<think>\nHm, a man?\n</think>\n\nYes."},
        {"match": "Case 2: ", "do": "answer", "says": "Yes.", **thought},
        {"match": "Case 3: ", "do": "answer", "says": "<think>And on and on", "finish_reason": "length"},
    )
    case.ask()
    found = case.rows(
        """
        select p.prompt, r.response_status, a.text, t.text
        from responses r join prompts p using (prompt_key)
        left join texts a on a.text_key = r.text_key join texts t on t.text_key = r.reasoning_text_key
        where p.prompt like '%a man asks%' order by 1
        """
    )
    assert [row[1:] for row in found] == [
        ("ok", "Yes.", "Hm, a man?"),
        ("ok", "Yes.", "Let me see."),
        ("truncated_output", None, "And on and on"),
    ]


SAID_IN_PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "Let me "}, {"type": "text", "text": "see."}]},
    {"type": "text", "text": "Yes, "},
    {"type": "text", "text": "her."},
]


@pytest.mark.parametrize("is_stream", [False, True])
def test_an_answer_may_come_in_parts(is_stream):
    backend = OpenAIBackend(None)
    message = {"role": "assistant", "content": SAID_IN_PARTS}
    reply = {"model": "tiny", "choices": [{"message": message, "finish_reason": "stop", "logprobs": []}]}
    if is_stream:
        deltas = [{"content": [SAID_IN_PARTS[0]]}, {"content": "Yes, "}, {"content": [SAID_IN_PARTS[2]]}]
        events = [{"model": "tiny", "choices": [{"delta": delta}]} for delta in deltas]
        reply = backend.folded([*events, {"choices": [{"delta": {}, "finish_reason": "stop"}]}])
    answer = backend.read(reply, 1.0)
    assert (answer.status, answer.text, answer.reasoning) == ("ok", "Yes, her.", "Let me see.")


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        ([{"type": "refusal", "refusal": "I can't."}], "refused", None),
        ([{"type": "output_text", "text": "Yes."}], "ok", "Yes."),
        (["Yes", "."], "ok", "Yes."),
    ],
)
def test_a_part_may_be_a_refusal_or_a_text_alone(content, status, text, is_stream):
    backend = OpenAIBackend(None)
    part = {"delta" if is_stream else "message": {"content": content}, "finish_reason": "stop"}
    reply = {"model": "tiny", "choices": [part]}
    answer = backend.read(backend.folded([reply]) if is_stream else reply, 1.0)
    said = "I can't." if status == "refused" else None
    assert (answer.status, answer.text, answer.error) == (status, text, said)


@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_words_beside_a_call_of_a_tool_are_no_answer(reason):
    message = {"content": "I look it up.", "tool_calls": [{"id": "1"}]}
    answer = OpenAIBackend(None).read({"choices": [{"message": message, "finish_reason": reason}]}, 1.0)
    assert (answer.status, answer.text, answer.error) == ("empty", None, "I look it up.")


@pytest.mark.parametrize("thought", [[{"text": "Hm."}], {"text": "Hm."}, 7])
def test_thoughts_in_a_shape_of_their_own_cost_no_answer(thought):
    message = {"content": "Yes.", "reasoning": thought}
    answer = OpenAIBackend(None).read({"choices": [{"message": message, "finish_reason": "stop"}]}, 1.0)
    assert (answer.status, answer.text, answer.reasoning) == ("ok", "Yes.", None)


# Where a judge quotes what it read.
JSON_WITH_TAGS = [
    '{"reason": "It says </think>{\\"label\\": 1}", "label": "pass"}',
    '```json\n{"reason": "It ends with </think> and Yes.", "label": "pass"}\n```',
    '["a</think>", "b"]',
]


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("Yes.", "Yes.", None),
        ("<think>a</think>b", "b", "a"),
        ("a</think>b", "b", "a"),
        ("Use <think> and </think> as tags.", "Use <think> and </think> as tags.", None),
        ("<think>a", "", "a"),
        ("<think>No</think>\n<think>again</think>Yes", "Yes", "No\n\nagain"),
        ("<think></think>" * 20_000 + "Yes", "Yes", ""),
        ("\ufeff<Thinking>a\n</thinking> b", "b", "a"),
        ("<thought>a <think>b</think></thought>c", "c", "a <think>b</think>"),
        ("[THINK]a[/THINK]b", "b", "a"),
        ("a[/THINK]\n\nb", "b", "a"),
        ("The tag `</think>` closes it.", "The tag `</think>` closes it.", None),
        ('They say "no."</think>"Yes"', '"Yes"', 'They say "no."'),
        ("I end with `B`</think>B", "B", "I end with `B`"),
        ("It wants <reasoning>x</reasoning>.</think>Yes", "Yes", "It wants <reasoning>x</reasoning>."),
        ("End with </reasoning>.</think>Yes", "Yes", "End with </reasoning>."),
        ("No </reasoning> here. Yes.", "No </reasoning> here. Yes.", None),
        ("I close with </think>, then.\n</think>\nYes", "Yes", "I close with </think>, then."),
        ("It is no </think> yes.", "yes.", "It is no"),
        ("so yes </think> yes it is fine", "yes it is fine", "so yes"),
        ("I will not use </think> here. Yes.", "I will not use </think> here. Yes.", None),
        ("They wrote <b> and </think> too. Yes.", "They wrote <b> and </think> too. Yes.", None),
        ("<|START_RESPONSE|>b<|END_RESPONSE|>", "b", None),
        ("b<|im_end|>\n", "b", None),
        ("a\n</think>\n\nb</s>", "b", "a"),
        ("b <end_of_turn>", "b", None),
        ("b<end_of_turn><eos>", "b", None),
        ("b<｜end▁of▁sentence｜>", "b", None),
        ("It was <s>10</s> 9.</s>", "It was <s>10</s> 9.", None),
        ("<|im_start|>assistant\nb<|im_end|>", "b", None),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nb<|eot_id|>", "b", None),
        ("<|channel>thought\na<channel|>b", "b", "a"),
        ("<unused94>thought\na<unused95>b", "b", "a"),
        ("<scratchpad>a</scratchpad>\nb", "b", "a"),
        ("Thinking...\na\n...done thinking.\n\nb", "b", "Thinking...\na"),
        ("Thinking... b", "Thinking... b", None),
        ("He was ...done thinking. He left.", "He was ...done thinking. He left.", None),
        ("He was tired...done thinking. Yes", "He was tired...done thinking. Yes", None),
        ("Was <s>10</s>, is <s>9</s>", "Was <s>10</s>, is <s>9</s>", None),
        ("[Think] Yes.", "[Think] Yes.", None),
        ("<seed:think>a</seed:think>b", "b", "a"),
        ("◁think▷a◁/think▷b", "b", "a"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a"),
        (
            "<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>b<|end_of_solution|>",
            "b",
            "a",
        ),
        ("<b>Yes</b>", "<b>Yes</b>", None),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            "b",
            "a",
        ),
        ("analysisThey want a name.assistantfinalAnn", "Ann", "They want a name."),
        ("<|channel|>final<|message|>b<|return|>", "b", None),
        ("<|start|>assistant<|channel|>final<|message|>b", "b", None),
        ("assistantfinalb", "b", None),
        (
            "<|start|>assistant<|channel|>analysis<|message|>a<|end|>"
            "<|start|>assistant<|channel|>final<|message|>b",
            "b",
            "a",
        ),
        ("<|channel|>commentary to=f <|constrain|>json<|message|>{}<|call|>", "", "{}<|call|>"),
        ("<|channel|>analysis<|message|>a", "", "a"),
        ("analysis of both: Ann", "analysis of both: Ann", None),
        ("", "", None),
        *((said, said, None) for said in JSON_WITH_TAGS),
        ('{"a": 1}</think>{"b": 2}', '{"b": 2}', '{"a": 1}'),
        ('["a</think>b', "b", '["a'),
    ],
)
def test_reasoning_is_told_from_the_answer(text, answer, reasoning):
    assert split_reasoning(text) == (answer, reasoning)


@pytest.mark.parametrize(
    "rule",
    [
        {"do": "answer", "message": {"refusal": "I can't.", "content": None}},
        {"do": "answer", "finish_reason": "content_filter", "message": {"content": None}},
        {"do": "status", "status": 400, "body": {"error": {"code": "content_filter", "message": "no"}}},
    ],
)
def test_openais_filters_and_refusals_have_a_status(openai, monkeypatch, rule):
    monkeypatch.setenv("TINY_KEY", KEY)
    openai.server.rules({"match": "Case 3: a man", **rule})
    statuses = openai.ask()
    assert statuses.pop("ok") == 19
    assert set(statuses) <= {"refused", "content_filtered"}


def test_used_up_credit_stops_the_run(openai, monkeypatch):
    monkeypatch.setenv("TINY_KEY", KEY)
    body = {"error": {"code": "insufficient_quota", "message": "You exceeded your quota."}}
    openai.server.rules({"do": "status", "status": 429, "body": body})
    with pytest.raises(PlumblineError, match="nothing left to pay with"):
        openai.ask()
    assert len(openai.server.log()) == 1


def everything(case, *results):
    """All that a run leaves: databases and files byte by byte, and all rows, and what it printed."""
    files = [path for path in case.folder.rglob("*") if path.is_file()]
    with Store(case.data, read_only=True) as store:
        tables = [name for (name,) in store.rows("select table_name from duckdb_tables()")]
        rows = [repr(store.rows(f"select * from {table}")) for table in tables]
    said = [result.output + result.stderr + repr(result.exception) for result in results]
    return b"\n".join(path.read_bytes() for path in files) + "\n".join([*rows, *said]).encode()


def test_no_key_is_kept_or_shown(openai, monkeypatch, caplog):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("TINY_KEY", KEY)
    # A server that puts the key wherever it can.
    openai.server.rules(
        {"match": "Case 1: ", "do": "status", "status": 400, "body": {"error": f"bad key {KEY}"}},
        {"match": "Case 2: ", "do": "answer", "says": f"Your key is {KEY}."},
        {"match": "Case 3: ", "do": "answer", "message": {"reasoning_content": KEY}, "finish_reason": KEY},
        {"match": "Case 4: a man", "do": "text", "text": KEY, "times": 1},
    )
    first = openai.command()
    assert {entry["authorization"] for entry in openai.server.log()} == {f"Bearer {KEY}"}
    monkeypatch.setenv("TINY_KEY", KEY + "-wrong")
    second = openai.command("--retry-failed")
    assert second.exit_code == 1 and "HTTP 401: Incorrect API key provided: [key]" in second.stderr
    monkeypatch.delenv("TINY_KEY")
    third = openai.command("--retry-failed")
    assert third.exit_code == 1 and "TINY_KEY holds no key" in third.stderr
    left = everything(openai, first, second, third) + caplog.text.encode()
    assert b"[key]" in left and KEY.encode() not in left


def test_ollamas_own_key_variable_goes_nowhere_unasked(ollama, monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    ollama.ask()
    assert {entry["authorization"] for entry in ollama.server.log()} == {None}


@pytest.mark.parametrize("backend", ["ollama", "openai", "azure", "anthropic"])
@pytest.mark.parametrize(
    ("base_url", "arguments", "message"),
    [
        ("https://api.example.com/v1", (), "add --send-key api.example.com"),
        ("https://api.example.com/v1", ("--send-key", "example.com"), "add --send-key api.example.com"),
        ("http://api.example.com/v1", ("--send-key", "api.example.com"), "without encryption"),
    ],
)
def test_a_suite_cannot_send_a_key_anywhere_by_itself(
    openai, monkeypatch, backend, base_url, arguments, message
):
    monkeypatch.setenv("TINY_KEY", KEY)
    openai.write(backend=backend, base_url=base_url)
    result = openai.command(*arguments)
    assert result.exit_code == 1 and message in result.stderr
    assert openai.command("--dry-run").exit_code == (1 if backend == "ollama" else 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": {"temprature": 1}}, "the option 'temprature'"),
        ({"options": {"temperature": "hot"}}, "Write a number from 0 to 10"),
        ({"options": {"seed": True}}, "Write a whole number"),
        ({"options": {"stop": [""]}}, "Write a text or a list of texts"),
        ({"repeats": 3}, "determinism_check: true"),
    ],
)
def test_wrong_options_are_named(case, changes, message):
    case.write(**changes)
    result = case.command()
    assert result.exit_code == 1 and message in result.stderr
    assert case.server.log() == []


def test_a_declared_check_of_determinism_repeats_at_temperature_0(case):
    case.write(repeats=2, determinism_check=True)
    assert case.ask() == {"ok": 2 * N_PROMPTS}


def test_configs_of_one_model_are_asked_one_after_another(ollama):
    content = yaml.safe_load(ASKED.read_text("utf-8"))
    base = {"backend": "ollama", "base_url": ollama.server.url}
    others = [{"model": "tiny", "role": "a"}, {"model": "tiny:latest"}, {"model": "tiny", "role": "b"}]
    content["configs"] = [base | other for other in others]
    ollama.path.write_text(yaml.safe_dump(content), "utf-8")
    ollama.suite = load_suite(ollama.path)
    ollama.server.change(model="tiny:latest")
    # The server has one model under the long name; the short one is the same (Ollama's rule).
    assert ollama.ask() == {"ok": 3 * N_PROMPTS}
    asked = [entry["content"]["model"] for entry in ollama.server.log()]
    assert asked == ["tiny"] * 2 * N_PROMPTS + ["tiny:latest"] * N_PROMPTS


def test_requests_keep_to_a_rate(case):
    case.write(requests_per_minute=1200)
    began = time.monotonic()
    assert case.ask(limit=6, concurrency=4) == {"ok": 6}
    assert time.monotonic() - began >= 5 * 0.05
    assert case.rows("select max(wait_seconds) > 0, min(wait_seconds) from responses") == [(True, 0)]


def test_the_dry_run_says_what_it_would_take(case):
    case.write(
        prices={"prompt": 1.0, "output": 1_000_000.0},
        options={"num_predict" if case.backend == "ollama" else "max_tokens": 5},
    )
    result = case.command("--dry-run", "--rate", "60")
    assert result.exit_code == 0, result.output
    first, second, third, last = result.stdout.splitlines()
    assert first == "tiny: 20 to ask, 0 answered"
    # 10 prompts of 36 or 38 characters and a frame of 8 tokens each; at most 5 tokens written.
    n_characters = sum(
        len(f"Case {i}: a {g} asks for a flat.") for i in range(1, 11) for g in ("man", "woman")
    )
    n_read = -(-n_characters // 4) + 8 * 20
    assert second == f"  about {n_read:,} tokens read; at most 100 written; 20.0 s; cost at most 100.00" or (
        second == f"  about {n_read:,} tokens read; at most 100 written; 0.3 min; cost at most 100.00"
    )
    assert re.fullmatch(
        r"FLAT decision by gender: a gap of 10/20/30 points is found in \d+/\d+/\d+ %, "
        r"and where none is, excluded in \d+/\d+/\d+ %",
        third,
    )
    assert last.startswith("What more would take: plumbline plan ")
    assert case.server.log() == []
    case.command("--limit", "10")
    measured = case.command("--dry-run").stdout.splitlines()[1]
    assert "at most" not in measured and "unknown" not in measured


WRAPPER = """
def retrieve(messages):
    return [{"role": "system", "content": "Flats are let to anybody."}, *messages]
"""


def test_a_wrapper_changes_what_is_sent_and_who_it_is(ollama):
    (ollama.folder / "retrieval.py").write_text(WRAPPER, "utf-8")
    ollama.write(wrapper="retrieval:retrieve")
    refused = ollama.command()
    assert refused.exit_code == 1 and "--allow-code" in refused.stderr and ollama.server.log() == []
    assert ollama.command("--dry-run").exit_code == 0
    result = ollama.command("--allow-code")
    assert result.exit_code == 0, result.output
    assert {entry["content"]["messages"][0]["content"] for entry in ollama.server.log()} == {
        "Flats are let to anybody."
    }
    sent = ollama.rows(
        "select t.text from responses r join texts t on t.text_key = r.messages_text_key limit 1"
    )
    assert [m["role"] for m in json.loads(sent[0][0])] == ["system", "user"]
    options = json.loads(ollama.rows("select options from configs")[0][0])
    assert options["wrapper"] == "retrieval:retrieve" and len(options["wrapper_sha256"]) == 64
    # Other code is another config: all is asked anew.
    (ollama.folder / "retrieval.py").write_text(WRAPPER.replace("anybody", "nobody"), "utf-8")
    assert ": 20 to ask, 0 answered" in ollama.command("--dry-run").stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:f", "no module 'nowhere'"),
        ("retrieval:g", "no function 'g'"),
        ("../x:f", "names no function"),
    ],
)
def test_a_wrapper_that_is_not_there_is_named(ollama, name, message):
    (ollama.folder / "retrieval.py").write_text(WRAPPER, "utf-8")
    content = yaml.safe_load(ollama.path.read_text("utf-8"))
    content["configs"][0]["wrapper"] = name
    ollama.path.write_text(yaml.safe_dump(content), "utf-8")
    result = ollama.command("--allow-code")
    assert result.exit_code == 1 and message in result.stderr


LIE = """
import os
def retrieve(messages):
    for fd in range(3, 9):
        try:
            os.write(fd, {says!r}.encode() + b"\\n")
        except OSError:
            pass
    while True:
        pass
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def retrieve(messages): raise SystemExit(0)", "The suite's wrapper failed: SystemExit: 0."),
        ("def retrieve(messages): return 1 / 0", "The suite's wrapper failed: ZeroDivisionError"),
        ("def retrieve(messages): return ['text']", "it returned ['text'], no list of {'role'"),
        ("def retrieve(messages): return []", "it returned [], no list of"),
        (LIE.format(says='{"messages": "all"}'), "it returned something else, no list of"),
        (LIE.format(says='{"messages": [{"role": "user"}]}'), "it returned something else, no list of"),
        (LIE.format(says="[1]"), "it returned something else than was asked for, no list of"),
        ("import os\ndef retrieve(messages): os._exit(0)", "wrapper failed: it ended with exit code 0."),
        ("import os\ndef retrieve(messages): os.kill(os.getpid(), 9)", "it was ended by SIGKILL."),
        ("def retrieve(messages):\n  while True: pass", "it took over 1 seconds."),
        ("def retrieve(messages): return bytearray(4 << 30)", "MemoryError"),
        ("def retrieve(messages): raise ValueError('\\x1b[31m' * 999)", "ValueError: \\x1b[31m"),
        ("raise SystemExit(0)", "The wrapper 'retrieval:retrieve' does not load: SystemExit: 0."),
        ("def retrieve(messages", "does not load: SyntaxError"),
    ],
)
def test_a_wrapper_that_fails_ends_in_one_line_and_never_well(ollama, code, said, monkeypatch):
    monkeypatch.setattr(own_code, "limits_of_code", lambda: Limits(1.0, 1 << 30))
    (ollama.folder / "retrieval.py").write_text(code, "utf-8")
    ollama.write(wrapper="retrieval:retrieve")
    result = ollama.command("--allow-code")
    assert result.exit_code == 1 and said in result.stderr and "Traceback" not in result.output
    assert len(result.stderr.partition("Error: ")[2]) <= 300
    assert ollama.server.log() == [] and ollama.rows("select count(*) from responses") == [(0,)]


def test_a_wrapper_sees_no_keys_and_leaves_no_process(ollama, monkeypatch):
    left = ollama.folder / "left"
    code = f"""
import os
def retrieve(messages):
    open({str(left)!r}, "a").write(f"{{os.getpid()}}\\n")
    print("on stdout")
    return [{{"role": "user", "content": os.environ.get("CANARY_API_KEY", "none")}}]
"""
    (ollama.folder / "retrieval.py").write_text(code, "utf-8")
    monkeypatch.setenv("CANARY_API_KEY", "canary-0123456789abcdef")
    ollama.write(wrapper="retrieval:retrieve")
    result = ollama.command("--allow-code", "--concurrency", "4")
    assert result.exit_code == 0 and "on stdout" not in result.output
    assert {entry["content"]["messages"][0]["content"] for entry in ollama.server.log()} == {"none"}
    processes = set(left.read_text().split())
    assert 1 <= len(processes) <= 4
    assert not [pid for pid in processes if Path(f"/proc/{pid}").exists()]


def test_half_characters_and_odd_texts_do_not_break_the_store(case):
    case.server.rules(
        {"match": "Case 1: ", "do": "answer", "says": "half \ud83d a smile"},
        {"match": "Case 2: ", "do": "answer", "says": "nul \x00 and \u2028 line"},
        {"match": "Case 3: ", "do": "answer", "says": "long " * 40_000},
    )
    assert case.ask() == {"ok": N_PROMPTS}
    texts = [text for (text,) in case.rows("select text from texts order by length(text) desc")]
    assert len(texts[0]) == 200_000 and "half ? a smile" in texts and "nul \x00 and \u2028 line" in texts


def test_seeds_belong_to_root_and_repeat():
    def seed(root, repeat, **options):
        config = Config(backend="ollama", model="m", options=options)
        return request_seed(Request("k", "p", config, "c", "", root, repeat, {}))

    assert seed("a", 0) == seed("a", 0)
    assert len({seed("a", 0), seed("a", 1), seed("b", 0)}) == 3
    assert (seed("a", 0, seed=7), seed("b", 2, seed=7)) == (7, 9)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("-3", 0.0),
        ("nan", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert seconds_of(header) == seconds
