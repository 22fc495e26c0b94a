-- Grain: one row per profile, suite, category, config, axis, measure, calibration. A browser opens all of
-- them, so single attributes go first where there are too many.
{%- set most_rows = 6000 %}
with sensitivities as (
    select * from {{ ref('fct_verdict_sensitivity') }}
    where not is_control
),

categories as (
    {{ category_titles() }}
),

ordered as (
    select
        sensitivities.*,
        coalesce(categories.title, '') as category_title,
        coalesce(categories.category_position, 0) as category_position,
        row_number() over (
            order by
                length(sensitivities.axis) - length(replace(sensitivities.axis, '&', '')) asc,
                sensitivities.suite asc,
                categories.category_position asc nulls last,
                sensitivities.category asc,
                sensitivities.config asc,
                sensitivities.axis asc,
                sensitivities.profile asc,
                sensitivities.measure_kind asc,
                sensitivities.measured_by = 'outcome' desc,
                sensitivities.measure asc,
                sensitivities.calibration desc
        ) as position
    from sensitivities
    left join categories using (suite, category)
)

select
    {{ contract_columns(without=['note', 'group_low']) }},
    {{ status_in_words('status') }} as note,
    {{ groups_in_words('group_low') }} as group_low
from ordered
where position <= {{ most_rows }}
