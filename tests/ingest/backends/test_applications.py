"""Applications of one's own: behind HTTP, by the form of requests and replies, and as a Python function."""

import json
from datetime import date
from pathlib import Path

import pytest
import yaml
from asked import ASKED, KEY, N_PROMPTS, SOON, Case, said

from ingest.apart.process import Limits
from ingest.asking.run import generate_answers
from ingest.suite import load_suite, own_code
from ingest.suite.applications import found_at

ANSWER = "$.out[0].text"
REPLY = {
    "status": "$.state",
    "statuses": {"done": "ok", "blocked": "content_filtered", "busy": "rate_limited"},
    "trace": "$.steps",
    "prompt_tokens": "$.use.in",
    "output_tokens": "$['use'].out",
}


class Application(Case):
    """A suite asked of an application."""

    def __init__(self, folder, server):
        self.folder, self.server, self.backend = folder, server, "http"
        self.data = folder / "data"
        self.config = {
            "backend": "http",
            "model": "our-app",
            "url": f"{server.url}/ask?v=2",
            "body": {"question": "{prompt}", "user": {"id": 7, "tags": ["a", None]}},
            "headers": {"X-App-Token": {"env": "APP_TOKEN"}, "X-Version": "2"},
            "answer": ANSWER,
        }
        self.write()


@pytest.fixture
def app(tmp_path, running, monkeypatch):
    monkeypatch.setenv("APP_TOKEN", KEY)
    running.reset()
    return Application(tmp_path, running)


def test_an_application_is_asked_and_its_way_is_kept_beside_the_answer(app):
    app.write(reply=REPLY)
    assert app.ask(concurrency=4) == {"ok": N_PROMPTS}
    rows = app.rows("""
        select p.prompt, t.text, w.text, n_prompt_tokens, n_output_tokens
        from responses join prompts as p using (prompt_key) join texts as t using (text_key)
        join texts as w on w.text_key = reasoning_text_key
    """)
    assert len(rows) == N_PROMPTS
    for prompt, text, way, *tokens in rows:
        assert text == prompt[::-1] and tokens == [11, 7]
        assert json.loads(way) == [{"call": "search", "found": 3}, {"call": "model", "tokens": 7}]
    for entry in app.server.log():
        assert entry["content"].keys() == {"question", "user"}
        assert entry["content"]["user"] == {"id": 7, "tags": ["a", None]}
        assert (entry["headers"]["x-app-token"], entry["headers"]["x-version"]) == (KEY, "2")
        assert "authorization" not in entry["headers"]
    ((options,),) = app.rows("select options from configs")
    assert json.loads(options)["headers"]["X-App-Token"] == {"env": "APP_TOKEN"} and KEY not in options
    assert app.ask() == {}
    app.write(body={"question": "{prompt}", "user": {"id": 8}})
    assert app.ask(limit=1) == {"ok": 1}  # another body is another config


def test_a_prompt_is_a_value_and_never_a_part_of_the_body(app, tmp_path, monkeypatch):
    content = yaml.safe_load(ASKED.read_text("utf-8"))
    odd = 'A {gender} asks: ", "user": [], "x": "{system} {messages} \\n for a flat.'
    content["categories"]["FLAT"] |= {"prompts": [odd], "slots": {"system": ["{seed}"], "messages": ["\\"]}}
    (tmp_path / "odd.yml").write_text(yaml.safe_dump(content), "utf-8")
    monkeypatch.setattr("asked.ASKED", tmp_path / "odd.yml")
    monkeypatch.setattr(app, "data", tmp_path / "odd")
    body = {
        "question": "{prompt}",
        "before": "Now: {prompt} {other}",
        "turns": "{messages}",
        "seed": "{seed}",
    }
    app.write(body=body)
    assert app.ask() == {"ok": 2}
    prompts = {prompt for (prompt,) in app.rows("select prompt from prompts")}
    for entry in app.server.log():
        sent = entry["content"]
        assert sent["question"] in prompts and sent["before"] == f"Now: {sent['question']} {{other}}"
        assert sent["turns"] == [{"role": "user", "content": sent["question"]}]
        assert isinstance(sent["seed"], int) and sent.keys() == body.keys()
        assert '"x": "{seed} \\' in sent["question"]


@pytest.mark.parametrize(
    ("rule", "status", "n_asked"),
    [
        ({"says": {"out": [{"text": None}], "state": "blocked"}}, "content_filtered", 1),
        ({"says": {"state": "blocked"}}, "content_filtered", 1),
        ({"says": {"out": [{"text": ""}], "state": "done"}}, "empty", 1),
        ({"says": {"out": [{"text": "I'm sorry, but I can't help with that."}]}}, "refused", 1),
        ({"says": {"state": "busy"}}, "rate_limited", 3),
        ({"says": {"out": [{"text": "Yes."}], "state": "asleep"}}, "server_error", 3),
        ({"says": {"out": [{"text": 7}], "state": "done"}}, "server_error", 3),
        ({"says": {"out": []}}, "server_error", 3),
        ({"do": "status", "status": 429, "retry_after": 0}, "rate_limited", 3),
        ({"do": "status", "status": 500}, "server_error", 3),
        ({"do": "status", "status": 422, "body": {"error": "no"}}, "client_error", 1),
        ({"do": "status", "status": 422, "body": {"error": "content filter"}}, "content_filtered", 1),
    ],
)
def test_what_a_reply_says_is_the_status(app, rule, status, n_asked):
    app.write(reply=REPLY)
    app.server.rules({"match": "Case 3: a man", "do": "answer", **rule})
    assert app.ask() == {"ok": N_PROMPTS - 1, status: 1}
    asked = [entry["content"]["question"] for entry in app.server.log()]
    assert sum("Case 3: a man" in prompt for prompt in asked) == n_asked


def test_a_wrong_token_is_said_after_one_request(app, monkeypatch):
    monkeypatch.setenv("APP_TOKEN", "sk-another-key-9876543210")
    line = said(app.ask)
    assert "our-app: HTTP 401" in line and "sk-another" not in line
    assert len(app.server.log()) == 1 and app.rows("from responses") == []


def test_an_application_that_streams_is_told(app):
    app.server.rules({"do": "stream"})
    line = said(app.ask)
    assert "it is a stream of events; have the server answer in one piece" in line


def test_a_long_way_is_cut(app):
    app.write(reply=REPLY)
    app.server.rules({"do": "answer", "says": {"out": [{"text": "Yes."}], "steps": ["x" * 30_000]}})
    assert app.ask(limit=1) == {"ok": 1}
    ((n,),) = app.rows("select n_characters from responses join texts on texts.text_key = reasoning_text_key")
    assert n == 20_000


@pytest.mark.parametrize("found", [7, 0, ["Yes."], {"text": "Yes."}, False])
def test_an_answer_that_is_no_text_is_told_after_one_request(app, found):
    app.server.rules({"do": "body", "body": {"out": [{"text": found}]}})
    line = said(app.ask)
    assert f"the reply has {found!r} at $.out[0].text, which is no text. Mend `answer:`" in line
    assert len(app.server.log()) == 1


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        ("no quota left", "server_error", "the server failed while it answered: no quota left"),
        ({"code": 429, "message": "Wait."}, "rate_limited", "Wait. (429)"),
        ("stopped by the content filter", "content_filtered", "stopped by the content filter"),
    ],
)
def test_an_error_in_place_of_an_answer_is_said(app, error, status, words):
    app.server.rules({"match": "Case 3: a man", "do": "body", "body": {"error": error}})
    assert app.ask() == {"ok": N_PROMPTS - 1, status: 1}
    ((said_of_it,),) = app.rows("select error from responses where response_status <> 'ok'")
    assert words in said_of_it


def test_an_answer_that_is_elsewhere_is_told_after_one_request(app):
    app.write(answer="$.choices[0].text")
    line = said(app.ask)
    assert "the reply has nothing at $.choices[0].text; it has out, state, steps, use." in line
    assert "Mend `answer:`" in line and len(app.server.log()) == 1


def test_a_secret_goes_only_to_the_host_that_is_named_and_into_nothing_that_is_kept(app, monkeypatch):
    app.server.rules({"do": "status", "status": 400, "body": {"error": f"bad token {KEY}"}, "times": 1})
    app.server.rules({"match": "Case 3", "do": "answer", "says": {"out": [{"text": f"It is {KEY}."}]}})
    result = app.command()
    assert result.exit_code == 0, result.output
    kept = [
        str(row) for table in ("responses", "texts", "configs", "runs") for row in app.rows(f"from {table}")
    ]
    assert any("[key]" in row for row in kept) and not any(KEY in row for row in [*kept, result.output])
    monkeypatch.setenv("PLUMBLINE_ALLOW_HOST", "app.example.invalid")
    app.write(url="https://app.example.invalid/ask")
    assert "add --send-key app.example.invalid" in app.command().stderr
    app.write(url="http://app.example.invalid/ask")
    assert "without encryption" in app.command("--send-key", "app.example.invalid").stderr
    monkeypatch.delenv("PLUMBLINE_ALLOW_HOST")
    app.write(url="https://elsewhere.example.invalid/ask")
    assert "reaches elsewhere.example.invalid" in app.command("--send-key", "app.example.invalid").stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": None}, "`backend: http` needs `url`"),
        ({"body": {"question": "What?"}}, "the body needs a place for the prompt"),
        ({"body": {"question": "Now {messages}"}}, "the body needs a place for the prompt"),
        ({"body": {"question": "{prompt}", "n": float("nan")}}, "the body is no JSON"),
        ({"body": {"question": "{prompt}", "at": date(2026, 1, 1)}}, "quote what is text"),
        ({"answer": "$..text"}, "answer"),
        ({"answer": "$.out[*]"}, "answer"),
        ({"headers": {"X-Api-Key": "sk-123"}}, "write `X-Api-Key: {env: VARIABLE}`"),
        ({"headers": {"Host": "elsewhere"}}, "is no header of an application's own"),
        ({"headers": {"X-A": "1\r\nX-B: 2"}}, "characters that a header cannot hold"),
        ({"base_url": "http://127.0.0.1:9"}, "has no `base_url`"),
        ({"backend": "openai"}, "belongs to `backend: http`"),
        ({"function": "app:answer"}, "`function` belongs to `backend: function`"),
    ],
)
def test_a_config_that_cannot_be_is_named(app, changes, message):
    config = {name: value for name, value in {**app.config, **changes}.items() if value is not None}
    content = yaml.safe_load(ASKED.read_text("utf-8")) | {"configs": [config]}
    app.path.write_text(yaml.safe_dump(content), "utf-8")
    assert message in said(load_suite, app.path)


def test_a_system_prompt_needs_a_place(app):
    app.write(system_prompt="You rent out flats.")
    assert "Put {system} or {messages} into the body." in said(app.ask)
    app.write(body={"question": "{prompt}", "role": "Role: {system}"})
    assert app.ask(limit=1) == {"ok": 1}
    assert app.server.log()[0]["content"]["role"] == "Role: You rent out flats."


@pytest.mark.parametrize(
    ("path", "found"),
    [("$", {"a": [1, {"b c": 2}], "d": None}), ("$.a[0]", 1), ("$.a[-1]['b c']", 2), ('$["d"]', None)],
)
def test_a_path_leads_to_one_value(path, found):
    assert found_at({"a": [1, {"b c": 2}], "d": None}, path) == found


@pytest.mark.parametrize("path", ["$.b", "$.a[2]", "$.a.b", "$.d.e", "$[0]"])
def test_a_path_that_leads_nowhere_says_so(path):
    with pytest.raises(LookupError):
        found_at({"a": [1], "d": None}, path)


FUNCTION = """
import os
def answer(messages):
    prompt = messages[-1]["content"]
    if "Case 3" in prompt:
        return {"text": None, "status": "content_filtered", "trace": ["looked", 1]}
    if "Case 4" in prompt:
        return {"text": "Yes, " + os.environ.get("APP_TOKEN", "none"), "prompt_tokens": 5, "output_tokens": 2}
    return prompt[::-1]
"""


@pytest.fixture
def function(tmp_path, running, monkeypatch):
    monkeypatch.setenv("APP_TOKEN", KEY)
    case = Application(tmp_path, running)
    (tmp_path / "ours.py").write_text(FUNCTION, "utf-8")
    case.config = {"backend": "function", "model": "our-app", "function": "ours:answer"}
    case.write()
    return case


def test_a_function_answers_with_leave_only_and_without_keys(function):
    refused = function.command()
    assert refused.exit_code == 1 and "--allow-code" in refused.stderr
    assert "nobody allowed the function" in said(function.ask)  # whatever way a request comes
    result = function.command("--allow-code", "--concurrency", "4")
    assert result.exit_code == 0 and "18 ok" in result.stdout and "2 content_filtered" in result.stdout
    rows = function.rows("""
        select text, n_prompt_tokens, n_output_tokens
        from responses join prompts using (prompt_key) left join texts using (text_key)
        where prompt like 'Case 4:%'
    """)
    assert rows == [("Yes, none", 5, 2)] * 2
    ways = "select distinct text from responses join texts on texts.text_key = reasoning_text_key"
    assert function.rows(ways) == [('["looked", 1]',)]
    digest = function.rows("select digest from configs")[0][0]
    (function.folder / "ours.py").write_text(FUNCTION + "\n", "utf-8")
    assert ": 20 to ask, 0 answered" in function.command("--dry-run").stdout  # other code, another config
    assert digest.startswith("sha256:")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def answer(messages): return 7", "failed: it returned 7, no text."),
        ("def answer(messages): return {'txt': 'a'}", "it returned {'txt': 'a'}, no text."),
        ("def answer(messages): return {'text': 'a', 'status': 'fine'}", "'fine' is no status."),
        ("def answer(messages): raise SystemExit(0)", "failed: SystemExit: 0."),
        ("def answer(messages):\n  while True: pass", "it took over 1 seconds."),
        ("raise SystemExit(0)", "does not load: SystemExit: 0."),
    ],
)
def test_a_function_that_fails_is_told_after_one_prompt(function, code, message, monkeypatch):
    monkeypatch.setattr(own_code, "limits_of_code", lambda: Limits(1.0, 1 << 30))
    (function.folder / "ours.py").write_text(code, "utf-8")
    result = function.command("--allow-code")
    assert result.exit_code == 1 and message in result.stderr and "Traceback" not in result.output
    assert function.rows("select count(*) from responses") == [(0,)]


def test_a_function_that_fails_later_is_asked_again_and_leaves_no_process(function, monkeypatch):
    left = function.folder / "left"
    code = f"""
import os
def answer(messages):
    open({str(left)!r}, "a").write(f"{{os.getpid()}}\\n")
    if "Case 3: a man" in messages[-1]["content"]:
        raise ValueError("no")
    return "Yes."
"""
    (function.folder / "ours.py").write_text(code, "utf-8")
    monkeypatch.setitem(generate_answers.__kwdefaults__, "retries", SOON)
    result = function.command("--allow-code", "--concurrency", "2")
    assert result.exit_code == 0 and "19 ok, 1 server_error" in result.stdout
    processes = set(left.read_text().split())
    assert not [pid for pid in processes if Path(f"/proc/{pid}").exists()]
