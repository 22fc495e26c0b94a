{# The two groups of each comparison whose favourable rates lie farthest apart, where no single outcome shows their
   gap: its own widest gap may lie the other way round. As labels correct the rates, where they do. #}
{% macro favourable_gaps() -%}
    with rated as (
        select
            rates.suite,
            rates.category,
            rates.config,
            rates.feature as measure,
            rates.axis,
            rates.group_value,
            rates.n,
            rates.n_selected,
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
            suite,
            category,
            config,
            measure,
            axis,
            {%- for side, found in [('high', 'max_by'), ('low', 'min_by')] %}
            {%- for column in ['group_value', 'rate', 'n', 'n_selected'] %}
            {{ found }}({{ column }}, (round(rate, 9), group_value)) as {{ column }}_{{ side }},
            {%- endfor %}
            {%- endfor %}
            max(n_labels) as n_labels
        from rated
        group by suite, category, config, measure, axis
    ),

    -- Where one favourable outcome, or the one other, differs most, its gap is that of the rates.
    shown as (
        select widest.*
        from widest
        inner join {{ ref('fct_contrasts') }} as outcomes using (suite, category, config, measure, axis)
        where
            (
                group_value_high = outcomes.group_high
                and round(rate_high, 9) = round(outcomes.value_high, 9)
                and round(rate_low, 9) = round(outcomes.value_low, 9)
            )
            or (
                round(1 - rate_low, 9) = round(outcomes.value_high, 9)
                and round(1 - rate_high, 9) = round(outcomes.value_low, 9)
            )
    )

    select
        suite,
        category,
        config,
        measure,
        axis,
        group_value_high as group_high,
        group_value_low as group_low,
        rate_high as value_high,
        rate_low as value_low,
        n_selected_high as n_cell_high,
        n_selected_low as n_cell_low,
        n_high as n_group_high,
        n_low as n_group_low,
        rate_high - rate_low as gap,
        n_labels
    from widest
    anti join shown using (suite, category, config, measure, axis)
    where round(rate_high, 9) > round(rate_low, 9)
{%- endmacro %}
