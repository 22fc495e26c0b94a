"""plumbline audit: what it asks for, and how it ends, where the stages themselves are tested elsewhere."""

from contextlib import nullcontext

import click
import pytest
from click.testing import CliRunner
from places import FIXTURES
from tiny import record

from ingest.cli import cli
from ingest.errors import PlumblineError


def test_an_audit_of_loaded_answers_asks_nobody(load_records, data, tiny_suite, query, monkeypatch):
    load_records([record()])

    def stop(*_, **__):
        raise PlumblineError("The marts are built next.")

    monkeypatch.setattr("ingest.audit.warehouse.parsed_project", lambda *_: nullcontext())
    monkeypatch.setattr("ingest.audit.warehouse.build", stop)
    arguments = ["--data", str(data), "audit", str(tiny_suite), "--no-site"]
    said = CliRunner().invoke(cli, arguments).output
    assert "were loaded, so nobody is asked" in said and "The marts are built next." in said
    assert query("select distinct method from prompts") == [("loaded",)]
    assert query("select count(*) from responses") == [(1,)]


@pytest.mark.parametrize(
    ("options", "status"),
    [((), 0), (("--site",), 1), (("--no-site",), 0)],
    ids=["where it can be built", "it is wanted", "none"],
)
def test_an_audit_whose_site_is_wanted_fails_without_it(
    options, status, load_records, data, tiny_suite, monkeypatch
):
    load_records([record()])

    def stop():
        raise PlumblineError("The site was not built: Node is not installed.", "Install it.")

    monkeypatch.setattr("ingest.audit.card.command", click.Command("card", callback=lambda: None))
    monkeypatch.setattr("ingest.audit.report.command", click.Command("report", callback=stop))
    monkeypatch.setattr("ingest.audit.show.closing", lambda *_: None)
    for name in ("build", "print_verdicts", "print_lost", "print_powerless"):
        monkeypatch.setattr(f"ingest.audit.warehouse.{name}", lambda *_, **__: None)
    for name in ("parsed_project", "Warehouse"):
        monkeypatch.setattr(f"ingest.audit.warehouse.{name}", lambda *_: nullcontext())
    result = CliRunner().invoke(cli, ["--data", str(data), "audit", str(tiny_suite), *options])
    assert result.exit_code == status
    assert result.stderr.count("The site was not built") == int(options != ("--no-site",))
    assert "Warehouse: " in result.stdout


def test_a_suite_that_is_edited_while_its_models_are_asked_is_not_judged(data, tmp_path, monkeypatch):
    path = tmp_path / "suite.yml"
    path.write_bytes((FIXTURES / "simulated_suite.yml").read_bytes())
    reached = []

    def edit(**_):
        path.write_text(path.read_text("utf-8").replace("title: ", "title: Edited ", 1), "utf-8")

    monkeypatch.setattr("ingest.audit.generate.command", click.Command("generate", callback=edit))
    monkeypatch.setattr("ingest.audit.extract.command", click.Command("extract", callback=reached.append))
    monkeypatch.setattr("ingest.audit.warehouse.parsed_project", lambda *_: nullcontext())
    result = CliRunner().invoke(cli, ["--data", str(data), "audit", str(path), "--no-site"])
    assert result.exit_code == 1 and not reached
    assert "Error: suite.yml was edited while it was audited, so nothing is judged yet." in result.output
