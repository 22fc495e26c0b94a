-- Grain: one row per treatment_key, part, category, measure, outcome, axis, group_value: how far a change
-- moves answers. A browser opens the rows of every change, so only the first ones are shown: mitigations
-- before roles, what holds of all answers before groups, costs leading.
{%- set most_rows = 6000 %}
with shifts as (
    select
        *,
        left(md5(concat_ws(chr(31), suite, treatment_kind, treatment, config_control, config_treated)), 10)
            as treatment_key
    from {{ ref('fct_treatment_shifts') }}
    where status = 'ok'
),

categories as (
    {{ category_titles() }}
),

told as (
    select
        shifts.*,
        shifts.suite || '-' || shifts.category as category_slug,
        categories.title as category_title,
        count(*) over (partition by shifts.treatment_key) as n_of_treatment,
        row_number() over (
            order by
                shifts.treatment_kind asc, shifts.axis <> '' asc, shifts.part <> 'answering' asc,
                shifts.part asc, shifts.suite asc, shifts.treatment asc, shifts.config_treated asc,
                shifts.category asc, shifts.measure asc, shifts.outcome asc, shifts.axis asc,
                shifts.group_value asc
        ) as position
    from shifts
    inner join categories using (suite, category)
)

select
    {{ contract_columns() }}
from told
where position <= {{ most_rows }}
