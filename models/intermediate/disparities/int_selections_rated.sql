-- Grain: one row per analysis_key, standard, method, group_value: selection rate and impact ratio (SPEC
-- DIS-5, DIS-6). A group below the suite's minimum cell is listed, but is nobody's reference and has no
-- ratio. The chosen group is the one that the suite names, or the one that most was asked about, so that what
-- is missing does not choose. Declared groups that nobody answered about are listed too (SPEC 19).
{%- set criterion_key = 'analysis_key, standard, method' %}
with samples as (
    select * from {{ ref('int_group_features_listed') }}
),

of_values as (
    select * from {{ ref('int_selections_counted') }}
),

standards as (
    select distinct
        analysis_key,
        standard,
        method,
        standard_value
    from of_values
),

of_answers as (
    select
        analysis_key,
        group_value,
        count(*) as n,
        cast(sum(value) as bigint) as n_selected
    from {{ ref('int_responses_analysed') }}
    where measure_kind = 'selection'
    group by analysis_key, group_value
),

counted as (
    select
        samples.analysis_key,
        samples.suite,
        samples.axis,
        samples.group_value,
        of_values.standard,
        of_values.method,
        of_values.standard_value,
        of_values.n,
        of_values.n_missing,
        of_values.n_selected
    from of_values
    inner join samples using (group_feature_key)
    union all
    select
        samples.analysis_key,
        samples.suite,
        samples.axis,
        samples.group_value,
        standards.standard,
        standards.method,
        standards.standard_value,
        0 as n,
        0 as n_missing,
        0 as n_selected
    from samples
    inner join standards using (analysis_key)
    anti join of_values using (group_feature_key)
    union all
    select
        analyses.analysis_key,
        analyses.suite,
        analyses.axis,
        listed_groups.group_value,
        'favourable_outcome' as standard,
        'in_set' as method,
        null as standard_value,
        coalesce(of_answers.n, 0) as n,
        coalesce(missing.n_missing, 0) as n_missing,
        coalesce(of_answers.n_selected, 0) as n_selected
    from {{ ref('int_analyses_listed') }} as analyses
    inner join {{ ref('int_groups_listed') }} as listed_groups using (suite, category, config_key, axis)
    left join of_answers using (analysis_key, group_value)
    left join {{ ref('int_missing_answers_counted') }} as missing
        using (suite, category, config_key, measure, axis, group_value)
    where analyses.measure_kind = 'selection'
),

rated as (
    select
        counted.*,
        {{ ratio('counted.n_selected', 'counted.n') }} as selection_rate,
        counted.n > 0 and counted.n >= kept.minimum_cell as is_compared,
        -- Were its missing answers there, it would be.
        counted.n < kept.minimum_cell and counted.n + counted.n_missing >= kept.minimum_cell as is_silent
    from counted
    inner join {{ ref('int_suite_settings_kept') }} as kept using (suite)
),

best as (
    select
        {{ criterion_key }},
        count(*) as n_groups,
        max(selection_rate) as reference_rate,
        -- Ties: the first name.
        min_by(group_value, (-selection_rate, group_value)) as reference_group,
        min_by(n, (-selection_rate, group_value)) as n_reference,
        min_by(n_selected, (-selection_rate, group_value)) as n_selected_reference
    from rated
    where is_compared
    group by {{ criterion_key }}
),

chosen as (
    select
        rated.analysis_key,
        rated.standard,
        rated.method,
        rated.group_value as chosen_group,
        rated.selection_rate as chosen_rate,
        rated.n as n_chosen,
        rated.n_selected as n_selected_chosen
    from rated
    inner join {{ ref('int_reference_groups_listed') }} as chosen_references
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
            partition by rated.analysis_key, rated.standard, rated.method
            order by rated.n + rated.n_missing desc, rated.group_value asc
        ) = 1
)

select
    rated.* {{ without('suite, axis') }},
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
left join best using (analysis_key, standard, method)
left join chosen using (analysis_key, standard, method)
