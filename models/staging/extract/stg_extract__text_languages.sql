-- Grain: one row per text_key, scorer_key, expected_language.
select
    text_key,
    scorer_key,
    expected_language,
    language,
    {{ finite("probability") }} as probability,
    {{ finite("expected_probability") }} as expected_probability,
    language_status
from {{ source('raw', 'text_languages') }}
