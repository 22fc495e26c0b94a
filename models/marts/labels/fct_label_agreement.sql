-- Grain: one row per suite, category, outcome_set, annotator_a, annotator_b, metric. Krippendorff's alpha is
-- of all annotators together; what is read (`rule`) is none of them. Intervals count answers for what they
-- tell, as those of one name, text or root may be alike; that of scores is Student's.
{%- set of_pair = 'suite, category, outcome_set, annotator_a, annotator_b' %}
{%- set half = (
    student('n_effective - 1') ~ ' * sqrt('
    ~ ratio('greatest(0, mean_square - agreed * agreed)', 'n_effective - 1') ~ ')'
) %}
{%- set scale = 'bounded.complete - by_chance.agreed' %}
with pairs as (
    select
        listed.*,
        weighed.label_worth
    from {{ ref('int_label_pairs_listed') }} as listed
    inner join {{ ref('int_labels_weighed') }} as weighed
        using (
            suite, category, config_key, outcome_set, annotator_a, annotator_b, axis, group_value, metric,
            outcome
        )
),

means as (
    select
        {{ of_pair }},
        metric,
        count(*) as n,
        {{ ratio('sum(weight * x)', 'sum(weight)') }} as agreed,
        {{ ratio('sum(weight * x * x)', 'sum(weight)') }} as mean_square,
        {{ ratio('power(sum(weight), 2)', 'sum(weight * weight / label_worth)') }} as n_effective,
        max(case when is_example then 1 else 0 end) = 1 as is_example
    from pairs
    group by {{ of_pair }}, metric
),

-- By chance two labels agree as often as one drawn of each side does.
of_a as (
    select
        {{ of_pair }},
        label_a as label,
        count(*) as n_a
    from pairs
    where annotator_a <> ''
    group by {{ of_pair }}, label_a
),

of_b as (
    select
        {{ of_pair }},
        label_b as label,
        count(*) as n_b
    from pairs
    where annotator_a <> ''
    group by {{ of_pair }}, label_b
),

products as (
    select
        {{ of_pair }},
        sum(cast(of_a.n_a as double) * of_b.n_b) as n_products
    from of_a
    inner join of_b using ({{ of_pair }}, label)
    group by {{ of_pair }}
),

-- Of all annotators together: as often as two drawn of all labels do.
label_totals as (
    select
        suite,
        category,
        outcome_set,
        label,
        count(*) as n_label
    from {{ ref('int_label_readings') }}
    where source <> 'data' and not is_score and n_readers > 1
    group by suite, category, outcome_set, label
),

by_chance as (
    select
        {{ of_pair }},
        means.metric,
        coalesce({{ ratio('products.n_products', 'cast(means.n as double) * means.n') }}, 0) as agreed
    from means
    left join products using ({{ of_pair }})
    where means.annotator_a <> ''
    union all
    select
        suite,
        category,
        outcome_set,
        '' as annotator_a,
        '' as annotator_b,
        'share_agreed' as metric,
        {{ ratio(
            'sum(cast(n_label as double) * (n_label - 1))', 'cast(sum(n_label) as double) * (sum(n_label) - 1)'
        ) }} as agreed
    from label_totals
    group by suite, category, outcome_set
    union all
    select
        suite,
        category,
        outcome_set,
        '' as annotator_a,
        '' as annotator_b,
        'minus_distance' as metric,
        -2 * {{ ratio(
            'count(*) * sum(value * value) - power(sum(value), 2)', 'cast(count(*) as double) * (count(*) - 1)'
        ) }} as agreed
    from {{ ref('int_label_readings') }}
    where source <> 'data' and is_score and n_readers > 1 and value is not null
    group by suite, category, outcome_set
),

bounded as (
    select
        *,
        case when metric = 'share_agreed' then 1 else 0 end as complete,
        case
            when metric = 'share_agreed' then {{ wilson('agreed * n_effective', 'n_effective', 'low') }}
            else agreed - {{ half }}
        end as low,
        case
            when metric = 'share_agreed' then {{ wilson('agreed * n_effective', 'n_effective', 'high') }}
            else agreed + {{ half }}
        end as high
    from means
),

-- On the scale from what chance gives, which is taken as known, to complete agreement.
scaled as (
    select
        {{ of_pair }},
        case when annotator_a = '' then 'krippendorffs_alpha' else 'cohens_kappa' end as metric,
        {{ ratio('bounded.agreed - by_chance.agreed', scale) }} as value,
        greatest(-1, {{ ratio('bounded.low - by_chance.agreed', scale) }}) as ci_low,
        least(1, {{ ratio('bounded.high - by_chance.agreed', scale) }}) as ci_high,
        n,
        is_example
    from bounded
    inner join by_chance using ({{ of_pair }}, metric)
),

metrics as (
    select
        {{ of_pair }},
        metric,
        agreed as value,
        low as ci_low,
        high as ci_high,
        n,
        is_example
    from bounded
    where annotator_a <> ''
    union all
    select * from scaled
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
