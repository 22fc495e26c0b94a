"""The score of styles: its value, what is shuffled for its null, and when there is no interval."""

import math

import numpy as np
import pytest

from ingest.inference.style_variance import Prompts, resampled_variance

N_TEMPLATES, N_NOUNS, N_DESCRIPTORS = 12, 3, 4


def prompts(value, n_templates=N_TEMPLATES, n_repeats=1):
    """One prompt for each template, noun and descriptor, its answers all alike: value(t, noun, d) a style."""
    places = [
        (t, noun, d) for t in range(n_templates) for noun in range(N_NOUNS) for d in range(N_DESCRIPTORS)
    ]
    t, noun, d = np.array(places).T
    styles = np.array([np.atleast_1d(value(*place)) for place in places], dtype=float)
    sums = np.column_stack([np.full(len(t), n_repeats), styles * n_repeats])
    return Prompts(t, t * N_NOUNS + noun, d, sums)


def by_hand(given):
    """The formula of the paper, in loops."""
    by_template = {}
    for t, d, (n, *totals) in zip(given.template, given.descriptor, given.sums, strict=True):
        cell = by_template.setdefault(t, {}).setdefault(d, np.zeros(len(totals) + 1))
        cell += [n, *totals]
    total = 0.0
    for cells in by_template.values():
        for style in range(1, given.sums.shape[1]):
            means = [cell[style] / cell[0] for cell in cells.values()]
            middle = sum(means) / len(means)
            total += sum((mean - middle) ** 2 for mean in means) / len(means)
    return total / len(by_template)


def random_styles(seed, n_styles=2):
    rng = np.random.default_rng(seed)
    return lambda *_: rng.random(n_styles)


def test_the_value_is_the_papers_formula():
    given = prompts(random_styles(1, n_styles=3))
    found = resampled_variance(given, 200, 200, seed=7)
    assert found.value == pytest.approx(by_hand(given), abs=1e-12)
    assert found.ci_low < found.value < found.ci_high
    assert found.null_p05 < found.null_median < found.null_p95


def test_a_model_that_hears_the_descriptor_is_beyond_chance():
    noise = random_styles(2, n_styles=1)
    found = resampled_variance(prompts(lambda t, noun, d: noise() + (d == 0)), 500, 0, seed=7)
    assert found.p_value < 0.01 and found.value > found.null_p95
    assert math.isnan(found.ci_low)


def test_what_nouns_and_templates_do_is_no_bias():
    found = resampled_variance(prompts(lambda t, noun, d: t + 10 * noun), 100, 100, seed=7)
    assert found.value == found.null_p95 == pytest.approx(0, abs=1e-20) and found.p_value == 1


def test_repeats_of_a_prompt_move_together():
    """Answers that say the same five times are no more evidence than one."""
    once, often = (
        resampled_variance(prompts(random_styles(3), n_repeats=n), 200, 200, seed=7) for n in (1, 5)
    )
    assert often == pytest.approx(once, rel=1e-9)


def test_prompts_without_answers_and_templates_of_one_descriptor_are_left_out():
    given = prompts(random_styles(4))
    is_out = (given.template == 0) & (given.descriptor > 0) | (given.template == 1) & (given.descriptor == 2)
    given.sums[is_out] = 0
    found = resampled_variance(given, 50, 50, seed=7)
    held = given.where((given.sums[:, 0] > 0) & (given.template > 0))
    assert found.value == pytest.approx(by_hand(held), abs=1e-12)
    given.sums[given.descriptor > 0] = 0
    assert all(math.isnan(number) for number in resampled_variance(given, 50, 50, seed=7))


def test_nine_templates_have_no_interval():
    found = resampled_variance(prompts(random_styles(5), n_templates=9), 50, 50, seed=7)
    assert math.isnan(found.ci_low) and not math.isnan(found.p_value)


def test_where_nothing_can_be_shuffled_there_is_no_null():
    given = prompts(random_styles(6))
    found = resampled_variance(given._replace(stratum=np.arange(len(given.sums))), 50, 50, seed=7)
    assert math.isnan(found.p_value) and math.isnan(found.null_median) and not math.isnan(found.ci_low)


def test_an_indifferent_model_is_rarely_beyond_chance():
    p_values = [
        resampled_variance(prompts(random_styles(seed), n_templates=2), 99, 0, seed).p_value
        for seed in range(200)
    ]
    # Of 200 at 10 % more than 34 have a probability below 0.001.
    assert sum(p <= 0.1 for p in p_values) <= 34
    assert 0.4 < np.mean(p_values) < 0.6
