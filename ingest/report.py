"""From report tables to a static site: a small database for Evidence, files to take away, then its build."""

import filecmp
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import duckdb
import yaml

from ingest.card import write_card
from ingest.errors import PlumblineError, say, shown
from ingest.keys import key
from ingest.options import stale_option
from ingest.paths import IS_PACKAGED, PROJECT, PROJECT_VARIABLE, alone, dbt_project, file_sha256
from ingest.redaction import environment_without_keys, without_secrets
from ingest.signing import signature_path
from ingest.site.paper import find_chromium, print_pdf
from ingest.site.tags import require_pikepdf
from ingest.store.opening import attach
from ingest.terminal.progress import waiting
from ingest.warehouse import Exported, Warehouse, check_inputs, project_inputs, read_project, run_dbt

PAGES = PROJECT / "reports" / "pages"
OF_REPORT = {"card_limits", "downloads", "pages"}  # tables that no model makes, but the functions below
PDF = "audit.pdf"  # in the folder of data
STAMP = ".made_of"  # beside the built site: what it was made of
DESCRIBED = ".described"  # beside it, too: what dbt says of the pages, and of which project
TABLES = "report.duckdb"
WRITTEN = {STAMP, DESCRIBED, TABLES, ".lock"}  # in the folder of the pages, and no part of them
CARDS = ("audit_card.json", "audit_card.json.sig")
MOST_ROWS = {"parquet": 1_000_000, "csv": 50_000}  # of a mart that the site offers; `export` writes any
NODE = "Install Node 20 or newer, then run `plumbline report`; the warehouse is complete without it."


def site_folder(data: Path) -> Path:
    """Return where the site is built: a clone's reports/, or the data folder's with what the package has.

    Raises PlumblineError where it cannot be written to, or only the package's own folder could be.
    """
    source = PROJECT / "reports"
    if IS_PACKAGED and dbt_project() == PROJECT:
        if (Path.cwd() / "dbt_project.yml").is_file():
            raise PlumblineError(
                f"The site was not built: packages.yml here does not import Plumbline by {PROJECT_VARIABLE}.",
                "Write it as `plumbline init DIR` does; the warehouse is complete without the site.",
            )
        raise PlumblineError(
            "The site was not built: this folder has no dbt project.",
            "Run `plumbline init DIR` and audit there; the warehouse is complete without the site.",
        )
    if not os.access(needed := data if IS_PACKAGED else source, os.W_OK):
        raise PlumblineError(
            f"The site was not built: {shown(needed)} cannot be written to.",
            "Build it from a folder that can; the warehouse is complete without the site.",
        )
    if not IS_PACKAGED:
        return source
    folder = data.resolve() / "reports"
    for part in ("components", "pages"):  # an older version's pages go
        shutil.rmtree(folder / part, ignore_errors=True)
    shutil.copytree(source, folder, dirs_exist_ok=True, copy_function=_copy_changed)
    return folder


def _copy_changed(source: str, target: str) -> None:
    # A lock file that is newer than what is installed has npm install it all again.
    if not Path(target).exists() or not filecmp.cmp(source, target, shallow=False):
        shutil.copyfile(source, target)


def write_report_tables(data: Path, target: Path) -> int:
    """Copy every `rpt_` table into a database of its own, the only one the site reads; return how many."""
    with Warehouse(data) as marts:
        names = marts.tables(("rpt_",))
        path = marts.path
    partial = target.with_name(f"{target.name}.partial")  # ignored by git, and so by a wheel made meanwhile
    # A write-ahead log that a killed report left would be replayed into the database of this one.
    for left in (partial, *(file.with_name(f"{file.name}.wal") for file in (partial, target))):
        left.unlink(missing_ok=True)
    connection = duckdb.connect(str(partial))
    try:
        attach(connection, path, "audit")
        for name in names:
            connection.execute(f'create table "{name}" as from audit.main."{name}"')
    finally:
        connection.close()
    os.replace(partial, target)
    return len(names)


def write_downloads(data: Path, target: Path, reports: Path) -> int:
    """Write the marts and the audit card beside the site, and a list of them into the report's database.

    Returns the number of files.
    """
    folder = reports / "static" / "downloads"  # Evidence copies static/ beside its pages
    shutil.rmtree(folder, ignore_errors=True)
    with Warehouse(data) as marts:
        cards = write_card(marts, folder)
        limits = json.loads(cards[0].read_text("utf-8"))["limitations"]
        cards += _signature_of(cards[0], data)
        files = [Exported("audit card", "Scope, verdicts, limits and hashes.", None, path) for path in cards]
        files += marts.export(folder, MOST_ROWS)
    rows = [(f.path.name, f.mart, f.description, f.n_rows, f.path.stat().st_size) for f in files]
    columns = "file varchar, mart varchar, description varchar, n_rows bigint, n_bytes bigint"
    _write_table(target, "rpt_downloads", columns, rows)
    _write_table(
        target, "rpt_card_limits", "position integer, limitation varchar", list(enumerate(limits, 1))
    )
    return len(files)


def _signature_of(card: Path, data: Path) -> list[Path]:
    """Copy the signature that `plumbline card --sign` wrote beside this card; return it, if any."""
    signed = data / card.name
    if not signature_path(signed).exists() or not filecmp.cmp(signed, card, shallow=False):
        return []
    return [Path(shutil.copyfile(signature_path(signed), signature_path(card)))]


def _write_table(target: Path, name: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> None:
    with duckdb.connect(str(target)) as connection:
        connection.execute(f"create table {name} ({columns})")
        connection.executemany(f"insert into {name} values ({', '.join('?' * len(rows[0]))})", rows)


def read_page(path: Path, pages: Path = PAGES) -> dict[str, Any]:
    """Return a page as dbt's exposure of the report tables that its queries read.

    Raises PlumblineError where its front matter lacks what says where it stands and what it is.
    """
    text = path.read_text("utf-8")
    _, front_matter, _ = text.split("---", 2) if text.startswith("---") else ("", "", "")
    about = yaml.safe_load(front_matter) or {}
    name = path.relative_to(pages).with_suffix("").as_posix()
    # A page for each of several things has no title of its own, and no place in the list of pages.
    wanted = ["label"] if "[" in name else ["title"] if name == "index" else ["title", "sidebar_position"]
    missing = [key for key in (*wanted, "description") if not about.get(key)]
    if missing:
        raise PlumblineError(
            f"reports/pages/{name}.md does not give its {' and '.join(missing)}.",
            "Write it in the front matter, between the two lines of --- at the top.",
        )
    queries = re.findall(r"^```sql \w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    read = re.findall(r"\b(?:from|join) audit\.(\w+)", "\n".join([*queries, front_matter]))
    return {
        "name": "page_" + re.sub(r"\W+", "_", name).strip("_"),
        "label": about.get("title") or about["label"],
        "type": "dashboard",
        "maturity": "medium",
        "url": "/" if name == "index" else f"/{name}",
        "description": about["description"],
        "owner": {"name": "Plumbline", "email": "plumbline@example.org"},
        "depends_on": {"nodes": [f"model.plumbline.rpt_{table}" for table in sorted(set(read) - OF_REPORT)]},
    }


def declare_pages(manifest: Any) -> None:
    """Add every page to dbt's manifest, as an exposure of the report tables that it reads.

    No file says so to dbt: one in the folder of models would come and go while others read that folder.
    """
    from dbt.contracts.graph.nodes import Exposure  # a second, which other commands need not wait

    for path in sorted(PAGES.rglob("*.md")):
        page = read_page(path)
        place = {"path": path.name, "original_file_path": path.relative_to(PROJECT).as_posix()}
        identity = {"package_name": "plumbline", "unique_id": f"exposure.plumbline.{page['name']}"}
        fqn = ["plumbline", page["name"]]
        exposure = Exposure.from_dict({**page, **place, **identity, "resource_type": "exposure", "fqn": fqn})
        manifest.exposures[exposure.unique_id] = exposure


def page_sources(manifest: Any) -> list[tuple[str, str, str, str | None, str | None]]:
    """Return (page, label, description, report table, marts) of dbt's exposures, a row per table of a page.

    The marts are those that the table is made of, also through other report tables. A page without a table of
    dbt's has one row.
    """
    parents = {name: node.depends_on_nodes for name, node in manifest.nodes.items()}

    def marts(node: str) -> set[str]:
        found = set()
        for parent in parents.get(node, []):
            name = parent.rsplit(".", 1)[-1]
            if name.startswith("rpt_"):
                found |= marts(parent)
            elif name.startswith(("fct_", "dim_")):
                found.add(name)
        return found

    rows: list[tuple[str, str, str, str | None, str | None]] = []
    for exposure in sorted(manifest.exposures.values(), key=lambda one: one.url or ""):
        page = (exposure.url, exposure.label, exposure.description)
        tables = sorted(exposure.depends_on_nodes)
        rows += [(*page, node.rsplit(".", 1)[-1], ", ".join(sorted(marts(node)))) for node in tables]
        rows += [(*page, None, None)] * (not tables)
    return rows


def write_page_sources(rows: Sequence[tuple[Any, ...]], target: Path) -> None:
    """Write what each page is made from, as `page_sources` gives it, into the report's database."""
    names = ("page_url", "page_label", "page_description", "rpt_table", "marts")
    _write_table(target, "rpt_pages", ", ".join(f"{name} varchar" for name in names), rows)


def describe(data: Path, reports: Path, pages_only: bool = False) -> Sequence[tuple[Any, ...]]:
    """Return what each page is made from; unless `pages_only`, dbt's documentation lies beside the site then.

    dbt reads the whole project for it. What it said is kept for as long as project, pages and columns are the
    same.
    """
    kept, made_of = reports / DESCRIBED, _described_inputs(data)
    page = reports / "static" / "dbt" / "index.html"
    if page.exists():
        with suppress(OSError, ValueError, KeyError, TypeError):  # none yet, or half of one that was killed
            known = json.loads(kept.read_text("utf-8"))
            if known["made_of"] == made_of:
                return [tuple(row) for row in known["pages"]]
    kept.unlink(missing_ok=True)
    manifest = read_project(data)
    declare_pages(manifest)
    rows = page_sources(manifest)
    if not pages_only:
        write_dbt_docs(data, page, manifest)
        kept.write_text(json.dumps({"made_of": made_of, "pages": rows}), "utf-8")
    return rows


def _described_inputs(data: Path) -> str:
    """Return a hash of what dbt describes: the project, the pages, and the columns that there are."""
    pages = {file.relative_to(PAGES).as_posix(): file_sha256(file) for file in PAGES.rglob("*.md")}
    with Warehouse(data) as marts:
        columns = marts.rows("select table_name, column_name, data_type from duckdb_columns() order by all")
        return key(project_inputs(), pages, [[*row.values()] for row in columns])


def write_dbt_docs(data: Path, page: Path, manifest: Any) -> None:
    """Write dbt's documentation of every model in its manifest as one page.

    Raises PlumblineError where dbt cannot write it.
    """
    with waiting("Describing every model", data):
        described = data / "target" / "manifest.json"  # what dbt puts into the page
        described.parent.mkdir(parents=True, exist_ok=True)
        manifest.write(str(described))
        is_written = run_dbt(data, ["docs", "generate", "--static", "--no-compile"], lambda: manifest)
    if not is_written:
        raise PlumblineError(
            "dbt could not write its documentation.", f"{data / 'logs' / 'dbt.log'} holds the details."
        )
    text = (data / "target" / "static_index.html").read_text("utf-8")
    page.parent.mkdir(parents=True, exist_ok=True)
    # Where the projects lie on this machine is nobody's business.
    for project in (dbt_project(), PROJECT):
        text = text.replace(str(project), ".")
    page.write_text(text, "utf-8")


def site_inputs(data: Path, reports: Path) -> str:
    """Return a hash of what a site is made of: what the marts hold, the project, the pages, the card."""
    files = [file for file in reports.iterdir() if file.is_file() and file.name not in WRITTEN]
    for part in ("components", "pages"):
        files += [file for file in (reports / part).rglob("*") if file.is_file()]
    files += [path for name in CARDS if (path := data / name).exists()]
    hashes = {str(file): file_sha256(file) for file in files}
    with Warehouse(data) as marts:
        return key(marts.content(("fct_", "dim_", "rpt_")), project_inputs(), hashes)


def build_site(reports: Path, data: Path, verbose: bool = False) -> Path:
    """Build the site from the report tables; return its first page.

    Raises PlumblineError where Node is missing or a step fails.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise PlumblineError("The site was not built: Node is not installed.", NODE)
    environment = {**environment_without_keys(), "SEND_ANONYMOUS_USAGE_STATS": "no"}
    # Whether what the lock file names is what lies there.
    lock, marker = reports / "package-lock.json", reports / "node_modules" / ".package-lock.json"
    is_installed = marker.exists() and marker.stat().st_mtime >= lock.stat().st_mtime
    if not is_installed and marker.parent.is_symlink():
        marker.parent.unlink()  # npm empties the folder first, which is another checkout's
    steps = [] if is_installed else [["ci", "--no-audit", "--no-fund"]]
    steps += [["run", "build"]]
    for step in steps:
        with waiting(f"npm {' '.join(step)}", data):
            done = subprocess.run(
                [npm, *step], cwd=reports, env=environment, capture_output=not verbose, text=True, check=False
            )
        if done.returncode != 0:
            last = (done.stdout or "").splitlines()[-15:] + (done.stderr or "").splitlines()[-15:]
            say(without_secrets("\n".join(last)), err=True)
            raise PlumblineError(
                f"`npm {' '.join(step)}` failed: its last lines stand above.",
                "Run `plumbline report --verbose` to see all of them.",
            )
    return reports / "build" / "index.html"


@click.command("report")
@click.option("--verbose", is_flag=True, help="Show what npm prints.")
@click.option("--tables-only", is_flag=True, help="Write the report's database, then stop.")
@click.option("--pdf", "is_printed", is_flag=True, help="Print the audit as one PDF, too; needs Chromium.")
@stale_option()
@click.pass_obj
def command(data: Path, verbose: bool, tables_only: bool, is_printed: bool, is_stale_ok: bool) -> None:
    """Build the static site from the report tables.

    \b
    plumbline report
    plumbline report --pdf                              # audit.pdf beside the databases, too
    python -m http.server --directory reports/build     # then open http://localhost:8000
    """
    check_inputs(data, is_stale_ok)
    chromium = find_chromium() if is_printed else None
    if is_printed:
        require_pikepdf()
    reports = site_folder(data)
    with alone(reports, "Another `plumbline report` is"):
        stamp, made_of = reports / STAMP, site_inputs(data, reports)
        site = reports / "build"
        is_built = (site / "index.html").exists() and stamp.exists()
        if is_built and not tables_only and stamp.read_text("utf-8") == made_of:
            say(f"Nothing has changed since the site was built. {_shown(site)}")
        else:
            _build(data, reports, verbose, tables_only)
            if tables_only:
                return
            stamp.write_text(made_of, "utf-8")
            say(_shown(site))
        if chromium is not None:
            with waiting("Printing", data):
                print_pdf(chromium, site, data / PDF)
            say(f"PDF: {data / PDF}")


def _build(data: Path, reports: Path, verbose: bool, tables_only: bool) -> None:
    """Write what the site reads and, unless the tables alone are wanted, build the site."""
    (reports / STAMP).unlink(missing_ok=True)
    tables = reports / TABLES
    with waiting("Writing the site's tables and files", data):
        n_tables = write_report_tables(data, tables)
        n_files = write_downloads(data, tables, reports)
    write_page_sources(describe(data, reports, tables_only), tables)
    say(f"{n_tables} report tables, {n_files} files to download", err=True)
    if not tables_only:
        build_site(reports, data, verbose)


def _shown(site: Path) -> str:
    shown = site.relative_to(Path.cwd()) if site.is_relative_to(Path.cwd()) else site
    return f"Site: {shown / 'index.html'} (serve it: python -m http.server -d {shown})"
