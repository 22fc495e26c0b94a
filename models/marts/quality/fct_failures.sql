-- Grain: one row per suite, category, config, axis, group_value, response_status: what failed, for whom.
with grouped as (
    select * from {{ ref('int_prompts_grouped') }}
),

counted as (
    select
        responses.suite,
        responses.category,
        responses.config_key,
        responses.config,
        responses.is_simulated,
        grouped.axis,
        grouped.n_attributes,
        grouped.group_value,
        responses.response_status,
        count(*) as n_cell
    from {{ ref('int_responses_joined') }} as responses
    inner join grouped using (prompt_key)
    group by all
),

totalled as (
    select
        *,
        sum(n_cell) over (partition by suite, category, config_key, axis, group_value) as n_responses
    from counted
),

bounded as (
    select
        totalled.*,
        {{ weighed_wilson('totalled.n_cell', 'totalled.n_responses', 'low') }} as failure_rate_low,
        {{ weighed_wilson('totalled.n_cell', 'totalled.n_responses', 'high') }} as failure_rate_high
    from totalled
    {{ weighed_shares('totalled', "'failure'", "''", 'totalled.group_value', 'totalled.response_status') }}
    where totalled.response_status <> 'ok'
)

select
    {{ contract_columns(without=[
        'n_failed', 'n_responses', 'failure_rate', 'failure_rate_low', 'failure_rate_high'
    ]) }},
    n_cell as n_failed,
    cast(n_responses as bigint) as n_responses,
    {{ ratio('n_cell', 'n_responses') }} as failure_rate,
    failure_rate_low,
    failure_rate_high
from bounded
