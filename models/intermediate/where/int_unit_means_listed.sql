-- Grain: one row per suite, category, config_key, measure_kind, measure, block_key, attributes, group_values.
-- The rows of linear models.
with answers as (
    select
        analysed.suite,
        analysed.category,
        analysed.config_key,
        analysed.measure_kind,
        analysed.measure,
        analysed.block_key,
        analysed.response_key,
        {{ ordered_list('analysed.axis', 'analysed.axis_position, analysed.axis') }} as attributes,
        {{ ordered_list('analysed.group_value', 'analysed.axis_position, analysed.axis') }} as group_values,
        any_value(analysed.value) as value
    from {{ ref('int_responses_analysed') }} as analysed
    inner join {{ ref('int_analyses_listed') }} as analyses on analysed.analysis_key = analyses.analysis_key
    where
        analysed.measure_kind in ('score', 'selection')
        and analysed.n_attributes = 1
        and analyses.n_groups >= 2
        and not analyses.is_control
        and not analysed.is_excluded
    group by
        analysed.suite, analysed.category, analysed.config_key, analysed.measure_kind, analysed.measure,
        analysed.block_key, analysed.response_key
)

-- Answers about one name, or to one text, are one row: they are not independent.
select
    suite,
    category,
    config_key,
    measure_kind,
    measure,
    block_key,
    attributes,
    group_values,
    avg(value) as value,
    count(*) as n
from answers
group by suite, category, config_key, measure_kind, measure, block_key, attributes, group_values
