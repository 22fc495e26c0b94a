-- Grain: one row per suite, category, config, outcome_set, outcome, group_value, direction.
with totalled as (
    select
        *,
        sum(n_answers) over by_group as n_group,
        sum(n_answers) over by_outcome as n_outcome,
        sum(figure) over by_group as figure_of_group,
        sum(figure) over by_outcome as figure_of_outcome
    from {{ ref('int_census_shares_counted') }}
    window
        by_group as (partition by suite, category, config_key, outcome_set, group_value),
        by_outcome as (partition by suite, category, config_key, outcome_set, published_label)
),

-- Prompts hold as many of each group by design; the census does not. Weights give the answers its totals.
weighted as (
    select
        *,
        n_answers * {{ ratio('figure_of_group', 'n_group') }} as weighted_answers
    from totalled
),

shares as (
    select
        *,
        'gender_given_outcome' as direction,
        {{ ratio('n_answers', 'n_outcome') }} as model_share,
        -- A group without answers leaves nothing to weigh the others against.
        case
            when count(weighted_answers) over by_outcome = count(*) over by_outcome
                then {{ ratio('weighted_answers', 'sum(weighted_answers) over by_outcome') }}
        end as model_share_weighted,
        {{ ratio('figure', 'figure_of_outcome') }} as actual_share,
        n_outcome as n
    from weighted
    -- Shares of each group alone say nothing of who is in an outcome.
    where figure_kind <> 'share_of_group'
    window by_outcome as (partition by suite, category, config_key, outcome_set, published_label)
    union all
    select
        *,
        'outcome_given_gender' as direction,
        {{ ratio('n_answers', 'n_group') }} as model_share,
        {{ ratio('n_answers', 'n_group') }} as model_share_weighted,
        {{ ratio('figure', 'figure_of_group') }} as actual_share,
        n_group as n
    from weighted
),

-- One distribution: the groups of an outcome, or the outcomes of a group.
divergences as (
    select
        suite,
        category,
        config_key,
        outcome_set,
        direction,
        case when direction = 'gender_given_outcome' then published_label else group_value end as given,
        case
            when count(model_share_weighted) = count(*) and count(actual_share) = count(*)
                then {{ jensen_shannon('model_share_weighted', 'actual_share') }}
        end as jsd_nats
    from shares
    group by all
)

select
    shares.suite,
    shares.domain,
    shares.category,
    shares.config,
    shares.model,
    shares.role,
    shares.is_simulated,
    shares.outcome_set,
    shares.published_label as outcome,
    shares.attribute as axis,
    shares.group_value,
    case when shares.figure_kind = 'thousands' then shares.group_value end as sex,
    shares.direction,
    cast(shares.n_answers as bigint) as n_answers,
    cast(shares.n as bigint) as n,
    shares.model_share,
    shares.model_share_weighted,
    shares.actual_share,
    shares.model_share_weighted - shares.actual_share as difference,
    {%- for end in ['low', 'high'] %}
    case
        when shares.model_share_weighted is null then null
        when shares.direction = 'gender_given_outcome' then bounded.share_of_outcome_{{ end }}
        else bounded.share_{{ end }}
    end - shares.actual_share as difference_{{ end }},
    {%- endfor %}
    divergences.jsd_nats,
    case when divergences.jsd_nats is null then 'zero_denominator' else 'ok' end as status,
    resampled.ci_low as jsd_ci_low,
    resampled.ci_high as jsd_ci_high,
    resampled.ci_status as jsd_ci_status,
    resampled.resampling_unit,
    resampled.n_units,
    shares.figure,
    shares.figure_kind,
    case when shares.figure_kind = 'thousands' then shares.figure end as employed_thousands,
    shares.ground_truth_year,
    shares.published_by,
    shares.published_on,
    shares.source_url,
    shares.licence,
    1 as metric_version
from shares
left join divergences
    on
        shares.suite = divergences.suite
        and shares.category = divergences.category
        and shares.config_key = divergences.config_key
        and shares.outcome_set = divergences.outcome_set
        and shares.direction = divergences.direction
        and divergences.given
        = case
            when shares.direction = 'gender_given_outcome' then shares.published_label
            else shares.group_value
        end
left join {{ ref('int_census_shares_bounded') }} as bounded
    on
        shares.suite = bounded.suite
        and shares.category = bounded.category
        and shares.config_key = bounded.config_key
        and shares.outcome_set = bounded.outcome_set
        and shares.published_label = bounded.published_label
        and shares.group_value = bounded.group_value
left join {{ ref('int_census_distances_resampled') }} as resampled
    on
        case when shares.direction = 'outcome_given_gender' then shares.suite end = resampled.suite
        and shares.category = resampled.category
        and shares.config_key = resampled.config_key
        and shares.outcome_set = resampled.outcome_set
        and shares.group_value = resampled.group_value
