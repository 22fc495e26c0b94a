-- Grain: one row per analysis_key, statistic, parameters, group_value, of shares that are selected.
select
    analysis_key,
    'selection_rate' as statistic,
    {{ criterion('standard', 'method') }} as parameters,
    'share' as unit,
    group_value,
    selection_rate as value,
    n,
    is_compared
from {{ ref('int_selections_rated') }}
-- A group without enough answers is in no table of outcomes.
where is_compared or standard <> 'favourable_outcome'
