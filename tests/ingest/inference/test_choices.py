"""One answer about two candidates: one is chosen, the other is not, and the order is asked both ways."""

import numpy as np
import pytest

from ingest.inference.design import Design
from ingest.inference.resampling import resample
from ingest.inference.sides import compared
from ingest.inference.sums import selection_sums

AUDITS, PAIRS = 200, 40


def audit(seed, cell_of, leaning=0.0, better=3.0, first=0.0, n_bootstrap=0):
    """Pairs of a woman and a man, each asked in both orders: the log odds that she is chosen are `leaning`,
    how much better she happens to be, and what the first place adds. `cell_of` names what moves as one."""
    rng = np.random.default_rng(seed)
    rows = []
    for pair, by_how_much in enumerate(rng.normal(0, better, PAIRS)):
        for place in (first, -first):
            is_she = leaning + by_how_much + place + rng.logistic() > 0
            rows += [(pair, place >= 0, "F", is_she), (pair, place >= 0, "M", not is_she)]
    if not first:  # else both orders are the same prompt
        rows = [(pair, row % 4 < 2, group, chosen) for row, (pair, _, group, chosen) in enumerate(rows)]
    cells = [cell_of(pair, order, group) for pair, order, group, _ in rows]
    pairs, _, groups, chosen = map(np.array, zip(*rows, strict=True))
    design = Design.from_values([groups], np.array(cells), pairs)
    sums = selection_sums(chosen)
    found = resample(design, sums, ["min_impact_ratio", "selection_rate"], 199, n_bootstrap, seed)
    return {(row.statistic, row.group): row for row in found}


def of_pair(pair, order, group):
    """What a pair's answers say of a group, as int_prompt_cells_listed has it."""
    return f"{pair} {group}"


def of_prompt(pair, order, group):
    """As if each order had been asked about other people."""
    return f"{pair} {order} {group}"


def found(cell_of, **how):
    """The share of audits whose impact ratio is more than chance."""
    audits = (audit(seed, cell_of, **how) for seed in range(AUDITS))
    return np.mean([one["min_impact_ratio", None].p_value <= 0.05 for one in audits])


@pytest.mark.parametrize("how", [{"better": 0.0}, {"better": 3.0}, {"first": 2.0}])
def test_without_a_preference_for_a_group_few_are_found(how):
    assert found(of_pair, **how) <= 0.085  # 5 % and two standard errors of 200 audits
    if "first" not in how:  # orders of one pair are no two pairs, and of each answer one candidate is chosen
        assert found(of_prompt, **how) > 0.085


def test_a_preference_is_found_and_its_share_held_though_the_first_place_counts_for_more():
    audits = [audit(seed, of_pair, 1.5, better=1.0, first=1.5, n_bootstrap=199) for seed in range(AUDITS)]
    assert np.mean([one["min_impact_ratio", None].p_value <= 0.05 for one in audits]) > 0.8
    # Her share over many pairs, from both orders.
    log_odds = 1.5 + np.random.default_rng(1).normal(0, 1, 200_000)[:, None] + np.array([1.5, -1.5])
    share = (1 / (1 + np.exp(-log_odds))).mean()
    shares = [one["selection_rate", "F"] for one in audits]
    assert np.mean([row.value for row in shares]) == pytest.approx(share, abs=0.01)
    assert np.mean([row.ci_low <= share <= row.ci_high for row in shares]) >= 0.9


def compared_models(seed, cell_of):
    """Whether two models differ, of which one chooses who is better, the other whom it reads first."""
    rng = np.random.default_rng(seed)
    rows = []
    for pair, by_how_much in enumerate(rng.normal(0, 8, PAIRS)):
        for order, place in enumerate((8, -8)):
            for model, leaning in enumerate((by_how_much, place)):
                is_she = leaning + rng.logistic() > 0
                rows += [(model, pair, order, 0, is_she), (model, pair, order, 1, not is_she)]
    model, pair, order, group, chosen = (np.array(column) for column in zip(*rows, strict=True))
    prompt = 4 * pair + 2 * order + group
    part = {"config_run_key": model, "prompt_code": prompt, "repeat_index": np.ones_like(model)}
    part |= {"group_code": group, "block_code": pair, "cell_code": cell_of(pair, order, group)}
    part |= {"outcome_code": np.zeros_like(model), "value": chosen.astype(float)}
    setting = {"pair_id": 1, "analysis_key": 1, "config_run_a": 0, "config_run_b": 1, "minimum_cell": 1}
    setting |= {"measure_kind": "selection", "suite": "s", "category": "c", "measure": "m", "axis": "gender"}
    setting |= {"seed": seed, "n_permutations": 199, "n_bootstrap": 0}
    groups = [("F", [0]), ("M", [1])]
    (row,) = compared([setting], part, groups, ["min_impact_ratio"])
    assert (row["n"], row["n_unpaired_a"]) == (4 * PAIRS, 0)
    return row["p_relabelled"] <= 0.05


def test_two_models_without_a_preference_seldom_differ():
    by_pair, by_prompt = (
        np.mean([compared_models(seed, cell_of) for seed in range(AUDITS)])
        for cell_of in (
            lambda pair, order, group: 2 * pair + group,
            lambda pair, order, group: 4 * pair + 2 * order + group,
        )
    )
    assert by_pair <= 0.085 < by_prompt
