{# What enters a table of groups, from outcomes (a row per answer and outcome set): categories, scores, and whether the
   outcome is favourable, where a set has favourable ones. #}
{% macro outcomes_by_kind(relation) -%}
    with favourable as (
        select distinct
            suite,
            category,
            outcome_set,
            label
        from {{ ref('stg_suite__outcome_rules') }}
        where is_favourable
    )

    select
        'outcome' as measure_kind,
        outcome_set as measure,
        outcome,
        cast(null as double) as value,
        * {{ without('outcome_set, outcome, score') }}
    from {{ relation }}
    where is_counted
    union all
    select
        'score' as measure_kind,
        feature as measure,
        cast(null as string) as outcome,
        score as value,
        * {{ without('outcome_set, outcome, score') }}
    from {{ relation }}
    where rule_kind = 'score' and score is not null
    union all
    select
        'selection' as measure_kind,
        {{ relation }}.outcome_set as measure,
        {{ relation }}.outcome,
        case when favourable.label is not null then 1e0 else 0e0 end as value,
        {{ relation }}.* {{ without('outcome_set, outcome, score') }}
    from {{ relation }}
    semi join favourable as selectable
        on
            {{ relation }}.suite = selectable.suite
            and {{ relation }}.category = selectable.category
            and {{ relation }}.outcome_set = selectable.outcome_set
    left join favourable
        on
            {{ relation }}.suite = favourable.suite
            and {{ relation }}.category = favourable.category
            and {{ relation }}.outcome_set = favourable.outcome_set
            and {{ relation }}.outcome = favourable.label
    where {{ relation }}.is_counted
{%- endmacro %}
