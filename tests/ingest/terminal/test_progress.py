"""Progress: one line where nobody looks, a moving one on a terminal, and time left that was measured."""

import io
import json
import re
from types import SimpleNamespace

import pytest

from ingest.terminal import progress
from ingest.terminal.progress import SECONDS, Build, building, last_time, remember, waiting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def a_terminal(monkeypatch):
    """Put it in place within the test: before each test pytest puts its own there."""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    return screen


def event(name, **data):
    return SimpleNamespace(info=SimpleNamespace(name=name), data=SimpleNamespace(**data))


def built(i, total):
    node = SimpleNamespace(node_name=f"fct_{i}\x1b[2J")
    return event("LogModelResult", total=total, execution_time=1.0, node_info=node)


def test_without_a_terminal_it_is_said_once_and_the_time_is_kept(tmp_path, capsys):
    with waiting("Writing", tmp_path):
        pass
    assert capsys.readouterr().err == "Writing …\n"
    assert "Writing" in last_time(tmp_path)


def test_a_build_says_which_model_of_how_many_and_the_time_left():
    build = Build("Building", {"Building, 8": 100.0})
    assert build.shown(1) == "Building …"
    build.hear(event("LogStartLine", total=4))
    build.hear(built(1, 4))
    # Three quarters are left, as long each as the first.
    assert build.shown(20) == "Building [#####---------------] 1 of 4, about 60 s left  fct_1\x1b[2J"
    build.hear(built(2, 8))
    assert "2 of 8, about 80 s left" in build.shown(20)


def test_what_a_terminal_sees_steers_it_only_to_write_the_line_anew(tmp_path, monkeypatch):
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1)
    latest = progress.time.monotonic() + 60
    with building("Building", tmp_path) as build:
        build.hear(built(1, 4))
        while "fct_1" not in terminal.getvalue() and progress.time.monotonic() < latest:
            progress.time.sleep(0.05)
    shown = terminal.getvalue()
    assert "fct_1" in shown and "\x1b[2J" not in shown and shown.endswith(" s\n")
    assert set(re.findall(r"\x1b\[[0-9]*[A-Za-z]", shown)) == {"\x1b[K"}
    assert "Building, 4" in last_time(tmp_path)


def test_a_build_that_makes_nothing_is_no_measure(tmp_path, monkeypatch):
    a_terminal(monkeypatch)
    with building("Building", tmp_path):
        pass
    assert last_time(tmp_path) == {}


@pytest.mark.parametrize("content", ["", "[1]", '{"a": "x", "b": 2.5}', "{"])
def test_what_was_kept_may_be_spoilt(tmp_path, content):
    (tmp_path / SECONDS).parent.mkdir(parents=True)
    (tmp_path / SECONDS).write_text(content)
    remember(tmp_path, "c", 1)
    kept = json.loads((tmp_path / SECONDS).read_text())
    assert kept["c"] == 1.0 and "a" not in kept


def test_a_folder_that_cannot_be_written_to_stops_nothing(tmp_path):
    (tmp_path / "target").write_text("a file")
    remember(tmp_path, "c", 1)
    assert last_time(tmp_path) == {}
