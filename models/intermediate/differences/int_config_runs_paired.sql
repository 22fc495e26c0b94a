-- Grain: one row per pair_id: two sides that are compared, side_b less side_a. Two configs of this run that
-- share a model or a role (where both differ, no difference could be laid at either's door), and each
-- config's earlier run.
-- Beyond so many pairs of a suite only the first are compared, runs leading.
{%- set most_pairs = 400 %}
with sides as (
    select * from {{ ref('int_config_runs_listed') }}
),

pairs as (
    select
        'configs' as compared,
        a.side_id as side_a,
        b.side_id as side_b,
        a.suite,
        a.is_simulated,
        true as is_comparable
    from sides as a
    inner join sides as b
        on
            a.suite = b.suite
            and a.config < b.config
            and a.is_simulated = b.is_simulated
            and (a.model = b.model or a.role = b.role)
    where a.run = 'this' and b.run = 'this'
    union all
    select
        'runs' as compared,
        a.side_id as side_a,
        b.side_id as side_b,
        a.suite,
        b.is_simulated,
        a.is_simulated = b.is_simulated as is_comparable
    from sides as a
    inner join sides as b
        on
            a.suite = b.suite
            and a.config = b.config
    where a.run = 'earlier' and b.run = 'this'
),

ranked as (
    select
        *,
        row_number() over (partition by suite order by compared desc, side_a asc, side_b asc) as position
    from pairs
)

select
    row_number() over (order by suite, compared, side_a, side_b) as pair_id,
    compared,
    suite,
    side_a,
    side_b,
    is_simulated,
    is_comparable
from ranked
where position <= {{ most_pairs }}
