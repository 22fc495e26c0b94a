-- Grain: one row per scorer_key, config_key.
select
    scorer_key,
    rubric_key,
    config_key,
    member_position
from {{ source('raw', 'judge_members') }}
