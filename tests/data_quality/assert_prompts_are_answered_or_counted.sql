-- A prompt that was asked less often than another, or of a file stands there more or less often than most, is
-- counted by fct_quality; no repeat is there twice (DQ-1, DQ-2).
with answered as (
    select
        responses.suite,
        responses.category,
        responses.config,
        responses.config_key,
        responses.prompt_key,
        prompts.method = 'loaded' as is_loaded,
        count(*) as n_repeats,
        count(distinct responses.repeat_index) as n_distinct
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('dim_prompts') }} as prompts using (prompt_key)
    group by all
),

numbers as (
    select
        suite,
        category,
        config,
        is_loaded,
        n_repeats,
        count(*) as n_prompts
    from answered
    group by suite, category, config, is_loaded, n_repeats
),

expected as (
    select
        suite,
        category,
        config,
        is_loaded,
        n_repeats
    from numbers
    qualify
        row_number() over (
            partition by suite, category, config, is_loaded
            order by case when is_loaded then n_prompts else n_repeats end desc, n_repeats desc
        ) = 1
),

short as (
    select
        expected.suite,
        expected.category,
        expected.config,
        count(*) filter (where answered.n_repeats <> expected.n_repeats) as n_short,
        count(*) filter (where answered.n_distinct <> answered.n_repeats) as n_doubled
    from expected
    inner join answered
        on
            expected.suite = answered.suite
            and expected.category = answered.category
            and expected.config = answered.config
            and expected.is_loaded = answered.is_loaded
    group by expected.suite, expected.category, expected.config
),

counted as (
    select * from {{ ref('fct_quality') }}
    where rule = 'repeats_complete'
)

select
    short.*,
    counted.n_failing
from short
left join counted
    on
        short.suite = counted.suite
        and short.category = counted.category
        and short.config = counted.config
where short.n_doubled > 0 or short.n_short is distinct from counted.n_failing
