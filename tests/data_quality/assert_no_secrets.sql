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
),

-- A pattern is compiled for each text that it is sought in: a thousand records at once, then each alone.
numbered as (
    select
        *,
        floor(row_number() over (order by row_key) / 1000) as part
    from records
    where recorded is not null
),

parts as (
    select
        part,
        {{ ordered_text('recorded', 'chr(10)', 'row_key') }} as recorded
    from numbered
    group by part
),

suspected as (
    select
        parts.part,
        '(?i)' || patterns.pattern as pattern
    from parts
    inner join {{ ref('secret_patterns') }} as patterns
        on {{ matches('parts.recorded', "'(?i)' || patterns.pattern") }}
)

-- The text itself is left out: a failing test prints its rows.
select distinct
    numbered.source_table,
    numbered.row_key
from numbered
inner join suspected
    on
        numbered.part = suspected.part
        and {{ matches('numbered.recorded', 'suspected.pattern') }}
