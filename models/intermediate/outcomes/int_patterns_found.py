"""Grain: one row per pattern_key, text_key: how many characters stand before a pattern's leftmost match.

A pattern is compiled once for all texts. SQL compiles what stands in a column for each text, which takes a
thousand times as long.
"""

import pyarrow as pa
from duckdb import ColumnExpression, ConstantExpression, FunctionExpression

from ingest.inference.tables import types

SCHEMA = types("pattern_key string, text_key string, match_position int64")


def model(dbt, session):
    dbt.config(materialized="table")
    listed = dbt.ref("int_pattern_texts_listed")
    patterns = dbt.ref("int_text_rules_prepared").filter("not is_word").project("pattern_key, pattern")
    found = [SCHEMA.empty_table()]
    for key, pattern in patterns.distinct().order("pattern_key").fetchall():
        of_pattern = ColumnExpression("pattern_key") == ConstantExpression(key)
        # From the leftmost match to the end; the first group is what stands before the phrase.
        rest, before = _of_text("extract", f"{pattern}.*$", 0), _of_text("extract", pattern, 1)
        position = (_length(ColumnExpression("searched_text")) - _length(rest) + _length(before)).alias(
            "match_position"
        )
        matched = listed.filter(of_pattern & _of_text("matches", pattern))
        found.append(matched.select("pattern_key", "text_key", position).to_arrow_table())
    return session.from_arrow(pa.concat_tables(found))


def _of_text(function, pattern, *more):
    """Return what a function of DuckDB finds, whatever its case, in texts of several lines."""
    constants = [ConstantExpression(value) for value in (pattern, *more, "is")]
    return FunctionExpression(f"regexp_{function}", ColumnExpression("searched_text"), *constants)


def _length(text):
    return FunctionExpression("length", text)
