"""Has a number changed? Between two audits, and over looks that come one after another.

Whoever looks every week finds, by chance alone, something in one of the weeks. So a plan of looks spends its
5 % evenly: each look after the first has its part, and a number's p-value at a look holds for all looks of
the plan together. Sources: Lan & DeMets (1983), Biometrika 70(3) (spending); Kim & DeMets (1987), Biometrika
74(1) (even spending); Zou & Donner (2008), Statistics in Medicine 27(10) (intervals of differences).
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, Mask, dense, first_rows, row_codes
from ingest.inference.constants import ALPHA, LOOKS_STREAM

NAN = float("nan")
N_PATHS = 20_000  # series without a change, which say what chance gives
N_LEVELS = 160
SIZE_STEP = 100  # looks whose sizes differ by less than a hundredth of the first share their limits
MOST_TOGETHER = 10_000  # series that are scanned at once: as much memory as that takes


class Moved(NamedTuple):
    """Differences with 95 % intervals, and how seldom chance gives as much; NaN where nothing says so."""

    difference: Array
    low: Array
    high: Array
    p_value: Array


def moved(before: ArrayLike, after: ArrayLike) -> Moved:
    """How far numbers moved between two audits, each given as values and ends of their 95 % intervals (3, …).

    An interval is put together of theirs (MOVER): to the side of each end counts how far either estimate is
    from its own end on that side. It takes the audits for independent. Where both asked the same prompts it
    is wider than it need be.
    """
    a, a_low, a_high = np.asarray(before, dtype=np.float64)
    b, b_low, b_high = np.asarray(after, dtype=np.float64)
    difference = b - a
    below = np.hypot(np.maximum(b - b_low, 0), np.maximum(a_high - a, 0))
    above = np.hypot(np.maximum(b_high - b, 0), np.maximum(a - a_low, 0))
    half = np.where(difference > 0, below, above)
    is_known = np.isfinite([difference, below, above]).all(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p_value = 2 * scipy.special.ndtr(-np.abs(difference) / half * _z95())
    p_value = np.where(half > 0, p_value, np.where(difference == 0, 1.0, NAN))
    ends = (np.where(is_known, end, NAN) for end in (difference - below, difference + above, p_value))
    return Moved(difference, *ends)


def _z95() -> float:
    return float(scipy.special.ndtri(1 - ALPHA / 2))


def contrasts(values: Array, sizes: Array, now: int) -> Array:
    """Mean after each split less mean before it, over looks 0 to `now`, in units of its spread (..., now).

    `values` (..., K) are of looks of so many answers, `sizes` of that shape or (K,); one answer has variance
    1. Split i has the looks 0 to i before it.
    """
    n = np.cumsum(sizes, axis=-1)
    sums = np.cumsum(values * sizes, axis=-1)
    n_before, n_after = n[..., :now], n[..., now, None] - n[..., :now]
    apart = (sums[..., now, None] - sums[..., :now]) / n_after - sums[..., :now] / n_before
    return np.asarray(apart / np.sqrt(1 / n_before + 1 / n_after))


def boundaries(paths: Array, spent: ArrayLike) -> Array:
    """Limits (L, K) that series without a change exceed, by each look, with the chance `spent` (L, K).

    `paths` (B, K) are a statistic of such series at each look. `spent` adds up from look to look. A limit is
    set so that of the series which have not exceeded an earlier one, as many exceed it as the look's part
    allows: (1 + those beyond) / (1 + B) is at most what is spent. Infinite where that allows none.
    """
    n_paths, n_looks = paths.shape
    allowed = np.floor(np.asarray(spent) * (n_paths + 1) + 1e-9).astype(np.int64) - 1
    found = np.full(allowed.shape, np.inf)
    order = np.argsort(-paths, axis=0, kind="stable")
    for level, most in enumerate(allowed):
        is_within = np.ones(n_paths, dtype=bool)
        n_out = 0
        for look in range(n_looks):
            if (n_more := int(most[look]) - n_out) <= 0:
                continue
            highest = order[: n_out + n_more + 1, look]  # of these, those that are out are at most n_out
            ordered = highest[is_within[highest]]
            if n_more >= len(ordered):
                found[level, look] = -np.inf
                break
            found[level, look] = paths[ordered[n_more], look]
            beyond = ordered[paths[ordered, look] > found[level, look]]
            is_within[beyond] = False
            n_out += len(beyond)
    return found


@cache
def _limits(sizes: tuple[float, ...], n_looks: int) -> tuple[Array, Array]:
    """Levels (L,), and the limits (L, looks so far) of the highest contrast at each."""
    relative = np.array(sizes)
    # A look more leaves the series of the looks before it as they were.
    streams = [np.random.default_rng([LOOKS_STREAM, look]) for look in range(len(sizes))]
    drawn = np.stack([stream.standard_normal(N_PATHS) for stream in streams], axis=1) / np.sqrt(relative)
    paths = np.full((N_PATHS, len(sizes)), -np.inf)
    for now in range(1, len(sizes)):
        paths[:, now] = np.abs(contrasts(drawn, relative, now)).max(axis=-1)
    levels = np.geomspace(2 * (n_looks - 1) / (N_PATHS + 1), 1, N_LEVELS)
    found = boundaries(paths, levels[:, None] * np.arange(len(sizes)) / (n_looks - 1))
    # What is beyond the limit of one level is beyond those of all higher levels.
    return levels, np.maximum.accumulate(found[::-1], axis=0)[::-1]


class Look(NamedTuple):
    """What series say at each of their looks, (S, K); NaN and 0 at the first one.

    `p_value` holds for all looks of the plan: at most 5 % of series without a change ever have one of 0.05 or
    less. `shift` is the mean after the likeliest split less the mean before it, `changed_at` the first look
    after it, counted from 1; with 95 % probability it is one from `changed_from` to `changed_to`, where each
    look was as likely before and a change is there.
    """

    statistic: Array
    p_value: Array
    shift: Array
    changed_at: Codes
    changed_from: Codes
    changed_to: Codes

    @classmethod
    def unsaid(cls, shape: tuple[int, ...]) -> "Look":
        """Say nothing of any look."""
        return cls(*(np.full(shape, NAN) for _ in range(3)), *(np.zeros(shape, np.int64) for _ in range(3)))


def watched(
    values: ArrayLike, low: ArrayLike, high: ArrayLike, sizes: ArrayLike, units: ArrayLike, n_looks: int
) -> Look:
    """What each look of series says of a change; values with ends of 95 % intervals, answers, units, (S, K).

    `n_looks` are planned. At each look all splits of the looks so far are tried, and the highest contrast
    counts. How far answers spread comes of the intervals of all looks so far: one short interval makes no
    alarm. Few units know that spread badly: a contrast counts as a Student's t of their freedom does, one
    less than the units of each look. A number that has raised an alarm goes on: a later p-value is no higher.
    Raises ValueError where there are more looks than planned, or fewer than two are planned.
    """
    value, lowest, highest, n, n_units = (
        np.array(one, dtype=np.float64, order="C")
        for one in np.broadcast_arrays(values, low, high, sizes, units)
    )
    n_so_far = value.shape[1]
    if n_looks < 2 or n_so_far > n_looks:
        raise ValueError(f"{n_so_far} looks of {n_looks} planned: a plan has two or more, and no look more.")
    found = Look.unsaid(value.shape)
    if n_so_far < 2 or not len(value):
        return found
    freedom = np.cumsum(np.maximum(n_units - 1, 1), axis=-1)
    width = highest - lowest
    one_answer = np.cumsum(n * (width / 2 / _z95()) ** 2, axis=-1) / np.arange(1, n_so_far + 1)
    relative = np.round(n / n[:, :1] * SIZE_STEP) / SIZE_STEP
    alike = row_codes(relative)
    limited = [_limits(tuple(relative[row].tolist()), n_looks) for row in first_rows(alike)]
    p_value: Array = np.ones(len(value))
    for now in range(1, n_so_far):
        contrast = contrasts(value, n, now)
        told = np.flatnonzero((one_answer[:, now] > 0) & np.isfinite(contrast).all(axis=-1))
        z = contrast[told]
        t = -np.abs(z) / np.sqrt(one_answer[told, now, None])
        tail = scipy.special.stdtr(freedom[told, now, None], t)
        z = -np.sign(z) * scipy.special.ndtri(np.maximum(tail, np.finfo(float).tiny))
        statistic = np.abs(z).max(axis=-1)
        limits = np.stack([limits[:, now] for _, limits in limited])
        is_beyond = statistic[:, None] > limits[alike[told]]
        level = np.where(is_beyond.any(axis=-1), limited[0][0][is_beyond.argmax(axis=-1)], 1.0)
        # Whatever so few series can tell, the sum of all splits and looks bounds the chance as well.
        bound = (n_looks - 1) * now * 2 * scipy.special.ndtr(-statistic)
        p_value[told] = np.fmin(np.fmin(p_value[told], bound), level)
        found.p_value[:, now] = p_value
        found.statistic[told, now] = statistic
        for field, placed in zip(found[2:], _placed(value[told], n[told], z, now), strict=True):
            field[told, now] = placed
    return found


class Kept(NamedTuple):
    """Numbers as audits had them, in columns (N,): the rows of a number stand together, by place.

    `series` says which number it is, `answers` of which answers, and `kinds` what is not compared: whether
    labels of people correct it, and between which groups it lies. `readings` (N, 5) are values, both ends,
    answers and units. A plan is scanned as one; whole audits in plans of `n_looks` that share an end.
    """

    series: Codes
    places: Codes
    answers: Codes
    kinds: Codes
    readings: Array
    n_looks: Codes
    is_plan: Mask


class Window(NamedTuple):
    """Looks of numbers that are scanned at once: rows (S, K), and what they say: rows (S,) by look."""

    looks: Codes
    says: list[tuple[Codes, int]]


def scanned(kept: Kept) -> Look:
    """What each audit so far says of a change of its number, (N,), its places in the place of looks.

    The same answers are one look, however often they were audited: as they were read last, where they first
    came. A number that labels correct is another than that which they do not, and so is one between other
    groups: each is compared with its own kind.
    """
    found = Look.unsaid(kept.series.shape)
    kinds = _first_alike(kept.series, kept.kinds)
    looks = _first_alike(kinds, kept.answers)
    # Numbers whose answers came, and came again, in the same order go together: others differ in little else.
    together: dict[tuple[int, int, tuple[int, ...], tuple[int, ...]], list[int]] = {}
    starts = np.flatnonzero(np.diff(kept.series, prepend=-1)).tolist()
    for first, end in pairwise([*starts, len(kept.series)]):
        of_looks, of_kinds = (tuple((of[first:end] - first).tolist()) for of in (looks, kinds))
        n_looks = int(kept.n_looks[first])
        step = end - first if kept.is_plan[first] else max(n_looks - 1, 1)
        together.setdefault((n_looks, step, of_looks, of_kinds), []).append(first)
    windows: dict[tuple[int, int], list[Window]] = {}
    for (n_looks, step, of_looks, of_kinds), firsts in together.items():
        for window in _windows(kept.readings, np.array(firsts), of_looks, of_kinds, step):
            windows.setdefault((n_looks, window.looks.shape[1]), []).append(window)
    value, low, high, n, n_units = kept.readings.T
    for (n_looks, _), alike in windows.items():
        rows = np.concatenate([window.looks for window in alike])
        parts = np.array_split(rows, len(rows) // MOST_TOGETHER + 1)
        told = [
            watched(value[part], low[part], high[part], n[part], n_units[part], n_looks) for part in parts
        ]
        look = Look(*(np.concatenate(fields) for fields in zip(*told, strict=True)))
        places = kept.places[looks[rows]]
        at = [np.take_along_axis(places, np.maximum(of - 1, 0), axis=-1) * (of > 0) for of in look[3:]]
        start = 0
        for window in alike:
            end = start + len(window.looks)
            for audits, last in window.says:
                for field, says in zip(found, (*look[:3], *at), strict=True):
                    field[audits] = says[start:end, last]
            start = end
    return found


def _first_alike(within: Codes, codes: Codes) -> Codes:
    """The first row of those that share both codes with a row, (N,)."""
    alike = dense(within) * (int(codes.max(initial=0)) + 1) + codes
    return first_rows(alike)[dense(alike)]


def _windows(
    readings: Array, firsts: Codes, looks: Sequence[int], kinds: Sequence[int], step: int
) -> Iterator[Window]:
    """Yield what is scanned for numbers whose rows begin at `firsts`, and whose audits are of these looks."""
    read: dict[int, dict[int, int]] = {}
    series: list[tuple[int, ...]] = []
    for audit, (look, kind) in enumerate(zip(looks, kinds, strict=True)):
        of_kind = read.setdefault(kind, {})
        before = of_kind.get(look, audit)
        is_same = np.array_equal(readings[firsts + before], readings[firsts + audit])
        of_kind[look] = before if is_same else audit
        so_far = tuple(of_kind.values())
        series.append(so_far[max(len(so_far) - 2, 0) // step * step :])
    window = Window(np.empty((0, 0), np.int64), [])
    done: tuple[int, ...] = ()
    for audit, own in reversed([*enumerate(series)]):
        if done[: len(own)] != own:  # else a later audit's looks begin with these, and say the same of them
            done = own
            window = Window(firsts[:, None] + np.array(own), [])
            yield window
        window.says.append((firsts + audit, len(own) - 1))


def _placed(value: Array, n: Array, z: Array, now: int) -> tuple[Array, Codes, Codes, Codes]:
    """Shift at the likeliest split, its first look after, and the looks that hold 95 % of the likelihood."""
    sums = np.cumsum(n, axis=-1)
    before, after = sums[:, :now], sums[:, now, None] - sums[:, :now]
    likelihood = z**2 / 2 + np.log(1 / before + 1 / after) / 2
    weight = np.exp(likelihood - likelihood.max(axis=-1, keepdims=True))
    order = np.argsort(-weight, axis=-1, kind="stable")
    share = np.cumsum(np.take_along_axis(weight, order, axis=-1), axis=-1) / weight.sum(
        axis=-1, keepdims=True
    )
    is_kept = np.arange(now) <= (share < 1 - ALPHA).sum(axis=-1, keepdims=True)
    first = np.abs(z).argmax(axis=-1) + 1
    shift = np.empty(len(value))
    for split in np.unique(first):
        rows = first == split
        earlier, later = (
            np.average(value[rows, part], axis=-1, weights=n[rows, part])
            for part in (slice(split), slice(split, now + 1))
        )
        shift[rows] = later - earlier
    lowest = np.where(is_kept, order, now).min(axis=-1, initial=now)
    highest = np.where(is_kept, order, -1).max(axis=-1, initial=-1)
    return shift, first + 1, lowest + 2, highest + 2
