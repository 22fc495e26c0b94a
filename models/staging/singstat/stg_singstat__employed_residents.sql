-- Grain: one row per dimension, year, sex, published_label. No filter: every year held stays visible.
select
    dimension,
    year,
    sex,
    published_label,
    cast(employed_thousands as double) as employed_thousands,
    source_table,
    data_gov_sg_id,
    cast(last_updated as date) as last_updated,
    year = max(year) over (partition by dimension) as is_latest
from {{ ref('singstat_employed_residents') }}
