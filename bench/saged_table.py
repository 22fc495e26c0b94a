"""The table of SAGED's experiment, invented: 21 concepts x prompts x 4 models x 5 roles, 45 features.

Written in parts of one concept, so that a table of 140 million measurements needs no more memory than one of
1.4 million. Numbers have the shape of the experiment's: a baseline of the prompt that repeats over models and
roles, an answer that leans on it, small shifts by concept and role. Nothing in them is of a real model.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

SEED = 20_260_101
CONCEPTS = [f"concept_{number:02d}" for number in range(1, 22)]
MODELS = [f"model_{letter}" for letter in "abcd"]
ROLES = ["none", "assistant", "critic", "expert", "friend"]
PROMPTS = 75
FEATURES = 45


@dataclass(frozen=True)
class Size:
    """How large a table is: prompts of a concept, features measured."""

    prompts: int = PROMPTS
    features: int = FEATURES

    @property
    def responses(self) -> int:
        """Number of rows."""
        return len(CONCEPTS) * self.prompts * len(MODELS) * len(ROLES)

    @property
    def measurements(self) -> int:
        """Number of numbers, baselines apart."""
        return self.responses * self.features

    def feature_names(self) -> list[str]:
        """Return names of which none is a part of another."""
        return [f"score_{number:02d}" for number in range(1, self.features + 1)]


def write_table(path: Path, size: Size) -> None:
    """Write the table as Parquet: concept, prompt_id, model, role, the features and their baselines."""
    draw = np.random.default_rng(SEED)
    configs = len(MODELS) * len(ROLES)
    names = size.feature_names()
    shifts = draw.normal(0, 0.03, (len(CONCEPTS), size.features))
    leanings = draw.normal(0, 0.05, (configs, size.features))
    schema = pa.schema(
        [
            *((name, pa.string()) for name in ("concept", "model", "role")),
            ("prompt_id", pa.int64()),
            *((name, pa.float64()) for name in (*names, *(f"baseline_{name}" for name in names))),
        ]
    )
    rows = size.prompts * configs
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for concept, shift in zip(CONCEPTS, shifts, strict=True):
            columns = {
                "concept": pa.array([concept] * rows),
                "prompt_id": pa.array(np.repeat(np.arange(1, size.prompts + 1), configs)),
                "model": pa.array(np.tile(np.repeat(MODELS, len(ROLES)), size.prompts)),
                "role": pa.array(np.tile(ROLES, size.prompts * len(MODELS))),
            }
            for number, name in enumerate(names):
                baseline = np.clip(draw.normal(0.5, 0.15, size.prompts), 0, 1)
                noise = draw.normal(0, 0.1, (size.prompts, configs))
                answered = 0.25 + baseline[:, None] / 2 + shift[number] + leanings[:, number] + noise
                columns[name] = pa.array(np.clip(answered, 0, 1).ravel())
                columns[f"baseline_{name}"] = pa.array(np.repeat(baseline, configs))
            writer.write_table(pa.table([columns[name] for name in schema.names], schema=schema))


def write_suite(path: Path, size: Size, permutations: int, bootstrap: int) -> None:
    """Write the suite that tells Plumbline what the table's columns are."""
    names = size.feature_names()
    suite = {
        "suite": "saged_bench",
        "title": "Invented measurements in the shape of SAGED's experiment",
        "version": 1,
        "attributes": {"concept": {concept: {} for concept in CONCEPTS}},
        "axes": ["concept"],
        "ranges": {name: [0, 1] for name in names},
        "resampling": {"permutations": permutations, "bootstrap": bootstrap},
        "measurements": {
            "root": "prompt_id",
            "attributes": {"concept": "concept"},
            "shows": ["concept"],
            "model": "model",
            "role": "role",
            "features": {name: name for name in names},
            "baselines": {name: f"baseline_{name}" for name in names},
        },
        "categories": {"CONCEPTS": {"title": "Questions about one of 21 concepts", "block": "root"}},
    }
    path.write_text(yaml.safe_dump(suite, sort_keys=False))
