"""A file that has been loaded as it is now: it need not be read again."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.keys import key
from ingest.loading.tally import Source, Tally
from ingest.paths import PROJECT, files_below, known_sha256
from ingest.store import Store, versions
from ingest.suite import Suite

# What says how numbers are judged, and nothing of what a record is.
OF_JUDGING = {
    "thresholds",
    "profiles",
    "families",
    "minimum",
    "resampling",
    "standard_weighting",
    "local_law_144",
}
CODE = Path(__file__).parents[1]
# Stages that leave prompts, answers and what came with them as they are.
ELSEWHERE = ("audit", "compare", "extract", "labels sample")


def key_of_load(suite: Suite, source: Source, beside: Sequence[Path], limit: int | None) -> str:
    """Return the name of all that decides what a load brings: files, the suite, the code that reads them."""
    others = sorted(known_sha256(path) for path in beside if path.is_file())
    code = [*files_below(CODE, {".py"}), *files_below(PROJECT / "seeds", {".csv"})]
    read_by = sorted((str(path), known_sha256(path)) for path in code)
    said = suite.model_dump(mode="json", exclude=OF_JUDGING)
    return key("load", source.source_file, source.file_sha256, others, limit, said, read_by, versions())


def what_it_says_again(load_key: str, loaded: Tally, store: Store) -> dict[str, Any]:
    """Return what a run notes of a load, so that `said_before` knows what one more would say."""
    again = loaded.said_again()
    if again is None:
        return {}
    said = {"says_again": list(again.lines()), "counts_again": again.counts()}
    return {"load_key": load_key, "is_idle": loaded.is_idle, **said, "stands": _stands(store)}


def said_before(store: Store, suite: Suite, source: Source, load_key: str) -> dict[str, Any] | None:
    """Return the detail of a run that noted what a load says next; None where its file is to be read.

    It is where the file was read otherwise since: that may have refused other records of it.
    """
    runs = store.rows(
        "select command, run_status, detail from runs where command not in (select unnest(?::varchar[]))"
        " order by rowid desc",
        [list(ELSEWHERE)],
    )
    for command, status, detail in runs:
        said: dict[str, Any] = json.loads(detail)
        if status == "ok" and said.get("load_key") == load_key:
            return said if said["stands"] == _stands(store) else None
        is_of_it = (said.get("suite"), said.get("file_sha256")) == (suite.suite, source.file_sha256)
        if command != "load" or (status == "ok" and (is_of_it or not said.get("is_idle"))):
            return None
    return None


def _stands(store: Store) -> list[int]:
    return [store.value(f"select count(*) from {table}") for table in ("responses", "prompts", "texts")]
