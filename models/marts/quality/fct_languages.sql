-- Grain: one row per response_key: the language of each answer beside its prompt's.
with responses as (
    select * from {{ ref('int_responses_joined') }}
    -- Ready measurements come without a text.
    where text_key is not null or not is_usable
),

languages as (
    select detected.*
    from {{ ref('stg_extract__text_languages') }} as detected
    inner join {{ ref('int_scorers_selected') }} using (scorer_key)
)

select
    {{ analysis_columns() }},
    analyses.response_key,
    analyses.prompt_key,
    prompts.language as prompt_language,
    languages.language as response_language,
    languages.probability as response_language_probability,
    languages.expected_probability as prompt_language_probability,
    case
        when not analyses.is_usable then 'failed_response'
        else coalesce(languages.language_status, 'not_measured')
    end as language_status,
    coalesce(analyses.is_usable and languages.language_status = 'other', false) as is_other_language,
    1 as metric_version
from responses as analyses
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
left join languages
    on
        case when analyses.is_usable then analyses.text_key end = languages.text_key
        and prompts.language = languages.expected_language
