"""Grain: one row per suite, category, config_key, axis, group_a, group_b, metric, feature: chance alone."""

from itertools import chain, groupby
from operator import itemgetter

import numpy as np

from ingest.inference.arrays import divide, only_where
from ingest.inference.drawing import intervals
from ingest.inference.kept import Kept
from ingest.inference.named_pairs import NamedPairs, NamedSamples, Names, fewest_names, pair_weights
from ingest.inference.pairs import (
    Samples,
    chance,
    draw_roots,
    highest_spreads,
    relabelled_similarities,
    spreads_by_chance,
    swaps,
    weighted_means,
)
from ingest.inference.tables import numbers, parts, row_by, rows_by, seed_of, types, where

SCHEMA = types(
    "suite string, category string, config_key string, axis string, group_a string, group_b string,"
    " metric string, feature string, value double, contrast double, ci_low double, ci_high double,"
    " contrast_low double, contrast_high double, p_value double, null_median double, null_p05 double,"
    " null_p95 double, snsr_high double, snsv_high double,"
    " snsr_null_p95 double, snsv_null_p95 double, snsr_null_median double, snsr_p_value double,"
    " snsr_tail double, snsr_null_tails list<float>,"
    " resampling_unit string, n_names int64"
)
CODES = (
    "measure_id", "is_branch", "code_a", "code_b", "root_code", "repeat_a", "repeat_b", "block_a", "block_b"
)  # fmt: skip
VALUES = ("value", "value_a", "value_b")
MOST_ROWS = 500_000
NAMED = ("value_a", "value_b", "block_a", "block_b")


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    metrics = rows_by(
        dbt.ref("pair_metrics").order("metric_id"), "measured_as, metric, metric_kind, threshold, tail"
    )
    coded = dbt.ref("int_pairs_coded")
    references = row_by(
        dbt.ref("int_reference_groups_listed").filter("reference_kind = 'group'"),
        "suite, axis, group_value",
        n_keys=2,
    )
    measures = row_by(
        coded.project("measure_id, measured_as, feature").distinct(), "measure_id, measured_as, feature"
    )
    a, b = (coded.project(f"group_set_key, code_{side} as code, group_{side} as named") for side in "ab")
    groups = rows_by(a.union(b).distinct(), "group_set_key, code, named")
    of_comparison = "group_set_key, suite, category, config_key, axis"
    comparisons = coded.aggregate(f"{of_comparison}, count(*)", of_comparison).order("group_set_key")
    kept = Kept(dbt, session, SCHEMA)
    for (comparison, *identity), found in _with_pairs(comparisons.fetchall(), coded):
        _, n_permutations, n_bootstrap = settings[identity[0]]
        if not (n_permutations or n_bootstrap):
            continue
        (reference,) = references.get((identity[0], identity[-1]), (None,))
        # Numbers of measures depend on what else was measured.
        numbered, found["measure_id"] = np.unique(found["measure_id"], return_inverse=True)
        # So do those of blocks.
        sides = np.unique(np.stack([found["block_a"], found["block_b"]]), return_inverse=True)[1]
        found["block_a"], found["block_b"] = sides.reshape(2, -1)
        own_measures = [measures[one] for one in numbered.tolist()]
        declared = {name: metrics[name] for name, _ in own_measures}
        own_groups = dict(groups[comparison])
        kept.add(
            _resampled, identity, settings[identity[0]], own_groups, reference, own_measures, declared, found
        )
    return kept.relation()


def _with_pairs(comparisons, coded):
    """Yield each comparison with its pairs, of which MOST_ROWS are in memory, or those of one comparison."""
    n_before = np.cumsum([0, *(one[-1] for one in comparisons)])[:-1] // MOST_ROWS
    for _, numbered in groupby(zip(n_before.tolist(), comparisons, strict=True), itemgetter(0)):
        some = [one for _, one in numbered]
        keys = [one[0] for one in some]
        rows = (
            coded.filter(f"group_set_key between {keys[0]} and {keys[-1]}")
            .order("group_set_key, measure_id, is_branch, code_a, code_b, response_key_a, response_key_b")
            .project(", ".join(("group_set_key", *CODES, *VALUES)))
            .fetchnumpy()
        )
        for one, pairs in zip(some, parts(rows, "group_set_key", keys), strict=True):
            del pairs["group_set_key"]  # depends on what else was compared
            yield one[:-1], pairs


def _resampled(identity, settings, groups, reference, measures, metrics, rows):
    """Yield the rows of one comparison; settings are seed, permutations, bootstrap draws."""
    seed, n_permutations, n_bootstrap = settings
    chosen = {code for code, group in groups.items() if group == reference}
    one = _Comparison(rows, chosen, seed_of(seed, "pairs", *identity), n_permutations, n_bootstrap)
    shared = dict(zip(("suite", "category", "config_key", "axis"), identity, strict=True))
    for a, b, row in one.results(measures, metrics):
        yield {**shared, **row, "group_a": groups[a], "group_b": groups[b]}


class _Comparison:
    """The pairs of one axis under one config; `chosen` holds the code of the reference group, if any."""

    def __init__(self, rows, chosen, seed, n_permutations, n_bootstrap):
        self.rows = {name: np.ma.filled(np.ma.asarray(rows[name])) for name in CODES}
        self.rows |= {name: numbers(rows[name]) for name in VALUES}
        self.n_roots = int(self.rows["root_code"].max()) + 1
        self.n_groups = int(max(self.rows["code_a"].max(), self.rows["code_b"].max())) + 1
        self.n_permutations = n_permutations
        self.chosen = list(chosen)
        self.seed = seed
        self.weights = draw_roots(self.n_roots, n_bootstrap, np.random.default_rng([self.seed, 1]))
        # One root gives no relabelling that says anything.
        n_swaps = n_permutations if self.n_roots > 1 else 0
        self.swaps = swaps(self.n_roots, n_swaps, np.random.default_rng([self.seed, 2]))
        self.everything = np.ones((1, self.n_roots))
        member = [
            np.concatenate([self.rows[f"{name}_{side}"] for side in "ab"]) for name in ("code", "block")
        ]
        self.names = Names(*member, np.tile(self.rows["root_code"], 2), n_bootstrap, self.seed)

    def results(self, measures, metrics):
        """Yield code_a, code_b and the other columns of SCHEMA."""
        similar = []
        distant = []
        for measure, (measured_as, feature) in enumerate(measures):
            rows = where(self.rows, self.rows["measure_id"] == measure)
            kind = metrics[measured_as][0][1]
            one = rows, feature, metrics[measured_as]
            if kind == "similarity":
                similar.append(one)
            else:
                distant.append((*one, measured_as == "preference"))
        found = [self._similarities(similar)] if similar else []
        found += [self._distances(*one) for one in distant]
        for a, b, row in chain.from_iterable(found):
            yield a, b, {**row, "resampling_unit": "block" if self.names.move(a, b) else "root"}

    def _interval(self, draws, observed, named=None, n_names=0):
        """Ends by roots; where names move, by names, and no nearer to each other than by roots."""
        if not n_names:
            return intervals(draws, observed, self.n_roots)
        others = [draws] if draws.shape[1] else []
        return intervals(named, observed, n_names, others)

    def _sums(self, rows):
        """Sums and numbers of pairs: of branches (roots, groups, groups), of repeats (roots, groups)."""
        branch = rows["is_branch"].astype(bool)
        shape = (self.n_roots, self.n_groups, self.n_groups)
        place = np.ravel_multi_index((rows["root_code"], rows["code_a"], rows["code_b"]), shape)
        parts = []
        for chosen in (branch, ~branch):
            for weights in (rows["value"][chosen], None):
                part = np.bincount(place[chosen], weights=weights, minlength=np.prod(shape))
                parts.append(part.reshape(shape).astype(np.float64))
        sums, counts, floor_sums, floor_counts = parts
        diagonal = np.arange(self.n_groups)
        return sums, counts, floor_sums[:, diagonal, diagonal], floor_counts[:, diagonal, diagonal]

    def _similarities(self, similar):
        tables = [self._sums(rows) for rows, _, _ in similar]
        for (rows, feature, declared), table, draws in zip(
            similar, tables, self._relabelled(tables), strict=True
        ):
            sums, counts, floor_sums, floor_counts = table
            a, b = np.nonzero(counts.sum(0))
            own = (sums[:, a, b], counts[:, a, b])
            floor = (floor_sums[:, a] + floor_sums[:, b], floor_counts[:, a] + floor_counts[:, b])
            observed = weighted_means(self.everything, *own)[0]
            contrast = observed - weighted_means(self.everything, *floor)[0]
            values = weighted_means(self.weights, *own)
            differences = values - weighted_means(self.weights, *floor)
            ((metric, _, _, tail),) = declared
            drawn = np.stack([values.T, differences.T], axis=1)
            by_names = {
                i: self._named_means(rows, *pair)
                for i, pair in enumerate(zip(a.tolist(), b.tolist(), strict=True))
                if self.names.move(*pair)
            }
            ends = self._interval(values.T, observed), self._interval(differences.T, contrast)
            for i, (n_names, named) in by_names.items():
                both = np.array([observed[i], contrast[i]])
                ends[0][i], ends[1][i] = self._interval(drawn[i], both, named, n_names)
            columns = _columns(observed, contrast, *ends, chance(draws, observed, tail))
            null_tails = {}
            if metric.startswith("recommendation_"):
                is_neutral = np.isin(a, self.chosen) | np.isin(b, self.chosen)
                of_spreads, null_tails = self._spreads(values.T, draws, observed, is_neutral, by_names)
                columns |= of_spreads
            for i, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
                found = {name: float(column[i]) for name, column in columns.items()}
                found["snsr_null_tails"] = null_tails.get(i)
                n_names = by_names[i][0] if i in by_names else None
                yield one, other, {"metric": metric, "feature": feature, "n_names": n_names, **found}

    def _named_means(self, rows, a, b):
        """How many names the smaller group has, and its draws of names: value and contrast, (2, draws)."""
        branch = rows["is_branch"].astype(bool)
        own = where(rows, branch & (rows["code_a"] == a) & (rows["code_b"] == b))
        n_names = fewest_names(own["block_a"], own["block_b"])
        weights = self.names.weights_of(n_names)
        columns = own["value"], np.ones(len(own["value"]))
        value = divide(*pair_weights(weights, own["block_a"], own["block_b"], columns))
        floor = where(rows, ~branch & np.isin(rows["code_a"], [a, b]))
        sums, counts = (np.bincount(floor["block_a"], w, self.names.n) for w in (floor["value"], None))
        return n_names, np.stack([value, value - divide(weights @ sums, weights @ counts)])

    def _spreads(self, draws, relabelled, observed, is_neutral, by_names):
        """How far the pairs of each comparison could lie apart, and do by chance, as columns of SCHEMA.

        And the tails of all relabellings, by the place of each comparison's first pair.
        """
        found = np.full((7, len(observed)), np.nan)
        null_tails = {}
        for own in (is_neutral, ~is_neutral):
            places = np.flatnonzero(own)

            def highest(drawn, n_units, own=own):
                generator = np.random.default_rng([self.seed, 4])
                return highest_spreads(drawn, observed[own], n_units, generator)

            high = highest(draws[own], self.n_roots)
            named = {i: by_names[i] for i in places.tolist() if i in by_names}
            if named:
                rows = [named[i][1][0] if i in named else draws[i] for i in places.tolist()]
                n_draws = min(len(row) for row in rows)
                by_name = highest(
                    np.stack([row[:n_draws] for row in rows]), min(n for n, _ in named.values())
                )
                high = only_where(np.isfinite(by_name), np.fmax(high, by_name))
            by_chance = spreads_by_chance(relabelled[own], observed[own])
            judged = by_chance.judged
            columns = *high, *judged.null_p95, judged.null_median[0], judged.p_value[0], by_chance.tail
            found[:, own] = np.array(columns)[:, None]
            if by_chance.null_tails is not None:
                null_tails[int(places[0])] = by_chance.null_tails.astype(np.float32)
        names = (
            "snsr_high", "snsv_high", "snsr_null_p95", "snsv_null_p95", "snsr_null_median", "snsr_p_value",
            "snsr_tail",
        )  # fmt: skip
        return dict(zip(names, found, strict=True)), null_tails

    def _relabelled(self, tables):
        """Yield of each measure (pairs, draws): nothing where there are two groups, or not all pairs."""
        pairs = [np.argwhere(counts.sum(0)) for _, counts, *_ in tables]
        all_pairs = self.n_groups * (self.n_groups - 1) // 2
        is_possible = self.n_groups > 2 and self.swaps.shape[0] and all(len(p) == all_pairs for p in pairs)
        # Names of two groups were compared with each other, those of one group were not.
        is_possible = is_possible and not any(self.names.move(*pair) for pair in pairs[0].tolist())
        if not is_possible:
            return (np.zeros((len(p), 0)) for p in pairs)
        sums, counts = (np.stack([t[i] + t[i].transpose(0, 2, 1) for t in tables]) for i in (0, 1))
        generator = np.random.default_rng([self.seed, 3])
        return relabelled_similarities(sums, counts, pairs[0], self.n_permutations, generator)

    def _distances(self, rows, feature, declared, is_of_pairs):
        branch = rows["is_branch"].astype(bool)
        own, repeats = where(rows, branch), where(rows, ~branch)
        pairs, member = np.unique(np.stack([own["code_a"], own["code_b"]]), axis=1, return_inverse=True)
        by_group = {
            group: where(repeats, repeats["code_a"] == group)
            for group in np.unique(repeats["code_a"]).tolist()
        }
        floors = {group: list(self._by_repeat(floor, self._samples)) for group, floor in by_group.items()}
        named = self._named_pairs if is_of_pairs else self._named_samples
        # Each pair's rows in one piece: a mask over all rows for each pair grows with the square of pairs.
        order = np.argsort(member.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(member.ravel(), minlength=pairs.shape[1]))
        for i, (a, b) in enumerate(pairs.T.tolist()):
            chosen = where(own, order[ends[i - 1] if i else 0 : ends[i]])
            floor = [*floors.get(a, []), *floors.get(b, [])]
            samples = self._samples(chosen), list(self._by_repeat(chosen, self._samples)), floor
            n_names, by_names = None, None
            if self.names.move(a, b):
                n_names = fewest_names(chosen["block_a"], chosen["block_b"])
                floor = [one for g in (a, b) if g in by_group for one in self._by_repeat(by_group[g], named)]
                by_names = named(chosen), list(self._by_repeat(chosen, named)), floor
            for metric, _, threshold, tail in declared:
                columns = self._distance(samples, by_names, (a, b, n_names), threshold, tail)
                found = {name: float(column[0]) for name, column in columns.items()}
                yield a, b, {"metric": metric, "feature": feature, "n_names": n_names, **found}

    def _samples(self, rows):
        return Samples(rows["value_a"], rows["value_b"], rows["root_code"], self.n_roots)

    def _named_samples(self, rows):
        return NamedSamples(*(rows[name] for name in NAMED), self.names.n)

    def _named_pairs(self, rows):
        return NamedPairs(*(rows[name] for name in NAMED), self.names.n)

    def _by_repeat(self, rows, made):
        """Yield the samples of each pair of repeats."""
        repeats = np.stack([rows["repeat_a"], rows["repeat_b"]])
        for repeat in np.unique(repeats, axis=1).T:
            yield made(where(rows, (repeats == repeat[:, None]).all(0)))

    def _distance(self, samples, by_names, pair, threshold, tail):
        *groups, n_names = pair
        observed = _value_and_contrast(samples, (self.everything,), threshold)
        draws = _value_and_contrast(samples, (self.weights,), threshold)
        if n_names:
            weights = self.names.weights_of(n_names)
            named = _value_and_contrast(by_names, (weights, -weights), threshold)
            ends = self._interval(draws, observed[:, 0], named, n_names)
            null = by_names[0].relabelled(self.names.relabelled(*groups, self.n_permutations), threshold)
        else:
            ends = self._interval(draws, observed[:, 0])
            null = _of(samples[0], (self.swaps,), threshold)
        (value, contrast), (interval, contrast_interval) = observed, ends[:, None]
        if threshold is None:
            interval = np.maximum(interval, 0)
        return _columns(value, contrast, interval, contrast_interval, chance(null[None], value, tail))


def _of(samples, weights, threshold):
    if threshold is None:
        return samples.distances(*weights)
    return samples.differences(*weights, threshold)


def _value_and_contrast(samples, weights, threshold):
    """What a distance and its contrast are under each row of weights, (2, draws)."""
    whole, matched, floor = samples

    def mean(parts):
        # An absent floor is not a floor of nothing.
        if not parts:
            return np.full(len(weights[0]), np.nan)
        return np.mean([np.abs(_of(part, weights, threshold)) for part in parts], axis=0)

    return np.stack([_of(whole, weights, threshold), mean(matched) - mean(floor)])


def _columns(value, contrast, interval, contrast_interval, judged):
    """Columns of SCHEMA by name, (columns,) each."""
    found = {"value": value, "contrast": contrast, **judged._asdict()}
    found["ci_low"], found["ci_high"] = interval.T
    found["contrast_low"], found["contrast_high"] = contrast_interval.T
    return found
