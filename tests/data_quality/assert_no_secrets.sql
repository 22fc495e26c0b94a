-- No key, token or password in what a run records or an answer's error repeats (SPEC DQ-10). The texts of
-- prompts and answers are not searched: they are what is audited. What a model, a server or a file says is
-- redacted by the same patterns before it is recorded (ingest/redaction.py): nobody audited stops an audit.
with records as (
    select
        'configs' as source_table,
        config_key as row_key,
        -- A template is a text that is asked, as prompts are.
        {{ json_without('options', 'prompt_template') }} as recorded
    from {{ ref('stg_generate__configs') }}
    union all
    select
        'runs' as source_table,
        run_id as row_key,
        detail as recorded
    from {{ ref('stg_pipeline__runs') }}
    union all
    select
        'runs' as source_table,
        run_id as row_key,
        versions as recorded
    from {{ ref('stg_pipeline__runs') }}
    union all
    select
        'scorers' as source_table,
        scorer_key as row_key,
        parameters as recorded
    from {{ ref('stg_extract__scorers') }}
    union all
    select
        'responses' as source_table,
        response_key as row_key,
        error as recorded
    from {{ ref('stg_generate__responses') }}
    union all
    select
        'rejects' as source_table,
        reject_key as row_key,
        detail as recorded
    from {{ ref('stg_load__rejects') }}
)

-- The text itself is left out: a failing test prints its rows.
select distinct
    records.source_table,
    records.row_key
from records
inner join {{ ref('secret_patterns') }} as patterns
    on {{ matches('records.recorded', 'patterns.pattern', 'i') }}
