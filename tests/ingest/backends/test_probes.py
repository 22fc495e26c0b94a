"""Hosted models: what a server refuses is said before many requests go out, by `generate` and by `audit`."""

import json
from contextlib import nullcontext

import pytest
import yaml
from asked import ASKED, KEY, N_PROMPTS, keyed_case, said
from click.testing import CliRunner

from ingest import audit as command
from ingest.cli import cli

LIMIT = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
HEAT = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is."
EXTRA = {
    "detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]
}


@pytest.fixture
def case(tmp_path, running, monkeypatch):
    return keyed_case("openai", tmp_path, running, monkeypatch, concurrency=4)


def refuse(case, body, status=400, **rule):
    case.server.rules({"do": "status", "status": status, "body": body, **rule})


@pytest.mark.parametrize(
    ("status", "body", "options", "refused", "remedy"),
    [
        (400, {"error": {"message": LIMIT, "code": "unsupported_parameter"}}, {}, "max_tokens",
         "Write `max_completion_tokens: 1024`"),
        (400, {"error": {"message": HEAT}}, {}, "temperature", "Write `temperature: none`"),
        (422, EXTRA, {}, "seed", "Write `seed: none`"),
        (400, {"error": {"message": "Unknown parameter: 'reasoning_effort'."}}, {"reasoning_effort": "low"},
         "reasoning_effort", "Take `reasoning_effort` out"),
    ],
)  # fmt: skip
def test_a_refused_option_is_named_after_one_request_with_what_to_write(
    case, status, body, options, refused, remedy
):
    case.write(options=options)
    refuse(case, body, status)
    line = said(case.ask)
    assert f"tiny: the server refuses `{refused}`: HTTP {status}" in line and remedy in line
    assert case.server.n_asked() == 1 and case.rows("from responses") == []
    case.server.rules()
    assert case.ask() == {"ok": N_PROMPTS}


def test_an_option_that_is_none_is_not_sent(case):
    names = ("temperature", "seed", "max_tokens")
    case.write(options=dict.fromkeys(names, "none"), repeats=2)
    assert case.ask() == {"ok": 2 * N_PROMPTS}
    assert not any(name in entry["content"] for entry in case.server.log() for name in names)
    ((options,),) = case.rows("select options from configs")
    assert {json.loads(options)[name] for name in names} == {"none"}
    case.write(options={"temperature": "hot"}, repeats=1)
    assert "a number from 0 to 10, or `none`: not sent" in said(case.ask)


def test_a_word_about_an_option_in_one_prompts_rejection_stops_nothing(case):
    refuse(case, {"error": "max_tokens is too large for this prompt"}, match="Case 3")
    assert case.ask() == {"ok": N_PROMPTS - 2, "client_error": 2}


def test_a_server_that_rejects_the_first_requests_is_asked_no_more(case):
    refuse(case, {"error": "no such thing"})
    line = said(case.ask)
    assert "tiny: the server rejects the first 3 requests, the last with: HTTP 400: no such thing." in line
    assert case.server.n_asked() == 3
    case.server.rules()
    assert case.ask() == {"ok": N_PROMPTS - 3}  # the three were rejected, and are not asked twice
    assert case.ask(retry_failed=True) == {"ok": 3}


def test_a_prompt_that_is_rejected_again_keeps_no_other_from_being_asked_again(case):
    case.server.rules(
        {"do": "status", "status": 400, "times": 2}, {"match": "Case 3", "do": "status", "status": 400}
    )
    case.write(concurrency=1)
    assert case.ask() == {"ok": N_PROMPTS - 4, "client_error": 4}
    first, *others = [
        prompt
        for (prompt,) in case.rows(
            """
            select prompt from responses inner join prompts using (prompt_key)
            where response_status = 'client_error' order by root_key, prompt_key
            """
        )
    ]
    case.server.rules({"match": first, "do": "status", "status": 400})
    n_before = case.server.n_asked()
    assert case.ask(retry_failed=True) == {"ok": len(others), "client_error": 1}
    asked = [entry["content"]["messages"][-1]["content"] for entry in case.server.log()[n_before:]]
    assert sorted(asked) == sorted([first, *others])


def test_each_config_is_probed_before_many_requests_go_out_and_nothing_is_asked_twice(case):
    content = yaml.safe_load(ASKED.read_text("utf-8"))
    configs = [case.config, case.config | {"model": "huge"}]
    case.path.write_text(yaml.safe_dump(content | {"configs": configs}), "utf-8")
    arguments = ("generate", "--suite", str(case.path), "--concurrency", "4")
    result = CliRunner().invoke(cli, ["--data", str(case.data), *arguments])
    assert result.exit_code == 1 and "huge: HTTP 404: model 'huge' not found" in result.stderr
    assert case.server.n_asked() == 2
    result = CliRunner().invoke(cli, ["--data", str(case.data), *arguments, "--config", "tiny"])
    assert result.exit_code == 0 and "tiny: 19 ok; 0 left" in result.output
    prompts = [
        entry["content"]["messages"][-1]["content"]
        for entry in case.server.log()
        if entry["content"]["model"] == "tiny"
    ]
    assert len(prompts) == len(set(prompts)) == N_PROMPTS


def test_a_wrong_key_is_said_after_one_request(case, monkeypatch):
    monkeypatch.setenv("TINY_KEY", "sk-another-key-9876543210")
    line = said(case.ask)
    assert "HTTP 401" in line and "`key_variable:`" in line and "sk-another" not in line
    assert case.rows("from responses") == []


@pytest.fixture
def audit(case, monkeypatch):
    """Run `audit` up to the build."""
    monkeypatch.setattr(command.warehouse, "parsed_project", lambda *_: nullcontext())
    monkeypatch.setattr(command.warehouse, "build", lambda *_, **__: None)

    def run(*arguments):
        ended = ("--mart", "dim_runs")
        return CliRunner().invoke(
            cli, ["--data", str(case.data), "audit", str(case.path), *arguments, *ended]
        )

    return run


def test_audit_asks_a_hosted_model_in_one_command(case, audit):
    result = audit("--limit", "7", "--concurrency", "3", "--config", "tiny")
    assert result.exit_code == 0, result.output
    assert case.rows("select response_status, count(*) from responses group by all") == [("ok", 7)]
    assert {entry["authorization"] for entry in case.server.log()} == {f"Bearer {KEY}"}
    assert KEY not in result.output


def test_audit_sends_a_key_to_the_host_that_is_named_and_to_no_other(case, audit, monkeypatch):
    monkeypatch.delenv("TINY_KEY")
    monkeypatch.setenv("PLUMBLINE_ALLOW_HOST", "api.example.invalid")
    case.write(base_url="https://api.example.invalid/v1")
    assert "add --send-key api.example.invalid" in audit().stderr
    assert "add --send-key api.example.invalid" in audit("--send-key", "example.invalid").stderr
    # The host is allowed; what lacks is the key.
    assert "TINY_KEY holds no key" in audit("--send-key", "api.example.invalid").stderr


def test_answers_that_one_has_are_not_asked_for(case, audit, tmp_path):
    for option in (("--send-key", "api.example.com"), ("--limit", "1"), ("--retry-failed",)):
        result = audit("--responses", str(tmp_path / "a.csv"), *option)
        assert result.exit_code == 2 and "--responses are answers already" in result.stderr
