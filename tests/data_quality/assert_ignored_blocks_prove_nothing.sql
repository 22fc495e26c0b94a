-- Where labels were swapped between prompts although prompts share blocks, the p-value is too small: it
-- neither makes a verdict significant nor lets one pass. Written without the macro that decides.
select
    profile,
    suite,
    category,
    config,
    measure,
    axis,
    metric,
    group_value,
    verdict
from {{ ref('fct_verdicts') }}
where
    resampling_unit = 'block'
    and permutation_scheme = 'prompts'
    and (is_significant or is_attainable or verdict in ('pass', 'fail', 'monitor'))
