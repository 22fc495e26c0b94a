-- Grain: one row per suite.
with resampled as (
    select
        suite,
        {{ ordered_list('statistic', 'statistic', 'standard_id is null', distinct=true) }}
            as resampled_statistics,
        {{ ordered_list('parameters', 'standard_id, method_id', 'standard_id is not null') }}
            as resampled_rates
    from {{ ref('int_resampling_requested') }}
    group by suite
),

chosen_references as (
    select
        suite,
        {{ ordered_list("axis || ': ' || coalesce(group_value, reference_kind)", 'axis') }}
            as chosen_references
    from {{ ref('int_reference_groups_listed') }}
    group by suite
)

select
    suites.suite,
    files.suite_key,
    suites.title,
    suites.description,
    suites.version,
    suites.language,
    suites.variant,
    suites.profiles,
    suites.minimum_group,
    suites.minimum_cell,
    suites.minimum_coverage,
    suites.seed,
    suites.n_permutations,
    suites.n_bootstrap,
    suites.scorers,
    files.file_sha256,
    resampled.resampled_statistics,
    resampled.resampled_rates,
    coalesce(choices.standard_weighting, 'row') as standard_weighting,
    chosen_references.chosen_references,
    suites.responsible,
    suites.licence
from {{ ref('stg_suite__suites') }} as suites
inner join {{ ref('stg_suite__files') }} as files using (suite)
left join resampled using (suite)
left join chosen_references using (suite)
left join {{ ref('stg_suite__choices') }} as choices using (suite)
