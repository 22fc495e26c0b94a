-- Grain: one row per suite, category, axis, config_key: what prompts show of an axis; the baseline's and
-- pooled ones too.
with exposed as (
    select
        suite,
        category,
        axis,
        config_key,
        exposure,
        is_control
    from {{ ref('int_axes_shown') }}
    union all
    -- The baseline's texts are no answer of a config: they show an axis where the prompts of some config do.
    select
        suite,
        category,
        axis,
        'baseline' as config_key,
        min(exposure) as exposure,
        bool_and(is_control) as is_control
    from {{ ref('int_axes_shown') }}
    group by suite, category, axis
)

select * from exposed
union all
select
    exposed.suite,
    roll_ups.pooled_category as category,
    exposed.axis,
    roll_ups.pooled_config_key as config_key,
    min(exposed.exposure) as exposure,
    bool_and(exposed.is_control) as is_control
from exposed
inner join {{ ref('int_roll_ups_listed') }} as roll_ups using (suite, category, config_key)
group by exposed.suite, roll_ups.pooled_category, exposed.axis, roll_ups.pooled_config_key
