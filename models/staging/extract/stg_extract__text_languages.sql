-- Grain: one row per text_key, scorer_key, expected_language.
select
    text_key,
    scorer_key,
    expected_language,
    language,
    {{ finite("probability") }} as probability,
    {{ finite("expected_probability") }} as expected_probability,
    language_status,
    -- Rows from before this was asked hold the status alone.
    coalesce(is_in_another, language_status = 'other') as is_in_another
from {{ source('raw', 'text_languages') }}
