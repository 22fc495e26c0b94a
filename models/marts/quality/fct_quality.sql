-- Grain: one row per rule, suite, category, config, scope.
with loads as (
    select * from {{ ref('stg_load__loads') }}
),

responses as (
    select * from {{ ref('int_responses_joined') }}
),

outcomes as (
    select * from {{ ref('int_outcomes_assigned') }}
),

languages as (
    select * from {{ ref('fct_languages') }}
    where language_status in ('same', 'other')
),

prompts as (
    select * from {{ ref('dim_prompts') }}
    where method <> 'loaded'
),

repeats as (
    select
        responses.suite,
        responses.category,
        responses.config,
        responses.prompt_key,
        prompts.prompt_key is not null as is_asked,
        count(*) as n_repeats,
        count(*) over (
            partition by
                responses.suite, responses.category, responses.config, prompts.prompt_key is not null,
                count(*)
        ) as n_prompts_alike
    from responses
    left join prompts on responses.prompt_key = prompts.prompt_key
    group by
        responses.suite, responses.category, responses.config, responses.prompt_key,
        prompts.prompt_key is not null
),

-- Where prompts are asked, a run that stopped may have left most of them with fewer: as often as any. Of
-- answers that somebody has, a few prompts may stand there twice: as often as most.
repeats_expected as (
    select
        *,
        first_value(n_repeats) over (
            partition by suite, category, config, is_asked
            order by case when is_asked then n_repeats else n_prompts_alike end desc, n_repeats desc
        ) as n_repeats_expected
    from repeats
),

exposed as (
    select
        exposed.*,
        configs.config
    from {{ ref('int_axes_shown') }} as exposed
    inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
),

checked as (
    select
        'records_reconcile' as rule,
        suite,
        '' as category,
        '' as config,
        source_file || ' ' || left(run_id, 8) as scope,
        n_records,
        abs(n_records - n_loaded - n_already_there - n_rejected) as n_failing,
        0 as n_removed
    from loads
    union all
    select
        'records_accepted' as rule,
        suite,
        '' as category,
        '' as config,
        source_file || ' ' || left(run_id, 8) as scope,
        n_records,
        n_rejected as n_failing,
        n_rejected as n_removed
    from loads
    union all
    select
        'responses_usable' as rule,
        suite,
        category,
        config,
        '' as scope,
        count(*) as n_records,
        count(*) filter (where not is_usable) as n_failing,
        count(*) filter (where not is_usable) as n_removed
    from responses
    group by suite, category, config
    union all
    select
        'repeats_complete' as rule,
        suite,
        category,
        config,
        '' as scope,
        count(*) as n_records,
        count(*) filter (where n_repeats <> n_repeats_expected) as n_failing,
        0 as n_removed
    from repeats_expected
    group by suite, category, config
    union all
    select
        'answers_in_language' as rule,
        suite,
        category,
        config,
        '' as scope,
        count(*) as n_records,
        count(*) filter (where is_other_language) as n_failing,
        0 as n_removed
    from languages
    group by suite, category, config
    union all
    select
        'answers_read' as rule,
        suite,
        category,
        config,
        outcome_set as scope,
        count(*) as n_records,
        count(*) filter (where not is_matched and score is null) as n_failing,
        count(*) filter (where not is_counted and score is null) as n_removed
    from outcomes
    where outcome_status not in ('failed_response', 'not_measured', 'unsupported_language')
    group by suite, category, config, outcome_set
    union all
    select
        'answers_unambiguous' as rule,
        suite,
        category,
        config,
        outcome_set as scope,
        count(*) as n_records,
        count(*) filter (where n_matches > 1) as n_failing,
        0 as n_removed
    from outcomes
    where
        rule_kind not in ('anchor', 'given', 'judged', 'cutoff', 'score')
        and outcome_status <> 'failed_response'
    group by suite, category, config, outcome_set
    union all
    select
        'answers_measured' as rule,
        suite,
        category,
        config,
        outcome_set as scope,
        count(*) as n_records,
        count(*) filter (where outcome_status = 'not_measured') as n_failing,
        count(*) filter (where outcome_status = 'not_measured') as n_removed
    from outcomes
    where outcome_status <> 'failed_response'
    group by suite, category, config, outcome_set
    union all
    select
        'failed_not_scored' as rule,
        suite,
        category,
        config,
        outcome_set as scope,
        count(*) as n_records,
        count(*) filter (where outcome is not null or score is not null or is_counted) as n_failing,
        0 as n_removed
    from outcomes
    where outcome_status = 'failed_response'
    group by suite, category, config, outcome_set
    union all
    select
        'cells_large_enough' as rule,
        suite,
        category,
        config,
        measure || ': ' || axis as scope,
        n_groups + n_groups_excluded as n_records,
        n_groups_excluded as n_failing,
        n_groups_excluded as n_removed
    from {{ ref('int_analyses_listed') }}
    where measure_kind in ('outcome', 'score')
    union all
    select
        'attributes_shown' as rule,
        suite,
        category,
        config,
        axis as scope,
        n_prompts as n_records,
        cast(n_prompts - round(shown_rate * n_prompts) as bigint) as n_failing,
        0 as n_removed
    from exposed
    union all
    select
        'prompts_unflagged' as rule,
        suite,
        category,
        '' as config,
        '' as scope,
        count(*) as n_records,
        count(flags) as n_failing,
        count(*) filter (where is_left_out) as n_removed
    from prompts
    group by suite, category
    union all
    select
        'flagged_not_asked' as rule,
        repeats.suite,
        repeats.category,
        repeats.config,
        '' as scope,
        count(*) as n_records,
        count(prompts.flags) as n_failing,
        0 as n_removed
    from repeats
    inner join prompts using (prompt_key)
    group by repeats.suite, repeats.category, repeats.config
)

select
    checked.rule,
    rules.area,
    rules.description,
    checked.suite,
    checked.category,
    checked.config,
    checked.scope,
    checked.n_records,
    checked.n_failing,
    {{ ratio('checked.n_failing', 'checked.n_records') }} as rate,
    checked.n_removed,
    rules.limit_rate,
    ({{ meets('checked.n_failing', '<=', 'rules.limit_rate * checked.n_records') }}) is true as is_passed,
    rules.is_blocking,
    rules.spec
from checked
inner join {{ ref('quality_rules') }} as rules using (rule)
