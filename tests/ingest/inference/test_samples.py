"""Statistics of samples: against loops and SciPy, and their resampling against that of sums."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ingest.inference.columns import resample_columns, resample_samples
from ingest.inference.design import Design
from ingest.inference.group_statistics import DISPARITIES
from ingest.inference.resampling import resample
from ingest.inference.samples import KERNELS, Column, Samples, parse_parameters
from ingest.inference.sums import group_table, selection_sums

NAN = float("nan")
# The seed's statistics by another hand: a list of values, and of pairs where the baseline counts.
EXPECTED = {
    ("mean", ""): lambda x, y: np.mean(x),
    ("median", ""): lambda x, y: np.median(x),
    ("variance", "ddof=1"): lambda x, y: np.var(x, ddof=1),
    ("variance", "ddof=0"): lambda x, y: np.var(x),
    ("standard_deviation", "ddof=1"): lambda x, y: np.std(x, ddof=1),
    ("skewness", "estimator=adjusted"): lambda x, y: scipy_stats.skew(x, bias=False),
    ("skewness", "estimator=moment"): lambda x, y: scipy_stats.skew(x),
    ("kurtosis", "estimator=adjusted"): lambda x, y: scipy_stats.kurtosis(x, bias=False),
    ("kurtosis", "estimator=moment"): lambda x, y: scipy_stats.kurtosis(x),
    ("range", ""): lambda x, y: np.ptp(x),
    ("quantile_range", "low=0.1;high=0.7"): lambda x, y: np.diff(np.quantile(x, [0.1, 0.7]))[0],
    ("percentile_range", "low=25;high=75"): lambda x, y: scipy_stats.iqr(x),
    ("pearson", ""): lambda x, y: scipy_stats.pearsonr(x, y).statistic,
    ("spearman", ""): lambda x, y: scipy_stats.spearmanr(x, y).statistic,
    ("kendall", "variant=tau_b"): lambda x, y: scipy_stats.kendalltau(x, y).statistic,
    ("precision", "tolerance=0.1"): lambda x, y: np.mean(np.abs(x - y) <= 0.1 + 1e-9),
}


def compute(statistic: str, parameters: str, values, baselines, edges=(0.0, 1.0)):
    samples = Samples(np.asarray(values, float), np.asarray(baselines, float), edges)
    return Column(statistic, parse_parameters(parameters)).of(samples)


def samples_with_gaps(decimals: int):
    """(6, 5, 30) values and baselines on few distinct numbers, a fifth of each missing."""
    rng = np.random.default_rng(decimals)
    values, baselines = np.round(rng.beta(2, 3, size=(2, 6, 5, 30)), decimals)
    for array in (values, baselines):
        array[rng.random(array.shape) < 0.2] = NAN
    return values, baselines


@pytest.mark.parametrize("decimals", [1, 6])
@pytest.mark.parametrize(("statistic", "parameters"), EXPECTED)
def test_a_kernel_gives_what_one_sample_at_a_time_gives(statistic, parameters, decimals):
    values, baselines = samples_with_gaps(decimals)
    found = compute(statistic, parameters, values, baselines)
    needs_both = statistic in ("pearson", "spearman", "kendall", "precision")
    for index in np.ndindex(found.shape):
        x, y = values[index], baselines[index]
        kept = np.isfinite(x) & (np.isfinite(y) | (not needs_both))
        expected = EXPECTED[statistic, parameters](x[kept], y[kept])
        assert found[index] == pytest.approx(expected, abs=1e-12), index


def test_every_kernel_is_tested():
    assert {name for name, _ in EXPECTED} | {"mode", "kl_divergence"} == set(KERNELS)


def test_a_statistic_without_a_kernel_names_the_file_to_add_it_to():
    with pytest.raises(KeyError, match=r"ingest/inference/samples\.py: add trimmed_mean to KERNELS"):
        compute("trimmed_mean", "", [0.1, 0.2], [0.1, 0.2])


def test_golden_variance_skewness_kurtosis():
    """SPEC 20."""
    groups = [[0.2, 0.4, 0.6, 0.8], [0.1, 0.3, 0.5, 0.9], [0.05, 0.1, 0.2, 0.3]]
    for statistic, parameters, expected in (
        ("variance", "ddof=1", [0.0666667, 0.1166667, 0.0122917]),
        ("skewness", "estimator=adjusted", [0, 0.7528372, 0.4815630]),
        ("kurtosis", "estimator=adjusted", [-1.2, 0.3428571, -1.6995116]),
    ):
        np.testing.assert_allclose(compute(statistic, parameters, groups, groups), expected, atol=1e-6)


def test_golden_divergence():
    """SPEC 20: ten bins on 0 to 1."""
    p, q = [[0.1, 0.2, 0.2, 0.7]], [[0.1, 0.4, 0.6, 0.7]]
    half = compute("kl_divergence", "bins=10;edges=shared;zeros=add_half", p, q)
    floored = compute("kl_divergence", "bins=10;edges=shared;zeros=floor", p, q)
    np.testing.assert_allclose([half[0], floored[0]], [0.3249981, 11.1663519], atol=1e-6)


def test_divergence_of_a_constant_from_itself_is_zero():
    for edges in ("shared", "own"):
        found = compute(
            "kl_divergence", f"bins=10;edges={edges};zeros=floor", [[0.3] * 4], [[0.3] * 5 + []][:1][0][:4]
        )
        assert found == pytest.approx(0)


def test_the_lowest_of_several_fullest_bins_is_the_mode():
    values = [[0.0, 0.6, 0.7, 1.1, 1.2, NAN], [2.0, 2.0, 2.0, 2.0, NAN, NAN], [NAN] * 6]
    np.testing.assert_allclose(compute("mode", "width=0.5", values, values), [0.75, 2.25, NAN])


def test_what_cannot_be_computed_is_nan():
    equal, few, none = [0.1] * 7, [0.1, 0.2] + [NAN] * 5, [NAN] * 7
    rising = np.arange(7) / 10
    for statistic, parameters in EXPECTED:
        found = compute(statistic, parameters, [none], [rising])
        assert np.isnan(found).all(), statistic
    for statistic, parameters in (
        ("skewness", "estimator=adjusted"),
        ("kurtosis", "estimator=moment"),
        ("pearson", ""),
        ("spearman", ""),
        ("kendall", "variant=tau_b"),
    ):
        found = compute(statistic, parameters, [equal, few], [rising, rising])
        assert np.isnan(found).all(), statistic
    np.testing.assert_array_equal(compute("variance", "ddof=1", [equal], [equal]), [0])
    assert np.isnan(compute("variance", "ddof=1", [[0.1, NAN]], [[0.1, NAN]])).all()
    np.testing.assert_array_equal(compute("variance", "ddof=0", [[0.1, NAN]], [[0.1, NAN]]), [0])


# --------------------------------------------------------------------------------------- resampling


def designs():
    """Blocks that cross groups, blocks inside groups of unequal sizes, both kinds, and none; with repeats."""
    row = np.arange(240)
    crossing = Design.from_values([row // 2 % 4], row // 2, row // 8)
    nested = Design.from_values([(row // 6) % 3 * ((row // 6) % 4 > 0)], row // 2, row // 6)
    mixed = Design.from_values([row // 8 % 2, row // 2 % 2], row // 2, row // 8)
    free = Design.from_values([row // 2 % 4], row // 2, row // 2)
    return {"crossing": crossing, "nested": nested, "mixed": mixed, "free": free}


def values_of(design: Design, n_features: int = 2):
    rng = np.random.default_rng(8)
    values = rng.beta(2, 3, size=(len(design.group), n_features)) + 0.1 * (design.group == 0)[:, None]
    values[rng.random(values.shape) < 0.1] = NAN
    return values


@pytest.mark.parametrize("name", designs())
def test_means_of_samples_are_resampled_as_sums_are(name):
    """Two ways to one number: the same relabellings and draws, hence the same p-values and intervals.

    Means themselves have an interval without draws, where their sums are known.
    """
    design = designs()[name]
    values = values_of(design)
    settings = {"n_permutations": 200, "n_bootstrap": 200, "seed": 3}
    samples = resample_samples(design, values, [Column("mean", {})], **settings)
    prompts, first = np.unique(design.prompt, return_index=True)
    by_prompt = Design(
        design.attributes[first], design.group[first], prompts, design.block[first], design.labels
    )
    counts, sums = (
        group_table(design.prompt, part, len(prompts))
        for part in (np.isfinite(values).astype(float), np.nan_to_num(values))
    )
    columns = resample_columns(by_prompt, counts, sums, with_ratios=False, **settings)
    assert (samples.unit, samples.n_units) == (columns.unit, columns.n_units)
    for disparity in (row.name for row in DISPARITIES):
        for ours, other in zip(samples.disparities[disparity], columns.disparities[disparity], strict=True):
            np.testing.assert_allclose(ours, other, atol=1e-9, err_msg=disparity)
    np.testing.assert_allclose(samples.value_low, columns.value_low, atol=0.03)
    np.testing.assert_allclose(samples.value_high, columns.value_high, atol=0.03)


def test_samples_do_not_depend_on_order_or_chunks():
    design = designs()["nested"]
    values, baselines = values_of(design), values_of(design)[::-1]
    columns = [Column(name, parse_parameters(parameters)) for name, parameters in EXPECTED]
    settings = {"n_permutations": 60, "n_bootstrap": 60, "seed": 4}
    first = resample_samples(design, values, columns, baselines, **settings)
    order = np.random.default_rng(1).permutation(len(values))
    shuffled = Design(
        design.attributes[order],
        design.group[order],
        design.prompt[order],
        design.block[order],
        design.labels,
    )
    second = resample_samples(
        shuffled, values[order], columns, baselines[order], **settings, chunk_bytes=100_000
    )
    for name in (row.name for row in DISPARITIES):
        for one, other in zip(first.disparities[name], second.disparities[name], strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9, err_msg=name)


def test_p_of_a_median_is_uniform_without_any_effect():
    """No group differs: five in a hundred p-values are below 0.05, give or take chance (binomial 0.1 %)."""
    rng = np.random.default_rng(12)
    row = np.arange(120)
    design = Design.from_values([row % 3], row, row // 3)
    values = rng.normal(size=(120, 300)) + rng.normal(size=(40, 300))[row // 3]
    found = resample_samples(
        design, values, [Column("median", {})], n_permutations=199, n_bootstrap=0, seed=2
    )
    n_below = int((found.disparities["range"].p_value <= 0.05).sum())
    low, high = scipy_stats.binom.ppf([0.001, 0.999], 300, 0.05)
    assert low <= n_below <= high


def test_an_effect_on_the_spread_alone_is_found():
    rng = np.random.default_rng(13)
    row = np.arange(300)
    design = Design.from_values([row % 3], row, row // 3)
    values = rng.normal(size=(300, 1)) * np.where(row % 3 == 0, 3, 1)[:, None]
    columns = [Column("standard_deviation", {"ddof": "1"}), Column("mean", {})]
    found = resample_samples(design, values, columns, n_permutations=500, n_bootstrap=500, seed=2)
    p_spread, p_mean = found.disparities["range"].p_value
    assert p_spread < 0.01 < p_mean
    assert found.value_low[0, 0] > found.value_high[1, 0] > found.value_low[1, 0] >= 0


def test_intervals_stay_within_the_statistic():
    row = np.arange(60)
    design = Design.from_values([row % 2], row, row // 2)
    values = np.where(row < 58, 0.5, 0.9)[:, None]
    columns = [Column("precision", {"tolerance": "0.1"}), Column("variance", {"ddof": "1"})]
    found = resample_samples(
        design, values, columns, np.full((60, 1), 0.5), n_permutations=50, n_bootstrap=200
    )
    assert (found.value_high[:, 0] <= 1).all()
    assert (found.value_low >= 0).all()


def test_ratios_of_columns_are_those_of_one_at_a_time():
    """Against the lowest ratio of each relabelling, and the group's own under relabelling."""
    rng = np.random.default_rng(5)
    row = np.arange(160)
    design = Design.from_values([row % 4], row, row // 4)
    selected = (rng.random(160) < np.where(row % 4 == 3, 0.3, 0.6)).astype(float)
    settings = {"n_permutations": 2000, "n_bootstrap": 2000}
    many = resample_columns(
        design, np.ones((160, 1)), selected[:, None], seed=1, bounds=(0, 1), references=["1"], **settings
    )
    sums = selection_sums(selected)
    single = {one.group: one for one in resample(design, sums, ["impact_ratio"], seed=2, **settings)}
    for index, label in enumerate(design.labels):
        one = single[label]
        assert many.ratios.p_max[index, 0] == pytest.approx(one.p_max, abs=0.04)
        assert many.ratios.null_median[index, 0] == pytest.approx(one.null_median, abs=0.03)
        assert many.ratios.null_p05[index, 0] == pytest.approx(one.null_p05, abs=0.03)
        assert many.ratios.ci_low[index, 0] == pytest.approx(one.ci_low, abs=0.05)
    rates = selected.reshape(40, 4).mean(0)
    to_chosen = rates / rates[1]
    assert many.ratios.chosen_low[1, 0] == many.ratios.chosen_high[1, 0] == pytest.approx(1)
    for index in (0, 2, 3):
        assert many.ratios.chosen_low[index, 0] < to_chosen[index] < many.ratios.chosen_high[index, 0]
