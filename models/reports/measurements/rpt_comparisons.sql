-- Grain: one row per suite, category, feature, axis: what the pages of measurements and disparities show.
-- A browser opens the rows of every comparison, so only the first ones, single attributes leading, are shown.
{%- set most_rows = 15000 %}
-- Shares of topics have a page of their own.
with families as (
    select families.*
    from {{ ref('fct_disparities') }} as families
    anti join {{ ref('dim_topics') }} using (suite, feature)
    where
        families.statistic = 'mean'
        and families.disparity = 'range'
        and not families.is_control
        and families.roll_up = 'none'
),

samples as (
    select * from {{ ref('fct_summary_statistics') }}
    where statistic = 'mean' and calibration = 'none' and config <> 'baseline' and roll_up = 'none'
),

categories as (
    {{ category_titles() }}
),

-- What the suite reads its answers by comes before what is measured besides, distances above all.
asked as (
    select distinct
        suite,
        category,
        measure
    from {{ ref('dim_categories') }}
),

compared as (
    select
        suite,
        category,
        feature,
        axis,
        bool_or(is_simulated) as is_simulated,
        bool_or(calibration = 'baseline') as has_baseline,
        count(distinct config) filter (where config <> 'baseline') as n_configs,
        count(distinct model) filter (where config <> 'baseline') as n_models,
        count(distinct role) filter (where config <> 'baseline') as n_roles,
        max(n_groups + n_groups_excluded) as n_groups,
        cast(sum(n_groups + n_groups_excluded + 1) as bigint) as n_rows
    from families
    group by suite, category, feature, axis
),

counted as (
    select
        samples.suite,
        samples.category,
        samples.feature,
        samples.axis,
        cast(sum(samples.n) as bigint) as n,
        cast(sum(samples.n_missing) as bigint) as n_missing
    from samples
    semi join families using (suite, category, config, feature, axis)
    group by samples.suite, samples.category, samples.feature, samples.axis
),

ordered as (
    select
        compared.*,
        counted.n,
        counted.n_missing,
        coalesce(categories.title, '') as category_title,
        row_number() over (
            order by
                length(compared.axis) - length(replace(compared.axis, '&', '')) asc,
                compared.suite asc,
                categories.category_position asc nulls last,
                compared.category asc,
                asked.measure is null asc,
                compared.feature asc,
                compared.axis asc
        ) as position
    from compared
    inner join counted using (suite, category, feature, axis)
    left join categories using (suite, category)
    left join asked
        on
            compared.suite = asked.suite
            and compared.category = asked.category
            and compared.feature = asked.measure
)

select
    {{ contract_columns(without=['comparison_slug', 'is_shown']) }},
    suite || '-' || category || '-' || {{ page_key('feature', 'axis') }} as comparison_slug,
    position = 1 or sum(n_rows) over (order by position) <= {{ most_rows }} as is_shown
from ordered
