-- Grain: one row per suite, category, axis.
with categories as (
    {{ suite_categories() }}
),

axes as (
    select
        suite,
        category,
        unnest(cast(settings -> 'axes' as varchar[])) as axis,
        cast(generate_subscripts(cast(settings -> 'axes' as varchar[]), 1) - 1 as integer) as axis_position
    from categories
)

select
    suite,
    category,
    axis,
    axis_position,
    string_split(axis, ' & ') as attributes
from axes
