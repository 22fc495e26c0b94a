-- Grain: one row per suite, mitigation: which config is compared with the one without the change.
with mitigations as (
    select
        suite,
        {{ unnested(json_items('definition', 'mitigations')) }} as mitigation
    from {{ source('raw', 'suites') }}
)

select
    suite,
    {{ json_text('mitigation', 'name') }} as mitigation,
    {{ json_text('mitigation', 'control') }} as control,
    {{ json_text('mitigation', 'treated') }} as treated
from mitigations
