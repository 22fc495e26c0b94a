-- Grain: one row per cell, part, measure: how often the method kept a promise on simulated audits.
-- The counts are the committed results of experiments/validity; nothing here depends on the audit at hand.
select
    cell,
    part,
    kind,
    design,
    n_groups,
    n_roots,
    correlation,
    truth,
    measure,
    target,
    predicted,
    n,
    n_hits,
    {{ ratio('n_hits', 'n') }} as hit_rate,
    {{ wilson('n_hits', 'n', 'low') }} as hit_rate_low,
    {{ wilson('n_hits', 'n', 'high') }} as hit_rate_high,
    n_audits,
    seed,
    ran_on,
    1 as metric_version
from {{ ref('study_validity') }}
