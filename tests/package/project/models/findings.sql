-- Grain: one row per suite, config.
select
    suite,
    config,
    count(*) as n,
    {{ plumbline.ratio('count(*) filter (where p_holm <= 0.05)', 'count(*)') }} as share
from {{ ref('plumbline', 'fct_associations') }}
group by suite, config
