-- Grain: one row per suite, category, feature, config, axis, group_value (both '' for all answers).
-- Single attributes only; intersections are in fct_summary_statistics.
with categories as (
    select distinct
        suite,
        domain,
        category,
        category_position,
        title
    from {{ ref('dim_categories') }}
),

-- Clusters of concepts and source tags are many to a category, each with a theme of its own.
named as (
    select
        topics.suite,
        categories.category,
        categories.category_position,
        categories.title as category_title,
        topics.is_simulated,
        topics.topic_set,
        topics.pool,
        topics.segment,
        topics.topic_position,
        topics.feature,
        case when topics.segment not in ('concept', 'source_tag') then min(topics.segment_value) end
            as segment_value,
        case
            when topics.segment in ('concept', 'source_tag')
                then 'no. ' || topics.topic_position || ' of each ' || replace(topics.segment, '_', ' ')
            else min(topics.theme)
        end as theme
    from {{ ref('dim_topics') }} as topics
    inner join categories
        on
            topics.suite = categories.suite
            and case topics.segment
                when 'domain' then topics.segment_value = categories.domain
                when 'category' then topics.segment_value = categories.category
                else true
            end
    group by
        topics.suite,
        categories.category,
        categories.category_position,
        categories.title,
        topics.is_simulated,
        topics.topic_set,
        topics.pool,
        topics.segment,
        topics.topic_position,
        topics.feature
),

means as (
    select * from {{ ref('fct_summary_statistics') }}
    where statistic = 'mean' and calibration = 'none' and not contains(axis, '&')
),

compared as (
    select * from {{ ref('fct_disparities') }}
    where statistic = 'mean' and disparity = 'range' and calibration = 'none' and not is_control
),

counted as (
    select
        suite,
        category,
        config,
        model,
        role,
        is_simulated,
        feature,
        avg(value) as share,
        count(value) as n,
        count(*) - count(value) as n_missing
    from {{ ref('fct_measurements') }}
    where config <> 'baseline'
    group by suite, category, config, model, role, is_simulated, feature
),

shares as (
    select
        counted.suite,
        counted.category,
        counted.config,
        counted.model,
        counted.role,
        counted.is_simulated,
        counted.feature,
        '' as axis,
        '' as group_value,
        counted.share,
        cast(null as double) as share_low,
        cast(null as double) as share_high,
        counted.n,
        counted.n_missing,
        case when counted.n > 0 then 'ok' else 'all_missing' end as status
    from counted
    union all
    select
        means.suite,
        means.category,
        means.config,
        means.model,
        means.role,
        means.is_simulated,
        means.feature,
        means.axis,
        means.group_value,
        means.value as share,
        means.ci_low as share_low,
        means.ci_high as share_high,
        means.n,
        means.n_missing,
        means.status
    from means
    semi join compared using (suite, category, config, feature, axis)
)

select
    {{ page_slugs('shares') }},
    shares.suite,
    shares.category,
    named.category_title,
    named.category_position,
    shares.config,
    shares.model,
    shares.role,
    shares.is_simulated,
    named.topic_set,
    named.pool,
    named.segment,
    named.segment_value,
    named.topic_position,
    named.theme,
    shares.feature,
    shares.axis,
    shares.group_value,
    shares.share,
    shares.share_low,
    shares.share_high,
    shares.n,
    shares.n_missing,
    {{ status_in_words('shares.status') }} as note,
    case
        when shares.group_value <> '' then {{ page_key('shares.axis', 'shares.group_value') }}
    end as group_key
from shares
inner join named
    on
        shares.suite = named.suite
        and shares.category = named.category
        and shares.feature = named.feature
        and (named.pool = 'baselines' or shares.is_simulated = named.is_simulated)
