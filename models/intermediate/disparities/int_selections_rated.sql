-- Grain: one row per sample_id, standard_id, method_id: selection rate and impact ratio (SPEC DIS-5, DIS-6).
-- A group below the suite's minimum cell is listed, but is nobody's reference and has no ratio. The chosen
-- group is the one that the suite names, or the one with most values.
with samples as (
    select * from {{ ref('int_group_features_listed') }}
),

of_answers as (
    select * from {{ ref('int_selections_counted') }}
),

standards as (
    select distinct
        family_id,
        standard_id,
        method_id,
        standard_value
    from of_answers
),

-- Declared groups that nobody answered about are listed too (SPEC 19).
counted as (
    select
        sample_id,
        family_id,
        standard_id,
        method_id,
        standard_value,
        n,
        n_missing,
        n_selected
    from of_answers
    union all
    select
        samples.sample_id,
        samples.family_id,
        standards.standard_id,
        standards.method_id,
        standards.standard_value,
        0 as n,
        0 as n_missing,
        0 as n_selected
    from samples
    inner join standards on samples.family_id = standards.family_id
    anti join of_answers on samples.sample_id = of_answers.sample_id
),

settings as (
    select * from {{ ref('int_suite_settings_kept') }}
),

chosen_references as (
    select * from {{ ref('int_reference_groups_listed') }}
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
        samples.suite,
        samples.axis,
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
        min_by(group_value, (-selection_rate, group_value)) as reference_group,
        min_by(n, (-selection_rate, group_value)) as n_reference,
        min_by(n_selected, (-selection_rate, group_value)) as n_selected_reference
    from rated
    where is_compared
    group by family_id, standard_id, method_id
),

chosen as (
    select
        rated.family_id,
        rated.standard_id,
        rated.method_id,
        rated.group_value as chosen_group,
        rated.selection_rate as chosen_rate,
        rated.n as n_chosen,
        rated.n_selected as n_selected_chosen
    from rated
    inner join chosen_references
        on
            rated.suite = chosen_references.suite
            and rated.axis = chosen_references.axis
            and (
                chosen_references.reference_kind = 'most_populous'
                or rated.group_value = chosen_references.group_value
            )
    where rated.is_compared
    qualify
        row_number() over (
            partition by rated.family_id, rated.standard_id, rated.method_id
            order by rated.n desc, rated.group_value asc
        ) = 1
)

select
    rated.* exclude (suite, axis, group_value),
    best.reference_group,
    best.reference_rate,
    best.n_reference,
    best.n_selected_reference,
    chosen.chosen_group,
    chosen.n_chosen,
    chosen.n_selected_chosen,
    case
        when rated.is_compared and best.n_groups > 1
            then {{ ratio('rated.selection_rate', 'chosen.chosen_rate') }}
    end as chosen_ratio,
    case
        when rated.is_compared and best.n_groups > 1
            then {{ ratio('rated.selection_rate', 'best.reference_rate') }}
    end as impact_ratio,
    case
        when rated.n = 0 and rated.n_missing = 0 then 'empty_group'
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
left join chosen
    on
        rated.family_id = chosen.family_id
        and rated.standard_id = chosen.standard_id
        and rated.method_id = chosen.method_id
