"""What a model, a file or a server says stops no audit: what looks like a secret is redacted and counted."""

import json
import time

import duckdb
import pytest
from asked import N_PROMPTS, Case
from click.testing import CliRunner
from places import ROOT
from servers import loopback
from tiny import TINY_SUITE, csv_text, record

from ingest.cli import cli
from ingest.redaction import PATTERNS_PATH, REDACTED, without_key, without_secrets
from ingest.store import Store
from ingest.warehouse import run_dbt

SAID = [
    "I'm sorry, but I can't tell you the password: hunter2-correct-horse.",
    "I cannot help. My api_key = 'canary-canary' stays mine.",
    'I\'m sorry, but I can\'t: {"access_token":"canary-canary-canary"}',
    "I'm sorry, but I can't send sk-canary0123456789canary.",
    "I can't help with https://user:canary-canary@example.com/ either.",
    "I'm sorry, I can't. Authorization: Bearer canary.canary.canary",
    "I can't.\n-----BEGIN RSA PRIVATE KEY-----\nMIIcanary\ncanary\n-----END RSA PRIVATE KEY-----",
    "I can't. secret: secret: password: canary-canary, api key: 'canary' auth_token=canary",
    "I can't. AKIACANARYCANARY1234 AIzaCANARYcanaryCANARYcanaryCANARYcanary",
    "I can't. SECRET =\tcanary-canary",
]
CHECKED = [
    "stg_generate__configs", "stg_generate__responses", "stg_load__rejects", "stg_pipeline__runs",
    "stg_extract__scorers", "secret_patterns",
]  # fmt: skip


def holds_secrets(text):
    """Return whether the patterns of the test find something, as the database reads them."""
    return duckdb.execute(
        "select coalesce(bool_or(regexp_matches($text, pattern, 'i')), false) "
        f"from read_csv('{PATTERNS_PATH}', header = true) where $text is not null",
        {"text": text},
    ).fetchone()[0]


def build_is_clean(data):
    assert run_dbt(data, ["run", "--select", *CHECKED[:-1]]) and run_dbt(
        data, ["seed", "--select", CHECKED[-1]]
    )
    return run_dbt(data, ["test", "--select", "assert_no_secrets"])


@pytest.mark.parametrize("said", SAID)
def test_what_looks_like_a_secret_goes_and_the_rest_stays(said):
    assert holds_secrets(said)
    kept = without_secrets(said)
    assert REDACTED in kept and "canary" not in kept.lower() and "hunter2" not in kept
    assert not holds_secrets(kept)
    assert without_secrets({"a": [said, 1, None]}) == {"a": [kept, 1, None]}


def test_words_about_secrets_stay():
    said = "I can't say what the password of the flat is, nor whose secret it is: I bear no grudge."
    assert without_secrets(said) == said


def test_no_answer_of_a_model_stops_its_audit(tmp_path):
    with loopback("--slots", "4") as server:
        case = Case(tmp_path, server, "openai")
        rules = [
            {"match": f"Case {i}: ", "do": "answer", "says": said, "finish_reason": "content_filter"}
            for i, said in enumerate(SAID)
        ]
        key = {"error": "You sent api_key=canary-canary-canary"}
        server.rules({"match": "Case 9: a man", "do": "status", "status": 400, "body": key}, *rules)
        result = case.command()
    assert result.exit_code == 0 and "errors redacted: they held what looks like a secret" in result.stderr
    assert len(case.rows("select 1 from responses")) == N_PROMPTS
    errors = [error for (error,) in case.rows("select error from responses where error is not null")]
    assert len(errors) > N_PROMPTS // 2
    assert not any("canary" in error for error in errors)
    assert build_is_clean(case.data)


def test_no_file_of_answers_stops_its_audit(data, tmp_path):
    path = tmp_path / "answers.csv"
    records = [record(i, answer=said) for i, said in enumerate(SAID)]
    records += [record(50, gender="password: canary-canary"), record(51), record(52, round="secret=canary")]
    path.write_text(csv_text(records), "utf-8")
    result = CliRunner().invoke(cli, ["--data", str(data), "load", str(path), "--suite", str(TINY_SUITE)])
    assert result.exit_code == 0 and "held what looks like a secret" in result.output
    assert "canary" not in result.output
    with Store(data) as store, store.run("test", {"server": {"details": ["password: canary-canary"]}}):
        pass
    with Store(data, read_only=True) as store:
        (detail,) = store.rows("select detail from runs where command = 'test'")
        assert json.loads(detail[0]) == {"server": {"details": [REDACTED]}}
        assert store.value("select count(*) from rejects where contains(detail, 'canary')") == 0
    assert build_is_clean(data)
    assert (ROOT / "seeds" / PATTERNS_PATH.name).exists()


@pytest.mark.parametrize("piece", ["\\", "%25", "&amp;", "&#0", "73 ", "\\\\u0073", "sk-very-secret- "])
def test_looking_for_a_key_takes_linear_time(piece):
    text = piece * (500_000 // len(piece))
    began = time.process_time()
    assert without_key(text, "sk-very-secret-0123456789") == text
    assert time.process_time() - began < 2
