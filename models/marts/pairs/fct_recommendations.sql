-- Grain: one row per suite, category, config, axis, metric, group_a, group_b. `neutral` compares with the
-- group that the suite names as reference, `pairwise` two others; a spread is over the rows of a comparison.
with similarities as (
    select *
    from {{ ref('fct_counterfactual_similarity') }}
    where {{ begins_with('metric', 'recommendation_') }}
),

chosen_references as (
    select * from {{ ref('int_reference_groups_listed') }}
    where reference_kind = 'group'
),

compared as (
    select
        similarities.*,
        case
            when chosen_references.group_value in (similarities.group_a, similarities.group_b) then 'neutral'
            else 'pairwise'
        end as comparison,
        case
            when similarities.group_a = chosen_references.group_value then similarities.group_b
            else similarities.group_a
        end as group_value
    from similarities
    left join chosen_references using (suite, axis)
),

spreads as (
    select
        suite,
        category,
        config,
        axis,
        metric,
        comparison,
        count(value) as n_values,
        max(value) as max_similarity,
        min(value) as min_similarity,
        case when count(value) > 1 then max(value) - min(value) end as snsr,
        case when count(value) > 1 then {{ in_order('stddev_pop', 'value', 'value') }} end as snsv
    from compared
    group by suite, category, config, axis, metric, comparison
),

bounded as (
    select
        resampled.suite,
        resampled.category,
        configs.config,
        resampled.axis,
        resampled.metric,
        resampled.group_a,
        resampled.group_b,
        resampled.snsr_high,
        resampled.snsv_high,
        resampled.snsr_p_value,
        resampled.snsr_null_p95,
        resampled.snsv_null_p95
    from {{ ref('int_pairs_resampled') }} as resampled
    inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
)

select
    {{ contract_columns(without=['spread_status', 'metric_version']) }},
    case
        when spreads.snsr is not null then 'ok'
        when spreads.n_values = 1 then 'single_group'
        else 'all_missing'
    end as spread_status,
    1 as metric_version
from compared
inner join spreads using (suite, category, config, axis, metric, comparison)
left join bounded using (suite, category, config, axis, metric, group_a, group_b)
