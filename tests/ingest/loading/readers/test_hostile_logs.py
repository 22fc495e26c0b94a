"""Logs that are damaged, bombs, deep, huge or of odd types: one line or a refused record, no more."""

import json
import random

import pytest
from zips import packed, write_zip

from ingest.errors import PlumblineError
from ingest.loading.files import read_records
from ingest.loading.problems import REASONS, RowProblem
from ingest.loading.readers import archive, documents

COLUMNS = ["prompt", "response"]
HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
SAMPLE = {"id": 1, "epoch": 1, "input": "a?", "output": {"completion": "b"}, "metadata": {"x": 1}}
GOOD = ["a?", "b"]


def records(path, beside=()):
    return [cells for _, cells in read_records(path, COLUMNS, beside=beside)]


def refused(path):
    with pytest.raises(PlumblineError) as error:
        records(path)
    message = error.value.format_message()
    assert "\n" not in message and len(message) <= 300
    return message


@pytest.fixture
def small_bounds(monkeypatch):
    monkeypatch.setattr(archive, "MAX_ENTRY", 1 << 20)
    monkeypatch.setattr(archive, "MAX_UNFOLDED", 1 << 21)


def with_samples(folder, *samples, **options):
    files = {f"samples/{i}.json": sample for i, sample in enumerate([SAMPLE, *samples])}
    return write_zip(folder / "log.eval", {"header.json": HEADER, **files}, **options)


def test_a_sample_that_unfolds_too_far_is_refused_and_others_are_read(small_bounds, tmp_path):
    bomb = packed(b" " * (5 << 20))
    good, problem = records(with_samples(tmp_path, bomb))
    assert good == GOOD and problem.reason == "too_long"


def test_a_size_that_the_archive_lies_about_is_not_believed(small_bounds, tmp_path):
    good, problem = records(with_samples(tmp_path, packed(b" " * (5 << 20)), claimed=100))
    assert good == GOOD and problem.reason == "too_long"
    assert "no header" in refused(with_samples(tmp_path, claimed=1 << 31))  # 2 GB each, as it says


def test_many_samples_that_unfold_are_a_bomb(small_bounds, tmp_path):
    bombs = [packed(b" " * (1 << 20))] * 8
    assert "unfolds to over" in refused(with_samples(tmp_path, *bombs))


@pytest.mark.parametrize("method", [0, 8, 93])
def test_each_packing_is_read(method, tmp_path):
    files = {"header.json": HEADER, "samples/1.json": SAMPLE}
    if method == 8:
        import zipfile

        path = tmp_path / "log.eval"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in files.items():
                file.writestr(name, json.dumps(content))
    else:
        path = write_zip(tmp_path / "log.eval", files, method)
    assert records(path) == [GOOD]


def test_an_unknown_packing_and_a_damaged_sample_are_refused(tmp_path):
    good, problem = records(with_samples(tmp_path, b"no zstd at all"))
    assert good == GOOD and problem.reason == "invalid_json" and "decompress" in problem.detail
    path = write_zip(tmp_path / "log.eval", {"header.json": HEADER}, method=14)
    assert "it has no header" in refused(path)


@pytest.mark.parametrize("name", ["log.eval", "log.zip"])
def test_an_archive_that_is_no_log_is_refused(name, tmp_path):
    path = write_zip(tmp_path / name, {"other.json": {}})
    assert ("no header" if name == "log.eval" else "a zip archive") in refused(path)


def test_every_flipped_byte_gives_a_record_a_reason_or_one_line(tmp_path):
    path = with_samples(tmp_path, SAMPLE, SAMPLE)
    whole = path.read_bytes()
    rng = random.Random(3)
    for place in rng.sample(range(len(whole)), 150):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ (1 + rng.randrange(255))]) + whole[place + 1 :]
        )
        try:
            found = records(path)
        except PlumblineError as error:
            assert "\n" not in error.format_message()
            continue
        for cells in found:
            assert cells.reason in REASONS if isinstance(cells, RowProblem) else len(cells) == 2
    for end in range(0, len(whole), 37):
        path.write_bytes(whole[:end])
        refused(path)


def deep(n=200_000):
    return "[" * n + "]" * n


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{\n" + '"eval": ' + deep() + "}", "can be loaded"),
        ("a.json", deep(), "one JSON array"),
        ("a.jsonl", '{"custom_id": "1", "response": ' + deep() + "}", "can be loaded"),
        ("a.json", '{\n"resourceSpans": 3}', "has no records"),
        ("a.json", '{\n"resourceSpans": [3, {"scopeSpans": [null, {"spans": "x"}]}]}', "has no records"),
        ("a.json", '{\n"adapter_spec": 1, "request_states": {}}', "has no records"),
        ("a.json", '{\n"data": {"prompt": 1, "response": 2}, "metadata": 0}', "has no records"),
        ("a.json", '{\n"other": {}}', "no log of a tool"),
    ],
)
def test_documents_that_are_deep_empty_or_odd(name, content, said, tmp_path):
    path = tmp_path / name
    path.write_text(content)
    try:
        message = refused(path)
    except pytest.fail.Exception:
        found = records(path)
        assert said == "can be loaded" and all(isinstance(cells, RowProblem) for cells in found)
    else:
        assert said in message


def test_a_document_and_a_line_that_are_too_large_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 1_000)
    path = tmp_path / "a.json"
    path.write_text("{\n" + " " * 2_000 + "}")
    assert "is one JSON document of" in refused(path)
    path = tmp_path / "a.jsonl"
    row = {"id": "1", "trace_id": "t", "type": "GENERATION", "input": "a?", "output": "b"}
    path.write_text(json.dumps(row) + "\n" + "x" * (documents.MAX_LINE + 1))
    assert "has a line of over" in refused(path)


ODD = [
    None,
    3,
    "x",
    [],
    {},
    [None],
    {"role": 3},
    [{"role": "user", "content": [1, {"text": 2}]}],
    True,
    1e400,
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_types_in_the_place_of_what_is_expected(odd, tmp_path):
    """Each field of a row in turn: a record, a reason, or one line; nothing else."""
    rows = {
        "log.json": {**HEADER, "plan": {}, "samples": [{**SAMPLE, "scores": {}, "attachments": {}}]},
        "results.json": {
            "results": {
                "version": 3,
                "stats": {},
                "results": [
                    {"provider": {}, "prompt": {"raw": "a?"}, "response": {"output": "b"}, "success": 1}
                ],
            }
        },
        "state.json": {
            "adapter_spec": {},
            "request_states": [
                {"instance": {}, "request": {"prompt": "a?"}, "result": {"completions": [{}]}}
            ],
        },
        "langfuse.jsonl": {"id": 1, "trace_id": 2, "type": "GENERATION", "input": "a?", "output": "b"},
        "spans.jsonl": {"attributes": {"gen_ai.request.model": "m"}, "events": [], "status": {}},
        "langfair.json": {"data": {"prompt": ["a?"], "response": ["b"]}, "metadata": {}},
    }
    for name, row in rows.items():
        path = tmp_path / name
        for changed in changes(row, odd):
            path.write_text(json.dumps(changed, indent=None if name.endswith("l") else 1))
            try:
                found = records(path)
            except PlumblineError as error:
                assert "\n" not in error.format_message()
                continue
            for cells in found:
                assert isinstance(cells, RowProblem) or len(cells) == 2


def changes(content, odd):
    """Yield a document with each of its values, one at a time, exchanged for an odd one."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield {**content, name: odd}
            for changed in changes(value, odd):
                yield {**content, name: changed}
    if isinstance(content, list):
        for i, value in enumerate(content):
            yield [*content[:i], odd, *content[i + 1 :]]
            for changed in changes(value, odd):
                yield [*content[:i], changed, *content[i + 1 :]]
