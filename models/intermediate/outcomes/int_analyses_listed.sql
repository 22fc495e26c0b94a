-- Grain: one row per analysis_key: one axis of one measure under one config.
with counted as (
    select
        analysis_key,
        measure_kind,
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated,
        measure,
        axis,
        axis_position,
        n_attributes,
        count(*) filter (where not is_excluded) as n,
        count(distinct group_value) filter (where not is_excluded) as n_groups,
        count(distinct group_value) filter (where is_excluded) as n_groups_excluded,
        coalesce(min(n_group) filter (where not is_excluded), 0) as n_smallest_group
    from {{ ref('int_responses_analysed') }}
    group by all
),

possible as (
    select
        suite,
        category,
        'outcome' as measure_kind,
        outcome_set as measure,
        count(*) as n_possible_outcomes
    from ({{ labels_of_rules() }}) as labels
    group by suite, category, outcome_set
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
    where group_value = ''
)

select
    counted.* {{ without('n_groups_excluded') }},
    -- Groups of which nothing was read have no answer in a table.
    counted.n_groups_excluded + coalesce(missing.n_unread_groups, 0) as n_groups_excluded,
    coalesce(possible.n_possible_outcomes, 0) as n_possible_outcomes,
    exposed.exposure,
    exposed.is_control,
    exposed.hidden_attributes,
    exposed.shown_rate,
    settings.minimum_group,
    settings.seed,
    settings.n_permutations,
    settings.n_bootstrap
from counted
inner join {{ ref('int_axes_shown') }} as exposed using (suite, category, config_key, axis)
inner join {{ ref('stg_suite__suites') }} as settings using (suite)
left join possible using (suite, category, measure_kind, measure)
left join missing using (suite, category, config_key, measure, axis)
