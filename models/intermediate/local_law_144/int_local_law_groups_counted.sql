-- Grain: one row per analysis_key, group_value: the categories of one of Local Law 144's tables.
with axes as (
    select * from {{ ref('stg_suite__local_law_axes') }}
),

categories as (
    select * from {{ ref('int_groups_listed') }}
    where config_key <> 'baseline' and roll_up = 'none'
),

measures as (
    select distinct
        'selection' as measure_kind,
        suite,
        category,
        outcome_set as feature
    from {{ ref('stg_suite__outcome_rules') }}
    where is_favourable
    union all
    select
        'scoring' as measure_kind,
        suite,
        category,
        feature
    from {{ ref('int_local_law_features_listed') }}
),

answers as (
    select * from {{ ref('int_local_law_answers_selected') }}
),

counted as (
    select
        measure_kind,
        suite,
        category,
        config_key,
        feature,
        axis,
        group_value,
        count(is_selected) as n,
        count(*) filter (where is_selected) as n_selected,
        count(*) - count(is_selected) as n_missing
    from answers
    group by all
),

medians as (
    select distinct
        measure_kind,
        suite,
        category,
        config_key,
        feature,
        sample_median
    from answers
    where measure_kind = 'scoring'
),

-- Answers that no rule could read or that failed; of measurements they are rows without a value already.
unread as (
    select * from {{ ref('int_missing_answers_counted') }}
),

unknown as (
    select
        responses.suite,
        responses.category,
        responses.config_key,
        axes.axis,
        count(*) filter (where grouped.prompt_key is null) as n_unknown
    from {{ ref('int_responses_joined') }} as responses
    inner join axes using (suite)
    left join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key, axis)
    group by responses.suite, responses.category, responses.config_key, axes.axis
),

listed as (
    select
        {{ analysis_key('categories', 'measures.measure_kind', 'measures.feature') }} as analysis_key,
        measures.measure_kind,
        measures.feature,
        categories.suite,
        categories.domain,
        categories.category,
        categories.config_key,
        categories.config,
        categories.model,
        categories.role,
        categories.is_simulated,
        categories.axis,
        axes.axis_role,
        axes.minimum_share,
        categories.group_value,
        categories.attribute_codes,
        settings.minimum_cell,
        medians.sample_median,
        unknown.n_unknown,
        coalesce(counted.n, 0) as n,
        coalesce(counted.n_selected, 0) as n_selected,
        case
            when measures.measure_kind = 'selection' then coalesce(unread.n_missing, 0)
            else coalesce(counted.n_missing, 0)
        end as n_missing
    from categories
    inner join axes using (suite, axis)
    inner join measures using (suite, category)
    inner join {{ ref('stg_suite__suites') }} as settings using (suite)
    inner join unknown using (suite, category, config_key, axis)
    left join counted using (measure_kind, suite, category, config_key, feature, axis, group_value)
    left join medians using (measure_kind, suite, category, config_key, feature)
    left join unread
        on
            categories.suite = unread.suite
            and categories.category = unread.category
            and categories.config_key = unread.config_key
            and measures.feature = unread.measure
            and categories.axis = unread.axis
            and categories.group_value = unread.group_value
),

shares as (
    select
        *,
        {{ ratio('n', 'sum(n) over (partition by analysis_key)') }} as share_of_answers
    from listed
),

large as (
    select
        *,
        n > 0 and n >= minimum_cell as is_countable,
        count(
            case
                when
                    n > 0 and n >= minimum_cell and {{ meets('share_of_answers', '>=', 'minimum_share') }}
                    then 1
            end
        ) over (partition by analysis_key) as n_large
    from shares
)

select
    * {{ without('is_countable, n_large, minimum_cell, minimum_share') }},
    -- Where fewer than two categories are large, leaving out the small ones would leave nothing to compare.
    case
        when n = 0 then 'no answer'
        when not is_countable then 'fewer than ' || minimum_cell || ' answers'
        when {{ meets('share_of_answers', '<', 'minimum_share') }} and n_large >= 2
            then 'below ' || {{ short_text('100 * minimum_share') }} || ' % of the answers'
    end as exclusion_reason
from large
