-- What is corrected over a family is at least the p-value of the same relabellings. A smallest ratio goes by
-- the range of rates and a corrected V by the chi-square, whose p-values are others.
select
    listed.profile,
    listed.suite,
    listed.category,
    listed.config_key,
    listed.measure,
    listed.axis,
    listed.metric,
    listed.p_value,
    tested.p_family
from {{ ref('int_gate_tests_listed') }} as listed
inner join {{ ref('int_gate_families_tested') }} as tested
    using (profile, suite, category, config_key, measure, axis, metric, group_value)
where
    not {{ begins_with('listed.metric', 'min_impact_ratio') }}
    and listed.metric <> 'cramers_v_corrected'
    and (tested.p_family >= listed.p_value * (1 - 1e-9)) is not true
