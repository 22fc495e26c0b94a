-- Grain: one row per part, suite, category, outcome_set, item: what two runs must share to be compared.
-- part: `prompt`, `rule` (of reading answers), `scorer` (that a rule rests on), `metric` (its version).
with rules as (
    select * from {{ ref('stg_suite__outcome_rules') }}
),

compared as (
    select distinct metric from {{ ref('compared_statistics') }}
),

judges as (
    select distinct scorer_key from {{ ref('stg_extract__judge_members') }}
),

-- Vectors and votes have one version of a name, whichever suite it is of; numbers have the suite's own.
versions as (
    select
        rules.*,
        selected.scorer as used_scorer,
        case
            when selected.is_encoder or judges.scorer_key is not null then selected.scorer_key
            else own.scorer_key
        end as used_key
    from rules
    inner join {{ ref('int_scorers_selected') }} as selected
        on rules.scorer = selected.scorer or (rules.rule_kind = 'anchor' and selected.is_encoder)
    left join judges on selected.scorer_key = judges.scorer_key
    left join {{ ref('int_suite_scorers_selected') }} as own
        on
            rules.suite = own.suite
            and selected.scorer = own.scorer
),

used as (
    select distinct
        versions.suite,
        versions.category,
        versions.outcome_set,
        versions.used_scorer as scorer,
        concat_ws(' ', scorers.model, scorers.revision, scorers.version, scorers.parameters) as definition
    from versions
    inner join {{ ref('stg_extract__scorers') }} as scorers on versions.used_key = scorers.scorer_key
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
