-- Grain: one row per suite, category, config_key, feature, prompt_key: its scores beside the threshold.
with asked as (
    select
        suite,
        {{ unnested('categories') }} as category
    from {{ ref('stg_suite__stereotypes') }}
),

scores as (
    select
        measured.suite,
        measured.category,
        measured.config_key,
        measured.feature,
        measured.prompt_key,
        prompts.block_key,
        measured.response_key,
        measured.value,
        scored.threshold,
        scored.is_at_least,
        scored.has_equal_repeats
    from {{ ref('int_measurements_combined') }} as measured
    inner join asked using (suite, category)
    inner join {{ ref('stg_suite__scored_stereotypes') }} as scored using (suite, feature)
    inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
)

{{ exceedances_by_prompt('scores', ['suite', 'category', 'config_key', 'feature']) }}
