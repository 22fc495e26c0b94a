-- Grain: one row per analysis_key, prompt_code: the root of each prompt of the resampled tables.
with coded as (
    select * from {{ ref('int_analysis_responses_coded') }}
),

analysed as (
    select
        analysis_key,
        response_key,
        prompt_key
    from {{ ref('int_responses_analysed') }}
),

prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
),

asked as (
    select distinct
        coded.analysis_key,
        coded.prompt_code,
        prompts.root_key
    from coded
    inner join analysed
        on
            coded.analysis_key = analysed.analysis_key
            and coded.response_key = analysed.response_key
    inner join prompts on analysed.prompt_key = prompts.prompt_key
)

select
    analysis_key,
    prompt_code,
    dense_rank() over (partition by analysis_key order by root_key) - 1 as root_code
from asked
