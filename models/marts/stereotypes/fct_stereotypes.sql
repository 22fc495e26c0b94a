-- Grain: one row per suite, category, config, metric, attribute, target_list, feature, counting, word,
-- group_a, group_b.
with features as (
    select distinct
        suite,
        feature,
        scorer_feature
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
),

-- A threshold on harm gives the same three numbers as one on stereotypes, and says another thing (SPEC TX-1).
computed as (
    select
        inferred.* {{ without('metric') }},
        case
            when directions.feature_kind = 'harm'
                then
                    case inferred.metric
                        when 'stereotype_fraction' then 'toxic_fraction'
                        when 'expected_maximum_stereotype' then 'expected_maximum_toxicity'
                        when 'stereotype_probability' then 'toxicity_probability'
                        else inferred.metric
                    end
            else inferred.metric
        end as metric
    from {{ ref('int_stereotypes_inferred') }} as inferred
    left join features
        on
            inferred.suite = features.suite
            and inferred.feature = features.feature
    left join {{ ref('feature_directions') }} as directions
        on coalesce(features.scorer_feature, inferred.feature) = directions.feature
),

configs as (
    select
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated,
        count(*) filter (where not is_counted) as n_missing
    from {{ ref('int_stereotype_texts_listed') }}
    group by all
)

select
    configs.suite,
    configs.domain,
    configs.category,
    configs.config,
    configs.model,
    configs.role,
    configs.is_simulated,
    computed.metric,
    computed.attribute,
    computed.target_list,
    computed.feature,
    computed.counting,
    computed.word,
    computed.group_a,
    computed.group_b,
    case
        when computed.metric = 'cooccurrence_bias' then 'orders of magnitude'
        when computed.metric in ('expected_maximum_stereotype', 'expected_maximum_toxicity')
            then 'score units'
        else 'share'
    end as unit,
    computed.value,
    computed.signed_value,
    computed.status,
    case
        when
            computed.metric not in ('expected_maximum_stereotype', 'expected_maximum_toxicity')
            and computed.ci_low < 0 then 0
        else computed.ci_low
    end as ci_low,
    case
        when
            computed.metric not in (
                'cooccurrence_bias', 'expected_maximum_stereotype', 'expected_maximum_toxicity'
            )
            and computed.ci_high > 1 then 1
        else computed.ci_high
    end as ci_high,
    {{ inference_status(
        'computed.value', 'settings.n_bootstrap > 0', 'computed.ci_low',
        'computed.n_units >= ' ~ fewest_units_bounded('axis')
    ) }} as ci_status,
    computed.signed_ci_low,
    computed.signed_ci_high,
    computed.p_value,
    computed.p_holm,
    computed.q_value,
    case when computed.family_p is not null then computed.n_tests end as n_tests,
    computed.null_median,
    computed.null_p95,
    computed.min_attainable_p,
    case
        when computed.attribute = '' or computed.metric = 'representation' then 'not_applicable'
        else {{ inference_status('computed.value', 'settings.n_permutations > 0', 'computed.p_value') }}
    end as p_status,
    baselines.value as baseline_value,
    computed.probability_a,
    computed.probability_b,
    cast(computed.n_two_sided as bigint) as n_two_sided,
    cast(computed.n_one_sided as bigint) as n_one_sided,
    cast(computed.n_unseen as bigint) as n_unseen,
    cast(computed.n_words as bigint) as n_words,
    cast(computed.n_prompts as bigint) as n_prompts,
    cast(computed.n as bigint) as n,
    cast(computed.n_covered as bigint) as n_covered,
    configs.n_missing,
    computed.resampling_unit,
    computed.n_units,
    computed.permutation_scheme,
    computed.warning,
    1 as metric_version
from computed
inner join configs using (suite, category, config_key)
inner join {{ ref('stg_suite__suites') }} as settings using (suite)
left join computed as baselines
    on
        baselines.config_key = 'baseline'
        and case when computed.config_key <> 'baseline' then computed.suite end = baselines.suite
        and computed.category = baselines.category
        and computed.metric = baselines.metric
        and computed.attribute = baselines.attribute
        and computed.target_list = baselines.target_list
        and computed.feature = baselines.feature
        and computed.counting = baselines.counting
        and computed.word = baselines.word
        and computed.group_a = baselines.group_a
        and computed.group_b = baselines.group_b
