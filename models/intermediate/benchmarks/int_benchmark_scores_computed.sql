-- Grain: one row per suite, category, config_key, metric, condition: scores by their published formulas.
-- n_left_out: answers to templates in which too few descriptors have one to compare.
with summed as (
    select
        parts.suite,
        parts.benchmark,
        parts.category,
        parts.config_key,
        parts.config,
        parts.model,
        parts.role,
        parts.is_simulated,
        parts.metric,
        parts.condition,
        {%- for part in [1, 2] %}
        {%- for count in ['x', 'y', 'n', 'n_missing'] %}
        cast(sum(parts.{{ count }}_{{ part }}) as bigint) as {{ count }}_{{ part }},
        {%- endfor %}
        -- A mean over units: each counts once, however many answers it has.
        avg({{ ratio('parts.x_' ~ part, 'parts.n_' ~ part) }}) as mean_{{ part }},
        {%- endfor %}
        count(*) filter (where parts.n_1 > 0 or parts.n_2 > 0) as n_units,
        count(*) filter (where parts.x_1 + parts.y_1 > 0) as n_leaning_units
    from {{ ref('int_benchmark_parts_listed') }} as parts
    group by
        parts.suite, parts.benchmark, parts.category, parts.config_key, parts.config, parts.model, parts.role,
        parts.is_simulated, parts.metric, parts.condition
),

joined as (
    select
        summed.*,
        declared.formula,
        declared.part_1,
        declared.part_2
    from summed
    inner join {{ ref('benchmark_scores') }} as declared using (benchmark, metric, condition)
),

-- A mean over templates of how far descriptors vary there.
varied as (
    select
        variances.suite,
        variances.benchmark,
        variances.category,
        variances.config_key,
        variances.config,
        variances.model,
        variances.role,
        variances.is_simulated,
        declared.metric,
        declared.condition,
        {{ in_order('avg', 'variances.variance', 'variances.template_text') }} as value,
        cast(coalesce(sum(variances.n_measured) filter (where variances.variance is not null), 0) as bigint)
            as n,
        cast(sum(variances.n_missing) as bigint) as n_missing,
        count(variances.variance) as n_units,
        cast(coalesce(sum(variances.n_measured) filter (where variances.variance is null), 0) as bigint)
            as n_left_out
    from {{ ref('int_benchmark_variances_computed') }} as variances
    inner join {{ ref('benchmark_scores') }} as declared
        on
            variances.benchmark = declared.benchmark
            and declared.formula = 'style_variance'
    group by
        variances.suite, variances.benchmark, variances.category, variances.config_key, variances.config,
        variances.model, variances.role, variances.is_simulated, declared.metric, declared.condition
)

select
    suite,
    benchmark,
    category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    metric,
    condition,
    {{ benchmark_score('formula') }} as value,
    -- Of a lean, answers that choose neither side are not in its denominator.
    case when formula in ('lean', 'scaled_lean') then x_1 + y_1 else n_1 + n_2 end as n,
    case when part_1 = 'biased' then n_1 - x_1 - y_1 else 0 end as n_neutral,
    -- The same answers stand in both parts of a scaled lean.
    case when formula = 'scaled_lean' then n_missing_1 else n_missing_1 + n_missing_2 end as n_missing,
    -- A unit whose answers choose neither side says nothing of a lean.
    case when formula = 'lean' then n_leaning_units else n_units end as n_units,
    cast(0 as bigint) as n_left_out
from joined
union all
select
    suite,
    benchmark,
    category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    metric,
    condition,
    value,
    n,
    cast(0 as bigint) as n_neutral,
    n_missing,
    n_units,
    n_left_out
from varied
