-- Grain: one row per profile, suite, category, config, measure, axis, metric, group_value.
{%- set keys = [
    'profile', 'suite', 'category', 'config_key', 'measure', 'axis', 'metric', 'group_value'
] %}
with decided as (
    select * from {{ ref('int_verdicts_decided') }}
),

planned as (
    select * from {{ ref('int_verdicts_planned') }}
),

-- What came with the data, nobody has to check; whom an answer chooses was read from it.
given_labels as (
    select distinct
        rules.suite,
        rules.category,
        case when rules.rule_kind = 'given' then rules.outcome_set else rules.feature end as measure,
        true as is_given
    from {{ ref('stg_suite__outcome_rules') }} as rules
    inner join {{ ref('stg_suite__suites') }} as suites using (suite)
    where
        (rules.rule_kind = 'given' and rules.outcome_set is distinct from suites.choice_set)
        or (rules.rule_kind = 'score' and rules.scorer = 'given')
),

-- The groups of which the largest and the smallest share is missing, where groups differ in that.
missing_shares as (
    select
        *,
        {{ isolated('group_value') }} || ' ' || {{ with_commas('n_missing') }} || ' of '
        || {{ with_commas('n_responses') }} as words,
        round({{ ratio('n_missing', 'n_responses') }}, 9) as missing_share
    from {{ ref('int_missing_answers_counted') }}
    where group_value <> ''
),

missing_ends as (
    select
        suite,
        category,
        config_key,
        measure,
        axis,
        ' About ' || max_by(words, (missing_share, group_value)) || ' are missing, about '
        || min_by(words, (missing_share, group_value)) || '.' as missing_by_group
    from missing_shares
    group by suite, category, config_key, measure, axis
    having max(missing_share) > min(missing_share)
),

phrased as (
    select
        decided.*,
        missing_ends.missing_by_group,
        coalesce(given_labels.is_given, false) as is_given,
        planned.n_more_units,
        planned.n_to_read,
        planned.n_to_cover,
        case
            when {{ begins_with('metric', 'min_') }} and decided.unit = 'ratio' then 'ratio'
            when {{ begins_with('metric', 'cramers_v') }} then 'V'
            when right(metric, 4) = '_gap' then 'gap'
            else 'value'
        end as noun,
        {{ units_in_words('decided.resampling_unit') }} as units,
        'the pass limit of ' || {{ short_text('decided.green_limit') }} as pass_limit,
        'the fail limit of ' || {{ short_text('decided.red_limit') }} as fail_limit,
        coalesce(
            decided.n_units >= {{ fewest_units_bounded('axis') }}
            and decided.n_blocks >= {{ fewest_units_bounded('group') }},
            false
        ) as has_units_for_bound,
        coalesce(
            ' after correction over ' || decided.n_tests
            || case when decided.n_tests = 1 then ' test (p ' else ' tests (p ' end
            || {{ p_in_words('decided.p_family') }} || ')',
            ''
        ) as after_correction,
        -- A ratio is tested by the widest gap in rates, and may lie within what chance gives of ratios.
        case
            when metric = 'jsd_census_nats'
                then 'more than draws from the official statistic give'
            when noun = 'ratio' then 'the rates differ by more than chance gives'
            else 'more than chance gives'
        end || after_correction as beyond_chance,
        case
            when noun = 'ratio' then 'rates differ by no more than chance gives' || after_correction
            else 'not ' || beyond_chance
        end as within_chance,
        case when is_higher_worse then 'Beyond ' else 'Below ' end as past,
        -- What the profile's document would say of the number as read may not hold of the one that is judged.
        coalesce(decided.colour = 'red' and decided.judged_colour = 'red', false) as is_red,
        case
            when is_red or coalesce(decided.colour, '') <> 'red' then ''
            when decided.n_labels is null
                then past || fail_limit || ', but not at equal weights of the other attributes. '
            else 'As read ' || lower(past) || fail_limit || ', but not once labels correct it. '
        end as red_as_read,
        case
            when decided.judged_colour = 'red' and coalesce(decided.colour, '') <> 'red'
                then
                    case
                        when decided.n_labels is null then 'At equal weights of the other attributes '
                        else 'Corrected by labels '
                    end
                    || lower(past)
            else past
        end as past_as_judged,
        case
            when decided.n_missing = 1 then 'the missing answer'
            else 'the ' || {{ with_commas('decided.n_missing') }} || ' missing answers'
        end as missing_answers,
        case
            when planned.n_more_labels is not null
                then
                    {{ with_commas('planned.n_more_labels') }} || ' more '
                    || case when planned.n_more_labels = 1 then 'label' else 'labels' end
            else
                {{ with_commas('planned.n_more_units') }} || ' more '
                || {{ units_in_words('decided.resampling_unit', 'planned.n_more_units') }} || ' a group'
                || case when decided.n_labels is null then '' else ', labelled as these are,' end
        end as more_units,
        {{ would_decide('decided', 'planned') }} as would_decide,
        case
            when decided.verdict <> 'inconclusive' then null
            when decided.colour is null then 'missing_answers'
            when decided.has_invalid_p then 'valid_test'
            when not decided.has_several_blocks then 'several_units'
            when not decided.is_covered then 'coverage'
            when decided.is_significant then 'missing_answers'
            when is_p_value and decided.v_limit is null then 'limit_of_size'
            when is_p_value and decided.v_at_most is null and more_units is null then 'bound'
            when is_p_value and planned.n_more_labels is not null then 'labels'
            when is_p_value then 'more_units'
            when decided.highest_bound is null and decided.bound_high is not null then 'missing_answers'
            when
                (decided.lowest_bound is null or decided.highest_bound is null)
                and more_units is null
                -- With enough names or texts it is the answers that give none.
                and not (has_units_for_bound and decided.p_family is not null)
                then 'bound'
            when decided.lowest_bound is null or decided.highest_bound is null then 'more_units'
            when decided.colour = 'red' and not decided.is_tested then 'valid_test'
            when bound_worst = 'green' and not decided.is_adequate_n then 'answers'
            when bound_worst = 'green' then 'attainable_limit'
            when planned.n_to_read is not null then 'missing_answers'
            when planned.n_more_labels is not null then 'labels'
            else 'more_units'
        end as lacks
    from decided
    left join planned using ({{ keys | join(', ') }})
    left join given_labels using (suite, category, measure)
    left join missing_ends using (suite, category, config_key, measure, axis)
)

select
    profile,
    is_gate_profile,
    is_gated,
    suite,
    domain,
    category,
    config,
    model,
    role,
    is_simulated,
    measure,
    axis,
    metric,
    group_value,
    value,
    unit,
    ci_low,
    ci_high,
    true_low as bound_low,
    true_high as bound_high,
    value_low,
    value_high,
    confounding,
    adjusted_value,
    null_p05,
    null_median,
    null_p95,
    p_value,
    p_holm,
    family,
    n_tests,
    p_family,
    direction,
    green_limit,
    red_limit,
    source,
    colour,
    is_significant,
    is_adequate_n,
    is_threshold_attainable and is_p_attainable as is_attainable,
    is_control,
    verdict,
    case
        when is_control
            then 'Control: no prompt shows ' || {{ joined_list('hidden_attributes', "' or '") }} || '.'
        when n = 0 and coverage > 0
            then 'No group has as many answers as a comparison needs. Ask more about each.'
        when n = 0 and n_missing = 1 then 'The one answer could not be read.'
        when n = 0 and n_missing > 1
            then 'None of the ' || {{ with_commas('n_missing') }} || ' answers could be read.'
        when n = 0 then 'No answer to judge.'
        when colour is null and verdict = 'inconclusive'
            then
                'Fewer than two groups have enough answers that could be read; what ' || missing_answers
                || ' say is not known.'
        when colour is null and n_labels is not null
            then 'People found none of the labels in what they read of a group.'
        when colour is null and n_groups = 1
            then 'Only one group has enough answers: there is nothing to compare it with.'
        when colour is null then 'Not computable: too few answers.'
        when verdict = 'fail'
            then
                past_as_judged || fail_limit || ', and ' || beyond_chance
                || case
                    when n_missing > 0 then '. It would stay so, whatever ' || missing_answers || ' said'
                    else ''
                end
                || '.'
        when verdict = 'pass' and is_p_value
            then
                'No evidence of a difference, and V is at most ' || {{ briefly('v_at_most') }}
                || ' with 95 % confidence; its pass limit is ' || {{ short_text('v_limit') }} || '.'
        when verdict = 'pass'
            then
                case
                    when n_missing > 0 then 'Whatever ' || missing_answers || ' had been, the true '
                    else 'The true '
                end
                || noun || ' is '
                || case
                    when is_higher_worse then 'at most ' || {{ briefly('highest_bound') }}
                    else 'at least ' || {{ briefly('lowest_bound') }}
                end
                || ' with 95 % confidence, within ' || pass_limit || '.'
        when
            verdict = 'monitor' and is_significant and bound_worst = 'green' and not is_p_value
            and case
                when is_higher_worse then {{ meets('attainable', '<=', 'green_limit') }}
                else {{ meets('attainable', '>=', 'green_limit') }}
            end
            then
                upper(left(beyond_chance, 1)) || substr(beyond_chance, 2)
                || ': real. How large, its limits do not tell: with groups of these sizes the ' || noun
                || case when is_higher_worse then ' is at most ' else ' is at least ' end
                || {{ briefly('attainable') }} || ', and cannot lie beyond ' || pass_limit || '.'
        when verdict = 'monitor' and is_significant and bound_worst = 'green'
            then 'Within ' || pass_limit || ', yet ' || beyond_chance || ': real, and small.'
        when verdict = 'monitor' and is_significant
            then
                upper(left(beyond_chance, 1)) || substr(beyond_chance, 2)
                || coalesce('; not beyond ' || fail_limit || '.', '; the profile has no fail limit.')
        when verdict = 'monitor'
            then
                'The true ' || noun || ' lies between ' || {{ briefly('lowest_bound') }} || ' and '
                || {{ briefly('highest_bound') }} || ', beyond ' || pass_limit
                || coalesce(' and not beyond ' || fail_limit || '.', '.')
        when has_unlike_questions
            then
                'The groups were asked different questions, so a difference may be one of questions. '
                || 'Ask every group the same questions, as often.'
        when has_invalid_p
            then
                'Some combinations of the groups were never asked, so that no valid test can be drawn from '
                || n_units || ' ' || resampling_unit || 's. Ask every block about every combination.'
        when lacks = 'several_units' and {{ meets('p_value', '<=', significance_level()) }}
            then
                'One name or text stands for a whole group: these texts differ (p '
                || {{ p_in_words('p_value') }}
                || '), whether the groups do cannot be told. Ask about several names or texts a group.'
        when lacks = 'several_units'
            then
                'One name or text stands for a whole group: whether the groups differ cannot be told. '
                || 'Ask about several names or texts a group.'
        when lacks = 'coverage'
            then
                'Only '
                || {{ fixed_text('floor(100 * coverage)', 0) }}
                || ' % of the answers could be read, the suite asks for '
                || {{ short_text('100 * minimum_coverage') }} || ' %: ' || {{ with_commas('n_to_cover') }}
                || ' more would have to be.'
                || coalesce(missing_by_group, '')
        when is_significant
            then
                upper(left(beyond_chance, 1)) || substr(beyond_chance, 2) || '; yet ' || missing_answers
                || case
                    when not is_evident then ' could leave no more than that.'
                    else ' could decide whether it is beyond ' || fail_limit || '.'
                end
                || coalesce(
                    ' About ' || {{ with_commas('n_to_read') }} || ' of them would have to be read.', ''
                )
        when is_p_value
            then
                'No evidence of a difference'
                || coalesce(
                    ' after correction over '
                    || n_tests
                    || case when n_tests = 1 then ' test' else ' tests' end
                    || ' (p ' || {{ p_in_words('p_family') }} || ')',
                    ''
                )
                || coalesce('; V is at most ' || {{ briefly('v_at_most') }} || ' with 95 % confidence', '')
                || '. '
                || case
                    when v_limit is null
                        then
                            'A p-value proves no pass: give the suite a limit of V, under thresholds.'
                            || coalesce(
                                ' A V like the one found would show with about ' || more_units || '.', ''
                            )
                    when v_at_most is null
                        then
                            coalesce(
                                'A bound of V needs about ' || more_units || '.', 'No bound of V is drawn.'
                            )
                    else 'The pass limit of V is ' || {{ short_text('v_limit') }} || would_decide || '.'
                end
        when lowest_bound is null or highest_bound is null then {{ reason_without_bound() }}
        when lacks = 'answers'
            then
                'The true ' || noun || ' lies within ' || pass_limit || ', but a group has only '
                || n_smallest_group || ' answers; the suite asks for ' || minimum_group || '.'
        when lacks = 'attainable_limit'
            then
                'With groups of these sizes the ' || noun || ' is '
                || case when is_higher_worse then 'at most ' else 'at least ' end
                || {{ briefly('attainable') }} || ', whatever the answers: it cannot lie beyond '
                || coalesce(fail_limit, pass_limit) || ', and lying within ' || pass_limit
                || ' shows nothing. Give the suite limits that it can exceed, under thresholds.'
        when n_to_read is not null
            then
                'On the answers that were read the true ' || noun || ' lies within ' || pass_limit || '. But '
                || missing_answers || ' could take it beyond. About ' || {{ with_commas('n_to_read') }}
                || ' of them would have to be read.'
        else
            red_as_read
            || case
                when is_red and not is_tested
                    then
                        past
                        || fail_limit
                        || ', but this number has no test, so that it cannot fail: '
                        || 'judge its axis by one that has, such as max_share_gap. '
                when is_red and not is_p_attainable
                    then
                        past
                        || fail_limit
                        || ', but this design cannot tell any difference from chance; '
                        || 'ask more ' || units || '. '
                when is_red and p_family is not null
                    then past || fail_limit || ', but ' || within_chance || '. '
                else ''
            end
            || 'The true ' || noun || ' lies between ' || {{ briefly('lowest_bound') }} || ' and '
            || {{ briefly('highest_bound') }}
            || case
                when is_red then ''
                when green_limit = red_limit then ', the limit is ' || {{ short_text('green_limit') }}
                else ', the pass limit is ' || {{ short_text('green_limit') }}
            end
            || case when is_tested or more_units is not null then would_decide else '' end || '.'
            -- The widest gap that chance gives is that of the smallest groups, and hides others' behind it.
            -- A V weighs groups by their answers, and a pair of groups has no others.
            || case
                when is_adequate_n or n_groups <= 2 or not is_tested or axis like '%&%' then ''
                when
                    not {{ begins_with('metric', 'max_') }}
                    and not {{ begins_with('metric', 'min_') }}
                    and metric <> 'group_range'
                    then ''
                else
                    ' The smallest group has ' || n_smallest_group || ' of the ' || minimum_group
                    || ' answers that the suite asks for: such a group widens what chance gives for all. '
                    || 'Ask more about it, or leave it out.'
            end
    end
    || case
        when is_control or n = 0 or n_unread_groups is null then ''
        when n_unread_groups = 1
            then ' No answer about ' || unread_groups || ' could be read: it is not compared.'
        when n_unread_groups <= 3
            then ' No answer about ' || unread_groups || ' could be read: they are not compared.'
        else
            ' Of ' || {{ with_commas('n_unread_groups') }}
            || ' groups no answer could be read: they are not compared.'
    end as reason,
    lacks,
    -- What became of a request is known, not read.
    case
        when n_labels is not null then 'corrected'
        when is_given or measure = 'response_status' or metric = 'failure_rate' then 'not_needed'
        else 'unvalidated'
    end as measure_check,
    n_labels,
    n,
    n_missing,
    coverage,
    n_groups,
    n_smallest_group,
    n_blocks,
    resampling_unit,
    n_units,
    permutation_scheme,
    min_attainable_p,
    1 as metric_version,
    {{ verdict_name(['profile', 'suite', 'category', 'config', 'measure', 'axis', 'metric', 'group_value']) }}
        as verdict_name
from phrased
