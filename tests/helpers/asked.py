"""A suite that a test has asked of a server on loopback."""

from collections import Counter
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES

from ingest.asking.plan import plan
from ingest.asking.run import generate_answers
from ingest.asking.senders import Retries
from ingest.assemble import assemble_prompts
from ingest.cli import cli
from ingest.errors import LONGEST, PlumblineError
from ingest.store import RAW_NAME, Store
from ingest.store.opening import close_kept
from ingest.suite import Suite, load_suite

ASKED = FIXTURES / "asked_suite.yml"
N_PROMPTS = 20
SOON = Retries(attempts=3, shortest=0.0, longest=0.02)
KEY = "sk-very-secret-0123456789"
MODEL = {"ollama": "", "openai": "/v1", "azure": "", "anthropic": ""}

# Raw tables with the prompts of a suite, by what its file says without configs: no prompt knows of them.
_assembled: dict[str, bytes] = {}


def have_assembled(data: Path, suite: Suite, content: str) -> None:
    """Assemble a suite's prompts; in a new folder copy what was assembled of this content before."""
    raw = data / RAW_NAME
    if content in _assembled and not data.exists():
        data.mkdir(mode=0o700)
        raw.touch(0o600)
        raw.write_bytes(_assembled[content])
        return
    is_new = not raw.exists()
    with Store(data) as store:
        assemble_prompts(store, suite)
    if is_new:
        close_kept()  # all of it is in the one file then
        _assembled[content] = raw.read_bytes()


class Case:
    """A suite asked of one server: its data folder, and ways to run it."""

    prompts_are_of: tuple[Path, str] | None = None

    def __init__(self, folder, server, backend, **config):
        self.folder, self.server, self.backend = folder, server, backend
        self.data = folder / "data"
        self.config = {"backend": backend, "model": "tiny", "base_url": server.url + MODEL[backend]}
        self.write(**config)

    def write(self, **changes):
        self.config |= changes
        asked = ASKED.read_text("utf-8")
        content = yaml.load(asked, yaml.CSafeLoader) | {"configs": [self.config]}
        self.path = self.folder / "suite.yml"
        self.path.write_text(yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False), "utf-8")
        self.suite = load_suite(self.path)
        if self.prompts_are_of != (self.data, asked):
            have_assembled(self.data, self.suite, asked)
            self.prompts_are_of = (self.data, asked)

    def ask(self, retries=SOON, **options):
        """Generate in this process; return the counts by status."""
        with Store(self.data) as store:
            tasks = plan(
                store, self.suite, folder=self.folder, retry_failed=options.pop("retry_failed", False)
            )
            with store.run("generate", {}) as run_id:
                statuses = generate_answers(store, self.suite, tasks, run_id, retries=retries, **options)
        return dict(sum(statuses.values(), Counter()))

    def command(self, *arguments):
        return CliRunner().invoke(
            cli, ["--data", str(self.data), "generate", "--suite", str(self.path), *arguments]
        )

    def rows(self, sql, *parameters):
        with Store(self.data, read_only=True) as store:
            return store.rows(sql, parameters)


def keyed_case(backend, folder, server, monkeypatch, **config):
    """Return a Case whose server wants a key, which the environment has."""
    monkeypatch.setenv("TINY_KEY", KEY)
    server.reset()
    return Case(folder, server, backend, key_variable="TINY_KEY", **config)


def said(call, *arguments, **options):
    """Return the one line in which a run ends."""
    with pytest.raises(PlumblineError) as error:
        call(*arguments, **options)
    line = f"Error: {error.value.format_message()}"
    assert len(line) <= LONGEST and KEY not in line
    return line
