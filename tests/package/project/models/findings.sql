-- Grain: one row per suite, config, verdict.
select
    suite,
    config,
    verdict,
    count(*) as n,
    {{ plumbline.ratio('count(*)', 'sum(count(*)) over (partition by suite, config)') }} as share
from {{ ref('plumbline', 'fct_verdicts') }}
group by suite, config, verdict
