-- Grain: one row per audit_key.
select
    audit_key,
    fingerprint,
    audited_at,
    plumbline_version,
    build_hash,
    thresholds_hash,
    suites_hash,
    answers_hash,
    readings_hash,
    labels_hash,
    plan_key,
    look
from {{ source('raw', 'audits') }}
