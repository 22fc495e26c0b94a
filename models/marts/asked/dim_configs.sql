-- Grain: one row per config_key.
with spent as (
    select
        config_key,
        cast(sum(n_prompt_tokens) as bigint) as n_prompt_tokens,
        cast(sum(n_output_tokens) as bigint) as n_output_tokens,
        -- Decimals add up to the same sum in any order.
        cast(sum(cast(cost as decimal(28, 12))) as double) as cost,
        min(currency) as currency,
        count(cost) as n_priced,
        count(distinct case when cost is not null then coalesce(currency, '') end) as n_currencies
    from {{ ref('stg_generate__responses') }}
    group by config_key
)

select
    {{ contract_columns(without=['n_prompt_tokens', 'n_output_tokens', 'cost', 'currency', 'cost_status']) }},
    spent.n_prompt_tokens,
    spent.n_output_tokens,
    case when spent.n_currencies = 1 then spent.cost end as cost,
    case when spent.n_currencies = 1 then spent.currency end as currency,
    case
        when coalesce(spent.n_priced, 0) = 0 then 'no_prices'
        when spent.n_currencies > 1 then 'several_currencies'
        else 'ok'
    end as cost_status
from {{ ref('int_configs_labelled') }}
left join spent using (config_key)
