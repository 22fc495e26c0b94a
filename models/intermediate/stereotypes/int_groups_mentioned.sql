-- Grain: one row per suite, category, config_key, attribute, group_value: how often a group is mentioned, and
-- its share of the mentions (SPEC ST-12); by default each list counts as if all were of one length.
with summed as (
    select
        suite,
        category,
        config_key,
        attribute,
        group_value,
        sum(n_words) as n_words
    from {{ ref('int_stereotype_groups_summed') }}
    group by suite, category, config_key, attribute, group_value
),

counted as (
    select * from {{ ref('int_stereotypes_counted') }}
    where target_list = ''
),

weighted as (
    select
        counted.suite,
        counted.category,
        counted.config_key,
        listed.attribute,
        listed.group_value,
        listed.group_position,
        listed.group_a,
        listed.group_b,
        listed.reference_share,
        coalesce(summed.n_words, 0) as n_words,
        coalesce(summed.n_words, 0)
        / case when settings.is_size_normalised then listed.n_listed else 1 end as weight
    from counted
    inner join {{ ref('stg_suite__stereotypes') }} as settings using (suite)
    inner join {{ ref('int_stereotype_groups_listed') }} as listed using (suite, attribute)
    left join summed using (suite, category, config_key, attribute, group_value)
)

select
    *,
    {{ ratio('weight', 'sum(weight) over in_attribute') }} as share
from weighted
window
    in_attribute as (
        partition by suite, category, config_key, attribute
        order by group_position
        rows between unbounded preceding and unbounded following
    )
