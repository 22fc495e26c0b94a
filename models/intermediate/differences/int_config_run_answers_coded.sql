-- Grain: one row per analysis_key, config_run_key, prompt_key, repeat_index: what a config that is compared
-- answered, as small integers for resampling, in an order that depends on the rows alone. Groups and blocks:
-- this run's. `cell_code`: what is relabelled as one, the prompt but for questions about several people.
with listed as (
    select * from {{ ref('int_config_differences_listed') }}
    where reason is null
),

wanted as (
    select
        analysis_key,
        measure_kind,
        suite,
        category,
        measure,
        axis,
        config_run_a as config_run_key
    from listed
    union
    select
        analysis_key,
        measure_kind,
        suite,
        category,
        measure,
        axis,
        config_run_b as config_run_key
    from listed
),

rules as (
    select distinct
        suite,
        category,
        outcome_set,
        feature
    from {{ ref('stg_suite__outcome_rules') }}
),

earlier as (
    select
        outcomes.*,
        rules.feature
    from {{ ref('stg_compare__earlier_outcomes') }} as outcomes
    inner join rules using (suite, category, outcome_set)
),

earlier_by_kind as (
    {{ outcomes_by_kind('earlier') }}
),

prompts as (
    select
        prompt_key,
        block_key
    from {{ ref('stg_assemble__prompts') }}
),

responses as (
    select * from {{ ref('int_responses_joined') }}
),

statuses as (
    select
        'this' as run,
        suite,
        category,
        config,
        prompt_key,
        repeat_index,
        response_status as outcome
    from responses
    union all
    select
        'earlier' as run,
        suite,
        category,
        config,
        prompt_key,
        repeat_index,
        outcome
    from {{ ref('stg_compare__earlier_outcomes') }}
    where rule_kind = 'status'
),

answered as (
    select
        'this' as run,
        analysed.measure_kind,
        analysed.suite,
        analysed.category,
        analysed.measure,
        analysed.axis,
        analysed.config,
        analysed.prompt_key,
        analysed.block_key,
        responses.repeat_index,
        analysed.group_value,
        analysed.attribute_codes,
        analysed.outcome,
        analysed.value
    from {{ ref('int_responses_analysed') }} as analysed
    inner join responses using (response_key)
    union all
    select
        'earlier' as run,
        earlier_by_kind.measure_kind,
        earlier_by_kind.suite,
        earlier_by_kind.category,
        earlier_by_kind.measure,
        grouped.axis,
        earlier_by_kind.config,
        earlier_by_kind.prompt_key,
        prompts.block_key,
        earlier_by_kind.repeat_index,
        grouped.group_value,
        grouped.attribute_codes,
        earlier_by_kind.outcome,
        earlier_by_kind.value
    from earlier_by_kind
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    inner join prompts using (prompt_key)
    union all
    select
        statuses.run,
        'status' as measure_kind,
        statuses.suite,
        statuses.category,
        'response_status' as measure,
        grouped.axis,
        statuses.config,
        statuses.prompt_key,
        prompts.block_key,
        statuses.repeat_index,
        grouped.group_value,
        grouped.attribute_codes,
        statuses.outcome,
        cast(null as double) as value
    from statuses
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    inner join prompts using (prompt_key)
),

placed as (
    select
        wanted.analysis_key,
        wanted.config_run_key,
        answered.*
    from answered
    inner join {{ ref('int_config_runs_listed') }} using (run, suite, config)
    inner join wanted using (config_run_key, measure_kind, suite, category, measure, axis)
)

select
    analysis_key,
    config_run_key,
    prompt_key,
    repeat_index,
    group_value,
    attribute_codes,
    dense_rank() over (partition by analysis_key order by attribute_codes) - 1 as group_code,
    dense_rank() over (partition by analysis_key order by prompt_key) - 1 as prompt_code,
    dense_rank() over (partition by analysis_key order by coalesce(cell, prompt_key)) - 1 as cell_code,
    dense_rank() over (partition by analysis_key order by block_key) - 1 as block_code,
    dense_rank() over (partition by analysis_key order by outcome) - 1 as outcome_code,
    value
from placed
left join {{ ref('int_prompt_cells_listed') }} using (prompt_key, axis)
