-- Local Law 144's selection form counts what fct_selection_rates counts, and chance is drawn alike,
-- wherever both compare the same groups; the kernel's smallest impact ratio is SQL's, in both forms.
with law as (
    select
        *,
        bool_and(exclusion_reason is null or n = 0) over (
            partition by suite, category, config, form, feature, axis
        ) as is_whole,
        min(impact_ratio) over (partition by suite, category, config, form, feature, axis) as smallest
    from {{ ref('fct_local_law_144') }}
),

rates as (
    select * from {{ ref('fct_selection_rates') }}
    where standard = 'favourable_outcome'
)

select
    law.*,
    rates.n as other_n,
    rates.n_selected as other_n_selected,
    rates.impact_ratio as other_impact_ratio,
    rates.null_p05 as other_null_p05
from law
left join rates
    on
        law.suite = rates.suite
        and law.category = rates.category
        and law.config = rates.config
        and law.feature = rates.feature
        and law.axis = rates.axis
        and law.group_value = rates.group_value
where
    (law.smallest is not null and abs(law.smallest - law.min_impact_ratio) <= 1e-9 is not true)
    or (law.smallest is null and law.min_impact_ratio is not null)
    or (
        law.form = 'selection' and law.is_whole and law.n > 0
        and (
            law.n is distinct from rates.n
            or law.n_selected is distinct from rates.n_selected
            or law.impact_ratio is distinct from rates.impact_ratio
            or law.null_p05 is distinct from rates.null_p05
            or law.p_max is distinct from rates.p_max
        )
    )
