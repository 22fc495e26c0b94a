-- Grain: one row per suite, category, config, measure, axis: the two groups whose favourable rates lie
-- farthest apart, as labels correct them, where they do.
{% set keys = [
    'suite', 'domain', 'category', 'config', 'model', 'role', 'is_simulated', 'measure', 'axis', 'is_control'
] | join(',\n        ') -%}
with favourable as (
    select
        suite,
        category,
        outcome_set as measure,
        {{ ordered_text('label', "' or '", 'label_position') }} as outcomes
    from {{ ref('dim_outcome_rules') }}
    where is_favourable
    group by suite, category, outcome_set
),

rated as (
    select
        {{ analysis_columns('rates') }},
        rates.feature as measure,
        rates.axis,
        rates.group_value,
        rates.n,
        rates.n_selected,
        rates.is_control,
        coalesce(corrected.corrected_value, rates.selection_rate) as rate,
        corrected.n_labels
    from {{ ref('fct_selection_rates') }} as rates
    left join {{ ref('fct_corrected_numbers') }} as corrected
        on
            rates.suite = corrected.suite
            and rates.category = corrected.category
            and rates.config = corrected.config
            and rates.feature = corrected.outcome_set
            and rates.axis = corrected.axis
            and rates.group_value = corrected.group_value
            and corrected.metric = 'selection_rate'
            and corrected.status <> 'too_few_labels'
    where rates.standard = 'favourable_outcome' and rates.status = 'ok'
),

widest as (
    select
        {{ keys }},
        {%- for side, found in [('high', 'max_by'), ('low', 'min_by')] %}
        {%- for column in ['group_value', 'rate', 'n', 'n_selected'] %}
        {{ found }}({{ column }}, (round(rate, 9), group_value)) as {{ column }}_{{ side }},
        {%- endfor %}
        {%- endfor %}
        max(n_labels) as n_labels
    from rated
    group by
        {{ keys }}
)

select
    {{ analysis_columns('widest') }},
    widest.measure,
    widest.axis,
    favourable.outcomes,
    widest.group_value_high as group_high,
    widest.group_value_low as group_low,
    widest.rate_high as value_high,
    widest.rate_low as value_low,
    widest.n_selected_high as n_cell_high,
    widest.n_selected_low as n_cell_low,
    widest.n_high as n_group_high,
    widest.n_low as n_group_low,
    widest.rate_high - widest.rate_low as gap,
    widest.n_labels,
    -- So it is where one favourable outcome, or the one other, differs most.
    coalesce(
        (
            widest.group_value_high = contrasts.group_high
            and round(widest.rate_high, 9) = round(contrasts.value_high, 9)
            and round(widest.rate_low, 9) = round(contrasts.value_low, 9)
        )
        or (
            round(1 - widest.rate_low, 9) = round(contrasts.value_high, 9)
            and round(1 - widest.rate_high, 9) = round(contrasts.value_low, 9)
        ),
        false
    ) as is_of_one_outcome,
    widest.is_control,
    1 as metric_version
from widest
inner join favourable using (suite, category, measure)
left join {{ ref('fct_contrasts') }} as contrasts using (suite, category, config, measure, axis)
where round(widest.rate_high, 9) > round(widest.rate_low, 9)
