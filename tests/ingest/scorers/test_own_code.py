"""A suite's own function does what it likes: its process pays for it, a text fails, and the rest goes on."""

import json
import os
import time

import pytest
from extract_world import PATTERN, SUITE, World, score_rule

from ingest.apart import process
from ingest.apart.process import Limits
from ingest.redaction import environment_without_keys
from ingest.suite import own_code

CODE = """
import ctypes, json, os, signal, subprocess, sys, threading, time
from itertools import count

class NoNumber:
    def __float__(self): sys.exit(0)
    def __repr__(self): raise ValueError("no name")

def endless():
    while True:
        pass

DOES = {{
    "raises": lambda: 1 / 0,
    "exits": lambda: sys.exit(0),
    "interrupts": lambda: signal.raise_signal(signal.SIGINT),
    "ends": lambda: os._exit(0),
    "crashes": lambda: ctypes.string_at(0),
    "is killed": lambda: os.kill(os.getpid(), 9),
    "hangs": endless,
    "eats": lambda: len(bytearray(4 << 30)),
    "text": lambda: "much",
    "huge": lambda: 10 ** 5000,
    "nan": lambda: float("nan"),
    "strange": lambda: NoNumber(),
    "lies": lambda: [write(fd, b'{{"values": "all"}}\\n[[[') for fd in range(3, 9)] and endless(),
}}

def write(fd, lie):
    try:
        os.write(fd, lie)
    except OSError:
        pass

def warmth(texts):
    print("on stdout", "\\x1b[31m", sys.stdin.read())
    print("on stderr", file=sys.stderr)
    threading.Thread(target=time.sleep, args=(60,)).start()
    return [DOES.get(text, lambda: len(text) / 10)() for text in texts]

def none_works(texts):
    print("token: sk-abcdefghijklmnopqrstuv \\x1b[31m", file=sys.stderr, flush=True)
    os._exit(3)

def hangs(texts):
    endless()

def without_end(texts):
    return count()

def too_few(texts):
    return [0.5]

def nothing(texts):
    return None

def environment(texts):
    return [0.5 if os.environ.get(text.upper()) is None else 1.0 for text in texts]

def leaves(texts):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    open({left!r}, "w").write(json.dumps([os.getpid(), child.pid]))
    return [0.5] * len(texts)

CALLS = []

def first_call(texts):
    CALLS.append(1)
    return [min(1, len(CALLS) / 10)] * len(texts)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Extract texts with a function of CODE, within limits of half a second and half a gigabyte."""
    world = World(tmp_path, monkeypatch)
    (tmp_path / "mine.py").write_text(CODE.format(left=str(tmp_path / "left")), encoding="utf-8")

    def run(function, texts, exit_code=0, seconds=0.5):
        monkeypatch.setattr(own_code, "limits_of_code", lambda: Limits(seconds, 1 << 29))
        suite = SUITE.format(
            scorer="warmth", open=score_rule("raw", "warmth", "warmth_score"), decision=PATTERN
        )
        spec = f"own_scorers: {{warmth: {{function: 'mine:{function}', range: [0, 1]}}}}\n"
        world.path.write_text(suite + spec, encoding="utf-8")
        world.respond(texts)
        result = world.extract("--allow-code", "--scorer", "warmth", exit_code=exit_code)
        assert "on std" not in result.stdout and "on stdout" not in result.stderr
        assert "\x1b[31m" not in result.output
        return result

    run.world = world
    return run


@pytest.mark.parametrize(
    "bad",
    [
        ["raises", "exits", "interrupts"],
        ["ends", "crashes", "is killed"],
        ["eats", "text", "huge", "nan", "strange"],
        ["hangs"],
        ["lies"],
    ],
)
def test_a_text_that_the_function_fails_on_fails_alone(own, bad):
    fine = [f"fine {i}" for i in range(4)]
    result = own("warmth", [*fine, *bad])
    expected = {**dict.fromkeys(fine, (0.6, "ok")), **dict.fromkeys(bad, (None, "failed"))}
    assert own.world.measured() == expected
    assert f"{len(bad)} failed" in result.stdout
    if bad != ["nan"]:
        assert "warmth failed on" in result.stderr


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("none_works", "failed on each of the first 5 texts: it ended with exit code 3 (token:[redacted]"),
        ("hangs", "failed on each of the first 5 texts: it took over 0.1 seconds."),
        ("without_end", "returned over 6 values for 6 texts."),
        ("too_few", "returned 1 values for 6 texts."),
        ("nothing", "returned None."),
    ],
)
def test_a_function_that_never_works_ends_in_one_line(own, function, said):
    stderr = own(function, [f"text {i}" for i in range(6)], exit_code=1, seconds=0.1).stderr
    assert said in stderr and len(stderr) <= 300 and "Traceback" not in stderr
    assert own.world.rows("select count(*) from measurements") == [(0,)]
    assert own.world.rows("select run_status from runs") == [("failed",)]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit(0)", "does not load: SystemExit: 0."),
        ("import os; os._exit(0)", "does not load: it ended with exit code 0."),
        ("def (", "does not load: SyntaxError"),
        ("import no_such_module", "does not load: ModuleNotFoundError: No module named 'no_such_module'."),
        ("while True: pass", "does not load: it took over 0.5 seconds."),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "it was ended by SIGSEGV."),
    ],
)
def test_a_module_that_does_not_load_ends_in_one_line(own, tmp_path, monkeypatch, code, said):
    monkeypatch.setattr(own_code, "LOAD_SECONDS", 0.5)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    stderr = own("warmth", ["text"], exit_code=1).stderr
    assert said in stderr and len(stderr) <= 300


def test_a_process_that_ended_is_followed_by_another(own):
    own("first_call", ["a", "b"])
    own("first_call", ["c"])
    assert own.world.measured() == dict.fromkeys("abc", (0.1, "ok"))


def test_what_failed_before_is_tried_again_and_stops_nothing(own):
    own("warmth", ["fine", "ends", "crashes", "is killed", "raises", "exits", "eats"])
    assert own("warmth", []).stdout == "warmth: 6 texts measured (of these 6 failed), 1 already there.\n"


def test_no_key_of_the_environment_reaches_the_code(own, monkeypatch):
    monkeypatch.setenv("SERVICE_API_KEY", "x")
    monkeypatch.setenv("HUB_TOKEN", "x")
    monkeypatch.setenv("PLAIN", "sk-abcdefghijklmnopqrstuv")
    monkeypatch.setenv("HARMLESS", "1")
    own("environment", ["service_api_key", "hub_token", "plain", "harmless"])
    hidden = dict.fromkeys(["service_api_key", "hub_token", "plain"], (0.5, "ok"))
    assert own.world.measured() == {**hidden, "harmless": (1.0, "ok")}
    monkeypatch.setenv("UNSUSPICIOUS", "1")
    assert "UNSUSPICIOUS" not in environment_without_keys({"UNSUSPICIOUS"})


def test_nothing_that_the_function_started_is_left(own, tmp_path):
    own("leaves", ["text"])
    pids = json.loads((tmp_path / "left").read_text())
    until = time.monotonic() + 5
    while any(_runs(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(_runs(pid) for pid in pids)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("name", "value"),
    [("SECONDS", "soon"), ("SECONDS", "0"), ("MEMORY", "much"), ("MEMORY", "0GB"), ("MEMORY", "-1GB")],
)
def test_a_limit_that_is_none_is_named(monkeypatch, name, value):
    monkeypatch.setenv(f"PLUMBLINE_CODE_{name}", value)
    with pytest.raises(process.PlumblineError, match="is no limit"):
        process.limits_of_code()


def test_limits_come_from_the_environment(monkeypatch):
    monkeypatch.delenv("PLUMBLINE_CODE_SECONDS", raising=False)
    monkeypatch.setenv("PLUMBLINE_CODE_MEMORY", "500mb")
    assert process.limits_of_code() == Limits(300, 500 << 20)
    assert os.environ["PLUMBLINE_CODE_MEMORY"] == "500mb"
