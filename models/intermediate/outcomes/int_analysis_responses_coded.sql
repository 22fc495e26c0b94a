-- Grain: one row per analysis_key, response_key, as small integers for resampling, in an order that
-- depends on the rows alone. `cell_code`: what is relabelled as one, the prompt but for questions
-- about several people. `stratum_code`: the other attributes that the prompt shows.
with analysed as (
    select * from {{ ref('int_responses_analysed') }}
    where not is_excluded
)

select
    analysed.analysis_key,
    analysed.response_key,
    analysed.group_value,
    analysed.attribute_codes,
    dense_rank() over (partition by analysed.analysis_key order by analysed.attribute_codes) - 1
        as group_code,
    dense_rank() over (partition by analysed.analysis_key order by analysed.prompt_key) - 1 as prompt_code,
    dense_rank() over (
        partition by analysed.analysis_key order by coalesce(cells.cell, analysed.prompt_key)
    ) - 1 as cell_code,
    dense_rank() over (partition by analysed.analysis_key order by analysed.block_key) - 1 as block_code,
    dense_rank() over (partition by analysed.analysis_key order by analysed.outcome) - 1 as outcome_code,
    dense_rank() over (partition by analysed.analysis_key order by coalesce(strata.stratum, '')) - 1
        as stratum_code,
    analysed.value
from analysed
left join {{ ref('int_prompt_strata_listed') }} as strata
    on
        analysed.prompt_key = strata.prompt_key
        and analysed.axis = strata.axis
left join {{ ref('int_prompt_cells_listed') }} as cells
    on
        analysed.prompt_key = cells.prompt_key
        and analysed.axis = cells.axis
