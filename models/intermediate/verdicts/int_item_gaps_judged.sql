-- Grain: one row per suite, category, config_key, axis: the widest gap between groups in the share of lists
-- that name an item, and what it could be whatever the answers without a list had named.
with asked as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        answers.axis,
        answers.group_value,
        answers.n_responses,
        answers.n_missing,
        answers.n_responses - answers.n_missing as n_lists,
        answers.n_responses - answers.n_missing >= suites.minimum_cell as is_compared
    from {{ ref('int_missing_answers_counted') }} as answers
    inner join {{ ref('stg_suite__suites') }} as suites using (suite)
    where
        answers.measure = 'recommended items'
        and answers.group_value <> ''
        and answers.n_responses >= suites.minimum_cell
),

axes as (
    select
        suite,
        category,
        config_key,
        axis,
        count(*) filter (where is_compared) as n_groups,
        coalesce(cast(sum(n_lists) filter (where is_compared) as bigint), 0) as n,
        min(n_lists) filter (where is_compared) as n_smallest_group
    from asked
    group by all
),

named as (
    select * from {{ ref('int_recommended_items_coded') }}
),

items as (
    select distinct
        analysis_key,
        suite,
        category,
        config_key,
        axis,
        item
    from named
    where item is not null
),

counted as (
    select
        analysis_key,
        item,
        group_value,
        count(*) as n_cell
    from named
    group by analysis_key, item, group_value
),

-- Of a group too few of whose lists were read, any share could be.
shares as (
    select
        items.analysis_key,
        items.suite,
        items.category,
        items.config_key,
        items.axis,
        items.item,
        case
            when asked.is_compared then {{ ratio('coalesce(counted.n_cell, 0)', 'asked.n_lists') }}
        end as share,
        case
            when asked.is_compared then {{ ratio('coalesce(counted.n_cell, 0)', 'asked.n_responses') }}
            else 0
        end as lowest,
        case
            when asked.is_compared
                then {{ ratio('coalesce(counted.n_cell, 0) + asked.n_missing', 'asked.n_responses') }}
            else 1
        end as highest
    from items
    inner join asked using (suite, category, config_key, axis)
    left join counted using (analysis_key, item, group_value)
),

gaps as (
    select
        analysis_key,
        suite,
        category,
        config_key,
        axis,
        item,
        max(share) - min(share) as value,
        greatest(max(lowest) - min(highest), 0) as value_low,
        max(highest) - min(lowest) as value_high
    from shares
    group by all
),

widest as (
    select
        analysis_key,
        suite,
        category,
        config_key,
        axis,
        max(value) as value,
        max(value_low) as value_low,
        max(value_high) as value_high
    from gaps
    group by all
)

select
    axes.suite,
    categories.domain,
    axes.category,
    configs.config,
    configs.model,
    configs.role,
    configs.is_simulated,
    axes.config_key,
    'recommended items' as measure,
    axes.axis,
    {{ axis_kind('shown.n_attributes') }} as axis_kind,
    'max_item_gap' as metric,
    '' as group_value,
    widest.analysis_key,
    {%- for column in ['value', 'value_low', 'value_high'] %}
    case when axes.n_groups > 1 then widest.{{ column }} end as {{ column }},
    {%- endfor %}
    {%- for column in ['ci_low', 'ci_high', 'null_p05', 'null_median', 'null_p95', 'bound_low', 'bound_high',
        'p_value', 'min_attainable_p', 'tail', 'null_tails', 'n_blocks', 'resampling_unit', 'n_units',
        'permutation_scheme'] %}
    resampled.{{ column }},
    {%- endfor %}
    1.0 as attainable,
    axes.n,
    axes.n_groups,
    axes.n_smallest_group,
    suites.minimum_group,
    shown.is_control,
    shown.hidden_attributes
from axes
inner join {{ ref('stg_suite__categories') }} as categories using (suite, category)
inner join {{ ref('stg_suite__suites') }} as suites using (suite)
inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
inner join {{ ref('int_axes_shown') }} as shown using (suite, category, config_key, axis)
left join widest using (suite, category, config_key, axis)
left join {{ ref('int_recommended_items_resampled') }} as resampled
    on
        widest.analysis_key = resampled.analysis_key
        and -1 = resampled.item_code
