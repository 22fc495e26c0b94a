-- Grain: one row per group_feature_key, response_hash: each value, raw and calibrated, under integer keys.
-- `cell_id`: what is relabelled as one, the prompt but for questions about several people.
with prompts as (
    select
        prompt_key,
        row_number() over (order by prompt_key) - 1 as prompt_id,
        dense_rank() over (order by block_key) - 1 as block_id
    from {{ ref('stg_assemble__prompts') }}
),

cells as (
    select
        listed.prompt_key,
        listed.axis,
        min(prompts.prompt_id) over (partition by listed.axis, listed.cell) as cell_id
    from {{ ref('int_prompt_cells_listed') }} as listed
    inner join prompts using (prompt_key)
),

features as (
    select
        suite,
        category,
        feature,
        feature_id,
        max(feature_id) over () + 1 as n_feature_ids
    from {{ ref('int_features_listed') }}
),

group_features as (
    select * from {{ ref('int_group_features_listed') }}
    where not is_calibrated
),

prompts_coded as (
    select
        grouped.prompt_key,
        groups.config_key,
        groups.group_id,
        prompts.prompt_id,
        coalesce(cells.cell_id, prompts.prompt_id) as cell_id,
        prompts.block_id
    from {{ ref('int_prompts_pooled') }} as grouped
    inner join {{ ref('int_groups_listed') }} as groups using (suite, category, axis, group_value)
    inner join prompts using (prompt_key)
    left join cells using (prompt_key, axis)
),

coded as (
    select
        group_features.group_feature_key,
        group_features.analysis_key,
        measurements.has_baseline,
        prompts_coded.group_id,
        prompts_coded.prompt_id,
        prompts_coded.cell_id,
        prompts_coded.block_id,
        {{ hash_of(['measurements.response_key']) }} as response_hash,
        measurements.value,
        measurements.baseline_value
    from {{ ref('int_measurements_pooled') }} as measurements
    inner join prompts_coded using (prompt_key, config_key)
    inner join features using (suite, category, feature)
    -- By a key that both sides before it make: joined by group first, each prompt would stand there once a
    -- feature, in memory.
    inner join group_features
        on group_features.group_feature_key = {{ group_feature_key('prompts_coded.group_id') }}
)

select * {{ without('has_baseline') }}
from coded
union all
-- What is calibrated has the key behind that of the raw values.
select
    group_feature_key + 1 as group_feature_key,
    analysis_key + 1 as analysis_key,
    group_id,
    prompt_id,
    cell_id,
    block_id,
    response_hash,
    value - baseline_value as value,
    -- A calibrated baseline is the baseline minus itself.
    baseline_value - baseline_value as baseline_value
from coded
where has_baseline
