-- Grain: one row per part, suite, category, outcome_set, item: what two runs must share to be compared.
-- part: `prompt`, `group` (whom prompts are about: it names whom other prompts lack), `rule` (of reading
-- answers), `scorer` (that a rule rests on), `metric` (its version).
with rules as (
    select * from {{ ref('stg_suite__outcome_rules') }}
),

compared as (
    select distinct metric from {{ ref('compared_statistics') }}
),

encoders as (
    select scorer from {{ ref('int_scorers_selected') }}
    where is_encoder
),

used as (
    select distinct
        rules.suite,
        rules.category,
        rules.outcome_set,
        scorers.scorer,
        concat_ws(' ', scorers.model, scorers.revision, scorers.version, scorers.parameters) as definition
    from rules
    inner join {{ ref('int_suite_scorers_selected') }} as own on rules.suite = own.suite
    inner join {{ ref('stg_extract__scorers') }} as scorers on own.scorer_key = scorers.scorer_key
    left join encoders on own.scorer = encoders.scorer
    where rules.scorer = own.scorer or (rules.rule_kind = 'anchor' and encoders.scorer is not null)
)

select
    'prompt' as part,
    suite,
    category,
    '' as outcome_set,
    prompt_key as item,
    '' as definition
from {{ ref('stg_assemble__prompts') }}
union all
select distinct
    'group' as part,
    suite,
    category,
    '' as outcome_set,
    concat(axis, ' ', group_value) as item,
    '' as definition
from {{ ref('int_prompts_grouped') }}
where n_attributes = 1
union all
select
    'rule' as part,
    suite,
    category,
    outcome_set,
    cast(phrase_position as string) as item,
    {{ json_object({
        'kind': 'rule_kind',
        'variant': 'variant',
        'text': 'text_variant',
        'feature': 'feature',
        'scorer': 'scorer',
        'scorer_feature': 'scorer_feature',
        'unmatched': 'unmatched_label',
        'min_similarity': 'min_similarity',
        'min_margin': 'min_margin',
        'label': 'label',
        'is_favourable': 'is_favourable',
        'phrase': 'phrase',
        'pattern': 'pattern'
    }) }} as definition
from rules
union all
select
    'scorer' as part,
    suite,
    category,
    outcome_set,
    scorer as item,
    definition
from used
union all
select
    'metric' as part,
    '' as suite,
    '' as category,
    '' as outcome_set,
    metrics.metric as item,
    cast(max(metrics.metric_version) as string) as definition
from {{ ref('metrics') }} as metrics
semi join compared using (metric)
group by metrics.metric
