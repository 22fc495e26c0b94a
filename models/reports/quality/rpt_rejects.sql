-- Grain: one row per reject_key: at most 1,000 rows of each file and reason.
select
    *,
    count(*) over (partition by suite, source_file, reason) as n_found
from {{ ref('fct_rejects') }}
qualify row_number() over (partition by suite, source_file, reason order by source_row asc nulls last) <= 1000
