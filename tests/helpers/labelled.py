"""Answers that can be drawn to be labelled: raw tables, and the mart that `labels sample` reads."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import yaml
from tiny import TINY_SUITE, csv_text

from ingest.labelling.drawing import Sample, Wanted, draw
from ingest.load import load_file
from ingest.store import AUDIT_NAME, Store
from ingest.store.tables import STATE
from ingest.suite import Suite, load_suite

ANCHORS = {"set": "mood", "kind": "anchor", "labels": {"glad": ["very happy"], "sad": ["a North of tears"]}}
SCORE = {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}
READ = {
    "response_key": pa.string(),
    "prompt_key": pa.string(),
    "suite": pa.string(),
    "category": pa.string(),
    "config": pa.string(),
    "response_status": pa.string(),
    "outcome_set": pa.string(),
    "rule_kind": pa.string(),
    "outcome": pa.string(),
    "outcome_status": pa.string(),
    "n_matches": pa.int64(),
    "margin": pa.float64(),
    "score": pa.float64(),
}
Reads = Callable[[str], Iterable[Mapping[str, Any]]]


def by_trade(answer: str) -> list[dict[str, Any]]:
    """The rule `job` of the tiny suite."""
    label = next((word for word in ("baker", "driver") if word in answer), None)
    return [{"outcome_set": "job", "rule_kind": "pattern", "outcome": label or "unmatched", "n_matches": 1}]


def by_each_kind(answer: str) -> list[dict[str, Any]]:
    """The rule `job`, and what `ANCHORS` and `SCORE` would read."""
    return [
        *by_trade(answer),
        {"outcome_set": "mood", "rule_kind": "anchor", "outcome": "glad", "margin": 0.1},
        {"outcome_set": "tone", "rule_kind": "score", "score": 0.1},
    ]


def tiny_with(folder: Path, *rules: Mapping[str, Any], **changes: Any) -> Path:
    """Write the tiny suite with more rules for its first question; return the file."""
    content = yaml.safe_load(TINY_SUITE.read_text("utf-8")) | changes
    content["categories"]["A1"]["outcomes"] += rules
    path = folder / "suite.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    return path


class World:
    """Answers of a suite, loaded, and what its rules read in them."""

    def __init__(self, folder: Path, suite_path: Path = TINY_SUITE, reads: Reads = by_trade) -> None:
        self.folder, self.suite_path, self.reads = folder, suite_path, reads
        self.data = folder / "data"
        self.suite: Suite = load_suite(suite_path)

    def load(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Load answers, and make the mart of all there are."""
        path = self.folder / "answers.csv"
        path.write_text(csv_text(records), "utf-8")
        load_file(self.data, path, self.suite_path)
        with Store(self.data) as store:
            ranges = [{"feature": "vader_compound", "range_low": -1, "range_high": 1, "scorer_key": "v"}]
            store.append("scorer_features", ranges)
            named = {"scorer": "vader", "model": "", "revision": "", "version": "", "parameters": "{}"}
            store.append("scorers", [{"scorer_key": "v", **named}])
        self.build()

    def build(self) -> None:
        """Make the mart of what is there."""
        with Store(self.data, read_only=True) as store:
            answers = store.rows(
                """
                select r.response_key, r.prompt_key, p.suite, p.category, c.config, r.response_status, t.text
                from responses as r inner join prompts as p using (prompt_key)
                inner join configs as c using (config_key) left join texts as t using (text_key)
                """
            )
            state = dict(store.rows(f"select part, state from {STATE}"))
        rows = [
            {"outcome_status": "ok", **dict(zip(READ, row[:6], strict=False)), **read}
            for row in answers
            for read in self.reads(row[6] or "")
        ]
        table = pa.Table.from_pylist(rows, schema=pa.schema(READ))
        with duckdb.connect(str(self.data / AUDIT_NAME)) as audit:
            audit.register("rows", table)
            audit.execute("create or replace table fct_outcomes as from rows")
            audit.execute(
                "create or replace table built_from (model varchar, answers varchar, earlier varchar)"
            )
            audit.execute(
                "insert into built_from values ('m', ?, ?)", [state.get("answers"), state.get("earlier")]
            )

    def draw(self, n: int, **wanted: Any) -> Sample:
        """Draw a sample as the command does, without its files."""
        with Store(self.data) as store, store.transaction():
            return draw(store, self.data, self.suite, Wanted(n, **wanted), "run")

    def rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Ask the raw tables."""
        with Store(self.data, read_only=True) as store:
            return store.rows(sql, parameters)
