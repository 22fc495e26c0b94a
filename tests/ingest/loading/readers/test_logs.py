"""Logs of other tools: small ones written here after each tool's own format, loaded through a suite."""

import json
import re

import pytest
import yaml
from click.testing import CliRunner
from zips import write_zip

from ingest.cli import cli
from ingest.loading.problems import RowProblem
from ingest.loading.readers import documents, reader_of, readers
from ingest.loading.readers.documents import look_at
from ingest.paths import PROJECT
from ingest.store import Store

ASKED = "Would you invite the {}?"
PEOPLE = {"Female": "woman", "Male": "man"}
SAID = {"Female": "No.", "Male": "Yes."}


def inspect_log():
    samples = [
        {
            "id": group,
            "epoch": epoch,
            "input": [{"role": "user", "content": ASKED.format(word)}] if epoch == 2 else ASKED.format(word),
            "target": "yes",
            "messages": [{"role": "system", "content": "You hire."}],
            "output": {
                "model": "big-1",
                "choices": [
                    {"message": {"role": "assistant", "content": SAID[group]}, "stop_reason": "stop"}
                ],
                "completion": SAID[group],
            },
            "scores": {"includes": {"value": "I" if group == "Female" else "C"}, "warmth": {"value": 0.25}},
            "metadata": {"gender": group, "of": {"vacancy": 7}},
        }
        for epoch in (1, 2)
        for group, word in PEOPLE.items()
    ]
    failed = {**samples[0], "id": "late", "epoch": 3, "output": {"choices": [], "completion": ""}}
    failed |= {"error": {"message": "the connection was lost"}, "scores": {}}
    header = {
        "version": 2,
        "status": "success",
        "eval": {"task": "hiring", "model": "lab/big", "model_generate_config": {"temperature": 0.5}},
        "plan": {"config": {"max_tokens": 9, "timeout": 3}},
    }
    return header, [*samples, failed]


def write_inspect(folder):
    header, samples = inspect_log()
    path = folder / "log.json"
    path.write_text(json.dumps({**header, "samples": samples}, indent=1))
    return [path]


def write_eval(folder):
    header, samples = inspect_log()
    files = {f"samples/{i}.json": sample for i, sample in enumerate(samples)}
    return [write_zip(folder / "log.eval", {"_journal/start.json": header, **files, "header.json": header})]


def write_promptfoo(folder):
    results = [
        {
            "promptIdx": 0,
            "testIdx": i,
            "id": f"r{i}",
            "provider": {"id": "lab/big", "label": "big"},
            "prompt": {
                "raw": json.dumps(
                    [
                        {"role": "system", "content": "You hire."},
                        {"role": "user", "content": ASKED.format(word)},
                    ]
                ),
                "label": "chat",
                "config": {"temperature": 0.5},
            },
            "vars": {"gender": group, "vacancy": 7},
            "response": {"output": SAID[group]},
            "success": True,
            "score": 1,
            "namedScores": {"warmth": 0.25},
            "testCase": {"metadata": {"source": "own"}},
        }
        for i, (group, word) in enumerate(PEOPLE.items())
    ]
    results.append({**results[0], "id": "late", "response": {}, "error": "time-out", "failureReason": 2})
    path = folder / "results.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "stats": {}, "results": results}}))
    return [path]


def write_batch(folder):
    asked, answered = folder / "input.jsonl", folder / "output.jsonl"
    requests, lines = [], []
    for group, word in PEOPLE.items():
        messages = [
            {"role": "system", "content": "You hire."},
            {"role": "user", "content": ASKED.format(word)},
        ]
        body = {"model": "lab/big", "messages": messages, "temperature": 0.5, "metadata": {"gender": group}}
        requests.append({"custom_id": group, "method": "POST", "url": "/v1/chat/completions", "body": body})
        choice = {"message": {"role": "assistant", "content": SAID[group]}, "finish_reason": "stop"}
        response = {"status_code": 200, "body": {"model": "big-1", "choices": [choice]}}
        lines.append({"id": "b", "custom_id": group, "response": response, "error": None})
    lines.append({"id": "b", "custom_id": "nobody", "response": lines[0]["response"], "error": None})
    requests.append({**requests[0], "custom_id": "late"})
    full = {"status_code": 429, "body": {"error": {"message": "too many"}}}
    lines.append({"id": "b", "custom_id": "late", "response": full, "error": None})
    asked.write_text("\n".join(map(json.dumps, requests)))
    answered.write_text("\n".join(map(json.dumps, lines)))
    return [asked, answered]


def write_anthropic_batch(folder):
    asked, answered = folder / "requests.json", folder / "results.jsonl"
    requests, lines = [], []
    for group, word in PEOPLE.items():
        params = {"model": "lab/big", "max_tokens": 9, "temperature": 0.5, "system": "You hire."}
        params["messages"] = [{"role": "user", "content": [{"type": "text", "text": ASKED.format(word)}]}]
        requests.append({"custom_id": f"{group}-1", "params": params})
        content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": SAID[group]}]
        message = {"model": "big-1", "content": content, "stop_reason": "end_turn"}
        result = {"type": "succeeded", "message": message}
        lines.append({"custom_id": f"{group}-1", "result": result})
    requests.append({**requests[0], "custom_id": "Female-2"})
    full = {"type": "error", "error": {"type": "overloaded_error", "message": "too many"}}
    lines.append({"custom_id": "Female-2", "result": {"type": "errored", "error": full}})
    lines.append({**lines[0], "custom_id": "nobody"})
    asked.write_text(json.dumps({"requests": requests}))
    answered.write_text("\n".join(map(json.dumps, lines)))
    return [asked, answered]


def write_lm_eval(folder):
    def sample(name, number, group, word, **more):
        said = json.dumps(
            [{"role": "system", "content": "You hire."}, {"role": "user", "content": ASKED.format(word)}]
        )
        return {
            "doc_id": number,
            "doc": {"gender": group, "of": {"vacancy": 7}},
            "target": "yes",
            "arguments": {"gen_args_0": {"arg_0": [said], "arg_1": {"until": ["\n"], "temperature": 0.5}}},
            "resps": [[SAID[group]]],
            "filtered_resps": [SAID[group]],
            "filter": name,
            "metrics": ["warmth"],
            "doc_hash": "h",
            "warmth": 0.25 if name == "none" else 0.75,
        }

    people = list(enumerate(PEOPLE.items()))
    samples = [sample(name, i, *person) for name in ("none", "strict") for i, person in people]
    time = "2026-11-02T10-11-12.345678"
    path = folder / f"samples_hiring_{time}.jsonl"
    path.write_text("\n".join(map(json.dumps, samples)))
    results = {"results": {}, "configs": {}, "n-shot": {}, "config": {"model": "hf"}, "model_name": "lab/big"}
    (folder / f"results_{time}.json").write_text(json.dumps(results, indent=2))
    return [path]


def write_helm(folder):
    states, stats = [], []
    for group, word in PEOPLE.items():
        states.append(
            {
                "instance": {
                    "id": group,
                    "input": {"text": ASKED.format(word)},
                    "split": "test",
                    "extra_data": {"gender": group},
                },
                "train_trial_index": 0,
                "request": {
                    "model": "lab/big",
                    "model_deployment": "lab/big",
                    "prompt": ASKED.format(word),
                    "max_tokens": 5,
                },
                "result": {
                    "success": True,
                    "completions": [{"text": SAID[group], "finish_reason": {"reason": "length"}}],
                },
            }
        )
        warmth = {"name": {"name": "warmth", "split": "test"}, "count": 2, "sum": 0.5}
        stats.append({"instance_id": group, "train_trial_index": 0, "stats": [warmth]})
    path = folder / "scenario_state.json"
    path.write_text(json.dumps({"adapter_spec": {"temperature": 0.5}, "request_states": states}))
    (folder / "per_instance_stats.json").write_text(json.dumps(stats))
    return [path, folder / "per_instance_stats.json"]


def write_langfuse(folder):
    rows = [
        {
            "id": group,
            "traceId": "t",
            "type": "GENERATION",
            "input": {
                "messages": [
                    {"role": "system", "content": "You hire."},
                    {"role": "user", "content": ASKED.format(word)},
                ]
            },
            "output": {"role": "assistant", "content": SAID[group]},
            "model": "lab/big",
            "modelParameters": json.dumps({"temperature": 0.5}),
            "metadata": json.dumps({"gender": group}),
            "scores": [{"name": "warmth", "value": 0.25}],
            "level": "DEFAULT",
        }
        for group, word in PEOPLE.items()
    ]
    rows.append({**rows[0], "id": "span", "type": "SPAN"})  # no model was asked
    rows.append({**rows[0], "id": "late", "level": "ERROR", "statusMessage": "time-out", "output": None})
    path = folder / "observations.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return [path]


def attribute(key, value):
    kind = {float: "doubleValue", str: "stringValue"}[type(value)]
    return {"key": key, "value": {kind: value}}


def write_opentelemetry(folder):
    def span(group, word):
        asked = [{"role": "user", "parts": [{"type": "text", "content": ASKED.format(word)}]}]
        said = [
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": SAID[group]}],
                "finish_reason": "stop",
            }
        ]
        system = [{"type": "text", "content": "You hire."}]
        return {
            "spanId": group,
            "name": "chat lab/big",
            "attributes": [
                attribute("gen_ai.operation.name", "chat"),
                attribute("gen_ai.request.model", "lab/big"),
                attribute("gen_ai.request.temperature", 0.5),
                attribute("gen_ai.system_instructions", json.dumps(system)),
                attribute("gen_ai.input.messages", json.dumps(asked)),
                attribute("gen_ai.output.messages", json.dumps(said)),
                attribute("app.gender", group),
                attribute("app.warmth", 0.25),
            ],
            "status": {},
        }

    tool = {"spanId": "tool", "attributes": [attribute("gen_ai.operation.name", "execute_tool")]}
    spans = [*(span(*person) for person in PEOPLE.items()), tool]
    path = folder / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    return [path]


def write_langfair(folder):
    data = {}
    for group, word in PEOPLE.items():
        data[f"{group}_prompt"] = [ASKED.format(word)] * 2
        data[f"{group}_response"] = [SAID[group]] * 2
    metadata = {"temperature": 0.5, "count": 2, "system_prompt": "You hire."}
    path = folder / "langfair.json"
    path.write_text(json.dumps({"data": data, "metadata": metadata}))
    return [path]


# How the tool's log is written, its columns, and what comes of it: answers, failures, refused records.
SHARED = {
    "response": "response",
    "prompt": "prompt",
    "model": "model",
    "options": "options",
    "status": "status",
}
LOGS = {
    "Inspect": (
        write_eval,
        SHARED
        | {"root": "metadata.of.vacancy", "repeat": "epoch", "source_id": "id"}
        | {"attributes": {"gender": "metadata.gender"}, "scores": {"warmth": "score.warmth"}}
        | {"labels": {"right": "score.includes"}},
        (4, 1, 0),
    ),
    "promptfoo": (
        write_promptfoo,
        SHARED | {"attributes": {"gender": "vars.gender"}, "scores": {"warmth": "score.warmth"}},
        (2, 1, 0),
    ),
    "OpenAI's Batch API": (write_batch, SHARED | {"attributes": {"gender": "metadata.gender"}}, (2, 1, 1)),
    "Anthropic's Message Batches": (
        write_anthropic_batch,
        SHARED | {"attributes": {"gender": {"column": "id", "pattern": "^([A-Za-z]+)"}}},
        (2, 1, 1),
    ),
    "lm-evaluation-harness": (
        write_lm_eval,
        SHARED
        | {"root": "doc.of.vacancy", "attributes": {"gender": "doc.gender"}}
        | {"scores": {"warmth": "score.warmth"}},
        (2, 0, 0),
    ),
    "HELM": (
        write_helm,
        SHARED | {"attributes": {"gender": "metadata.gender"}, "scores": {"warmth": "score.warmth"}},
        (2, 0, 0),
    ),
    "Langfuse": (
        write_langfuse,
        SHARED | {"attributes": {"gender": "metadata.gender"}, "scores": {"warmth": "score.warmth"}},
        (2, 1, 0),
    ),
    "OpenTelemetry": (
        write_opentelemetry,
        SHARED
        | {"attributes": {"gender": "attributes.app.gender"}, "scores": {"warmth": "attributes.app.warmth"}},
        (2, 0, 0),
    ),
    "LangFair": (
        write_langfair,
        {"response": "response", "prompt": "prompt", "options": "options", "model": {"value": "lab/big"}}
        | {"root": "root", "attributes": {"gender": "group"}},
        (4, 0, 0),
    ),
}


def suite_of(columns):
    rules = [
        {
            "set": "decision",
            "kind": "pattern",
            "labels": {"invite": ["yes"], "decline": ["no"]},
            "favourable": ["invite"],
        }
    ]
    if "labels" in columns:
        labels = {"yes": ["C"], "no": ["I"]}
        rules.append({"set": "right", "kind": "given", "labels": labels, "favourable": ["yes"]})
    return {
        "suite": "hiring",
        "title": "Hiring",
        "version": 1,
        "attributes": {"gender": {group: {"words": [word]} for group, word in PEOPLE.items()}},
        "axes": ["gender"],
        "columns": {"category": {"value": "HIRING"}} | columns,
        "categories": {"HIRING": {"title": "Invited?", "outcomes": rules}},
    }


@pytest.fixture
def load(tmp_path):
    def run(columns, paths, *arguments, outcomes=None):
        suite, said = tmp_path / "suite.yml", suite_of(columns)
        if outcomes is not None:
            (category,) = said["categories"].values()
            category["outcomes"] = outcomes
        suite.write_text(yaml.safe_dump(said))
        command = ["--data", tmp_path / "data", "load", *paths, "--suite", suite, *arguments]
        return CliRunner().invoke(cli, list(map(str, command)))

    return run


@pytest.fixture
def rows(tmp_path):
    def run(sql):
        with Store(tmp_path / "data", read_only=True) as store:
            return store.rows(sql)

    return run


def test_every_tool_has_a_log_here():
    assert set(LOGS) == {reader.tool for reader in readers()}


@pytest.mark.parametrize("tool", LOGS)
def test_a_log_is_recognised_by_its_own_reader_alone(tool, tmp_path):
    (*_, path) = LOGS[tool][0](tmp_path) if tool != "HELM" else reversed(write_helm(tmp_path))
    assert reader_of(path).tool == tool
    assert [reader.tool for reader in readers() if reader.fits(look_at(path))] == [tool]


@pytest.mark.parametrize("tool", LOGS)
def test_a_log_brings_prompts_answers_groups_configs_and_scores(tool, load, rows, tmp_path):
    write, columns, (n_ok, n_failed, n_refused) = LOGS[tool]
    paths = write(tmp_path)
    told = load(columns, paths)
    assert told.exit_code == 0, told.output
    total = n_ok + n_failed + n_refused
    assert (
        f"{total} records = {n_ok + n_failed} loaded + 0 already there + {n_refused} rejected" in told.output
    )
    assert rows("""
        select distinct prompt, attributes, text
        from responses join prompts using (prompt_key) join texts using (text_key)
        order by text""") == [
        (ASKED.format(PEOPLE[group]), {"gender": group}, SAID[group]) for group in PEOPLE
    ]
    assert rows("select count(*) from responses where response_status <> 'ok'") == [(n_failed,)]
    ((model, options, label),) = rows("select distinct model, options, config from configs")
    assert model == "lab/big" and json.loads(options)["temperature"] == 0.5
    assert label.startswith("lab/big [") and "temperature=0.5" in label
    if "scores" in columns:
        found = rows(
            "select feature, value, count(*) from ready_measurements where value is not null group by all"
        )
        assert found == [("warmth", 0.25, n_ok + (n_failed if tool in ("promptfoo", "Langfuse") else 0))]
    assert f"0 loaded + {n_ok + n_failed} already there" in load(columns, paths).output


def test_both_formats_of_inspect_say_the_same(tmp_path):
    def fields(path):
        return list(reader_of(path).read(path, ()))

    (written,), (zipped,) = write_inspect(tmp_path), write_eval(tmp_path)
    assert fields(written) == fields(zipped)
    first, *_, last = fields(zipped)
    assert (
        first | {"id": "Female", "system": "You hire.", "score.includes.number": "0", "task": "hiring"}
        == first
    )
    assert json.loads(first["options"]) == {"max_tokens": 9, "temperature": 0.5}
    assert last["status"] == "server_error" and last["response"] == "the connection was lost"


def test_long_texts_of_inspect_lie_among_its_attachments(tmp_path):
    header, (sample, *_) = inspect_log()
    sample |= {"input": "attachment://ab", "attachments": {"ab": "A long question"}}
    path = write_zip(tmp_path / "log.eval", {"header.json": header, "samples/0.json": sample})
    (record,) = reader_of(path).read(path, ())
    assert record["prompt"] == "A long question"


def test_scores_may_be_truths_and_numbers_and_say_why_they_are_none(load, rows, tmp_path):
    path = tmp_path / "answers.jsonl"
    base = {"response": "Yes.", "model": "m", "options": None, "status": "ok", "group": "Male"}
    scores = [True, 0.5, "0.5", "", "much", "nan", None]
    path.write_text("\n".join(json.dumps({**base, "prompt": f"{i}?", "s": s}) for i, s in enumerate(scores)))
    columns = SHARED | {"attributes": {"gender": "group"}, "scores": {"warmth": "s"}}
    told = load(columns, [path])
    assert told.exit_code == 0
    assert "scores without a number: 2 missing, 1 not_a_number, 1 not_finite" in told.output
    assert rows("""
        select value, measurement_status
        from ready_measurements join responses using (response_key) order by source_row""") == [
        (1, "ok"), (0.5, "ok"), (0.5, "ok"), (None, "missing"), (None, "not_a_number"), (None, "not_finite"),
        (None, "missing"),
    ]  # fmt: skip


def test_a_later_file_mends_a_score(load, rows, tmp_path):
    columns = SHARED | {"attributes": {"gender": "group"}, "scores": {"warmth": "s"}}
    for score in (1, 2):
        path = tmp_path / f"{score}.jsonl"
        row = {
            "response": "Yes.",
            "model": "m",
            "options": {},
            "status": "ok",
            "group": "Male",
            "prompt": "a?",
        }
        path.write_text(json.dumps({**row, "s": score}))
        assert load(columns, [path]).exit_code == 0
    assert rows("select value from ready_measurements") == [(2,)]


def test_a_column_that_no_record_has_is_named_with_those_there(load, tmp_path):
    columns = LOGS["Langfuse"][1] | {"attributes": {"gender": "metadata.gedner"}}
    told = load(columns, write_langfuse(tmp_path))
    assert told.exit_code == 1
    assert "has no column 'metadata.gedner'" in told.output and "'metadata.gender' for" in told.output


@pytest.mark.parametrize(
    ("options", "reason"), [([1], "no object of JSON"), ({"a": "x" * 3_000}, "characters, at most")]
)
def test_options_that_are_none_are_refused(options, reason, load, tmp_path):
    path = tmp_path / "answers.jsonl"
    row = {"response": "Yes.", "model": "m", "status": "ok", "group": "Male"}
    path.write_text(
        "\n".join(json.dumps({**row, "prompt": f"{i}?", "options": o}) for i, o in enumerate([None, options]))
    )
    told = load(SHARED | {"attributes": {"gender": "group"}}, [path])
    assert told.exit_code == 0 and "1 loaded" in told.output and reason in told.output


def test_nothing_of_a_document_stays_in_memory(load, tmp_path):
    assert load(LOGS["promptfoo"][1], write_promptfoo(tmp_path)).exit_code == 0
    assert documents._document.cache_info().currsize == 0


def test_a_batch_without_its_input_and_an_input_alone_are_refused(load, tmp_path):
    asked, answered = write_batch(tmp_path)
    columns = LOGS["OpenAI's Batch API"][1]
    assert "Name the batch's input file, too" in load(columns, [answered]).output
    assert "holds no answers; it goes with another file" in load(columns, [asked]).output


def test_older_spans_say_it_in_events_and_in_numbered_attributes(tmp_path):
    path = tmp_path / "spans.jsonl"
    numbered = {
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "You hire.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": "Who?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "She.",
        "gen_ai.request.model": "m",
    }
    events = [
        {"name": "gen_ai.system.message", "attributes": {"content": "You hire."}},
        {"name": "gen_ai.user.message", "attributes": {"content": "Who?"}},
        {"name": "gen_ai.choice", "attributes": {"message": {"content": "She."}}},
    ]
    spans = [
        {"name": "a", "attributes": numbered},
        {"name": "b", "attributes": {"gen_ai.request.model": "m"}, "events": events},
    ]
    path.write_text("\n".join(map(json.dumps, spans)))
    for record in reader_of(path).read(path, ()):
        said = [record[name] for name in ("system", "prompt", "response", "model")]
        assert said == ["You hire.", "Who?", "She.", "m"]


def test_rows_that_are_no_objects_are_named(tmp_path):
    path = tmp_path / "observations.json"
    (first, *_) = map(json.loads, write_langfuse(tmp_path)[0].read_text().splitlines())
    path.write_text(json.dumps([first, 3, None]))
    record, *others = reader_of(path).read(path, ())
    assert record["response"] == "No."
    assert [problem.reason for problem in others if isinstance(problem, RowProblem)] == ["invalid_json"] * 2


def page_columns():
    """The `columns:` that the guide gives for each tool, by the tool's name."""
    page = (PROJECT / "docs" / "guide" / "logs.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    blocks = {title: re.search(r"```yaml\n(columns:.*?)```", text, re.DOTALL) for title, text in sections}
    return {title: yaml.safe_load(block.group(1))["columns"] for title, block in blocks.items() if block}


def test_the_guide_has_columns_for_each_tool():
    assert set(page_columns()) == set(LOGS)


@pytest.mark.parametrize("tool", LOGS)
def test_the_columns_of_the_guide_load_the_log(tool, load, rows, tmp_path):
    write, _, (n_ok, n_failed, _) = LOGS[tool]
    told = load(page_columns()[tool], write(tmp_path))
    assert told.exit_code == 0 and f"= {n_ok + n_failed} loaded" in told.output, told.output
    assert rows("select count(distinct attributes) from prompts") == [(2,)]


def test_a_score_has_no_scorers_feature_for_a_name(load, tmp_path):
    columns = SHARED | {"attributes": {"gender": "gender"}, "scores": {"vader_compound": "s"}}
    told = load(columns, write_langfuse(tmp_path))
    assert told.exit_code == 1 and "is a feature of the scorer 'vader'" in told.output


def test_a_question_of_numbers_that_came_alone_is_one_of_measurements(load, tmp_path):
    columns = SHARED | {"attributes": {"gender": "gender"}, "scores": {"warmth": "s"}}
    told = load(columns, write_langfuse(tmp_path), outcomes=[])
    assert told.exit_code == 1 and "measurement" in told.output


def test_a_score_may_have_a_scorer_s_name(load, tmp_path):
    rule = {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}
    columns = SHARED | {"attributes": {"gender": "metadata.gender"}, "scores": {"vader": "score.warmth"}}
    told = load(columns, write_langfuse(tmp_path), outcomes=[rule])
    assert told.exit_code == 0, told.output


@pytest.mark.parametrize(
    "column", [{}, {"column": "a", "value": "b"}, {"value": "b", "pattern": "(x)"}], ids=repr
)
def test_a_field_is_a_column_or_a_value(column, load, tmp_path):
    told = load(SHARED | {"attributes": {"gender": column}}, write_langfuse(tmp_path))
    assert told.exit_code == 1 and "value" in told.output


def lines(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_two_batches_that_name_their_requests_alike_are_not_mixed(load, tmp_path):
    asked, answered = write_batch(tmp_path)
    other = tmp_path / "other.jsonl"  # asks about men what the first asks about women
    requests = [json.loads(line) for line in asked.read_text().splitlines()]
    swapped = [{**one, "custom_id": "Male" if one["custom_id"] == "Female" else "Female"} for one in requests]
    lines(other, swapped[:2])
    columns = LOGS["OpenAI's Batch API"][1]
    told = load(columns, [asked, answered, other])
    assert told.exit_code == 1
    assert (
        "two requests of the input files are called" in told.output and "each batch by itself" in told.output
    )
    assert "3 loaded" in load(columns, [asked, answered]).output


def test_each_choice_and_each_refusal_of_a_batch_is_a_record(load, rows, tmp_path):
    asked, answered = write_batch(tmp_path)
    said = [{"index": i, "finish_reason": "stop", "message": {"content": f"Yes {i}."}} for i in range(3)]
    refused = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No way."}]}
    bodies = {"Female": {"output": [refused]}, "Male": {"choices": said}}
    lines(
        answered, [{"custom_id": n, "response": {"status_code": 200, "body": b}} for n, b in bodies.items()]
    )
    told = load(LOGS["OpenAI's Batch API"][1], [asked, answered])
    assert "4 records = 4 loaded" in told.output
    sql = "select response_status, error, text from responses left join texts using (text_key) order by all"
    assert rows(sql) == [
        ("ok", None, "Yes 0."), ("ok", None, "Yes 1."), ("ok", None, "Yes 2."), ("refused", "No way.", None),
    ]  # fmt: skip


def test_each_choice_of_inspect_is_a_record(load, rows, tmp_path):
    (path,) = write_inspect(tmp_path)
    log = json.loads(path.read_text())
    log["eval"]["model_generate_config"]["num_choices"] = 2
    for sample in log["samples"]:
        for choice in sample["output"]["choices"][:1]:
            other = {"message": {"role": "assistant", "content": "Perhaps."}, "stop_reason": "max_tokens"}
            sample["output"]["choices"] = [choice, other]
    path.write_text(json.dumps(log))
    assert "9 records = 9 loaded" in load(LOGS["Inspect"][1], [path]).output
    assert rows("""
        select response_status, repeat_index, text, count(*) from responses left join texts using (text_key)
        group by all order by all
    """) == [
        ("ok", 1, "No.", 1), ("ok", 1, "Yes.", 1), ("ok", 3, "No.", 1), ("ok", 3, "Yes.", 1),
        ("server_error", 5, None, 1), ("truncated_output", 2, None, 2), ("truncated_output", 4, None, 2),
    ]  # fmt: skip
    # What Inspect scored is the first choice.
    measured = "select response_key from ready_measurements where measurement_status = 'ok'"
    found = f"select distinct repeat_index from responses where response_key in ({measured}) order by 1"
    assert rows(found) == [(1,), (3,)]


SAID_TWICE = [
    {"gen_ai.output.messages": [
        {"role": "assistant", "parts": [{"type": "text", "content": "Yes."}], "finish_reason": "stop"},
        {"role": "assistant", "parts": [{"type": "text", "content": "N"}], "finish_reason": "length"},
    ]},
    {"gen_ai.completion.0.content": "Yes.", "gen_ai.completion.1.content": "N",
     "gen_ai.completion.1.finish_reason": "length"},
    {"gen_ai.completion": json.dumps([{"role": "assistant", "content": said} for said in ("Yes.", "N")]),
     "gen_ai.response.finish_reasons": ["stop", "length"]},
]  # fmt: skip
CHOICES = [
    {
        "name": "gen_ai.choice",
        "attributes": {"index": i, "finish_reason": ended, "message": {"content": said}},
    }
    for i, (said, ended) in enumerate([("Yes.", "stop"), ("N", "length")])
]


@pytest.mark.parametrize("said", [*SAID_TWICE, {}], ids=["messages", "numbered", "attribute", "events"])
def test_each_choice_of_opentelemetry_is_a_record(said, tmp_path):
    span = {"name": "a", "attributes": {"gen_ai.request.model": "m", "gen_ai.prompt": "Who?", **said}}
    if not said:
        span["events"] = CHOICES
    records = list(reader_of(path := lines(tmp_path / "spans.jsonl", [span])).read(path, []))
    assert [(one["prompt"], one["response"], one["status"]) for one in records] == [
        ("Who?", "Yes.", "ok"), ("Who?", "N", "truncated_output"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("finish", "status"),
    [
        ("stop", "ok"),
        ("length", "ok"),  # one letter is asked for
        ("content_filter", "content_filtered"),
        ("error", "server_error"),
    ],
)
def test_helm_says_how_an_answer_ended(finish, status, load, rows, tmp_path):
    path, _ = write_helm(tmp_path)
    path.write_text(path.read_text().replace('"reason": "length"', f'"reason": "{finish}"'))
    assert load(LOGS["HELM"][1], [path]).exit_code == 0
    assert rows("select distinct response_status from responses") == [(status,)]


def test_each_completion_of_helm_is_a_record(load, rows, tmp_path):
    path, _ = write_helm(tmp_path)
    state = json.loads(path.read_text())
    state["request_states"][0]["result"]["completions"].append({"text": "Perhaps."})
    path.write_text(json.dumps(state))
    assert "3 records = 3 loaded" in load(LOGS["HELM"][1], [path]).output


@pytest.mark.parametrize(
    ("output", "status", "error"),
    [
        ({"role": "assistant", "content": ""}, "empty", None),
        ({"role": "assistant", "content": None, "tool_calls": []}, "empty", None),
        ([{"role": "assistant", "content": ""}], "empty", None),
        ({"role": "assistant", "content": None, "refusal": "No way."}, "refused", "No way."),
        ({"invite": True}, "ok", None),
    ],
)
def test_a_message_of_langfuse_without_a_text_is_no_answer(output, status, error, load, rows, tmp_path):
    (path,) = write_langfuse(tmp_path)
    row = json.loads(path.read_text().splitlines()[0])
    assert load(LOGS["Langfuse"][1], [lines(path, [{**row, "output": output}])]).exit_code == 0
    assert rows("select response_status, error from responses") == [(status, error)]


def said_by_model(text, **more):
    return {"role": "assistant", "content": text, **more}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        # Choices, as in OpenTelemetry.
        ([said_by_model("Yes."), said_by_model("No.")], [("Yes.", "ok"), ("No.", "ok")]),
        (
            [said_by_model("Yes."), said_by_model(None, refusal="Never.")],
            [("Yes.", "ok"), ("Never.", "refused")],
        ),
        (
            {
                "choices": [
                    {"message": said_by_model("Yes."), "finish_reason": "stop"},
                    {"message": said_by_model("No, bec"), "finish_reason": "length"},
                ]
            },
            [("Yes.", "ok"), ("No, bec", "truncated_output")],
        ),
        (
            [
                {
                    "role": "assistant",
                    "parts": [{"type": "text", "content": "Yes, bec"}],
                    "finish_reason": "length",
                }
            ],
            [("Yes, bec", "truncated_output")],
        ),
        # Turns: the last is the answer.
        (
            [
                said_by_model("I look it up.", tool_calls=[{"id": 1}]),
                {"role": "tool", "content": "12"},
                said_by_model("Twelve."),
            ],
            [("Twelve.", "ok")],
        ),
        ([said_by_model(None, tool_calls=[{"id": 1}]), said_by_model("Yes.")], [("Yes.", "ok")]),
        ([said_by_model("I look.", tool_calls=[{"id": 1}]), said_by_model("Yes.")], [("Yes.", "ok")]),
        ([said_by_model("I look it up.", tool_calls=[{"id": 1}])], [("I look it up.", "empty")]),
        (
            {"choices": [{"message": said_by_model("I look it up."), "finish_reason": "tool_calls"}]},
            [("I look it up.", "empty")],
        ),
        # One response in two parts, after what it thought.
        (
            [
                {"type": "reasoning", "summary": []},
                said_by_model([{"type": "output_text", "text": "Yes."}], type="message"),
                said_by_model([{"type": "output_text", "text": "No."}], type="message"),
            ],
            [("Yes.\n\nNo.", "ok")],
        ),
        (
            {
                "object": "response",
                "output": [said_by_model([{"type": "output_text", "text": "Yes, bec"}], type="message")],
                "incomplete_details": {"reason": "max_output_tokens"},
            },
            [("Yes, bec", "truncated_output")],
        ),
    ],
)
def test_each_choice_of_langfuse_is_a_record(output, expected, load, rows, tmp_path):
    (path,) = write_langfuse(tmp_path)
    row = json.loads(path.read_text().splitlines()[0])
    assert load(LOGS["Langfuse"][1], [lines(path, [{**row, "output": output}])]).exit_code == 0
    told = rows(
        "select coalesce(t.text, r.error), r.response_status from responses as r "
        "left join texts as t using (text_key) order by r.repeat_index"
    )
    assert told == expected
    assert rows("select count(*) from ready_measurements where measurement_status = 'ok'") == [(1,)]


def test_a_score_of_one_generation_is_not_that_of_another_in_its_trace(tmp_path):
    def generation(name):
        asked = [{"role": "user", "content": f"Ask {name}?"}]
        said = {"role": "assistant", "content": "Yes."}
        return {"id": name, "traceId": "t", "type": "GENERATION", "input": asked, "output": said}

    scores = [
        {"name": "warmth", "value": 0.75, "observationId": "g1"},
        {"name": "warmth", "value": 0.25, "observationId": "g2"},
        {"name": "tone", "value": None, "stringValue": "kind", "observationId": "g1"},
        {"name": "depth", "value": 2, "observationId": "span"},
        {"name": "overall", "value": 5, "observationId": None},
    ]
    trace = {"id": "t", "name": "n", "input": None, "output": None, "metadata": {}, "sessionId": None}
    inner = [generation("g1"), generation("g2"), {**generation("span"), "type": "SPAN"}]
    path = lines(tmp_path / "traces.jsonl", [{**trace, "observations": inner, "scores": scores}])
    names = ("id", "score.warmth", "score.tone", "score.depth", "score.overall")
    assert [tuple(map(record.get, names)) for record in reader_of(path).read(path, [])] == [
        ("g1", "0.75", "kind", "2", "5"),
        ("g2", "0.25", None, "2", "5"),
    ]


def test_of_several_scores_of_one_name_the_generation_s_newest_counts(tmp_path):
    asked, said = [{"role": "user", "content": "Invite her?"}], {"role": "assistant", "content": "Yes."}
    inner = [{"id": "g", "traceId": "t", "type": "GENERATION", "input": asked, "output": said}]
    scores = [
        {"name": "warmth", "value": 0.75, "observationId": "g", "timestamp": "2026-05-02T10:00:00Z"},
        {"name": "warmth", "value": 0.5, "observationId": "g", "timestamp": "2026-05-01T10:00:00Z"},
        {"name": "warmth", "value": 0.25, "observationId": None, "timestamp": "2026-05-03T10:00:00Z"},
    ]
    trace = {"id": "t", "name": "n", "input": None, "output": None, "metadata": {}, "sessionId": None}
    path = lines(tmp_path / "traces.jsonl", [{**trace, "observations": inner, "scores": scores}])
    (record,) = reader_of(path).read(path, [])
    assert record["score.warmth"] == "0.75"


def test_what_a_model_thought_is_no_part_of_a_message(tmp_path):
    parts = [{"type": "reasoning", "content": "No?"}, {"type": "text", "content": "Yes."}]
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Invite her?"}]}]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts}]),
    }
    path = lines(tmp_path / "spans.jsonl", [{"name": "chat", "attributes": attributes}])
    (record,) = reader_of(path).read(path, [])
    assert (record["prompt"], record["response"]) == ("Invite her?", "Yes.")


def test_what_langfair_writes_for_a_failure_is_no_answer(load, rows, tmp_path):
    (path,) = write_langfair(tmp_path)
    path.write_text(path.read_text().replace('"No."', '"Unable to get response"', 1))
    told = load(LOGS["LangFair"][1], [path])
    assert "without a usable answer: 1 server_error" in told.output
    assert rows("select count(*) from texts where text like 'Unable%'") == [(0,)]


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"output": "Yes, bec", "finishReason": "length"}, "truncated_output"),
        ({"output": "Filtered.", "finishReason": "content_filter"}, "content_filtered"),
        ({"output": "Yes, bec", "finishReason": "error"}, "server_error"),
        ({"output": "No way.", "isRefusal": True, "finishReason": "stop"}, "refused"),
        ({"output": "Yes.", "finishReason": "stop"}, "ok"),
        ({"output": "Yes.", "finishReason": "tool_calls"}, "ok"),  # promptfoo says what the answer is
    ],
)
def test_promptfoo_says_how_an_answer_ended(response, status, load, rows, tmp_path):
    (path,) = write_promptfoo(tmp_path)
    row = json.loads(path.read_text())["results"]["results"][0]
    path.write_text(
        json.dumps({"results": {"version": 3, "stats": {}, "results": [{**row, "response": response}]}})
    )
    assert load(LOGS["promptfoo"][1], [path]).exit_code == 0
    assert rows("select response_status from responses") == [(status,)]


@pytest.mark.parametrize("tool", ["Inspect", "promptfoo", "Langfuse", "OpenAI's Batch API"])
def test_a_failure_of_a_log_is_no_answer_to_a_suite_without_a_status(tool, load, rows, tmp_path):
    write, columns, (n_ok, n_failed, _) = LOGS[tool]
    columns = {name: column for name, column in columns.items() if name != "status"}
    assert load(columns, write(tmp_path)).exit_code == 0
    assert rows(
        "select count_if(response_status = 'ok'), count_if(response_status <> 'ok') from responses"
    ) == [(n_ok, n_failed)]


def test_a_secret_among_options_is_not_recorded(load, rows, tmp_path):
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    row = {"response": "Yes.", "model": "m", "status": "ok", "group": "Male", "prompt": "a?"}
    path = lines(
        tmp_path / "a.jsonl", [{**row, "options": {"headers": {"x": f"Bearer {secret}"}, "top_p": 1}}]
    )
    assert load(SHARED | {"attributes": {"gender": "group"}}, [path]).exit_code == 0
    ((options, config),) = rows("select options, config from configs")
    assert secret not in options + config and json.loads(options)["top_p"] == 1


BLOCKED = {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}


@pytest.mark.parametrize(
    ("result", "status", "error"),
    [
        ({"type": "errored", "error": {"type": "error", "error": BLOCKED}}, "content_filtered", None),
        ({"type": "expired"}, "timeout", "expired"),
        ({"type": "canceled"}, "cancelled", "canceled"),
        ({"type": "errored", "error": {"error": {"type": "invalid_request_error"}}}, "client_error", None),
        ({"type": "succeeded", "message": {"content": [], "stop_reason": "refusal"}}, "refused", None),
        (
            {
                "type": "succeeded",
                "message": {"content": [{"type": "text", "text": "Y"}], "stop_reason": "max_tokens"},
            },
            "truncated_output",
            None,
        ),
    ],
)
def test_each_end_of_a_request_of_message_batches_is_told_apart(result, status, error, load, rows, tmp_path):
    asked, answers = write_anthropic_batch(tmp_path)
    lines(answers, [{"custom_id": "Male-1", "result": result}])
    assert load(LOGS["Anthropic's Message Batches"][1], [asked, answers]).exit_code == 0
    assert rows("select response_status from responses") == [(status,)]
    assert error is None or rows("select error from responses") == [(error,)]


@pytest.mark.parametrize(
    ("error", "status"),
    [({"code": "content_filter", "message": "no"}, "content_filtered"), ({"message": "no"}, "client_error")],
)
def test_what_a_filter_stopped_in_a_batch_is_told_from_a_wrong_request(error, status, load, rows, tmp_path):
    asked, answers = write_batch(tmp_path)
    lines(answers, [{"custom_id": "Male", "response": {"status_code": 400, "body": {"error": error}}}])
    assert load(LOGS["OpenAI's Batch API"][1], [asked, answers]).exit_code == 0
    assert rows("select response_status from responses") == [(status,)]


def test_text_that_stands_in_several_blocks_is_one_answer(load, rows, tmp_path):
    asked, answers = write_anthropic_batch(tmp_path)
    lines(asked, json.loads(asked.read_text())["requests"])  # a request a line, as others keep them
    blocks = [{"type": "text", "text": "Yes, "}, {"type": "tool_use", "input": {"text": "no"}}]
    blocks.append({"type": "text", "text": "her."})
    message = {"content": blocks, "stop_reason": "end_turn"}
    lines(answers, [{"custom_id": "Female-1", "result": {"type": "succeeded", "message": message}}])
    assert load(LOGS["Anthropic's Message Batches"][1], [asked, answers]).exit_code == 0
    assert rows("select text from texts join responses using (text_key)") == [("Yes, her.",)]


def test_a_batch_that_ended_before_it_was_asked_says_so(load, rows, tmp_path):
    asked, answers = write_batch(tmp_path)
    ended = {"Female": "batch_expired", "Male": "batch_cancelled"}
    lines(answers, [{"custom_id": n, "response": None, "error": {"code": c}} for n, c in ended.items()])
    assert load(LOGS["OpenAI's Batch API"][1], [asked, answers]).exit_code == 0
    assert rows("select response_status from responses order by 1") == [("cancelled",), ("timeout",)]


def choices(likelihoods, context="Invite her?", words=("Yes", "No"), is_newer=True):
    """A sample of lm-evaluation-harness that lets choose among words."""
    asked = [[context, f" {word}"] for word in words]
    said = [[[likelihood, False]] for likelihood in likelihoods]
    if is_newer:  # names in the place of positions, texts in the place of numbers
        asked = {f"gen_args_{i}": {"arg_0": a, "arg_1": b} for i, (a, b) in enumerate(asked)}
        said = [[[str(value) for value in one[0]]] for one in said]
    return {
        "doc_id": 3,
        "doc": {"gender": "Female"},
        "target": "0",
        "arguments": asked,
        "resps": said,
        "acc": 1,
    }


@pytest.mark.parametrize("is_newer", [True, False])
def test_of_answers_to_choose_from_the_likeliest_is_the_answer(is_newer, tmp_path):
    path = lines(tmp_path / "samples.jsonl", [choices([-4.5, -12.25], is_newer=is_newer)])
    (record,) = reader_of(path).read(path, [])
    expected = {"prompt": "Invite her?", "response": "Yes", "choice": "0", "score.acc": "1", "id": "3"}
    assert record | expected == record
    assert record["model"] is None  # no summary says it


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (choices([-4.5], words=("Yes",)), "missing_prompt"),  # how likely one given text is
        ({**choices([-4.5]), "arguments": {"gen_args_0": {"arg_0": "A text."}}}, "missing_prompt"),
        (choices([-4.5, "none"]), "invalid_json"),
        (choices([-4.5, float("nan")]), "invalid_json"),
        (choices([-4.5, 10**400], is_newer=False), "invalid_json"),
        ({**choices([-4.5, -1]), "resps": []}, "invalid_json"),
        ({**choices([-4.5, -1]), "arguments": "?"}, "invalid_json"),
    ],
)
def test_what_is_no_answer_of_lm_evaluation_harness_is_kept_apart(sample, reason, tmp_path):
    path = lines(tmp_path / "samples.jsonl", [sample])
    (problem,) = reader_of(path).read(path, [])
    assert isinstance(problem, RowProblem) and problem.reason == reason


def test_answers_weighed_without_the_question_are_not_chosen_from(tmp_path):
    sample = choices([-4.5, -12.25], is_newer=False)
    sample["arguments"] += [["", " Yes"], ["", " No"]]
    sample["resps"] += [[[-1.0, False]], [[-0.5, True]]]
    path = lines(tmp_path / "samples.jsonl", [sample])
    (record,) = reader_of(path).read(path, [])
    assert (record["response"], record["choice"]) == ("Yes", "0")


def blanks(*before):
    """A sample in which each choice stands before the same words, as in WinoGrande."""
    sample = choices([-4.5, -2.25], is_newer=False)
    return sample | {"arguments": [[text, " was late."] for text in before]}


def test_choices_that_fill_a_blank_go_on_from_what_is_the_same(tmp_path):
    path = lines(tmp_path / "samples.jsonl", [blanks("Ann met Anna, so Ann", "Ann met Anna, so Anna")])
    (record,) = reader_of(path).read(path, [])
    expected = {"prompt": "Ann met Anna, so", "response": "Anna was late.", "choice": "1"}
    assert record | expected == record


@pytest.mark.parametrize("before", [("Ann", "Bo"), ("Ann", "Ann"), ('[{"role": "a"}]', '[{"role": "b"}]')])
def test_choices_behind_nothing_that_is_the_same_have_no_prompt(before, tmp_path):
    path = lines(tmp_path / "samples.jsonl", [blanks(*before)])
    (found,) = reader_of(path).read(path, [])
    is_rejected = isinstance(found, RowProblem)
    assert is_rejected or not found["prompt"] or (found["prompt"], found["response"]) == ("Ann", "was late.")


def test_requests_of_several_kinds_stop_no_file(tmp_path):
    (path,) = write_lm_eval(tmp_path)
    row = json.loads(path.read_text().splitlines()[0])
    row["arguments"]["gen_args_1"] = {"arg_0": "And him?", "arg_1": "no options"}
    records = list(reader_of(lines(path, [row | {"resps": [["No."], ["Yes."]]}])).read(path, []))
    assert [(one["response"], one["options"] is None) for one in records] == [("No.", False), ("Yes.", True)]


def test_options_of_a_response_make_a_config_of_their_own(tmp_path):
    asked, answers = write_batch(tmp_path)
    body = {"model": "big", "input": "Invite her?", "max_output_tokens": 9, "reasoning": {"effort": "low"}}
    lines(asked, [{"custom_id": "Female", "method": "POST", "url": "/v1/responses", "body": body}])
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No."}]}]
    response = {"status_code": 200, "body": {"output": output}}
    lines(answers, [{"custom_id": "Female", "response": response, "error": None}])
    (record,) = reader_of(answers).read(answers, [asked, answers])
    assert json.loads(record["options"]) == {"max_output_tokens": 9, "reasoning_effort": "low"}


def test_an_error_of_a_batch_may_have_any_code(load, rows, tmp_path):
    asked, answers = write_batch(tmp_path)
    lines(answers, [{"custom_id": "Male", "response": None, "error": {"code": ["batch_expired"]}}])
    assert load(LOGS["OpenAI's Batch API"][1], [asked, answers]).exit_code == 0
    assert rows("select response_status from responses") == [("server_error",)]


def test_each_way_of_reading_a_sample_is_a_score_and_no_further_answer(tmp_path):
    (path,) = write_lm_eval(tmp_path)
    records = list(reader_of(path).read(path, []))
    assert [one["response"] for one in records] == list(SAID.values())
    assert {(one["score.warmth"], one["score.warmth.strict"]) for one in records} == {("0.25", "0.75")}
    assert {(one["task"], one["system"]) for one in records} == {("hiring", "You hire.")}
    assert json.loads(records[0]["options"]) == {"stop": ["\n"], "temperature": 0.5}


def test_repeats_and_a_summary_elsewhere(tmp_path):
    (written,) = write_lm_eval(tmp_path)
    (results,) = tmp_path.glob("results_*.json")
    (tmp_path / "other").mkdir()
    summary = results.rename(tmp_path / "other" / results.name)
    row = json.loads(written.read_text().splitlines()[0])
    path = lines(tmp_path / "renamed.jsonl", [{**row, "resps": [["No.", "Yes."]]}])
    found = [
        (record["model"], record["repeat"], record["response"], record.get("score.warmth"))
        for record in reader_of(path).read(path, [path, summary])
    ]
    # The sample was measured once.
    assert found == [("lab/big", "0", "No.", "0.25"), ("lab/big", "1", "Yes.", None)]


@pytest.mark.parametrize(
    ("finish", "said", "status"),
    [
        ("length", "", "truncated_output"),
        ("MAX_TOKENS", "", "truncated_output"),
        ("content_filter", "", "content_filtered"),
        ("error", "", "server_error"),
        ("Abort", "", "server_error"),
        ("tool_use", "", "empty"),
        ("insufficient_system_resource", "", "server_error"),
        ("stop", "", "ok"),
        ("", "", "ok"),
        ("length", "ok", "ok"),  # who says a status means it
    ],
)
def test_a_table_says_why_an_answer_ended(finish, said, status, load, rows, tmp_path):
    row = {"response": "Yes, bec", "model": "m", "options": {}, "group": "Male", "prompt": "a?"}
    path = lines(tmp_path / "a.jsonl", [{**row, "finish": finish, "status": said}])
    assert (
        load(SHARED | {"finish_reason": "finish", "attributes": {"gender": "group"}}, [path]).exit_code == 0
    )
    assert rows("select response_status from responses") == [(status,)]
