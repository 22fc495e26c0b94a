-- A rule of seeds/quality_rules.csv that is blocking stops the build where it is broken.
select *
from {{ ref('fct_quality') }}
where is_blocking and is_passed is not true
