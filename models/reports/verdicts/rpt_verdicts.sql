-- Grain: one row per profile, suite, category, config, measure, axis, metric, group_value: verdicts in words.
{% set limits = ('green_limit', 'red_limit') -%}
{% set keys = ['profile', 'suite', 'category', 'config', 'measure', 'axis', 'metric', 'group_value'] -%}
{% set told = [
    'suite', 'category', 'config', 'axis', 'measure', 'group_high', 'group_low', 'value_high', 'value_low',
    'n_cell_high', 'n_cell_low', 'n_group_high', 'n_group_low', 'gap', 'n_labels'
] | join(',\n        ') -%}
{#- A ratio near 0 is not rare by chance among many groups; the widest gap in rates is tested for it. -#}
{% set gap = ' by the widest gap in rates,' -%}
{% set by_the_gap = "case verdicts.metric when 'min_impact_ratio' then '" ~ gap ~ "' else '' end" -%}
with categories as (
    {{ category_titles() }}
),

census_gaps as (
    select
        suite,
        category,
        config,
        outcome_set,
        group_value,
        outcome,
        abs(difference) as gap,
        {{ isolated('outcome') }} || ': ' || {{ of_hundred('model_share') }} || ' % of the answers about '
        || {{ isolated('group_value') }} || ', ' || {{ of_hundred('actual_share') }}
        || ' % in the published figures of ' || ground_truth_year as words
    from {{ ref('fct_ground_truth') }}
    where direction = 'outcome_given_gender' and difference is not null
),

favourable_gaps as (
    select * from {{ ref('fct_favourable_gaps') }}
    where not is_of_one_outcome
),

-- The smallest ratio is told by the favourable rates that it is of.
told as (
    select
        {{ told }},
        measure_kind,
        nullif(outcome, '') as contrast_outcome,
        ci_low as gap_low,
        ci_high as gap_high,
        null_p95 as gap_chance,
        false as is_of_rates
    from {{ ref('fct_contrasts') }}
    union all
    select
        {{ told }},
        'outcome' as measure_kind,
        cast(null as string) as contrast_outcome,
        cast(null as double) as gap_low,
        cast(null as double) as gap_high,
        cast(null as double) as gap_chance,
        true as is_of_rates
    from favourable_gaps
),

contrasts as (
    select
        suite,
        category,
        config,
        axis,
        measure,
        '' as group_value,
        is_of_rates,
        false as is_census,
        {{ gap_in_words() }} as contrast,
        measure_kind,
        contrast_outcome,
        group_high,
        group_low,
        value_high,
        value_low,
        -- What labels correct is no count of anything.
        case when n_labels is null then n_cell_high end as n_cell_high,
        case when n_labels is null then n_cell_low end as n_cell_low,
        n_group_high,
        n_group_low,
        case when measure_kind = 'outcome' then gap end as gap,
        gap_low,
        gap_high,
        gap_chance
    from told
    union all
    select
        suite,
        category,
        config,
        '' as axis,
        outcome_set as measure,
        group_value,
        false as is_of_rates,
        true as is_census,
        max_by(words, (gap, words)) as contrast,
        cast(null as string) as measure_kind,
        max_by(outcome, (gap, words)) as contrast_outcome,
        group_value as group_high,
        cast(null as string) as group_low,
        cast(null as double) as value_high,
        cast(null as double) as value_low,
        cast(null as bigint) as n_cell_high,
        cast(null as bigint) as n_cell_low,
        cast(null as bigint) as n_group_high,
        cast(null as bigint) as n_group_low,
        max(gap) as gap,
        cast(null as double) as gap_low,
        cast(null as double) as gap_high,
        cast(null as double) as gap_chance
    from census_gaps
    group by suite, category, config, outcome_set, group_value
    union all
    select
        suite,
        category,
        config,
        axis,
        metric as measure,
        '' as group_value,
        false as is_of_rates,
        false as is_census,
        'likeness of lists'
        || coalesce(' to those about ' || {{ isolated('reference_group') }}, '')
        || ': ' || {{ isolated('groups_high') }} || ' ' || {{ rounded('value_high') }} || ', '
        || {{ isolated('groups_low') }} || ' ' || {{ rounded('value_low') }} as contrast,
        cast(null as string) as measure_kind,
        cast(null as string) as contrast_outcome,
        cast(null as string) as group_high,
        cast(null as string) as group_low,
        cast(null as double) as value_high,
        cast(null as double) as value_low,
        cast(null as bigint) as n_cell_high,
        cast(null as bigint) as n_cell_low,
        cast(null as bigint) as n_group_high,
        cast(null as bigint) as n_group_low,
        cast(null as double) as gap,
        cast(null as double) as gap_low,
        cast(null as double) as gap_high,
        cast(null as double) as gap_chance
    from {{ ref('rpt_list_spreads') }}
    where metric = 'recommendation_serp'
),

worded as (
    select
        verdicts.*,
        categories.title as category_title,
        categories.category_position,
        coalesce(metrics.title, verdicts.metric) as metric_title,
        presence.axis_position,
        length(verdicts.axis) - length(replace(verdicts.axis, '&', '')) + 1 as n_attributes,
        contrasts.contrast,
        contrasts.contrast_outcome,
        contrasts.group_high,
        contrasts.group_low,
        contrasts.measure_kind,
        contrasts.value_high as contrast_high,
        contrasts.value_low as contrast_low,
        contrasts.n_cell_high,
        contrasts.n_cell_low,
        contrasts.n_group_high,
        contrasts.n_group_low,
        contrasts.gap,
        contrasts.gap_low,
        contrasts.gap_high,
        contrasts.gap_chance,
        -- A p-value has no size: the association's own speaks beside it.
        verdicts.metric = 'chi_square_p' as is_p_value,
        associations.cramers_v,
        case verdicts.metric
            when 'chi_square_p' then associations.ci_low
            else verdicts.ci_low
        end as shown_low,
        case verdicts.metric
            when 'chi_square_p' then associations.ci_high
            else verdicts.ci_high
        end as shown_high,
        case verdicts.metric
            when 'chi_square_p' then associations.null_p95
            when 'min_impact_ratio' then verdicts.null_p05
            when 'min_impact_ratio_measured' then verdicts.null_p05
            when 'min_impact_ratio_calibrated' then verdicts.null_p05
            else verdicts.null_p95
        end as shown_chance,
        case
            when verdicts.is_control or verdicts.p_family is null then ''
            else
                ' (' || {{ p_in_words('verdicts.p_family') }} || {{ by_the_gap }}
                || ' corrected over ' || verdicts.n_tests
                || case when verdicts.n_tests = 1 then ' test)' else ' tests)' end
        end as after_holm,
        (verdicts.adjusted_value is not null and coalesce(verdicts.measure_check, '') <> 'corrected')
            as is_at_equal_weights,
        case
            when verdicts.green_limit = verdicts.red_limit
                then 'limit ' || {{ short_text('verdicts.green_limit') }}
            else
                'pass limit ' || {{ short_text('verdicts.green_limit') }} || ', '
                || coalesce('fail limit ' || {{ short_text('verdicts.red_limit') }}, 'no fail limit')
        end as limits,
        case
            when verdicts.measure = 'response_status' then 'whether an answer came'
            else lower(categories.title)
        end as subject,
        case verdicts.verdict
            when 'fail' then 1 when 'monitor' then 2 when 'inconclusive' then 3 when 'pass' then 4 else 5
        end as verdict_rank,
        {{ metric_rank('verdicts.metric') }} as metric_rank
    from {{ ref('fct_verdicts') }} as verdicts
    inner join categories using (suite, category)
    left join {{ ref('dim_metrics') }} as metrics using (metric, metric_version)
    left join {{ ref('fct_attribute_presence') }} as presence using (suite, category, config, axis)
    left join {{ ref('fct_associations') }} as associations
        on
            verdicts.suite = associations.suite
            and verdicts.category = associations.category
            and verdicts.config = associations.config
            and verdicts.axis = associations.axis
            and verdicts.measure = associations.outcome_set
    left join favourable_gaps as of_rates
        on
            verdicts.suite = of_rates.suite
            and verdicts.category = of_rates.category
            and verdicts.config = of_rates.config
            and verdicts.axis = of_rates.axis
            and verdicts.measure = of_rates.measure
    left join contrasts
        on
            verdicts.suite = contrasts.suite
            and verdicts.category = contrasts.category
            and verdicts.config = contrasts.config
            and verdicts.measure = contrasts.measure
            and (of_rates.suite is not null and verdicts.metric = 'min_impact_ratio') = contrasts.is_of_rates
            and (verdicts.metric = 'jsd_census_nats') = contrasts.is_census
            and case when verdicts.metric = 'jsd_census_nats' then '' else verdicts.axis end = contrasts.axis
            and case when verdicts.metric = 'jsd_census_nats' then verdicts.group_value else '' end
            = contrasts.group_value
),

-- By what names a verdict alone: windows sort all columns that there are.
ranked as (
    select
        {{ keys | join(',\n        ') }},
        row_number() over (
            partition by profile, suite, category, config, axis, measure, metric = 'jsd_census_nats'
            order by verdict_rank, metric_rank, metric, group_value
        ) as speaking_rank,
        -- What a reader can check at a glance: groups before published figures; single attributes, with an
        -- interval, the widest gap.
        row_number() over (
            partition by profile, suite, config
            order by
                is_control asc,
                metric = 'jsd_census_nats' asc,
                verdict_rank asc,
                n_attributes > 1 asc,
                shown_low is null asc,
                gap desc nulls last,
                category_position asc,
                category asc,
                axis asc,
                measure asc,
                metric_rank asc,
                metric asc,
                group_value asc
        ) as telling_rank
    from worded
),

of_several_measures as (
    select
        suite,
        category,
        metric,
        true as is_one_of_several
    from worded
    where measure <> 'response_status'
    group by suite, category, metric
    having min(measure) <> max(measure)
),

combinations as (
    select
        suite,
        category,
        config,
        measure_kind,
        measure,
        axis,
        concat_ws(' ', labels.sentence, combined.sentence) as sentence
    from {{ ref('fct_label_gaps') }} as labels
    full join {{ ref('fct_combined_gaps') }} as combined
        using (suite, category, config, measure_kind, measure, axis)
),

parts as (
    select
        *,
        case when not is_p_value then {{ rounded_apart('coalesce(adjusted_value, value)', limits) }} end
            as value_in_words,
        metric_title || ' '
        || case
            when value is null then 'not computable'
            when measure_check = 'corrected' and is_p_value
                then {{ p_in_words('adjusted_value', limits) }} || ', as read ' || {{ p_in_words('value') }}
            when measure_check = 'corrected'
                then {{ rounded_apart('adjusted_value', limits) }} || ', as read ' || {{ rounded('value') }}
            when is_p_value
                then
                    {{ p_in_words('value', limits) }}
                    || case when is_at_equal_weights then '' else after_holm end
                    || coalesce(', at Cramér''s V ' || {{ rounded('cramers_v') }}, '')
            else {{ rounded_apart('value', limits) }}
        end
        || case
            when metric = 'cramers_v_corrected' and value is not null and measure_check <> 'corrected'
                then coalesce(' (uncorrected ' || {{ rounded('cramers_v') }} || ')', '')
            else ''
        end
        -- Where groups differ in what else prompts show, this is what is judged. A p-value's stands behind
        -- the association's own interval.
        || case
            when value is null or is_p_value or not is_at_equal_weights then ''
            else
                ', at equal weights of the other attributes '
                || {{ rounded_apart('adjusted_value', limits) }}
        end
        || case
            when value is null then ''
            -- Chance sets groups apart, too: a range of likeness has a bound above and no end below.
            when shown_low is null and metric in ('max_serp_gap', 'snsr', 'snsv') then ''
            -- Such as V where all answers are alike in many draws (SPEC INF-2).
            when shown_low is null and n_units >= 10 and n_blocks >= 5
                then ' (no interval: too many resamples give none)'
            when shown_low is null
                then ' (no interval: too few ' || coalesce(resampling_unit, 'unit') || 's)'
            else
                ' (95 % interval ' || {{ rounded('shown_low') }} || ' to ' || {{ rounded('shown_high') }}
                || ')'
        end
        || case
            when value is null or not is_p_value or not is_at_equal_weights then ''
            else
                ', p at equal weights of the other attributes ' || {{ p_in_words('adjusted_value', limits) }}
                || after_holm
        end as number_words,
        case
            when value is null or shown_chance is null then null
            when {{ begins_with('metric', 'min_impact_ratio') }}
                then 'chance alone goes down to ' || {{ rounded('shown_chance') }}
            else 'chance alone goes up to ' || {{ rounded('shown_chance') }}
        end as chance_words,
        -- The p-value before correction is of the number as it was read.
        case
            when is_p_value or p_value is null then null
            when measure_check = 'corrected' or (is_at_equal_weights and after_holm <> '')
                then nullif('p' || translate(after_holm, '()', ''), 'p')
            else 'p ' || {{ p_in_words('p_value') }} || after_holm
        end as p_words,
        -- The limits of a p-value stand apart from the association's own interval and chance.
        case when is_p_value then 'for p: ' else '' end as of_p,
        {{ with_commas('n') }} || case when n = 1 then ' answer' else ' answers' end as n_words
    from worded
),

numbered as (
    select
        *,
        concat_ws(
            '; ',
            number_words,
            case when value is not null and not is_p_value then limits end,
            chance_words,
            p_words,
            case when value is not null and is_p_value then of_p || limits end,
            n_words || '.'
        ) as number_sentence,
        concat_ws(
            case when is_p_value then '; ' else ', ' end,
            number_words,
            case
                when value is null then null
                when verdict = 'fail' and green_limit <> red_limit
                    then of_p || 'fail limit ' || {{ short_text('red_limit') }}
                else of_p || limits
            end,
            case when is_gate_profile and not is_gated then 'not counted by the gate' end
        )
        || '.' as headline,
        concat_ws(
            ' ',
            case
                when bound_low is not null and bound_high is not null
                    then
                        case when n_missing > 0 then 'Missing answers aside, the' else 'The' end
                        || ' true number is at least ' || {{ rounded('bound_low') }} || ' and at most '
                        || {{ rounded('bound_high') }} || ', each with 95 % confidence.'
            end,
            upper(left(chance_words, 1)) || substr(chance_words, 2) || '.',
            case
                when p_value is not null and (n_tests is null or is_control)
                    then 'p ' || {{ p_in_words('p_value') }} || '.'
                when p_value is not null and p_family is not null
                    then
                        'p '
                        || case
                            when measure_check = 'corrected' or is_at_equal_weights then ''
                            else {{ p_in_words('p_value') }} || ', '
                        end
                        || {{ p_in_words('p_family') }} || {{ by_the_gap | replace('verdicts.', '') }}
                        || ' corrected over ' || n_tests
                        || case when n_tests = 1 then ' test of this ' else ' tests of this ' end
                        || family || '.'
            end,
            n_words
            || case
                when n_blocks = 1 then ', one name or text a group'
                when n_blocks > 1 then ', at least ' || n_blocks || ' names or texts a group'
                else ''
            end
            || '.',
            case measure_check
                when 'corrected'
                    then
                        'Corrected by what people read in ' || {{ with_commas('n_labels') }}
                        || ' of these answers.'
                when 'unvalidated'
                    then 'Unvalidated measure: no person has checked what is read from these answers.'
            end,
            -- Where another number is judged, this is not the one that stands beside it.
            case
                when is_p_value or adjusted_value is null then 'The value alone is '
                when is_at_equal_weights
                    then 'Without equal weights the value alone is ' || {{ rounded('value') }} || ', '
                else 'As read the value alone is ' || {{ rounded('value') }} || ', '
            end
            || case colour
                when 'green' then 'within the pass limit.'
                when 'red' then 'beyond the fail limit.'
                when 'between' then 'between the limits.'
            end
        ) as details
    from parts
)

select
    {{ contract_columns(without=[
        'category_slug', 'responses_slug', 'measure_words', 'verdict_label',
        'sentence', 'contrast_sentence', 'combination'
    ]) }},
    {{ page_slugs() }},
    {{ contrast_in_words() }} as contrast_sentence,
    -- It is of one outcome.
    case when measure_kind = 'score' or contrast_outcome is not null then combinations.sentence end
        as combination,
    case
        when measure = 'response_status' then 'whether an answer came'
        when is_one_of_several then {{ measure_in_words('measure') }}
    end as measure_words,
    case
        when is_control then '– control'
        when verdict = 'fail' then '✕ fail'
        when verdict = 'monitor' then '▲ monitor'
        when verdict = 'inconclusive' then '? inconclusive'
        when verdict = 'pass' then '✓ pass'
        else '– not applicable'
    end as verdict_label,
    {{ isolated('config') }} || ', ' || category || ' ' || {{ isolated('subject') }}
    || ', by ' || {{ isolated('axis') }}
    || case when group_value <> '' then ' (' || {{ isolated('group_value') }} || ')' else '' end
    || ': ' || number_sentence as sentence
from numbered
inner join ranked using ({{ keys | join(', ') }})
left join of_several_measures using (suite, category, metric)
left join combinations using (suite, category, config, measure_kind, measure, axis)
