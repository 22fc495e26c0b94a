-- Grain: one row per verdict, lacks, position: what to do where a verdict is so.
select
    verdict,
    coalesce(lacks, '') as lacks,
    position,
    action,
    who,
    evidence
from {{ ref('verdict_actions') }}
