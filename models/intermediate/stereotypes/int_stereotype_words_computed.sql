-- Grain: one row per suite, category, config_key, metric, attribute, target_list, counting, word, group_a,
-- group_b: each target word that stands in a text with a word of the groups (SPEC ST-2 to ST-8).
with sums_of_words as (
    select * from {{ ref('int_stereotype_words_summed') }}
    order by suite, category, config_key, attribute, group_value, target_list, word, prompt_key
),

sums_of_groups as (
    select * from {{ ref('int_stereotype_groups_summed') }}
    order by suite, category, config_key, attribute, group_value, prompt_key
),

words as (
    select
        suite,
        category,
        config_key,
        attribute,
        group_value,
        target_list,
        word,
        sum(cooccurrence) as cooccurrence,
        sum(product) as product,
        sum(indicator) as indicator
    from sums_of_words
    group by suite, category, config_key, attribute, group_value, target_list, word
),

totals as (
    select
        suite,
        category,
        config_key,
        attribute,
        group_value,
        sum(n_words) as n_words,
        sum(cooccurrence) as cooccurrence
    from sums_of_groups
    group by suite, category, config_key, attribute, group_value
),

counted as (
    select * {{ without('target_list') }} from {{ ref('int_stereotypes_counted') }}
    where target_list = ''
),

seen as (
    select distinct
        suite,
        category,
        config_key,
        attribute,
        target_list,
        word
    from words
),

-- A word beside some group, with every group of the attribute.
crossed as (
    select
        seen.*,
        listed.group_value,
        listed.group_position,
        listed.group_a,
        listed.group_b,
        listed.reference_share,
        listed.n_listed
    from seen
    inner join {{ ref('int_stereotype_groups_listed') }} as listed using (suite, attribute)
),

filled as (
    select
        crossed.*,
        settings.countings,
        settings.smoothing,
        settings.is_size_normalised,
        counted.n_other_words,
        coalesce(words.cooccurrence, 0) as cooccurrence,
        coalesce(words.product, 0) as product,
        coalesce(words.indicator, 0) as indicator,
        -- P(w|A) of SPEC ST-4, smoothed where the suite says so.
        {{ ratio(
            ratio('coalesce(words.cooccurrence, 0) + settings.smoothing', 'totals.cooccurrence'),
            ratio('totals.n_words', 'counted.n_other_words')
        ) }} as probability
    from crossed
    inner join {{ ref('stg_suite__stereotypes') }} as settings using (suite)
    inner join counted using (suite, category, config_key, attribute)
    left join totals using (suite, category, config_key, attribute, group_value)
    left join words using (suite, category, config_key, attribute, group_value, target_list, word)
),

paired as (
    select
        a.suite,
        a.category,
        a.config_key,
        a.attribute,
        a.target_list,
        a.word,
        a.group_value as group_a,
        b.group_value as group_b,
        a.probability as probability_a,
        b.probability as probability_b,
        a.cooccurrence > 0 and b.cooccurrence > 0 as is_two_sided,
        case
            when a.probability > 0 and b.probability > 0
                then log10({{ ratio('a.probability', 'b.probability') }})
        end as signed_value
    from filled as a
    inner join filled as b
        on
            a.suite = b.suite
            and a.category = b.category
            and a.config_key = b.config_key
            and a.attribute = b.attribute
            and a.target_list = b.target_list
            and a.word = b.word
            and a.group_position < b.group_position
    where a.cooccurrence > 0 or b.cooccurrence > 0
),

counted_ways as (
    select
        *,
        {{ unnested('countings') }} as counting
    from filled
),

associated as (
    select
        *,
        case counting when 'product' then product else indicator end
        / case when is_size_normalised then n_listed else 1 end as weight
    from counted_ways
),

shares as (
    select
        *,
        {{ ratio('weight', 'sum(weight) over in_word') }} as share
    from associated
    window
        in_word as (
            partition by suite, category, config_key, attribute, target_list, counting, word
            order by group_position
            rows between unbounded preceding and unbounded following
        )
)

select
    suite,
    category,
    config_key,
    'cooccurrence_bias' as metric,
    attribute,
    target_list,
    '' as counting,
    word,
    group_a,
    group_b,
    abs(signed_value) as value,
    signed_value,
    case when signed_value is null then 'no_overlap' else 'ok' end as status,
    probability_a,
    probability_b,
    is_two_sided
from paired
union all
select
    suite,
    category,
    config_key,
    'stereotypical_associations' as metric,
    attribute,
    target_list,
    counting,
    word,
    group_a,
    group_b,
    {{ total_variation('share', 'reference_share') }} as value,
    case when group_a <> '' then max(share - reference_share) filter (where group_value = group_a) end
        as signed_value,
    'ok' as status,
    cast(null as double) as probability_a,
    cast(null as double) as probability_b,
    count(*) filter (where weight > 0) > 1 as is_two_sided
from shares
group by suite, category, config_key, attribute, target_list, counting, word, group_a, group_b
