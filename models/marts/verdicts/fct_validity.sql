-- Grain: one row per cell, part, profile, metric: how often the method kept a promise on simulated audits.
-- The counts are the committed results of experiments/validity; nothing here depends on the audit at hand.
select
    {{ contract_columns(without=[
        'profile', 'metric', 'hit_rate', 'hit_rate_low', 'hit_rate_high', 'reason', 'metric_version'
    ]) }},
    coalesce(profile, '') as profile,
    coalesce(metric, '') as metric,
    coalesce(reason, '') as reason,
    {{ ratio('n_hits', 'n') }} as hit_rate,
    {{ wilson('n_hits', 'n', 'low') }} as hit_rate_low,
    {{ wilson('n_hits', 'n', 'high') }} as hit_rate_high,
    1 as metric_version
from {{ ref('study_validity') }}
