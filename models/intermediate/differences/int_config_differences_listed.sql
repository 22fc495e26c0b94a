-- Grain: one row per pair_id, analysis_key: a measure on an axis that two configs are to be compared by.
-- `reason` says why they cannot be, where that is known before anything is computed.
{%- set carried = [
    'suite', 'domain', 'category', 'config_key', 'config', 'is_simulated', 'axis', 'n_attributes',
    'axis_position', 'is_control', 'hidden_attributes'
] | join(',\n        ') %}
with pairs as (
    select * from {{ ref('int_config_runs_paired') }}
),

config_runs as (
    select * from {{ ref('int_config_runs_listed') }}
),

analyses as (
    select
        measure_kind,
        measure,
        {{ carried }}
    from {{ ref('int_analyses_listed') }}
    where measure <> 'response_status'
    union all
    select distinct
        'status' as measure_kind,
        'response_status' as measure,
        {{ carried }}
    from {{ ref('int_analyses_listed') }}
),

failing as (
    select distinct
        'this' as run,
        suite,
        category,
        config
    from {{ ref('int_responses_joined') }}
    where not is_usable
    union all
    select distinct
        'earlier' as run,
        suite,
        category,
        config
    from {{ ref('stg_compare__earlier_outcomes') }}
    where rule_kind = 'status' and outcome <> 'ok'
),

-- Whether answers came is compared where one of the two did not give all.
failing_pairs as (
    select distinct
        pairs.pair_id,
        failing.category
    from failing
    inner join config_runs using (run, suite, config)
    inner join pairs on config_runs.config_run_key in (pairs.config_run_a, pairs.config_run_b)
),

-- One table of groups, whoever answered.
tables as (
    select
        measure_kind,
        suite,
        domain,
        category,
        measure,
        axis,
        n_attributes,
        max(axis_position) as axis_position,
        bool_and(is_control) as is_control,
        min_by(hidden_attributes, config_key) as hidden_attributes
    from analyses
    group by measure_kind, suite, domain, category, measure, axis, n_attributes
),

-- What the prompts of the two show is what counts, not what somebody else was asked: where either was not
-- shown an attribute, a difference is no finding.
exposed as (
    select
        pairs.pair_id,
        analyses.measure_kind,
        analyses.category,
        analyses.measure,
        analyses.axis,
        bool_or(analyses.is_control) as is_control,
        min_by(analyses.hidden_attributes, (not analyses.is_control, analyses.config_key))
            as hidden_attributes
    from analyses
    inner join config_runs using (suite, config, is_simulated)
    inner join pairs on config_runs.config_run_key in (pairs.config_run_a, pairs.config_run_b)
    group by pairs.pair_id, analyses.measure_kind, analyses.category, analyses.measure, analyses.axis
),

sets as (
    select distinct
        suite,
        category,
        outcome_set,
        case when rule_kind = 'score' then feature else outcome_set end as measure,
        rule_kind = 'score' as is_score
    from {{ ref('stg_suite__outcome_rules') }}
    union all
    select distinct
        suite,
        category,
        measure as outcome_set,
        measure,
        false as is_score
    from tables
    where measure_kind = 'status'
),

matched as (
    select
        sets.suite,
        sets.category,
        sets.measure,
        sets.is_score,
        min(benchmarks.reason) as reason
    from sets
    inner join {{ ref('int_run_definitions_matched') }} as benchmarks using (suite, category, outcome_set)
    group by sets.suite, sets.category, sets.measure, sets.is_score
),

numbered as (
    select
        *,
        dense_rank() over (
            order by measure_kind, suite, category, axis_position, axis, measure
        ) as analysis_key
    from tables
)

select
    pairs.pair_id,
    numbered.analysis_key,
    pairs.compared,
    pairs.config_run_a,
    pairs.config_run_b,
    pairs.is_simulated,
    numbered.measure_kind,
    numbered.suite,
    numbered.domain,
    numbered.category,
    numbered.measure,
    numbered.axis,
    numbered.n_attributes,
    coalesce(exposed.is_control, numbered.is_control) as is_control,
    coalesce(exposed.hidden_attributes, numbered.hidden_attributes) as hidden_attributes,
    settings.seed,
    settings.n_permutations,
    settings.n_bootstrap,
    settings.minimum_cell,
    case
        when not pairs.is_comparable then 'One of the two runs is simulated.'
        when pairs.compared = 'runs' then matched.reason
    end as reason
from pairs
inner join numbered using (suite)
inner join {{ ref('stg_suite__suites') }} as settings using (suite)
left join exposed using (pair_id, measure_kind, category, measure, axis)
left join matched
    on
        numbered.suite = matched.suite
        and numbered.category = matched.category
        and numbered.measure = matched.measure
        and (numbered.measure_kind = 'score') = matched.is_score
left join failing_pairs
    on
        pairs.pair_id = failing_pairs.pair_id
        and numbered.category = failing_pairs.category
where numbered.measure_kind <> 'status' or failing_pairs.pair_id is not null
