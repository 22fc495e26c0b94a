-- Grain: one row per framework, item.
select * from {{ ref('dim_framework_items') }}
