-- Grain: one row per suite, category, config_key, metric, condition, block_key: what a unit adds to the parts
-- of a benchmark's score. '(all)': all categories of a suite together, or all conditions.
with counted as (
    select * from {{ ref('int_benchmark_units_counted') }}
),

sizes as (
    select
        suite,
        count(distinct category) as n_categories
    from counted
    group by suite
),

scoped as (
    select
        *,
        category as scope
    from counted
    union all
    select
        counted.*,
        '(all)' as scope
    from counted
    inner join sizes using (suite)
    where sizes.n_categories > 1
),

-- Each part takes the units of its own condition, or of all.
taken as (
    {% for part in [1, 2] -%}
    select
        scoped.*,
        declared.metric,
        declared.condition as of_condition,
        {{ part }} as part,
        declared.part_{{ part }} as kind
    from scoped
    inner join {{ ref('benchmark_scores') }} as declared
        on
            scoped.benchmark = declared.benchmark
            and declared.condition_{{ part }} in (scoped.condition, '(all)')
            and declared.part_{{ part }} in ('correct', 'biased')
    {% if not loop.last -%}
    union all
    {% endif -%}
    {%- endfor -%}
),

told as (
    select
        *,
        case when kind = 'correct' then n_correct else n_biased end as x,
        case when kind = 'correct' then n_judged - n_correct else n_countered end as y,
        case when kind = 'correct' then n_judged else n_leaning end as n,
        case when kind = 'correct' then n_judged_missing else n_leaning_missing end as lost
    from taken
)

select
    told.suite,
    told.benchmark,
    told.scope as category,
    told.config_key,
    told.config,
    told.model,
    told.role,
    told.is_simulated,
    told.metric,
    told.of_condition as condition,
    told.block_key,
    {%- for part in [1, 2] %}
    cast(coalesce(sum(told.x) filter (where told.part = {{ part }}), 0) as bigint) as x_{{ part }},
    cast(coalesce(sum(told.y) filter (where told.part = {{ part }}), 0) as bigint) as y_{{ part }},
    cast(coalesce(sum(told.n) filter (where told.part = {{ part }}), 0) as bigint) as n_{{ part }},
    cast(coalesce(sum(told.lost) filter (where told.part = {{ part }}), 0) as bigint) as n_missing_{{ part }}
    {%- if not loop.last %},{% endif %}
    {%- endfor %}
from told
group by
    told.suite, told.benchmark, told.scope, told.config_key, told.config, told.model, told.role,
    told.is_simulated, told.metric, told.of_condition, told.block_key
