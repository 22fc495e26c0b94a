-- Grain: one row per suite, config, category, axis, measure: two answers to each contrast that a page tells.
{% set longest = 400 %}
{% set quoted = 160 %}
with told as (
    select
        suite,
        config,
        is_simulated,
        category,
        category_slug,
        responses_slug,
        axis,
        measure,
        measure_kind,
        contrast_outcome,
        group_high,
        group_low
    from {{ ref('rpt_verdicts') }}
    where
        not is_control and measure_kind is not null
        and (verdict in ('fail', 'monitor') or (is_gate_profile and telling_rank = 1))
    -- Favourable rates may lie farthest apart between other groups than a single outcome.
    qualify
        row_number() over (
            partition by responses_slug, axis, measure
            order by is_gate_profile desc, telling_rank asc, metric asc
        ) = 1
),

sides as (
    select
        *,
        'high' as side,
        group_high as group_value
    from told
    union all
    select
        *,
        'low' as side,
        group_low as group_value
    from told
),

answered as (
    select
        sides.*,
        prompts.root_key,
        prompts.prompt_key,
        responses.response_key,
        case
            when sides.measure = 'response_status' then responses.response_status
            else outcomes.outcome
        end as outcome,
        coalesce(rules.is_favourable, false) as is_favourable,
        measured.value,
        outcomes.margin
    from sides
    inner join {{ ref('rpt_groups') }} as grouped
        using (category_slug, axis, group_value)
    inner join {{ ref('dim_prompts') }} as prompts
        on grouped.prompt_key = prompts.prompt_key
    inner join {{ ref('dim_responses') }} as responses
        on
            grouped.prompt_key = responses.prompt_key
            and sides.suite = responses.suite
            and sides.config = responses.config
            -- A number that came without its text is no answer to show.
            and (sides.measure_kind = 'outcome' or responses.response is not null)
    left join {{ ref('fct_outcomes') }} as outcomes
        on
            responses.response_key = outcomes.response_key
            and case when sides.measure_kind = 'outcome' then sides.measure end = outcomes.outcome_set
            and outcomes.is_counted
    left join {{ ref('dim_outcome_rules') }} as rules
        on
            sides.suite = rules.suite
            and sides.category = rules.category
            and outcomes.outcome_set = rules.outcome_set
            and outcomes.outcome = rules.label
    left join {{ ref('fct_measurements') }} as measured
        on
            responses.response_key = measured.response_key
            and case when sides.measure_kind = 'score' then sides.measure end = measured.feature
),

-- How clearly an answer is what its side has more of, or less: null where it is not.
weighed as (
    select
        *,
        case
            when measure_kind = 'score' then case when side = 'high' then value else -value end
            when outcome is not null and coalesce(outcome = contrast_outcome, is_favourable) = (side = 'high')
                then coalesce(margin, 0)
        end as strength
    from answered
),

best as (
    select
        *,
        row_number() over (
            partition by responses_slug, axis, measure, side, root_key
            order by strength desc, response_key asc
        ) as place
    from weighed
    where strength is not null
),

paired as (
    select
        *,
        count(*) over (partition by responses_slug, axis, measure, root_key) as n_sides,
        sum(strength) over (partition by responses_slug, axis, measure, root_key) as difference
    from best
    where place = 1
),

-- Two answers to the same prompt about other groups, where there are such.
chosen as (
    select
        *,
        row_number() over (
            partition by responses_slug, axis, measure, side
            order by
                n_sides desc,
                case when n_sides = 2 then round(difference, 9) else round(strength, 9) end desc,
                root_key asc
        ) as position
    from paired
),

worded as (
    select
        chosen.*,
        left(chosen.response_key, 10) as response_id,
        md5(concat_ws(chr(31), prompts.prompt, responses.response)) as said_key,
        case
            when length(prompts.prompt) > {{ longest }}
                then left(prompts.prompt, {{ longest - 1 }}) || '…'
            else prompts.prompt
        end as prompt,
        left(responses.response, {{ longest }}) as response,
        length(responses.response) > {{ longest }} as is_cut,
        case
            when length(responses.response) > {{ quoted }}
                then left(responses.response, {{ quoted - 1 }}) || '…'
            else responses.response
        end as excerpt
    from chosen
    inner join {{ ref('dim_prompts') }} as prompts
        on chosen.prompt_key = prompts.prompt_key
    inner join {{ ref('dim_responses') }} as responses
        on chosen.response_key = responses.response_key
    where chosen.position = 1
)

select
    suite,
    config,
    is_simulated,
    category,
    category_slug,
    responses_slug,
    axis,
    measure,
    group_high,
    group_low,
    {% for side in ('high', 'low') %}
    {% for column in ('response_id', 'prompt', 'response', 'is_cut', 'excerpt', 'outcome', 'value') %}
    max(case when side = '{{ side }}' then {{ column }} end) as {{ column }}_{{ side }},
    {% endfor %}
    {% endfor %}
    min(n_sides) = 2 as is_same_root,
    min(n_sides) = 2 and min(said_key) = max(said_key) as is_one_answer
from worded
group by all
