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

weighed as (
    select
        totalled.*,
        coalesce(weighed.answer_worth, 1) as answer_worth
    from totalled
    left join {{ ref('int_shares_weighed') }} as weighed
        on
            weighed.share_of = 'failure'
            and totalled.suite = weighed.suite
            and totalled.category = weighed.category
            and totalled.config_key = weighed.config_key
            and totalled.axis = weighed.axis
            and totalled.group_value = weighed.group_value
            and totalled.response_status = weighed.outcome
)

select
    {{ contract_columns(without=[
        'n_failed', 'n_responses', 'failure_rate', 'failure_rate_low', 'failure_rate_high'
    ]) }},
    n_cell as n_failed,
    cast(n_responses as bigint) as n_responses,
    {{ ratio('n_cell', 'n_responses') }} as failure_rate,
    {{ wilson('n_cell * answer_worth', 'n_responses * answer_worth', 'low') }} as failure_rate_low,
    {{ wilson('n_cell * answer_worth', 'n_responses * answer_worth', 'high') }} as failure_rate_high
from weighed
where response_status <> 'ok'
