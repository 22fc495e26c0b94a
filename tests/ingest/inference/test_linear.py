"""Parametric models: textbook figures, and the p-values that permutations of the same units give."""

import numpy as np
import pytest
from scipy import stats

from ingest.inference.design import Design
from ingest.inference.linear import anova_type_2, assumptions, mixed_model
from ingest.inference.resampling import resample
from ingest.inference.sums import score_sums


def units(n, seed, gap=0.0):
    """Scores of 2 × 3 groups with n units each, the first factor's groups `gap` apart."""
    rng = np.random.default_rng(seed)
    gender, race = np.repeat([0, 1], 3 * n), np.tile(np.repeat([0, 1, 2], n), 2)
    return rng.normal(0, 1, 6 * n) + gap * gender, gender, race


def test_one_factor_is_the_f_test():
    values, _, race = units(8, 1)
    (term,) = anova_type_2(values, [race], ["race"])
    f, p = stats.f_oneway(*(values[race == one] for one in range(3)))
    assert (term.term, term.dof, term.dof_residual) == ("race", 2, 45)
    assert (term.value, term.p_value) == pytest.approx((f, p))


def test_terms_of_a_balanced_table_add_up():
    """With equal cells the sums of squares of types I to III are one, and add up to that between cells."""
    values, gender, race = units(5, 2, gap=1)
    terms = anova_type_2(values, [gender, race], ["gender", "race"])
    assert [term.term for term in terms] == ["gender", "race", "gender & race"]
    cell = gender * 3 + race
    means = np.array([values[cell == one].mean() for one in range(6)])
    assert sum(term.sum_of_squares for term in terms) == pytest.approx(
        5 * ((means - values.mean()) ** 2).sum()
    )


def test_type_2_tests_a_factor_given_the_other():
    """Unequal cells: the sum of squares of race is what it adds to gender."""
    values, gender, race = units(6, 3)
    kept = ~((gender == 0) & (race == 0) & (np.arange(36) % 6 > 1))
    values, gender, race = values[kept] + race[kept], gender[kept], race[kept]

    def left(*factors):
        design = np.column_stack([np.ones(len(values)), *(np.eye(int(f.max()) + 1)[f] for f in factors)])
        return ((values - design @ np.linalg.lstsq(design, values, rcond=None)[0]) ** 2).sum()

    by_term = {t.term: t for t in anova_type_2(values, [gender, race], ["gender", "race"])}
    assert by_term["race"].sum_of_squares == pytest.approx(left(gender) - left(gender, race))


def test_combinations_never_asked_leave_main_effects():
    values, gender, race = units(4, 4)
    kept = ~((gender == 1) & (race == 2))
    terms = anova_type_2(values[kept], [gender[kept], race[kept]], ["gender", "race"])
    assert [term.term for term in terms] == ["gender", "race"]


def test_what_an_attribute_adds_to_one_that_tells_it():
    """A country tells its continent, which adds nothing to it; the country adds a degree less than alone."""
    values, _, country = units(8, 10)
    country = country + 3 * (np.arange(len(values)) % 2)
    continent = country // 2
    by_term = {t.term: t for t in anova_type_2(values, [continent, country], ["continent", "country"])}
    whole, of_continent, of_country = (
        sum(((values[codes == one] - values[codes == one].mean()) ** 2).sum() for one in np.unique(codes))
        for codes in (np.zeros_like(country), continent, country)
    )
    assert whole > of_continent > of_country
    assert (by_term["country"].dof, by_term["country"].dof_residual) == (3, 42)
    assert by_term["country"].sum_of_squares == pytest.approx(of_continent - of_country)
    f = ((of_continent - of_country) / 3) / (of_country / 42)
    assert (by_term["country"].value, by_term["country"].p_value) == pytest.approx((f, stats.f.sf(f, 3, 42)))
    assert (by_term["continent"].dof, by_term["continent"].sum_of_squares) == (0, 0)
    assert np.isnan([by_term["continent"].value, by_term["continent"].p_value]).all()


def test_an_attribute_of_one_group_adds_nothing():
    values, gender, race = units(8, 11)
    found, alone = (
        {t.term: t for t in anova_type_2(values, factors, labels)}
        for factors, labels in (
            ([gender, np.zeros_like(race)], ["gender", "race"]),
            ([gender], ["gender"]),
        )
    )
    assert found["gender"][1:] == pytest.approx(alone["gender"][1:])
    assert (found["race"].dof, np.isnan(found["race"].value)) == (0, True)


@pytest.mark.parametrize("gap", [0.0, 0.6])
def test_the_f_test_of_units_is_near_their_permutation(gap):
    """Normal means of names: F, and shuffling the names' groups, say the same within 0.02."""
    values, gender, race = units(12, 5, gap)
    names = np.arange(len(values))
    terms = {t.term: t.p_value for t in anova_type_2(values, [race], ["race"])}
    design = Design.from_values([race], names, names)
    (shuffled,) = resample(
        design, score_sums(values), ["anova_f"], n_permutations=9_999, n_bootstrap=0, seed=1
    )
    assert terms["race"] == pytest.approx(shuffled.p_value, abs=0.02)
    (by_gender,) = anova_type_2(values, [gender], ["gender"])
    design = Design.from_values([gender], names, names)
    (shuffled,) = resample(
        design, score_sums(values), ["pooled_t"], n_permutations=9_999, n_bootstrap=0, seed=1
    )
    assert by_gender.p_value == pytest.approx(shuffled.p_value, abs=0.02)


def test_mixed_model_finds_what_was_put_in():
    """Thirty models of different levels; a difference of 0.5 between two groups, none between three."""
    rng = np.random.default_rng(6)
    llm, gender, race = (one.ravel() for one in np.meshgrid(np.arange(30), [0, 1], [0, 1, 2], indexing="ij"))
    llm, gender, race = (np.repeat(one, 5) for one in (llm, gender, race))
    values = rng.normal(0, 2, 30)[llm] + 0.5 * gender + rng.normal(0, 1, len(llm))
    found = mixed_model(values, [gender, race], ["gender", "race"], llm)
    assert found is not None and found.has_converged
    assert found.variance_within == pytest.approx(1, abs=0.15)
    assert found.variance_between == pytest.approx(4, abs=2)
    gender_term, race_term = found.terms
    assert (gender_term.dof, race_term.dof) == (1, 2)
    assert gender_term.p_value < 1e-6 < 0.01 < race_term.p_value
    # Balanced and nested in models: Wald's chi-square of gender is F within models, times its one degree.
    within = values - (np.bincount(llm, values) / 30)[llm]
    (term,) = [t for t in anova_type_2(within, [gender, race], ["gender", "race"]) if t.term == "gender"]
    assert gender_term.value == pytest.approx(term.value, rel=0.05)


def test_configs_that_answer_alike_are_fitted():
    """Two configs with the same 185 answers: no variance between them, and the groups' F for Wald's test."""
    rng = np.random.default_rng(0)
    values, group = np.tile(rng.integers(0, 2, 185).astype(float), 2), np.tile(rng.integers(0, 4, 185), 2)
    found = mixed_model(values, [group], ["group"], np.repeat([0, 1], 185))
    assert found is not None and found.has_converged
    assert found.variance_between == pytest.approx(0, abs=1e-6)
    f = stats.f_oneway(*(values[group == one] for one in range(4))).statistic
    assert found.terms[0].value == pytest.approx(3 * f, rel=1e-3)


def test_walds_chi_square_is_that_of_the_covariance():
    """b' C⁻¹ b of a factor's effects, C from (X' V⁻¹ X)⁻¹ with the variances that were found."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        llm, gender, race = rng.integers(0, 6, 80), rng.integers(0, 2, 80), rng.integers(0, 3, 80)
        values = (seed % 3) * rng.normal(0, 0.3, 6)[llm] + 0.4 * gender + rng.normal(0, 1, 80)
        found = mixed_model(values, [gender, race], ["gender", "race"], llm)
        assert found is not None and found.has_converged
        x = np.column_stack([np.ones(80), gender, race == 1, race == 2])
        v = found.variance_within * np.eye(80) + found.variance_between * np.equal.outer(llm, llm)
        covariance = np.linalg.inv(x.T @ np.linalg.solve(v, x))
        b = covariance @ x.T @ np.linalg.solve(v, values)
        for term, own in zip(found.terms, ([1], [2, 3]), strict=True):
            wald = b[own] @ np.linalg.solve(covariance[np.ix_(own, own)], b[own])
            assert term.value == pytest.approx(wald, rel=1e-6)
            assert term.p_value == pytest.approx(stats.chi2.sf(wald, len(own)), rel=1e-6)


def test_a_mixed_model_is_the_same_far_from_zero():
    """Years and amounts of money lie far from zero beside how much they vary."""
    rng = np.random.default_rng(13)
    llm, gender = np.arange(240) % 80, rng.integers(0, 2, 240)
    values = rng.normal(0, 1, 80)[llm] + 0.3 * gender + rng.normal(0, 1, 240)
    found, far = (mixed_model(one, [gender], ["gender"], llm) for one in (values, values + 1e5))
    assert found is not None and far is not None and far.has_converged
    assert far.variance_between == pytest.approx(found.variance_between, rel=1e-3)
    assert far.variance_within == pytest.approx(found.variance_within, rel=1e-3)
    assert far.terms[0].value == pytest.approx(found.terms[0].value, rel=1e-3)


def test_a_mixed_model_says_what_an_attribute_adds_to_one_that_tells_it():
    rng = np.random.default_rng(12)
    llm, country = rng.integers(0, 4, 90), np.arange(90) % 6
    values = rng.normal(0, 1, 4)[llm] + 0.3 * country + rng.normal(0, 1, 90)
    found = mixed_model(values, [country // 3, country], ["continent", "country"], llm)
    assert found is not None and found.has_converged
    continent, beside = found.terms
    assert (continent.dof, beside.dof) == (0, 4) and np.isnan([continent.value, continent.p_value]).all()
    alone = mixed_model(values, [country], ["country"], llm)
    assert alone is not None and 0 < beside.value < alone.terms[0].value


def test_what_cannot_be_fitted():
    values, gender, race = units(1, 7)
    assert anova_type_2(values, [gender, race], ["gender", "race"]) == []
    assert anova_type_2(np.ones(36), [np.arange(36) % 2], ["gender"]) == []
    assert mixed_model(values, [gender], ["gender"], np.zeros(6)) is None


@pytest.mark.parametrize("away", [0.0, 0.1, 100.0])
def test_where_terms_leave_nothing_rounding_is_no_finding(away):
    """A model that goes by gender alone: F of age would be rounding over rounding."""
    gender, age = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    assert anova_type_2(away + 0.3 * gender, [gender, age], ["gender", "age"]) == []
    nearly = away + 0.3 * gender + np.random.default_rng(1).normal(0, 1e-3, 40)
    assert len(anova_type_2(nearly, [gender, age], ["gender", "age"])) == 3


def test_configs_of_one_score_each_have_no_variances():
    """Where nothing varies within configs, a search over the ratio of variances has no end."""
    config, gender = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    for values in (np.where(config == 1, 0.7, 0.2), np.where(config == 1, 0.7, 0.2) + 0.1 * gender):
        found = mixed_model(values, [gender], ["gender"], config)
        assert found is not None and not found.has_converged and not found.terms
        assert np.isnan([found.variance_between, found.variance_within]).all()


def test_assumptions_are_scipys():
    values, gender, _ = units(10, 8)
    values = np.where(gender == 1, 5 * values, values) + 3 * gender
    found = assumptions(values, gender)
    samples = [values[gender == one] for one in (0, 1)]
    left = np.concatenate([sample - sample.mean() for sample in samples])
    assert found.normality_test == "shapiro_wilk"
    assert found[1:3] == pytest.approx(tuple(stats.shapiro(left)))
    assert found[3:] == pytest.approx(tuple(stats.levene(*samples, center="median")))
    assert found.equal_variance_p < 0.01
    many = np.random.default_rng(9).exponential(size=6_000)
    found = assumptions(many, np.arange(6_000) % 2)
    assert found.normality_test == "dagostino_pearson"
    assert found.normality_p < 1e-6


def test_assumptions_of_constant_scores_cannot_be_tested():
    assert np.isnan(assumptions(np.ones(12), np.arange(12) % 2)[1:]).all()
