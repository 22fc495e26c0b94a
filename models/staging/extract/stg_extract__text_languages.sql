-- Grain: one row per text_key, scorer_key, expected_language.
with source as (
    select * from {{ source('raw', 'text_languages') }}
)

select
    text_key,
    scorer_key,
    expected_language,
    language,
    {{ finite("probability") }} as probability,
    {{ finite("expected_probability") }} as expected_probability,
    language_status
from source
