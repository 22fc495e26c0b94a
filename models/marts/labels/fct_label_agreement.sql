-- Grain: one row per suite, category, outcome_set, annotator_a, annotator_b, metric. Krippendorff's alpha is
-- of all annotators together; what is read (`rule`) is none of them.
with labels as (
    select
        labels.suite,
        labels.category,
        labels.outcome_set,
        labels.response_key,
        case when labels.source = 'data' then 'data' else labels.annotator end as annotator,
        coalesce(labels.label, 'it cannot be told') as label,
        labels.value,
        labels.source
    from {{ ref('int_labels_known') }} as labels
),

outcomes as (
    select * from {{ ref('int_outcomes_assigned') }}
    where outcome_status <> 'failed_response'
),

readings as (
    select
        labels.suite,
        labels.category,
        labels.outcome_set,
        labels.response_key,
        labels.annotator,
        labels.label,
        labels.value,
        labels.source,
        outcomes.rule_kind = 'score' as is_score,
        -- A label of the data is no reading of its own, where it is what is read.
        outcomes.rule_kind = 'given' and labels.source = 'data' as is_what_is_read,
        outcomes.outcome
    from labels
    inner join outcomes using (suite, category, outcome_set, response_key)
),

pairs as (
    select
        a.suite,
        a.category,
        a.outcome_set,
        a.response_key,
        a.annotator as annotator_a,
        b.annotator as annotator_b,
        a.label as label_a,
        b.label as label_b,
        a.source = 'example' or b.source = 'example' as is_example
    from readings as a
    inner join readings as b
        on
            a.outcome_set = b.outcome_set
            and a.response_key = b.response_key
            and a.annotator < b.annotator
    where not a.is_score
    union all
    select
        suite,
        category,
        outcome_set,
        response_key,
        annotator as annotator_a,
        'rule' as annotator_b,
        label as label_a,
        coalesce(outcome, 'not read') as label_b,
        source = 'example' as is_example
    from readings
    where not is_score and not is_what_is_read
),

sides as (
    select
        *,
        count(*) over (of_a) as n_a,
        count(*) over (of_b) as n_b,
        count(*) over (of_pair) as n
    from pairs
    window
        of_a as (partition by suite, category, outcome_set, annotator_a, annotator_b, label_a),
        of_b as (partition by suite, category, outcome_set, annotator_a, annotator_b, label_b),
        of_pair as (partition by suite, category, outcome_set, annotator_a, annotator_b)
),

-- By chance two labels agree as often as one drawn of each side does.
of_a as (
    select distinct
        suite,
        category,
        outcome_set,
        annotator_a,
        annotator_b,
        label_a as label,
        n_a
    from sides
),

of_b as (
    select distinct
        suite,
        category,
        outcome_set,
        annotator_a,
        annotator_b,
        label_b as label,
        n_b
    from sides
),

by_chance as (
    select
        suite,
        category,
        outcome_set,
        annotator_a,
        annotator_b,
        sum(cast(of_a.n_a as double) * of_b.n_b) as n_products
    from of_a
    inner join of_b using (suite, category, outcome_set, annotator_a, annotator_b, label)
    group by suite, category, outcome_set, annotator_a, annotator_b
),

agreed as (
    select
        suite,
        category,
        outcome_set,
        annotator_a,
        annotator_b,
        count(*) as n,
        count(*) filter (where label_a = label_b) as n_agreed,
        max(case when is_example then 1 else 0 end) = 1 as is_example
    from sides
    group by suite, category, outcome_set, annotator_a, annotator_b
),

kappas as (
    select
        agreed.*,
        {{ ratio('agreed.n_agreed', 'agreed.n') }} as share_agreed,
        coalesce({{ ratio('by_chance.n_products', 'cast(agreed.n as double) * agreed.n') }}, 0)
            as share_by_chance
    from agreed
    left join by_chance using (suite, category, outcome_set, annotator_a, annotator_b)
),

-- Of each answer that several people have read: how much they disagree.
counted as (
    select
        suite,
        category,
        outcome_set,
        response_key,
        label,
        count(*) as n_label
    from readings
    where source <> 'data' and not is_score
    group by suite, category, outcome_set, response_key, label
),

units as (
    select
        suite,
        category,
        outcome_set,
        response_key,
        sum(n_label) as m,
        {{ ratio('power(sum(n_label), 2) - sum(n_label * n_label)', 'sum(n_label) - 1') }} as disagreement,
        cast(null as double) as total,
        cast(null as double) as squares
    from counted
    group by suite, category, outcome_set, response_key
    having sum(n_label) > 1
    union all
    select
        suite,
        category,
        outcome_set,
        response_key,
        count(*) as m,
        {{ ratio('2 * (count(*) * sum(value * value) - power(sum(value), 2))', 'count(*) - 1') }}
            as disagreement,
        sum(value) as total,
        sum(value * value) as squares
    from readings
    where source <> 'data' and is_score and value is not null
    group by suite, category, outcome_set, response_key
    having count(*) > 1
),

observed as (
    select
        suite,
        category,
        outcome_set,
        count(*) as n_units,
        sum(m) as n_labels,
        {{ ratio('sum(disagreement)', 'sum(m)') }} as disagreement,
        {{ ratio('sqrt(count(*) * var_samp(disagreement))', 'sum(m)') }} as standard_error,
        {{ ratio(
            '2 * (sum(m) * sum(squares) - power(sum(total), 2))', 'cast(sum(m) as double) * (sum(m) - 1)'
        ) }} as expected_of_scores
    from units
    group by suite, category, outcome_set
),

label_totals as (
    select
        counted.suite,
        counted.category,
        counted.outcome_set,
        counted.label,
        sum(counted.n_label) as n_label
    from counted
    inner join units using (suite, category, outcome_set, response_key)
    group by counted.suite, counted.category, counted.outcome_set, counted.label
),

expected as (
    select
        suite,
        category,
        outcome_set,
        {{ ratio(
            'power(sum(n_label), 2) - sum(cast(n_label as double) * n_label)',
            'cast(sum(n_label) as double) * (sum(n_label) - 1)'
        ) }} as disagreement
    from label_totals
    group by suite, category, outcome_set
),

examples as (
    select
        suite,
        category,
        outcome_set,
        max(case when source = 'example' then 1 else 0 end) = 1 as is_example
    from readings
    group by suite, category, outcome_set
),

alphas as (
    select
        observed.suite,
        observed.category,
        observed.outcome_set,
        observed.n_units as n,
        examples.is_example,
        observed.disagreement,
        observed.standard_error,
        coalesce(expected.disagreement, observed.expected_of_scores) as expected_disagreement
    from observed
    inner join examples using (suite, category, outcome_set)
    left join expected using (suite, category, outcome_set)
),

-- Disagreement on the scale of what chance gives; what chance gives is taken as known.
scaled as (
    select
        *,
        1 - {{ ratio('disagreement', 'expected_disagreement') }} as value,
        1.959963984540054 * {{ ratio('standard_error', 'expected_disagreement') }} as margin
    from alphas
),

metrics as (
    select
        suite,
        category,
        outcome_set,
        annotator_a,
        annotator_b,
        'share_agreed' as metric,
        share_agreed as value,
        {{ wilson('n_agreed', 'n', 'low') }} as ci_low,
        {{ wilson('n_agreed', 'n', 'high') }} as ci_high,
        n,
        is_example
    from kappas
    union all
    select
        suite,
        category,
        outcome_set,
        annotator_a,
        annotator_b,
        'cohens_kappa' as metric,
        {{ ratio('share_agreed - share_by_chance', '1 - share_by_chance') }} as value,
        {{ ratio(wilson('n_agreed', 'n', 'low') ~ ' - share_by_chance', '1 - share_by_chance') }} as ci_low,
        {{ ratio(wilson('n_agreed', 'n', 'high') ~ ' - share_by_chance', '1 - share_by_chance') }} as ci_high,
        n,
        is_example
    from kappas
    union all
    select
        suite,
        category,
        outcome_set,
        '' as annotator_a,
        '' as annotator_b,
        'krippendorffs_alpha' as metric,
        value,
        greatest(-1, value - margin) as ci_low,
        least(1, value + margin) as ci_high,
        n,
        is_example
    from scaled
)

select
    suite,
    category,
    outcome_set,
    annotator_a,
    annotator_b,
    metric,
    value,
    case when value is null then 'zero_variance' else 'ok' end as status,
    case when value is not null then ci_low end as ci_low,
    case when value is not null then ci_high end as ci_high,
    n,
    is_example,
    1 as metric_version
from metrics
