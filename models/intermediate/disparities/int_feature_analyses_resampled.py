"""Grain: one row per family_id, statistic_key, disparity, group_id (null for a disparity): chance alone."""

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import (
    COLUMN_DISPARITIES,
    Design,
    resample_columns,
    resample_samples,
    resampling_unit,
)
from ingest.inference.samples import Column, parse_parameters
from ingest.keys import key

COLUMNS = {
    "family_id": pa.int64(),
    "statistic_key": pa.int32(),
    "disparity": pa.string(),
    "group_id": pa.int64(),
    "p_value": pa.float64(),
    "null_median": pa.float64(),
    "null_p05": pa.float64(),
    "null_p95": pa.float64(),
    "ci_low": pa.float64(),
    "ci_high": pa.float64(),
    "resampling_unit": pa.string(),
    "n_units": pa.int64(),
    "permutation_scheme": pa.string(),
    "min_attainable_p": pa.float64(),
}
MEAN = "mean_sum"


def model(dbt, session):
    dbt.config(materialized="table")
    settings = _rows_by_suite(
        dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap, minimum_cell"
    )
    asked = _rows_by_suite(
        dbt.ref("int_resampling_requested").order("suite, statistic_key"),
        "suite, statistic_key, statistic, parameters, needs_baseline",
    )
    groups = (
        dbt.ref("int_groups_listed")
        .project("group_id, comparison_id, suite, category, config_key, axis, group_value, attribute_codes")
        .order("group_id")
        .fetchall()
    )
    comparisons: dict[int, list] = {}
    for group in groups:
        _, n_permutations, n_bootstrap, _ = settings[group[2]][0]
        if n_permutations or n_bootstrap:
            comparisons.setdefault(group[1], []).append(group)
    # Tables of all rates, sums and values are large: where nothing is drawn they are not read.
    if comparisons:
        families = {
            family: ends
            for family, *ends in dbt.ref("int_group_features_listed")
            .project("family_id, has_baseline, range_low, range_high")
            .distinct()
            .fetchall()
        }
        references = dict(
            dbt.ref("int_selections_rated")
            .filter("chosen_group is not null")
            .project("family_id, chosen_group")
            .distinct()
            .fetchall()
        )
        sums = dbt.ref("int_feature_values_summed").order("group_id, prompt_id, family_id").fetchnumpy()
        values = _values(dbt.ref("int_feature_values_coded"), groups, asked)
    parts = []
    for members in comparisons.values():
        suite = members[0][2]
        comparison = _Comparison(members, settings[suite][0], asked[suite], families, references)
        parts += comparison.of_sums(_part(sums, members))
        parts += comparison.of_samples(_part(values, members))
    tables = [
        pa.table({n: pa.array(part[n], t, from_pandas=True) for n, t in COLUMNS.items()}) for part in parts
    ]
    empty = pa.table({n: pa.array([], t) for n, t in COLUMNS.items()})
    return session.from_arrow(pa.concat_tables([empty, *tables]))


def _rows_by_suite(relation, columns):
    found = {}
    for suite, *values in relation.project(columns).fetchall():
        found.setdefault(suite, []).append(values)
    return found


def _is_sampled(statistic):
    """Whether a statistic has to see every value: means and rates are ratios of sums."""
    return statistic not in ("mean", "selection_rate")


def _values(coded, groups, asked):
    """Values of the suites that have more resampled than sums, by group and response."""
    wanted = [group[0] for group in groups if any(_is_sampled(row[1]) for row in asked[group[2]])]
    columns = "group_id, family_id, prompt_id, block_id, response_hash, value, baseline_value"
    # No group has a negative number: nothing is read where nothing is wanted.
    low, high = (min(wanted), max(wanted)) if wanted else (-1, -1)
    return (
        coded.filter(f"group_id between {low} and {high}")
        .project(columns)
        .order("group_id, response_hash, family_id")
        .fetchnumpy()
    )


def _part(rows, members):
    # Groups of a comparison have consecutive numbers.
    start, end = np.searchsorted(rows["group_id"], [members[0][0], members[-1][0] + 1])
    return {name: column[start:end] for name, column in rows.items()}


def _number(column):
    """A column of numbers as floats, NaN where it is null."""
    return np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan)


class _Comparison:
    """The groups of one axis under one config, and what is resampled of them."""

    def __init__(self, members, settings, asked, families, references):
        seed, self.n_permutations, self.n_bootstrap, self.minimum_cell = settings
        self.ids = np.array([group[0] for group in members])
        self.labels = [group[6] for group in members]
        self.codes = np.array([group[7] for group in members], dtype=np.int64)
        self.seed = int(key(seed, "disparities", *members[0][2:6])[:15], 16)
        self.asked = asked
        self.families = families
        self.references = references

    @property
    def settings(self):
        return {
            "n_permutations": self.n_permutations,
            "n_bootstrap": self.n_bootstrap,
            "seed": self.seed,
        }

    def of_sums(self, part):
        """Resample means and selection rates, of all features that compare the same groups at once."""
        if not len(part["group_id"]):
            return
        prompts, first, row = np.unique(part["prompt_id"], return_index=True, return_inverse=True)
        families, column = np.unique(part["family_id"], return_inverse=True)
        group = np.searchsorted(self.ids, part["group_id"][first])
        counts = np.zeros((len(prompts), len(families)))
        counts[row, column] = part["n"]
        stacked = {}
        for statistic_key, statistic, *_ in self.asked:
            if not _is_sampled(statistic):
                name = MEAN if statistic == "mean" else f"rate_sum_{statistic_key}"
                stacked[statistic_key] = np.zeros_like(counts)
                stacked[statistic_key][row, column] = part[name]
        rates = [found for found in stacked if found >= 1000]
        means = [found for found in stacked if found < 1000]
        for kept, chosen, design in self._designs(
            group, np.arange(len(prompts)), part["block_id"][first], counts
        ):
            labels = families[chosen]
            for keys, options in (
                (means, {"with_ratios": False}),
                (
                    rates,
                    {"bounds": (0, 1), "references": [self.references.get(f) for f in labels] * len(rates)},
                ),
            ):
                if not keys:
                    continue
                result = None
                if resampling_unit(design) != "response":
                    result = resample_columns(
                        design,
                        np.tile(counts[np.ix_(kept, chosen)], len(keys)),
                        np.hstack([stacked[one][np.ix_(kept, chosen)] for one in keys]),
                        **self.settings,
                        **options,
                    )
                yield from self._rows(
                    result, np.tile(labels, len(keys)), np.repeat(keys, len(chosen)), design
                )

    def of_samples(self, part):
        """Resample the statistics that need every value."""
        sampled = [row for row in self.asked if _is_sampled(row[1])]
        if not sampled or not len(part["group_id"]):
            return
        _, first, row = np.unique(part["response_hash"], return_index=True, return_inverse=True)
        families, column = np.unique(part["family_id"], return_inverse=True)
        values, baselines = np.full((2, len(first), len(families)), np.nan)
        values[row, column] = _number(part["value"])
        baselines[row, column] = _number(part["baseline_value"])
        group = np.searchsorted(self.ids, part["group_id"][first])
        edges = [self._edges(*found) for found in zip(families, values.T, baselines.T, strict=True)]
        for needs_baseline in (False, True):
            columns = {
                statistic_key: Column(statistic, parse_parameters(parameters))
                for statistic_key, statistic, parameters, needs in sampled
                if needs == needs_baseline
            }
            has_baseline = np.array([self.families[family][0] for family in families])
            is_there = np.isfinite(values) & (np.isfinite(baselines) if needs_baseline else True)
            if needs_baseline:
                is_there &= has_baseline
            if not columns or not is_there.any():
                continue
            prompts, blocks = part["prompt_id"][first], part["block_id"][first]
            for kept, chosen, design in self._designs(group, prompts, blocks, is_there):
                result = None
                if resampling_unit(design) != "response":
                    result = resample_samples(
                        design,
                        values[np.ix_(kept, chosen)],
                        list(columns.values()),
                        baselines[np.ix_(kept, chosen)] if needs_baseline else None,
                        [edges[index] for index in chosen],
                        **self.settings,
                    )
                keys = np.tile(list(columns), len(chosen))
                yield from self._rows(result, np.repeat(families[chosen], len(columns)), keys, design)

    def _designs(self, group, prompt, block, counts):
        """Yield rows, columns and design for each set of groups that some columns have enough values of."""
        by_group = np.zeros((len(self.ids), counts.shape[1]))
        np.add.at(by_group, group, counts)
        compared, pattern = np.unique(by_group >= self.minimum_cell, axis=1, return_inverse=True)
        for index, is_compared in enumerate(compared.T):
            chosen = np.flatnonzero(pattern.ravel() == index)
            has_rows = counts[:, chosen].any(axis=1)
            kept = np.flatnonzero(is_compared[group] & has_rows)
            if is_compared.sum() < 2:
                continue
            yield (
                kept,
                chosen,
                Design(
                    attributes=self.codes[group[kept]],
                    group=np.searchsorted(np.flatnonzero(is_compared), group[kept]),
                    prompt=np.asarray(prompt)[kept].astype(np.int64),
                    block=np.asarray(block)[kept].astype(np.int64),
                    labels=tuple(self.labels[g] for g in np.flatnonzero(is_compared)),
                ),
            )

    def _edges(self, family, values, baselines):
        """Ends of the bins that all groups share: the declared range, else the lowest and highest of all."""
        _, low, high = self.families[family]
        found = np.concatenate([values, baselines])
        return (
            np.fmin.reduce(found) if low is None else low,
            np.fmax.reduce(found) if high is None else high,
        )

    def _rows(self, result, families, keys, design):
        """Yield the rows of each disparity and each group; without a result, that there are none."""
        n = len(families)
        nothing = np.full(n, np.nan)
        shared = {"family_id": families, "statistic_key": keys}
        no_p = dict.fromkeys(("p_value", "null_median", "null_p05", "null_p95"), nothing)
        if result is None:
            # Each group has one prompt: only its repeats vary, and they are taken as independent.
            shared |= {"resampling_unit": ["response"] * n, "n_units": np.full(n, len(design.group))}
            shared |= {"permutation_scheme": [None] * n, "min_attainable_p": nothing}
            for disparity in COLUMN_DISPARITIES:
                yield {
                    **shared,
                    **no_p,
                    "ci_low": nothing,
                    "ci_high": nothing,
                    "disparity": [disparity] * n,
                    "group_id": [None] * n,
                }
            return
        shared |= {"resampling_unit": [result.unit] * n, "n_units": np.full(n, result.n_units)}
        shared["permutation_scheme"] = [result.permutation] * n
        shared["min_attainable_p"] = np.full(n, result.min_attainable_p)
        for disparity, columns in result.disparities.items():
            measured = columns._asdict()
            del measured["value"]
            yield {**shared, **measured, "disparity": [disparity] * n, "group_id": [None] * n}
        for index, label in enumerate(design.labels):
            own = {**shared, "group_id": np.full(n, self.ids[self.labels.index(label)])}
            yield {
                **own,
                **no_p,
                "ci_low": result.value_low[index],
                "ci_high": result.value_high[index],
                "disparity": ["group_value"] * n,
            }
            if result.ratios is None:
                continue
            ratios = result.ratios
            yield {
                **own,
                **no_p,
                "p_value": ratios.p_max[index],
                "null_median": ratios.null_median[index],
                "null_p05": ratios.null_p05[index],
                "ci_low": ratios.ci_low[index],
                "ci_high": ratios.ci_high[index],
                "disparity": ["impact_ratio"] * n,
            }
            yield {
                **own,
                **no_p,
                "ci_low": ratios.chosen_low[index],
                "ci_high": ratios.chosen_high[index],
                "disparity": ["chosen_ratio"] * n,
            }
