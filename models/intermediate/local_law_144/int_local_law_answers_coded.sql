-- Grain: one row per analysis_key, response_key: what enters an impact ratio, as small integers for
-- resampling, in an order that depends on the rows alone.
with answers as (
    select * from {{ ref('int_local_law_answers_selected') }}
    where is_selected is not null
),

counted as (
    select * from {{ ref('int_local_law_groups_counted') }}
    where exclusion_reason is null
)

select
    counted.analysis_key,
    answers.response_key,
    counted.group_value,
    counted.attribute_codes,
    dense_rank() over (partition by counted.analysis_key order by counted.attribute_codes) - 1 as group_code,
    dense_rank() over (
        partition by counted.analysis_key order by coalesce(cells.cell, answers.prompt_key)
    ) - 1 as cell_code,
    dense_rank() over (partition by counted.analysis_key order by answers.block_key) - 1 as block_code,
    cast(answers.is_selected as double) as value
from answers
inner join counted using (measure_kind, feature, suite, category, config_key, axis, group_value)
left join {{ ref('int_prompt_cells_listed') }} as cells
    on
        answers.prompt_key = cells.prompt_key
        and counted.axis = cells.axis
