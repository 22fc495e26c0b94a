"""The metric dictionary: complete, true to the marts, and the page made of it."""

import csv
import re
import shutil

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

from ingest import docs
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.inference import group_statistics
from ingest.inference.group_statistics import attainable_dbi, dbi
from ingest.inference.sums import score_sums
from ingest.paths import PROJECT

METRICS = docs._read(PROJECT / docs.METRICS)
THRESHOLDS = docs._read(PROJECT / docs.THRESHOLDS)
RESULT_MARTS = (
    "fct_associations", "fct_group_deviations", "fct_score_shifts", "fct_score_tests", "fct_selection_rates",
    "fct_ground_truth", "fct_outcome_shares", "fct_failures", "fct_attribute_presence",
    "fct_summary_statistics", "fct_disparities", "fct_local_law_144", "fct_topic_examples",
    "dim_topics", "dim_topic_words", "fct_stereotypes",
    "fct_counterfactual_similarity", "fct_tool_bias", "fct_recommendations", "fct_classification_parity",
    "fct_config_differences", "fct_config_group_differences",
)  # fmt: skip
# What says which row it is, how it was made, or how many: no metric.
NO_METRIC = re.compile(
    r"n|n_.*|is_simulated|is_control|suite|domain|category|config|model|role|axis|outcome_set|outcome|feature|test"
    r"|group_value|group_a|group_b|group_extreme|reference|(chosen_)?reference_group|metric|metric_version|effect"
    r"|unbiased_effect|calibration|baseline_kind|standard|standard_value|method|sex|direction|exposure|resampling_unit|permutation_scheme"
    r"|attribute|target_list|counting|word|warning"
    r"|statistic|parameters|disparity|unit|(raw_|tool_)?group_low|(raw_|tool_)?group_high|roll_up"
    r"|form|axis_role|exclusion_reason|audited_on|(.*_)?status|ground_truth_year|(axis|group|topic|word)_position|(shown|hidden)_attributes"
    r"|compared|(config|model|role)_[ab]|measure|state|reason"
    r"|comparison|topic_set|segment|segment_value|pool|theme|scorer|centre|word|.*_key|is_answer_simulated|example_rank"
)


def mart_columns(mart):
    """Columns of a mart's last select, which stands outside brackets and ends the file."""
    (path,) = (PROJECT / "models" / "marts").rglob(f"{mart}.sql")
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"'(?:[^']|'')*'", "''", re.sub(r"--[^\n]*", "", text))
    shared = (PROJECT / "macros" / "columns" / "analysis_columns.sql").read_text(encoding="utf-8")
    shared = re.search(r"-%\}(.*?)\{%-", shared, re.DOTALL)[1].replace("{{ relation }}.", "")
    text = text.replace("{{ analysis_columns() }}", shared)
    body = re.split(r"^select$", text, flags=re.MULTILINE)[-1]
    body = re.split(r"^from ", body, flags=re.MULTILINE)[0]
    items, depth = [""], 0
    for character in body:
        depth += (character in "({[") - (character in ")}]")
        if character == "," and depth == 0:
            items.append("")
        else:
            items[-1] += character
    names = [re.search(r'(\w+)"?\s*$', item)[1] for item in items]
    assert len(names) == len(set(names)), mart
    return names


def places(row):
    return [f"{row['mart']}.{row['column']}", *filter(None, (p.strip() for p in row["also_in"].split(";")))]


@pytest.fixture(scope="module")
def examples():
    return docs.Examples(PROJECT)


def test_columns_are_found_in_sql():
    assert {"suite", "is_simulated", "cramers_v", "metric_version"} <= set(mart_columns("fct_associations"))
    assert mart_columns("dim_metrics") == list(METRICS[0])


def test_page_is_up_to_date():
    result = CliRunner().invoke(cli, ["docs", "--check"])
    assert result.exit_code == 0, result.output


def test_check_notices_a_missing_and_a_stale_page(tmp_path, monkeypatch):
    for folder in ("seeds", "macros", "models"):
        shutil.copytree(PROJECT / folder, tmp_path / folder)
    monkeypatch.setattr(docs, "PROJECT", tmp_path)
    runner = CliRunner()
    missing = runner.invoke(cli, ["docs", "--check"])
    assert missing.exit_code == 1 and "not up to date" in missing.output
    assert not (tmp_path / docs.PAGE).exists()
    assert runner.invoke(cli, ["docs"]).exit_code == 0
    assert runner.invoke(cli, ["docs", "--check"]).exit_code == 0
    thresholds = tmp_path / docs.THRESHOLDS
    thresholds.write_text(thresholds.read_text(encoding="utf-8").replace("0.25", "0.26"), encoding="utf-8")
    assert runner.invoke(cli, ["docs", "--check"]).exit_code == 1


def test_changed_formula_changes_the_page(tmp_path):
    for folder in ("seeds", "macros", "models"):
        shutil.copytree(PROJECT / folder, tmp_path / folder)
    before = docs.worked_examples(tmp_path)
    macro = tmp_path / "macros" / "formulas" / "total_variation.sql"
    macro.write_text(macro.read_text(encoding="utf-8").replace("0.5 *", "1.0 *"), encoding="utf-8")
    after = docs.worked_examples(tmp_path)
    changed = {metric for metric in before if before[metric] != after[metric]}
    assert {"fdi", "max_fdi", "mean_fdi", "idi", "bound_high"} <= changed
    assert not changed & {"jsd_nats", "cramers_v", "dbi", "p_holm"}


def test_every_metric_is_told_in_full():
    assert len({(row["metric"], row["metric_version"]) for row in METRICS}) == len(METRICS)
    for row in METRICS:
        for column in ("title", "formula", "unit", "better", "mart", "column", "spec", "explanation"):
            assert row[column], (row["metric"], column)
        assert "NaN" not in row["explanation"]
        assert row["better"] in docs.BETTER


def test_every_metric_stands_where_it_says():
    for row in METRICS:
        for place in places(row):
            mart, column = place.split(".")
            assert column in mart_columns(mart), (row["metric"], place)
        for column in re.findall(r"(\w+) =", row["row_filter"]):
            assert column in mart_columns(row["mart"]), row["metric"]


@pytest.mark.parametrize("mart", RESULT_MARTS)
def test_every_number_of_a_mart_is_in_the_dictionary(mart):
    known = {place for row in METRICS for place in places(row)}
    numbers = [column for column in mart_columns(mart) if not NO_METRIC.fullmatch(column)]
    assert numbers
    assert [column for column in numbers if f"{mart}.{column}" not in known] == []


def test_every_judged_metric_is_in_the_dictionary_with_the_same_unit():
    by_name = {row["metric"]: row for row in METRICS}
    better = {"higher_is_worse": "lower", "lower_is_worse": "higher"}
    for threshold in THRESHOLDS:
        row = by_name[threshold["metric"]]
        assert threshold["unit"] == row["unit"], threshold
        assert better[threshold["direction"]] == row["better"], threshold
        for limit in filter(None, (threshold["green_limit"], threshold["red_limit"])):
            assert float(row["range_low"]) <= float(limit)
            assert not row["range_high"] or float(limit) <= float(row["range_high"])


def test_seed_is_valid_for_its_column_types():
    types = ", ".join(f"'{name}': 'double'" for name in ("range_low", "range_high"))
    seed = f"read_csv(?, header = true, types = {{{types}}})"
    query = f"select count(*), min(range_low), max(range_high) from {seed}"
    n, low, high = duckdb.execute(query, [str(PROJECT / docs.METRICS)]).fetchall()[0]
    assert (n, low, high) == (len(METRICS), -1, 2)


# Figures of SPEC 20, rounded as the page rounds them.
GOLDEN = {
    "chi_square": ["5.3333", "28.3333"],
    "chi_square_yates": ["4.32"],
    "p_value": ["0.0209", "0.0368"],
    "p_value_chi_square": ["0.0209", "1.07e-05"],
    "p_value_yates": ["0.0377"],
    "cramers_v": ["0.2582", "0.3239"],
    "fdi": ["0.2222, 0.1111, 0.2222"],
    "max_fdi": ["0.125"],
    "jsd_nats": ["0.0091, 0.008"],
    "dbi": ["-0.479, 0.7783, -0.2994"],
    "welch_t": ["-2.0642", "6.6203"],
    "p_value_score": ["0.0802", "0.0729", "0.0902"],
    "cohens_d": ["-1.3055"],
    "hedges_g": ["-1.1792"],
    "anova_f": ["2.9591"],
    "eta_squared": ["0.3303"],
    "impact_ratio": ["0.6667"],
    "impact_ratio_low": ["0.4661, 0.9535"],
    "impact_ratio_z": ["-2.3094"],
    "wilson_high": ["0.5981, 0.8581", "0.2775"],
    "p_holm": ["0.005, 0.04, 0.06, 0.08, 0.3"],
    "q_value": ["0.005, 0.025, 0.0333, 0.05, 0.3"],
    "min_attainable_p": ["0.1,", "0.0667", "0.0286"],
    # By hand: 0.6 - 0.1; 0.1 / 0.6; gap 0.45 of range 0.5; 0.9 - 0.83.
    "group_range": [": 0.5."],
    "min_max_ratio": [": 0.1667."],
    "dixon_q": ["0.04 at the low end, 0.9 at"],
    "critical_margin": ["0.9 - 0.83 = 0.07"],
    # Two of four values lie 0.1 or less from their baseline; five of six pairs are in order.
    "precision": [": 0.5."],
    "baseline_correlation": ["tau-b 0.6667"],
    # Level with the median is not above it: none of A's four scores, two of B's.
    "scoring_rate": ["median is 0.5, the scoring rates are 0, 0.5, the impact ratios 0, 1"],
    # By hand: clusters of 2 + 1 and 2 + 1 answers, the mean of the first at 1 / 3; cosine of 45 degrees.
    "topic_share": [": 0.5, 0.5."],
    "distance_to_centroid": ["lies 0.3333 from"],
    "word_share": [": 1 and 0."],
    "centre_similarity": [": 0.7071."],
    # By hand: 1 - 20 / 25; 3 + 1; sqrt(9 + 1).
    "cosine_distance_wrt_baseline": ["(3, 4) and (0, 5): 0.2."],
    "l1_distance_wrt_baseline": [": 4."],
    "l2_distance_wrt_baseline": [": 3.1623."],
    "cooccurrence_bias": ["confident 0.1584"],
    "stereotypical_associations": ["confident 0, emotional 0.5, of the list 0.25"],
    "signed_value": ["is -0.1584"],
    # By hand: 1/3 and 0; 0.6 and 0.4; one of two.
    "stereotype_fraction": [": 0.1667."],
    "expected_maximum_stereotype": [": 0.5."],
    "stereotype_probability": [": 0.5."],
    # By hand: sorted a -0.25, 0, 0.5, 0.75 and b 0.25, 0.5, 0.75, 1; one of four above 0.5, and two of four.
    "sentiment_bias_strict": [": 0.375."],
    "sentiment_bias_weak": [": -0.25."],
    # By hand: 0.75 - 0.25, 0.5 - 0.25; 1/2 - 1/3.
    "selection_rate_range": ["Of a 0.5, of b 0.25."],
    "config_difference": ["0.3333 and 0.5: 0.1667."],
    "difference_p": ["No p below 0.25 was possible."],
    # 9 of 11 words in the same order on both sides.
    "counterfactual_rouge_l": [": 0.8182."],
    # By hand: a, d of six; 4 and 1 of 10; a before b and c, not d, of six pairs.
    "recommendation_jaccard": [": 0.3333."],
    "recommendation_serp": [": 0.5."],
    "recommendation_prag": [": 0.3333."],
    "false_omission_rate": [": 0.4."],
    "parity_difference": [": 0.25."],
    # 0.6 - 0.1; of it 0.3 - 0.1 is the baselines'.
    "explained_share": ["0.5 raw and 0.3 calibrated, explained 0.4."],
    "variance": ["0.1267 with divisor n - 1, 0.095 with n"],
}


def test_examples_give_the_golden_numbers():
    shown = docs.worked_examples(PROJECT)
    for metric, figures in GOLDEN.items():
        for figure in figures:
            assert figure in shown[metric], (metric, shown[metric])


@pytest.mark.parametrize(
    ("analysis", "table"), [(1, docs.TWO_BY_TWO), (2, docs.THREE_BY_THREE), (3, docs.UNEQUAL)]
)
def test_sql_and_python_agree_on_tables(examples, analysis, table):
    row = examples.association(analysis)
    for name in ("chi_square", "cramers_v", "cramers_v_corrected"):
        np.testing.assert_allclose(row[name], getattr(group_statistics, name)(table), rtol=0, atol=1e-9)
    for reference in ("pooled", "macro"):
        for name in ("fdi", "jsd_nats"):
            found = examples.deviations(analysis, name, "value", reference)
            expected = getattr(group_statistics, name)(table, reference)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    bound = 1 - table.sum(1) / table.sum()
    np.testing.assert_allclose(examples.deviations(analysis, "fdi", "attainable_max"), bound, atol=1e-12)


def test_sql_and_python_agree_on_scores(examples):
    three = np.stack([score_sums(scores).sum(0) for scores in docs.SCORES])
    np.testing.assert_allclose(examples.scores("dbi"), dbi(three), atol=1e-9)
    np.testing.assert_allclose(examples.scores("attainable_max"), attainable_dbi([1 / 3] * 3), atol=1e-9)
    anova = examples.score_test(5, "anova")
    names = {"value": "anova_f", "effect_value": "eta_squared", "unbiased_effect_value": "omega_squared"}
    for column, name in names.items():
        np.testing.assert_allclose(anova[column], getattr(group_statistics, name)(three), atol=1e-9)
    welch = examples.score_test(4, "welch_t")
    names = {
        "value": "welch_t",
        "dof": "welch_dof",
        "effect_value": "cohens_d",
        "unbiased_effect_value": "hedges_g",
    }
    for column, name in names.items():
        np.testing.assert_allclose(welch[column], getattr(group_statistics, name)(three[:2]), atol=1e-9)


def test_repeats_of_a_name_are_not_new_evidence(examples):
    by_answer, by_name = examples.by_answer["chi_square", None], examples.by_name["chi_square", None]
    assert by_answer.value == by_name.value
    assert (by_answer.n_units, by_name.n_units) == (80, 16)
    assert by_answer.p_value < 0.1 < 0.4 < by_name.p_value


def test_text_of_a_seed_is_escaped():
    assert docs._text("<b>a|b</b> [x](y) *z* `c`") == (r"&lt;b&gt;a\|b&lt;/b&gt; \[x\](y) \*z\* \`c\`")
    assert docs._text("ci_low and _it_") == r"ci_low and \_it\_"
    assert docs._code("a`b") == "`a'b`"


def test_metric_without_example_is_named(tmp_path):
    for folder in ("seeds", "macros", "models"):
        shutil.copytree(PROJECT / folder, tmp_path / folder)
    path = tmp_path / docs.METRICS
    rows = [row for row in METRICS if row["metric"] != "fdi"] + [{**METRICS[0], "metric": "made_up"}]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(METRICS[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(PlumblineError, match=r"differ: fdi, made_up\."):
        docs.render(tmp_path)


def test_broken_seed_is_an_error_with_its_record(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("a,b\n1,2\n3\n", encoding="utf-8")
    with pytest.raises(PlumblineError, match="record 2"):
        docs._read(path)
    with pytest.raises(PlumblineError, match="does not exist"):
        docs._read(tmp_path / "none.csv")
