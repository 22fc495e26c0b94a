-- Grain: one row per suite, part, item.
{%- for part in ['statistic', 'standard', 'method'] %}
{{ 'union all' if not loop.first }}
select
    suite,
    '{{ part }}' as part,
    {{ unnested(json_texts('definition', 'resampling.' ~ part ~ 's')) }} as item
from {{ source('raw', 'suites') }}
{%- endfor %}
