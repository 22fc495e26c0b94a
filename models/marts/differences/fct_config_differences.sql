-- Grain: one row per compared, suite, category, config_a, config_b, measure, axis, metric. config_b less
-- config_a; of `runs` config_a is the same config in an earlier run.
with config_runs as (
    select * from {{ ref('int_config_runs_listed') }}
),

statistics as (
    select * from {{ ref('compared_statistics') }}
    where level = 'axis'
),

earlier_versions as (
    select
        item as metric,
        definition as metric_version
    from {{ ref('stg_compare__earlier_comparables') }}
    where part = 'metric'
),

versions as (
    select
        metric,
        cast(max(metric_version) as string) as metric_version
    from {{ ref('metrics') }}
    group by metric
),

resampled as (
    select * from {{ ref('int_config_differences_resampled') }}
    where group_value = ''
),

compared as (
    select
        listed.*,
        statistics.statistic,
        case
            when statistics.metric = 'max_fdi' and listed.n_attributes > 1 then 'max_idi'
            else statistics.metric
        end as metric,
        statistics.direction,
        statistics.unit,
        statistics.margin,
        coalesce(
            listed.reason,
            case
                when listed.compared = 'runs' and earlier_versions.metric is null
                    then 'The earlier run is of a version of Plumbline that does not compare this.'
                when
                    listed.compared = 'runs'
                    and versions.metric_version is distinct from earlier_versions.metric_version
                    then 'The metric has another version in the earlier run.'
            end
        ) as reason_not_computed
    from {{ ref('int_config_differences_listed') }} as listed
    inner join statistics on listed.measure_kind = statistics.kind
    left join versions using (metric)
    left join earlier_versions using (metric)
),

tests as (
    select
        {{ config_run_columns('compared', 'a', 'b') }},
        compared.measure,
        compared.axis,
        compared.is_control,
        compared.n_permutations,
        compared.n_bootstrap,
        compared.metric,
        compared.direction,
        compared.unit,
        compared.margin,
        coalesce(
            compared.reason_not_computed,
            case
                when resampled.pair_id is null then 'Too few prompts were answered by both.'
                when compared.is_control
                    then
                        'Control: no prompt shows '
                        || {{ joined_list('compared.hidden_attributes', "' or '") }} || '.'
                when resampled.status <> 'ok' then 'Not computable: one group, one outcome, or no variation.'
            end
        ) as reason_against,
        resampled.* {{ without('pair_id, analysis_key, statistic, group_value') }}
    from compared
    inner join config_runs as a on compared.config_run_a = a.config_run_key
    inner join config_runs as b on compared.config_run_b = b.config_run_key
    left join resampled
        on
            case when compared.reason_not_computed is null then compared.pair_id end = resampled.pair_id
            and compared.analysis_key = resampled.analysis_key
            and compared.statistic = resampled.statistic
),

families as (
    select
        *,
        case when reason_against is null then p_value end as family_p
    from tests
),

-- One family is what is read of two configs by one metric, over questions, rules and axes (SPEC INF-7).
adjusted as (
    {{ with_adjusted_p('families', 'family_p', ['compared', 'suite', 'config_a', 'config_b', 'metric']) }}
),

bounded as (
    select
        *,
        -- The least worsening, and the least improvement, that the interval allows.
        case when direction = 'higher_is_worse' then ci_low else -ci_high end as worsening_low,
        case when direction = 'higher_is_worse' then -ci_high else ci_low end as improvement_low
    from adjusted
),

decided as (
    select
        *,
        -- Half of a 95 % interval is 1.96 standard errors, that of a one-sided bound 1.645.
        ceil({{ units_to_decide(
            'n_units',
            '1.645e0 / 1.96e0 * '
            ~ 'case when difference > 0 then difference - ci_low else ci_high - difference end',
            'abs(difference)',
            quantile='1.96'
        ) }}) as n_units_needed,
        case
            when reason_against is not null then 'not_comparable'
            when coalesce({{ meets('p_holm', '<=', significance_level()) }} and worsening_low > 0, false)
                then 'worse'
            when coalesce({{ meets('p_holm', '<=', significance_level()) }} and improvement_low > 0, false)
                then 'better'
            else 'no_evidence'
        end as state
    from bounded
)

select
    {{ contract_columns(without=[
        'status', 'ci_status', 'n_tests', 'reason', 'n_pairs', 'n_unpaired_a', 'n_unpaired_b', 'n_groups',
        'n_units', 'n_units_differing', 'metric_version'
    ]) }},
    coalesce(status, 'not_applicable') as status,
    coalesce(ci_status, 'not_applicable') as ci_status,
    cast(n_tests as bigint) as n_tests,
    case
        when reason_against is not null then reason_against
        when state = 'worse'
            then
                'B treats the groups less alike than A: all of the interval lies beyond 0, and chance seldom '
                || 'gives so much.'
        when state = 'better'
            then
                'B treats the groups more alike than A: all of the interval lies beyond 0, and chance seldom '
                || 'gives so much.'
        when n_permutations = 0 or n_bootstrap = 0 then 'Nothing was resampled, so chance is unknown.'
        when n_units_differing = 0 then 'Both answered alike.'
        when ci_low is null then 'Too few ' || resampling_unit || 's for an interval.'
        when p_holm is null then 'What chance gives could not be drawn.'
        when {{ meets('min_attainable_p * n_tests', '>', significance_level()) }}
            then
                'Only ' || n_units_differing || ' ' || resampling_unit
                || 's were answered differently: this design cannot tell a difference from chance.'
        when {{ meets('p_holm', '>', significance_level()) }}
            then 'No more than chance can give once corrected for all tests.'
        else
            'Chance seldom gives so much, yet the interval of ' || n_units || ' ' || resampling_unit
            || 's holds 0' || case
                when n_units_needed <= {{ most_units_named() }}
                    then '; about ' || cast(n_units_needed as bigint) || ' would tell.'
                else '.'
            end
    end as reason,
    coalesce(n, 0) as n_pairs,
    coalesce(n_unpaired_a, 0) as n_unpaired_a,
    coalesce(n_unpaired_b, 0) as n_unpaired_b,
    coalesce(n_groups, 0) as n_groups,
    coalesce(n_units, 0) as n_units,
    coalesce(n_units_differing, 0) as n_units_differing,
    1 as metric_version
from decided
