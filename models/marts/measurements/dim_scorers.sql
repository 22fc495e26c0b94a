-- Grain: one row per scorer.
-- A text counts once, however many features a scorer gives it.
with measured as (
    select
        scorer_key,
        text_key,
        array_agg(distinct measurement_status) as statuses
    from {{ ref('stg_extract__measurements') }}
    group by scorer_key, text_key
    union all
    select
        scorer_key,
        text_key,
        {{ list_of('measurement_status') }} as statuses
    from {{ ref('stg_extract__embeddings') }}
    union all
    select
        scorer_key,
        text_key,
        {{ list_of(
            "case when judgement_status in ('no_vote', 'tied') then 'failed' else judgement_status end"
        ) }} as statuses
    from {{ ref('int_judgements_counted') }}
),

counted as (
    select
        scorer_key,
        count(*) as n_texts,
        count(*) filter (where array_contains(statuses, 'truncated')) as n_truncated,
        count(*) filter (where array_contains(statuses, 'capped')) as n_capped,
        count(*) filter (where array_contains(statuses, 'empty')) as n_empty,
        count(*) filter (where array_contains(statuses, 'failed')) as n_failed,
        count(*) filter (where array_contains(statuses, 'unsupported_language')) as n_unsupported_language
    from measured
    group by scorer_key
)

select
    scorers.scorer,
    scorers.model,
    scorers.revision,
    scorers.version,
    scorers.parameters,
    scorers.is_encoder,
    try_cast({{ json_text('scorers.parameters', 'max_tokens') }} as integer) as max_tokens,
    try_cast({{ json_text('scorers.parameters', 'max_characters') }} as integer) as max_characters,
    coalesce(counted.n_texts, 0) as n_texts,
    coalesce(counted.n_truncated, 0) as n_truncated,
    coalesce(counted.n_capped, 0) as n_capped,
    coalesce(counted.n_empty, 0) as n_empty,
    coalesce(counted.n_failed, 0) as n_failed,
    coalesce(counted.n_unsupported_language, 0) as n_unsupported_language,
    {{ ratio('counted.n_truncated', 'counted.n_texts') }} as truncated_share,
    {{ ratio('counted.n_failed', 'counted.n_texts') }} as failed_share
from {{ ref('int_scorers_selected') }} as scorers
left join counted using (scorer_key)
