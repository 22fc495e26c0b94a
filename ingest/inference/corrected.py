"""Answers as a rule or a scorer reads them, corrected by those that people have read.

Each answer gets a pseudo-value: what a person would say of it, as far as the reading tells, plus, where a
person has looked, the weighted difference to what that person said. Their means are unbiased whatever the
reading is worth, and vary less than means of labels alone the better it is: prediction-powered inference.
The prediction is tuned by the labels of other units ("cross-fitted"), so that no label predicts itself. Sums
of pseudo-values take the place of counts (`ingest.inference.sums`); redrawing units then holds both sources
of noise, that of the answers and that of the labels.

Sources: Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453; Zrnic & Candès (2024),
Cross-prediction-powered inference, PNAS 121(15); Särndal, Swensson & Wretman (1992), Model Assisted Survey
Sampling, ch. 6-7.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build

from ingest.inference.arrays import Array, Codes, Mask, divide
from ingest.inference.constants import ALPHA
from ingest.inference.design import Design, canonical, resampling_unit
from ingest.inference.drawing import Units
from ingest.inference.label_doubt import Doubt
from ingest.inference.sums import group_table

N_FOLDS = 10
# A group with as many labels of a reading is believed as much as all groups together.
SHRINKAGE = 10.0
NONE, UNTOLD = -2, -1  # none of the labels fits; nobody can tell: the last columns


class Labels(NamedTuple):
    """What people say of answers, (n,): `is_there`, `code` or `value`, and `weight`, 1 / probability of being
    drawn. `code` is an outcome from 0, NONE or UNTOLD."""

    is_there: Mask
    code: Codes
    value: Array
    weight: Array


def folds(design: Design) -> Codes:
    """Fold of each response, (n,): whole units by turns, so that a unit's labels predict no answer of it."""
    units = design.units(resampling_unit(design))
    return np.unique(units, return_inverse=True)[1] % N_FOLDS


def corrected_outcomes(group: Codes, read: Codes, labels: Labels, fold: Codes, n_outcomes: int) -> Array:
    """Pseudo-values (n, J + 2) of J outcomes, of none of them and of what cannot be told; a row's sum is 1.

    `group`, `read` (NONE where the rule found nothing) and `fold` are (n,). In a group the labels of one
    reading stand for all answers that are read so (post-stratification); where it has none, the prediction
    stands alone.
    """
    width = n_outcomes + 2
    said = np.eye(width)[np.where(labels.is_there, labels.code, NONE)]
    cell = reading_cells(group, read, n_outcomes)
    n_cells = (int(group.max()) + 1) * width
    share = _within(cell, labels, n_cells)
    predicted = _predicted_outcomes(cell, said * share[:, None], fold, n_cells, width)
    corrected: Array = predicted + stands_for(cell, labels)[:, None] * (said - predicted)
    # Predictions do not quite cancel: an outcome that people find in no answer of a group adds up to a bit
    # less than none, and where they find none at all, the rest has no shares.
    n_groups = int(group.max()) + 1
    left = group_table(group, corrected[:, :-2], n_groups)
    is_unsaid = group_table(group, said[:, :-2] * labels.is_there[:, None], n_groups) == 0
    is_none = (left <= 0) & is_unsaid | (left.sum(1, keepdims=True) < 1)
    corrected[:, :-2][is_none[group]] = 0
    return corrected


def reading_cells(group: Codes, read: Codes, n_outcomes: int) -> Codes:
    """The cell of each answer, (n,): what is read of it, in its group."""
    width = n_outcomes + 2
    return group * width + read % width


def stands_for(cell: Codes, labels: Labels) -> Array:
    """For how many answers of its cell a label stands, 0 without a label, (n,)."""
    n_cells = int(cell.max()) + 1
    size = np.bincount(cell, minlength=n_cells) / np.maximum(_labelled(cell, labels, n_cells), 1)
    found: Array = size[cell] * _within(cell, labels, n_cells)
    return found


def _labelled(cell: Codes, labels: Labels, n_cells: int) -> Array:
    """Number of labels of each cell, (cells,)."""
    return group_table(cell, labels.is_there[:, None].astype(np.float64), n_cells)[:, 0]


def _within(cell: Codes, labels: Labels, n_cells: int) -> Array:
    """Weights of labels that are 1 on average in their cell, 0 without a label, (n,)."""
    weight = np.where(labels.is_there, labels.weight, 0.0)
    total = np.bincount(cell, weights=weight, minlength=n_cells)
    return weight * np.nan_to_num(divide(_labelled(cell, labels, n_cells), total))[cell]


def _predicted_outcomes(cell: Codes, said: Array, fold: Codes, n_cells: int, width: int) -> Array:
    """What a reading means by the labels of other folds: in its group, with less weight in all, (n, J)."""
    predicted = np.empty_like(said)
    reading = np.arange(n_cells) % width
    for one in np.unique(fold):
        others = fold != one
        by_cell = group_table(cell[others], said[others], n_cells)
        pooled = group_table(reading, by_cell, width)
        # A reading that nobody has looked at means what it says.
        pooled = (pooled + np.eye(width)) / (pooled.sum(1, keepdims=True) + 1)
        shrunk = by_cell + SHRINKAGE * pooled[reading]
        meant = shrunk / shrunk.sum(1, keepdims=True)
        predicted[~others] = meant[cell[~others]]
    return predicted


def corrected_scores(group: Codes, score: Array, labels: Labels, fold: Codes) -> Array:
    """Rows (1, pseudo-value, that of the square), (n, 3), of scores (n,) and what people gave instead."""
    n_groups = int(group.max()) + 1
    share, worth = _within(group, labels, n_groups), stands_for(group, labels)
    given = np.where(labels.is_there, labels.value, 0.0)
    columns = [np.ones_like(score)]
    for power in (1, 2):
        predicted = _predicted_scores(group, score**power, given**power, share, fold, n_groups)
        columns.append(predicted + worth * (given**power - predicted))
    return np.column_stack(columns)


def _predicted_scores(
    group: Codes, score: Array, given: Array, share: Array, fold: Codes, n_groups: int
) -> Array:
    """A line through the labels of other folds, moved by what a group's own labels lie off it, (n,)."""
    predicted = np.empty_like(score)
    for one in np.unique(fold):
        weight = np.where(fold != one, share, 0.0)
        n = weight.sum()
        mean_score, mean_given = (divide(weight @ column, n) for column in (score, given))
        spread = weight @ (score - mean_score) ** 2
        slope = np.nan_to_num(divide(weight @ ((score - mean_score) * (given - mean_given)), spread))
        line = np.nan_to_num(mean_given) + slope * (score - np.nan_to_num(mean_score))
        off = np.bincount(group, weights=weight * (given - line), minlength=n_groups)
        off = off / (np.bincount(group, weights=weight, minlength=n_groups) + SHRINKAGE)
        predicted[fold == one] = (line + off[group])[fold == one]
    return predicted


def outcome_sums_corrected(corrected: Array) -> Array:
    """Sums of outcomes (n, J) of pseudo-values (n, J + 2), as if of as many answers as they are worth.

    Statistics that know how far shares of n answers vary by chance (the corrected V) need the n that varies
    so much: shares stay as they are.
    """
    sums = corrected[:, :-2]
    shares = _shares(sums.sum(0))
    varies = ((sums - shares) ** 2).sum(1).mean()
    half_an_error = 0.5 / (len(sums) + 1)  # one outcome alone is worth answers, too
    spread = max(1 - (shares**2).sum(), 2 * half_an_error * (1 - half_an_error))
    worth = min(1.0, float(np.nan_to_num(divide(spread, varies), nan=1.0)))
    return sums * worth


def selection_sums_corrected(corrected: Array, is_favourable: Mask) -> Array:
    """Sums of selections (n, 2) of pseudo-values: has a label, and has a favourable one (J,)."""
    outcomes = corrected[:, :-2]
    return np.column_stack([outcomes.sum(1), outcomes[:, is_favourable].sum(1)])


def labels_alone(labels: Labels, said: Array) -> Array:
    """Sums (n, J) of labels alone, each as often as answers that it was drawn for."""
    weight = np.where(labels.is_there, labels.weight, 0.0)
    alone: Array = weight[:, None] * said
    return alone


def share_intervals(
    design: Design, sums: Array, doubt: Doubt, n_bootstrap: int, seed: int
) -> tuple[Array, Array, Array]:
    """Shares (K, J) of sums of pseudo-values (n, J), and both ends of their 95 % intervals, never of width 0.

    Wilson's interval over as many answers as vary as much as redrawn units do, of a group's outcomes
    together. A group without an outcome, or without an error in its labels, has an interval too: half an
    error more is counted, with the weight of the heaviest label. Readings without a label may mean anything.
    NaN with too few units. Source: Korn & Graubard (1998), Survey Methodology 24(2).
    """
    n_groups = len(design.labels)
    shares = _shares(group_table(design.group, sums, n_groups))
    design, rows = canonical(design, sums)
    units = Units.of(design.group, design.units(resampling_unit(design)))
    if not units.is_enough:
        nothing = np.full_like(shares, np.nan)
        return shares, nothing, nothing
    n_units = np.maximum(units.by_group(np.ones((len(rows), 1))), 2)
    found = _shares(units.tables(rows, seed)(n_bootstrap)).var(axis=0) * n_units / (n_units - 1)
    n_labels, unseen = doubt.labels_worth, doubt.unseen[:, None]
    error = 0.5 / (n_labels + 1)
    varies = found.sum(1) + 2 * error * (1 - error) / n_labels
    spread = (shares * (1 - shares)).sum(1)
    # A group that gives one outcome alone has what its labels tell.
    n = np.where(spread > 0, spread / varies, n_labels)[:, None]
    telling = np.maximum(np.minimum(n_units, doubt.n_units[:, None]), 2)
    t = scipy.special.stdtrit(telling - 1, 1 - ALPHA / 2)
    centre = (shares + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t * np.sqrt(shares * (1 - shares) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    return shares, np.clip(centre - half - unseen, 0, 1), np.clip(centre + half + unseen, 0, 1)


def _shares(tables: Array) -> Array:
    """Shares of tables (..., K, J), each at least 0: pseudo-values of a rare outcome can sum up to less."""
    above = np.maximum(tables, 0)
    return divide(above, above.sum(-1, keepdims=True))
