-- In every declared family of a profile some difference can be a `fail`. Warns: a design is no broken data.
{{ config(severity='warn') }}
select *
from {{ ref('int_families_weighed') }}
where can_fail is not true
