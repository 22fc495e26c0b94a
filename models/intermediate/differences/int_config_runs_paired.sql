-- Grain: one row per pair_id: two configs in their runs that are compared, config_run_b less config_run_a.
-- Of this run, two configs that share a model or a role (where both differ, the cause of a difference is
-- unknown), and those that a suite names as a mitigation; and each config with its earlier run. Of a suite's
-- pairs only the first so many are compared, runs leading, then mitigations.
{%- set most_pairs = 400 %}
with config_runs as (
    select * from {{ ref('int_config_runs_listed') }}
),

mitigations as (
    select
        least(config_run_control, config_run_treated) as config_run_a,
        greatest(config_run_control, config_run_treated) as config_run_b
    from {{ ref('int_treatments_listed') }}
    where treatment_kind = 'mitigation'
),

pairs as (
    select
        'configs' as compared,
        a.config_run_key as config_run_a,
        b.config_run_key as config_run_b,
        a.suite,
        a.is_simulated,
        true as is_comparable,
        mitigations.config_run_a is not null as is_named
    from config_runs as a
    inner join config_runs as b
        on
            a.suite = b.suite
            and a.config < b.config
            and a.is_simulated = b.is_simulated
    left join mitigations
        on
            a.config_run_key = mitigations.config_run_a
            and b.config_run_key = mitigations.config_run_b
    where
        a.run = 'this'
        and b.run = 'this'
        and (a.model = b.model or a.role = b.role or mitigations.config_run_a is not null)
    union all
    select
        'runs' as compared,
        a.config_run_key as config_run_a,
        b.config_run_key as config_run_b,
        a.suite,
        b.is_simulated,
        a.is_simulated = b.is_simulated as is_comparable,
        false as is_named
    from config_runs as a
    inner join config_runs as b using (suite, config)
    where a.run = 'earlier' and b.run = 'this'
),

ranked as (
    select
        *,
        row_number() over (
            partition by suite
            order by compared desc, is_named desc, config_run_a asc, config_run_b asc
        ) as position
    from pairs
)

select
    row_number() over (order by suite, compared, config_run_a, config_run_b) as pair_id,
    compared,
    suite,
    config_run_a,
    config_run_b,
    is_simulated,
    is_comparable
from ranked
where position <= {{ most_pairs }}
