-- Grain: one row per suite, category, config, measure_kind, measure, axis: gaps that another attribute
-- makes wider.
{% set keys = ['suite', 'category', 'config', 'measure_kind', 'measure'] -%}
{% set beyond = "', beyond chance (corrected p ' || " ~ p_in_words('p_holm') ~ " || ').'" -%}
{% set depends = (
    "'This gap depends on ' || " ~ isolated('wide.other_axis') ~ " || " ~ beyond | replace('p_holm', 'wide.p_holm')
) -%}
with contrasts as (
    select * from {{ ref('fct_contrasts') }}
    where not is_control and n_labels is null
),

found as (
    select * from {{ ref('fct_interactions') }}
    where p_holm <= {{ significance_level() }}
),

cells as (
    select
        suite,
        category,
        config,
        'outcome' as measure_kind,
        outcome_set as measure,
        axis,
        outcome,
        group_value,
        share as value,
        n_group as n
    from {{ ref('fct_outcome_shares') }}
    union all
    select
        suite,
        category,
        config,
        'score' as measure_kind,
        feature as measure,
        axis,
        '' as outcome,
        group_value,
        mean as value,
        n
    from {{ ref('fct_score_shifts') }}
    where mean is not null
),

outcomes as (
    select
        suite,
        category,
        config,
        measure_kind,
        measure,
        axis,
        count(distinct outcome) as n_outcomes
    from cells
    group by suite, category, config, measure_kind, measure, axis
),

-- The two groups of a contrast, together with each group of the other attribute.
together as (
    select
        suite,
        category,
        config,
        measure_kind,
        measure,
        outcome,
        contrasts.axis,
        contrasts.group_high,
        contrasts.group_low,
        paired.axis as other_axis,
        paired.group_value as other_group,
        contrasts.axis || ' & ' || paired.axis as first_axes,
        paired.axis || ' & ' || contrasts.axis as last_axes
    from contrasts
    inner join cells as paired using (suite, category, config, measure_kind, measure, outcome)
),

named as (
    select
        together.*,
        found.axis as both_axes,
        found.p_holm,
        found.group_value as departing_group,
        found.outcome as departing_outcome,
        case
            when found.axis = together.first_axes then together.group_high || ' & ' || together.other_group
            else together.other_group || ' & ' || together.group_high
        end as both_high,
        case
            when found.axis = together.first_axes then together.group_low || ' & ' || together.other_group
            else together.other_group || ' & ' || together.group_low
        end as both_low
    from together
    inner join found
        on
            together.suite = found.suite
            and together.category = found.category
            and together.config = found.config
            and together.measure_kind = found.measure_kind
            and together.measure = found.measure
            and found.axis in (together.first_axes, together.last_axes)
),

gaps as (
    select
        named.*,
        high.value as value_high,
        low.value as value_low,
        high.n as n_high,
        low.n as n_low,
        round(high.value - low.value, 9) as gap
    from named
    inner join outcomes
        on
            named.suite = outcomes.suite
            and named.category = outcomes.category
            and named.config = outcomes.config
            and named.measure_kind = outcomes.measure_kind
            and named.measure = outcomes.measure
            and named.both_axes = outcomes.axis
    {%- for side in ('high', 'low') %}
    inner join cells as {{ side }}
        on
            named.suite = {{ side }}.suite
            and named.category = {{ side }}.category
            and named.config = {{ side }}.config
            and named.measure_kind = {{ side }}.measure_kind
            and named.measure = {{ side }}.measure
            and named.outcome = {{ side }}.outcome
            and named.both_axes = {{ side }}.axis
            and named.both_{{ side }} = {{ side }}.group_value
    {%- endfor %}
    -- Of two outcomes, one is what the other is not.
    where outcomes.n_outcomes = 2 or named.departing_outcome = named.outcome
),

ranked as (
    select
        *,
        row_number() over (
            partition by {{ keys | join(', ') }}, axis, both_axes order by gap desc, other_group asc
        ) as widest,
        row_number() over (
            partition by {{ keys | join(', ') }}, axis, both_axes order by gap asc, other_group desc
        ) as narrowest,
        max(case when departing_group in (both_high, both_low) then 1 else 0 end) over (
            partition by {{ keys | join(', ') }}, axis, both_axes
        ) as is_theirs
    from gaps
),

worded as (
    select
        *,
        {{ isolated('other_group') }} || ':'
        {%- for side in ('high', 'low') %}
        || ' ' || {{ isolated('group_' ~ side) }} || ' '
        || case
            when measure_kind = 'outcome'
                then {{ of_hundred('value_' ~ side) }} || ' % of ' || {{ with_commas('n_' ~ side) }}
            else {{ rounded('value_' ~ side) }} || ' (n ' || {{ with_commas('n_' ~ side) }} || ')'
        end || '{{ ',' if loop.first else '.' }}'
        {%- endfor %} as words
    from ranked
    where is_theirs = 1
),

told as (
    select
        suite,
        category,
        config,
        measure_kind,
        measure,
        axis,
        both_axes,
        wide.p_holm,
        {{ depends }} || ' ' || wide.words || ' ' || narrow.words as sentence
    from worded as wide
    inner join worded as narrow
        using (suite, category, config, measure_kind, measure, axis, both_axes)
    where wide.widest = 1 and narrow.narrowest = 1 and wide.other_group <> narrow.other_group
    union all
    select
        {{ keys | join(',\n        ') }},
        axis,
        axis as both_axes,
        p_holm,
        'Together, ' || {{ isolated('axis') }} || ' count for more than each alone'
        || {{ beyond }} as sentence
    from found
),

first_told as (
    select
        *,
        row_number() over (
            partition by {{ keys | join(', ') }}, axis order by p_holm asc, both_axes asc
        ) as position
    from told
)

select
    {{ analysis_columns('contrasts') }},
    contrasts.measure_kind,
    contrasts.measure,
    contrasts.axis,
    first_told.both_axes,
    first_told.p_holm,
    first_told.sentence
from first_told
inner join contrasts using ({{ keys | join(', ') }}, axis)
where first_told.position = 1
