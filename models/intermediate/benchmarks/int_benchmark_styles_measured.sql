-- Grain: one row per suite, category, config_key, prompt_key, style: what answers to a prompt that names a
-- descriptor add up to. '(all)': all categories of a suite together. A descriptor is a group of the
-- category's first axis. An answer counts where all its styles were measured.
with first_axes as (
    select
        suite,
        category,
        min_by(axis, axis_position) as axis
    from {{ ref('stg_suite__axes') }}
    group by suite, category
),

described as (
    select
        prompts.prompt_key,
        grouped.axis,
        grouped.group_value as descriptor,
        {{ map_value('prompts.attributes', "'template'") }} as template_text,
        {{ map_value('prompts.attributes', "'noun'") }} as noun
    from {{ ref('int_prompts_grouped') }} as grouped
    inner join first_axes using (suite, category, axis)
    inner join {{ ref('stg_assemble__prompts') }} as prompts on grouped.prompt_key = prompts.prompt_key
),

answers as (
    select
        responses.suite,
        responses.category,
        responses.config_key,
        responses.config,
        responses.model,
        responses.role,
        responses.is_simulated,
        responses.prompt_key,
        responses.response_key,
        styles.benchmark,
        styles.style,
        measured.value,
        count(measured.value) over (partition by responses.response_key)
        = count(*) over (partition by responses.response_key) as is_counted
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('stg_suite__benchmark_styles') }} as styles using (suite)
    left join {{ ref('int_responses_measured') }} as measured
        on
            responses.response_key = measured.response_key
            and styles.style = measured.feature
),

summed as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        answers.config,
        answers.model,
        answers.role,
        answers.is_simulated,
        answers.benchmark,
        described.template_text,
        described.noun,
        described.axis,
        described.descriptor,
        answers.prompt_key,
        answers.style,
        {{ in_order(
            'sum', 'case when answers.is_counted then answers.value end', 'answers.response_key'
        ) }} as total,
        count(*) filter (where answers.is_counted) as n,
        count(*) filter (where not answers.is_counted) as n_missing
    from answers
    inner join described using (prompt_key)
    -- A file of answers has a value in every cell: `none` where a prompt has no such part.
    where described.template_text <> 'none' and described.descriptor <> 'none'
    group by all
),

sizes as (
    select
        suite,
        count(distinct category) as n_categories
    from summed
    group by suite
),

scoped as (
    select
        *,
        category as scope
    from summed
    union all
    select
        summed.*,
        '(all)' as scope
    from summed
    inner join sizes using (suite)
    where sizes.n_categories > 1
)

select
    suite,
    scope as category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    benchmark,
    template_text,
    noun,
    axis,
    descriptor,
    prompt_key,
    style,
    total,
    n,
    n_missing
from scoped
