-- Grain: one row per analysis_key, group_value, metric, reference (SPEC FS-3, FS-4, FS-5).
with cells as (
    select
        *,
        avg(share) over (partition by analysis_key, outcome) as macro_share
    from {{ ref('int_outcomes_counted') }}
),

referenced as (
    select
        analysis_key,
        group_value,
        n_group,
        n,
        share,
        'pooled' as reference,
        pooled_share as reference_share
    from cells
    union all
    select
        analysis_key,
        group_value,
        n_group,
        n,
        share,
        'macro' as reference,
        macro_share as reference_share
    from cells
),

group_counts as (
    select
        analysis_key,
        count(distinct group_value) as n_groups,
        count(distinct outcome) as n_outcomes
    from cells
    group by analysis_key
),

deviations as (
    select
        referenced.analysis_key,
        referenced.group_value,
        referenced.reference,
        max(referenced.n_group) as n_group,
        max(referenced.n) as n,
        max(group_counts.n_groups) as n_groups,
        case
            when referenced.reference = 'pooled'
                then {{ ratio('max(referenced.n_group)', 'max(referenced.n)') }}
            else {{ ratio('1', 'max(group_counts.n_groups)') }}
        end as group_weight,
        {{ total_variation('referenced.share', 'referenced.reference_share') }} as fdi,
        {{ jensen_shannon('referenced.share', 'referenced.reference_share') }} as jsd_nats
    from referenced
    inner join group_counts using (analysis_key)
    group by referenced.analysis_key, referenced.group_value, referenced.reference
)

select
    analysis_key,
    group_value,
    'fdi' as metric,
    reference,
    n_group,
    n,
    case when n_groups > 1 then fdi end as value,
    case when n_groups > 1 then 1 - group_weight end as attainable_max
from deviations
union all
select
    analysis_key,
    group_value,
    'jsd_nats' as metric,
    reference,
    n_group,
    n,
    case when n_groups > 1 then jsd_nats end as value,
    case when n_groups > 1 then {{ attainable_jensen_shannon('group_weight') }} end as attainable_max
from deviations
