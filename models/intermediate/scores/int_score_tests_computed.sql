-- Grain: one row per analysis_key, test (SPEC FS-7 to FS-10). Two groups: t tests; three or more: ANOVA.
with groups as (
    select * from {{ ref('int_scores_computed') }}
),

pairs as (
    select
        a.analysis_key,
        a.group_value as group_a,
        b.group_value as group_b,
        a.n_group as n_a,
        b.n_group as n_b,
        a.n,
        a.mean - b.mean as difference,
        a.variance as variance_a,
        b.variance as variance_b,
        {{ ratio(
            '(a.n_group - 1) * a.variance + (b.n_group - 1) * b.variance', 'a.n_group + b.n_group - 2'
        ) }} as pooled_variance
    from groups as a
    inner join groups as b
        on
            a.analysis_key = b.analysis_key
            and a.group_rank = 1
            and b.group_rank = 2
    where a.n_groups = 2
),

t_tests as (
    select
        analysis_key,
        group_a,
        group_b,
        n,
        'welch_t' as test,
        {{ ratio('difference', 'sqrt(variance_a / n_a + variance_b / n_b)') }} as value,
        {{ ratio(
            'power(variance_a / n_a + variance_b / n_b, 2)',
            'power(variance_a / n_a, 2) / (n_a - 1) + power(variance_b / n_b, 2) / (n_b - 1)'
        ) }} as dof,
        pooled_variance,
        difference,
        n_a,
        n_b
    from pairs
    where n_a >= 2 and n_b >= 2
    union all
    select
        analysis_key,
        group_a,
        group_b,
        n,
        'pooled_t' as test,
        {{ ratio('difference', 'sqrt(pooled_variance * (1e0 / n_a + 1e0 / n_b))') }} as value,
        cast(n_a + n_b - 2 as double) as dof,
        pooled_variance,
        difference,
        n_a,
        n_b
    from pairs
    where n_a >= 2 and n_b >= 2
),

-- Groups of one row have no variance within: they stay out of the ANOVA.
anova_groups as (
    select * from groups
    where n_group >= 2
),

anova_means as (
    select
        analysis_key,
        {{ ratio('sum(n_group * mean)', 'sum(n_group)') }} as mean_all
    from anova_groups
    group by analysis_key
),

anova_squares as (
    select
        anova_groups.analysis_key,
        count(*) as n_groups,
        cast(sum(anova_groups.n_group) as bigint) as n,
        sum(anova_groups.n_group * power(anova_groups.mean - anova_means.mean_all, 2)) as ss_between,
        sum((anova_groups.n_group - 1) * anova_groups.variance) as ss_within,
        sum(anova_groups.n_group * power(anova_groups.mean, 2)) as ss_means
    from anova_groups
    inner join anova_means using (analysis_key)
    group by anova_groups.analysis_key
    having count(*) >= 3
),

-- Means of equal numbers differ by rounding, which is no difference: `VARIANCE_FLOOR` of ingest/inference.
anova_sums as (
    select
        analysis_key,
        n_groups,
        n,
        ss_within,
        case when ss_between <= 1e-12 * (ss_within + ss_means) then 0e0 else ss_between end as ss_between
    from anova_squares
),

anovas as (
    select
        *,
        ss_between / (n_groups - 1) as ms_between,
        {{ ratio('ss_within', 'n - n_groups') }} as ms_within
    from anova_sums
)

select
    analysis_key,
    test,
    group_a,
    group_b,
    n,
    value,
    dof,
    cast(null as double) as dof_within,
    'cohens_d' as effect,
    {{ ratio('difference', 'sqrt(pooled_variance)') }} as effect_value,
    'hedges_g' as unbiased_effect,
    {{ ratio('difference', 'sqrt(pooled_variance)') }} * (1 - 3e0 / (4 * (n_a + n_b - 2) - 1))
        as unbiased_effect_value
from t_tests
union all
select
    analysis_key,
    'anova' as test,
    cast(null as string) as group_a,
    cast(null as string) as group_b,
    n,
    {{ ratio('ms_between', 'ms_within') }} as value,
    cast(n_groups - 1 as double) as dof,
    cast(n - n_groups as double) as dof_within,
    'eta_squared' as effect,
    {{ ratio('ss_between', 'ss_between + ss_within') }} as effect_value,
    'omega_squared' as unbiased_effect,
    {{ ratio(
        'ss_between - (n_groups - 1) * ms_within', 'ss_between + ss_within + ms_within'
    ) }} as unbiased_effect_value
from anovas
