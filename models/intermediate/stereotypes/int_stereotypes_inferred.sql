-- Grain: one row per suite, category, config_key, metric, attribute, target_list, feature, counting, word,
-- group_a, group_b, with p-values corrected over their family: one metric over configs, attributes and lists,
-- of words or of whole lists (SPEC INF-7). Baseline texts are in no family.
with resampled as (
    select * {{ without('value, signed_value') }} from {{ ref('int_stereotypes_resampled') }}
),

configs as (
    select distinct
        suite,
        category,
        config_key,
        is_simulated
    from {{ ref('int_stereotype_texts_listed') }}
),

tests as (
    select
        computed.*,
        configs.is_simulated,
        computed.word <> '' as is_word,
        resampled.* {{ without(
            'suite, category, config_key, metric, attribute, target_list, feature, counting, word, '
            ~ 'group_a, group_b'
        ) }},
        case when computed.config_key <> 'baseline' then resampled.p_value end as family_p
    from {{ ref('int_stereotypes_computed') }} as computed
    inner join configs using (suite, category, config_key)
    left join resampled
        using (
            suite, category, config_key, metric, attribute, target_list, feature, counting, word,
            group_a, group_b
        )
)

{{ with_adjusted_p(
    'tests', 'family_p', ['suite', 'category', 'metric', 'counting', 'is_word', 'is_simulated']
) }}
