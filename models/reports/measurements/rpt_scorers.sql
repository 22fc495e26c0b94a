-- Grain: one row per scorer.
select * from {{ ref('dim_scorers') }}
