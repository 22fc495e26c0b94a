-- Grain: one row per suite, category, config, metric, attribute, target_list, feature, counting, word,
-- group_a, group_b. Whole lists first, then the words that lean most; at most 3,000 rows.
{%- set most_rows = 3000 %}
{%- set most_words = 40 %}
{%- set mean_over -%}
'That is the geometric mean over ' || n_words || case when n_words = 1 then ' word.' else ' words.' end
{%- endset %}
with stereotypes as (
    select * from {{ ref('fct_stereotypes') }}
    where config <> 'baseline'
),

categories as (
    {{ category_titles() }}
),

metrics as (
    {{ metric_titles() }}
),

settings as (
    select
        suite,
        n_permutations
    from {{ ref('dim_suites') }}
),

-- Holm multiplies the smallest p-value by the number of tests: below this none can come.
ranked as (
    select
        *,
        min_attainable_p * n_tests as least_p_holm,
        row_number() over (
            partition by
                suite, category, config, metric, attribute, target_list, counting, group_a, group_b, word = ''
            -- What differs by rounding alone ties: its last digits are the engine's.
            order by round(coalesce(-value, 1), 9), word
        ) as word_rank
    from stereotypes
),

named as (
    select
        ranked.suite,
        ranked.category,
        categories.title as category_title,
        categories.category_position,
        ranked.config,
        ranked.is_simulated,
        ranked.metric,
        metrics.title as metric_title,
        ranked.attribute,
        ranked.target_list,
        ranked.feature,
        ranked.counting,
        ranked.word,
        ranked.word_rank,
        ranked.group_a,
        ranked.group_b,
        ranked.value,
        ranked.signed_value,
        ranked.status,
        ranked.ci_low,
        ranked.ci_high,
        ranked.signed_ci_low,
        ranked.signed_ci_high,
        ranked.p_value,
        ranked.p_holm,
        ranked.n_tests,
        case
            when {{ meets('ranked.least_p_holm', '<=', significance_level()) }} then null
            when ranked.min_attainable_p > (1 + 1e-9) / (1 + settings.n_permutations)
                then 'Only more ' || {{ units_in_words('ranked.resampling_unit') }} || ' would tell.'
            when ranked.n_tests > {{ most_permutations() }} * {{ significance_level() }}
                then
                    'A suite has at most ' || {{ with_commas(most_permutations()) }}
                    || ' exchanges (`permutations`), and these are too few: only fewer tests would tell.'
            else
                'With ' || {{ with_commas(
                    'cast(round(ranked.n_tests * 1e0 / ' ~ significance_level() ~ ') as bigint)'
                ) }} || ' exchanges (`permutations` in the suite) some could.'
        end as what_would_tell,
        ranked.least_p_holm,
        ranked.null_median,
        ranked.null_p95,
        ranked.baseline_value,
        case
            when ranked.status <> 'no_overlap' or ranked.word = '' then ''
            when ranked.probability_a > 0 then ranked.group_a
            else ranked.group_b
        end as only_beside,
        ranked.n_two_sided,
        ranked.n_one_sided,
        ranked.n_unseen,
        ranked.n_words,
        ranked.n_prompts,
        ranked.n,
        ranked.n_covered,
        ranked.n_missing,
        ranked.warning,
        case
            when ranked.p_value is null then 'unknown'
            when {{ meets('ranked.p_holm', '<=', significance_level()) }} then 'beyond'
            when {{ meets('ranked.p_value', '<=', significance_level()) }} then 'beyond_alone'
            else 'within'
        end as place,
        case when ranked.signed_value < 0 then ranked.group_b else ranked.group_a end as near_group,
        case when ranked.signed_value < 0 then ranked.group_a else ranked.group_b end as far_group,
        '“' || replace(ranked.target_list, '_', ' ') || '”' as list_words
    from ranked
    left join categories using (suite, category)
    left join metrics using (metric)
    left join settings using (suite)
    where ranked.word_rank <= {{ most_words }}
),

said as (
    select
        *,
        case
            when word <> '' then ''
            when value is null and metric = 'representation'
                then 'No answer mentions a group of ' || attribute || '.'
            when value is null and feature <> '' then 'No answer has a score.'
            when value is null then 'No word of ' || list_words || ' can be compared.'
            -- All words towards one group: the mean has a direction.
            when metric = 'cooccurrence_bias' and {{ meets('abs(signed_value)', '>=', 'value') }}
                then
                    'Words of ' || list_words || ' stand '
                    || {{ fixed_text('pow(10, value)', 1) }}
                    || ' times as much near the words of ' || near_group
                    || ' as near those of ' || far_group || '. '
                    || {{ mean_over }}
            when metric = 'cooccurrence_bias'
                then
                    'Each word of ' || list_words || ' stands '
                    || {{ fixed_text('pow(10, value)', 1) }}
                    || ' times as much near one group''s words as near the other''s. '
                    || {{ mean_over }}
                    || ' Some stand nearer to ' || group_a || ', some to ' || group_b || '.'
                    || coalesce(
                        ' All together they stand ' || {{ fixed_text('pow(10, abs(signed_value))', 1) }}
                        || ' times as much near ' || near_group || '.',
                        ''
                    )
            when metric = 'stereotypical_associations'
                then
                    'Answers with a word of ' || list_words || ' speak of the groups of '
                    || attribute
                    || ' unevenly: ' || {{ rounded('value') }} || ' away from even shares.'
            when metric = 'representation'
                then
                    'Mentions of the groups of ' || attribute || ' lie ' || {{ rounded('value') }}
                    || ' away from even shares.'
            else metric_title || ': ' || {{ rounded('value') }} || '.'
        end
        || case
            when p_value is null or word <> '' then ''
            else
                ' Exchanging the groups'' words gives '
                || case
                    when metric = 'cooccurrence_bias'
                        then
                            {{ fixed_text('pow(10, null_median)', 1) }} || ' times in the middle'
                            || ', and less than ' || {{ fixed_text('pow(10, null_p95)', 1) }} || ' times'
                    else
                        {{ rounded('null_median') }} || ' in the middle, and less than '
                        || {{ rounded('null_p95') }}
                end
                || ' in 19 of 20 cases; p ' || {{ p_in_words('p_value') }}
                || ', corrected for ' || n_tests || case when n_tests = 1 then ' test ' else ' tests ' end
                || {{ p_in_words('p_holm') }} || '.'
        end
        -- p-values are of the numbers per mention, the others are not (decision 0008).
        || case
            when p_value is null or word <> '' then ''
            when {{ meets('value', '>', 'null_p95') }} and place = 'within'
                then ' Per mention of each group, it is within chance.'
            when not {{ meets('value', '>', 'null_p95') }} and place <> 'within'
                then ' Per mention of each group, it is beyond chance.'
            else ''
        end as sentence
    from named
)

select
    {{ page_slugs() }},
    * {{ without('near_group, far_group, list_words, least_p_holm, what_would_tell') }},
    case
        when what_would_tell is not null
            then
                case
                    when word = '' then 'No list can be told from chance after correction: of '
                    else 'No single word can be told from chance after correction: of '
                end
                || {{ with_commas('n_tests') }} || case when n_tests = 1 then ' test' else ' tests' end
                || ' the smallest p is ' || {{ p_in_words('least(1, least_p_holm)') }} || ' at best. '
                || what_would_tell
    end as limit_of_tests,
    {{ p_in_words('p_value') }} as p_value_words,
    {{ p_in_words('p_holm') }} as p_holm_words,
    count(*) over () as n_found
from said
qualify
    row_number() over (
        order by
            word <> '', word_rank, suite, category, config, metric, attribute, target_list, counting, group_a,
            group_b, feature, word
    ) <= {{ most_rows }}
