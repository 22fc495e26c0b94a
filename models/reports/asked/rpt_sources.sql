-- Grain: one row per source_kind, suite, source_name, origin, revision, licence.
select
    *,
    case source_kind
        when 'suite' then 1 when 'document' then 2 when 'answers' then 3 when 'model' then 4
        when 'scorer' then 5 when 'statistics' then 6
        else 7
    end as kind_position
from {{ ref('dim_sources') }}
