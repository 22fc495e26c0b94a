-- Grain: one row: the build that made these marts, and the fingerprint of the audit that they hold. Hashed is
-- what numbers rest on, and nothing of when, where and in which order it came.
with parts_hashed as (
    select
        {{ build_said('build_hash') }} as build_hash,
        {{ rows_hash(ref('int_limits_applied'), [
            'suite', 'profile', "concat_ws(', ', metric, nullif(statistic, ''))", 'axis_kind', 'unit',
            'direction', as_decimal_text('green_limit'), as_decimal_text('red_limit'), 'is_gate_profile',
            'is_gated', 'is_beside',
        ]) }} as thresholds_hash,
        {{ rows_hash(ref('stg_suite__files'), ['suite', 'suite_key']) }} as suites_hash,
        answers_hash,
        readings_hash,
        labels_hash
    from {{ ref('int_answers_hashed') }}
)

select
    case
        when build_hash is not null
            then {{ sha256_of(json_list([
                'build_hash', 'thresholds_hash', 'suites_hash', 'answers_hash', 'readings_hash', 'labels_hash',
            ])) }}
    end as fingerprint,
    {{ build_said('plumbline_version') }} as plumbline_version,
    {{ build_said('commit_id') }} as commit_id,
    {{ build_said('is_dirty', 'boolean') }} as is_dirty,
    build_hash,
    thresholds_hash,
    suites_hash,
    answers_hash,
    readings_hash,
    labels_hash
from parts_hashed
