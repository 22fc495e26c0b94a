"""Azure OpenAI and Anthropic, and streams: against servers on loopback that speak as their documents say."""

import json

import pytest
from asked import KEY, N_PROMPTS, keyed_case, said

from ingest.backends.anthropic import AnthropicBackend
from ingest.backends.http import events_of, message_of
from ingest.backends.openai import OpenAIBackend
from ingest.backends.replies import estimate_prompt

KEY_HEADER = {"openai": "authorization", "azure": "api-key", "anthropic": "x-api-key"}
FILTER = {
    "error": {
        "code": "content_filter",
        "message": "The response was filtered: the prompt met the content policy. Mind temperature.",
        "param": "prompt",
        "innererror": {"code": "ResponsibleAIPolicyViolation"},
    }
}
OPENROUTERS_FILTER = {
    "error": {"code": 403, "message": "The model requires moderation. Your input was flagged for violence."}
}
FLAGGED = {
    "error": {"code": "invalid_prompt", "message": "Your prompt was flagged as potentially violating it"}
}
ANTHROPICS_FILTER = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"},
}
HEAT = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."


@pytest.fixture(params=["openai", "azure", "anthropic"])
def case(request, tmp_path, running, monkeypatch):
    return keyed_case(request.param, tmp_path, running, monkeypatch, concurrency=4)


@pytest.fixture(params=["azure", "anthropic"])
def new(request, tmp_path, running, monkeypatch):
    return keyed_case(request.param, tmp_path, running, monkeypatch, concurrency=4)


@pytest.fixture
def azure(tmp_path, running, monkeypatch):
    return keyed_case("azure", tmp_path, running, monkeypatch, concurrency=4)


@pytest.fixture
def anthropic(tmp_path, running, monkeypatch):
    return keyed_case("anthropic", tmp_path, running, monkeypatch, concurrency=4)


def test_all_is_asked_and_kept_with_tokens_and_the_key_in_its_own_header_alone(case):
    assert case.ask() == {"ok": N_PROMPTS}
    answers = """
        select prompt, text, n_prompt_tokens, n_output_tokens, served_model
        from responses join prompts using (prompt_key) join texts using (text_key)
    """
    for prompt, text, n_prompt, n_output, served in case.rows(answers):
        assert text == prompt[::-1] and served.startswith("tiny-2026")
        assert (n_prompt, n_output) == (len(prompt) // 4 + 5, 3)
    wanted = f"Bearer {KEY}" if case.backend == "openai" else KEY
    for entry in case.server.log():
        sent = {name: entry[name] for name in KEY_HEADER.values() if entry[name] is not None}
        assert sent == {KEY_HEADER[case.backend]: wanted}
    assert case.ask() == {}


def test_a_wrong_key_and_an_unknown_model_are_said_after_one_request(new, monkeypatch):
    monkeypatch.setenv("TINY_KEY", "sk-another-key-9876543210")
    line = said(new.ask)
    assert "tiny: HTTP 401" in line and "`key_variable:`" in line and "sk-another" not in line
    monkeypatch.setenv("TINY_KEY", KEY)
    new.write(model="huge")
    assert "huge: HTTP 404" in said(new.ask) and new.rows("from responses") == []


@pytest.mark.parametrize(
    ("rule", "status", "n_asked"),
    [
        ({"do": "status", "status": 429, "retry_after": 0}, "rate_limited", 3),
        ({"do": "status", "status": 529, "body": {"error": {"type": "overloaded_error"}}}, "server_error", 3),
        ({"do": "status", "status": 400, "body": FILTER}, "content_filtered", 1),
        ({"do": "status", "status": 400, "body": ANTHROPICS_FILTER}, "content_filtered", 1),
        ({"do": "body", "body": ANTHROPICS_FILTER}, "content_filtered", 1),
        ({"do": "status", "status": 403, "body": OPENROUTERS_FILTER}, "content_filtered", 1),
        ({"do": "status", "status": 400, "body": FLAGGED}, "content_filtered", 1),
        ({"do": "hangup"}, "server_error", 3),
        ({"do": "text", "text": "[]"}, "server_error", 3),
        ({"do": "body", "body": {"model": "tiny"}}, "server_error", 3),
    ],
)
def test_what_goes_wrong_has_its_status(new, rule, status, n_asked):
    new.server.rules({"match": "Case 3: a man", **rule})
    assert new.ask() == {"ok": N_PROMPTS - 1, status: 1}
    assert sum("Case 3: a man" in prompt for prompt in new.server.prompts()) == n_asked


def test_a_filter_that_meets_the_first_prompt_is_no_refused_option(azure):
    azure.server.rules({"do": "status", "status": 400, "body": FILTER, "times": 1})
    assert azure.ask() == {"ok": N_PROMPTS - 1, "content_filtered": 1}


def test_a_prompt_that_a_filter_stops_costs_what_was_read_and_not_the_servers_words(azure):
    azure.write(prices={"prompt": 10.0, "output": 1_000.0})
    azure.server.rules({"match": "Case 3: a man", "do": "status", "status": 400, "body": FILTER})
    azure.ask()
    prompt = estimate_prompt([{"content": "Case 3: a man asks for a flat."}])
    ((cost,),) = azure.rows("select cost from responses where response_status = 'content_filtered'")
    assert cost == pytest.approx(prompt * 10 / 1e6)


def test_another_model_in_the_reply_is_no_answer(new):
    new.server.rules({"match": "Case 3", "do": "answer", "served": "tiny-mini"})
    assert new.ask() == {"ok": N_PROMPTS - 2, "other_model": 2}


def test_a_server_that_only_streams_is_told_and_then_asked_for_a_stream(case):
    case.server.rules({"do": "streams only"})
    line = said(case.ask)
    assert "tiny: the server answers in a stream alone: HTTP 400" in line
    assert "Write `stream: true` in the config's `options:`." in line and case.server.n_asked() == 1
    case.write(options={"stream": True})
    assert case.ask() == {"ok": N_PROMPTS}
    answers = """
        select prompt, text, n_prompt_tokens, n_output_tokens, finish_reason
        from responses join prompts using (prompt_key) join texts using (text_key)
    """
    end = "end_turn" if case.backend == "anthropic" else "stop"
    for prompt, *rest in case.rows(answers):
        assert rest == [prompt[::-1], len(prompt) // 4 + 5, 3, end]


OVERLOADED = {"type": "error", "error": {"message": f"Overloaded {KEY}"}}


@pytest.mark.parametrize(
    ("breaks", "status", "words"),
    [
        (None, "server_error", "the stream has no end"),
        (OVERLOADED, "server_error", "Overloaded [key]"),
        (ANTHROPICS_FILTER, "content_filtered", "Output blocked by content filtering policy"),
    ],
)
def test_a_stream_that_breaks_off_is_no_answer(case, breaks, status, words):
    case.write(options={"stream": True})
    case.server.rules({"match": "Case 3: a man", "do": "answer", "breaks": breaks})
    assert case.ask() == {"ok": N_PROMPTS - 1, status: 1}
    ((error,),) = case.rows("select error from responses where response_status <> 'ok'")
    assert words in error and KEY not in error


def test_a_key_that_two_events_cut_is_not_stored(case):
    case.write(options={"stream": True})
    case.server.rules({"do": "answer", "says": f"The key is {KEY}, is it not?"})
    assert case.ask() == {"ok": N_PROMPTS}
    texts = case.rows("select distinct text from responses join texts using (text_key)")
    assert texts == [("The key is [key], is it not?",)]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085"])
def test_what_ends_a_line_of_python_ends_none_of_a_stream(character):
    said = f'data: {{"text": "one{character}two"}}\n\n'.encode()
    assert events_of(said) == [{"text": f"one{character}two"}]


def test_an_event_without_content_is_none():
    assert events_of(b'\xef\xbb\xbfdata: {"a": 1}\n\ndata:\n\ndata: \n\n: wait\n\ndata: {"b": 2}\n\n') == [
        {"a": 1},
        {"b": 2},
    ]


def test_events_are_read_however_their_lines_end():
    assert events_of(b'data: {"a":\r\ndata: 1}\r\n\r\n: a comment\r\n\r\ndata: [DONE]\r\n\r\n') == [{"a": 1}]


@pytest.mark.parametrize(
    "data", ['{"message": "Overloaded", "code": 529}', "Overloaded", '{"error": "Overloaded"}']
)
def test_an_event_called_error_is_one_whatever_its_data_are(data):
    with pytest.raises(ValueError, match=r"broke off: .*Overloaded"):
        events_of(f'data: {{"choices": []}}\n\nevent: error\ndata: {data}\n\n'.encode())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"type": "overloaded_error"}, "{'type': 'overloaded_error'}"),
        ({"code": "content_filter", "message": None}, "content_filter"),
        ({"code": 7, "message": "Wait."}, "Wait. (7)"),
    ],
)
def test_an_error_without_words_is_said_as_it_is(error, words):
    said = message_of(json.dumps({"error": error}).encode())
    assert words in said and not said.startswith("None")


def test_of_a_stream_of_two_choices_the_first_is_the_answer():
    def chunk(i, delta, finish=None):
        return {"choices": [{"index": i, "delta": {"content": delta}, "finish_reason": finish}]}

    backend = OpenAIBackend(None)
    events = [chunk(0, "Ann"), chunk(1, "Ben"), chunk(0, ".", "stop"), chunk(1, " and", "length")]
    answer = backend.read(backend.folded(events), 1.0)
    assert (answer.text, answer.status, answer.finish_reason) == ("Ann.", "ok", "stop")


def test_azure_asks_a_deployment_by_v1_or_by_a_dated_version(azure):
    azure.write(options={"deployment": "ours"})
    assert azure.ask() == {"ok": N_PROMPTS}
    azure.write(options={"deployment": "ours", "api_version": "2024-10-21"})
    assert azure.ask() == {"ok": N_PROMPTS}
    sent = azure.server.log()[0]["content"]
    assert "deployment" not in sent and "api_version" not in sent
    azure.write(options={"deployment": "theirs"})
    assert "DeploymentNotFound" in said(azure.ask)
    azure.write(options={"deployment": "ours/../x"})
    assert "Write the deployment's name." in said(azure.ask)


def test_a_deployment_that_is_called_otherwise_than_its_model_is_told(azure):
    azure.write(model="ours")
    line = said(azure.ask)
    assert "ours: this deployment answers as 'tiny-2026-01-01'." in line
    assert "Write `model: tiny-2026-01-01` and `options: {deployment: ours}`." in line
    assert azure.server.n_asked() == 1
    azure.write(model="tiny-2026-01-01", options={"deployment": "ours"})
    assert azure.ask() == {"ok": N_PROMPTS}


def test_azures_address_may_end_in_v1(azure):
    azure.write(base_url=f"{azure.server.url}/openai/v1/")
    assert azure.ask(limit=1) == {"ok": 1}


def test_azures_filter_in_a_reply_has_its_status(azure):
    azure.server.rules({"match": "Case 3", "do": "answer", "finish_reason": "content_filter"})
    assert azure.ask() == {"ok": N_PROMPTS - 2, "content_filtered": 2}


def test_anthropic_gets_the_system_prompt_beside_the_messages_and_no_seed(anthropic):
    options = {"stop": "\n", "top_k": 5, "temperature": "none", "max_tokens": 9}
    anthropic.write(system_prompt="You rent out flats.", options=options)
    assert anthropic.ask() == {"ok": N_PROMPTS}
    sent = anthropic.server.log()[0]["content"]
    assert sent.keys() == {"model", "messages", "system", "stop_sequences", "top_k", "max_tokens"}
    assert (sent["system"], sent["stop_sequences"]) == ("You rent out flats.", ["\n"])
    assert [message["role"] for message in sent["messages"]] == ["user"]
    ((options,),) = anthropic.rows("select options from configs")
    assert "seed" not in json.loads(options)
    anthropic.write(options={"seed": 3})
    assert "has the option 'seed', unknown to the backend 'anthropic'" in said(anthropic.ask)


@pytest.mark.parametrize(
    ("finish_reason", "status"),
    [
        ("refusal", "refused"),
        ("pause_turn", "empty"),
        ("max_tokens", "truncated_output"),
        ("model_context_window_exceeded", "truncated_output"),
        ("stop_sequence", "ok"),
    ],
)
def test_anthropics_reasons_to_stop_are_statuses(anthropic, finish_reason, status):
    anthropic.server.rules({"do": "answer", "finish_reason": finish_reason})
    assert anthropic.ask(limit=1) == {status: 1}


@pytest.mark.parametrize("thought", [None, 7, [{"text": "Hm."}]])
def test_anthropics_thoughts_in_a_shape_of_their_own_cost_no_answer(thought):
    blocks = [{"type": "thinking", "thinking": thought}, {"type": "redacted_thinking", "data": "x"}]
    blocks += [{"type": "text", "text": "Yes."}, {"type": "unheard_of"}, {"type": "thinking"}]
    answer = AnthropicBackend(None).read({"content": blocks, "stop_reason": "end_turn"}, None)
    assert (answer.status, answer.text, answer.reasoning) == ("ok", "Yes.", None)


def test_a_block_of_a_stream_may_begin_with_text():
    backend = AnthropicBackend(None)
    events = [
        {"type": "message_start", "message": {"model": "tiny"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "H"}},
        {"type": "content_block_delta", "index": 0, "delta": {"thinking": "m."}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "No"}},
        {"type": "content_block_delta", "index": 1, "delta": {"text": "body."}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    answer = backend.read(backend.folded(events), None)
    assert (answer.text, answer.reasoning) == ("Nobody.", "Hm.")


def test_anthropics_thinking_is_stored_apart(anthropic):
    anthropic.server.rules({"do": "answer", "thinking": "Hm.", "says": "Yes."})
    assert anthropic.ask(limit=1) == {"ok": 1}
    rows = anthropic.rows("""
        select a.text, b.text from responses
        join texts as a using (text_key) join texts as b on b.text_key = reasoning_text_key
    """)
    assert rows == [("Yes.", "Hm.")]


def test_what_azure_refuses_is_named_with_what_to_write(azure):
    body = {
        "error": {"message": "Unsupported parameter: 'max_tokens' is not supported.", "param": "max_tokens"}
    }
    azure.server.rules({"do": "status", "status": 400, "body": body})
    line = said(azure.ask)
    assert "tiny: the server refuses `max_tokens`" in line and "Write `max_completion_tokens: 1024`" in line
    assert azure.server.n_asked() == 1


def test_what_anthropic_refuses_is_named_with_what_to_write(anthropic):
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": HEAT}}
    anthropic.server.rules({"do": "status", "status": 400, "body": body})
    assert "refuses `temperature`" in said(anthropic.ask)
    assert anthropic.server.n_asked() == 1
    body["error"]["message"] = "max_tokens: 9999999 > 64000, which is the maximum allowed"
    anthropic.server.rules({"do": "status", "status": 400, "body": body})
    assert "Write fewer tokens." in said(anthropic.ask)
    body["error"]["message"] = "Your credit balance is too low to access the Anthropic API."
    anthropic.server.rules({"match": "Case 3", "do": "status", "status": 400, "body": body})
    assert "nothing left to pay with" in said(anthropic.ask)


def test_no_address_no_request(new):
    new.config.pop("base_url")
    new.write()
    assert "does not say where its server is. Add `base_url:`, such as https:" in said(new.ask)
