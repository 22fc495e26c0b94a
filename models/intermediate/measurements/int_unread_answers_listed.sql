-- Grain: one row per text_key, languages: answers that are surely in none of these languages.
select
    text_key,
    expected_language as languages
from {{ ref('stg_extract__text_languages') }}
inner join {{ ref('int_scorers_selected') }} using (scorer_key)
where is_in_another
