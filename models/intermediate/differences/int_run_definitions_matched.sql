-- Grain: one row per suite, category, outcome_set of a suite that has an earlier run, `response_status` too:
-- whether both asked, read and scored alike. `reason` is null where they did.
with current_run as (
    select comparables.*
    from {{ ref('int_run_definitions_listed') }} as comparables
    semi join {{ ref('stg_compare__earlier_runs') }} using (suite)
),

compared as (
    select
        coalesce(current_run.part, earlier.part) as part,
        coalesce(current_run.suite, earlier.suite) as suite,
        coalesce(current_run.category, earlier.category) as category,
        coalesce(current_run.outcome_set, earlier.outcome_set) as outcome_set,
        coalesce(current_run.item, earlier.item) as item,
        current_run.item is null as is_gone,
        earlier.item is null as is_new,
        coalesce(current_run.definition <> earlier.definition, true) as is_different
    from current_run
    full outer join {{ ref('stg_compare__earlier_comparables') }} as earlier
        using (part, suite, category, outcome_set, item)
    where coalesce(current_run.part, earlier.part) <> 'metric'
),

counted as (
    select
        part,
        suite,
        category,
        outcome_set,
        count(*) filter (where is_gone) as n_gone,
        count(*) filter (where is_new) as n_new,
        count(*) filter (where is_different) as n_different,
        count(*) as n,
        {{ ordered_text('item', "', '", 'item', 'is_different') }} as items,
        {{ ordered_text('item', "', '", 'item', 'is_gone') }} as gone_items,
        {{ ordered_text('item', "', '", 'item', 'is_new') }} as new_items
    from compared
    group by part, suite, category, outcome_set
),

sets as (
    select distinct
        suite,
        category,
        outcome_set
    from current_run
    where part = 'rule'
    union
    -- Whether an answer came is read by no rule.
    select distinct
        suite,
        category,
        'response_status' as outcome_set
    from current_run
    where part = 'prompt'
)

select
    sets.suite,
    sets.category,
    sets.outcome_set,
    case
        when prompts.n_different > 0
            then
                'Not the same prompts: ' || prompts.n_gone || ' are only in the earlier run, '
                || prompts.n_new || ' only in this one.'
                || coalesce(' Only the earlier run has ' || groups.gone_items || '.', '')
                || coalesce(' Only this one has ' || groups.new_items || '.', '')
        when rules.n_different > 0 then 'The rule that reads the answers is not the same.'
        when scorers.n_different > 0
            then 'Another revision or version of the scorer: ' || scorers.items || '.'
    end as reason
from sets
left join counted as prompts
    on
        prompts.part = 'prompt'
        and sets.suite = prompts.suite
        and sets.category = prompts.category
left join counted as groups
    on
        groups.part = 'group'
        and groups.n > groups.n_new  -- an export of an earlier version names none
        and sets.suite = groups.suite
        and sets.category = groups.category
left join counted as rules
    on
        rules.part = 'rule'
        and sets.suite = rules.suite
        and sets.category = rules.category
        and sets.outcome_set = rules.outcome_set
left join counted as scorers
    on
        scorers.part = 'scorer'
        and sets.suite = scorers.suite
        and sets.category = scorers.category
        and sets.outcome_set = scorers.outcome_set
