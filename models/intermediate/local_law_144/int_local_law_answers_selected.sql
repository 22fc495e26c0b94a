-- Grain: one row per measure_kind, feature, axis, response_key: an answer, where Local Law 144 has an
-- applicant. Selected: the outcome is favourable, or the measurement lies above the median of the whole
-- sample.
with axes as (
    select * from {{ ref('stg_suite__local_law_axes') }}
),

measured as (
    select
        measurements.suite,
        measurements.category,
        measurements.config_key,
        measurements.feature,
        measurements.response_key,
        measurements.prompt_key,
        measurements.value
    from {{ ref('int_responses_measured') }} as measurements
    inner join {{ ref('int_local_law_features_listed') }} using (suite, category, feature)
),

-- Of all answers, also of those whose group is not known.
medians as (
    select
        suite,
        category,
        config_key,
        feature,
        {{ standard_median({}) }} as sample_median
    from measured
    group by suite, category, config_key, feature
),

scored as (
    select
        measured.suite,
        measured.category,
        measured.config_key,
        measured.feature,
        measured.response_key,
        measured.prompt_key,
        medians.sample_median,
        {{
            method_above('medians.sample_median', limit_slack('medians.sample_median'), {}, none)
        }} as is_selected
    from measured
    inner join medians using (suite, category, config_key, feature)
)

select
    'selection' as measure_kind,
    analysed.suite,
    analysed.category,
    analysed.config_key,
    analysed.measure as feature,
    analysed.axis,
    analysed.group_value,
    analysed.response_key,
    analysed.prompt_key,
    analysed.block_key,
    cast(null as double) as sample_median,
    analysed.value = 1 as is_selected
from {{ ref('int_responses_analysed') }} as analysed
inner join axes using (suite, axis)
where analysed.measure_kind = 'selection'
union all
select
    'scoring' as measure_kind,
    scored.suite,
    scored.category,
    scored.config_key,
    scored.feature,
    grouped.axis,
    grouped.group_value,
    scored.response_key,
    scored.prompt_key,
    prompts.block_key,
    scored.sample_median,
    scored.is_selected
from scored
inner join {{ ref('int_prompts_grouped') }} as grouped using (suite, prompt_key)
inner join axes using (suite, axis)
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
