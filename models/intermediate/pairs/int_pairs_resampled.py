"""Grain: one row per suite, category, config_key, axis, group_a, group_b, metric, feature: chance alone."""

import numpy as np
import pyarrow as pa

from ingest.inference.pairs import (
    Samples,
    chance,
    draw_roots,
    relabelled_similarities,
    swaps,
    weighted_means,
)
from ingest.inference.resampling import shifted_intervals
from ingest.keys import key

NAMES = ("suite", "category", "config_key", "axis", "group_a", "group_b", "metric", "feature")
NUMBERS = (
    "value",
    "contrast",
    "ci_low",
    "ci_high",
    "contrast_low",
    "contrast_high",
    "p_value",
    "null_median",
    "null_p05",
    "null_p95",
)
SCHEMA = pa.schema([(name, pa.string()) for name in NAMES] + [(name, pa.float64()) for name in NUMBERS])
CODES = ("measure_id", "is_branch", "code_a", "code_b", "root_code", "repeat_a", "repeat_b")
VALUES = ("value", "value_a", "value_b")


def model(dbt, session):
    dbt.config(materialized="table")
    settings = {
        row[0]: row[1:]
        for row in dbt.ref("stg_suite__suites").project("suite, seed, n_permutations, n_bootstrap").fetchall()
    }
    metrics = {}
    for metric, kind, measured_as, threshold, tail in (
        dbt.ref("pair_metrics")
        .order("metric_id")
        .project("metric, metric_kind, measured_as, threshold, tail")
    ).fetchall():
        metrics.setdefault(measured_as, []).append((metric, kind, threshold, tail))
    coded = dbt.ref("int_pairs_coded")
    measures = dict(
        (measure, (measured_as, feature))
        for measure, measured_as, feature in coded.project("measure_id, measured_as, feature")
        .distinct()
        .fetchall()
    )
    comparisons = (
        coded.project("comparison_id, suite, category, config_key, axis")
        .distinct()
        .order("comparison_id")
        .fetchall()
    )
    parts = []
    for comparison, *identity in comparisons:
        seed, n_permutations, n_bootstrap = settings[identity[0]]
        if not (n_permutations or n_bootstrap):
            continue
        rows = coded.filter(f"comparison_id = {comparison}")
        groups = {
            code: group
            for side in "ab"
            for code, group in rows.project(f"code_{side}, group_{side}").distinct().fetchall()
        }
        found = (
            rows.order("measure_id, is_branch, code_a, code_b, response_key_a, response_key_b")
            .project(", ".join((*CODES, *VALUES)))
            .fetchnumpy()
        )
        one = _Comparison(found, key(seed, "pairs", *identity), n_permutations, n_bootstrap)
        parts += [
            (*identity, groups[a], groups[b], metric, feature, *numbers)
            for a, b, metric, feature, numbers in one.results(measures, metrics)
        ]
    columns = list(zip(*parts, strict=True)) or [[] for _ in SCHEMA]
    arrays = [pa.array(c, f.type, from_pandas=True) for c, f in zip(columns, SCHEMA, strict=True)]
    return session.from_arrow(pa.Table.from_arrays(arrays, schema=SCHEMA))


class _Comparison:
    """The pairs of one axis under one config."""

    def __init__(self, rows, seed, n_permutations, n_bootstrap):
        self.rows = {name: np.ma.filled(np.ma.asarray(rows[name])) for name in CODES}
        for name in VALUES:
            self.rows[name] = np.ma.filled(np.ma.asarray(rows[name], dtype=np.float64), np.nan)
        self.n_roots = int(self.rows["root_code"].max()) + 1
        self.n_groups = int(max(self.rows["code_a"].max(), self.rows["code_b"].max())) + 1
        self.n_permutations = n_permutations
        self.seed = int(seed[:15], 16)
        self.weights = draw_roots(self.n_roots, n_bootstrap, np.random.default_rng([self.seed, 1]))
        # One root gives no relabelling that says anything.
        n_swaps = n_permutations if self.n_roots > 1 else 0
        self.swaps = swaps(self.n_roots, n_swaps, np.random.default_rng([self.seed, 2]))

    def results(self, measures, metrics):
        """Yield code_a, code_b, metric, feature and the numbers of SCHEMA."""
        by_measure = {}
        for measure, (measured_as, feature) in sorted(measures.items()):
            rows = self._where(self.rows, self.rows["measure_id"] == measure)
            if len(rows["value"]):
                by_measure[measure] = rows, feature, metrics[measured_as]
        similar = [part for part in by_measure.values() if part[2][0][1] == "similarity"]
        if similar:
            yield from self._similarities(similar)
        for rows, feature, declared in by_measure.values():
            if declared[0][1] == "distance":
                yield from self._distances(rows, feature, declared)

    @staticmethod
    def _where(rows, chosen):
        return {name: column[chosen] for name, column in rows.items()}

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
        for (_, feature, declared), table, draws in zip(
            similar, tables, self._relabelled(tables), strict=True
        ):
            sums, counts, floor_sums, floor_counts = table
            a, b = np.nonzero(counts.sum(0))
            own = (sums[:, a, b], counts[:, a, b])
            floor = (floor_sums[:, a] + floor_sums[:, b], floor_counts[:, a] + floor_counts[:, b])
            everything = np.ones((1, self.n_roots))
            observed = weighted_means(everything, *own)[0]
            contrast = observed - weighted_means(everything, *floor)[0]
            values = weighted_means(self.weights, *own)
            interval = shifted_intervals(values.T, observed, self.n_roots)
            differences = values - weighted_means(self.weights, *floor)
            apart = shifted_intervals(differences.T, contrast, self.n_roots)
            ((metric, _, _, tail),) = declared
            judged = chance(observed, draws, tail)
            for i, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
                yield (
                    one,
                    other,
                    metric,
                    feature,
                    (observed[i], contrast[i], *interval[i], *apart[i], *(part[i] for part in judged)),
                )

    def _relabelled(self, tables):
        """Yield of each measure (draws, pairs): nothing where there are two groups, or not all pairs."""
        symmetric = []
        for sums, counts, *_ in tables:
            symmetric.append((sums + sums.transpose(0, 2, 1), counts + counts.transpose(0, 2, 1)))
        pairs = [np.argwhere(counts.sum(0)) for _, counts, *_ in tables]
        all_pairs = self.n_groups * (self.n_groups - 1) // 2
        is_possible = self.n_groups > 2 and self.swaps.shape[0] and all(len(p) == all_pairs for p in pairs)
        if not is_possible:
            yield from (np.zeros((0, len(p))) for p in pairs)
            return
        draws = relabelled_similarities(
            np.stack([sums for sums, _ in symmetric]),
            np.stack([counts for _, counts in symmetric]),
            pairs[0],
            self.n_permutations,
            np.random.default_rng([self.seed, 3]),
        )
        yield from draws

    def _distances(self, rows, feature, declared):
        branch = rows["is_branch"].astype(bool)
        pairs, member = np.unique(
            np.stack([rows["code_a"][branch], rows["code_b"][branch]]), axis=1, return_inverse=True
        )
        own = self._where(rows, branch)
        repeats = self._where(rows, ~branch)
        floors = {
            group: list(self._by_repeat(self._where(repeats, repeats["code_a"] == group)))
            for group in np.unique(repeats["code_a"]).tolist()
        }
        for i, (a, b) in enumerate(pairs.T.tolist()):
            chosen = self._where(own, member == i)
            whole = self._samples(chosen)
            matched = list(self._by_repeat(chosen))
            floor = [*floors.get(a, []), *floors.get(b, [])]
            for metric, _, threshold, tail in declared:
                yield a, b, metric, feature, self._distance(whole, matched, floor, threshold, tail)

    def _samples(self, rows):
        return Samples(rows["value_a"], rows["value_b"], rows["root_code"], self.n_roots)

    def _by_repeat(self, rows):
        """Yield the samples of each pair of repeats."""
        repeats = np.stack([rows["repeat_a"], rows["repeat_b"]])
        for repeat in np.unique(repeats, axis=1).T:
            yield self._samples(self._where(rows, (repeats == repeat[:, None]).all(0)))

    def _distance(self, whole, matched, floor, threshold, tail):
        def of(samples, weights):
            if threshold is None:
                return samples.distances(weights)
            return samples.differences(weights, threshold)

        def mean(parts, weights):
            # An absent floor is not a floor of nothing.
            if not parts:
                return np.full(len(weights), np.nan)
            return np.mean([np.abs(of(samples, weights)) for samples in parts], axis=0)

        everything = np.ones((1, self.n_roots))
        observed = of(whole, everything)
        interval = shifted_intervals(of(whole, self.weights)[None], observed, self.n_roots)[0]
        if threshold is None:
            interval = np.maximum(interval, 0)
        contrast = mean(matched, everything) - mean(floor, everything)
        draws = mean(matched, self.weights) - mean(floor, self.weights)
        apart = shifted_intervals(draws[None], contrast, self.n_roots)[0]
        judged = chance(observed, of(whole, self.swaps)[:, None], tail)
        return (observed[0], contrast[0], *interval, *apart, *(part[0] for part in judged))
