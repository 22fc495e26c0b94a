-- A whole audit is no look at what is in use, and a suite without `responsible:` names nobody.
with happened as (
    select
        'dim_audits' as mart,
        count(look) as n_rows
    from {{ ref('dim_audits') }}
    union all
    select
        'dim_suites' as mart,
        count(responsible) as n_rows
    from {{ ref('dim_suites') }}
)

select
    items.item,
    items.mart,
    items.coverage,
    items.n_rows
from {{ ref('dim_framework_items') }} as items
inner join happened using (mart)
where
    items.n_rows is distinct from happened.n_rows
    or (happened.n_rows = 0 and items.coverage is distinct from 'not_in_this_audit')
