-- Grain: one row per prompt_key, feature: the value of the prompt's baseline text.
select
    prompt_key,
    feature,
    min(suite) as suite,
    min(domain) as domain,
    min(category) as category,
    min(scorer) as scorer,
    min(text_variant) as text_variant,
    min(baseline_value) as value
from {{ ref('int_responses_measured') }}
where baseline_value is not null
group by prompt_key, feature
