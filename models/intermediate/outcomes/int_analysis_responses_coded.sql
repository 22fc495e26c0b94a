-- Grain: one row per analysis_key, response_key, as small integers for resampling, in an order that
-- depends on the rows alone.
with analysed as (
    select * from {{ ref('int_responses_analysed') }}
    where not is_excluded
)

select
    analysis_key,
    response_key,
    group_value,
    attribute_codes,
    dense_rank() over (partition by analysis_key order by attribute_codes) - 1 as group_code,
    dense_rank() over (partition by analysis_key order by prompt_key) - 1 as prompt_code,
    dense_rank() over (partition by analysis_key order by block_key) - 1 as block_code,
    dense_rank() over (partition by analysis_key order by outcome) - 1 as outcome_code,
    value
from analysed
