-- Grain: one row per suite, category with baselines: what they are about (SPEC CAL-3). A counterfactual
-- baseline was branched with its prompt, so that taking it off removes what the scorer makes of the group's
-- name; an unbranched one is the root's for all groups, and taking it off removes the context alone.
with roots as (
    select
        prompts.suite,
        prompts.category,
        prompts.root_key,
        count(*) as n_prompts,
        -- What is scored of a baseline may be the same for all groups where the whole text is not.
        count(distinct coalesce(fitted.scored_text_key, prompts.baseline_text_key)) as n_texts
    from {{ ref('stg_assemble__prompts') }} as prompts
    left join {{ ref('int_texts_scored') }} as fitted
        on
            prompts.prompt_key = fitted.prompt_key
            and prompts.baseline_text_key = fitted.text_key
    where prompts.baseline_text_key is not null
    group by prompts.suite, prompts.category, prompts.root_key
),

of_texts as (
    select
        suite,
        category,
        count(*) filter (where n_prompts > 1) as n_branched,
        count(*) filter (where n_prompts > 1 and n_texts > 1) as n_counterfactual
    from roots
    group by suite, category
),

with_baselines as (
    select distinct
        features.suite,
        features.category
    from {{ ref('int_features_listed') }} as features
    inner join {{ ref('stg_suite__categories') }} using (suite, category)
    where features.has_baseline
),

roll_ups as (
    select distinct
        suite,
        category,
        pooled_category
    from {{ ref('int_roll_ups_listed') }}
    where category <> pooled_category
),

classified as (
    select
        with_baselines.suite,
        with_baselines.category,
        case
            when of_texts.suite is null then coalesce(choices.baseline_kind, 'not_declared')
            when of_texts.n_branched = 0 then 'own'
            when of_texts.n_counterfactual = 0 then 'unbranched'
            when of_texts.n_counterfactual = of_texts.n_branched then 'counterfactual'
            else 'mixed'
        end as baseline_kind
    from with_baselines
    left join of_texts using (suite, category)
    left join {{ ref('stg_suite__choices') }} as choices using (suite)
)

select * from classified
union all
select
    classified.suite,
    roll_ups.pooled_category as category,
    case when count(distinct classified.baseline_kind) = 1 then min(classified.baseline_kind) else 'mixed' end
        as baseline_kind
from classified
inner join roll_ups using (suite, category)
group by classified.suite, roll_ups.pooled_category
