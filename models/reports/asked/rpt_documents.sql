-- Grain: one row per document_key. At most 2,000, those without a licence first; dim_documents holds all.
{%- set most_rows = 2000 %}
with ordered as (
    select
        *,
        row_number() over (
            order by
                licence is not null, suite nulls last, category nulls last, concept nulls last,
                origin nulls last, revision nulls last, document_key
        ) as position,
        count(*) over () as n_found
    from {{ ref('dim_documents') }}
)

select * from ordered
where position <= {{ most_rows }}
