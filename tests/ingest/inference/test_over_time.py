"""Looking again and again: published limits, what chance gives, and a change that is found."""

import numpy as np
import pytest
from scipy import stats

from ingest.inference import over_time
from ingest.inference.over_time import Kept, Look, boundaries, moved, scanned

LOOKS = np.arange(1, 6) / 5
# Two-sided limits of 0.05 at five equally spaced looks, with 0.025 spent to each side. Sources: Lan & DeMets
# (1983), and the programs of Reboussin and others (2000), Controlled Clinical Trials 21(3).
PUBLISHED = {
    "O'Brien-Fleming": (
        4 * stats.norm.sf(stats.norm.isf(0.0125) / np.sqrt(LOOKS)),
        (4.877, 3.357, 2.680, 2.290, 2.031),
    ),
    "Pocock": (0.05 * np.log(1 + (np.e - 1) * LOOKS), (2.438, 2.427, 2.410, 2.397, 2.386)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_limits_are_those_that_were_published(name):
    """Of a mean that grows; where only one series in a million may exceed the first limit, none is drawn."""
    spent, expected = PUBLISHED[name]
    drawn = np.random.default_rng(3).standard_normal((300_000, 5))
    paths = np.abs(np.cumsum(drawn, axis=1)) / np.sqrt(np.arange(1, 6))
    (found,) = boundaries(paths, spent[None])
    is_drawn = spent > 1e-4
    assert found[is_drawn] == pytest.approx(np.array(expected)[is_drawn], abs=0.03)
    assert np.isinf(found[~is_drawn]).all()
    # What exceeds any of its limits is what was spent.
    assert (paths > found).any(axis=1).mean() == pytest.approx(0.05, abs=1e-4)


def test_no_series_that_could_be_drawn_decides_what_is_spent_on_none():
    paths = np.arange(12.0).reshape(4, 3)
    assert np.isinf(boundaries(paths, [[0.0, 0.1, 0.3]])).all()
    (found,) = boundaries(paths, [[0.0, 0.4, 0.8]])  # one of four, then two more, and the rule (1 + r) / 5
    assert found.tolist() == [np.inf, 7, 2]


def by_look(found, of=slice(None)):
    """What is said at each look, of one series or of rows."""
    return [Look(*fields) for fields in zip(*(field[of] for field in found), strict=True)]


def watched(value, low, high, sizes, units, n_looks):
    """Each look of one series."""
    return by_look(over_time.watched(*np.atleast_2d(value, low, high, sizes, units), n_looks), 0)


def series(rng, n, shift, at=7, n_looks=12):
    value = rng.standard_normal((n, n_looks)) + shift * (np.arange(1, n_looks + 1) >= at)
    found = over_time.watched(value, value - 1.96, value + 1.96, 50, 50, n_looks)
    return [by_look(found, of) for of in range(n)]


def first_alarm(looks):
    return next((place for place, look in enumerate(looks, 1) if look.p_value <= 0.05), None)


def test_five_in_a_hundred_series_without_a_change_raise_an_alarm_at_most():
    alarms = [first_alarm(looks) for looks in series(np.random.default_rng(1), 1500, 0)]
    n_alarms = sum(alarm is not None for alarm in alarms)
    assert 40 <= n_alarms <= stats.binom.ppf(0.999, 1500, 0.05)  # and nearly all of it is used
    assert len({alarm for alarm in alarms if alarm}) > 8  # evenly: not at the end alone


def test_a_change_at_the_seventh_look_is_found_by_the_tenth_and_placed():
    found = series(np.random.default_rng(2), 400, 3.5)
    alarms = [first_alarm(looks) for looks in found]
    assert np.mean([alarm is not None and 7 <= alarm <= 10 for alarm in alarms]) > 0.9
    last = [looks[-1] for looks in found]
    assert np.mean([look.changed_from <= 7 <= look.changed_to for look in last]) > 0.9
    assert np.mean([look.shift for look in last]) == pytest.approx(3.5, abs=0.1)
    assert np.median([look.changed_at for look in last]) == 7


def test_a_later_look_changes_nothing_that_an_earlier_one_said_and_no_p_value_grows():
    value, n = np.array([0.1, 0.12, 0.3, 0.31, 0.29]), np.array([100, 98, 130, 100, 60])
    all_looks = watched(value, value - 0.05, value + 0.05, n, n, 12)
    for now in range(1, 6):
        some = watched(value[:now], value[:now] - 0.05, value[:now] + 0.05, n[:now], n[:now], 12)
        assert np.array_equal(
            np.array(some, dtype=float), np.array(all_looks[:now], dtype=float), equal_nan=True
        )
    p_values = [look.p_value for look in all_looks[1:]]
    assert p_values == sorted(p_values, reverse=True) and p_values[-1] < 1e-6 < 0.05 < p_values[0]
    assert all_looks[-1].changed_at == all_looks[-1].changed_from == all_looks[-1].changed_to == 3


def kept(answers, values, is_corrected=""):
    """One number: of which answers each audit was, its value, and in which it was corrected."""
    n = len(values)
    ends = np.add.outer((0, -0.1, 0.1), np.asarray(values, dtype=float))
    kinds = np.array([int(of) for of in is_corrected or "0" * n])
    readings = np.column_stack([*ends, np.full(n, 200), np.full(n, 60)])
    return Kept(
        np.zeros(n, int), np.arange(1, n + 1), np.array([*map(ord, answers)]), kinds, readings,
        np.full(n, 12), np.zeros(n, bool),
    )  # fmt: skip


def told_of(one):
    """What is said at each place."""
    return dict(zip(one.places.tolist(), by_look(scanned(one)), strict=True))


def test_the_same_answers_are_one_look_however_often_they_are_audited():
    """Four audits of each answers, of other limits: five in a hundred series raised an alarm, and 23 did."""
    n_once, n_often = 0, 0
    for seed in range(150):
        values = np.random.default_rng(seed).normal(0, 0.1 / 1.96, 3)
        once = told_of(kept("abc", values))
        often = told_of(kept("aaaabbbbcccc", np.repeat(values, 4)))
        assert [look[:3] for look in (once[2], once[3])] == [often[at][:3] for at in (8, 12)]
        n_once += once[3].p_value <= 0.05
        n_often += watched(np.repeat(values, 4), *(np.repeat(values, 4) + end for end in (-0.1, 0.1)),
            [200] * 12, [60] * 12, 12)[-1].p_value <= 0.05  # fmt: skip
    assert n_once <= 12 < n_often


def test_answers_count_as_they_were_read_last_where_they_first_came():
    told = told_of(kept("abba", (0.1, 0.9, 0.5, 0.5)))
    # The third reads the second's answers anew, the last the first's: then nothing is left of a change.
    assert told[2].p_value < 0.001 and told[2].changed_at == 2
    assert told[2].statistic > told[3].statistic > told[4].statistic == 0
    assert told[3].changed_at == 2
    assert told_of(kept("abcb", (0.1, 0.1, 0.9, 0.1)))[4].changed_at == 3


def test_a_number_that_labels_correct_is_compared_with_its_own_kind():
    """As read 0.1, corrected 0.5: labels came, and the model is as it was."""
    values, answers, is_corrected = [0.1] * 3 + [0.5] * 3, "abccde", "000111"
    told = told_of(kept(answers, values, is_corrected))
    assert [np.isnan(told[place].p_value) for place in range(1, 7)] == [True, False, False] * 2
    assert {look.p_value for look in told.values() if look.p_value <= 1} == {1.0}
    changed = told_of(kept(answers + "f", [*values, 0.9], is_corrected + "1"))[7]
    assert changed.p_value < 0.001 and changed.changed_at == 7


@pytest.mark.parametrize("most_together", [1, 10_000])
def test_a_number_is_told_the_same_whatever_others_are_scanned_with_it(monkeypatch, most_together):
    """Answers that come and are read anew in many orders, of many kinds, sizes and plans, of few units."""
    monkeypatch.setattr(over_time, "MOST_TOGETHER", most_together)
    rng = np.random.default_rng(8)
    alone = []
    for number in range(60):
        n = int(rng.integers(1, 15))
        answers = "abcdefghijklmno"[:n] if number % 2 else rng.choice([*"abcde"], n)
        one = kept(answers, rng.choice([0.1, 0.1, 0.2, 0.9], n), "".join(rng.choice([*"0001"], n)))
        one.readings[:, 4] = rng.choice([60, 3, np.nan], n, p=(0.6, 0.3, 0.1))
        one.readings[-1, 3] = rng.choice([200, 190])
        one.readings[rng.random(n) < 0.1, 1:3] = 0.5  # no width
        places = np.cumsum(rng.integers(1, 3, n))
        plan = np.full(n, number % 5 == 0)
        alone.append(one._replace(series=np.full(n, number), places=places, is_plan=plan))
        alone[-1].n_looks[:] = 15 if plan[0] else rng.choice([4, 12])
    together = scanned(Kept(*map(np.concatenate, zip(*alone, strict=True))))
    each = Look(*map(np.concatenate, zip(*map(scanned, alone), strict=True)))
    np.testing.assert_equal(together, each)
    assert (together.p_value < 0.05).sum() > 20 and np.isnan(together.statistic).sum() > 60
    of_none = scanned(Kept(*(column[:0] for column in alone[0])))
    assert {field.shape for field in of_none} == {(0,)}


def test_whole_audits_are_scanned_in_plans_that_share_an_end():
    values = np.random.default_rng(5).normal(0, 0.05, 8)
    one = kept("abcdefgh", values)
    told = told_of(one._replace(n_looks=np.full(8, 4)))
    of = lambda part: watched(part, part - 0.1, part + 0.1, [200] * len(part), [60] * len(part), 4)  # noqa: E731
    by_plan = [*of(values[:4]), *of(values[3:7])[1:], *of(values[6:])[1:]]
    np.testing.assert_equal([look.p_value for look in told.values()], [look.p_value for look in by_plan])
    assert told[8].changed_from >= 7 > told[6].changed_from >= 4  # places, not looks of a plan
    as_plan = told_of(one._replace(is_plan=np.ones(8, bool)))
    np.testing.assert_equal(list(as_plan.values()), watched(values, *one.readings.T[1:], 12))


def test_the_statistic_is_the_highest_of_all_splits():
    value, n = np.array([1.0, 2.0, 6.0]), np.array([10.0, 20.0, 30.0])
    half = 1.959964 * np.sqrt(4.0 / n)  # answers of variance 4
    look = watched(value, value - half, value + half, n, 4 * n, 5)[-1]
    splits = [
        abs(np.average(value[i:], weights=n[i:]) - np.average(value[:i], weights=n[:i]))
        / np.sqrt(4 / n[:i].sum() + 4 / n[i:].sum())
        for i in (1, 2)
    ]
    # A t of 237 degrees of freedom is as rare as this normal.
    assert look.statistic == pytest.approx(-stats.norm.ppf(stats.t.cdf(-max(splits), 237)), rel=1e-6)
    assert (look.changed_at, look.shift) == (3, pytest.approx(6 - 5 / 3))


def test_what_cannot_be_told_is_no_alarm():
    assert watched([], [], [], [], [], 12) == []
    first, second = watched([1, 1], [1, 1], [1, 1], [10, 10], [9, 9], 12)  # intervals without width
    assert np.isnan(first.p_value) and second.p_value == 1 and second.changed_at == 0
    with pytest.raises(ValueError, match="3 looks of 2 planned"):
        watched([1, 1, 1], [0, 0, 0], [2, 2, 2], [9, 9, 9], [9, 9, 9], 2)


def test_a_difference_has_the_interval_of_both():
    found = moved((0.2, 0.1, 0.35), (0.5, 0.42, 0.6))
    assert found[:3] == pytest.approx((0.3, 0.3 - 0.17, 0.3 + 0.02**0.5))  # 0.08 and 0.15, 0.1 and 0.1
    assert found.p_value == pytest.approx(2 * stats.norm.sf(0.3 / 0.17 * stats.norm.isf(0.025)))
    back = moved((0.5, 0.42, 0.6), (0.2, 0.1, 0.35))
    expected = (-found.difference, -found.high, -found.low, found.p_value)
    assert np.array(back) == pytest.approx(np.array(expected))
    assert moved((1, 1, 1), (1, 1, 1)).p_value == 1 and np.isnan(moved((1, 1, 1), (2, 2, 2)).p_value)
    assert np.isnan(moved((1, 0, 2), (2, np.nan, 3))[1:]).all()


def test_a_difference_by_chance_seldom_has_an_interval_without_zero():
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2000, 2)).T
    p_values = moved((a, a - 1.96, a + 1.96), (b, b - 1.96, b + 1.96)).p_value
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
