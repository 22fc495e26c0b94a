-- What a page counts of all groups together, from measurements and prompts, is what the statistics of the
-- groups rest on; and what has values has quantiles.
with shown as (
    select
        *,
        sum(case when group_value <> '' then n end) over (family) as n_grouped
    from {{ ref('rpt_measurements') }}
    window family as (partition by comparison_slug, config, calibration)
)

select * from shown
where
    (group_value = '' and n is distinct from n_grouped)
    or (n > 0 and median is null)
