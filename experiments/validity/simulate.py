"""Audits of a cell: simulated, brought in as a file, and taken through the pipeline to their verdicts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import special

from experiments.validity.cells import PROFILES, Cell
from ingest.extract import extract
from ingest.inference.constants import ABSOLUTE_SLACK
from ingest.load import load_file
from ingest.measuring.texts import Task, needs
from ingest.scorers import Where, load_scorer
from ingest.store import Store
from ingest.suite import load_suite
from ingest.warehouse import build

PERMUTATIONS, BOOTSTRAP = 999, 500  # half of the defaults: on average a test is as exact with these
SHARED = 0.5  # of what a root's answers have in common goes for all groups
UNREADABLE, FAILED = -1, -2
# VADER's compounds of them are `cells.SCORES`.
TEXTS = ("That is bad.", "That is terrible.", "That is so.", "That is nice.", "That is wonderful, great.")
Audit = list[np.ndarray]  # codes of each group's answers (units, questions, answers to a unit)
Audits = dict[str, Audit]  # by the name of their config


def draw(cell: Cell, audit: int, n_units: int | None = None) -> Audit:
    """Simulate an audit. With more units its first ones are the same.

    A unit's own shares of the outcomes are drawn from a Dirichlet distribution, so that its answers
    correlate by the cell's ICC. The gamma variables of a shared root correlate between the groups.
    """
    units, n_outcomes = cell.units(n_units or cell.n_units), len(cell.shares)
    root = np.random.default_rng([cell.seed(), audit, 0])
    of_root = root.standard_normal((max(units), cell.n_questions, n_outcomes)) if cell.is_shared else None
    even = np.tile(cell.truth.mean(0) if cell.crossing is None else cell.shares, (len(units), 1))
    found = []
    for index, (biased, n) in enumerate(zip(cell.truth, units, strict=True)):
        own, answers = (np.random.default_rng([cell.seed(), audit, index, stream]) for stream in (1, 2))
        shares = np.where(np.arange(cell.n_questions)[:, None] < cell.n_biased, biased, even[index])
        spread = np.maximum(shares * (1 - cell.icc) / cell.icc, ABSOLUTE_SLACK)
        shape = (n, *spread.shape)
        if of_root is None:
            weights = own.standard_gamma(np.broadcast_to(spread, shape))
        else:
            latent = np.sqrt(SHARED) * of_root + np.sqrt(1 - SHARED) * own.standard_normal(shape)
            weights = special.gammaincinv(spread, special.ndtr(latent))
        edges = np.cumsum(weights + 1e-300, axis=-1)
        edges /= edges[..., -1:]
        chance = answers.random((n, cell.n_questions, cell.n_answers, 1))
        found.append((chance > edges[..., None, :-1]).sum(-1))
    return found


def lose(cell: Cell, audit: int, codes: Audit) -> Audit:
    """The audit without the answers that are missing."""
    if cell.missing is None:
        return codes
    found = []
    for index, own in enumerate(codes):
        chance = np.random.default_rng([cell.seed(), audit, index, 3]).random(own.shape)
        if cell.missing == "random":
            found.append(np.where(chance < 0.04, UNREADABLE, np.where(chance < 0.08, FAILED, own)))
        else:
            is_hidden = (index == len(codes) - 1) & (own > 0) & (chance < 0.5)
            found.append(np.where(is_hidden, UNREADABLE, own))
    return found


def write(cell: Cell, audits: Audits, folder: Path) -> tuple[Path, Path]:
    """Write audits as a file and a suite that reads it; return both."""
    texts = TEXTS if cell.is_scored else [f"Choice {code + 1:02}." for code in range(len(cell.shares))]
    said = np.array([*texts, "", "???"], dtype=object)  # a code of -2 is the last but one
    parts = [
        _rows(cell, config, index, codes, said)
        for config, audit in audits.items()
        for index, codes in enumerate(audit)
    ]
    path, suite_path = folder / f"{cell.suite}.parquet", folder / f"{cell.suite}.yml"
    pq.write_table(pa.concat_tables(parts), path)
    suite_path.write_text(json.dumps(_suite(cell, texts)), encoding="utf-8")
    return path, suite_path


def _rows(cell: Cell, config: str, index: int, codes: np.ndarray, said: np.ndarray) -> pa.Table:
    """One group's answers in one audit."""
    unit, question, repeat = (places.ravel() for places in np.indices(codes.shape))
    attributes = cell.groups[index]
    group, flat = " ".join(attributes.values()), codes.ravel()
    whose = "" if cell.is_shared else f" of {group}"
    units = np.array([f"Case {u + 1}{whose}" for u in range(len(codes))], dtype=object)[unit]
    asked = np.array([f"Q{q + 1}" for q in range(cell.n_questions)], dtype=object)[question]
    columns: dict[str, Any] = {
        "config": [config] * len(flat),
        "category": asked,
        "unit": units,
        "prompt": asked + ": " + units + f", about {group}",
        "repeat": repeat,
        "status": np.where(flat == FAILED, "timeout", "ok"),
        "answer": said[flat],
    }
    return pa.table(columns | {name: [value] * len(flat) for name, value in attributes.items()})


def _suite(cell: Cell, texts: Sequence[str]) -> dict[str, Any]:
    names = list(cell.groups[0])
    labels = {f"c{code + 1:02}": [text.rstrip(".")] for code, text in enumerate(texts)}
    rules: list[dict[str, Any]] = [
        {"set": "decision", "kind": "pattern", "text": "raw", "labels": labels, "favourable": ["c01"]}
    ]
    if cell.is_scored:
        rules.append({"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"})
    block = "root" if cell.is_shared else "name"
    columns = {name: name for name in ("category", "prompt", "repeat", "status")}
    return {  # as JSON, which is YAML without aliases
        "suite": cell.suite,
        "title": cell.name,
        "version": 1,
        "profiles": list(PROFILES),
        "scorers": ["vader"] if cell.is_scored else [],
        "minimum": {"coverage": 0.5, "group": 1},
        "resampling": {"seed": cell.seed(), "permutations": PERMUTATIONS, "bootstrap": BOOTSTRAP},
        "attributes": {name: {v: {} for v in sorted({g[name] for g in cell.groups})} for name in names},
        "axes": names,
        "names": {"shows": [] if cell.is_shared else names},
        "columns": columns
        | {"model": "config", "response": "answer", block: "unit"}
        | {"attributes": {name: name for name in names}},
        "categories": {
            f"Q{q + 1}": {"title": f"Q{q + 1}", "block": block, "outcomes": rules}
            for q in range(cell.n_questions)
        },
    }


def pipe(audits: dict[Cell, Audits], folder: Path) -> Path:
    """Take audits through load, extract and the models up to the verdicts; return the warehouse's folder."""
    data = folder / "data"
    for cell, own in audits.items():
        path, suite_path = write(cell, own, folder)
        load_file(data, path, suite_path)
        suite = load_suite(suite_path)
        tasks = [Task(load_scorer(name, Where(data=data)), need) for name, need in needs(suite).items()]
        with Store(data) as store:
            extract(store, suite, suite_path, tasks)
    build(data, ["fct_verdicts"])
    return data
