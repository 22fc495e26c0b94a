-- What SQL says and what was resampled are one definition; a value on one side only is a difference.
with computed as (
    select * from {{ ref('int_stereotypes_computed') }}
),

resampled as (
    select * from {{ ref('int_stereotypes_resampled') }}
)

select
    resampled.*,
    computed.value as computed_value,
    computed.signed_value as computed_signed_value
from resampled
left join computed
    on
        resampled.suite = computed.suite
        and resampled.category = computed.category
        and resampled.config_key = computed.config_key
        and resampled.metric = computed.metric
        and resampled.attribute = computed.attribute
        and resampled.target_list = computed.target_list
        and resampled.feature = computed.feature
        and resampled.counting = computed.counting
        and resampled.word = computed.word
        and resampled.group_a = computed.group_a
        and resampled.group_b = computed.group_b
where
    (computed.value is null) <> (resampled.value is null)
    or (computed.signed_value is null) <> (resampled.signed_value is null)
    or abs(computed.value - resampled.value) > 1e-9
    or abs(computed.signed_value - resampled.signed_value) > 1e-9
