-- Grain: one row per suite, category, config_key, template_text. How far descriptors vary, over all styles.
{%- set of_template =
    'suite, benchmark, category, config_key, config, model, role, is_simulated, template_text'
%}
with means as (
    select
        {{ of_template }},
        style,
        axis,
        descriptor,
        sum(n) as n,
        sum(n_missing) as n_missing,
        -- A mean over answers: of nouns and repeats alike.
        {{ ratio(in_order('sum', 'total', 'prompt_key'), 'sum(n)') }} as mean
    from {{ ref('int_benchmark_styles_measured') }}
    group by {{ of_template }}, style, axis, descriptor
),

variances as (
    select
        {{ of_template }},
        style,
        case when count(mean) >= 2 then {{ in_order('var_pop', 'mean', 'axis, descriptor') }} end as variance,
        sum(n) as n_measured,
        sum(n_missing) as n_missing
    from means
    group by {{ of_template }}, style
)

select
    {{ of_template }},
    {{ in_order('sum', 'variance', 'style') }} as variance,
    -- An answer has all styles, so that each style has the same answers.
    cast(max(n_measured) as bigint) as n_measured,
    cast(max(n_missing) as bigint) as n_missing
from variances
group by {{ of_template }}
