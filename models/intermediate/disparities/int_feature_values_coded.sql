-- Grain: one row per group_feature_key, response_hash: each value, raw and calibrated, under integer keys.
with measurements as (
    select * from {{ ref('int_measurements_pooled') }}
),

grouped as (
    select * from {{ ref('int_prompts_pooled') }}
),

groups as (
    select * from {{ ref('int_groups_listed') }}
),

prompts as (
    select
        prompt_key,
        row_number() over (order by prompt_key) - 1 as prompt_id,
        dense_rank() over (order by block_key) - 1 as block_id
    from {{ ref('stg_assemble__prompts') }}
),

features as (
    select * from {{ ref('int_group_features_listed') }}
    where not is_calibrated
),

prompts_coded as (
    select
        grouped.prompt_key,
        groups.config_key,
        groups.group_id,
        prompts.prompt_id,
        prompts.block_id
    from grouped
    inner join groups
        on
            grouped.suite = groups.suite
            and grouped.category = groups.category
            and grouped.axis = groups.axis
            and grouped.group_value = groups.group_value
    inner join prompts on grouped.prompt_key = prompts.prompt_key
),

coded as (
    select
        features.group_feature_key,
        features.analysis_key,
        measurements.has_baseline,
        prompts_coded.group_id,
        prompts_coded.prompt_id,
        prompts_coded.block_id,
        hash(measurements.response_key) as response_hash,
        measurements.value,
        measurements.baseline_value
    from measurements
    inner join prompts_coded
        on
            measurements.prompt_key = prompts_coded.prompt_key
            and measurements.config_key = prompts_coded.config_key
    inner join features
        on
            prompts_coded.group_id = features.group_id
            and measurements.feature = features.feature
)

select * exclude (has_baseline)
from coded
union all
-- What is calibrated has the key behind that of the raw values.
select
    group_feature_key + 1 as group_feature_key,
    analysis_key + 1 as analysis_key,
    group_id,
    prompt_id,
    block_id,
    response_hash,
    value - baseline_value as value,
    -- A calibrated baseline is the baseline minus itself.
    baseline_value - baseline_value as baseline_value
from coded
where has_baseline
