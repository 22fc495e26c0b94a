-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value, block_key: of one name,
-- text or root, the answers that a group's rate counts and selects, and those that are missing: `low` and
-- `high` count what could make the rate smaller and larger. Failures only where a suite has a limit for them.
{%- set missing = {
    'false_negative_rate': ('n_missing_positives', 'n_missing_positives'),
    'false_omission_rate': ('n_missing_negatives', 'n_missing_positives'),
    'false_positive_rate': ('n_missing_negatives', 'n_missing_negatives'),
    'false_discovery_rate': ('n_missing_positives', 'n_missing_negatives'),
    'predicted_prevalence': (
        'n_missing_positives + n_missing_negatives', 'n_missing_positives + n_missing_negatives'
    ),
} %}
with limited as (
    select distinct suite
    from {{ ref('int_judgements_requested') }}
    where metric = 'failure_rate'
),

parities as (
    select
        suite,
        category,
        config,
        outcome_set,
        axis,
        group_value,
        metric,
        coalesce(group_value = reference_group, false) as is_reference
    from {{ ref('fct_classification_parity') }}
    where status <> 'too_few'
),

failures as (
    select
        responses.suite,
        responses.category,
        responses.config_key,
        responses.config,
        responses.block_key,
        grouped.axis,
        grouped.group_value,
        responses.response_status,
        count(*) as n
    from {{ ref('int_responses_joined') }} as responses
    inner join limited using (suite)
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    group by all
),

-- A group in which nothing failed in a way that others did has a rate of 0.
failed_ways as (
    select distinct
        suite,
        category,
        config_key,
        response_status as measure
    from failures
    where response_status <> 'ok'
)

{% for metric, (selected, counted) in error_rates().items() -%}
{%- set missing_low, missing_high = missing[metric] -%}
select
    units.suite,
    units.category,
    units.config_key,
    units.config,
    units.outcome_set as measure,
    units.axis,
    '{{ metric }}' as metric,
    units.group_value,
    units.block_key,
    parities.is_reference,
    {{ selected }} as n_selected,
    {{ counted }} as n,
    {{ missing_low }} as n_missing_low,
    {{ missing_high }} as n_missing_high,
    {{ missing_low if missing_low == missing_high else 'n_missing_positives + n_missing_negatives' }}
        as n_missing
from {{ ref('int_classification_units_counted') }} as units
inner join parities
    on
        units.suite = parities.suite
        and units.category = parities.category
        and units.config = parities.config
        and units.outcome_set = parities.outcome_set
        and units.axis = parities.axis
        and units.group_value = parities.group_value
        and parities.metric = '{{ metric }}'
union all
{% endfor -%}
select
    failures.suite,
    failures.category,
    failures.config_key,
    failures.config,
    failed_ways.measure,
    failures.axis,
    'failure_rate' as metric,
    failures.group_value,
    failures.block_key,
    false as is_reference,
    cast(coalesce(sum(failures.n) filter (where failures.response_status = failed_ways.measure), 0) as bigint)
        as n_selected,
    cast(sum(failures.n) as bigint) as n,
    0 as n_missing_low,
    0 as n_missing_high,
    0 as n_missing
from failures
inner join failed_ways using (suite, category, config_key)
group by all
