-- Grain: one row per suite, category, axis.
with categories as (
    {{ suite_categories() }}
),

axes as (
    select
        suite,
        category,
        unnest(cast(settings -> 'axes' as varchar[])) as axis,
        {{ list_positions("settings -> 'axes'") }} as axis_position
    from categories
)

select
    suite,
    category,
    axis,
    axis_position,
    string_split(axis, ' & ') as attributes
from axes
