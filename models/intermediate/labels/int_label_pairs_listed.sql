-- Grain: one row per outcome_set, response_key, annotator_a, annotator_b: whether two say the same of an
-- answer; of all annotators ('') what part of their pairs does, and of scores minus how far apart they are
-- (squared). x is that; all together count as often as people have read the answer. config_key, axis,
-- group_value and outcome are '': agreement is that of all answers.
with readings as (
    select * from {{ ref('int_label_readings') }}
),

pairs as (
    select
        a.suite,
        a.category,
        a.outcome_set,
        a.response_key,
        a.prompt_key,
        a.block_key,
        a.annotator as annotator_a,
        b.annotator as annotator_b,
        a.label as label_a,
        b.label as label_b,
        a.source = 'example' or b.source = 'example' as is_example
    from readings as a
    inner join readings as b
        on
            a.outcome_set = b.outcome_set
            and a.response_key = b.response_key
            and a.annotator < b.annotator
    where not a.is_score
    union all
    select
        suite,
        category,
        outcome_set,
        response_key,
        prompt_key,
        block_key,
        annotator as annotator_a,
        'rule' as annotator_b,
        label as label_a,
        coalesce(outcome, 'not read') as label_b,
        source = 'example' as is_example
    from readings
    where not is_score and not is_what_is_read
),

-- Of each answer that several people have read: how often each label was given.
counted as (
    select
        suite,
        category,
        outcome_set,
        response_key,
        prompt_key,
        block_key,
        label,
        n_readers,
        max(case when source = 'example' then 1 else 0 end) as n_examples,
        count(*) as n_label
    from readings
    where source <> 'data' and not is_score and n_readers > 1
    group by all
),

listed as (
    select
        *,
        'share_agreed' as metric,
        1e0 as weight,
        case when label_a = label_b then 1e0 else 0e0 end as x
    from pairs
    union all
    select
        suite,
        category,
        outcome_set,
        response_key,
        prompt_key,
        block_key,
        '' as annotator_a,
        '' as annotator_b,
        null as label_a,
        null as label_b,
        max(n_examples) = 1 as is_example,
        'share_agreed' as metric,
        cast(n_readers as double) as weight,
        {{ ratio('sum(n_label * (n_label - 1))', 'cast(n_readers as double) * (n_readers - 1)') }} as x
    from counted
    group by suite, category, outcome_set, response_key, prompt_key, block_key, n_readers
    union all
    select
        suite,
        category,
        outcome_set,
        response_key,
        prompt_key,
        block_key,
        '' as annotator_a,
        '' as annotator_b,
        null as label_a,
        null as label_b,
        max(case when source = 'example' then 1 else 0 end) = 1 as is_example,
        'minus_distance' as metric,
        cast(n_readers as double) as weight,
        -2 * {{ ratio(
            'n_readers * sum(value * value) - power(sum(value), 2)', 'cast(n_readers as double) * (n_readers - 1)'
        ) }} as x
    from readings
    where source <> 'data' and is_score and n_readers > 1 and value is not null
    group by suite, category, outcome_set, response_key, prompt_key, block_key, n_readers
)

select
    listed.*,
    '' as config_key,
    '' as axis,
    '' as group_value,
    '' as outcome
from listed
