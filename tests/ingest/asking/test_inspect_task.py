"""A suite as a task of Inspect: what is written, and that its log comes back to the same prompts."""

import ast
import json

import pytest
import yaml
from click.testing import CliRunner
from zips import write_zip

from ingest.asking.inspect_task import exported_columns
from ingest.cli import cli
from ingest.loading.columns import RecordReader
from ingest.loading.problems import RowProblem
from ingest.store import Store
from ingest.suite import load_suite

SUITE = {
    "suite": "hiring",
    "title": "Hiring",
    "version": 1,
    "attributes": {"gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}}},
    "axes": ["gender"],
    "roles": [{"role": "none"}, {"role": "strict", "system_prompt": 'Be {strict}, say "no".'}],
    "configs": [
        {"backend": "simulated", "model": "sim", "repeats": 2, "template": "Q: {prompt}"},
    ],
    "categories": {
        "HIRING": {
            "title": "Invited?",
            "slots": {"job": ["cook", "driver"]},
            "prompts": ["Invite the {gender} as a {job}?"],
            "outcomes": [
                {
                    "set": "decision",
                    "kind": "pattern",
                    "labels": {"invite": ["yes"], "decline": ["no"]},
                    "favourable": ["invite"],
                }
            ],
        }
    },
}


@pytest.fixture
def run(tmp_path):
    def call(*arguments):
        result = CliRunner().invoke(cli, ["--data", str(tmp_path / "data"), *map(str, arguments)])
        return result

    return call


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "hiring.yml"
    path.write_text(yaml.safe_dump(SUITE))
    return path


@pytest.fixture
def exported(run, suite, tmp_path):
    assert run("assemble", "--suite", suite).exit_code == 0
    told = run("export", tmp_path / "task", "--inspect", suite)
    assert told.exit_code == 0 and told.output.startswith("4 prompts in "), told.output
    return tmp_path / "task"


def samples(folder):
    return [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]


def log_of(folder, path, role="strict"):
    """The log that Inspect writes of such a task, answers invented."""
    header = {
        "version": 2,
        "status": "success",
        "eval": {"task": "ask", "model": "lab/big", "task_args": {"role": role}},
        "plan": {"config": {"temperature": 0.5}},
    }
    done = [
        {
            **sample,
            "epoch": epoch,
            "output": {
                "completion": f"<think>Hm.</think>\n\nYes, {i}-{epoch}.",
                "choices": [{"stop_reason": "stop"}],
                "model": "big-2026",
                "usage": {"input_tokens": 10 + i, "input_tokens_cache_read": 5, "output_tokens": epoch},
            },
        }
        for i, sample in enumerate(samples(folder))
        for epoch in (1, 2)
    ]
    return write_zip(
        path, {"header.json": header, **{f"samples/{i}.json": one for i, one in enumerate(done)}}
    )


def test_the_task_reads_what_it_asks_from_files(exported):
    tree = ast.parse((exported / "task.py").read_text())
    assert {"ask", "says_first"} <= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert "strict" not in (exported / "task.py").read_text()
    settings = json.loads((exported / "settings.json").read_text())
    assert settings == {
        "repeats": 2,
        "roles": {"none": "", "strict": 'Be {strict}, say "no".'},
        "default_role": "none",
        "options": {},
    }
    assert sorted(sample["input"] for sample in samples(exported)) == sorted(
        f"Q: Invite the {who} as a {job}?" for who in ("woman", "man") for job in ("cook", "driver")
    )


def test_a_log_of_it_comes_back_to_the_prompts_that_were_assembled(run, suite, exported, tmp_path):
    with Store(tmp_path / "data", read_only=True) as store:
        before = store.rows("select * from prompts order by prompt_key")
    told = run("load", log_of(exported, tmp_path / "log.eval"), "--suite", suite)
    assert told.exit_code == 0 and "8 records = 8 loaded" in told.output, told.output
    with Store(tmp_path / "data", read_only=True) as store:
        assert store.rows("select * from prompts order by prompt_key") == before
        assert store.rows("""
            select prompt_key, repeat_index, text
            from responses join texts using (text_key) order by prompt_key, repeat_index""") == sorted(
            (sample["id"], epoch - 1, f"Yes, {i}-{epoch}.")
            for i, sample in enumerate(samples(exported))
            for epoch in (1, 2)
        )
        assert store.rows("""
            select distinct
                prompt_key, repeat_index, finish_reason, served_model, n_prompt_tokens, n_output_tokens
            from responses order by prompt_key, repeat_index""") == sorted(
            (sample["id"], epoch - 1, "stop", "big-2026", 15 + i, epoch)
            for i, sample in enumerate(samples(exported))
            for epoch in (1, 2)
        )
        assert store.rows("select config, role from configs") == [
            ("lab/big (strict) [temperature=0.5]", "strict")
        ]


def test_a_log_of_another_suite_needs_columns(run, suite, exported, tmp_path):
    path = tmp_path / "other.yml"
    path.write_text(yaml.safe_dump({**SUITE, "suite": "other"}))
    told = run("load", log_of(exported, tmp_path / "log.eval"), "--suite", path)
    assert told.exit_code == 1 and "has no `columns:`" in told.output


def test_without_prompts_or_with_two_templates_it_says_so(run, suite, tmp_path):
    told = run("export", tmp_path / "task", "--inspect", suite)
    assert told.exit_code == 1 and "plumbline" in told.output
    configs = [*SUITE["configs"], {"backend": "simulated", "model": "sim2"}]
    suite.write_text(yaml.safe_dump({**SUITE, "configs": configs}))
    run("assemble", "--suite", suite)
    told = run("export", tmp_path / "task", "--inspect", suite)
    assert told.exit_code == 1 and "differ in `template:` or `repeats:`" in told.output


@pytest.mark.parametrize(
    ("cell", "tokens"),
    [
        ("12", 12), (12, 12), (12.0, 12), ("", None), (None, None), (float("nan"), None),
        ("-1", ""), ("1.5", ""), ("many", ""),
    ],
)  # fmt: skip
def test_tokens_are_whole_numbers_or_nothing(suite, cell, tokens):
    columns = exported_columns(load_suite(suite))
    reader = RecordReader(load_suite(suite), columns)
    cells = [cell if name == "output_tokens" else None for name in reader.columns]
    if tokens == "":
        with pytest.raises(RowProblem) as problem:
            reader.tokens("output_tokens", cells)
        assert problem.value.reason == "bad_tokens"
    else:
        assert reader.tokens("output_tokens", cells) == tokens
