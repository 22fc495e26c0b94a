-- Grain: one row per suite, category, config_key, feature, prompt_key: its scores beside the threshold.
with scored as (
    select * from {{ ref('stg_suite__scored_stereotypes') }}
),

asked as (
    select
        suite,
        unnest(categories) as category
    from {{ ref('stg_suite__stereotypes') }}
),

prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
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
    inner join asked
        on
            measured.suite = asked.suite
            and measured.category = asked.category
    inner join scored
        on
            measured.suite = scored.suite
            and measured.feature = scored.feature
    inner join prompts on measured.prompt_key = prompts.prompt_key
)

{{ exceedances_by_prompt('scores', ['suite', 'category', 'config_key', 'feature']) }}
