-- Grain: one row per suite, part, item.
{% for part in ('statistic', 'standard', 'method') %}
    select
        suite,
        '{{ part }}' as part,
        unnest(cast(definition -> '$.resampling.{{ part }}s' as varchar[])) as item
    from {{ source('raw', 'suites') }}
    {% if not loop.last %}union all{% endif %}
{% endfor %}
