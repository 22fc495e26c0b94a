-- Grain: one row per suite, category, config, attribute, value, answer: what was planted, what came back.
select * from {{ ref('fct_planted') }}
