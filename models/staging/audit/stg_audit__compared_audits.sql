-- Grain: one row per audit_key_a, audit_key_b.
select
    audit_key_a,
    audit_key_b
from {{ source('raw', 'compared_audits') }}
