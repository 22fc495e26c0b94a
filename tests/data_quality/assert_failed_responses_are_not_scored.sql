-- No response that failed has an outcome, a score or a measurement, or is in a table other than that of the
-- statuses (SPEC DQ-9). Read from staging, so that no model of ours decides what failed.
with failed as (
    select response_key
    from {{ ref('stg_generate__responses') }}
    where response_status is distinct from 'ok'
)

select
    outcomes.response_key,
    'fct_outcomes' as mart,
    outcomes.outcome_set as scored_as
from {{ ref('fct_outcomes') }} as outcomes
inner join failed on outcomes.response_key = failed.response_key
where
    outcomes.outcome is not null
    or outcomes.score is not null
    or outcomes.is_matched
    or outcomes.is_counted
    or outcomes.outcome_status is distinct from 'failed_response'
union all
select
    measurements.response_key,
    'fct_measurements' as mart,
    measurements.feature as scored_as
from {{ ref('fct_measurements') }} as measurements
inner join failed on measurements.response_key = failed.response_key
where measurements.value is not null or measurements.measurement_status is distinct from 'failed_response'
union all
select
    analysed.response_key,
    'int_responses_analysed' as mart,
    analysed.measure as scored_as
from {{ ref('int_responses_analysed') }} as analysed
inner join failed on analysed.response_key = failed.response_key
where analysed.measure <> 'response_status'
