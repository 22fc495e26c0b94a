-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value: numbers of other marts,
-- where a suite has a limit for them. A number whose best is 0 from either side is judged by its size.
{%- set sources = {
    'fct_classification_parity': [
        {'measure': 'outcome_set', 'metric': 'metric', 'value': 'value', 'group': 'group_value'},
        {'measure': "outcome_set || ', ' || replace(metric, '_', ' ')", 'metric': "'parity_difference'",
         'value': 'rate_difference', 'group': 'group_value'},
        {'measure': "outcome_set || ', ' || replace(metric, '_', ' ')", 'metric': "'parity_ratio'",
         'value': 'rate_ratio', 'group': 'group_value'},
    ],
    'fct_counterfactual_similarity': [
        {'measure': "coalesce(nullif(feature, ''), 'answers')", 'metric': 'metric', 'value': 'value',
         'group': "group_a || ' / ' || group_b", 'n': 'n_pairs', 'has_inference': true},
    ],
    'fct_recommendations': [
        {'measure': "'recommendations'", 'metric': 'metric', 'value': 'value',
         'group': "group_a || ' / ' || group_b", 'n': 'n_pairs', 'has_inference': true,
         'where': "starts_with(metric, 'recommendation_')"},
        {'measure': "metric || ', ' || comparison", 'metric': "'snsr'", 'value': 'snsr', 'group': "''",
         'n': 'n_values'},
        {'measure': "metric || ', ' || comparison", 'metric': "'snsv'", 'value': 'snsv', 'group': "''",
         'n': 'n_values'},
    ],
    'fct_disparities': [
        {'measure': "concat_ws(', ', feature, nullif(calibration, 'none'), statistic, nullif(parameters, ''))",
         'metric': "case disparity when 'range' then 'group_range' "
            ~ "when 'standard_deviation' then 'group_standard_deviation' else disparity end",
         'value': 'value', 'group': "''", 'has_inference': true},
    ],
    'fct_failures': [
        {'measure': 'response_status', 'metric': "'failure_rate'", 'value': 'failure_rate',
         'group': 'group_value', 'n': 'n_responses'},
    ],
    'fct_stereotypes': [
        {'measure': "concat_ws(', ', nullif(feature, ''), nullif(target_list, ''), nullif(word, ''),"
            ~ " nullif(counting, ''))",
         'axis': 'attribute', 'metric': 'metric', 'value': 'value',
         'group': "concat_ws(' / ', nullif(group_a, ''), nullif(group_b, ''))", 'has_inference': true},
    ],
} %}
with numbers as (
    {% for mart, parts in sources.items() -%}
    {% set outer_loop = loop -%}
    {% for part in parts -%}
    select distinct
        '{{ mart }}' as model,
        suite,
        category,
        config,
        {{ part['measure'] }} as measure,
        {{ part['axis'] or 'axis' }} as axis,
        {{ part['metric'] }} as metric,
        {{ part['group'] }} as group_value,
        {{ part['value'] }} as value,
        {{ part['n'] or 'n' }} as n,
        {%- for column in ['ci_low', 'ci_high', 'null_median', 'p_value', 'p_holm'] %}
        {{ column if part['has_inference'] else 'cast(null as double)' }} as {{ column }}
        {%- if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref(mart) }}
    {% if part['where'] -%}
    where {{ part['where'] }}
    {% endif -%}
    {% if not (loop.last and outer_loop.last) -%}
    union all
    {% endif -%}
    {% endfor -%}
    {% endfor -%}
),

sizes as (
    select
        suite,
        category,
        config_key,
        axis,
        count(distinct group_value) as n_groups
    from {{ ref('int_groups_listed') }}
    group by all
),

wanted as (
    select
        limits.suite,
        limits.metric,
        judged.model,
        any_value(limits.direction) as direction
    from {{ ref('int_limits_applied') }} as limits
    inner join {{ ref('judged_metrics') }} as judged using (metric)
    group by all
),

dictionary as (
    select
        metric,
        max(better) as better,
        min(range_low) as range_low,
        max(range_high) as range_high
    from {{ ref('metrics') }}
    group by metric
),

-- An end of a 95 % interval holds as a one-sided bound, too. One without width comes of values that never
-- vary.
bounded as (
    select
        numbers.*,
        dictionary.better,
        case
            when limits.direction = 'higher_is_worse' then coalesce(dictionary.range_high, 1e308)
            else coalesce(dictionary.range_low, -1e308)
        end as attainable,
        case when numbers.ci_low < numbers.ci_high then numbers.ci_low end as end_low,
        case when numbers.ci_low < numbers.ci_high then numbers.ci_high end as end_high
    from numbers
    inner join dictionary using (metric)
    inner join wanted as limits
        on
            numbers.suite = limits.suite
            and numbers.metric = limits.metric
            and numbers.model = limits.model
)

select
    numbers.suite,
    categories.domain,
    numbers.category,
    configs.config,
    configs.model,
    configs.role,
    configs.is_simulated,
    configs.config_key,
    numbers.measure,
    numbers.axis,
    case when contains(numbers.axis, ' & ') then 'intersection' else 'single' end as axis_kind,
    numbers.metric,
    numbers.group_value,
    case when numbers.better = 'nearer_zero' then abs(numbers.value) else numbers.value end as value,
    {%- for column in ['ci_low', 'ci_high', 'null_median'] %}
    case when numbers.better <> 'nearer_zero' then numbers.{{ column }} end as {{ column }},
    {%- endfor %}
    case
        when numbers.better <> 'nearer_zero' then numbers.end_low
        -- The size of a number of either sign is 0 where its interval holds 0.
        else greatest(numbers.end_low, -numbers.end_high, 0 * numbers.end_low)
    end as bound_low,
    case
        when numbers.better <> 'nearer_zero' then numbers.end_high
        else greatest(numbers.end_high, -numbers.end_low)
    end as bound_high,
    numbers.attainable,
    numbers.p_value,
    numbers.p_holm,
    numbers.n,
    coalesce(sizes.n_groups, 1) as n_groups,
    suites.minimum_group,
    coalesce(shown.is_control, false) as is_control,
    coalesce(shown.hidden_attributes, cast([] as varchar[])) as hidden_attributes
from bounded as numbers
-- Neither the baseline's own nor what is pooled.
inner join {{ ref('int_configs_labelled') }} as configs on numbers.config = configs.config
inner join {{ ref('stg_suite__categories') }} as categories
    on
        numbers.suite = categories.suite
        and numbers.category = categories.category
inner join {{ ref('stg_suite__suites') }} as suites on numbers.suite = suites.suite
left join {{ ref('int_axes_shown') }} as shown
    on
        numbers.suite = shown.suite
        and numbers.category = shown.category
        and configs.config_key = shown.config_key
        and numbers.axis = shown.axis
left join sizes
    on
        numbers.suite = sizes.suite
        and numbers.category = sizes.category
        and configs.config_key = sizes.config_key
        and numbers.axis = sizes.axis
