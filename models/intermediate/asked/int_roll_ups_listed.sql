-- Grain: one row per suite, category, config_key, roll_up: under which names answers are pooled with others.
-- roll_up: over what; `category` pools the categories of a domain, `domain` all, `role` the roles of a model.
with answered as (
    select distinct
        suite,
        domain,
        category,
        config_key
    from {{ ref('int_responses_joined') }}
),

baselines as (
    select distinct
        suite,
        domain,
        category
    from {{ ref('int_baselines_measured') }}
),

asked as (
    select
        answered.suite,
        answered.domain,
        answered.category,
        answered.config_key,
        configs.config,
        configs.model,
        configs.role,
        -- Two ways to ask one and the same model are pooled where they differ by the role alone.
        md5({{ json_list([
            'configs.backend', 'configs.model', 'configs.digest', 'configs.template', 'configs.server_version'
        ]) }}) as model_key
    from answered
    inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
    union all
    select
        suite,
        domain,
        category,
        'baseline' as config_key,
        'baseline' as config,
        'baseline' as model,
        '' as role,
        'baseline' as model_key
    from baselines
),

roll_ups as (
    select
        suite,
        roll_up,
        array_contains(split(roll_up, ' & '), 'domain') as pools_domains,
        array_contains(split(roll_up, ' & '), 'domain')
        or array_contains(split(roll_up, ' & '), 'category') as pools_categories,
        array_contains(split(roll_up, ' & '), 'role') as pools_roles
    from {{ ref('stg_suite__roll_ups') }}
),

placed as (
    select
        asked.* {{ without('model_key') }},
        roll_ups.roll_up,
        roll_ups.pools_domains,
        roll_ups.pools_categories,
        roll_ups.pools_roles,
        case when roll_ups.pools_roles then asked.model_key else asked.config_key end as asked_key,
        case when roll_ups.pools_domains then '(all)' else asked.domain end as pooled_domain
    from asked
    inner join roll_ups using (suite)
),

counted as (
    select
        suite,
        roll_up,
        asked_key,
        pooled_domain,
        case when pools_categories then '' else category end as kept_category,
        count(distinct domain) as n_domains,
        count(distinct category) as n_categories,
        count(distinct role) as n_roles
    from placed
    group by all
),

domains as (
    select
        suite,
        count(distinct domain) as n_domains
    from asked
    group by suite
),

labels as (
    select
        suite,
        roll_up,
        model,
        count(distinct asked_key) as n_models
    from placed
    where pools_roles
    group by suite, roll_up, model
)

select
    placed.suite,
    placed.domain,
    placed.category,
    placed.config_key,
    placed.roll_up,
    placed.pooled_domain,
    case
        when not placed.pools_categories then placed.category
        when placed.pools_domains or domains.n_domains = 1 then '(all)'
        else '(all ' || placed.pooled_domain || ')'
    end as pooled_category,
    md5({{ json_list(["'pooled'", 'placed.roll_up', 'placed.pooled_domain', 'placed.asked_key']) }})
        as pooled_config_key,
    case
        when not placed.pools_roles then placed.config
        when labels.n_models = 1 then placed.model || ' (all roles)'
        else placed.model || ' #' || left(placed.asked_key, 6) || ' (all roles)'
    end as pooled_config,
    case when placed.pools_roles then '(all)' else placed.role end as pooled_role
from placed
inner join domains using (suite)
left join labels using (suite, roll_up, model)
inner join counted
    on
        placed.suite = counted.suite
        and placed.roll_up = counted.roll_up
        and placed.asked_key = counted.asked_key
        and placed.pooled_domain = counted.pooled_domain
        and case when placed.pools_categories then '' else placed.category end = counted.kept_category
-- Only where there is more than one of each to pool: else it is the same table twice.
where
    (not placed.pools_domains or counted.n_domains > 1)
    and (not placed.pools_categories or counted.n_categories > 1)
    and (not placed.pools_roles or counted.n_roles > 1)
