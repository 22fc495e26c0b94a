-- Grain: one row per analysis_id, group_code.
select
    analysis_id,
    group_code,
    group_value,
    attribute_codes,
    count(*) as n
from {{ ref('int_analysis_responses_coded') }}
group by all
