"""The model int_patterns_found on patterns and texts of a test."""

import pyarrow as pa

from ingest.paths import PROJECT
from ingest.spark.python_models import run_model

MODEL = PROJECT / "models" / "intermediate" / "outcomes" / "int_patterns_found.py"


def patterns_found(patterns, texts):
    """Return (pattern, text, characters before it) of each pattern in each text in which it stands."""
    pairs = [(pattern, text) for pattern in patterns for text in texts]
    listed = {
        "pattern_key": [pattern for pattern, _ in pairs],
        "text_key": [text for _, text in pairs],
        "searched_text": [text for _, text in pairs],
    }
    rules = {"pattern_key": patterns, "pattern": patterns, "is_word": [False] * len(patterns)}
    tables = {
        "int_pattern_texts_listed": pa.table(listed),
        "int_text_rules_prepared": pa.table(rules),
    }
    found = run_model(MODEL.read_text("utf-8"), tables)
    return [tuple(row.values()) for row in found.to_pylist()]
