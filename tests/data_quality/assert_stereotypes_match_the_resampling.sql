-- What the marts say in SQL and what was resampled are one definition; a value on one side only is a difference.
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
where
    (computed.value is null) <> (resampled.value is null)
    or (computed.signed_value is null) <> (resampled.signed_value is null)
    or abs(computed.value - resampled.value) > 1e-9
    or abs(computed.signed_value - resampled.signed_value) > 1e-9
