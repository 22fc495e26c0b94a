-- Grain: one row: the SHA-256 of all answers, of what was read from them, and of what people read.
with labels as (
    select
        labels.*,
        samples.stratum,
        samples.probability
    from {{ ref('stg_labels__labels') }} as labels
    left join {{ ref('stg_labels__samples') }} as samples
        on
            labels.sample_key = samples.sample_key
            and labels.outcome_set = samples.outcome_set
            and labels.response_key = samples.response_key
    where labels.response_key in (select responses.response_key from {{ ref('dim_responses') }} as responses)
),

parts_hashed as (
    select
        {{ rows_hash(ref('dim_prompts'), [
            'prompt_key', 'suite', 'category', 'root_key', 'block_key', 'prompt',
        ]) }} as prompts_hash,
        {{ rows_hash(ref('dim_responses'), [
            'response_key', 'prompt_key', 'config_key', 'repeat_index', 'response_status', 'response',
        ]) }} as answers_hash,
        {{ rows_hash(ref('dim_scorers'), ['scorer', 'model', 'revision', 'version', 'parameters']) }}
            as scorers_hash,
        {{ rows_hash(ref('fct_measurements'), [
            'response_key', 'feature', 'measurement_status', as_decimal_text('value'),
            as_decimal_text('baseline_value'),
        ]) }} as measurements_hash,
        {{ rows_hash(ref('fct_outcomes'), [
            'response_key', 'outcome_set', 'outcome_status', 'outcome', as_decimal_text('score'),
        ]) }} as outcomes_hash,
        {{ rows_hash('labels', [
            'outcome_set', 'response_key', 'annotator', 'source', 'label', as_decimal_text('value'), 'stratum',
            as_decimal_text('probability'),
        ]) }} as labels_hash
)

select
    {{ sha256_of(json_list(['prompts_hash', 'answers_hash'])) }} as answers_hash,
    {{ sha256_of(json_list(['scorers_hash', 'measurements_hash', 'outcomes_hash'])) }} as readings_hash,
    labels_hash
from parts_hashed
