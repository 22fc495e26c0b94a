-- Grain: one row per suite, category, outcome_set, published_label, group_value: the published figures that
-- answers are held against, of Singapore (the latest year) or of a table beside the suite. Where a label
-- stands for several rows of that table, they are added up.
with truths as (
    select * from {{ ref('stg_suite__ground_truths') }}
),

labels as (
    select distinct
        suite,
        category,
        outcome_set,
        published_label
    from {{ ref('int_census_labels_matched') }}
),

employed as (
    select
        census.*,
        licences.licence
    from {{ ref('stg_singstat__employed_residents') }} as census
    left join {{ ref('source_licences') }} as licences
        on licences.source_name = 'singstat_employed_residents'
    where census.is_latest
),

own as (
    select
        suite,
        category,
        outcome_set,
        published_label,
        group_value,
        sum(figure) as figure
    from {{ ref('stg_load__ground_truth_figures') }}
    where published_label is not null and group_value is not null
    group by suite, category, outcome_set, published_label, group_value
)

select
    labels.suite,
    labels.category,
    labels.outcome_set,
    truths.attribute,
    labels.published_label,
    employed.sex as group_value,
    employed.employed_thousands as figure,
    'thousands' as figure_kind,
    employed.year as ground_truth_year,
    'Ministry of Manpower, Singapore, via SingStat Table Builder' as published_by,
    employed.last_updated as published_on,
    cast(null as string) as source_url,
    employed.licence
from labels
inner join truths using (suite, category, outcome_set)
inner join employed
    on
        truths.dimension = employed.dimension
        and labels.published_label = employed.published_label
where truths.ground_truth = 'singstat'
union all
select
    labels.suite,
    labels.category,
    labels.outcome_set,
    truths.attribute,
    labels.published_label,
    own.group_value,
    own.figure,
    truths.figure_kind,
    cast(year(truths.published_on) as integer) as ground_truth_year,
    truths.published_by,
    truths.published_on,
    truths.source_url,
    truths.licence
from labels
inner join truths using (suite, category, outcome_set)
inner join own using (suite, category, outcome_set, published_label)
where truths.ground_truth = 'file'
