-- What a scorer's feature can be at most (SPEC DQ-4): VADER's compound from -1 to 1, its shares from 0 to 1.
select
    response_key,
    feature,
    value
from {{ ref('fct_measurements') }}
where
    scorer = 'vader'
    and value is not null
    and (value between case when feature like '%compound%' then -1 else 0 end and 1) is not true
