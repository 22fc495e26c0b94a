-- Grain: one row per suite, category, config, axis, feature, calibration, parameters: the smallest impact
-- ratio against four fifths, beside what chance gives. At most 3,000, comparisons before controls.
with disparities as (
    select * from {{ ref('fct_disparities') }}
    where
        disparity = 'min_impact_ratio'
        and not (config = 'baseline' and calibration = 'baseline')
        and roll_up = 'none'
),

-- Rates of which chance was drawn somewhere: where it could not be, the row says why.
drawn as (
    select distinct parameters
    from disparities
    where null_p05 is not null
),

judged as (
    select * from {{ ref('fct_verdicts') }}
    where profile = 'four_fifths' and {{ begins_with('metric', 'min_impact_ratio') }}
),

-- Not every measure has a verdict: a distance or a topic has no favourable end, and where baselines name
-- the group, too, values are judged less their baselines.
judged_measures as (
    select distinct
        suite,
        category,
        measure,
        metric
    from judged
),

judged_calibrated as (
    select * from judged_measures
    where metric = 'min_impact_ratio_calibrated'
),

judged_suites as (
    select distinct suite
    from judged
),

limits as (
    select * from {{ ref('thresholds') }}
    where profile = 'four_fifths' and metric = 'min_impact_ratio'
),

sizes as (
    select
        suite,
        category,
        config,
        axis,
        feature,
        calibration,
        {{ criterion('standard', 'method') }} as parameters,
        min(n) as n_smallest_group
    from {{ ref('fct_selection_rates') }}
    where n > 0 and roll_up = 'none'
    group by all
),

criterion as (
    {{ default_criterion() }}
),

categories as (
    {{ category_titles() }}
),

-- By which number of fct_verdicts a row would be judged: none where it is by another criterion.
named as (
    select
        disparities.*,
        case
            when disparities.parameters = 'standard=favourable_outcome;method=in_set' then 'min_impact_ratio'
            when disparities.parameters <> criterion.parameters then null
            when disparities.calibration = 'none' then 'min_impact_ratio_measured'
            else 'min_impact_ratio_calibrated'
        end as judged_metric
    from disparities
    cross join criterion
),

ranked as (
    select
        named.*,
        coalesce(categories.title, '') as category_title,
        coalesce(categories.category_position, 0) as category_position,
        count(*) over () as n_found,
        row_number() over (
            order by
                is_control, suite, coalesce(categories.category_position, 0), category, axis, feature,
                calibration, parameters, config
        ) as position
    from named
    inner join drawn using (parameters)
    left join categories using (suite, category)
),

shown as (
    select * from ranked
    where position <= 3000
),

compared as (
    select
        disparities.* {{ without('p_holm, n_tests') }},
        limits.red_limit,
        sizes.n_smallest_group,
        judged.verdict as judged_verdict,
        judged.lacks,
        coalesce(judged.p_family, disparities.p_holm) as p_corrected,
        case when judged.p_family is null then disparities.n_tests else judged.n_tests end as n_tests,
        disparities.config = 'baseline' as is_baseline,
        disparities.judged_metric is not null
        and judged_measures.metric is null
        and judged_suites.suite is not null as is_left_out,
        disparities.calibration = 'none' and judged_calibrated.metric is not null as is_judged_calibrated,
        {{ meets('disparities.value', '<', 'limits.red_limit') }} as is_below,
        {{ threshold_colour(
            'disparities.value', 'limits.direction', 'limits.green_limit', 'limits.red_limit'
        ) }} as colour,
        coalesce(judged.is_significant, {{ meets('disparities.p_holm', '<=', significance_level()) }}, false)
            as is_significant
    from shown as disparities
    left join judged_suites using (suite)
    left join sizes using (suite, category, config, axis, feature, calibration, parameters)
    cross join limits
    left join judged_measures
        on
            disparities.suite = judged_measures.suite
            and disparities.category = judged_measures.category
            and disparities.feature = judged_measures.measure
            and disparities.judged_metric = judged_measures.metric
    left join judged_calibrated
        on
            disparities.suite = judged_calibrated.suite
            and disparities.category = judged_calibrated.category
            and disparities.feature = judged_calibrated.measure
    left join judged
        on
            disparities.suite = judged.suite
            and disparities.category = judged.category
            and disparities.config = judged.config
            and disparities.axis = judged.axis
            and disparities.feature = judged.measure
            and disparities.judged_metric = judged.metric
),

decided as (
    select
        *,
        case
            when is_control or is_baseline then 'not_applicable'
            when judged_verdict is not null then judged_verdict
            when is_left_out then 'not_applicable'
            -- Nothing bounds other criteria's ratios, nor corrects for all that is judged.
            when colour is null then 'not_applicable'
            else 'inconclusive'
        end as verdict
    from compared
)

select
    {{ contract_columns(without=[
        'category_slug', 'responses_slug', 'selected_in_words', 'rule_says', 'reading', 'is_noise_below'
    ]) }},
    {{ page_slugs() }},
    case
        when parameters = 'standard=favourable_outcome;method=in_set' then 'favourable answers'
        when parameters = 'standard=mean;method=larger' then 'at least the mean of all groups'
        else replace(replace(parameters, ';', ', '), '_', ' ')
    end as selected_in_words,
    case when is_below then '● below' when not is_below then '○ not below' else '–' end as rule_says,
    case
        when is_control then 'Control: the prompts do not show every attribute.'
        when is_baseline then 'Not judged: baseline texts, no answers of a model.'
        when value is null then 'No ratio: ' || replace(status, '_', ' ') || '.'
        when null_p05 is null then 'What chance gives could not be drawn.'
        when is_left_out and is_judged_calibrated then 'Not judged: its calibrated values are.'
        when is_left_out then 'Not judged: neither end of it is favourable.'
        when is_below and is_significant
            then
                -- What is tested of a smallest ratio is the range of the rates.
                case
                    when {{ meets('value', '>=', 'null_p05') }}
                        then 'Below; the rates lie farther apart than chance puts them, if not in their ratio'
                    else 'Below, and lower than chance gives'
                end
                || case
                    when lacks = 'missing_answers' then '; missing answers could still change that.'
                    when judged_verdict = 'inconclusive' then '; too little was asked or read to decide.'
                    else '.'
                end
        when is_below and {{ meets('value', '>=', 'null_p05') }} then 'Below, and so would equal groups be.'
        when is_below then 'Below, but not beyond chance once corrected for all tests.'
        when is_significant then 'Not below, yet lower than chance gives: real, and small.'
        when {{ meets('value', '<', 'null_p05') }}
            then 'Not below, and beyond its band only: not once corrected for all tests.'
        else 'Not below, and no lower than chance gives.'
    end as reading,
    coalesce({{ meets('null_p05', '<', 'red_limit') }}, false) as is_noise_below
from decided
