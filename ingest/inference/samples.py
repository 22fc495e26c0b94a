"""Statistics of groups of values, thousands of samples at once: what resampling computes again and again.

The marts' numbers come from the SQL of the same name (seed `statistics`); a test compares the two on random
data, so that they stay one definition. A statistic that is to be resampled is one function and one row of
`KERNELS`. What cannot be computed is NaN.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, Mask, bin_of, divide, meets, only_where
from ingest.inference.constants import SHARE_FLOOR
from ingest.inference.rank_correlation import kendall_tau_b

Parameters = Mapping[str, str]

EVERYWHERE = (-np.inf, np.inf)


class Samples:
    """Groups' values (..., M) and the baselines of the same rows (..., M), NaN where there is none.

    `edges` are the ends (low, high) of bins that all groups share. What several statistics need is computed
    once.
    """

    def __init__(
        self, values: Array, baselines: Array | None, edges: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        self.values, self._baselines, self.edges = values, baselines, edges

    @property
    def baselines(self) -> Array:
        """Baselines (..., M). Raises ValueError where there are none at all."""
        if self._baselines is None:
            raise ValueError("these values have no baselines")
        return self._baselines

    @cached_property
    def is_there(self) -> Mask:
        """Which values there are, (..., M)."""
        return np.isfinite(self.values)

    @cached_property
    def n(self) -> Array:
        """Number of values, (...,)."""
        return np.asarray(self.is_there.sum(-1), dtype=np.float64)

    @cached_property
    def lowest(self) -> Array:
        """Smallest value, (...,)."""
        return np.asarray(np.fmin.reduce(self.values, axis=-1))

    @cached_property
    def highest(self) -> Array:
        """Largest value, (...,)."""
        return np.asarray(np.fmax.reduce(self.values, axis=-1))

    @cached_property
    def ordered(self) -> Array:
        """Values in ascending order, the missing last, (..., M)."""
        return np.sort(self.values, axis=-1)

    @cached_property
    def mean(self) -> Array:
        """Arithmetic mean, (...,)."""
        return divide(np.where(self.is_there, self.values, 0).sum(-1), self.n)

    @cached_property
    def deviations(self) -> Array:
        """Values minus their mean, 0 where there is none, (..., M)."""
        return np.where(self.is_there, self.values - self.mean[..., None], 0)

    @cached_property
    def squares(self) -> Array:
        """Sum of squared deviations, (...,); exactly 0 where all values are equal."""
        return np.where(self.lowest < self.highest, self.powers(2), 0)

    def powers(self, exponent: int) -> Array:
        """Sum of deviations to a power of 2, 3 or 4, (...,); products, for pow() takes ten times as long."""
        square = self.deviations * self.deviations
        power = square if exponent == 2 else square * (self.deviations if exponent == 3 else square)
        return np.asarray(power.sum(-1))

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """Values and baselines of the rows that have both, each (..., M), NaN elsewhere."""
        has_both = self.is_there & np.isfinite(self.baselines)
        return only_where(has_both, self.values), only_where(has_both, self.baselines)

    def quantile(self, q: float) -> Array:
        """Quantile, linearly interpolated between order statistics, (...,)."""
        position = np.maximum(self.n - 1, 0) * q
        below = np.floor(position).astype(np.int64)[..., None]
        above = np.minimum(below + 1, np.maximum(self.n - 1, 0).astype(np.int64)[..., None])
        low, high = (np.take_along_axis(self.ordered, index, axis=-1)[..., 0] for index in (below, above))
        return low + (high - low) * (position - below[..., 0])


def _mode(samples: Samples, parameters: Parameters) -> Array:
    """Midpoint of the fullest bin, the lowest of several: the first of the longest runs of sorted bins."""
    width = float(parameters["width"])
    bins = bin_of((samples.ordered - samples.lowest[..., None]) / width)
    place = np.arange(bins.shape[-1])
    begins = np.concatenate([np.ones((*bins.shape[:-1], 1), bool), bins[..., 1:] != bins[..., :-1]], axis=-1)
    run = place - np.maximum.accumulate(np.where(begins, place, 0), axis=-1) + 1
    fullest = np.argmax(np.where(np.isfinite(bins), run, 0), axis=-1)[..., None]
    return samples.lowest + (np.take_along_axis(bins, fullest, axis=-1)[..., 0] + 0.5) * width


def _variance(samples: Samples, parameters: Parameters) -> Array:
    degrees = samples.n - int(parameters["ddof"])
    return divide(samples.squares, np.maximum(degrees, 0))


def _skewness(samples: Samples, parameters: Parameters) -> Array:
    n, second = samples.n, divide(samples.squares, samples.n)
    g1 = divide(divide(samples.powers(3), n), second**1.5)
    g1 = only_where(n >= 3, g1)
    if parameters["estimator"] == "moment":
        return g1
    return g1 * np.sqrt(n * np.maximum(n - 1, 0)) / only_where(n > 2, n - 2)


def _kurtosis(samples: Samples, parameters: Parameters) -> Array:
    n, second = samples.n, divide(samples.squares, samples.n)
    g2 = divide(divide(samples.powers(4), n), second**2) - 3
    g2 = only_where(n >= 4, g2)
    if parameters["estimator"] == "moment":
        return g2
    return divide((n - 1) * ((n + 1) * g2 + 6), (n - 2) * (n - 3))


def _between(whole: int, samples: Samples, parameters: Parameters) -> Array:
    low, high = (samples.quantile(float(parameters[end]) / whole) for end in ("low", "high"))
    return high - low


def _correlation(x: Array, y: Array) -> Array:
    """Pearson's correlation of rows that have both, (...,); NaN with fewer than three or without variance."""
    n = np.isfinite(x).sum(-1)
    parts = []
    for values in (x, y):
        total = np.where(np.isfinite(values), values, 0).sum(-1)
        centred = np.where(np.isfinite(values), values - divide(total, n)[..., None], 0)
        varies = np.fmin.reduce(values, axis=-1) < np.fmax.reduce(values, axis=-1)
        parts.append((centred, np.where(varies, (centred**2).sum(-1), 0)))
    (a, squares_a), (b, squares_b) = parts
    found = divide((a * b).sum(-1), np.sqrt(squares_a * squares_b))
    return only_where(n >= 3, np.clip(found, -1, 1))


def _average_ranks(values: Array) -> Array:
    """Ranks from 1 of each row (..., M), equal values sharing the average of theirs; NaN stays NaN."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.arange(values.shape[-1])
    edge = np.ones((*values.shape[:-1], 1), bool)
    changes = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(np.concatenate([edge, changes], -1), place, 0), axis=-1)
    ends = np.where(np.concatenate([changes, edge], -1), place, values.shape[-1])
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return only_where(np.isfinite(values), ranks)


def _kendall(samples: Samples, parameters: Parameters) -> Array:
    x, y = samples.pairs
    has_both = np.isfinite(x)
    n = has_both.sum(-1)
    starts = np.concatenate([[0], np.cumsum(n.ravel())[:-1]])
    return kendall_tau_b(x[has_both], y[has_both], starts).reshape(n.shape)


def _precision(samples: Samples, parameters: Parameters) -> Array:
    x, y = samples.pairs
    is_near = meets(np.abs(x - y), "<=", float(parameters["tolerance"]))
    return divide(is_near.sum(-1).astype(np.float64), np.isfinite(x).sum(-1))


def histogram(values: Array, low: Array, high: Array, bins: int) -> Array:
    """Values in each of `bins` equal bins from low to high (...,), (..., bins); the last bin is closed."""
    width = only_where(low < high, high - low)[..., None]
    share = np.where(np.isfinite(width), (values - low[..., None]) / width, 0.5)
    code = np.clip(bin_of(share * bins), 0, bins - 1)
    code = np.where(np.isfinite(values), code, -1)
    return np.stack([(code == index).sum(-1) for index in range(bins)], axis=-1).astype(np.float64)


def _kl_divergence(samples: Samples, parameters: Parameters) -> Array:
    bins = int(parameters["bins"])
    counts = []
    for values in (samples.values, samples.baselines):
        if parameters["edges"] == "shared":
            ends = [np.full(values.shape[:-1], end) for end in samples.edges]
        else:
            ends = [reduce(values, axis=-1) for reduce in (np.fmin.reduce, np.fmax.reduce)]
        counts.append(histogram(values, ends[0], ends[1], bins))
    n_both = [side.sum(-1, keepdims=True) for side in counts]
    if parameters["zeros"] == "add_half":
        p, q = ((side + 0.5) / (n + 0.5 * bins) for side, n in zip(counts, n_both, strict=True))
    else:
        p, q = (np.maximum(divide(side, n), SHARE_FLOOR) for side, n in zip(counts, n_both, strict=True))
    divergence = (p * np.log(p / q)).sum(-1)
    return np.where((n_both[0] > 0).all(-1) & (n_both[1] > 0).all(-1), divergence, np.nan)


class Kernel(NamedTuple):
    """How a statistic is computed of samples, and between which values its interval stays."""

    function: Callable[[Samples, Parameters], Array]
    bounds: tuple[float, float] = EVERYWHERE


_POSITIVE, _CORRELATION = (0.0, np.inf), (-1.0, 1.0)
KERNELS: dict[str, Kernel] = {
    "mean": Kernel(lambda samples, _: samples.mean),
    "median": Kernel(lambda samples, _: samples.quantile(0.5)),
    "mode": Kernel(_mode),
    "variance": Kernel(_variance, _POSITIVE),
    "standard_deviation": Kernel(lambda *given: np.sqrt(_variance(*given)), _POSITIVE),
    "skewness": Kernel(_skewness),
    "kurtosis": Kernel(_kurtosis),
    "range": Kernel(lambda samples, _: samples.highest - samples.lowest, _POSITIVE),
    "quantile_range": Kernel(lambda *given: _between(1, *given), _POSITIVE),
    "percentile_range": Kernel(lambda *given: _between(100, *given), _POSITIVE),
    "pearson": Kernel(lambda samples, _: _correlation(*samples.pairs), _CORRELATION),
    "spearman": Kernel(lambda samples, _: _correlation(*map(_average_ranks, samples.pairs)), _CORRELATION),
    "kendall": Kernel(_kendall, _CORRELATION),
    "precision": Kernel(_precision, (0.0, 1.0)),
    "kl_divergence": Kernel(_kl_divergence),
}


class Column(NamedTuple):
    """One statistic with its parameters, as the seed `statistics` declares it."""

    statistic: str
    parameters: Parameters

    @property
    def kernel(self) -> Kernel:
        """What computes it. Raises KeyError, naming the file to add to, where nothing does."""
        if self.statistic not in KERNELS:
            raise KeyError(f"ingest/inference/samples.py: add {self.statistic} to KERNELS")
        return KERNELS[self.statistic]

    def of(self, samples: Samples) -> Array:
        """The statistic of each sample, (...,). Raises KeyError for one without a kernel."""
        return self.kernel.function(samples, self.parameters)

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which values an interval's ends stay."""
        return self.kernel.bounds


def parse_parameters(text: str | None) -> dict[str, str]:
    """Return the parameters of a seed's row as a mapping.

    >>> parse_parameters("low=0.25;high=0.75")
    {'low': '0.25', 'high': '0.75'}
    """
    return dict(part.split("=", 1) for part in (text or "").split(";") if part)
