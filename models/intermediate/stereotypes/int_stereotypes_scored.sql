-- Grain: one row per suite, category, config_key, feature, metric: means over prompts (SPEC ST-9 to ST-11).
with configs as (
    select distinct
        suite,
        category,
        config_key
    from {{ ref('int_stereotype_texts_listed') }}
),

averaged as (
    select
        suite,
        category,
        config_key,
        feature,
        {{ in_order('avg', 'fraction', 'prompt_key') }} as stereotype_fraction,
        {{ in_order('avg', 'maximum', 'prompt_key') }} as expected_maximum_stereotype,
        {{ in_order('avg', 'is_exceeded', 'prompt_key') }} as stereotype_probability,
        sum(n_values) as n,
        count(*) as n_prompts,
        min(n_values) as n_fewest,
        max(n_values) as n_most
    from {{ ref('int_stereotype_scores_averaged') }}
    group by suite, category, config_key, feature
),

joined as (
    select
        configs.suite,
        configs.category,
        configs.config_key,
        declared.feature,
        averaged.stereotype_fraction,
        averaged.expected_maximum_stereotype,
        averaged.stereotype_probability,
        coalesce(averaged.n, 0) as n,
        coalesce(averaged.n_prompts, 0) as n_prompts,
        case
            when averaged.n_most > averaged.n_fewest then 'unequal_repeats'
            when averaged.n_fewest < declared.minimum_repeats then 'few_repeats'
        end as warning
    from configs
    inner join {{ ref('stg_suite__scored_stereotypes') }} as declared using (suite)
    left join averaged using (suite, category, config_key, feature)
)

{% for metric in ['stereotype_fraction', 'expected_maximum_stereotype', 'stereotype_probability'] %}
select
    suite,
    category,
    config_key,
    feature,
    '{{ metric }}' as metric,
    {{ metric }} as value,
    case when {{ metric }} is null then 'all_missing' else 'ok' end as status,
    n,
    n_prompts,
    warning
from joined
{% if not loop.last %}union all{% endif %}
{% endfor %}
