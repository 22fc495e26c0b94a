-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value: what thresholds judge,
-- on how many answers and distinct names, texts or roots.
with numbers as (
    {{ union_by_name([
        ref('int_analysis_numbers_judged'),
        ref('int_measured_rates_judged'),
        ref('int_census_distances_judged'),
        ref('int_item_gaps_judged'),
        ref('int_mart_numbers_judged'),
        ref('int_unanswered_analyses_listed'),
    ]) }}
),

answers as (
    select * from {{ ref('int_responses_joined') }}
),

by_group as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        grouped.axis,
        grouped.group_value,
        count(distinct answers.block_key) as n_blocks,
        count(*) as n_answers,
        count(*) >= suites.minimum_cell as is_compared
    from answers
    inner join {{ ref('int_prompts_grouped') }} as grouped on answers.prompt_key = grouped.prompt_key
    inner join {{ ref('stg_suite__suites') }} as suites on answers.suite = suites.suite
    where answers.is_usable
    group by
        answers.suite, answers.category, answers.config_key, grouped.axis, grouped.group_value,
        suites.minimum_cell
),

-- Of groups large enough to be compared; of all where none is.
blocks as (
    select
        suite,
        category,
        config_key,
        axis,
        coalesce(min(n_blocks) filter (where is_compared), min(n_blocks)) as n_blocks,
        coalesce(min(n_answers) filter (where is_compared), min(n_answers)) as n_smallest_group
    from by_group
    group by all
),

-- Groups of which somebody asked, answered or not.
asked as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        grouped.axis,
        count(distinct grouped.group_value) as n_groups_asked
    from answers
    inner join {{ ref('int_prompts_grouped') }} as grouped on answers.prompt_key = grouped.prompt_key
    group by answers.suite, answers.category, answers.config_key, grouped.axis
),

-- Of a measure without a rule of its own, the answers that failed are missing.
usable as (
    select
        suite,
        category,
        config_key,
        count(*) as n_responses,
        count(*) filter (where not is_usable) as n_missing
    from answers
    group by all
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
    where group_value = ''
),

counted as (
    select
        numbers.* {{ without('n_blocks, n_smallest_group, n_missing') }},
        coalesce(numbers.n_smallest_group, blocks.n_smallest_group) as n_smallest_group,
        coalesce(nullif(numbers.n_blocks, 0), blocks.n_blocks, 0) as n_blocks,
        coalesce(asked.n_groups_asked, 0) as n_groups_asked,
        -- What the number itself lacks, and what is not read of the question.
        case
            when numbers.measure = 'response_status' then 0
            else coalesce(numbers.n_missing, missing.n_missing, usable.n_missing)
        end as n_missing,
        -- What became of a request is known of every request.
        case
            when numbers.measure = 'response_status' or numbers.metric = 'failure_rate' then 0
            -- What people read stands for what the rule could not read.
            when numbers.n_labels is not null then numbers.n_missing
            else coalesce(missing.n_missing, usable.n_missing)
        end as n_unread,
        coalesce(missing.n_responses, usable.n_responses) as n_responses,
        missing.n_unread_groups,
        missing.unread_groups
    from numbers
    left join blocks using (suite, category, config_key, axis)
    left join asked using (suite, category, config_key, axis)
    left join usable using (suite, category, config_key)
    left join missing using (suite, category, config_key, measure, axis)
)

select
    *,
    1 - {{ ratio('n_unread', 'n_responses') }} as coverage
from counted
