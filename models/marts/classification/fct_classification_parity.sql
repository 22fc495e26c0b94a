-- Grain: one row per suite, category, config, outcome_set, axis, group_value, metric. Reference: the group
-- that the suite names, else the one with most answers, of equal ones the first name.
with counted as (
    select
        *,
        n_true_positives + n_false_positives + n_false_negatives + n_true_negatives as n_answers
    from {{ ref('int_classifications_counted') }}
),

chosen as (
    select
        counted.suite,
        counted.category,
        counted.config_key,
        counted.axis,
        counted.group_value as reference_group
    from counted
    left join {{ ref('int_reference_groups_listed') }} as chosen_references using (suite, axis)
    where
        not counted.is_excluded
        and coalesce(chosen_references.group_value, counted.group_value) = counted.group_value
    qualify
        row_number() over (
            partition by counted.suite, counted.category, counted.config_key, counted.axis
            order by counted.n_answers desc, counted.group_value asc
        ) = 1
),

sizes as (
    select
        suite,
        category,
        config_key,
        axis,
        count(*) filter (where not is_excluded) as n_groups
    from counted
    group by suite, category, config_key, axis
),

rated as (
    {% for metric, (selected, of_all) in error_rates().items() -%}
    select
        *,
        '{{ metric }}' as metric,
        {{ selected }} as n_selected,
        {{ of_all }} as n,
        {{ ratio(selected, of_all) }} as value
    from counted
    {% if not loop.last -%}
    union all
    {% endif -%}
    {%- endfor -%}
),

referenced as (
    select
        rated.*,
        sizes.n_groups,
        chosen.reference_group,
        reference_rates.value as reference_value,
        not rated.is_excluded and sizes.n_groups > 1 as is_compared
    from rated
    inner join sizes using (suite, category, config_key, axis)
    left join chosen using (suite, category, config_key, axis)
    left join rated as reference_rates
        on
            chosen.suite = reference_rates.suite
            and chosen.category = reference_rates.category
            and chosen.config_key = reference_rates.config_key
            and chosen.axis = reference_rates.axis
            and chosen.reference_group = reference_rates.group_value
            and rated.metric = reference_rates.metric
)

select
    {{ analysis_columns() }},
    analyses.outcome_set,
    analyses.axis,
    analyses.group_value,
    analyses.metric,
    analyses.value,
    {{ weighed_wilson('analyses.n_selected', 'analyses.n', 'low') }} as wilson_low,
    {{ weighed_wilson('analyses.n_selected', 'analyses.n', 'high') }} as wilson_high,
    case
        when analyses.n = 0 then 'zero_denominator'
        when analyses.is_excluded then 'too_few'
        when analyses.n_groups < 2 then 'single_group'
        when analyses.reference_value is null then 'no_reference'
        else 'ok'
    end as status,
    analyses.n_selected,
    analyses.n,
    analyses.reference_group,
    analyses.reference_value,
    case when analyses.is_compared then analyses.value - analyses.reference_value end as rate_difference,
    case
        when analyses.is_compared then {{ ratio('analyses.value', 'analyses.reference_value') }}
    end as rate_ratio,
    analyses.n_true_positives,
    analyses.n_false_positives,
    analyses.n_false_negatives,
    analyses.n_true_negatives,
    analyses.n_unknown,
    exposed.exposure,
    exposed.is_control,
    1 as metric_version
from referenced as analyses
inner join {{ ref('int_axes_shown') }} as exposed using (suite, category, config_key, axis)
{{ weighed_shares(
    'analyses', 'analyses.metric', 'analyses.outcome_set', 'analyses.group_value', "'selected'"
) }}
