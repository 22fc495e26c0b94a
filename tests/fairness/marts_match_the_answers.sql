-- The gate judges the answers of the raw tables as they are: every model was made of them, by a whole build.
-- Marts on another engine keep no record of it.
{{ config(enabled=target.type == 'duckdb', severity=env_var('AUDIT_GATE', '') or 'warn') }}
-- depends_on: {{ ref('fct_verdicts') }}
select built.model
from {{ built_from() }} as built
where
    split_part(built.model, '.', 1) not in ('seed', 'test')
    and built.answers is distinct from (
        select state from {{ source('raw', 'suites').incorporate(path={'identifier': 'content_state'}) }}
        where part = 'answers'
    )
