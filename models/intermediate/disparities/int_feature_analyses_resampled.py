"""Grain: one row per analysis_key, statistic, parameters, disparity, group_value ('' for a disparity)."""

import numpy as np

from ingest.inference.columns import resample_columns, resample_samples
from ingest.inference.design import Design, resampling_unit
from ingest.inference.group_statistics import DISPARITIES
from ingest.inference.kept import PLACE, Kept
from ingest.inference.samples import Column, parse_parameters
from ingest.inference.tables import numbers, row_by, rows_by, seed_of, types, where

SCHEMA = types(
    "analysis_key int64, statistic string, parameters string, disparity string, group_value string,"
    " p_value double, null_median double, null_p05 double, null_p95 double, ci_low double, ci_high double,"
    " resampling_unit string, n_units int64, permutation_scheme string, min_attainable_p double,"
    " tail double, null_tails list<float>, key_place int64"
)
MEAN = "mean_sum"


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap, minimum_cell")
    asked = rows_by(
        dbt.ref("int_resampling_requested").order("suite, statistic_id, standard_id, method_id"),
        "suite, statistic, parameters, needs_baseline, standard_id, method_id, is_default_criterion",
    )
    groups = (
        dbt.ref("int_groups_listed")
        .project("group_id, group_set_key, suite, category, config_key, axis, group_value, attribute_codes")
        .order("group_id")
        .fetchall()
    )
    comparisons: dict[int, list] = {}
    for group in groups:
        _, n_permutations, n_bootstrap, _ = settings[group[2]]
        if n_permutations or n_bootstrap:
            comparisons.setdefault(group[1], []).append(group)
    # Tables of all rates, sums and values are large: where nothing is drawn they are not read.
    if comparisons:
        analyses = row_by(
            dbt.ref("int_group_features_listed"), "analysis_key, has_baseline, range_low, range_high"
        )
        references = row_by(
            dbt.ref("int_selections_rated").filter("chosen_group is not null"), "analysis_key, chosen_group"
        )
        summed = dbt.ref("int_feature_values_summed").order("group_id, prompt_id, analysis_key")
        sums = summed.project("* exclude (group_feature_key)").fetchnumpy()
        values = _values(dbt.ref("int_feature_values_coded"), groups, asked)
    kept = Kept(dbt, session, SCHEMA, in_columns=True, keys=("analysis_key",))
    for members in comparisons.values():
        suite = members[0][2]
        own = _part(sums, members), _part(values, members)
        compared = np.unique(np.concatenate([part["analysis_key"] for part in own]))
        for part in own:
            part["analysis_key"] = np.searchsorted(compared, part["analysis_key"])
        compared = compared.tolist()
        kept.add(
            _resampled,
            [group[6:] for group in members],
            seed_of(settings[suite][0], "disparities", *members[0][2:6]),
            settings[suite][1:],
            asked[suite],
            [analyses[analysis] for analysis in compared],
            [references.get(analysis, (None,))[0] for analysis in compared],
            *own,
            keys={"analysis_key": compared},
        )
    return kept.relation()


def _resampled(groups, seed, settings, asked, analyses, references, sums, values):
    """Yield blocks of columns of what is drawn of one comparison: of its sums, then of its values."""
    comparison = _Comparison(groups, seed, settings, asked, analyses, references)
    yield from comparison.of_sums(sums)
    yield from comparison.of_samples(values)


def _is_sampled(statistic):
    """Whether a statistic has to see every value: means and rates are ratios of sums."""
    return statistic not in ("mean", "selection_rate")


def _values(coded, groups, asked):
    """Values of the suites that have more resampled than sums, by group and response."""
    wanted = [group[0] for group in groups if any(_is_sampled(row[0]) for row in asked[group[2]])]
    columns = "group_id, analysis_key, cell_id, block_id, response_hash, value, baseline_value"
    # No group has a negative number: nothing is read where nothing is wanted.
    low, high = (min(wanted), max(wanted)) if wanted else (-1, -1)
    return (
        coded.filter(f"group_id between {low} and {high}")
        .project(columns)
        .order("group_id, response_hash, analysis_key")
        .fetchnumpy()
    )


def _part(rows, members):
    """Rows of a comparison, whose groups, cells, blocks and responses count from 0, whatever others do."""
    # Groups of a comparison have consecutive numbers.
    start, end = np.searchsorted(rows["group_id"], [members[0][0], members[-1][0] + 1])
    part = where(rows, slice(start, end))
    part["group_id"] = np.searchsorted([group[0] for group in members], part["group_id"])
    for name in ("prompt_id", "cell_id", "block_id", "response_hash"):
        if name in part:
            part[name] = np.unique(part[name], return_inverse=True)[1]
    return part


class _Comparison:
    """The groups of one axis under one config, and what is resampled of them."""

    def __init__(self, groups, seed, settings, asked, analyses, references):
        self.n_permutations, self.n_bootstrap, self.minimum_cell = settings
        self.groups = groups
        self.seed = seed
        self.asked = asked
        self.analyses = analyses
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
        analyses, column = np.unique(part["analysis_key"], return_inverse=True)
        group = part["group_id"][first]
        counts = np.zeros((len(prompts), len(analyses)))
        counts[row, column] = part["n"]
        stacked = {}
        for statistic, parameters, _, standard, method, _ in self.asked:
            if not _is_sampled(statistic):
                name = MEAN if statistic == "mean" else f"rate_sum_{standard}_{method}"
                stacked[statistic, parameters] = np.zeros_like(counts)
                stacked[statistic, parameters][row, column] = part[name]
        rates = [found for found in stacked if found[0] == "selection_rate"]
        means = [found for found in stacked if found[0] == "mean"]
        for kept, chosen, design in self._designs(
            group, part["cell_id"][first], part["block_id"][first], counts
        ):
            labels = analyses[chosen]
            ranges = np.array([self.analyses[label][1:] for label in labels], dtype=np.float64)
            ranges = np.where(np.isfinite(ranges), ranges, (-np.inf, np.inf))
            for keys, options in (
                (means, {"with_ratios": False, "bounds": np.tile(ranges, (len(means), 1))}),
                (
                    rates,
                    {
                        "bounds": (0, 1),
                        "references": [self.references[f] for f in labels] * len(rates),
                    },
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
                named = [one for one in keys for _ in chosen]
                yield from self._rows(result, np.tile(labels, len(keys)), named, design)

    def of_samples(self, part):
        """Resample the statistics that need every value."""
        sampled = [row for row in self.asked if _is_sampled(row[0])]
        if not sampled or not len(part["group_id"]):
            return
        _, first, row = np.unique(part["response_hash"], return_index=True, return_inverse=True)
        analyses, column = np.unique(part["analysis_key"], return_inverse=True)
        values, baselines = np.full((2, len(first), len(analyses)), np.nan)
        values[row, column] = numbers(part["value"])
        baselines[row, column] = numbers(part["baseline_value"])
        group = part["group_id"][first]
        edges = [self._edges(*found) for found in zip(analyses, values.T, baselines.T, strict=True)]
        for needs_baseline in (False, True):
            columns = {
                (statistic, parameters): Column(statistic, parse_parameters(parameters))
                for statistic, parameters, needs, *_ in sampled
                if needs == needs_baseline
            }
            has_baseline = np.array([self.analyses[analysis][0] for analysis in analyses])
            is_there = np.isfinite(values) & (np.isfinite(baselines) if needs_baseline else True)
            if needs_baseline:
                is_there &= has_baseline
            if not columns or not is_there.any():
                continue
            cells, blocks = part["cell_id"][first], part["block_id"][first]
            for kept, chosen, design in self._designs(group, cells, blocks, is_there):
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
                named = list(columns) * len(chosen)
                yield from self._rows(result, np.repeat(analyses[chosen], len(columns)), named, design)

    def _designs(self, group, cell, block, counts):
        """Yield rows, columns and design for each set of groups that some columns have enough values of."""
        by_group = np.zeros((len(self.groups), counts.shape[1]))
        np.add.at(by_group, group, counts)
        compared, pattern = np.unique(by_group >= self.minimum_cell, axis=1, return_inverse=True)
        for index, is_compared in enumerate(compared.T):
            chosen = np.flatnonzero(pattern.ravel() == index)
            has_rows = counts[:, chosen].any(axis=1)
            kept = np.flatnonzero(is_compared[group] & has_rows)
            if is_compared.sum() < 2:
                continue
            members = np.flatnonzero(is_compared)
            codes = np.searchsorted(members, group[kept]), cell[kept], block[kept]
            yield kept, chosen, Design.from_codes([self.groups[g] for g in members], *codes)

    def _edges(self, analysis, values, baselines):
        """Ends of the bins that all groups share: the declared range, else the lowest and highest of all."""
        _, low, high = self.analyses[analysis]
        found = np.concatenate([values, baselines])
        return (
            np.fmin.reduce(found) if low is None else low,
            np.fmax.reduce(found) if high is None else high,
        )

    def _rows(self, result, analyses, named, design):
        """Yield columns of each disparity and each group; without a result, that there are none."""
        statistics, parameters = zip(*named, strict=True)

        def block(disparity, group_value="", **measured):
            empty = dict.fromkeys(
                ("p_value", "null_median", "null_p05", "null_p95", "ci_low", "ci_high", "tail", "null_tails")
            )
            named = {PLACE: analyses, "statistic": statistics, "parameters": parameters}
            return {
                **named,
                "disparity": disparity,
                "group_value": group_value,
                **described,
                **empty,
                **measured,
            }

        if result is None:
            # Each group has one prompt: only its repeats vary, and they are taken as independent.
            described = {"resampling_unit": "response", "n_units": len(design.group)}
            described |= {"permutation_scheme": None, "min_attainable_p": np.nan}
            yield from (block(disparity.name) for disparity in DISPARITIES)
            return
        described = {"resampling_unit": result.unit, "n_units": result.n_units}
        described |= {
            "permutation_scheme": result.permutation,
            "min_attainable_p": result.min_attainable_p,
        }
        for disparity, columns in result.disparities.items():
            judged = {}
            if disparity == "min_max_ratio" and result.range_tails is not None:
                # Limits judge the default criterion; relabellings of the others are not kept.
                default = {row[1] for row in self.asked if row[-1]}
                own = [name in default for name in parameters]
                tail, null = result.range_tails
                kept = [row if is_own else None for row, is_own in zip(null, own, strict=True)]
                judged = {"tail": np.where(own, tail, np.nan), "null_tails": kept}
            yield block(disparity, **columns._asdict(), **judged)
        for index, label in enumerate(design.labels):
            low, high = result.value_low[index], result.value_high[index]
            yield block("group_value", label, ci_low=low, ci_high=high)
            if result.ratios is not None:
                own = {name: values[index] for name, values in result.ratios._asdict().items()}
                yield block("impact_ratio", label, p_value=own["p_max"], **own)
                yield block("chosen_ratio", label, ci_low=own["chosen_low"], ci_high=own["chosen_high"])
