"""Grain: one row per analysis_key, statistic, group_value ('' for the axis), outcome ('' but for shares)."""

import math
from collections import Counter
from functools import partial
from itertools import product

import numpy as np

from ingest.inference.adjusted import adjusted
from ingest.inference.arrays import divide
from ingest.inference.bootstrapping import bootstrap_interval
from ingest.inference.bounds import Silent
from ingest.inference.constants import MIN_LABELS, MIN_UNITS_PER_GROUP
from ingest.inference.corrected import (
    NONE,
    UNTOLD,
    Labels,
    corrected_outcomes,
    corrected_scores,
    folds,
    labels_alone,
    outcome_sums_corrected,
    reading_cells,
    selection_sums_corrected,
    share_intervals,
    stands_for,
)
from ingest.inference.design import Design
from ingest.inference.group_statistics import STATISTICS, group_mean, statistics_of
from ingest.inference.kept import Kept
from ingest.inference.label_doubt import Doubt, labelled_units
from ingest.inference.registry import evaluate, owners
from ingest.inference.resampling import resample
from ingest.inference.sums import group_table
from ingest.inference.tables import (
    OF_ANALYSIS,
    OF_SILENT,
    analysis_seed,
    numbers,
    parts,
    records,
    rows_by,
    types,
    where,
)

SCHEMA = types(
    "analysis_key int64, statistic string, group_value string, outcome string, read_value double,"
    " value double, status string, ci_low double, ci_high double, ci_status string, p_value double,"
    " null_median double, null_p05 double, null_p95 double, n_labels int64, n int64, n_missing int64,"
    " labels_value double, labels_low double, labels_high double, n_units int64, resampling_unit string,"
    " permutation_scheme string, n_permutations int64, min_attainable_p double, bound_low double,"
    " bound_high double, value_low double, value_high double, n_blocks int64, tail double,"
    " null_tails list<float>, confounding double, adjusted_value double, p_adjusted double,"
    " adjusted_ci_low double, adjusted_ci_high double, adjusted_null_p05 double,"
    " adjusted_null_median double, adjusted_null_p95 double, label_part double"
)
COLUMNS = (
    "analysis_key, group_code, cell_code, block_code, stratum_code, is_missing, read_code, said_code,"
    " score, value, weight"
)


def model(dbt, session):
    dbt.config(materialized="table")
    analyses = {
        analysis["analysis_key"]: analysis
        for analysis in records(dbt.ref("int_analyses_listed").project(OF_ANALYSIS))
    }
    groups = rows_by(
        dbt.ref("int_analysis_groups_coded").order("analysis_key, group_code"),
        "analysis_key, group_value, attribute_codes",
    )
    silent = rows_by(dbt.ref("int_silent_answers_counted").order(OF_SILENT), OF_SILENT)
    named = rows_by(
        dbt.ref("int_label_outcomes_coded").order("outcome_code"),
        "suite, category, config_key, measure, outcome, is_favourable",
        n_keys=4,
    )
    answers = (
        dbt.ref("int_label_analyses_coded").order("analysis_key, response_key").project(COLUMNS).fetchnumpy()
    )
    kept = Kept(dbt, session, SCHEMA)
    names = np.unique(answers["analysis_key"])
    for name, part in zip(names, parts(answers, "analysis_key", names), strict=True):
        analysis = analyses[int(name)]
        place = tuple(analysis[of] for of in ("suite", "category", "config_key", "measure"))
        of_others = silent.get(int(name), [])
        kept.add(_corrected, analysis, groups[int(name)], of_others, named.get(place, []), part)
    return kept.relation()


def _corrected(analysis, groups, silent, named_outcomes, part):
    """Yield the rows of one analysis; of one with too few labels, one for each group that says so. `silent`
    are answers of groups that are not among them."""
    named, kind = {"analysis_key": analysis["analysis_key"], "outcome": ""}, analysis["measure_kind"]
    group = part["group_code"].astype(np.int64)
    n_failed = np.bincount(group[part["is_missing"]], minlength=len(groups))
    part = where(part, ~part["is_missing"])
    group = part["group_code"].astype(np.int64)
    column = part["value"] if kind == "score" else part["said_code"]
    is_there = ~np.ma.getmaskarray(np.ma.asarray(column))
    n_labels = np.bincount(group[is_there], minlength=len(groups))
    names = [label for label, _ in groups]
    design = Design.from_codes(groups, group, part["cell_code"], part["block_code"])
    n_labelled = labelled_units(design, is_there)
    if n_labels.min() < MIN_LABELS or n_labelled.min() < MIN_UNITS_PER_GROUP:
        for label, n in zip(names, n_labels.tolist(), strict=True):
            yield {
                **named,
                "statistic": "labels",
                "group_value": label,
                "status": "too_few_labels",
                "n_labels": n,
            }
        return
    outcomes, is_favourable = zip(*named_outcomes, strict=True) if named_outcomes else ((), ())
    labels = _labels(part, is_there)
    found = _sums(kind, design, np.array(is_favourable, bool), labels, part)
    sums, read_sums, alone, untold, doubt = found
    n_missing = n_failed + np.round(np.clip(untold, 0, None)).astype(np.int64)
    weight = sums.sum() / read_sums.sum() if kind == "outcome" else 1
    # What labels would make of the few that were read of other groups, nobody knows.
    lacking = {group_value: n for group_value, *_, n in silent}
    unknown = Counter(lacking)
    for group_value, _, _, n_read, _ in silent:
        unknown[group_value] += n_read
    n_unknown = np.array(list(unknown.values()), dtype=np.float64)
    options = {
        "n_permutations": analysis["n_permutations"],
        "n_bootstrap": analysis["n_bootstrap"],
        "seed": analysis_seed(analysis),
        "missing": n_missing * weight,
        "silent": Silent(np.zeros((len(unknown), sums.shape[1])), n_unknown * weight),
        "n_outcomes": analysis["n_possible_outcomes"],
        "doubt": doubt,
    }
    of_groups = {name: (int(n), int(m)) for name, n, m in zip(names, n_labels, n_missing, strict=True)}
    of_groups[""] = int(n_labels.sum()), int(n_missing.sum()) + sum(lacking.values())
    chosen = [STATISTICS[name] for name in statistics_of(kind)]
    table = group_table(group, read_sums, len(groups))
    as_read = {
        (statistic.name, "" if index is None else names[index]): float(value)
        for (statistic, index), value in zip(
            owners(chosen, len(groups)), evaluate(chosen, table[None])[:, 0], strict=True
        )
    }
    at_equal_weights = adjusted(design, sums, kind, part["stratum_code"], options)
    results = [result.row() for result in resample(design, sums, statistics_of(kind), **options)]
    is_nothing_left = not group_table(group, sums, len(groups)).any(axis=1).all()
    of_values = _of_groups(design, kind, sums, alone, options)
    for row in results:
        place = row["statistic"], row["group_value"]
        n, missing = of_groups[place[1]]
        own = {"read_value": as_read.get(place), "n_labels": n, "n_missing": missing}
        own |= {"label_part": doubt.part}
        own |= of_values.get(place, {}) | at_equal_weights.get(place, {})
        if is_nothing_left:
            own["status"] = "empty_group"
        yield {**named, **row, "n": int(row["n"]), **own}
    if kind == "outcome":
        yield from (
            {**named, **row} for row in _shares(design, outcomes, sums, read_sums, alone, of_groups, options)
        )


def _labels(part, is_there):
    """What people say of answers; numbers are 0 where nobody has looked."""
    code = np.ma.filled(np.ma.asarray(part["said_code"]), NONE).astype(np.int64)
    value, weight = (np.nan_to_num(numbers(part[name])) for name in ("value", "weight"))
    return Labels(is_there, code, value, weight)


def _sums(kind, design, is_favourable, labels, part):
    """Sums (n, J) of answers as corrected, as read and of labels alone; what cannot be told by group (K,);
    and what the labels leave open."""
    fold, n_groups = folds(design), len(design.labels)
    if kind == "score":
        score = numbers(part["score"])
        sums = corrected_scores(design.group, score, labels, fold)
        read_sums = np.column_stack([np.ones_like(score), score, score**2])
        given = np.column_stack([np.ones_like(score), labels.value, labels.value**2])
        doubt = Doubt.of(design, design.group, stands_for(design.group, labels), sums)
        return sums, read_sums, labels_alone(labels, given), np.zeros(n_groups), doubt
    read, n_outcomes = part["read_code"].astype(np.int64), len(is_favourable)
    corrected = corrected_outcomes(design.group, read, labels, fold, n_outcomes)
    untold = np.bincount(design.group, weights=corrected[:, UNTOLD], minlength=n_groups)
    one_hot = np.eye(n_outcomes + 2)
    as_read, given = one_hot[read], labels_alone(labels, one_hot[labels.code])
    cell = reading_cells(design.group, read, n_outcomes)
    doubt_of = partial(Doubt.of, design, cell, stands_for(cell, labels))
    if kind == "outcome":
        sums = outcome_sums_corrected(corrected)
        doubt = doubt_of(sums, float(sums.sum() / corrected[:, :-2].sum()))
        return sums, as_read[:, :-2], given[:, :-2], untold, doubt
    both = (selection_sums_corrected(one, is_favourable) for one in (corrected, as_read, given))
    sums, read_sums, alone = both
    return sums, read_sums, alone, untold, doubt_of(sums)


def _of_groups(design, kind, sums, alone, options):
    """Each group's rate or mean by labels alone, with intervals, by statistic and group."""
    n_bootstrap, seed = options["n_bootstrap"], options["seed"]
    if kind == "score":
        values = group_mean(group_table(design.group, alone, len(design.labels)))
        ends = bootstrap_interval(design, alone, group_mean, n_bootstrap, seed, lowest=-np.inf)
        return {
            ("mean", label): _by_labels(values[index], ends.low[index], ends.high[index])
            for index, label in enumerate(design.labels)
        }
    if kind == "outcome":
        return {}
    found = {}
    rates = _rates(design, sums, options["doubt"], n_bootstrap, seed)
    by_labels = _rates(design, alone, options["doubt"], n_bootstrap, seed)
    for label, (_, low, high), others in zip(design.labels, rates, by_labels, strict=True):
        found["selection_rate", label] = {"ci_low": low, "ci_high": high, **_by_labels(*others)}
    return found


def _rates(design, sums, doubt, n_bootstrap, seed):
    """Each group's selection rate with both ends of its interval, (K, 3)."""
    both = np.column_stack([sums[:, 0] - sums[:, 1], sums[:, 1]])
    found = share_intervals(design, both, doubt, n_bootstrap, seed)
    return np.stack([column[:, 1] for column in found], axis=1).tolist()


def _shares(design, outcomes, sums, read_sums, alone, of_groups, options):
    """Yield each group's share of each outcome: corrected, as read, and by labels alone, with intervals."""
    n_bootstrap, seed = options["n_bootstrap"], options["seed"]
    doubt = options["doubt"]
    shares = np.stack(share_intervals(design, sums, doubt, n_bootstrap, seed), axis=-1)
    by_labels = np.stack(share_intervals(design, alone, doubt, n_bootstrap, seed), axis=-1)
    counted = group_table(design.group, read_sums, len(design.labels))
    as_read = divide(counted, counted.sum(-1, keepdims=True))
    sizes = np.bincount(design.group)
    for (index, label), (code, outcome) in product(enumerate(design.labels), enumerate(outcomes)):
        value, low, high = shares[index, code].tolist()
        n, n_missing = of_groups[label]
        yield {
            "statistic": "share",
            "group_value": label,
            "outcome": outcome,
            "value": value,
            "read_value": float(as_read[index, code]),
            "status": "ok",
            "ci_low": low,
            "ci_high": high,
            "ci_status": "ok" if math.isfinite(low) else "too_few",
            "n": int(sizes[index]),
            "n_labels": n,
            "n_missing": n_missing,
            **_by_labels(*by_labels[index, code].tolist()),
        }


def _by_labels(value, low, high):
    return {"labels_value": float(value), "labels_low": float(low), "labels_high": float(high)}
