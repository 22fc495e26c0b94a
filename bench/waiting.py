"""How long somebody waits for verdicts: the first time, with nothing new, and after each kind of change.

All in one run: audits of the shipped suite's simulated model, without the site unless a step says so, in one
folder of data; and the smallest in an empty folder of its own.
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from measuring import BIN, ROOT, Cost, Measurement, Options, measure, record

SUITE = ROOT / "suites" / "fair_sea.yml"
SMALL = "D4"  # a category of 432 prompts
LIMITS = {"unchanged": 5.0, "limit": 5.0, "suite": 20.0, "alone": 20.0, "site": 35.0, "shown": 5.0}  # seconds

WITH_SITE = {"site", "shown"}


def benchmark_waiting(options: Options) -> list[Measurement]:
    """Audit anew after nothing, a limit, a model and a suite were changed; once each."""
    suite = yaml.safe_load(SUITE.read_text("utf-8"))
    limits = [{"metric": "max_fdi", "green_limit": 0.11, "red_limit": 0.31}]
    another = {"backend": "simulated", "model": "another", "options": {"planted": False}}
    small = deepcopy(suite) | {"suite": "small", "configs": [{"backend": "simulated", "model": "simulated"}]}
    small["categories"] = {SMALL: small["categories"][SMALL]}
    for part in ("names", "topics", "stereotypes"):
        small.pop(part, None)
    steps: dict[str, tuple[str, Mapping[str, Any]]] = {
        "first": ("the first audit, of 6,624 answers", suite),
        "unchanged": ("the same again", suite),
        "limit": ("a limit changed", suite | {"thresholds": limits}),
        "model": (
            "2,208 answers of one more model",
            suite | {"thresholds": limits, "configs": [*suite["configs"], another]},
        ),
        "suite": ("432 answers of another suite", small),
        "alone": ("432 answers of a suite, the first of a folder", small),
        "site": (
            "432 answers of one more suite, and the site of all, its pages compiled before",
            small | {"suite": "shown"},
        ),
        "shown": ("the same again, with the site", small | {"suite": "shown"}),
    }
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        shared, empty = Path(folder, "shared"), Path(folder, "empty")
        costs = {}
        for name, (_, definition) in steps.items():
            if name == "site":
                measure([BIN / "plumbline", "report"], shared)
            costs[name] = _audit(empty if name == "alone" else shared, definition, name in WITH_SITE)
    return [
        record(f"waiting.{name}", what, costs[name].seconds, "s", LIMITS.get(name), cost=costs[name])
        for name, (what, _) in steps.items()
    ]


def _audit(folder: Path, suite: Mapping[str, Any], with_site: bool) -> Cost:
    folder.mkdir(exist_ok=True)
    path = folder / "suite.yml"
    path.write_text(yaml.safe_dump(dict(suite), allow_unicode=True, sort_keys=False), "utf-8")
    return measure([BIN / "plumbline", "audit", path, "--site" if with_site else "--no-site"], folder)
