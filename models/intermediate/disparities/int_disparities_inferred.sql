-- Grain: one row per analysis_key, statistic, parameters, disparity, group_value ('' for a disparity): what
-- chance alone gives, where it was drawn. Of a group it is the interval of its own value.
{%- set columns = [
    'ci_low', 'ci_high', 'p_value', 'null_median', 'null_p05', 'null_p95', 'resampling_unit', 'n_units',
    'permutation_scheme'
] | join(',\n    ') %}
-- A score rule reads what is measured: its analysis is that of the feature.
with judged as (
    select
        resampled.* {{ without('analysis_key, statistic') }},
        listed.analysis_key,
        case analyses.measure_kind when 'selection' then 'selection_rate' else 'mean' end as statistic,
        case analyses.measure_kind
            when 'selection' then {{ criterion("'favourable_outcome'", "'in_set'") }} else ''
        end as parameters,
        case when resampled.group_value = '' then resampled.statistic else 'group_value' end as disparity
    from {{ ref('int_analyses_resampled') }} as resampled
    inner join {{ ref('int_analyses_listed') }} as analyses using (analysis_key)
    inner join {{ ref('int_feature_analyses_listed') }} as listed
        on
            analyses.suite = listed.suite
            and analyses.category = listed.category
            and analyses.config_key = listed.config_key
            and analyses.axis = listed.axis
            and analyses.measure = listed.feature
            and analyses.measure_kind = listed.measure_kind
    where
        (resampled.group_value = '' or resampled.statistic = 'mean')
        and analyses.measure_kind in ('selection', 'score')
        and listed.calibration = 'none'
),

others as (
    select * from {{ ref('int_feature_analyses_resampled') }}
    where group_value = '' or disparity = 'group_value'
),

rates as (
    select
        'min_max_ratio' as resampled_as,
        {{ unnested(list_of("'min_max_ratio', 'min_impact_ratio'")) }} as disparity
)

-- What a verdict reads comes from one place: a mean resampled there is not taken from here.
select
    analysis_key,
    statistic,
    parameters,
    disparity,
    group_value,
    {{ columns }}
from judged
union all
select
    analysis_key,
    statistic,
    parameters,
    coalesce(rates.disparity, others.disparity) as disparity,
    others.group_value,
    {{ columns }}
from others
left join rates on others.disparity = rates.resampled_as
anti join judged using (analysis_key, statistic, parameters)
