"""What the site costs: its build, what pages load, and how soon a reader can use them over a slow line."""

import json
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import BIN, ROOT, Measurement, Options, measure, median, record

REPORTS = ROOT / "reports"
COMPILED = (
    REPORTS / ".evidence" / "template" / ".svelte-kit" / "output" / ".compiled"
)  # see reports/build.mjs
MADE_OF = REPORTS / ".made_of"  # see ingest/report.py
LIMITS = {"build_s": 120, "drawn_s": 60, "data_mb": 0.25, "usable_s": 2.5}
LINE = "9 Mbit/s of which nine tenths arrive, 165 ms a round trip, text by gzip as hosts send it"


def pages_of_every_kind(site: Path) -> list[str]:
    """The overview and, for every kind of page but dbt's own, the one that has most to show."""
    largest: dict[tuple[str, int], Path] = {}
    for page in sorted(site.rglob("index.html"), key=lambda page: page.stat().st_size):
        parts = page.parent.relative_to(site).parts
        if parts and parts[0] != "dbt":
            largest[(parts[0], len(parts))] = page.parent
    return ["/", *sorted(f"/{page.relative_to(site).as_posix()}/" for page in largest.values())]


def benchmark_site(options: Options) -> list[Measurement]:
    """Build the demo's site, and open pages over a slow line."""
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        data = Path(folder)
        measure([BIN / "plumbline", "audit", ROOT / "suites" / "fair_sea.yml", "--no-site"], data)
        builds, drawings = [], []
        for _ in range(options.repeats):
            COMPILED.unlink(missing_ok=True)
            for costs in (builds, drawings):
                MADE_OF.unlink(missing_ok=True)
                costs.append(measure([BIN / "plumbline", "report"], data))
    build = median(builds)
    command = ["node", "tests/load.mjs", "build", *pages_of_every_kind(REPORTS / "build")]
    done = subprocess.run(command, cwd=REPORTS, check=True, capture_output=True, text=True)
    pages = json.loads(done.stdout)
    overview, slowest = pages[0], max(pages, key=lambda page: page["used"])
    fullest = max(pages, key=lambda page: page["data"])

    what = "`plumbline report` of the demo, 6,624 answers, from a warm node_modules"
    used = f"{slowest['path']}, slowest of {len(pages)} kinds of page, until its scripts run: {LINE}"
    line = partial(record, cost=build, runs=len(builds))
    rows = f"rows that {fullest['path']} loads, the most of {len(pages)} kinds of page"
    whole = "all that the overview loads, text by gzip"
    return [
        line("site.build", what, build.seconds, "s", LIMITS["build_s"]),
        record(
            "site.drawn",
            "the same, its pages compiled before",
            median(drawings).seconds,
            "s",
            LIMITS["drawn_s"],
            cost=median(drawings),
            runs=len(drawings),
        ),
        line("site.memory", "the same, peak RSS", build.peak_rss_mb, "MB"),
        record("site.page_data", rows, fullest["data"] / 1e6, "MB", LIMITS["data_mb"]),
        record("site.overview_all", whole, overview["bytes"] / 1e6, "MB"),
        record("site.read", f"overview, until it can be read: {LINE}", overview["read"], "s"),
        record("site.usable", used, slowest["used"], "s", LIMITS["usable_s"]),
    ]
