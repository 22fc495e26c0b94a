-- Grain: one row per analysis_key, group_code.
select
    analysis_key,
    group_code,
    group_value,
    attribute_codes,
    count(*) as n
from {{ ref('int_analysis_responses_coded') }}
group by all
