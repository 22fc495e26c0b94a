"""Grain: one row per suite, category, config_key, metric, condition. What other units and chance give."""

import numpy as np

from ingest.inference.benchmarks import resampled_score
from ingest.inference.kept import Kept
from ingest.inference.style_variance import Prompts, resampled_variance
from ingest.inference.tables import numbers, row_by, rows_by, seed_of, types, where

IDENTITY = ("suite", "category", "config_key", "metric", "condition")
SCHEMA = types(
    "suite string, category string, config_key string, metric string, condition string, value double,"
    " ci_low double, ci_high double, p_value double, null_median double, null_p05 double, null_p95 double"
)
OF_CONFIG = "suite, category, config_key"
CODES = {
    "template": "template_text",
    "stratum": "template_text, noun",
    "descriptor": "axis, descriptor",
    "style": "style",
}


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    declared = row_by(
        dbt.ref("benchmark_scores"), "metric, condition, formula, part_1, part_2, n_options", n_keys=2
    )
    names = ", ".join(IDENTITY)
    scores = rows_by(
        dbt.ref("int_benchmark_parts_listed").order(f"{names}, block_key"),
        f"{names}, x_1, y_1, n_1, x_2, y_2, n_2",
        n_keys=len(IDENTITY),
    )
    kept = Kept(dbt, session, SCHEMA)
    for identity, units in scores.items():
        kept.add(_resampled, list(identity), settings[identity[0]], declared[identity[3:]], units)
    of_styles = row_by(
        dbt.ref("benchmark_scores").filter("formula = 'style_variance'"), "benchmark, metric, condition"
    )
    styles = dbt.ref("int_benchmark_styles_measured")
    configs = row_by(styles, f"{OF_CONFIG}, benchmark", n_keys=3)
    rows = _coded(styles)
    for part, identity in enumerate(sorted(configs)):
        kept.add(
            _varied,
            [*identity, *of_styles[configs[identity][0]]],
            settings[identity[0]],
            where(rows, slice(*np.searchsorted(rows["part"], [part, part + 1]))),
        )
    return kept.relation()


def _coded(styles):
    """Return a row for each prompt and style, with codes for what its template, noun and descriptor are."""
    codes = [f"dense_rank() over (order by {OF_CONFIG}) - 1 as part"]
    codes += [
        f"dense_rank() over (partition by {OF_CONFIG} order by {by}) - 1 as {name}"
        for name, by in CODES.items()
    ]
    coded = styles.project(", ".join([*codes, "prompt_key", "n", "total"]))
    in_order = coded.order("part, template, stratum, descriptor, prompt_key, style")
    return in_order.project(f"part, {', '.join(CODES)}, n, total").fetchnumpy()


def _resampled(identity, settings, declared, units):
    """Yield the row of one score; settings are seed, permutations, bootstrap draws."""
    seed, n_permutations, n_bootstrap = settings
    formula, part_1, part_2, n_options = declared
    found = resampled_score(
        formula,
        (part_1, part_2 or ""),
        int(n_options),
        np.array(units, dtype=np.float64),
        n_permutations,
        n_bootstrap,
        # Scores of one config are drawn alike.
        seed_of(seed, "benchmark", *identity[:3]),
    )
    yield {**dict(zip(IDENTITY, identity, strict=True)), **found._asdict()}


def _varied(identity, settings, rows):
    """Yield the row of a score of styles, from rows by prompt and style; settings as above."""
    seed, n_permutations, n_bootstrap = settings
    n_styles = int(rows["style"].max()) + 1
    totals = np.nan_to_num(numbers(rows["total"])).reshape(-1, n_styles)
    prompts = Prompts(
        *(rows[name][::n_styles] for name in CODES if name != "style"),
        np.column_stack([rows["n"][::n_styles], totals]),
    )
    seed = seed_of(seed, "benchmark", *identity[:3])
    found = resampled_variance(prompts, n_permutations, n_bootstrap, seed)
    yield {**dict(zip(IDENTITY, identity, strict=True)), **found._asdict()}
