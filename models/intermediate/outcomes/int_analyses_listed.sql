-- Grain: one row per analysis_key: one axis of one measure under one config.
with analysed as (
    select * from {{ ref('int_responses_analysed') }}
),

exposed as (
    select * from {{ ref('int_axes_shown') }}
),

settings as (
    select * from {{ ref('stg_suite__suites') }}
),

counted as (
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
        count(*) filter (not is_excluded) as n,
        count(distinct group_value) filter (not is_excluded) as n_groups,
        count(distinct group_value) filter (is_excluded) as n_groups_excluded,
        coalesce(min(n_group) filter (not is_excluded), 0) as n_smallest_group
    from analysed
    group by all
)

select
    counted.*,
    exposed.exposure,
    exposed.is_control,
    exposed.hidden_attributes,
    exposed.shown_rate,
    settings.minimum_group,
    settings.seed,
    settings.n_permutations,
    settings.n_bootstrap
from counted
inner join exposed
    on
        counted.suite = exposed.suite
        and counted.category = exposed.category
        and counted.config_key = exposed.config_key
        and counted.axis = exposed.axis
inner join settings on counted.suite = settings.suite
