"""Inspect's model layer, by a package of the same signatures: the real one takes 325 MB.

What was tried with the real one stands in docs/guide/logs.md; experiments/inspect_round_trip.py asks it.
"""

import asyncio
import importlib.machinery
import os
import socket
import sys
import threading
import types
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from asked import KEY, N_PROMPTS, Case
from pydantic import BaseModel, ConfigDict

from ingest.backends.http import HOPELESS
from ingest.errors import PlumblineError
from ingest.store import Store

HERE = "http://127.0.0.1:9/v1"
ELSEWHERE = "https://api.example.com/v1"
OTHER_KEY = "sk-of-the-environment-987654"


class GenerateConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")
    max_retries: int | None = None
    max_connections: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    stop_seqs: list[str] | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    reasoning_effort: str | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None


class Token(BaseModel):
    token: str
    logprob: float
    top_logprobs: list[dict[str, Any]] | None = None


@dataclass
class ChatMessage:
    content: str
    role: str = ""


def part(kind, **said):
    return types.SimpleNamespace(type=kind, **said)


def output(content="Yes.", stop_reason="stop", error=None, tokens=None, usage=(3, 4, 5, 2)):
    names = ("input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    logprobs = types.SimpleNamespace(content=tokens) if tokens else None
    message = types.SimpleNamespace(content=content)
    choice = types.SimpleNamespace(message=message, stop_reason=stop_reason, logprobs=logprobs)
    used = types.SimpleNamespace(**dict(zip(names, usage, strict=True))) if usage else None
    return types.SimpleNamespace(choices=[choice], model="", usage=used, error=error)


class HttpError(Exception):
    def __init__(self, message, status_code, **headers):
        super().__init__(message)
        self.status_code = status_code
        self.response = types.SimpleNamespace(headers=headers)


class RetryError(Exception):
    """As tenacity's: what Inspect raises where it would ask again, and may not."""

    def __init__(self, inner):
        super().__init__("RetryError[<Future at 0x1 state=finished raised it>]")
        self.last_attempt = types.SimpleNamespace(exception=lambda: inner)


@dataclass
class Fake:
    """What the package was told, and what it answers: by what a prompt holds."""

    rules: dict[str, Any] = field(default_factory=dict)
    made: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[Any, Any]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    client: Any = field(default_factory=lambda: types.SimpleNamespace(max_retries=2))

    def get_model(
        self, model=None, *, role=None, required=False, default=None, config=None, base_url=None,
        api_key=None, memoize=True, **model_args,
    ):  # fmt: skip
        said = {"config": config, "base_url": base_url, "api_key": api_key, "memoize": memoize}
        self.made.append({"model": model, **said})
        assert not model_args
        return types.SimpleNamespace(generate=self.generate, api=types.SimpleNamespace(client=self.client))

    async def generate(
        self, input, tools=(), tool_choice=None, config=None, cache=None, on_stream=None
    ):  # fmt: skip
        self.threads.add(threading.get_ident())
        self.asked.append((input, config))
        await asyncio.sleep(0)
        found = next((rule for words, rule in self.rules.items() if words in input[-1].content), output())
        found = found.pop(0) if isinstance(found, list) else found
        if found == "slow":
            await asyncio.sleep(60)
        if isinstance(found, Exception):
            raise found
        found.model = found.model or self.made[-1]["model"].rpartition("/")[2]
        return found


@pytest.fixture
def fake(monkeypatch):
    found = Fake()
    package, models = types.ModuleType("inspect_ai"), types.ModuleType("inspect_ai.model")
    package.__spec__ = importlib.machinery.ModuleSpec("inspect_ai", None)
    models.get_model, models.GenerateConfig = found.get_model, GenerateConfig
    for name in ("System", "User", "Assistant"):
        role = name.lower()
        setattr(models, f"ChatMessage{name}", lambda content, role=role: ChatMessage(content, role))
    monkeypatch.setitem(sys.modules, "inspect_ai", package)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "")
    monkeypatch.delenv("AWS_MAX_ATTEMPTS")  # and what was set is taken back
    monkeypatch.setitem(sys.modules, "inspect_ai.model", models)
    return found


class Asked(Case):
    def __init__(self, folder, model="mockllm/model", **more):
        self.folder, self.backend, self.data = folder, "inspect", folder / "data"
        self.config = {"backend": "inspect", "model": model, **more}
        self.write()


def refused(case, **options):
    with pytest.raises(PlumblineError) as error:
        case.ask(**options)
    return str(error.value)


def test_answers_come_with_tokens_reasoning_and_probabilities(tmp_path, fake):
    likely = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    fake.rules = {
        "Case 1:": output([part("reasoning", reasoning="Hm."), part("text", text="No.")]),
        "Case 2:": output(tokens=[Token(token="Yes", logprob=-0.1, top_logprobs=likely)]),
    }
    options = {"stop": "END", "top_logprobs": 2, "seed": 7, "temperature": "none", "top_k": 3}
    fake.rules |= {f"Case {i}:": fake.rules["Case 2:"] for i in range(3, 11)}
    fake.rules["Case 1:"].choices[0].logprobs = fake.rules["Case 2:"].choices[0].logprobs
    case = Asked(tmp_path, options=options, system_prompt="Be brief.", concurrency=4)
    assert case.ask() == {"ok": N_PROMPTS}
    ((config, *others),) = [[c for _, c in fake.asked]]
    assert config.model_dump(exclude_none=True) == {
        "max_tokens": 1024, "seed": 7, "stop_seqs": ["END"], "logprobs": True, "top_logprobs": 2, "top_k": 3,
    }  # fmt: skip
    assert len(others) == N_PROMPTS - 1
    assert [m.role for m in fake.asked[0][0]] == ["system", "user"]
    assert len(fake.threads) == 1  # all on one loop
    (made,) = fake.made
    assert (made["config"].max_retries, made["api_key"], made["memoize"]) == (0, None, False)
    assert fake.client.max_retries == 0
    assert os.environ["AWS_MAX_ATTEMPTS"] == "1"
    rows = case.rows(
        """
        select distinct texts.text, thoughts.text, n_prompt_tokens, n_output_tokens, served_model,
            finish_reason, first_tokens
        from responses left join texts using (text_key)
        left join texts as thoughts on reasoning_text_key = thoughts.text_key
        order by 1
        """
    )
    assert [row[:6] for row in rows] == [
        ("No.", "Hm.", 10, 4, "model", "stop"), ("Yes.", None, 10, 4, "model", "stop")
    ]  # fmt: skip
    assert "No" in rows[0][6]
    assert case.ask() == {}  # what is answered is not asked again


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (output("", "content_filter"), "content_filtered"),
        (output("Half", "max_tokens"), "truncated_output"),
        (output("Half", "model_length"), "truncated_output"),
        (output(" "), "empty"),
        (output("I'm sorry, but I can't help with that."), "refused"),
        (output("", "unknown", error="broken"), "client_error"),
        (output(usage=None), "ok"),
        (types.SimpleNamespace(nothing=1), "server_error"),
        (HttpError("bad prompt", 400), "client_error"),
        (HttpError("content_filter: no", 400), "content_filtered"),
        (HttpError("Your input was flagged", 403), "content_filtered"),
        (RetryError(HttpError("busy", 529)), "server_error"),
        (ValueError("it broke"), "server_error"),
        ("slow", "timeout"),
    ],
)
def test_what_became_of_a_request(tmp_path, fake, said, status):
    fake.rules = {"Case 5: a man": said}
    case = Asked(tmp_path, timeout_seconds=1.0)
    counts = case.ask()
    assert counts.pop(status) - N_PROMPTS * (status == "ok") == (0 if status == "ok" else 1)
    assert sum(counts.values()) in (0, N_PROMPTS - 1)


def test_another_model_in_the_reply_is_no_answer(tmp_path, fake):
    other = output("Yes.")
    other.model = "another"
    fake.rules = {"Case 5: a man": other}
    assert Asked(tmp_path).ask() == {"ok": N_PROMPTS - 1, "other_model": 1}


def test_retries_are_ours(tmp_path, fake):
    fake.rules = {
        "Case 5: a man": [
            RetryError(HttpError("slow down", 429, **{"retry-after": "0"})), TimeoutError(), output()
        ]
    }  # fmt: skip
    case = Asked(tmp_path)
    assert case.ask() == {"ok": N_PROMPTS}
    assert case.rows("select max(n_attempts), sum(n_attempts) from responses") == [(3, N_PROMPTS + 2)]


def raised(kind, message, cause=None, module=__name__):
    error = type(kind, (Exception,), {"__module__": module})(message)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "fault",
    [
        ConnectionResetError("reset"),
        socket.gaierror(-2, "Name or service not known"),
        httpx.ReadError("broken off"),
        raised("APIConnectionError", "no connection", httpx.ConnectError("refused")),
        raised("ConnectionError", "no endpoint", module="botocore.exceptions"),
        raised("HTTPClientError", "read timed out", module="botocore.exceptions"),
    ],
)
def test_a_fault_of_the_network_passes(tmp_path, fake, fault):
    fake.rules = {"": [fault, *(output() for _ in range(N_PROMPTS))]}
    case = Asked(tmp_path)
    assert case.ask() == {"ok": N_PROMPTS}
    assert case.rows("select max(n_attempts) from responses") == [(2,)]


def test_a_file_that_is_not_there_does_not_come_by_waiting(tmp_path, fake):
    fake.rules = {"": FileNotFoundError("no weights")}
    assert "FileNotFoundError: no weights" in refused(Asked(tmp_path))
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    "fault",
    [
        RetryError(HttpError("You exceeded your quota: {'code': 'insufficient_quota'}", 429)),
        HttpError("Your credit balance is too low", 400),
    ],
)
def test_an_account_out_of_credit_ends_the_run_in_one_line(tmp_path, fake, fault):
    fake.rules = {"": fault}
    assert refused(Asked(tmp_path)).endswith(HOPELESS[402])
    assert len(fake.asked) == 1


@pytest.mark.parametrize("code", [401, 402, 403, 404])
def test_what_can_never_succeed_ends_the_run_in_one_line(tmp_path, fake, code):
    fake.rules = {"": HttpError("no", code)}
    assert refused(Asked(tmp_path)) == f"mockllm/model: HTTP {code}: no. {HOPELESS[code]}"
    assert len(fake.asked) == 1


def test_a_provider_that_is_not_there_is_said_by_the_first_request(tmp_path, fake):
    fake.rules = {"": ImportError("needs the package boto3")}
    said = refused(Asked(tmp_path))
    assert "ImportError: needs the package boto3" in said
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    ("model", "more", "named"),
    [
        ("bedrock/some", {}, "bedrock"),
        ("openai/some", {"base_url": ELSEWHERE}, "api.example.com"),
        ("openai/some", {"base_url": ELSEWHERE, "key_variable": "A_KEY"}, "api.example.com"),
        ("sagemaker/some", {"base_url": HERE}, "sagemaker"),
        ("bedrock/some", {"base_url": HERE, "key_variable": "A_KEY"}, "bedrock"),
        ("anthropic/some", {"base_url": HERE}, "anthropic"),
        ("openai/azure/some", {"base_url": HERE}, "openai"),
    ],
)  # fmt: skip
def test_nobody_gets_a_key_whom_the_user_did_not_name(tmp_path, fake, monkeypatch, model, more, named):
    monkeypatch.setenv("A_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", OTHER_KEY)
    assert f"--send-key {named}" in refused(Asked(tmp_path, model, **more))
    assert fake.made == []


def test_a_key_goes_where_it_was_named_and_is_kept_nowhere(tmp_path, fake, monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", OTHER_KEY)
    fake.rules = {"Case 1:": output(f"Your key is {KEY}."), "Case 2:": HttpError(f"no: {OTHER_KEY}", 400)}
    case = Asked(tmp_path, "bedrock/some", key_variable="A_KEY")
    result = case.command("--send-key", "bedrock")
    assert result.exit_code == 0, result.output
    assert fake.made[0]["api_key"] == KEY
    assert KEY not in result.output and OTHER_KEY not in result.output
    with Store(case.data, read_only=True) as store:
        for (table,) in store.rows("select table_name from duckdb_tables()"):
            held = str(store.rows(f"select * from {table}"))
            assert KEY not in held and OTHER_KEY not in held
    assert "api_key" not in str(case.rows("select options, details from configs"))


def test_a_server_of_this_machine_gets_no_key_of_the_environment(tmp_path, fake, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", OTHER_KEY)
    case = Asked(tmp_path, "openai/some", base_url=HERE)
    assert case.ask() == {"ok": N_PROMPTS}
    assert fake.made[0]["api_key"] == "none"


def test_prompts_go_to_no_provider_that_was_not_allowed(tmp_path, fake, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_ALLOW_HOST", "")
    result = Asked(tmp_path, "bedrock/some").command()
    assert "--allow-host bedrock" in result.output and fake.asked == []
    result = Asked(tmp_path, "sagemaker/some", base_url=HERE).command("--allow-host", "127.0.0.1")
    assert "--allow-host sagemaker" in result.output and fake.asked == []


def test_without_the_package_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.backends.inspect_models.find_spec", lambda _: None)
    result = Asked(tmp_path).command()
    assert result.exit_code == 1
    assert "pip install 'plumbline[inspect]'" in result.output.splitlines()[-1]


def test_a_model_is_named_with_its_provider(tmp_path, fake):
    assert "Write provider/model" in refused(Asked(tmp_path, "some-model"))
