-- Grain: one row per suite, category, axis.
with categories as (
    {{ suite_categories() }}
),

axes as (
    select
        suite,
        category,
        {{ unnested_in_places(json_texts('settings', 'axes'), 'axis', 'axis_position', first=0) }}
    from categories
)

select
    suite,
    category,
    axis,
    axis_position,
    split(axis, ' & ') as attributes
from axes
