"""A suite is a file from anywhere: it reaches no host that the user has not named."""

import socket

import duckdb
import httpx
import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES
from servers import loopback
from tiny import all_rows

from ingest import compare, network, reach
from ingest.cli import cli
from ingest.store import Store
from ingest.suite import load_suite


@pytest.fixture(autouse=True)
def nobody_allowed_anything(monkeypatch):
    monkeypatch.delenv("PLUMBLINE_ALLOW_HOST", raising=False)


@pytest.fixture(scope="module")
def server():
    with loopback("--slots", "4") as running:
        yield running


class Suite:
    """A suite file, and ways to run commands on it."""

    def __init__(self, folder, **changes):
        self.path, self.data = folder / "suite.yml", folder / "data"
        self.content = yaml.safe_load((FIXTURES / "asked_suite.yml").read_text("utf-8"))
        self.write(**changes)
        assert self.run("assemble").exit_code == 0

    def write(self, **changes):
        self.content |= changes
        self.path.write_text(yaml.safe_dump(self.content), "utf-8")

    def run(self, stage, *arguments, **options):
        command = ["--data", str(self.data), stage, "--suite", str(self.path), *arguments]
        return CliRunner().invoke(cli, command, **options)

    def rows(self):
        with Store(self.data, read_only=True) as store:
            return all_rows(store)

    def refused(self, stage, *arguments):
        """Return the line with which a stage refuses what the suite reaches; nothing has changed."""
        before = self.rows()
        result = self.run(stage, *arguments)
        assert result.exit_code == 1 and "Traceback" not in result.output
        assert self.rows() == before
        line = result.output.splitlines()[-1]
        assert len(line) <= 300
        return line


def config(url, backend="openai"):
    return [{"backend": backend, "model": "tiny", "base_url": url}]


@pytest.mark.parametrize("backend", ["ollama", "openai"])
@pytest.mark.parametrize("arguments", [(), ("--dry-run",), ("--allow-host", "127.0.0.1:1")])
def test_no_byte_goes_to_a_server_that_only_the_suite_names(tmp_path, server, backend, arguments):
    server.reset()
    suite = Suite(tmp_path, configs=config(server.url + "/v1", backend))
    host = server.url.removeprefix("http://")
    assert suite.refused("generate", *arguments) == (
        f"Error: suite.yml reaches {host}: prompts are sent there, and nobody allowed it."
        f" If you trust it with that, add --allow-host {host}"
    )
    assert server.log() == []


def test_what_was_allowed_is_remembered_for_the_file_as_it_is(tmp_path, server):
    server.reset()
    suite = Suite(tmp_path, configs=config(server.url + "/v1"))
    assert suite.run("generate", "--limit", "1", "--allow-host", "127.0.0.1").exit_code == 0
    assert suite.run("generate", "--limit", "1").exit_code == 0
    assert len(server.log()) == 2
    suite.write(title="Another")
    suite.refused("generate", "--limit", "1")
    assert (
        suite.run("generate", "--limit", "1", env={"PLUMBLINE_ALLOW_HOST": "a.example 127.0.0.1"}).exit_code
        == 0
    )


@pytest.mark.parametrize("url", [None, "http://127.0.0.1:11434", "http://localhost:11434/"])
def test_a_backends_own_default_needs_no_leave(tmp_path, url):
    suite = Suite(
        tmp_path, configs=[{"backend": "ollama", "model": "tiny"} | ({"base_url": url} if url else {})]
    )
    assert "cannot be asked" in suite.run("generate").output


@pytest.mark.parametrize(
    ("address", "is_refused"),
    [("10.1.2.3", True), ("169.254.169.254", True), ("fd00::1", True), ("8.8.8.8", False)],
)
def test_a_name_that_leads_inside_is_refused(tmp_path, monkeypatch, address, is_refused):
    asked = []

    def found(host, *_, **__):
        asked.append(host)
        return [(2, 1, 6, "", (address, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    suite = Suite(tmp_path, configs=config("https://models.example.org/v1"))
    named = ("--dry-run", "--allow-host", "models.example.org")
    if is_refused:
        line = suite.refused("generate", *named)
        assert f"leads to the private address {address}" in line and line.endswith(address)
        named += ("--allow-host", address)
    assert suite.run("generate", *named).exit_code == 0
    assert set(asked) == {"models.example.org"}


def test_the_name_of_a_provider_is_no_host(tmp_path, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("10.1.2.3", 0))])
    suite = Suite(tmp_path, configs=[{"backend": "inspect", "model": "bedrock/some"}])
    with Store(suite.data) as store:
        places = reach.asked_places(load_suite(suite.path).configs)
        assert places == [("bedrock", reach.ASKED, False)]
        reach.check_reach(store, suite.path, places, ["bedrock"])


@pytest.mark.parametrize(
    ("source", "scrape", "host"),
    [
        ({"kind": "web", "urls": ["http://127.0.0.1:8/x"]}, ["127.0.0.1:8"], "127.0.0.1:8"),
        ({"kind": "web", "urls": ["https://example.org/x"]}, ["example.org"], "example.org"),
        (
            {"kind": "wikipedia", "titles": ["X"], "api": "http://169.254.169.254/api.php"},
            [],
            "169.254.169.254",
        ),
    ],
)
def test_no_page_is_read_that_only_the_suite_names(tmp_path, monkeypatch, source, scrape, host):
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("a byte left"))
    suite = Suite(tmp_path)
    corpus = {"attribute": "gender", "sources": [{"concept": "Male", **source}]}
    categories = {"FLAT": {**suite.content["categories"]["FLAT"], "corpus": corpus}}
    suite.write(categories=categories, scrape={"contact": "a@example.org", "allow": scrape})
    line = suite.refused("scrape")
    assert line.startswith(f"Error: suite.yml reaches {host}: pages are read there, and nobody allowed it.")
    assert line.endswith(f"--allow-host {host}")


def test_plan_lists_what_a_suite_reaches(tmp_path, server):
    suite = Suite(tmp_path, configs=config("https://models.example.org/v1"))
    result = CliRunner().invoke(cli, ["--data", str(suite.data), "plan", str(suite.path)])
    assert "asked reaches models.example.org: prompts are sent there." in result.output


@pytest.mark.parametrize(
    "reads",
    ["select * from read_text('{secret}')", "select * from read_csv('{secret}')", "select 1 as suite"],
)
def test_a_strangers_database_is_asked_for_tables_and_reads_no_file(tmp_path, reads):
    secret = tmp_path / "secret.csv"
    secret.write_text("suite\nasked\n")
    path = tmp_path / "audit.duckdb"
    with duckdb.connect(str(path)) as stranger:
        for name in compare.MARTS:
            stranger.execute(f"create view {name} as {reads.format(secret=secret)}")
    suite = Suite(tmp_path)
    before = suite.rows()
    with (
        Store(suite.data) as store,
        pytest.raises(compare.PlumblineError, match="it has no table dim_comparables"),
    ):
        compare.take_in(store, path, "run")
    assert suite.rows() == before
    # A table's own expression reads no file either: nothing outside can be opened at all.
    with (
        pytest.raises(compare.PlumblineError, match="disabled by configuration"),
        _opened(tmp_path / "t.duckdb") as db,
    ):
        db.execute(f"select * from read_text('{secret}')")
    with pytest.raises(compare.PlumblineError, match="locked"), _opened(tmp_path / "u.duckdb") as db:
        db.execute("set enable_external_access = true")


def _opened(path):
    with duckdb.connect(str(path)) as stranger:
        for name in compare.MARTS:
            stranger.execute(f"create table {name} as select 'asked' as suite")
    return compare.earlier_marts(path)


@pytest.mark.parametrize("address", ["10.1.2.3", "127.0.0.1", "::ffff:169.254.169.254"])
def test_a_name_that_leads_inside_only_later_is_not_connected(monkeypatch, address):
    led = iter([["93.184.216.34"], [address]])
    monkeypatch.setattr(network, "addresses_of", lambda name: next(led))
    monkeypatch.setattr(reach, "addresses_of", lambda name: network.addresses_of(name))
    monkeypatch.setattr(network, "known_inside", {})
    monkeypatch.setattr(reach, "known_inside", network.known_inside)
    assert reach._private("models.example.org:8080") == []
    with (
        network.make_client([], trust_env=False) as client,
        pytest.raises(httpx.ConnectError, match="leads to the private address"),
    ):
        client.get("http://models.example.org:8080/")
