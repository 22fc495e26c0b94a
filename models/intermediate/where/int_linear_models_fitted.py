"""Grain: one row per suite, category, config_key ('' over all), is_simulated, measure_kind, measure, method,
term."""

import math
from itertools import groupby
from operator import itemgetter

import numpy as np

from ingest.inference.kept import Kept
from ingest.inference.linear import anova_type_2, mixed_model
from ingest.inference.tables import records, row_by, types

SCHEMA = types(
    "suite string, category string, config_key string, is_simulated bool, measure_kind string,"
    " measure string, method string, term string, value double, dof double, dof_residual double,"
    " p_value double, sum_of_squares double, variance_between double, variance_within double, status string,"
    " n_units int64, n int64, n_configs int64"
)
IDENTITY = ("suite", "category", "is_simulated", "measure_kind", "measure")
MAX_FACTORS = 3  # SPEC FS-11


def model(dbt, session):
    dbt.config(materialized="table")
    simulated = row_by(dbt.ref("int_configs_labelled"), "config_key, is_simulated")
    units = records(
        dbt.ref("int_unit_means_listed").order(
            "suite, category, measure_kind, measure, config_key, block_key, group_values"
        )
    )
    questions: dict[tuple, list[dict]] = {}
    for unit in units:
        unit["is_simulated"] = simulated[unit["config_key"]][0]
        questions.setdefault(tuple(unit[name] for name in IDENTITY), []).append(unit)
    kept = Kept(dbt, session, SCHEMA)
    for identity, members in sorted(questions.items()):
        # Prompts that show fewer attributes than others are in no factor of those.
        attributes = max((unit["attributes"] for unit in members), key=len)[:MAX_FACTORS]
        members = [unit for unit in members if unit["attributes"][: len(attributes)] == attributes]
        named = dict(zip(IDENTITY, identity, strict=True))
        configs = {name: list(own) for name, own in groupby(members, itemgetter("config_key"))}
        for config_key, own in configs.items():
            kept.add(_of_one_config, {**named, "config_key": config_key}, own, attributes)
        if len(configs) > 1:
            kept.add(_of_all_configs, {**named, "config_key": ""}, members, attributes, len(configs))
    return kept.relation()


def _of_one_config(named, units, attributes):
    terms = anova_type_2(*_arrays(units, attributes), attributes)
    shared = {**named, "method": "anova_type_2", "n_configs": 1}
    return _rows(shared, units, terms, "ok" if terms else "too_few")


def _of_all_configs(named, units, attributes, n_configs):
    found = mixed_model(*_arrays(units, attributes), attributes, [unit["config_key"] for unit in units])
    shared = {**named, "method": "mixed_model", "n_configs": n_configs}
    if found is not None:
        shared |= {"variance_between": found.variance_between, "variance_within": found.variance_within}
    status = "too_few" if found is None else "ok" if found.has_converged else "not_converged"
    return _rows(shared, units, found.terms if found else [], status)


def _arrays(units, attributes):
    """Values, and codes of each attribute."""
    codes = [
        np.unique([unit["group_values"][index] for unit in units], return_inverse=True)[1]
        for index in range(len(attributes))
    ]
    return np.array([unit["value"] for unit in units]), codes


def _rows(shared, units, terms, status):
    counts = {"n_units": len(units), "n": sum(unit["n"] for unit in units)}
    if not terms:
        return [{**shared, **counts, "status": status, "term": ""}]
    return [
        {
            **shared,
            **counts,
            **{name: value if name == "term" else float(value) for name, value in term._asdict().items()},
            "status": status if math.isfinite(term.value) else "too_few",
        }
        for term in terms
    ]
