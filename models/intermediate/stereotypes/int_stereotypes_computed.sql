-- Grain: one row per suite, category, config_key, metric, attribute, target_list, feature, counting, word,
-- group_a, group_b: every value of SPEC 12, of one word or ('') of a whole list, attribute or feature.
with words as (
    select * from {{ ref('int_stereotype_words_computed') }}
),

counted as (
    select * from {{ ref('int_stereotypes_counted') }}
),

listed as (
    select * from {{ ref('int_stereotype_groups_listed') }}
),

sizes as (
    select
        suite,
        target_list,
        count(distinct word) as n_targets
    from {{ ref('stg_suite__target_words') }}
    group by suite, target_list
),

-- What is summed up, whether or not any word was met: all pairs for the bias, all groups for associations.
compared as (
    select
        a.suite,
        'cooccurrence_bias' as metric,
        a.attribute,
        '' as counting,
        a.group_value as group_a,
        b.group_value as group_b
    from listed as a
    inner join listed as b
        on
            a.suite = b.suite
            and a.attribute = b.attribute
            and a.group_position < b.group_position
    union all
    select
        listed.suite,
        'stereotypical_associations' as metric,
        listed.attribute,
        {{ unnested('settings.countings') }} as counting,
        listed.group_a,
        listed.group_b
    from listed
    inner join {{ ref('stg_suite__stereotypes') }} as settings using (suite)
    where listed.group_position = 0
),

summed_up as (
    select
        counted.suite,
        counted.category,
        counted.config_key,
        compared.metric,
        compared.attribute,
        sizes.target_list,
        compared.counting,
        compared.group_a,
        compared.group_b,
        {{ in_order('avg', 'words.value', 'words.word') }} as value,
        {{ in_order('avg', 'words.signed_value', 'words.word') }} as signed_value,
        count(words.word) filter (where words.is_two_sided) as n_two_sided,
        count(words.word) filter (where not words.is_two_sided) as n_one_sided,
        max(sizes.n_targets) - count(words.word) as n_unseen,
        count(words.value) as n_words
    from compared
    inner join sizes using (suite)
    inner join counted using (suite, attribute, target_list)
    left join words
        using (suite, category, config_key, metric, attribute, target_list, counting, group_a, group_b)
    group by
        counted.suite, counted.category, counted.config_key, compared.metric, compared.attribute,
        sizes.target_list, compared.counting, compared.group_a, compared.group_b
),

represented as (
    select
        suite,
        category,
        config_key,
        attribute,
        group_a,
        group_b,
        {{ total_variation('share', 'reference_share') }} as value,
        case when group_a <> '' then max(share - reference_share) filter (where group_value = group_a) end
            as signed_value,
        sum(n_words) as n_words
    from {{ ref('int_groups_mentioned') }}
    group by suite, category, config_key, attribute, group_a, group_b
),

of_words as (
    select
        * {{ without('is_two_sided') }},
        cast(is_two_sided as bigint) as n_two_sided,
        cast(not is_two_sided as bigint) as n_one_sided
    from words
),

of_lists as (
    select
        *,
        '' as word,
        case when n_words = 0 then 'no_overlap' else 'ok' end as status
    from summed_up
),

of_groups as (
    select
        *,
        'representation' as metric,
        '' as target_list,
        '' as counting,
        '' as word,
        case when value is null then 'no_overlap' else 'ok' end as status
    from represented
),

together as (
    {{ union_by_name(['of_words', 'of_lists', 'of_groups']) }}
),

covered as (
    select
        together.*,
        '' as feature,
        counted.n,
        counted.n_covered
    from together
    inner join counted using (suite, category, config_key, attribute, target_list)
),

of_scores as (
    select
        *,
        '' as attribute,
        '' as target_list,
        '' as counting,
        '' as word,
        '' as group_a,
        '' as group_b
    from {{ ref('int_stereotypes_scored') }}
)

{{ union_by_name(['covered', 'of_scores']) }}
