-- Grain: one row per suite, category, config, axis, feature, group_value: how likely favourable labels were,
-- the mass that all labels cover, and the group's log odds against the mean of all.
with labels as (
    select
        suite,
        category,
        config,
        is_simulated,
        axis,
        feature,
        group_value,
        exposure,
        is_control,
        sum(probability) filter (where is_favourable) as probability,
        max(covered_mass) as covered_mass,
        max(covered_mass_least) as covered_mass_least,
        max(n_responses) as n_responses,
        max(n) as n,
        max(n_low_mass) as n_low_mass,
        max(n_no_probabilities) as n_no_probabilities
    from {{ ref('fct_label_probabilities') }}
    group by all
),

log_odds as (
    select * from {{ ref('fct_log_odds') }}
    where reference = 'pooled'
)

select
    {{ page_slugs('labels') }},
    labels.*,
    log_odds.value as log_odds_difference,
    log_odds.ci_low,
    log_odds.ci_high,
    log_odds.p_value,
    {{ p_in_words('log_odds.p_value') }} as p_value_words,
    log_odds.p_permutation,
    log_odds.status,
    log_odds.n_units
from labels
left join log_odds using (suite, category, config, axis, feature, group_value)
where labels.n_responses > labels.n_no_probabilities
