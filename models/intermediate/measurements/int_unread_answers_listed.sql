-- Grain: one row per response_key, scorer, languages: answers that a scorer does not read.
-- Scorer '' is what looks for words.
with scorers as (
    select
        own.suite,
        own.scorer,
        {{ json_texts('scorers.parameters', 'languages') }} as codes
    from {{ ref('int_suite_scorers_selected') }} as own
    inner join {{ ref('stg_extract__scorers') }} as scorers on own.scorer_key = scorers.scorer_key
),

looking as (
    select languages from {{ ref('stg_suite__outcome_rules') }}
    union
    select languages from {{ ref('stg_suite__stereotypes') }}
),

readers as (
    select
        suite,
        scorer,
        '' as languages,
        {{ unnested('codes') }} as code
    from scorers
    union all
    select
        null as suite,
        '' as scorer,
        languages,
        {{ unnested("split(languages, ',')") }} as code
    from looking
    where languages is not null
),

prompts as (
    select
        prompt_key,
        language
    from {{ ref('stg_assemble__prompts') }}
),

asked as (
    select distinct language from prompts
),

-- Who does not read a prompt's language.
unable as (
    select
        asked.language,
        readers.suite,
        readers.scorer,
        readers.languages
    from asked
    cross join readers
    group by asked.language, readers.suite, readers.scorer, readers.languages
    having
        max(
            case
                when {{ language_of('asked.language') }} = {{ language_of('readers.code') }} then 1
                else 0
            end
        ) = 0
),

elsewhere as (
    select
        detected.text_key,
        detected.expected_language
    from {{ ref('stg_extract__text_languages') }} as detected
    inner join {{ ref('int_scorers_selected') }} as detectors on detected.scorer_key = detectors.scorer_key
    where detected.is_in_another
),

responses as (
    select
        responses.response_key,
        responses.suite,
        responses.text_key,
        prompts.language
    from {{ ref('int_responses_joined') }} as responses
    inner join prompts on responses.prompt_key = prompts.prompt_key
    where responses.is_usable and responses.text_key is not null
)

-- What may be in its prompt's language is taken to be: a few words decide nothing themselves.
select
    responses.response_key,
    unable.scorer,
    unable.languages
from responses
inner join unable
    on
        responses.language = unable.language
        and responses.suite = coalesce(unable.suite, responses.suite)
left join elsewhere
    on
        responses.text_key = elsewhere.text_key
        and responses.language = elsewhere.expected_language
where elsewhere.text_key is null
union
-- What is surely in another language. Of scorers, their measurements say it.
select
    responses.response_key,
    '' as scorer,
    looking.languages
from responses
inner join elsewhere on responses.text_key = elsewhere.text_key
inner join looking on elsewhere.expected_language = looking.languages
