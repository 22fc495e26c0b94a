"""JSON that is no answer, in every place of a reply: one line, in the status that fits."""

import json
from contextlib import nullcontext

import pytest
from asked import Case
from servers.raw import drip, http, raw

from ingest.backends import AttemptFailed, Rejected, Request
from ingest.backends.anthropic import AnthropicBackend
from ingest.backends.http import reading
from ingest.backends.ollama import OllamaBackend
from ingest.backends.openai import OpenAIBackend
from ingest.errors import PlumblineError
from ingest.suite import Config

DEEP = b"[" * 100_000 + b"]" * 100_000
DEEP_OBJECT = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
BACKENDS = {"openai": OpenAIBackend, "ollama": OllamaBackend}


@pytest.fixture
def server():
    with raw() as running:
        yield running


@pytest.fixture(params=BACKENDS)
def ask(request, server):
    """Ask with the reply's parts in place; they are bytes of JSON."""

    def run(status="200 OK", body=None, describe=False, **parts):
        said = shape(request.param, **parts) if body is None else body
        server.speak = lambda _: [http(said, status=status)]
        config = Config(backend=request.param, model="tiny", base_url=server.url, timeout_seconds=5.0)
        backend = BACKENDS[request.param](None)
        if describe:
            return backend.describe(config)
        messages = [{"role": "user", "content": "Q"}]
        return backend.answer(Request("k", "p", config, "c", "Q", "r", 0, {}, messages=messages))

    run.backend = request.param
    return run


def shape(backend, content=b'"Yes."', model=b'"tiny"', count=b"3", finish=b'"stop"', more=b""):
    """Return the bytes of a reply, each part as given."""
    message = b'{"role": "assistant", "content": ' + content + b"}"
    if backend == "ollama":
        return (
            b'{"model": %s, "message": %s, "done_reason": %s, "prompt_eval_count": %s, "eval_count": 3%s}'
            % (model, message, finish, count, more)
        )
    choice = b'{"index": 0, "message": %s, "logprobs": null, "finish_reason": %s}' % (message, finish)
    usage = b'{"prompt_tokens": %s, "completion_tokens": 3}' % count
    return b'{"model": %s, "choices": [%s], "usage": %s%s}' % (model, choice, usage, more)


@pytest.mark.parametrize("deep", [DEEP, DEEP_OBJECT, b"[" * 100_000, b"[" * 900 + b"]" * 900])
@pytest.mark.parametrize("part", ["content", "model", "finish", "body"])
def test_what_is_nested_too_deep_is_unreadable(ask, part, deep):
    with pytest.raises(AttemptFailed, match="unreadable reply") as caught:
        ask(**{part: deep})
    assert caught.value.status == "server_error" and len(str(caught.value)) <= 300


@pytest.mark.parametrize("deep", [DEEP, DEEP_OBJECT, b"[" * 900 + b"]" * 900])
def test_a_part_that_nobody_reads_does_no_harm_unless_it_is_too_deep(ask, deep):
    more = b', "logprobs": ' + deep
    if len(deep) > 10_000:
        with pytest.raises(AttemptFailed, match="nested too deep"):
            ask(more=more)
    else:
        assert ask(more=more).text == "Yes."


@pytest.mark.parametrize("body", [DEEP, b'{"error": ' + DEEP_OBJECT + b"}", b'{"error": {"message": ' + DEEP])
def test_an_error_that_is_nested_too_deep_is_cut(ask, body):
    with pytest.raises(AttemptFailed, match="HTTP 500") as caught:
        ask(status="500 No", body=body)
    assert len(str(caught.value)) <= 310
    with pytest.raises(PlumblineError, match="HTTP 401") as caught:
        ask(status="401 No", body=body)
    assert len(caught.value.message) <= 300
    assert ask(status="400 No", body=body).status == "client_error"


def test_the_list_of_models_is_read_with_care(server):
    config = Config(backend="ollama", model="tiny", base_url=server.url, timeout_seconds=5.0)
    names = json.dumps(
        {"models": [{"model": f"\x1b[2J{i}" + "x" * 500} for i in range(1_000)], "version": "1"}
    )
    for body in (
        DEEP,
        b'{"version": 1, "models": ' + DEEP,
        b'{"version": "1", "models": [[]]}',
        names.encode(),
    ):
        server.speak = lambda _, body=body: [http(body)]
        with pytest.raises(PlumblineError) as caught:
            OllamaBackend(None).describe(config)
        assert "\x1b" not in caught.value.message and server.host in caught.value.message
        assert len(caught.value.message) <= 290


@pytest.mark.parametrize("digest", ["sha256:\ud800", "sha256:\n", "sha256:é"])
def test_a_digest_that_no_table_holds_is_none(server, digest):
    # Half a surrogate is stored as a question mark: the next look would have found another model.
    config = Config(backend="ollama", model="tiny", base_url=server.url, timeout_seconds=5.0)
    said = {"models": [{"model": "tiny", "digest": digest}], "version": "1"}
    server.speak = lambda _: [http(json.dumps(said).encode())]
    with pytest.raises(PlumblineError, match=r"cannot be asked: unreadable reply: .* is none"):
        OllamaBackend(None).describe(config)
    said["models"] += [{"model": "another", "digest": "sha256:0"}]
    assert OllamaBackend(None).current_digest(config.model_copy(update={"model": "another"})) == "sha256:0"


@pytest.mark.parametrize(
    "count",
    [b"-3", b"2147483648", b"1e999", b"NaN", b"-Infinity", b"1.5", b"true", b'"3"', b"[3]", b"null"],
)
def test_a_count_that_is_none_is_left_out_and_the_answer_stays(ask, count):
    answer = ask(count=count)
    assert (answer.text, answer.status, answer.n_prompt_tokens, answer.n_output_tokens) == (
        "Yes.",
        "ok",
        None,
        3,
    )


def test_a_whole_number_may_be_written_with_a_point(ask):
    assert ask(count=b"10.0").n_prompt_tokens == 10


def test_a_number_that_no_reader_takes_is_unreadable(ask):
    with pytest.raises(AttemptFailed, match="unreadable reply") as caught:
        ask(count=b"9" * 5_000)
    assert len(str(caught.value)) <= 300


def test_an_error_beside_anthropics_answer_is_said_and_the_answer_is_none():
    reply = {"content": [{"type": "text", "text": "Ye"}], "stop_reason": None, "error": {"message": "died"}}
    config = Config(backend="anthropic", model="tiny", base_url="http://127.0.0.1:9")
    with (
        pytest.raises(AttemptFailed, match="the server failed while it answered: died"),
        reading(config, None),
    ):
        AnthropicBackend(None).read(reply, None)


@pytest.mark.parametrize("usage", [None, [], "none", 7, {"input_tokens": -1, "output_tokens": 2.0}])
@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_what_is_said_of_tokens_in_another_shape_costs_no_answer(name, usage):
    choices = [{"message": {"content": "Yes."}, "finish_reason": "stop"}]
    reply = {"choices": choices, "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"}
    answer = {"openai": OpenAIBackend, "anthropic": AnthropicBackend}[name](None).read(
        {**reply, "usage": usage}, None
    )
    assert (answer.text, answer.status, answer.n_prompt_tokens) == ("Yes.", "ok", None)


@pytest.mark.parametrize("text", [b'"\\ud800 Yes"', b'"a\\u0000b"', b'"\\udc00\\ud800"'])
def test_halves_of_characters_and_nul_are_text_until_the_journal(ask, text):
    assert ask(content=text).status == "ok"


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource", "load", "unload"])
def test_half_an_answer_of_a_server_that_failed_is_none(ask, reason):
    with pytest.raises(
        AttemptFailed, match=f"the answer broke off: its finish reason is '{reason}'"
    ) as caught:
        ask(finish=json.dumps(reason).encode())
    assert caught.value.status == "server_error"


@pytest.mark.parametrize("message", [{}, {"message": None}])
def test_a_filter_may_leave_no_message(message):
    reply = {"choices": [{"finish_reason": "content_filter", **message}]}
    assert OpenAIBackend(None).read(reply, None).status == "content_filtered"


def test_an_answer_that_the_context_cut_is_cut(ask):
    assert ask(finish=b'"model_length"').status == "truncated_output"


@pytest.mark.parametrize("error", [b'"upstream died"', b'{"code": 502, "message": "upstream died"}'])
def test_an_error_beside_half_an_answer_is_said_and_the_half_is_none(ask, error):
    with pytest.raises(AttemptFailed, match="the server failed while it answered: upstream died"):
        ask(more=b', "error": ' + error)
    with pytest.raises(AttemptFailed, match="the server failed while it answered: upstream died"):
        ask(body=b'{"error": ' + error + b"}")
    if ask.backend == "openai":
        with pytest.raises(AttemptFailed, match="the server failed while it answered: upstream died"):
            ask(finish=b'"stop", "error": ' + error)


def test_what_ollama_has_not_done_is_no_answer(ask):
    if ask.backend == "ollama":
        with pytest.raises(AttemptFailed, match="the answer has no end"):
            ask(more=b', "done": false')


def lines(*parts):
    """Return a reply as Ollama streams it."""
    body = b"".join(json.dumps(part).encode() + b"\n" for part in parts)
    return http(body).replace(b"application/json", b"application/x-ndjson")


END = {"message": {"content": ""}, "done": True, "done_reason": "stop", "eval_count": 3, "model": "tiny"}


def part_of(text, **more):
    return {"message": {"role": "assistant", "content": text, **more}, "done": False}


@pytest.fixture
def streamed(server):
    """Ask an Ollama server that streams, though nobody asked for that."""

    def run(*parts):
        server.speak = lambda _: [lines(*parts)]
        config = Config(backend="ollama", model="tiny", base_url=server.url, timeout_seconds=5.0)
        messages = [{"role": "user", "content": "Q"}]
        return OllamaBackend(None).answer(Request("k", "p", config, "c", "Q", "r", 0, {}, messages=messages))

    return run


def test_an_ollama_server_that_streams_whatever_is_asked_is_read(streamed):
    answer = streamed(part_of("", thinking="Hm."), part_of("Y"), part_of("es."), END)
    assert (answer.text, answer.status, answer.reasoning) == ("Yes.", "ok", "Hm.")
    assert (answer.finish_reason, answer.n_output_tokens, answer.served_model) == ("stop", 3, "tiny")
    tokens = [{"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "Yes", "logprob": -0.1}]}]
    assert streamed({**part_of("Yes"), "logprobs": tokens}, END).first_tokens == [("Yes", -0.1)]
    call = {"function": {"name": "search"}}
    assert streamed(part_of("I look.", tool_calls=[call]), END).status == "empty"
    assert streamed(part_of("Ye"), {**END, "done_reason": "length"}).status == "truncated_output"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([part_of("Ye"), part_of("s")], "the stream has no end"),
        ([], "the stream has no end"),
        (
            [part_of("Ye"), {"error": "the runner died"}],
            "the server failed while it answered: the runner died",
        ),
        ([part_of("Ye"), [], END], "not what was promised"),
        ([part_of(7), END], "7 is no str"),
    ],
)
def test_half_a_stream_of_ollama_is_no_answer(streamed, parts, words):
    with pytest.raises(AttemptFailed, match=words):
        streamed(*parts)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("model requires more system memory (24.5 GiB) than is available (7.2 GiB)", "Free memory"),
        ('model "tiny" not found, try pulling it first', "fetch the model"),
        ("llama runner process has terminated: error loading model: unknown model architecture", "fetch the"),
    ],
)
@pytest.mark.parametrize("status", ["500 No", "200 OK"])
def test_a_model_that_no_waiting_brings_ends_the_run_at_once(ask, status, error, words):
    with pytest.raises(PlumblineError, match=words) as caught:
        ask(status=status, body=json.dumps({"error": error}).encode())
    assert error[:40] in caught.value.message


def test_a_rejected_prompt_that_speaks_of_a_model_ends_no_run(ask):
    answer = ask(status="400 No", body=b'{"error": "bad prompt: the model railway was not found"}')
    assert answer.status == "client_error"


@pytest.mark.parametrize(("code", "words"), [(401, "key_variable"), (402, "pay with"), (404, "model:")])
def test_an_error_of_no_use_to_repeat_is_one_in_a_reply_with_status_200_too(ask, code, words):
    with pytest.raises(PlumblineError, match=words):
        ask(body=json.dumps({"error": {"code": code, "message": "No."}}).encode())


@pytest.mark.parametrize(
    ("code", "status"),
    [(429, "rate_limited"), (408, "timeout"), (503, "server_error"), ("x", "server_error")],
)
def test_an_error_in_a_reply_has_the_status_of_its_code(ask, code, status):
    with pytest.raises(AttemptFailed, match="No") as caught:
        ask(body=json.dumps({"error": {"code": code, "message": "No."}}).encode())
    assert caught.value.status == status


def test_an_empty_reply_is_said_to_be_empty(ask):
    with pytest.raises(AttemptFailed, match="unreadable reply: it is empty"):
        ask(body=b" ")


def test_words_beside_a_call_are_no_answer(ask):
    answer = ask(content=b'"I look it up.", "tool_calls": [{"function": {"name": "search"}}]')
    assert (answer.status, answer.text, answer.error) == ("empty", None, "I look it up.")
    assert ask(content=b'"Yes.", "tool_calls": []').text == "Yes."


def test_words_beside_a_call_in_a_stream_are_no_answer():
    said = {"content": "I look it up."}, {"tool_calls": [{"index": 0, "function": {"name": "search"}}]}, {}
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in said]
    events[-1]["choices"][0]["finish_reason"] = "stop"
    backend = OpenAIBackend(None)
    assert backend.read(backend.folded(events), None).status == "empty"
    del events[1]
    assert backend.read(backend.folded(events), None).text == "I look it up."


@pytest.mark.parametrize("length", [b"true", b"0", b"1e3", b'"9"'])
def test_a_length_of_context_that_is_none_binds_nothing(server, length):
    said = b'{"version": "1", "models": [{"model": "tiny"}], "model_info": {"a.context_length": %s}}' % length
    server.speak = lambda _: [http(said)]
    config = Config(backend="ollama", model="tiny", base_url=server.url, timeout_seconds=5.0)
    assert OllamaBackend(None).describe(config).details["context_length"] == 4096


@pytest.mark.parametrize("can", [None, [], 7, ["completion"], ["completion", "thinking"]])
def test_a_model_that_does_not_think_is_told_before_it_is_asked(server, can):
    said = {"version": "1", "models": [{"model": "tiny"}], "capabilities": can}
    server.speak = lambda _: [http(json.dumps(said).encode())]
    config = Config(backend="ollama", model="tiny", base_url=server.url, options={"think": True})
    with pytest.raises(PlumblineError, match="not think") if can == ["completion"] else nullcontext():
        OllamaBackend(None).describe(config)


def test_of_doubled_names_the_last_counts(ask):
    assert ask(content=b'"No.", "content": "Yes."').text == "Yes."


@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"0", b"true", b'[{"type": "text", "text": 1}]', b"[{}]", DEEP[:10]]
)
def test_a_text_that_is_none_is_unreadable(ask, content):
    with pytest.raises(AttemptFailed, match="unreadable reply"):
        ask(content=content)


def test_a_server_says_its_error_on_one_line_without_what_steers_a_terminal(ask):
    with pytest.raises(PlumblineError, match=r"no\\x1b\[2J such model") as caught:
        ask(status="404 No", body=json.dumps({"error": "no\x1b[2J\n\nsuch model" + "x" * 10**6}).encode())
    assert "\n" not in caught.value.message
    assert isinstance(caught.value.__context__, Rejected)


KEY = "sk-not-to-be-told-0123456789"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (f"<html>\n<title>Log in</title> {KEY}", "<html> <title>Log in</title> [key]"),
        (json.dumps({"message": f"no quota for {KEY}"}), '{"message": "no quota for [key]"}'),
        ("\0".join(KEY + " "), "[key]"),
    ],
)
def test_what_an_unreadable_reply_begins_with_is_said_without_the_key(server, monkeypatch, body, words):
    monkeypatch.setenv("TINY_KEY", KEY)
    server.speak = lambda _: [http(body.encode())]
    config = Config(backend="openai", model="tiny", base_url=server.url, key_variable="TINY_KEY")
    messages = [{"role": "user", "content": "Q"}]
    with pytest.raises(AttemptFailed, match="unreadable reply") as caught:
        OpenAIBackend(None).answer(Request("k", "p", config, "c", "Q", "r", 0, {}, messages=messages))
    assert f"it begins with '{words}'" in str(caught.value) and KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (http(DEEP), "nested too deep"),
        (http(b"{}", "content-encoding: br"), "nobody asked for"),
        (http(b"x" * 600, "content-length: 9"), "JSONDecodeError"),
        (b"HTTP/1.1 200 OK\r\nx-a: " + b"b" * 1_000, "no end after 1 s"),
    ],
)
def test_a_server_of_nothing_but_that_stops_the_run_in_one_line(server, tmp_path, said, words):
    server.speak = lambda _: drip(said) if said.endswith(b"bbb") else [said]
    case = Case(tmp_path, server, "openai", timeout_seconds=0.5)
    with pytest.raises(PlumblineError, match=words) as caught:
        case.ask(concurrency=4)
    assert caught.value.message.startswith("tiny: the server failed 5 requests in a row")
    assert len(caught.value.message) <= 290 and "\n" not in caught.value.message
    assert case.rows("select count(*) from responses where text_key is not null") == [(0,)]
