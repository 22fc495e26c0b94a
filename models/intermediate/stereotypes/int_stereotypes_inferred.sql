-- Grain: one row per suite, category, config_key, metric, attribute, target_list, feature, counting, word,
-- group_a, group_b, with p-values corrected over their family: one metric over configs, attributes and lists,
-- of words or of whole lists (SPEC INF-7). Baseline texts are in no family.
with computed as (
    select * from {{ ref('int_stereotypes_computed') }}
),

resampled as (
    select * exclude (value, signed_value) from {{ ref('int_stereotypes_resampled') }}
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
        resampled.* exclude (
            suite, category, config_key, metric, attribute, target_list, feature, counting, word,
            group_a, group_b
        ),
        case when computed.config_key <> 'baseline' then resampled.p_value end as family_p
    from computed
    inner join configs
        on
            computed.suite = configs.suite
            and computed.category = configs.category
            and computed.config_key = configs.config_key
    left join resampled
        on
            computed.suite = resampled.suite
            and computed.category = resampled.category
            and computed.config_key = resampled.config_key
            and computed.metric = resampled.metric
            and computed.attribute = resampled.attribute
            and computed.target_list = resampled.target_list
            and computed.feature = resampled.feature
            and computed.counting = resampled.counting
            and computed.word = resampled.word
            and computed.group_a = resampled.group_a
            and computed.group_b = resampled.group_b
)

{{ with_adjusted_p(
    'tests', 'family_p', ['suite', 'category', 'metric', 'counting', 'is_word', 'is_simulated']
) }}
