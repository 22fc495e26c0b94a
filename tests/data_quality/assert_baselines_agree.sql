-- A prompt has one baseline, whoever answered it and how often: one value of a feature in all rows.
select
    prompt_key,
    feature,
    count(distinct baseline_value) as n_values
from {{ ref('int_responses_measured') }}
where baseline_value is not null
group by prompt_key, feature
having count(distinct baseline_value) > 1
