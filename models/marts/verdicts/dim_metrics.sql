-- Grain: one row per metric, metric_version: the metric dictionary (docs/metrics.md is the same as pages).
-- A metric's file is in docs/metrics/. A statistic, distance or disparity that no such file covers is told by
-- its own row: those rows have an explanation.
with told as (
    select
        statistic_id as position,
        statistic as metric,
        title,
        formula,
        unit,
        case when is_non_negative then 0.0 end as range_low,
        null as range_high,
        'neither' as better,
        'fct_summary_statistics' as mart,
        'statistic = ''' || statistic || '''' as row_filter,
        source,
        explanation,
        'NULL: status too_few below ' || min_n || ' values, else ' || null_status || '.' as edge_cases,
        peer
    from {{ ref('statistics') }}
    union all
    select
        distance_id as position,
        distance || '_distance_wrt_baseline' as metric,
        title,
        formula,
        unit,
        range_low,
        range_high,
        'neither' as better,
        'fct_measurements' as mart,
        'feature = ''' || distance || '_distance_wrt_baseline''' as row_filter,
        source,
        explanation,
        'NULL where a text has no vector.' as edge_cases,
        peer
    from {{ ref('distances') }}
    union all
    select
        disparity_id as position,
        disparity as metric,
        title,
        formula,
        unit,
        null as range_low,
        null as range_high,
        better,
        'fct_disparities' as mart,
        'disparity = ''' || disparity || '''' as row_filter,
        source,
        explanation,
        'NULL where the status says why.' as edge_cases,
        peer
    from {{ ref('disparities') }}
)

select
    metric,
    metric_version,
    title,
    formula,
    unit,
    range_low,
    range_high,
    attainable_bound,
    better,
    mart,
    {{ adapter.quote('column') }},
    source,
    spec,
    explanation,
    also_in,
    row_filter,
    edge_cases,
    assumptions,
    misuse,
    peer_variant
from {{ ref('metrics') }}
union all
select
    metric,
    1 as metric_version,
    title,
    formula,
    unit,
    range_low,
    range_high,
    null as attainable_bound,
    better,
    mart,
    'value' as {{ adapter.quote('column') }},
    source,
    '' as spec,
    explanation,
    null as also_in,
    row_filter,
    edge_cases,
    null as assumptions,
    null as misuse,
    case when peer is not null then 'SAGED: ' || peer || '.' end as peer_variant
from told
where explanation is not null
qualify row_number() over (partition by metric, mart order by position) = 1
