-- Grain: one row per suite, category, config, form, feature, axis, group_value. Whole tables, at most 3,000
-- rows, comparisons before controls.
with categories as (
    {{ category_titles() }}
),

suites as (
    select
        suite,
        title as suite_title
    from {{ ref('dim_suites') }}
),

numbered as (
    select
        law.*,
        coalesce(categories.title, '') as category_title,
        coalesce(categories.category_position, 0) as category_position,
        suites.suite_title,
        case law.axis_role when 'sex' then 1 when 'race_ethnicity' then 2 else 3 end as axis_position,
        md5(concat_ws(
            '|', law.suite, law.config, law.category, law.form, law.feature, law.axis
        )) as table_key,
        row_number() over (
            order by
                law.is_control asc, law.suite asc, law.config asc, category_position asc, law.category asc,
                law.form desc, law.feature asc, law.axis asc, law.group_value asc
        ) as row_position
    from {{ ref('fct_local_law_144') }} as law
    left join categories using (suite, category)
    inner join suites using (suite)
),

placed as (
    select
        *,
        count(*) over () as n_found,
        max(row_position) over (partition by table_key) as last_row
    from numbered
)

select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'note']) }},
    {{ page_slugs() }},
    case
        when exclusion_reason is not null then 'left out: ' || exclusion_reason
        when status = 'zero_max' and form = 'scoring' then 'no score of any group is above the median'
        when status = 'zero_max' then 'nobody selected in any group'
        when status = 'single_group' then 'no other group to compare with'
    end as note
from placed
where last_row <= 3000
