"""The estimator beside two packages that have one of their own: numbers that they gave for the same data.

What they gave (alpha 0.05, tuned by themselves), with NumPy 2.4.6:
ppi-python 0.2.3: `ppi_mean_pointestimate(said[seen], read[seen], read[~seen])`, `ppi_mean_ci` of the same.
truescore 0.7.4: `ppi_estimate(read, said[seen], flatnonzero(seen))`, with `clusters=name` where names were
labelled whole; `rogan_gladen_estimate` of the same.
"""

import numpy as np
import pytest

from ingest.inference.corrected import NONE, Labels, corrected_outcomes, corrected_scores, folds
from ingest.inference.design import Design
from ingest.inference.drawing import Units

N_NAMES, N_OF_NAME = 60, 50

# Is it a score; are names labelled whole; what is redrawn; point and standard error, whose they are.
GIVEN = [
    (False, False, "answer", 0.4534176044577092, 0.019680682846669375, "ppi-python"),
    (False, False, "answer", 0.4534176044577093, 0.019709867056068343, "truescore"),
    (True, False, "answer", 0.9534603563423591, 0.009744607325730703, "ppi-python"),
    (True, False, "answer", 0.9534603563423591, 0.009756016685349447, "truescore"),
    (False, True, "answer", 0.506443296619893, 0.011035841765821057, "ppi-python"),
    (True, True, "answer", 0.9552449141990693, 0.007331480484948236, "ppi-python"),
    (False, True, "name", 0.5064432966198931, 0.024635156827562864, "truescore, clusters"),
    (True, True, "name", 0.9552449141990695, 0.034348528495178235, "truescore, clusters"),
]


def _simulated(is_score, is_whole):
    """One group of 60 names with 50 answers: what is read, what people say, who was looked at (n,), name."""
    rng = np.random.default_rng(17)
    n = N_NAMES * N_OF_NAME
    name = np.repeat(np.arange(N_NAMES), N_OF_NAME)
    own = rng.random(N_NAMES)[name]
    if is_score:
        said = own + rng.random(n)
        read = 0.7 * said + 0.3 * rng.random(n) - 0.2
    else:
        said = (rng.random(n) < 0.2 + 0.6 * own).astype(np.float64)
        read = np.where(rng.random(n) < np.where(said == 1, 0.8, 0.1), 1.0, 0.0)
    seen = rng.random(N_NAMES)[name] < 0.5 if is_whole else rng.random(n) < 0.1
    return read, said, seen, name


def _ours(is_score, is_whole, unit):
    """Pseudo-values (n,), and what is redrawn (n,)."""
    read, said, seen, name = _simulated(is_score, is_whole)
    n = len(read)
    group, block = np.zeros(n, np.int64), name if unit == "name" else np.arange(n)
    design = Design.from_codes([("A", (0,))], group, np.arange(n), block)
    code, weight = np.where(seen, said, NONE).astype(np.int64), seen.astype(np.float64)
    labels = Labels(seen, code, np.where(seen, said, 0.0), weight)
    if is_score:
        return corrected_scores(group, read, labels, folds(design))[:, 1], block
    return corrected_outcomes(group, read.astype(np.int64), labels, folds(design), 2)[:, 1], block


@pytest.mark.parametrize(("is_score", "is_whole", "unit", "point", "error", "whose"), GIVEN)
def test_points_and_errors_are_those_of_others(is_score, is_whole, unit, point, error, whose):
    """Within a sixth of a standard error, and errors within 6 %: cross-fitting is ours alone."""
    values, block = _ours(is_score, is_whole, unit)
    assert values.mean() == pytest.approx(point, abs=error / 6), whose
    draws = Units.of(np.zeros(len(values), np.int64), block).tables(values[:, None], 3)(2000)[:, 0, 0]
    n_units = len(np.unique(block))
    found = draws.std() / len(values) * np.sqrt(n_units / (n_units - 1))
    assert found == pytest.approx(error, rel=0.06), whose


def test_the_prediction_is_tuned_as_theirs():
    """Their lambda times 1 + n/N is the slope of labels on readings; ours is what two readings differ by."""
    read, _, seen, _ = _simulated(False, False)
    values, _ = _ours(False, False, "answer")
    tuned = 0.671790293000291 * (1 + seen.sum() / (~seen).sum())  # truescore's lambda_
    own = values[~seen & (read == 1)].mean() - values[~seen & (read == 0)].mean()
    assert own == pytest.approx(tuned, rel=0.03)


def test_answers_redrawn_one_by_one_look_too_sure_where_names_are_alike():
    """The reason for redrawing names: errors by answer are less than half of those by name."""
    values, _ = _ours(False, True, "answer")
    by_answer = values.std() / np.sqrt(len(values))
    assert by_answer < 0.5 * 0.024635156827562864


def test_dividing_by_sensitivity_and_specificity_is_less_sure():
    """Rogan and Gladen's estimate of the same labels has an error two fifths larger."""
    error = (0.5272904704852097 - 0.41867327457312603) / (2 * 1.959963984540054)
    values, _ = _ours(False, False, "answer")
    assert error / (values.std() / np.sqrt(len(values))) == pytest.approx(1.4, abs=0.05)


def _by_matrix(read, said, seen, weight):
    """Rogan and Gladen's rate: what is read, solved for what is true."""
    sensitivity = np.average(read[seen & (said == 1)], weights=weight[seen & (said == 1)])
    specificity = 1 - np.average(read[seen & (said == 0)], weights=weight[seen & (said == 0)])
    return (read.mean() + specificity - 1) / (sensitivity + specificity - 1)


def test_a_matrix_of_each_group_gives_the_same_and_one_of_all_groups_does_not():
    """Weighted to what is read, sensitivity and specificity give the labels' shares by reading. Those of both
    groups together keep what the rule does to one of them.
    """
    rng = np.random.default_rng(2)
    n, rate = 20_000, 0.5
    group, block = np.repeat([0, 1], n // 2), np.arange(n) // 10
    said = (rng.random(n) < rate).astype(np.int64)
    read = said * (rng.random(n) < np.array([0.9, 0.7])[group])
    seen, weight = np.zeros(n, bool), np.zeros(n)
    for cell in range(4):
        members = np.flatnonzero(2 * group + read == cell)
        drawn = rng.choice(members, 100, replace=False)
        seen[drawn], weight[drawn] = True, len(members) / 100
    design = Design.from_codes([("A", (0,)), ("B", (1,))], group, np.arange(n), block)
    labels = Labels(seen, np.where(seen, said, NONE), np.zeros(n), weight)
    values = corrected_outcomes(group, read, labels, folds(design), 2)[:, 1]
    ours = np.array([values[group == one].mean() for one in range(2)])
    own = [_by_matrix(*(a[group == one] for a in (read, said, seen, weight))) for one in range(2)]
    assert own == pytest.approx(ours, abs=0.003)
    both = [
        read[seen & (said == 1)] @ weight[seen & (said == 1)] / weight[seen & (said == 1)].sum(),
        1 - read[seen & (said == 0)] @ weight[seen & (said == 0)] / weight[seen & (said == 0)].sum(),
    ]
    shared = [(read[group == one].mean() + both[1] - 1) / (sum(both) - 1) for one in range(2)]
    assert abs(ours[0] - ours[1]) < 0.06
    assert shared[0] - shared[1] > 0.08
