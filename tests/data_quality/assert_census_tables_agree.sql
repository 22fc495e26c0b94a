-- The seed of Singapore's employed residents is whole and plausible: both sexes have every group of every
-- year, occupations and industries count the same persons (figures are rounded to 0.1 thousand), and no
-- total is 1.25 times the one before (2000 to 2024: at most 1.11).
with figures as (
    select * from {{ ref('stg_singstat__employed_residents') }}
),

totals as (
    select
        dimension,
        sex,
        year,
        sum(employed_thousands) as total,
        count(*) as n_groups
    from figures
    group by dimension, sex, year
),

expected as (
    select
        dimension,
        count(distinct published_label) as n_groups
    from figures
    group by dimension
),

compared as (
    select
        totals.*,
        expected.n_groups as n_groups_expected,
        count(*) over (partition by totals.dimension, totals.year) as n_sexes,
        lag(totals.total) over (
            partition by totals.dimension, totals.sex
            order by totals.year
        ) as total_before,
        max(totals.total) over (partition by totals.sex, totals.year)
        - min(totals.total) over (partition by totals.sex, totals.year) as difference,
        sum(totals.n_groups) over (partition by totals.sex, totals.year) as n_rounded
    from totals
    inner join expected on totals.dimension = expected.dimension
)

select *
from compared
where
    (n_groups = n_groups_expected and n_sexes = 2) is not true
    or (total / total_before between 1 / 1.25 and 1.25 or total_before is null) is not true
    or (difference <= 0.05 * (n_rounded + 2)) is not true
