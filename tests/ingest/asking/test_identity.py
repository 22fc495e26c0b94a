"""Whose answer is it? Servers whose model is replaced while it is asked, however the run ends."""

import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import product

import pytest
import yaml
from asked import ASKED, N_PROMPTS, have_assembled
from click.testing import CliRunner

from ingest.asking.identity import ModelChanged, is_same_model
from ingest.asking.plan import plan
from ingest.asking.run import generate_answers
from ingest.asking.senders import Retries
from ingest.asking.written_texts import Writer
from ingest.cli import cli
from ingest.store import Store
from ingest.suite import load_suite

ONE, OTHER = "sha256:" + "1f" * 32, "sha256:" + "2e" * 32
ANSWERS = "from responses join configs using (config_key) join texts using (text_key)"
ROUTE = {"ollama": "", "openai": "/v1"}


@pytest.fixture(params=["ollama", "openai"])
def backend(request):
    return request.param


class Audit:
    """A suite asked of a server, by the command as a user runs it."""

    def __init__(self, folder, server, backend, **config):
        self.server, self.folder, self.data = server, folder, folder / "data"
        config = {"backend": backend, "model": "tiny", "base_url": server.url + ROUTE[backend], **config}
        asked = ASKED.read_text("utf-8")
        self.path = folder / "suite.yml"
        self.path.write_text(yaml.safe_dump(yaml.safe_load(asked) | {"configs": [config]}), "utf-8")
        have_assembled(self.data, load_suite(self.path), asked)

    def arguments(self, stage):
        return ["--data", str(self.data), stage, "--suite", str(self.path)]

    def run(self, stage="generate"):
        return CliRunner().invoke(cli, self.arguments(stage))

    def start(self):
        """Start asking in a process of its own, in which Ctrl-C works."""
        code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        code += f"from ingest.cli import cli; cli({self.arguments('generate')!r})"
        return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)

    def statuses(self):
        return Counter(status for status, _ in self.rows("select response_status, 1 from responses"))

    def rows(self, sql):
        with Store(self.data) as store:
            return store.rows(sql)

    def wrong(self):
        """Answers that stand under a digest other than that of the model which gave them."""
        return [
            (digest, text)
            for digest, text in self.rows(f"select digest, text {ANSWERS}")
            if text != ("A" if digest == ONE else "B")
        ]


def wait_for(server, n_asked, child):
    """Wait until so much was asked, or the run has ended by itself."""
    until = time.monotonic() + 60
    while server.n_asked() < n_asked and child.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.02)


def swap(server):
    """Put model B in the place of A, between two requests."""
    server.change(digest=OTHER)
    server.rules({"do": "slow", "seconds": 0.03, "says": "B"})


@pytest.mark.parametrize(
    ("end", "back"),
    [*product([signal.SIGKILL, signal.SIGINT], [False, True]), ("down", False), (None, False)],
)
def test_no_answer_of_another_model_stands_under_the_first_ones_digest(tmp_path, server, end, back):
    audit = Audit(tmp_path, server, "ollama", timeout_seconds=5)
    soon, later = ({"do": "slow", "seconds": seconds, "says": "A"} for seconds in (0.03, 1))
    server.rules(soon | {"times": 10}, later)  # half of it is left to ask however late the swap comes
    child = audit.start()
    wait_for(server, 7, child)
    swap(server)
    wait_for(server, 12, child)
    if end == "down":
        server.rules({"do": "status", "status": 404, "body": {"error": "gone"}})
    elif end is not None:
        child.send_signal(end)
    _, said = child.communicate(timeout=60)
    assert child.returncode != 0
    if end is None:
        assert "the model changed while it was being asked" in said
    if back:
        server.change(digest=ONE)
    assert audit.wrong() == []
    server.rules({"do": "slow", "seconds": 0, "says": "A" if back else "B"})
    assert audit.run().exit_code == 0
    assert audit.wrong() == []
    key = "select config_key from configs where digest = " + (f"'{ONE}'" if back else f"'{OTHER}'")
    assert audit.rows(
        f"select count(*) from responses where response_status = 'ok' and config_key = ({key})"
    ) == [(N_PROMPTS,)]


def test_a_model_that_changes_back_proves_nothing(tmp_path, server):
    audit = Audit(tmp_path, server, "ollama")
    told = iter([OTHER])
    suite = load_suite(audit.path)
    with Store(audit.data) as store:
        (task,) = plan(store, suite)
        task.backend.current_digest = lambda config: next(told, ONE)
        # A repeated attempt makes the run look at once; whatever it looks for later is A again.
        server.rules({"do": "status", "status": 500, "times": 1})
        with pytest.raises(ModelChanged), store.run("generate", {}) as run_id:
            generate_answers(store, suite, [task], run_id, retries=Retries(3, 0, 0.01))
    assert set(audit.statuses()) == {"cancelled"}


def test_a_server_that_never_names_its_model_again_is_not_believed(tmp_path, server):
    audit = Audit(tmp_path, server, "ollama")
    server.change(tags_left=1)
    result = audit.run()
    assert f"{N_PROMPTS} cancelled; {N_PROMPTS} left" in result.stdout
    assert audit.statuses() == {"cancelled": N_PROMPTS}
    server.reset()
    assert "20 ok; 0 left" in audit.run().stdout


def test_a_reply_of_another_model_than_asked_for_is_no_answer(tmp_path, server, backend):
    audit = Audit(tmp_path, server, backend)
    server.rules({"match": "Case 1", "do": "answer", "served": "large"})
    result = audit.run()
    n = audit.statuses()["other_model"]
    assert 0 < n < N_PROMPTS and audit.statuses()["ok"] == N_PROMPTS - n
    assert f"{n} other_model; {n} left" in result.stdout
    found = audit.rows(
        "select distinct error, text_key is null from responses where response_status = 'other_model'"
    )
    assert found == [("asked for 'tiny', 'large' answered", True)]
    server.rules()
    assert "0 left" in audit.run().stdout and audit.statuses() == {"ok": N_PROMPTS}


def test_a_server_with_another_model_stops_the_run(tmp_path, server, backend):
    audit = Audit(tmp_path, server, backend)
    server.rules({"do": "answer", "served": "tiny-mini"})
    result = audit.run()
    line = result.stderr.splitlines()[-1]
    assert result.exit_code == 1 and len(line) <= 300
    assert "5 answers in a row are another model's: asked for 'tiny', 'tiny-mini' answered" in line
    assert len(server.log()) < N_PROMPTS


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"fingerprint": "fp_2"}, "the system fingerprint was 'fp_1' at first and is 'fp_2' now"),
        ({"fingerprint": None}, "the system fingerprint was 'fp_1' at first and is not named now"),
        (
            {"served": "tiny-2026-02-02"},
            "the model was 'tiny-2026-01-01' at first and is 'tiny-2026-02-02' now",
        ),
        ({"served": None}, "the model was 'tiny-2026-01-01' at first and is not named now"),
    ],
)
def test_what_a_server_says_of_itself_is_held_against_its_first_answer(tmp_path, server, now, said):
    audit = Audit(tmp_path, server, "openai")
    with Store(audit.data) as store:
        cases = sorted(case for (case,) in store.rows("select prompt from prompts"))
    # The first run answers half; the change is found by another process.
    server.rules(*({"match": case, "do": "status", "status": 400} for case in cases[:10]))
    assert audit.run().exit_code == 0
    server.rules({"do": "answer", **now})
    result = CliRunner().invoke(cli, [*audit.arguments("generate"), "--retry-failed"])
    assert result.exit_code == 1 and said in result.stderr
    assert audit.statuses()["ok"] == 10


def test_set_ups_may_differ_where_the_config_says_so(tmp_path, server):
    audit = Audit(tmp_path, server, "openai", any_fingerprint=True)
    server.rules({"match": "Case 1", "do": "answer", "fingerprint": "fp_2"})
    assert audit.run().exit_code == 0 and audit.statuses() == {"ok": N_PROMPTS}
    assert len(audit.rows("select distinct system_fingerprint from responses")) == 2


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("tiny", "tiny:latest", True),
        ("tiny:latest", "tiny", True),
        ("gpt-4", "gpt-4-0613", True),
        ("gpt-4", "gpt-4-32k", False),
        ("gpt-4o", "gpt-4o-mini", False),
        ("claude-latest", "claude-20241022", True),
        ("meta/Llama-3", "llama-3", True),
        ("llama-3", "llama-3-70b", False),
        ("llama-3-70b", "llama-3", False),
        ("qwen2:7b", "qwen2:72b", False),
    ],
)
def test_names_of_a_model(asked, served, same):
    assert is_same_model(asked, served) is same


@pytest.mark.parametrize(
    "usage",
    [
        {"completion_tokens": 2**31},
        {"completion_tokens": 10**25},
        {"prompt_tokens": True},
        {"prompt_tokens": -1},
    ],
)
def test_a_count_that_no_column_holds_is_no_answer_and_stops_nothing(tmp_path, server, usage):
    audit = Audit(tmp_path, server, "openai", requests_per_minute=60_000)
    body = {"model": "tiny-2026-01-01", "system_fingerprint": "fp_1", "usage": usage}
    body |= {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
    # One at a time: five in a row stop a run.
    server.rules({"match": "Case 3: a man", "do": "body", "body": body, "times": 1})
    assert audit.run().exit_code == 0
    statuses = audit.statuses()
    assert statuses["ok"] + statuses["server_error"] == N_PROMPTS
    if statuses["server_error"]:
        assert "unreadable reply" in audit.rows("select error from responses where error is not null")[0][0]
    assert not list(audit.data.glob("*.jsonl")) and not list(audit.data.glob("*.journal"))
    assert audit.run().exit_code == 0 and audit.statuses() == {"ok": N_PROMPTS}


def test_a_writer_keeps_nothing_of_a_model_that_changed(tmp_path, server):
    audit = Audit(tmp_path, server, "ollama")
    with Store(audit.data) as store:
        writer = Writer(store, load_suite(audit.path), "tiny", "run")
        assert writer.write("article", "Write.") is not None
        server.change(digest=OTHER)
        with pytest.raises(ModelChanged):
            writer.write("article", "Write more.")
        server.change(digest=ONE)
        server.rules({"do": "answer", "served": "large"})
        assert writer.write("article", "Write even more.") is None
        assert sorted(store.rows("select response_status from writings")) == [("ok",), ("other_model",)]
