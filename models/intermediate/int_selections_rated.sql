-- Grain: one row per sample_id, standard_id, method_id: selection rate and impact ratio (SPEC DIS-5, DIS-6).
-- A group below the suite's minimum cell is listed, but is nobody's reference and has no ratio.
with counted as (
    select * from {{ ref('int_selections_counted') }}
),

samples as (
    select * from {{ ref('int_samples_listed') }}
),

settings as (
    select * from {{ ref('int_suites_listed') }}
),

rated as (
    select
        counted.sample_id,
        counted.family_id,
        counted.standard_id,
        counted.method_id,
        counted.standard_value,
        counted.n,
        counted.n_missing,
        counted.n_selected,
        samples.group_value,
        {{ ratio('counted.n_selected', 'counted.n') }} as selection_rate,
        counted.n > 0 and counted.n >= settings.minimum_cell as is_compared
    from counted
    inner join samples on counted.sample_id = samples.sample_id
    inner join settings on samples.suite = settings.suite
),

best as (
    select
        family_id,
        standard_id,
        method_id,
        count(*) as n_groups,
        max(selection_rate) as reference_rate,
        -- Ties: the first name.
        min_by(group_value, (-selection_rate, group_value)) as reference_group
    from rated
    where is_compared
    group by family_id, standard_id, method_id
)

select
    rated.* exclude (group_value),
    best.reference_group,
    best.reference_rate,
    case
        when rated.is_compared and best.n_groups > 1
            then {{ ratio('rated.selection_rate', 'best.reference_rate') }}
    end as impact_ratio,
    case
        when rated.n = 0 then 'all_missing'
        when not rated.is_compared then 'too_few'
        when best.n_groups < 2 then 'single_group'
        when best.reference_rate = 0 then 'zero_max'
        else 'ok'
    end as status
from rated
left join best
    on
        rated.family_id = best.family_id
        and rated.standard_id = best.standard_id
        and rated.method_id = best.method_id
