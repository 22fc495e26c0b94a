-- Grain: one row per analysis_key of outcomes and selections with at least two groups: how its answers are
-- laid out, and how often each outcome was given, whoever was asked.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind in ('outcome', 'selection') and n_groups >= 2 and not is_control
),

answers as (
    select * from {{ ref('int_analysis_responses_coded') }}
),

cells as (
    select
        analysis_key,
        group_code,
        block_code,
        count(distinct prompt_code) as n_prompts,
        count(*) as n
    from answers
    group by analysis_key, group_code, block_code
),

counted_groups as (
    select
        analysis_key,
        group_code,
        count(*) as n_units,
        sum(n_prompts) as n_prompts,
        sum(n) as n
    from cells
    group by analysis_key, group_code
),

counted_blocks as (
    select
        analysis_key,
        count(distinct block_code) as n_blocks
    from cells
    group by analysis_key
),

layouts as (
    select
        analysis_key,
        min(n_units) as n_units,
        {{ ratio('sum(n_prompts)', 'sum(n_units)') }} as n_prompts,
        {{ ratio('sum(n)', 'sum(n_prompts)') }} as n_repeats
    from counted_groups
    group by analysis_key
),

choices as (
    select
        analyses.analysis_key,
        suites.n_candidates
    from analyses
    inner join {{ ref('stg_suite__suites') }} as suites
        on
            analyses.suite = suites.suite
            and analyses.measure = suites.choice_set
),

chosen as (
    select
        answers.analysis_key,
        answers.group_code,
        answers.block_code,
        answers.outcome_code,
        count(*) as n
    from answers
    inner join choices on answers.analysis_key = choices.analysis_key
    group by answers.analysis_key, answers.group_code, answers.block_code, answers.outcome_code
),

chosen_by_block as (
    select
        analysis_key,
        group_code,
        sum(n) as n,
        {{ ratio('sum(n * n)', 'sum(n)') }} as alike
    from chosen
    group by analysis_key, group_code, block_code
),

chosen_by_outcome as (
    select
        analysis_key,
        group_code,
        sum(n) as n
    from chosen
    group by analysis_key, group_code, outcome_code
),

chosen_by_group as (
    select
        analysis_key,
        {{ ratio('sum(n * n)', 'sum(n)') }} as alike
    from chosen_by_outcome
    group by analysis_key, group_code
),

group_totals as (
    select
        analysis_key,
        sum(alike) as alike,
        count(*) as n_groups
    from chosen_by_group
    group by analysis_key
),

block_totals as (
    select
        analysis_key,
        sum(n) as n,
        sum(alike) as alike,
        count(*) as n_blocks
    from chosen_by_block
    group by analysis_key
),

-- Where an answer chooses among people, all that a block says of a group moves as one: its correlation
-- counts, by one-way analysis of variance inside groups. Orders of a pair are mostly less alike than repeats.
squares as (
    select
        block_totals.analysis_key,
        {{ ratio('block_totals.n', 'block_totals.n_blocks') }} as size,
        {{ ratio(
            'block_totals.alike - group_totals.alike', 'block_totals.n_blocks - group_totals.n_groups'
        ) }} as between_blocks,
        {{ ratio('block_totals.n - block_totals.alike', 'block_totals.n - block_totals.n_blocks') }}
            as within_blocks
    from block_totals
    inner join group_totals on block_totals.analysis_key = group_totals.analysis_key
),

correlations as (
    select
        choices.analysis_key,
        choices.n_candidates,
        {{ ratio('between_blocks - within_blocks', 'between_blocks + (size - 1) * within_blocks') }} as icc
    from choices
    left join squares on choices.analysis_key = squares.analysis_key
),

-- Of all configs together, for one alone may have given few answers.
given as (
    select
        analyses.suite,
        analyses.category,
        analyses.measure,
        analyses.axis,
        analyses.measure_kind,
        analyses.is_simulated,
        counted.outcome,
        sum(counted.n_cell) as n
    from {{ ref('int_outcomes_counted') }} as counted
    inner join analyses on counted.analysis_key = analyses.analysis_key
    group by all
    union all
    select
        analyses.suite,
        analyses.category,
        analyses.measure,
        analyses.axis,
        analyses.measure_kind,
        analyses.is_simulated,
        case when answers.value = 1 then 'favourable' else 'other' end as outcome,
        count(*) as n
    from answers
    inner join analyses on answers.analysis_key = analyses.analysis_key
    where analyses.measure_kind = 'selection'
    group by all
),

totals as (
    select
        suite,
        category,
        measure,
        axis,
        measure_kind,
        is_simulated,
        -- The outcome that is planned for comes first: the favourable ones, else the most frequent.
        case measure_kind
            when 'outcome' then {{ ordered_list('n', '-n, outcome') }}
            else
                {{ list_of("
                    coalesce(sum(n) filter (where outcome = 'favourable'), 0),
                    coalesce(sum(n) filter (where outcome = 'other'), 0)
                ") }}
        end as counts,
        sum(n) as n_all
    from given
    group by suite, category, measure, axis, measure_kind, is_simulated
)

select
    analyses.analysis_key,
    {{ analysis_columns() }},
    analyses.measure,
    analyses.axis,
    analyses.n_groups,
    layouts.n_units,
    layouts.n_prompts,
    layouts.n_repeats,
    layouts.n_units = counted_blocks.n_blocks as is_shared,
    -- Among how many people an answer chooses.
    coalesce(correlations.n_candidates, 1) as n_together,
    {{ mapped_items('totals.counts', 'x', ratio('x', 'totals.n_all')) }} as outcome_shares,
    avg(
        case
            when coalesce(correlations.icc, components.icc) < 0 then 0
            else coalesce(correlations.icc, components.icc)
        end
    ) over (
        partition by
            analyses.suite, analyses.category, analyses.measure, analyses.axis, analyses.measure_kind,
            analyses.is_simulated
    ) as icc
from analyses
inner join layouts on analyses.analysis_key = layouts.analysis_key
inner join counted_blocks on analyses.analysis_key = counted_blocks.analysis_key
left join correlations on analyses.analysis_key = correlations.analysis_key
inner join totals
    on
        analyses.suite = totals.suite
        and analyses.category = totals.category
        and analyses.measure = totals.measure
        and analyses.axis = totals.axis
        and analyses.measure_kind = totals.measure_kind
        and analyses.is_simulated = totals.is_simulated
left join {{ ref('fct_variance_components') }} as components
    on
        analyses.suite = components.suite
        and analyses.category = components.category
        and analyses.config = components.config
        and analyses.axis = components.axis
        and analyses.measure_kind = components.measure_kind
        and analyses.measure = components.measure
