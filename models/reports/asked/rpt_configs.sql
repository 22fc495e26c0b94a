-- Grain: one row per suite, config: what was asked, and how it ended under the gate's profile.
with counted as (
    select
        suite,
        config_key,
        count(*) as n_responses,
        count(*) filter (where response_status = 'ok') as n_usable,
        count(distinct prompt_key) as n_prompts,
        count(distinct category) as n_categories
    from {{ ref('dim_responses') }}
    group by suite, config_key
),

judged as (
    select
        suite,
        config,
        count(*) filter (where verdict = 'fail') as n_fail,
        count(*) filter (where verdict = 'monitor') as n_monitor,
        count(*) filter (where verdict = 'inconclusive') as n_inconclusive,
        count(*) filter (where verdict = 'pass') as n_pass,
        count(*) filter (where verdict = 'not_applicable') as n_not_applicable
    from {{ ref('fct_verdicts') }}
    where is_gated
    group by suite, config
)

select
    counted.suite,
    suites.title as suite_title,
    suites.description as suite_description,
    suites.version as suite_version,
    suites.suite_key,
    suites.variant,
    {{ item_at('suites.profiles', 1) }} as gate_profile,
    configs.config,
    configs.config_key,
    configs.backend,
    configs.is_simulated,
    configs.model,
    configs.role,
    configs.digest,
    configs.options,
    configs.server_version,
    counted.n_categories,
    counted.n_prompts,
    counted.n_responses,
    counted.n_usable,
    configs.n_prompt_tokens,
    configs.n_output_tokens,
    configs.cost,
    configs.currency,
    coalesce(judged.n_fail, 0) as n_fail,
    coalesce(judged.n_monitor, 0) as n_monitor,
    coalesce(judged.n_inconclusive, 0) as n_inconclusive,
    coalesce(judged.n_pass, 0) as n_pass,
    coalesce(judged.n_not_applicable, 0) as n_not_applicable
from counted
inner join {{ ref('dim_configs') }} as configs using (config_key)
inner join {{ ref('dim_suites') }} as suites using (suite)
left join judged using (suite, config)
