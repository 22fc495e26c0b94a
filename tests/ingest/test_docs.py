"""The metric dictionary: complete, true to the marts, and the page made of it."""

import csv
import re
import shutil
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from ingest import docs, guide_tables, scorers
from ingest.backends import simulated
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.inference import group_statistics
from ingest.inference.group_statistics import attainable_dbi, dbi
from ingest.inference.sums import score_sums
from ingest.metrics_page import closure, page
from ingest.metrics_page.dictionary import SEED, TYPES, dictionary, read_metrics
from ingest.metrics_page.examples import worked_examples
from ingest.metrics_page.given import given
from ingest.paths import PROJECT
from ingest.scorers import vader
from ingest.seeds import read_seed

ENTRIES = read_metrics(PROJECT)
METRICS = read_seed(PROJECT, "metrics")
THRESHOLDS = read_seed(PROJECT, "thresholds")
RESULT_MARTS = (
    "fct_associations", "fct_group_deviations", "fct_score_shifts", "fct_score_tests", "fct_selection_rates",
    "fct_ground_truth", "fct_outcome_shares", "fct_failures", "fct_attribute_presence",
    "fct_summary_statistics", "fct_disparities", "fct_local_law_144", "fct_topic_examples",
    "dim_topics", "dim_topic_words", "fct_stereotypes",
    "fct_counterfactual_similarity", "fct_tool_bias", "fct_recommendations", "fct_classification_parity",
    "fct_config_differences", "fct_config_group_differences", "fct_treatment_shifts",
)  # fmt: skip
# What says which row it is, how it was made, or how many: no metric.
NO_METRIC = re.compile(
    r"n|n_.*|is_simulated|is_control|suite|domain|category|config|model|role|axis|outcome_set|outcome|feature|test"
    r"|group_value|group_a|group_b|group_extreme|reference|(chosen_)?reference_group|metric|metric_version|effect"
    r"|unbiased_effect|calibration|baseline_kind|standard|standard_value|method|sex|direction|exposure|resampling_unit|permutation_scheme"
    r"|attribute|target_list|counting|word|warning"
    r"|statistic|parameters|disparity|unit|(raw_|tool_)?group_low|(raw_|tool_)?group_high|roll_up|pooled_categories"
    r"|form|axis_role|exclusion_reason|audited_on|(.*_)?status|ground_truth_year|published_(by|on)"
    r"|source_url|licence|figure_kind|(axis|group|topic|word)_position|(shown|hidden)_attributes"
    r"|compared|(config|model|role)_[ab]|measure|state|reason"
    r"|treatment|treatment_kind|config_(control|treated)|part"
    r"|comparison|topic_set|segment|segment_value|pool|theme|scorer|centre|word|.*_key|is_answer_simulated|example_rank"
)


@cache
def mart_columns(mart):
    """Columns of a mart, as its contract lists them: no build passes where its select gives others."""
    (path,) = (PROJECT / "models" / "marts").rglob(f"{mart}.yml")
    (model,) = yaml.safe_load(path.read_text(encoding="utf-8"))["models"]
    return [column["name"] for column in model["columns"]]


def places(row):
    return [f"{row['mart']}.{row['column']}", *filter(None, (p.strip() for p in row["also_in"].split(";")))]


@pytest.fixture(scope="module")
def sql():
    return given(PROJECT)[0]


@pytest.fixture(scope="module")
def examples():
    return worked_examples(PROJECT, ENTRIES)


FOLDERS = ("seeds", "macros", "models", "docs")


def files_of(project):
    """Each file of what the dictionary is made of, with its size and when it was written."""
    files = (file for folder in FOLDERS for file in (project / folder).rglob("*") if file.is_file())
    return {file.relative_to(project): (file.stat().st_size, file.stat().st_mtime_ns) for file in files}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name in FOLDERS:
        shutil.copytree(PROJECT / name, folder / name)
    return folder, files_of(folder)


@pytest.fixture
def project(copied):
    """A copy of what the dictionary is made of, for a test to change."""
    folder, before = copied
    yield folder
    after = files_of(folder)
    for file in after.keys() - before.keys():
        (folder / file).unlink()
    for file in before.keys() - {file for file, found in after.items() if found == before.get(file)}:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PROJECT / file, folder / file)


def gaps(project, examples):
    return closure.gaps(project, ENTRIES, dictionary(project, ENTRIES), examples)


def edit_rows(project, seed, change):
    """Rewrite the rows of a seed: `change` takes and returns a list of mappings."""
    rows = change(read_seed(project, seed))
    with (project / "seeds" / f"{seed}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_columns_are_those_of_the_contract():
    assert {"suite", "is_simulated", "cramers_v", "metric_version"} <= set(mart_columns("fct_associations"))
    assert mart_columns("dim_metrics") == list(METRICS[0]) == list(TYPES)


def test_pages_are_up_to_date_and_the_dictionary_closes():
    result = CliRunner().invoke(cli, ["docs", "--check"])
    assert result.exit_code == 0, result.output


def test_check_notices_a_missing_a_stale_and_a_left_over_page(project, monkeypatch):
    monkeypatch.setattr(docs, "PROJECT", project)
    runner = CliRunner()
    (project / page.INDEX).unlink()
    thresholds = project / "seeds" / "thresholds.csv"
    thresholds.write_text(thresholds.read_text(encoding="utf-8").replace("0.25", "0.26"), encoding="utf-8")
    (project / "docs" / "metrics" / "gone.md").write_text("# Gone", encoding="utf-8")
    refused = runner.invoke(cli, ["docs", "--check"])
    assert refused.exit_code == 1 and "Not up to date: docs/metrics.md, " in refused.output
    assert "docs/metrics/deviations.md" in refused.output and "docs/metrics/gone.md" in refused.output
    assert not (project / page.INDEX).exists()
    (project / "docs" / "metrics" / "gone.md").unlink()
    assert runner.invoke(cli, ["docs"]).exit_code == 0
    assert runner.invoke(cli, ["docs", "--check"]).exit_code == 0


def test_changed_formula_changes_the_examples(project, examples):
    macro = project / "macros" / "formulas" / "total_variation.sql"
    macro.write_text(macro.read_text(encoding="utf-8").replace("0.5 *", "1.0 *"), encoding="utf-8")
    after = worked_examples(project, ENTRIES)
    changed = {metric for metric in examples if examples[metric] != after[metric]}
    assert {"fdi", "max_fdi", "mean_fdi", "idi", "bound_high"} <= changed
    assert not changed & {"jsd_nats", "cramers_v", "dbi", "p_holm"}
    named = [gap.split(":")[0] for gap in gaps(project, after)]
    assert "docs/metrics/deviations/fdi.yml" in named and "docs/metrics/outcomes/cramers_v.yml" not in named


def test_every_metric_is_told_in_full():
    assert len({(row["metric"], row["metric_version"]) for row in METRICS}) == len(METRICS)
    for row in METRICS:
        for column in ("title", "formula", "unit", "better", "mart", "column", "spec", "explanation"):
            assert row[column], (row["metric"], column)
        assert "NaN" not in row["explanation"]
        assert row["better"] in page.BETTER


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
    told = "a file docs/metrics/<family>/<metric>.yml, or a metric's `also_in`, has to name it"
    assert [f"{mart}.{column}: {told}" for column in numbers if f"{mart}.{column}" not in known] == []


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
    n, low, high = duckdb.execute(query, [str(PROJECT / SEED)]).fetchall()[0]
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
    "toxic_fraction": [": 0.1667."],
    "expected_maximum_toxicity": [": 0.5."],
    "toxicity_probability": [": 0.5."],
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


def test_examples_give_the_golden_numbers(examples):
    for metric, figures in GOLDEN.items():
        for figure in figures:
            assert figure in examples[metric].text, (metric, examples[metric])


def one(sql, query, *parameters):
    (row,) = sql.rows(query, parameters)
    return row


@pytest.mark.parametrize("analysis", [1, 2, 3])
def test_sql_and_python_agree_on_tables(sql, analysis):
    answers = "select group_value, outcome from int_responses_analysed where analysis_key = ?"
    cells = [tuple(row.values()) for row in sql.rows(answers, [analysis])]
    groups, outcomes = (sorted(set(names)) for names in zip(*cells, strict=True))
    table = np.array(
        [[cells.count((group, outcome)) for outcome in outcomes] for group in groups], dtype=float
    )
    row = one(sql, "from int_associations_computed where analysis_key = ?", analysis)
    for name in ("chi_square", "cramers_v", "cramers_v_corrected"):
        np.testing.assert_allclose(row[name], getattr(group_statistics, name)(table), rtol=0, atol=1e-9)
    wanted = "from deviations where analysis_key = ? and metric = ? and reference = ?"
    for reference in ("pooled", "macro"):
        for name in ("fdi", "jsd_nats"):
            found = one(sql, wanted, analysis, name, reference)["by_group"]
            np.testing.assert_allclose(
                found, getattr(group_statistics, name)(table, reference), rtol=0, atol=1e-9
            )
    bound = 1 - table.sum(1) / table.sum()
    np.testing.assert_allclose(one(sql, wanted, analysis, "fdi", "pooled")["bounds"], bound, atol=1e-12)


def test_sql_and_python_agree_on_scores(sql):
    values = (
        "select list(value) as scores from int_responses_analysed where analysis_key = 5 group by group_value"
    )
    rows = sql.rows(f"{values} order by group_value")
    three = np.stack([score_sums(row["scores"]).sum(0) for row in rows])
    found = sql.rows("from int_scores_computed where analysis_key = 5 order by group_value")
    np.testing.assert_allclose([row["dbi"] for row in found], dbi(three), atol=1e-9)
    bounds = [row["attainable_max"] for row in found]
    np.testing.assert_allclose(bounds, attainable_dbi([1 / 3] * 3), atol=1e-9)
    test = "from int_score_tests_computed where analysis_key = ? and test = ?"
    anova = one(sql, test, 5, "anova")
    names = {"value": "anova_f", "effect_value": "eta_squared", "unbiased_effect_value": "omega_squared"}
    for column, name in names.items():
        np.testing.assert_allclose(anova[column], getattr(group_statistics, name)(three), atol=1e-9)
    welch = one(sql, test, 4, "welch_t")
    names = {
        "value": "welch_t",
        "dof": "welch_dof",
        "effect_value": "cohens_d",
        "unbiased_effect_value": "hedges_g",
    }
    for column, name in names.items():
        np.testing.assert_allclose(welch[column], getattr(group_statistics, name)(three[:2]), atol=1e-9)


def test_repeats_of_a_name_are_not_new_evidence(sql):
    query = "from resampled where statistic = 'chi_square' and design = ?"
    by_answer, by_name = one(sql, query, "80 names"), one(sql, query, "16 names")
    assert by_answer["value"] == by_name["value"]
    assert (by_answer["n_units"], by_name["n_units"]) == (80, 16)
    assert by_answer["p_value"] < 0.1 < 0.4 < by_name["p_value"]


def test_text_of_a_seed_is_escaped():
    assert page._text("<b>a|b</b> [x](y) *z* `c`") == (r"&lt;b&gt;a\|b&lt;/b&gt; \[x\](y) \*z\* \`c\`")
    assert page._text("ci_low and _it_") == r"ci_low and \_it\_"
    assert page._code("a`b") == "`a'b`"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("title: Fairness", "heading: Fairness", "fdi.yml lacks title"),
        ("spec: FS-3", "spec: FS-3\nrange: 1", "fdi.yml: range is no key"),
        ("  says: >-", "  tells: >-", "fdi.yml: the example says nothing"),
        ("at most {bound}", "at most {limit}", "fdi.yml: the example has no limit"),
    ],
)
def test_broken_metric_is_an_error_with_its_file(project, before, after, told):
    path = project / "docs" / "metrics" / "deviations" / "fdi.yml"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(PlumblineError, match=told):
        worked_examples(project, read_metrics(project))


def test_broken_seed_is_an_error_with_its_record(tmp_path):
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "broken.csv").write_text("a,b\n1,2\n3\n", encoding="utf-8")
    with pytest.raises(PlumblineError, match="record 2"):
        read_seed(tmp_path, "broken")
    with pytest.raises(PlumblineError, match="does not exist"):
        read_seed(tmp_path, "none")


# ---------------------------------------------------------------------------------- the check closes

TRIMMED_MEAN = """\
{# Mean without the smallest and the largest value. #}
{% macro statistic_trimmed_mean(parameters) -%}
    case when count(value) > 2 then (sum(value) - min(value) - max(value)) / (count(value) - 2) end
{%- endmacro %}
"""
GINI = """\
{# Mean absolute difference of two groups, over twice the mean. #}
{% macro disparity_gini(parameters) -%}
    {{ return({
        'value': ratio(
            'list_sum(list_transform(ascending, lambda x, i: (2 * i - n_groups - 1) * x))',
            'n_groups * list_sum(ascending)'
        ),
        'status': "case when n_groups < 2 then 'single_group' else 'zero_denominator' end",
        'bound': '1 - 1 / n_groups'
    }) }}
{%- endmacro %}
"""


def trimmed_mean(**changes):
    row = {"statistic_id": "24", "statistic": "trimmed_mean", "parameters": "", "stage": "aggregate"}
    row |= {"macro": "statistic_trimmed_mean", "needs_baseline": "false", "min_n": "3"}
    row |= {"null_status": "too_few", "unit": "score units", "is_non_negative": "false"}
    row |= {"title": "Trimmed mean", "formula": "mean without the two ends", "source": "", "peer": ""}
    return row | {"explanation": "A mean that no single answer moves.", "example": "0.2"} | changes


def gini(**changes):
    row = {"disparity_id": "16", "disparity": "gini", "macro": "disparity_gini", "parameters": ""}
    row |= {"applies_to": "all", "unit": "ratio", "better": "lower", "title": "Gini between groups"}
    row |= {"formula": "mean difference / (2 × mean)", "source": "Gini (1912)", "peer": "", "none_at": "0"}
    # (2 × (0.3375 + 0.2875 + 0.05)) / 9 over 2 × 0.3708333
    row |= {"report": "rpt_disparities", "explanation": "How unevenly groups share.", "example": "0.2022472"}
    return row | changes


def add(project, macro, text, seed, row):
    """Add a macro and a row: all that a new statistic or disparity takes."""
    if text:
        (project / "macros" / macro).write_text(text, encoding="utf-8")
    if row:
        edit_rows(project, seed, lambda rows: [*rows, row])


@pytest.mark.parametrize(
    ("text", "row", "told"),
    [
        (TRIMMED_MEAN, trimmed_mean(), None),
        (
            TRIMMED_MEAN,
            None,
            "seeds/statistics.csv: add a row for macros/statistics/statistic_trimmed_mean.sql",
        ),
        (None, trimmed_mean(), "macros/statistics/statistic_trimmed_mean.sql: add it"),
        (None, trimmed_mean(macro=""), "ingest/inference/samples.py: add trimmed_mean to KERNELS"),
        (TRIMMED_MEAN, trimmed_mean(explanation=""), "docs/metrics/measurements/trimmed_mean.yml"),
        (TRIMMED_MEAN, trimmed_mean(unit=""), "seeds/statistics.csv, trimmed_mean: give its unit"),
        (TRIMMED_MEAN, trimmed_mean(example=""), "seeds/statistics.csv, trimmed_mean: give its example"),
        (TRIMMED_MEAN, trimmed_mean(example="0.3"), "seeds/statistics.csv, trimmed_mean: the example is 0.3"),
    ],
)
def test_a_statistic_is_a_macro_and_a_row(project, examples, text, row, told):
    add(project, "statistics/statistic_trimmed_mean.sql", text, "statistics", row)
    found = gaps(project, examples)
    assert found == [] if told is None else (len(found) == 1 and told in found[0]), found


@pytest.mark.parametrize(
    ("text", "row", "told"),
    [
        (GINI, gini(), None),
        (GINI, None, "seeds/disparities.csv: add a row for macros/disparities/disparity_gini.sql"),
        (None, gini(), "macros/disparities/disparity_gini.sql: add it"),
        (GINI, gini(explanation=""), "docs/metrics/disparities/gini.yml"),
        (GINI, gini(report=""), "seeds/disparities.csv, gini: give its report"),
        (GINI, gini(report="rpt_nulls"), "seeds/disparities.csv, gini: rpt_nulls does not show it"),
        (GINI, gini(report="rpt_summary_statistics"), "gini: rpt_summary_statistics does not show it"),
        (GINI, gini(example="0.2"), "seeds/disparities.csv, gini: the example is 0.2"),
    ],
)
def test_a_disparity_is_a_macro_and_a_row(project, examples, text, row, told):
    add(project, "disparities/disparity_gini.sql", text, "disparities", row)
    found = gaps(project, examples)
    assert found == [] if told is None else (len(found) == 1 and told in found[0]), found


def test_what_a_row_tells_is_on_a_page(project, examples):
    add(project, "statistics/statistic_trimmed_mean.sql", TRIMMED_MEAN, "statistics", trimmed_mean())
    add(project, "disparities/disparity_gini.sql", GINI, "disparities", gini())
    pages = page.render(project, ENTRIES, dictionary(project, ENTRIES), examples)
    for family, metric in (("measurements", "trimmed_mean"), ("disparities", "gini")):
        assert f"metrics/{family}.md#{metric})" in pages[page.INDEX]
        assert f"\n## {metric}\n" in pages[page.METRICS / f"{family}.md"]
        assert f"\n| {metric} |" in pages[page.METRICS / f"{family}.md"]
        assert "SPEC \n" not in pages[page.METRICS / f"{family}.md"]


@pytest.mark.parametrize(
    ("seed", "column", "name", "told"),
    [
        ("pair_metrics", "metric", "counterfactual_meteor", "docs/metrics/pairs/counterfactual_meteor.yml"),
        (
            "pair_metrics",
            "metric",
            "recommendation_ndcg",
            "docs/metrics/recommendations/recommendation_ndcg.yml",
        ),
        ("compared_statistics", "metric", "mean_gap", "docs/metrics/<family>/mean_gap.yml"),
        ("compared_statistics", "statistic", "gap", "group_statistics.py: add gap to STATISTICS"),
        ("thresholds", "metric", "max_gap", "docs/metrics/<family>/max_gap.yml"),
        ("thresholds", "metric", "cohens_d", "seeds/judged_metrics.csv: add cohens_d"),
        ("distances", "macro", "distance_chebyshev", "macros/distances/distance_chebyshev.sql"),
        ("distances", "distance", "chebyshev", "docs/metrics/measurements/chebyshev.yml"),
        ("selection_standards", "macro", "standard_trimmed", "macros/selection/standard_trimmed.sql"),
        ("selection_methods", "title", "", "seeds/selection_methods.csv, larger: give its title"),
    ],
)
def test_a_row_that_nothing_explains_is_named(project, examples, seed, column, name, told):
    edit_rows(project, seed, lambda rows: [*rows, rows[0] | {column: name}])
    assert [gap for gap in gaps(project, examples) if told in gap]


def test_a_registered_function_without_an_entry_is_named(monkeypatch, examples):
    monkeypatch.setitem(closure.STATISTICS, "made_up", None)
    monkeypatch.setitem(closure.KERNELS, "made_up", None)
    assert [gap.split(":")[0] for gap in gaps(PROJECT, examples)] == [
        "docs/metrics/<family>/made_up.yml",
        "seeds/statistics.csv",
    ]


def test_a_mart_without_a_report_is_named(project, examples):
    for path in (project / "models").rglob("*.sql"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("ref('fct_stereotypes')", "ref('fct_score_tests')"), encoding="utf-8")
    assert [gap for gap in gaps(project, examples) if "add a table that reads fct_stereotypes" in gap]


RULE = """
{% macro outcome_rule_ends(text, rule) -%}
    if(ends_with({{ text }}, {{ rule }}.phrase), 0, -1)
{%- endmacro %}
"""
ROW = {
    "kind": "ends", "macro": "outcome_rule_ends", "explanation": "the phrase that ends it",
    "phrase_form": "", "phrase": "so.", "read": "I think so.", "unread": "So I think.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "seeds/outcome_rules.csv: add a row for macros/outcome_rules/outcome_rule_ends.sql."),
        ({}, None),
        ({"explanation": ""}, "ends: give its explanation, which label an answer gets."),
        ({"unread": ""}, "seeds/outcome_rules.csv, ends: give its unread, to try the macro with."),
        ({"read": "No."}, "seeds/outcome_rules.csv, ends: 'so.' does not fit the text in read, 'No.'."),
        ({"unread": "Yes, so."}, "seeds/outcome_rules.csv, ends: 'so.' fits the text in unread, 'Yes, so.'."),
        ({"phrase_form": "[0-9]+"}, "ends: the phrase 'so.' is not of its own phrase_form."),
        (
            {"kind": "begins", "macro": "outcome_rule_begins"},
            "macros/outcome_rules/outcome_rule_begins.sql: add it; seeds/outcome_rules.csv, begins needs it.",
        ),
    ],
)  # fmt: skip
def test_a_kind_of_rule_is_a_macro_and_a_row_that_is_tried(project, change, said):
    (project / "macros" / "outcome_rules" / "outcome_rule_ends.sql").write_text(RULE, encoding="utf-8")
    if change is not None:
        edit_rows(project, "outcome_rules", lambda rows: [*rows, ROW | change])
    gaps = guide_tables.lacking(project)
    assert gaps == [] if said is None else any(gap.endswith(said) for gap in gaps)
    if change == {}:
        assert (
            "| `ends` | the phrase that ends it |"
            in guide_tables.render(project)[Path("docs/guide/own-questions.md")]
        )


def test_a_scorer_and_a_backend_say_what_they_are(monkeypatch):
    assert guide_tables.lacking(PROJECT) == []
    about = scorers.About("vader_lexicon", "", "", {"vader_neg": (1, 0)}, "")
    monkeypatch.setitem(vader.ABOUT, "vader", about)
    monkeypatch.delitem(simulated.ABOUT, "simulated")
    assert guide_tables.lacking(PROJECT) == [
        "ingest/scorers/vader.py, ABOUT['vader']: give its languages.",
        "ingest/scorers/vader.py, ABOUT['vader']: give its licence.",
        "ingest/backends/simulated.py: add 'simulated' to ABOUT: About(asks, needs).",
        "ingest/scorers/vader.py, ABOUT['vader']: the range of vader_neg is 1 to 0; mend it.",
        "ingest/scorers/vader.py, ABOUT['vader']: give the unit of its features.",
    ]


def test_the_guide_explains_each_term_of_the_pages(project):
    edit_rows(project, "terms", lambda rows: [*rows, {"term": "cell", "forms": "", "meaning": "One."}])
    assert "| cell | One. |" in guide_tables.render(project)[Path("docs/guide/README.md")]


def test_a_page_without_a_place_for_its_table_is_named(project):
    page = project / "docs" / "guide" / "scorers.md"
    page.write_text("# Measure answers\n", encoding="utf-8")
    with pytest.raises(PlumblineError, match=r"scorers\.md has no place for the table of scorers"):
        guide_tables.render(project)
