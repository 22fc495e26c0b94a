-- Grain: one row per scorer name: what the last run of extract measured the texts with.
with scorers as (
    select * from {{ ref('stg_extract__scorers') }}
),

runs as (
    select
        started_at,
        detail
    from {{ ref('stg_pipeline__runs') }}
    where command = 'extract'
),

used as (
    select
        scorers.scorer_key,
        max(runs.started_at) as last_used_at
    from scorers
    inner join runs
        on {{ json_entry('runs.detail', 'scorers', 'scorers.scorer') }} = scorers.scorer_key
    group by scorers.scorer_key
),

encoders as (
    select distinct scorer_key from {{ ref('stg_extract__embeddings') }}
)

select
    scorers.scorer_key,
    scorers.scorer,
    scorers.model,
    scorers.revision,
    scorers.version,
    scorers.parameters,
    encoders.scorer_key is not null as is_encoder
from scorers
left join used on scorers.scorer_key = used.scorer_key
left join encoders on scorers.scorer_key = encoders.scorer_key
qualify row_number() over (
    partition by scorers.scorer
    order by used.last_used_at desc nulls last, scorers.version desc, scorers.scorer_key asc
) = 1
