"""How far styles of answers vary over descriptors: the interval over templates, and what shuffling gives.

A style is a number that a scorer gives an answer. Within a template, the population variance of the
descriptors' means is summed over styles; the score is its mean over templates.
Source: Smith et al. (2022), *Full Generation Bias*.
"""

from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, Codes, Mask, dense, divide
from ingest.inference.benchmarks import Score
from ingest.inference.constants import CHUNK_BYTES, CHUNK_DRAWS, MIN_UNITS, PERMUTATION_STREAM
from ingest.inference.drawing import chance, draw, intervals, unit_drawer
from ingest.inference.relabelling import Layer

NONE = Score(*[np.nan] * 7)


class Prompts(NamedTuple):
    """Prompts with their answers, as codes: what descriptors are shuffled among is a `stratum`.

    `template`, `stratum` and `descriptor` are (m,), each stratum in one template; `sums` (m, 1 + styles) has
    how many answers a prompt has, and what each style of them adds up to.
    """

    template: Codes
    stratum: Codes
    descriptor: Codes
    sums: Array

    def where(self, chosen: Mask) -> "Prompts":
        """Return the chosen prompts, their codes from 0 without gaps."""
        codes = [dense(column[chosen]) for column in self[:3]]
        return Prompts(codes[0], codes[1], codes[2], self.sums[chosen])


def resampled_variance(prompts: Prompts, n_permutations: int, n_bootstrap: int, seed: int) -> Score:
    """Return the score of prompts with its 95 % interval and what a model gets that descriptors do not move.

    Only templates in which two descriptors have answers count. The interval redraws them; there is none of
    fewer than ten. The null shuffles descriptors among the prompts of a stratum, each with all its repeats:
    answers to one prompt are alike, whoever it is about. The p-value is one-sided.
    """
    prompts = prompts.where(prompts.sums[:, 0] > 0)
    if not len(prompts.sums):
        return NONE
    n_descriptors = np.bincount(np.unique(np.stack([prompts.template, prompts.descriptor]), axis=1)[0])
    prompts = prompts.where((n_descriptors >= 2)[prompts.template])
    if not len(prompts.sums):
        return NONE
    of_template = _variances(prompts, prompts.descriptor[None])[0]
    value = of_template.mean()
    size = 8 * (len(prompts.sums) + prompts.sums.shape[1] * _n_cells(prompts))
    chunk = max(1, min(CHUNK_DRAWS, CHUNK_BYTES // size))
    shuffle = Layer(prompts.descriptor, prompts.stratum).shuffler([seed, PERMUTATION_STREAM])
    # Where no stratum has two descriptors nothing can be shuffled.
    n_shuffled = n_permutations if _is_mixed(prompts) else 0
    null = draw(lambda b: _variances(prompts, shuffle(b)).mean(1)[None], n_shuffled, chunk, (1,))
    found = chance(null, np.array([value]))
    low, high = _interval(of_template, n_bootstrap, seed)
    ends = (found.p_value, found.null_median, found.null_p05, found.null_p95)
    p_value, median, p05, p95 = (float(column[0]) for column in ends)
    return Score(float(value), low, high, p_value, median, p05, p95)


def _n_cells(prompts: Prompts) -> int:
    return int(prompts.template.max() + 1) * int(prompts.descriptor.max() + 1)


def _is_mixed(prompts: Prompts) -> bool:
    cells = np.unique(np.stack([prompts.stratum, prompts.descriptor]), axis=1)
    return bool((np.bincount(cells[0]) > 1).any())


def _variances(prompts: Prompts, labels: Codes) -> Array:
    """Return the variance of each template, summed over styles, under descriptors (b, m): (b, templates)."""
    n_cells, n_descriptors, b = _n_cells(prompts), int(prompts.descriptor.max()) + 1, len(labels)
    cells = (prompts.template * n_descriptors + labels + np.arange(b)[:, None] * n_cells).ravel()
    n, *totals = (
        np.bincount(cells, np.tile(column, b), b * n_cells).reshape(b, -1, n_descriptors)
        for column in prompts.sums.T
    )
    has = n > 0
    count = has.sum(2)
    found = np.zeros(count.shape)
    for total in totals:
        mean = np.where(has, divide(total, n), 0.0)
        apart = np.where(has, mean - (mean.sum(2) / count)[..., None], 0.0)
        found += (apart**2).sum(2) / count
    return found


def _interval(of_template: Array, n_bootstrap: int, seed: int) -> tuple[float, float]:
    n = len(of_template)
    if n < MIN_UNITS or not n_bootstrap:
        return np.nan, np.nan
    weights = unit_drawer(n, seed)
    draws = draw(lambda b: (weights(b) @ of_template / n)[None], n_bootstrap, CHUNK_DRAWS, (1,))
    low, high = intervals(draws, np.array([of_template.mean()]), n)[0]
    return max(float(low), 0.0), float(high)
