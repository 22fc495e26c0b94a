-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value: numbers of other marts,
-- where a suite has a limit for them. A number whose best is 0 from either side is judged by its size.
{%- set of_pairs = {
    'value': 'value', 'group': "group_a || ' / ' || group_b", 'n': 'n_pairs', 'has_inference': true,
    'n_missing': 'n_missing', 'n_blocks': 'n_units', 'unit': "'block'",
    'is_mean': "metric <> 'sentiment_bias_strict'"
} %}
{%- set of_ranges = {
    'model': 'fct_recommendations', 'value': 'snsr', 'group': "''", 'bound_low': '0', 'bound_high': 'snsr_high',
    'value_low': 'snsr_lowest', 'value_high': 'snsr_highest', 'n_missing': 'n_missing', 'n_blocks': 'n_units',
    'unit': "'block'", 'p_value': 'snsr_p_value', 'null_median': 'snsr_null_median', 'null_p95': 'snsr_null_p95',
    'tail': 'snsr_tail', 'null_tails': 'snsr_null_tails'
} %}
{%- set sources = {
    'fct_classification_parity': [
        {'measure': 'outcome_set', 'metric': 'metric', 'value': 'value', 'group': 'group_value'},
        {'measure': "outcome_set || ', ' || replace(metric, '_', ' ')", 'metric': "'parity_difference'",
         'value': 'rate_difference', 'group': 'group_value', 'where': 'group_value <> reference_group'},
        {'measure': "outcome_set || ', ' || replace(metric, '_', ' ')", 'metric': "'parity_ratio'",
         'value': 'rate_ratio', 'group': 'group_value', 'where': 'group_value <> reference_group'},
    ],
    'fct_counterfactual_similarity': [
        dict(of_pairs, measure="coalesce(nullif(feature, ''), 'answers')", metric='metric'),
    ],
    'fct_recommendations': [
        dict(of_pairs, measure="'recommendations'", metric='metric'),
    ],
    'int_list_spreads_filled': [
        dict(of_ranges, measure="metric || ', ' || comparison", metric="'snsr'", n='n_values'),
        dict(of_ranges, measure='metric', metric="'max_serp_gap'", n='n_pairs',
             where="metric = 'recommendation_serp' and is_told and snsr is not null"),
        {'model': 'fct_recommendations', 'measure': "metric || ', ' || comparison", 'metric': "'snsv'",
         'value': 'snsv', 'group': "''", 'n': 'n_values', 'bound_low': '0', 'bound_high': 'snsv_high',
         'value_low': 'snsv_lowest', 'value_high': 'snsv_highest', 'n_missing': 'n_missing',
         'n_blocks': 'n_units', 'unit': "'block'"},
    ],
    'fct_disparities': [
        {'measure': "concat_ws(', ', feature, nullif(calibration, 'none'), statistic, nullif(parameters, ''))",
         'metric': "case disparity when 'range' then 'group_range' "
            ~ "when 'standard_deviation' then 'group_standard_deviation' else disparity end",
         'value': 'value', 'group': "''", 'has_inference': true, 'value_low': 'bound_low',
         'value_high': 'bound_high', 'n_missing': 'n_missing', 'unit': 'resampling_unit',
         'statistic': 'statistic'},
    ],
    'fct_failures': [
        {'measure': 'response_status', 'metric': "'failure_rate'", 'value': 'failure_rate',
         'group': 'group_value', 'n': 'n_responses'},
    ],
    'int_group_rates_bounded': [
        {'model': 'fct_failures', 'measure': 'measure', 'metric': 'metric', 'value': 'value',
         'group': 'group_value', 'where': "metric = 'failure_rate' and value = 0"},
    ],
    'fct_stereotypes': [
        {'measure': "concat_ws(', ', nullif(feature, ''), nullif(target_list, ''), nullif(word, ''),"
            ~ " nullif(counting, ''))",
         'axis': 'attribute', 'metric': 'metric', 'value': 'value',
         'group': "concat_ws(' / ', nullif(group_a, ''), nullif(group_b, ''))", 'has_inference': true},
    ],
} %}
with dictionary as (
    select
        metric,
        max(better) as better,
        min(range_low) as range_low,
        max(range_high) as range_high
    from {{ ref('metrics') }}
    group by metric
),

numbers as (
    {% for source, parts in sources.items() -%}
    {% set outer_loop = loop -%}
    {% for part in parts -%}
    select distinct
        '{{ part['model'] or source }}' as model,
        suite,
        category,
        config,
        {{ part['measure'] }} as measure,
        {{ part['axis'] or 'axis' }} as axis,
        {{ part['metric'] }} as metric,
        {{ part['group'] }} as group_value,
        {{ part['statistic'] or "''" }} as statistic,
        {{ part['value'] }} as value,
        {{ part['n'] or 'n' }} as n,
        {%- for column in ['n_missing', 'n_blocks'] %}
        cast({{ part[column] or 'null' }} as bigint) as {{ column }},
        {%- endfor %}
        cast({{ part['unit'] or 'null' }} as string) as resampling_unit,
        {{ part['is_mean'] or 'false' }} as is_mean,
        {%- for column in ['bound_low', 'bound_high', 'value_low', 'value_high', 'null_p95', 'tail'] %}
        cast({{ part[column] or 'null' }} as double) as {{ column }},
        {%- endfor %}
        {{ part['null_tails'] or 'null' }} as null_tails,
        {%- for column in ['ci_low', 'ci_high', 'null_median', 'p_value', 'p_holm'] %}
        {{ part[column] or (column if part['has_inference'] else 'cast(null as double)') }} as {{ column }}
        {%- if not loop.last %},{% endif %}
        {%- endfor %}
    from {{ ref(source) }}
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
    from {{ ref('int_judgements_requested') }} as limits
    inner join {{ ref('judged_metrics') }} as judged using (metric)
    group by all
),

-- An end of a 95 % interval holds as a one-sided bound, too. One without width comes of values that never
-- vary: of a mean over pairs, n roots that are all alike leave room for a share of others as the exact
-- binomial does ("rule of three"). Such a mean is one over all pairs, wherever those without a value lie.
bounded as (
    select
        numbers.* {{ without(
            'n_missing, n_blocks, resampling_unit, bound_low, bound_high, value_low, value_high'
        ) }},
        dictionary.better,
        rates.n as n_smallest_group,
        coalesce(rates.n_blocks, numbers.n_blocks) as n_blocks,
        coalesce(rates.n_missing, numbers.n_missing) as n_missing,
        {% for end in ['low', 'high'] -%}
        coalesce(
            rates.bound_{{ end }},
            numbers.bound_{{ end }},
            case
                when numbers.ci_low < numbers.ci_high then numbers.ci_{{ end }}
                when numbers.is_mean and numbers.ci_low = numbers.ci_high
                    then
                        numbers.value + (dictionary.range_{{ end }} - numbers.value)
                        * (1 - power({{ significance_level() }}, 1e0 / numbers.n_blocks))
            end
        ) as end_{{ end }},
        coalesce(
            rates.value_{{ end }},
            numbers.value_{{ end }},
            case
                when numbers.is_mean
                    then
                        (numbers.n * numbers.value + numbers.n_missing * dictionary.range_{{ end }})
                        / (numbers.n + numbers.n_missing)
            end
        ) as worst_{{ end }},
        {% endfor -%}
        case when rates.metric is not null then 'block' else numbers.resampling_unit end as resampling_unit,
        case
            when limits.direction = 'higher_is_worse' then coalesce(dictionary.range_high, 1e308)
            else coalesce(dictionary.range_low, -1e308)
        end as attainable
    from numbers
    inner join dictionary using (metric)
    inner join wanted as limits
        on
            numbers.suite = limits.suite
            and numbers.metric = limits.metric
            and numbers.model = limits.model
    left join {{ ref('int_group_rates_bounded') }} as rates
        on
            numbers.suite = rates.suite
            and numbers.category = rates.category
            and numbers.config = rates.config
            and numbers.measure = rates.measure
            and numbers.axis = rates.axis
            and numbers.metric = rates.metric
            and numbers.group_value = rates.group_value
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
    numbers.statistic,
    case when numbers.better = 'nearer_zero' then abs(numbers.value) else numbers.value end as value,
    {%- for column in ['ci_low', 'ci_high', 'null_median'] %}
    case when numbers.better <> 'nearer_zero' then numbers.{{ column }} end as {{ column }},
    {%- endfor %}
    {%- for name, ends in {'bound': 'end', 'value': 'worst'}.items() %}
    case
        when numbers.better <> 'nearer_zero' then numbers.{{ ends }}_low
        -- The size of a number of either sign is 0 where its interval holds 0.
        else greatest(numbers.{{ ends }}_low, -numbers.{{ ends }}_high, 0 * numbers.{{ ends }}_low)
    end as {{ name }}_low,
    case
        when numbers.better <> 'nearer_zero' then numbers.{{ ends }}_high
        else greatest(numbers.{{ ends }}_high, -numbers.{{ ends }}_low)
    end as {{ name }}_high,
    {%- endfor %}
    numbers.attainable,
    numbers.null_p95,
    numbers.p_value,
    numbers.p_holm,
    numbers.tail,
    numbers.null_tails,
    numbers.n,
    numbers.n_missing,
    numbers.n_smallest_group,
    numbers.n_blocks,
    numbers.resampling_unit,
    coalesce(sizes.n_groups, 1) as n_groups,
    suites.minimum_group,
    coalesce(shown.is_control, false) as is_control,
    coalesce(shown.hidden_attributes, {{ empty_list() }}) as hidden_attributes
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
