"""Has a number changed? Between two audits, and over looks that come one after another.

Whoever looks every week finds, by chance alone, something in one of the weeks. So a plan of looks spends its
5 % evenly: each look after the first has its part, and a number's p-value at a look holds for all looks of
the plan together. Sources: Lan & DeMets (1983), Biometrika 70(3) (spending); Kim & DeMets (1987), Biometrika
74(1) (even spending); Zou & Donner (2008), Statistics in Medicine 27(10) (intervals of differences).
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array
from ingest.inference.constants import ALPHA, LOOKS_STREAM

NAN = float("nan")
N_PATHS = 20_000  # series without a change, which say what chance gives
N_LEVELS = 160
SIZE_STEP = 100  # looks whose sizes differ by less than a hundredth of the first share their limits


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

    `values` (..., K) are of looks of so many answers, `sizes` (K,); one answer has variance 1. Split i has
    the looks 0 to i before it.
    """
    n = np.cumsum(sizes)
    sums = np.cumsum(values * sizes, axis=-1)
    n_before, n_after = n[:now], n[now] - n[:now]
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
    """What a series says at one look; NaN and 0 at the first one.

    `p_value` holds for all looks of the plan: at most 5 % of series without a change ever have one of 0.05 or
    less. `shift` is the mean after the likeliest split less the mean before it, `changed_at` the first look
    after it, counted from 1; with 95 % probability it is one from `changed_from` to `changed_to`, where each
    look was as likely before and a change is there.
    """

    statistic: float
    p_value: float
    shift: float
    changed_at: int
    changed_from: int
    changed_to: int


NO_LOOK = Look(NAN, NAN, NAN, 0, 0, 0)


def watched(
    values: ArrayLike, low: ArrayLike, high: ArrayLike, sizes: ArrayLike, units: ArrayLike, n_looks: int
) -> list[Look]:
    """What each look so far says of a change; values with ends of 95 % intervals, answers and units, (K,).

    `n_looks` are planned. At each look all splits of the looks so far are tried, and the highest contrast
    counts. How far answers spread comes of the intervals of all looks so far: one short interval makes no
    alarm. Few units know that spread badly: a contrast counts as a Student's t of their freedom does, one
    less than the units of each look. A number that has raised an alarm goes on: a later p-value is no higher.
    Raises ValueError where there are more looks than planned, or fewer than two are planned.
    """
    value = np.asarray(values, dtype=np.float64)
    n = np.asarray(sizes, dtype=np.float64)
    freedom = np.cumsum(np.maximum(np.asarray(units, dtype=np.float64) - 1, 1))
    width = np.asarray(high, dtype=np.float64) - np.asarray(low, dtype=np.float64)
    if n_looks < 2 or len(value) > n_looks:
        raise ValueError(
            f"{len(value)} looks of {n_looks} planned: a plan has two or more, and no look more."
        )
    if len(value) < 2:
        return [NO_LOOK] * len(value)
    one_answer = np.cumsum(n * (width / 2 / _z95()) ** 2) / np.arange(1, len(n) + 1)
    levels, limits = _limits(tuple(np.round(n / n[0] * SIZE_STEP) / SIZE_STEP), n_looks)
    found, p_value = [NO_LOOK], 1.0
    for now in range(1, len(value)):
        variance = one_answer[now]
        z = contrasts(value, n, now)
        if not (variance > 0 and np.isfinite(z).all()):
            found.append(NO_LOOK._replace(p_value=p_value))
            continue
        tail = scipy.special.stdtr(freedom[now], -np.abs(z) / np.sqrt(variance))
        z = -np.sign(z) * scipy.special.ndtri(np.maximum(tail, np.finfo(float).tiny))
        statistic = float(np.abs(z).max())
        beyond = levels[statistic > limits[:, now]]
        # Whatever so few series can tell, the sum of all splits and looks bounds the chance as well.
        bound = (n_looks - 1) * now * 2 * float(scipy.special.ndtr(-statistic))
        p_value = min(p_value, bound, *beyond.tolist())
        found.append(Look(statistic, p_value, *_placed(value, n, z, now)))
    return found


class Kept(NamedTuple):
    """A number as an audit had it: of which answers, and what kind of number it is.

    `kind` tells apart what is not compared: whether labels of people correct it, and between which groups it
    lies.
    """

    audit_key: str
    place: int
    answers: str
    kind: Hashable
    value: float
    low: float
    high: float
    n: float
    n_units: float


def scanned(audits: Sequence[Kept], n_looks: int, is_plan: bool) -> Iterator[tuple[str, Look]]:
    """Yield what each audit so far says of a change of a number, its places in the place of looks.

    The same answers are one look, however often they were audited: as they were read last, where they first
    came. A number that labels correct is another than that which they do not, and so is one between other
    groups: each is compared with its own kind. A plan is scanned as one; whole audits in plans of `n_looks`
    that share an end.
    """
    seen: dict[Hashable, dict[str, Kept]] = {}
    series: list[tuple[Kept, ...]] = []
    for audit in audits:
        of_kind = seen.setdefault(audit.kind, {})
        first = of_kind.get(audit.answers, audit)
        of_kind[audit.answers] = audit._replace(place=first.place)
        found = tuple(of_kind.values())
        step = len(found) if is_plan else max(n_looks - 1, 1)
        series.append(found[max(len(found) - 2, 0) // step * step :])
    done: tuple[Kept, ...] = ()
    told: list[tuple[str, Look]] = []
    for audit, looks in zip(reversed(audits), reversed(series), strict=True):
        own = tuple(look._replace(audit_key="") for look in looks)
        if done[: len(own)] != own:  # else a later audit's looks begin with these, and say the same of them
            done = own
            value, low, high, n, n_units = zip(*(look[4:] for look in own), strict=True)
            says = watched(value, low, high, n, n_units, n_looks)
        look = says[len(own) - 1]
        ends = (own[at - 1].place if at else 0 for at in look[3:])
        told.append((audit.audit_key, Look(*look[:3], *ends)))
    yield from reversed(told)


def _placed(value: Array, n: Array, z: Array, now: int) -> tuple[float, int, int, int]:
    """Shift at the likeliest split, its first look after, and the looks that hold 95 % of the likelihood."""
    before, after = np.cumsum(n)[:now], n[: now + 1].sum() - np.cumsum(n)[:now]
    likelihood = z**2 / 2 + np.log(1 / before + 1 / after) / 2
    weight = np.exp(likelihood - likelihood.max())
    order = np.argsort(-weight, kind="stable")
    n_kept = int(np.searchsorted(np.cumsum(weight[order]) / weight.sum(), 1 - ALPHA)) + 1
    kept = order[:n_kept]
    first = int(np.abs(z).argmax()) + 1
    earlier, later = (
        float(np.average(value[part], weights=n[part])) for part in (slice(first), slice(first, now + 1))
    )
    return later - earlier, first + 1, int(kept.min()) + 2, int(kept.max()) + 2
