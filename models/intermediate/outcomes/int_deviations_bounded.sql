-- Grain: one row per analysis_key, group_value ('' for the largest of all), metric (reference pooled): how
-- far a deviation could lie, whatever the missing answers of the group and of all others had been (SPEC
-- INF-11).
with counted as (
    select
        analysis_key,
        group_value,
        outcome,
        n_cell
    from {{ ref('int_outcomes_counted') }}
),

-- With its missing answers, a group that no table holds would be one more.
given as (
    select * from counted
    union all
    select
        few.analysis_key,
        few.group_value,
        few.outcome,
        few.n_read as n_cell
    from {{ ref('int_silent_answers_counted') }} as few
    semi join counted using (analysis_key)
),

groups_given as (
    select distinct
        analysis_key,
        group_value
    from given
),

outcomes_given as (
    select distinct
        analysis_key,
        outcome
    from given
    where outcome is not null
),

grid as (
    select
        groups_given.analysis_key,
        groups_given.group_value,
        outcomes_given.outcome
    from groups_given
    inner join outcomes_given using (analysis_key)
),

cells as (
    select
        grid.*,
        coalesce(given.n_cell, 0) as n_cell,
        coalesce(sum(given.n_cell) over (partition by grid.analysis_key, grid.group_value), 0) as n_group,
        sum(given.n_cell) over (partition by grid.analysis_key, grid.outcome) as n_outcome,
        sum(given.n_cell) over (partition by grid.analysis_key) as n
    from grid
    left join given
        on
            grid.analysis_key = given.analysis_key
            and grid.group_value = given.group_value
            and grid.outcome = given.outcome
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
),

groups as (
    select
        cells.analysis_key,
        cells.group_value,
        any_value(cells.n_group) as n_group,
        any_value(cells.n) as n,
        count(*) as n_outcomes,
        any_value(analyses.n_possible_outcomes) as n_possible_outcomes,
        coalesce(any_value(missing.n_missing), 0) as n_missing
    from cells
    inner join analyses on cells.analysis_key = analyses.analysis_key
    left join missing
        on
            analyses.suite = missing.suite
            and analyses.category = missing.category
            and analyses.config_key = missing.config_key
            and analyses.measure = missing.measure
            and analyses.axis = missing.axis
            and cells.group_value = missing.group_value
    group by cells.analysis_key, cells.group_value
),

sized as (
    select
        *,
        sum(n_missing) over (axes) - n_missing as n_missing_others,
        n_group + n_missing as n_group_filled,
        n + sum(n_missing) over (axes) as n_filled
    from groups
    window axes as (partition by analysis_key)
    qualify sum(n_missing) over (axes) > 0 and count(*) over (axes) > 1
),

-- What is missing may be an answer that nobody gave: one of the group, and another of all others.
unseen as (
    select
        '' as outcome,
        1 as place
    union all
    select
        ' ' as outcome,
        2 as place
),

filled as (
    select
        sized.*,
        cells.outcome,
        cells.n_cell,
        cells.n_outcome
    from sized
    inner join cells
        on
            sized.analysis_key = cells.analysis_key
            and sized.group_value = cells.group_value
    union all
    select
        sized.*,
        unseen.outcome,
        0 as n_cell,
        0 as n_outcome
    from sized
    inner join unseen on sized.n_outcomes + unseen.place <= greatest(sized.n_possible_outcomes, 2)
),

-- Both deviations are convex in what is filled in, so the worst is an end: all that is missing from the group
-- is one outcome, and all from the others is one. An outcome's term of the sum depends on no other's.
shares as (
    select
        *,
        n_cell / n_group_filled as p,
        n_outcome / n_filled as q,
        (n_cell + n_missing) / n_group_filled as p_own,
        (n_outcome + n_missing) / n_filled as q_own,
        (n_outcome + n_missing_others) / n_filled as q_others,
        (n_outcome + n_missing + n_missing_others) / n_filled as q_both
    from filled
),

{%- set terms = {
    'fdi': 'abs({p} - {q}) / 2',
    'jsd_nats': '(' ~ kl_term('{p}', '({p} + {q}) / 2') ~ ' + ' ~ kl_term('{q}', '({p} + {q}) / 2') ~ ') / 2'
} %}

terms as (
    {%- for metric, term in terms.items() %}
    select
        analysis_key,
        group_value,
        outcome,
        '{{ metric }}' as metric,
        {{ term | replace('{p}', 'p') | replace('{q}', 'q') }} as term,
        {{ term | replace('{p}', 'p_own') | replace('{q}', 'q_own') }} as term_own,
        {{ term | replace('{p}', 'p') | replace('{q}', 'q_others') }} as term_others,
        {{ term | replace('{p}', 'p_own') | replace('{q}', 'q_both') }} as term_both
    from shares
    {{- '\n    union all' if not loop.last }}
    {%- endfor %}
),

totals as (
    select
        analysis_key,
        group_value,
        metric,
        sum(term) as total
    from terms
    group by analysis_key, group_value, metric
),

highest as (
    select
        own.analysis_key,
        own.group_value,
        own.metric,
        any_value(totals.total) + max(case
            when own.outcome = fillings.outcome then own.term_both - own.term
            else own.term_own - own.term + fillings.term_others - fillings.term
        end) as bound_high
    from terms as own
    inner join terms as fillings
        on
            own.analysis_key = fillings.analysis_key
            and own.group_value = fillings.group_value
            and own.metric = fillings.metric
    inner join totals
        on
            own.analysis_key = totals.analysis_key
            and own.group_value = totals.group_value
            and own.metric = totals.metric
    group by own.analysis_key, own.group_value, own.metric
),

-- The smallest distance from all is a share of that from the others, which shrinks by every missing answer
-- until the two are equal.
lowest as (
    select
        analysis_key,
        group_value,
        any_value(1 - n_group_filled / n_filled) * greatest(0, 1 - sum(least(
            n_cell / n_group_filled, (n_outcome - n_cell) / (n_filled - n_group_filled)
        )) - any_value(n_missing / n_group_filled + n_missing_others / (n_filled - n_group_filled))) as fdi
    from filled
    group by analysis_key, group_value
),

bounded as (
    select
        highest.analysis_key,
        highest.group_value,
        highest.metric,
        case highest.metric
            when 'fdi' then lowest.fdi
            -- No two distributions this far apart diverge by less (Lin 1991).
            else ((1 + lowest.fdi) * ln(1 + lowest.fdi) + {{ kl_term('(1 - lowest.fdi)', '1') }}) / 2
        end as bound_low,
        least(highest.bound_high, case highest.metric when 'fdi' then 1 else ln(2) end) as bound_high
    from highest
    inner join lowest
        on
            highest.analysis_key = lowest.analysis_key
            and highest.group_value = lowest.group_value
)

select
    analysis_key,
    group_value,
    metric,
    'pooled' as reference,
    bound_low,
    bound_high
from bounded
union all
select
    analysis_key,
    '' as group_value,
    'max_' || metric as metric,
    'pooled' as reference,
    max(bound_low) as bound_low,
    max(bound_high) as bound_high
from bounded
group by analysis_key, metric
