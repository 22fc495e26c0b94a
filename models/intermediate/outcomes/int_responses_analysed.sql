-- Grain: one row per measure_kind, measure, axis, response_key: what enters a table of groups.
-- measure_kind: `outcome` (a category), `score` (a number), `selection` (favourable or not).
{%- set carried = [
    'suite', 'domain', 'category', 'config_key', 'config', 'model', 'role', 'is_simulated', 'response_key',
    'prompt_key', 'block_key'
] | join(',\n        ') %}
with outcomes as (
    select * from {{ ref('int_outcomes_assigned') }}
),

responses as (
    select * from {{ ref('int_responses_joined') }}
),

-- Whether an answer failed is an outcome too, wherever one did and one did not (SPEC GEN-11).
failing as (
    select
        suite,
        category,
        config_key
    from responses
    group by suite, category, config_key
    having count(distinct is_usable) = 2
),

by_kind as (
    {{ outcomes_by_kind('outcomes') }}
),

measured as (
    select
        measure_kind,
        measure,
        outcome,
        value,
        {{ carried }}
    from by_kind
    union all
    select
        'outcome' as measure_kind,
        'response_status' as measure,
        response_status as outcome,
        cast(null as double) as value,
        {{ carried }}
    from responses
    inner join failing using (suite, category, config_key)
),

on_axes as (
    select
        measured.measure_kind,
        measured.suite,
        measured.domain,
        measured.category,
        measured.config_key,
        measured.config,
        measured.model,
        measured.role,
        measured.is_simulated,
        measured.measure,
        grouped.axis,
        grouped.axis_position,
        grouped.n_attributes,
        grouped.group_value,
        grouped.attribute_codes,
        measured.response_key,
        measured.prompt_key,
        measured.block_key,
        measured.outcome,
        measured.value,
        settings.minimum_cell,
        count(*) over (
            partition by
                measured.measure_kind, measured.suite, measured.category, measured.config_key,
                measured.measure, grouped.axis, grouped.group_value
        ) as n_group
    from measured
    inner join {{ ref('int_prompts_grouped') }} as grouped using (suite, category, prompt_key)
    inner join {{ ref('stg_suite__suites') }} as settings using (suite)
)

select
    on_axes.*,
    -- A group below the suite's minimum cell is listed, but enters no table (SPEC FS-4).
    on_axes.n_group < on_axes.minimum_cell as is_excluded,
    {{ analysis_key('on_axes', 'measure_kind', 'measure') }} as analysis_key
from on_axes
-- Sums of numbers depend on their order.
order by
    on_axes.measure_kind, on_axes.suite, on_axes.category, on_axes.config_key,
    on_axes.axis_position, on_axes.axis, on_axes.measure, on_axes.response_key
