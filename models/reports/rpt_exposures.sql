-- Grain: one row per suite, category, config, axis: what the prompts show (attribute-presence report).
select * from {{ ref('fct_attribute_presence') }}
