-- Grain: one row per suite, profile, metric, axis_kind, statistic ('' for each).
with thresholds as (
    select
        suite,
        {{ unnested(json_items('definition', 'thresholds')) }} as threshold
    from {{ source('raw', 'suites') }}
)

select
    suite,
    {{ json_text('threshold', 'profile') }} as profile,
    {{ json_text('threshold', 'metric') }} as metric,
    {{ json_text('threshold', 'axes') }} as axis_kind,
    coalesce({{ json_text('threshold', 'statistic') }}, '') as statistic,
    {{ json_text('threshold', 'unit') }} as unit,
    {{ json_text('threshold', 'direction') }} as direction,
    cast({{ json_text('threshold', 'green_limit') }} as double) as green_limit,
    cast({{ json_text('threshold', 'red_limit') }} as double) as red_limit,
    cast({{ json_text('threshold', 'gate') }} as boolean) as is_gated,
    'The suite' as source,  -- noqa: RF04
    {{ json_text('threshold', 'note') }} as note
from thresholds
