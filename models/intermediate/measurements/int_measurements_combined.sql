-- Grain: one row per response_key, feature. Under the pseudo-config `baseline` stands each prompt's baseline,
-- so that a scorer's own disparity is computed as a model's is (SPEC DM-1, CAL-2).
select * from {{ ref('int_responses_measured') }}
union all
select
    md5('baseline|' || prompt_key) as response_key,
    prompt_key,
    'baseline' as config_key,
    suite,
    domain,
    category,
    'baseline' as config,
    'baseline' as model,
    '' as role,
    false as is_simulated,
    feature,
    scorer,
    text_variant,
    value,
    'ok' as measurement_status,
    value as baseline_value
from {{ ref('int_baselines_measured') }}
