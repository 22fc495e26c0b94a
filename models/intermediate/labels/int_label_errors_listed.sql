-- Grain: one row per outcome_set, response_key, axis, metric: whether a label is what is read, by group of
-- each axis; axis and group are '' for all answers. x is 1 or 0, of a score by how much it is not. `outcome`
-- is the label that recall and precision are about.
with labels as (
    select
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated,
        outcome_set,
        response_key,
        prompt_key,
        block_key,
        is_example,
        rule_kind = 'score' as is_score,
        score - value as score_error,
        1 / probability as weight,
        coalesce(outcome, 'none of them') as read_label,
        case
            when is_label_counted then label
            when label is null then 'it cannot be told'
            else 'none of them'
        end as given_label
    from {{ ref('int_labels_agreed') }}
    where probability is not null
),

compared as (
    {% for metric, outcome, of_right in [
        ('error_rate', "''", '0e0'), ('recall', 'given_label', '1e0'), ('precision', 'read_label', '1e0')
    ] -%}
    select
        * {{ without('is_score, score_error, read_label, given_label') }},
        '{{ metric }}' as metric,
        {{ outcome }} as outcome,
        case when read_label = given_label then {{ of_right }} else 1 - {{ of_right }} end as x
    from labels
    where not is_score
    union all
    {% endfor -%}
    select
        * {{ without('is_score, score_error, read_label, given_label') }},
        'mean_error' as metric,
        '' as outcome,
        score_error as x
    from labels
    where is_score and score_error is not null
)

select
    compared.*,
    grouped.axis,
    grouped.group_value
from compared
inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
union all
select
    *,
    '' as axis,
    '' as group_value
from compared
