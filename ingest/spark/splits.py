"""By which columns the inputs of each Python model are taken apart, so that its parts may run anywhere."""

from collections.abc import Mapping, Sequence

PART = "task_key"
CONFIG = ("suite", "category", "config_key")
# What each model resamples or tests apart from all else. An input that has these columns is split by them,
# another goes to every task.
SPLIT_BY: dict[str, tuple[str, ...]] = {
    "int_analyses_corrected": ("analysis_key",),
    "int_analyses_resampled": ("analysis_key",),
    "int_associations_tested": ("analysis_key",),
    "int_audit_changes_tested": ("audit_key_a", "audit_key_b"),
    "int_benchmark_scores_resampled": CONFIG,
    "int_cell_residuals_resampled": ("analysis_key",),
    "int_census_distances_resampled": CONFIG,
    "int_census_shares_bounded": CONFIG,
    "int_config_differences_resampled": ("analysis_key",),
    "int_design_power_promised": ("promise_key",),
    "int_feature_analyses_resampled": ("group_set_key",),
    "int_gate_families_tested": ("profile", "family_key"),
    "int_group_rates_bounded": CONFIG,
    "int_interactions_resampled": ("analysis_key",),
    "int_judge_shifts_resampled": ("suite", "category", "judge"),
    "int_labels_weighed": CONFIG,
    "int_linear_models_fitted": ("suite", "category", "measure_kind", "measure"),
    "int_local_law_ratios_resampled": ("analysis_key",),
    "int_log_odds_fitted": ("analysis_key",),
    "int_pairs_resampled": ("group_set_key",),
    "int_patterns_found": ("text_key",),
    "int_rank_statistics_computed": ("group_feature_key",),
    "int_recommended_items_resampled": ("analysis_key",),
    "int_score_assumptions_tested": ("analysis_key",),
    "int_score_tests_evaluated": ("analysis_key",),
    "int_series_scanned": ("series_key", "suite", "config"),
    "int_shares_weighed": CONFIG,
    "int_stereotypes_resampled": CONFIG,
    "int_treatment_shifts_resampled": ("analysis_key",),
    "int_variance_components_estimated": ("analysis_key",),
}
# How an input finds the columns in another, and what of it the model reads at all.
FOUND_BY: dict[tuple[str, str], str] = {
    ("int_feature_analyses_resampled", "int_group_features_listed"): "{groups}",
    ("int_feature_analyses_resampled", "int_feature_values_summed"): "{groups}",
    ("int_feature_analyses_resampled", "int_feature_values_coded"): "{groups}",
    ("int_feature_analyses_resampled", "int_selections_rated"): "{analyses}",
}
# Where a suite draws nothing, its values are many and not read.
JOINS = {
    "groups": """
        inner join (
            select g.group_id, g.group_set_key
            from {schema}.int_groups_listed as g
            inner join {schema}.stg_suite__suites as s on g.suite = s.suite
            where s.n_permutations + s.n_bootstrap > 0
        ) as k on t.group_id = k.group_id""",
    "analyses": """
        inner join (
            select distinct l.analysis_key, g.group_set_key
            from {schema}.int_group_features_listed as l
            inner join {schema}.int_groups_listed as g on l.group_id = g.group_id
        ) as k on t.analysis_key = k.analysis_key
        where t.chosen_group is not null""",
}


def split_queries(
    model: str, refs: Sequence[str], columns: Mapping[str, Sequence[str]], schema: str
) -> dict[str, str]:
    """Return input -> query of its rows with a column PART, for the inputs of a model that are split.

    `columns` names each input's columns. A model that SPLIT_BY lacks, such as somebody's own, is not split.
    """
    found = {}
    for ref in dict.fromkeys(refs):
        by = SPLIT_BY.get(model, ())
        join = FOUND_BY.get((model, ref))
        if join is None and not (by and set(by) <= set(columns[ref])):
            continue
        place = "k" if join else "t"
        parts = ", ".join(f"{place}.{name}" for name in by)
        rest = join.format(**JOINS).format(schema=schema) if join else ""
        found[ref] = f"select t.*, struct({parts}) as {PART} from {schema}.{ref} as t {rest}"
    return found
