-- No key, token or password in what a run records or an answer's error repeats (SPEC DQ-10). The texts of
-- prompts and answers are not searched: they are what is audited.
with records as (
    select
        'configs' as source_table,
        config_key as row_key,
        options as recorded
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

patterns as (
    select unnest([
        -- Keys that name their issuer, what stands behind a telling name, credentials in an address.
        '(^|[^a-z0-9])(sk|pk|rk|hf|gsk|xai|ghp|gho|glpat|xox[abp])[-_][a-z0-9_-]{16,}',
        '(^|[^a-z0-9])AKIA[0-9A-Z]{16}([^a-z0-9]|$)',
        '(^|[^a-z0-9])AIza[0-9a-z_-]{30,}',
        'bearer\s+[a-z0-9._~+/-]{8,}',
        '(api[-_ ]?key|secret|passw(or)?d|(access|auth)[-_ ]?token)["'']?\s*[:=]\s*["'']?[^\s"'',}]{4}',
        'authorization["'']?\s*[:=]\s*["'']?[^\s"'',}]{4}',
        '://[^/\s:@]+:[^/\s:@]+@',
        '-----BEGIN [A-Z ]*PRIVATE KEY-----'
    ]) as pattern
)

-- The text itself is left out: a failing test prints its rows.
select distinct
    records.source_table,
    records.row_key
from records
inner join patterns on regexp_matches(records.recorded, patterns.pattern, 'i')
