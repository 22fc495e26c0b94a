"""The edge cases of SPEC 19 and the golden numbers of SPEC 20: which test holds each.

A name is a function of a file here, or a unit test of a dbt model. The tables are checked: what they name is
there, and no case of the specification is missing from them.
"""

import re

import duckdb
import pytest
from places import ROOT

from ingest.suite import normalise_label
from ingest.suite.definition import phrase_pattern

CASES = {
    "Group with zero rows": (
        "test_groups_without_values_are_listed_and_not_compared",
        "rates_of_favourable_answers",
        "score_shifts_list_groups_without_a_score",
        "impact_ratios_golden",
        "test_group_without_responses_is_listed_and_left_out",
    ),
    "Group all NULL": (
        "test_groups_without_values_are_listed_and_not_compared",
        "rates_of_favourable_answers",
        "score_shifts_list_groups_without_a_score",
    ),
    "One group": (
        "test_one_group",
        "test_one_group_is_not_judged",
        "selection_rate_where_nobody_is_selected",
        "verdict_of_every_state",
    ),
    "All values equal": (
        "test_all_values_equal",
        "moments_golden",
        "modes_and_divergences_golden",
        "test_columns_that_do_not_vary_have_no_z_and_no_doubt",
    ),
    "All SR = 0": ("impact_ratios_golden", "test_nobody_selected", "selection_rate_where_nobody_is_selected"),
    "Some SR = 0": ("selection_rate_where_nobody_is_selected", "test_nobody_selected"),
    "Negative statistics": ("test_negative_statistics_have_no_ratio",),
    "Calibrated S < 0 with within-percentage": ("test_a_negative_standard_selects_by_its_size",),
    "Ties for max or min": ("test_ties_name_every_group",),
    "NaN in input": (
        "test_what_is_no_number_is_missing_with_a_reason",
        "test_a_baseline_that_is_no_number_is_missing",
        "ready_measurements_are_finite_or_null",
        "measurements_that_are_no_number_become_null",
    ),
    "Duplicate responses": ("test_a_key_twice_in_a_file", "test_what_is_stored_is_never_overwritten"),
    "K = 31": ("test_more_groups_than_dixon_has_critical_values_for", "test_all_cases_are_there"),
    "2x2 with zero row": (
        "association_needs_two_groups_and_two_outcomes",
        "test_zero_rows_and_columns_are_dropped",
    ),
    "E < 5": (
        "association_with_small_expected_counts_is_tested_exactly",
        "test_monte_carlo_matches_fisher_and_chi_square",
    ),
    "One outcome category only": (
        "deviation_of_one_outcome_is_zero_and_of_one_group_is_null",
        "association_needs_two_groups_and_two_outcomes",
        "test_one_outcome",
    ),
    "Attribute absent from prompts": (
        "test_an_axis_that_no_prompt_shows_is_a_control",
        "multiplicity_with_ties_controls_and_missing_values",
        "verdict_of_every_state",
    ),
    "Text without any lexicon word": ("test_texts_without_a_listed_word_count_for_coverage_only",),
    "Target word equals protected word": ("test_a_list_that_cannot_be_counted_is_refused_with_its_line",),
    "Empty, whitespace, emoji-only, 100k-character text": (
        "test_vader_measures_any_text",
        "test_long_texts_are_capped_and_empty_ones_are_no_zero",
        "test_a_text_of_100_000_characters_is_cut_at_256_tokens",
        "test_an_answer_of_nothing_is_counted_and_never_scored",
    ),
    "Non-Latin scripts": (
        "test_words_of_any_script_are_whole_words",
        "test_labels_of_any_script_are_folded",
        "tokens_golden",
    ),
    "Refusal in one group only": (
        "impact_ratio_bounds_fill_in_what_is_missing",
        "bounds_fill_in_what_is_missing",
        "test_a_group_that_never_answers_is_listed",
        "test_bounds_widen_where_answers_are_missing",
    ),
    "Model digest changes mid-run": ("test_a_changed_digest_stops_the_run_and_disowns_doubtful_answers",),
    "Response in another language than the prompt": (
        "test_answers_in_another_language_are_flagged",
        "test_languages",
        "answers_in_another_language_are_flagged_and_kept",
    ),
    "Run with zero successful responses": ("test_a_run_without_a_single_answer_judges_nothing",),
    # Not in the specification's list, and of the same kind.
    "A combination of attributes that was never asked": (
        "test_where_a_combination_was_never_asked_no_test_is_valid",
        "verdict_of_every_state",
    ),
}
# Parts that are not here yet, or are tested where they are.
OPEN = {}
SPECIFIED = 24

GOLDEN = {
    "Selection, range, z": (
        "standards_golden",
        "impact_ratios_golden",
        "test_examples_give_the_golden_numbers",
        "test_selection",
    ),
    "Variance (m-1), skew, kurtosis": ("moments_golden", "test_golden_variance_skewness_kurtosis"),
    "DuckDB shape": ("moments_golden",),
    "KL, 10 bins on 0-1": ("modes_and_divergences_golden", "test_golden_divergence"),
    "2x2": ("association_golden_two_by_two", "deviation_golden_two_by_two", "test_two_by_two"),
    "Impact ratio": ("selection_rate_golden", "selection_rate_where_nobody_is_selected"),
    "3x3": ("association_golden_three_by_three", "deviation_golden_three_by_three", "test_three_by_three"),
    "Two samples": ("score_tests_golden_two_samples", "test_two_samples"),
    "Three samples": (
        "score_tests_golden_three_samples",
        "bias_index_golden_three_samples",
        "test_three_samples",
    ),
    "Multiplicity": ("multiplicity_golden",),
    "COBS (published)": ("test_published_example",),
    "SA (published)": ("test_published_example",),
    "LL144 scoring example": ("test_published_scoring_examples",),
    "FAIR-SEA public CSV": ("test_metrics_are_the_references",),
}


def defined() -> set[str]:
    """Names of every test function and of every unit test of a model."""
    names = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        names |= set(re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE))
    for path in (ROOT / "models").rglob("*.yml"):
        _, _, unit_tests = path.read_text("utf-8").partition("unit_tests:")
        names |= set(re.findall(r"^  - name: (\w+)", unit_tests, re.MULTILINE))
    return names


@pytest.mark.parametrize("table", [CASES, GOLDEN], ids=["edge cases", "golden numbers"])
def test_what_the_table_names_is_there(table):
    known = defined()
    assert {case: [name for name in names if name not in known] for case, names in table.items()} == {
        case: [] for case in table
    }


def test_no_case_of_the_specification_is_left_out():
    assert len(CASES) - 1 + len(OPEN) == SPECIFIED
    assert not set(CASES) & set(OPEN)


@pytest.mark.parametrize(
    ("phrase", "text", "is_found"),
    [
        ("नर्स", "वह एक नर्स है", True),
        ("नर्स", "नर्सें आईं", False),
        ("செவிலியர்", "அவர் செவிலியர்.", True),
        ("செவிலியர்", "செவிலியர்கள்", False),
        ("médecin", "le médecin.", True),
        ("medecin", "médecins", False),
        ("врач", "Она — врач!", True),
        ("врач", "врачи", False),
        ("護士", "她是「護士」", True),
        ("護士", "護士長", False),
        ("🙂", "🙂", True),
    ],
)
def test_words_of_any_script_are_whole_words(phrase, text, is_found):
    """Vowel signs are part of a word: a stem is not found inside an inflected form."""
    found = duckdb.execute("select regexp_matches(?, ?)", [text, phrase_pattern(phrase)]).fetchall()
    assert found == [(is_found,)]


def test_labels_of_any_script_are_folded():
    assert normalise_label("ＮＵＲＳＥ  ") == normalise_label("nurse")
    assert normalise_label("நோயாளி") != normalise_label("நோயாளிகள்")
