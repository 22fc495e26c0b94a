-- Grain: one row per suite, category, config, axis, measure_kind, measure, part, part_value.
-- The widest difference of an analysis, part by part.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where n_groups >= 2
),

answers as (
    select
        analysis_key,
        prompt_key,
        group_value,
        attribute_codes,
        coalesce(outcome, '') as outcome,
        measure_kind,
        value
    from {{ ref('int_responses_analysed') }}
    where not is_excluded
),

values_of_groups as (
    select
        analysis_key,
        group_value,
        attribute_codes,
        outcome,
        share as value
    from {{ ref('int_outcomes_counted') }}
    union all
    select
        analysis_key,
        group_value,
        attribute_codes,
        '' as outcome,
        avg(value) as value
    from answers
    where measure_kind <> 'outcome'
    group by analysis_key, group_value, attribute_codes
),

gaps as (
    select
        analysis_key,
        outcome,
        max(value) - min(value) as difference,
        min_by(group_value, (-value, attribute_codes)) as group_high,
        min_by(group_value, (value, attribute_codes)) as group_low
    from values_of_groups
    group by analysis_key, outcome
),

-- The widest gap of all groups and outcomes is looked at in each part.
contrasts as (
    select * from gaps
    where difference > 0
    qualify row_number() over (partition by analysis_key order by difference desc, outcome asc) = 1
),

parts as (
    select * from {{ ref('int_prompt_parts_listed') }}
),

contrasted as (
    select
        answers.analysis_key,
        parts.part,
        parts.part_value,
        parts.example,
        answers.group_value = contrasts.group_high as is_high,
        case
            when answers.measure_kind <> 'outcome' then answers.value
            when answers.outcome = contrasts.outcome then 1
            else 0
        end as value
    from answers
    inner join contrasts
        on
            answers.analysis_key = contrasts.analysis_key
            and answers.group_value in (contrasts.group_high, contrasts.group_low)
    inner join parts on answers.prompt_key = parts.prompt_key
),

by_part as (
    select
        analysis_key,
        part,
        part_value,
        example,
        avg(value) filter (where is_high) as value_high,
        avg(value) filter (where not is_high) as value_low,
        count(*) filter (where is_high) as n_high,
        count(*) filter (where not is_high) as n_low
    from contrasted
    group by all
    having count(distinct is_high) = 2
),

-- A part that all prompts share says no more than the whole.
several as (
    select
        *,
        count(*) over (partition by analysis_key, part) as n_values,
        count(case when value_high > value_low then 1 end) over (partition by analysis_key, part)
            as n_values_same_way
    from by_part
    qualify count(*) over (partition by analysis_key, part) > 1
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure_kind,
    analyses.measure,
    contrasts.outcome,
    several.part,
    several.part_value,
    several.example,
    contrasts.group_high,
    contrasts.group_low,
    several.value_high - several.value_low as difference,
    several.value_high,
    several.value_low,
    several.n_high,
    several.n_low,
    several.n_values,
    several.n_values_same_way,
    contrasts.difference as difference_of_all,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
inner join contrasts on analyses.analysis_key = contrasts.analysis_key
inner join several on analyses.analysis_key = several.analysis_key
