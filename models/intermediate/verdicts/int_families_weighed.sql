-- Grain: one row per profile, suite, family, config, category ('' where the family is wider): whether the
-- largest difference that the design allows could fail in what is corrected together, and what hinders it.
with decided as (
    select
        *,
        case when family = 'audit' then '' else config end as family_config,
        case when family = 'question' then category else '' end as family_category
    from {{ ref('int_verdicts_decided') }}
    where not is_control and p_family is not null
),

-- The smallest p-value that relabelling can give; where the number of relabellings sets it, a difference
-- goes farther beyond them.
numbers as (
    select
        decided.*,
        case
            when decided.min_attainable_p > (1 + 1e-9) / (1 + suites.n_permutations)
                then decided.min_attainable_p
            else 0
        end as least_p
    from decided
    inner join {{ ref('stg_suite__suites') }} as suites using (suite)
),

-- A table whose own p-values cannot get so small takes nothing from a difference that lies farther out.
tables as (
    select
        profile,
        suite,
        family,
        family_config,
        family_category,
        config,
        category,
        measure,
        axis,
        min(least_p) as least_p
    from numbers
    group by all
),

ranked as (
    select
        *,
        count(*) over (
            partition by profile, suite, family, family_config, family_category
            order by least_p
            range between unbounded preceding and current row
        ) as n_tables_as_far
    from tables
),

weighed as (
    select
        numbers.profile,
        numbers.suite,
        numbers.family,
        numbers.family_config as config,
        numbers.family_category as category,
        numbers.n_tests,
        numbers.has_several_blocks,
        numbers.has_several_blocks and not numbers.has_invalid_p as has_units,
        numbers.red_limit is not null
        and (numbers.is_threshold_attainable or numbers.is_p_value) as has_limit,
        numbers.least_p,
        1 - power(1 - numbers.least_p, ranked.n_tables_as_far) as least_p_family
    from numbers
    inner join ranked using (
        profile, suite, family, family_config, family_category, config, category, measure, axis
    )
),

families as (
    select
        profile,
        suite,
        family,
        config,
        category,
        max(n_tests) as n_tests,
        min(least_p) filter (where has_units and has_limit) as least_p,
        min(least_p_family) filter (where has_units and has_limit) as least_p_family,
        bool_or(has_several_blocks) as has_several_blocks,
        bool_or(has_units) as has_units,
        bool_or(has_units and has_limit) as has_limit
    from weighed
    group by all
)

select
    profile,
    suite,
    family,
    config,
    category,
    n_tests,
    least_p_family,
    coalesce({{ meets('least_p_family', '<=', significance_level()) }}, false) as can_fail,
    case
        when not has_several_blocks then 'ask about several names or texts a group'
        when not has_units
            then 'ask the same questions about every group, and about every combination of groups'
        when not has_limit then 'no fail limit can be reached: choose other limits'
        when {{ meets('least_p', '>', significance_level()) }}
            then 'so few names or texts give no smaller p-value: ask about more a group'
        when {{ meets('least_p_family', '>', significance_level()) }}
            then
                'ask about more names or texts a group, or hold the error for less: '
                || '`families: {gate: question}`'
    end as advice
from families
