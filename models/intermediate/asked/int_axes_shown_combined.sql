-- Grain: one row per suite, category, axis, config_key: what prompts show of an axis; the baseline's too.
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
