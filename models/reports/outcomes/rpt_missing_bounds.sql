-- Grain: one row per suite, category, config, axis, measure, metric: how far missing answers could move what
-- is judged and how far groups lie apart (SPEC INF-11). Only where some are missing; at most 2,000, single
-- attributes first.
{%- set most_rows = 2000 %}
-- A group of which too few answers were read has bounds, but no value.
with rates as (
    select * from {{ ref('fct_selection_rates') }}
    where
        standard = 'favourable_outcome'
        and calibration = 'none'
        and roll_up = 'none'
        and bound_low is not null
        and not is_control
),

deviations as (
    select
        *,
        coalesce(bound_low, value) as lowest,
        coalesce(bound_high, value) as highest
    from {{ ref('fct_group_deviations') }}
    where
        reference = 'pooled'
        and metric in ('fdi', 'idi', 'jsd_nats')
        and coalesce(bound_high, value) is not null
        and not is_control
),

largest as (
    select * from {{ ref('fct_group_deviations') }}
    where reference = 'pooled' and metric in ('max_fdi', 'max_idi', 'max_jsd_nats') and value is not null
),

-- How far from all together, whichever way.
shifts as (
    select
        *,
        abs(dbi) as value,
        case
            when bound_low is null then abs(dbi)
            when bound_low <= 0 and bound_high >= 0 then 0
            else least(abs(bound_low), abs(bound_high))
        end as lowest,
        coalesce(greatest(abs(bound_low), abs(bound_high)), abs(dbi)) as highest
    from {{ ref('fct_score_shifts') }}
    where coalesce(bound_high, dbi) is not null and not is_control
),

chance_of_shifts as (
    select
        suite,
        category,
        config,
        axis,
        measure,
        any_value(null_p95) as null_p95
    from {{ ref('fct_verdicts') }}
    where metric = 'max_abs_dbi'
    group by suite, category, config, axis, measure
),

-- Of measured values, and of shares of favourable answers: how far groups lie apart.
disparities as (
    select * from {{ ref('fct_disparities') }}
    where
        bound_low is not null
        and calibration = 'none'
        and roll_up = 'none'
        and not is_control
        and disparity in ('range', 'min_max_ratio')
        and (statistic = 'mean' or disparity = 'range')
),

four_fifths as (
    select red_limit from {{ ref('thresholds') }}
    where profile = 'four_fifths' and metric = 'min_impact_ratio'
),

ratios as (
    select
        suite,
        category,
        config,
        is_simulated,
        axis,
        feature as measure,
        'min_impact_ratio' as metric,
        {% for column in ['group_value', 'bound_low', 'bound_high', 'n', 'n_missing'] -%}
        min_by({{ column }}, (coalesce(impact_ratio, 2), group_value)) as {{ column }},
        {% endfor -%}
        min(impact_ratio) as value,
        min_by(group_value, (bound_low, group_value)) as worst_group,
        min(bound_low) as worst_bound,
        min(bound_high) as best_bound,
        cast(sum(n_missing) as bigint) as n_missing_all,
        cast(sum(n) as bigint) as n_all
    from rates
    group by suite, category, config, is_simulated, axis, feature
),

{% for name, numbers, measure, metric in [
    ('distances', 'deviations', 'outcome_set', "'max_' || metric"),
    ('largest_shifts', 'shifts', 'feature', "'max_abs_dbi'")
] -%}
{{ name }} as (
    select
        suite,
        category,
        config,
        is_simulated,
        axis,
        {{ measure }} as measure,
        {{ metric }} as metric,
        {% for column, source in {
            'group_value': 'group_value', 'bound_low': 'lowest', 'bound_high': 'highest', 'n': 'n',
            'n_missing': 'n_missing'
        }.items() -%}
        max_by({{ source }}, (value, group_value)) filter (where value is not null) as {{ column }},
        {% endfor -%}
        max(value) as value,
        max_by(group_value, (highest, group_value)) as worst_group,
        max(highest) as worst_bound,
        max(lowest) as best_bound,
        cast(sum(n_missing) as bigint) as n_missing_all,
        cast(sum(n) as bigint) as n_all
    from {{ numbers }}
    group by all
),

{% endfor -%}
apart as (
    select
        suite,
        category,
        config,
        is_simulated,
        axis,
        feature as measure,
        case
            when disparity = 'min_max_ratio' then 'min_max_ratio'
            when statistic = 'mean' then 'mean_range'
            else 'selection_rate_range'
        end as metric,
        '' as group_value,
        value,
        bound_low,
        bound_high,
        n,
        n_missing,
        cast(null as string) as worst_group,
        case disparity when 'range' then bound_high else bound_low end as worst_bound,
        n_missing as n_missing_all,
        n as n_all,
        case disparity when 'range' then null_p95 else null_p05 end as held_against,
        case
            when disparity = 'range' then {{ meets('bound_low', '>', 'null_p95') }}
            else {{ meets('bound_high', '<', 'null_p05') }}
        end as is_unequal_at_best,
        case
            when disparity = 'range' then {{ meets('bound_high', '>', 'null_p95') }}
            else {{ meets('bound_low', '<', 'null_p05') }}
        end as is_unequal_at_worst
    from disparities
),

of_ratios as (
    select
        ratios.*,
        four_fifths.red_limit as held_against,
        {{ meets('ratios.best_bound', '<', 'four_fifths.red_limit') }} as is_unequal_at_best,
        {{ meets('ratios.worst_bound', '<', 'four_fifths.red_limit') }} as is_unequal_at_worst
    from ratios
    cross join four_fifths
),

of_distances as (
    select
        distances.*,
        largest.null_p95 as held_against,
        {{ meets('distances.best_bound', '>', 'largest.null_p95') }} as is_unequal_at_best,
        {{ meets('distances.worst_bound', '>', 'largest.null_p95') }} as is_unequal_at_worst
    from distances
    inner join largest
        on
            distances.suite = largest.suite
            and distances.category = largest.category
            and distances.config = largest.config
            and distances.axis = largest.axis
            and distances.measure = largest.outcome_set
            and distances.metric = largest.metric
),

of_shifts as (
    select
        largest_shifts.*,
        chance_of_shifts.null_p95 as held_against,
        {{ meets('largest_shifts.best_bound', '>', 'chance_of_shifts.null_p95') }} as is_unequal_at_best,
        {{ meets('largest_shifts.worst_bound', '>', 'chance_of_shifts.null_p95') }} as is_unequal_at_worst
    from largest_shifts
    left join chance_of_shifts using (suite, category, config, axis, measure)
),

collected as (
    {{ union_by_name(['of_ratios', 'of_distances', 'of_shifts', 'apart']) }}
),

ordered as (
    select
        *,
        case
            when held_against is null then 'chance was not drawn'
            when metric = 'min_impact_ratio' and is_unequal_at_best then 'below four fifths either way'
            when metric = 'min_impact_ratio' and not is_unequal_at_worst
                then 'not below four fifths either way'
            when metric = 'min_impact_ratio' then 'missing answers decide'
            when is_unequal_at_best then 'beyond chance either way'
            when not is_unequal_at_worst then 'within chance either way'
            else 'missing answers decide'
        end as reading,
        row_number() over (
            order by
                length(axis) - length(replace(axis, '&', '')) asc,
                suite asc,
                category asc,
                config asc,
                axis asc,
                metric desc,
                measure asc
        ) as position
    from collected
    where n_missing_all > 0 and value is not null
)

select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'measure_words']) }},
    {{ measure_in_words('measure') }} as measure_words,
    {{ page_slugs() }}
from ordered
where position <= {{ most_rows }}
