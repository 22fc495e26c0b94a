-- Grain: one row per analysis_key, config_run_key, prompt_key, repeat_index: the number of an answer of a
-- config that is compared with another one, with small integers for resampling. A shift is of one group, so
-- groups are not relabelled: prompts are cells.
with wanted as (
    select
        analysis_key,
        suite,
        category,
        part,
        measure,
        outcome,
        axis,
        config_run_a as config_run_key
    from {{ ref('int_treatment_shifts_listed') }}
    union
    select
        analysis_key,
        suite,
        category,
        part,
        measure,
        outcome,
        axis,
        config_run_b as config_run_key
    from {{ ref('int_treatment_shifts_listed') }}
),

config_runs as (
    select
        config_run_key,
        suite,
        config
    from {{ ref('int_config_runs_listed') }}
    where run = 'this'
),

placed as (
    select
        wanted.analysis_key,
        wanted.config_run_key,
        answered.prompt_key,
        answered.repeat_index,
        coalesce(grouped.group_value, '') as group_value,
        answered.block_key,
        answered.value
    from {{ ref('int_treatment_values_listed') }} as answered
    inner join config_runs using (suite, config)
    inner join wanted using (config_run_key, suite, category, part, measure, outcome)
    left join {{ ref('int_prompts_grouped') }} as grouped
        on
            answered.prompt_key = grouped.prompt_key
            and wanted.axis = grouped.axis
    where wanted.axis = '' or grouped.group_value is not null
)

select
    analysis_key,
    config_run_key,
    prompt_key,
    repeat_index,
    group_value,
    dense_rank() over (partition by analysis_key order by group_value) - 1 as group_code,
    dense_rank() over (partition by analysis_key order by prompt_key) - 1 as prompt_code,
    dense_rank() over (partition by analysis_key order by prompt_key) - 1 as cell_code,
    dense_rank() over (partition by analysis_key order by block_key) - 1 as block_code,
    0 as outcome_code,
    value
from placed
