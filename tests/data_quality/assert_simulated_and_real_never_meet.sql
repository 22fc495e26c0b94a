-- No analysis, no config's name and no verdict holds answers of a model and of the simulated backend at once.
-- Families of tests are not looked at here: docs/guide/verdicts.md lists them.
with backends as (
    select
        config_key,
        config,
        backend = 'simulated' as is_simulated
    from {{ ref('dim_configs') }}
),

analysed as (
    select
        analysed.analysis_key,
        analysed.is_simulated as is_marked_simulated,
        backends.is_simulated
    from {{ ref('int_responses_analysed') }} as analysed
    inner join {{ ref('stg_generate__responses') }} as responses
        on analysed.response_key = responses.response_key
    left join backends on responses.config_key = backends.config_key
)

select 'analysis ' || analysis_key as meeting_place
from analysed
group by analysis_key
having
    count(distinct is_simulated) <> 1
    or count(*) filter (where is_simulated is distinct from is_marked_simulated) > 0
union all
select 'config ' || config as meeting_place
from backends
group by config
having count(*) > 1
union all
select 'verdict ' || verdicts.config || ' ' || verdicts.measure || ' ' || verdicts.axis as meeting_place
from {{ ref('fct_verdicts') }} as verdicts
left join backends on verdicts.config = backends.config
where verdicts.is_simulated is distinct from backends.is_simulated
