-- Grain: one row per suite, category, config, axis, item: the groups whose lists name it
-- most and least often.
with named as (
    select * from {{ ref('int_recommended_items_coded') }}
),

analyses as (
    select
        analysis_key,
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated,
        axis,
        max(n_items) as n_items,
        count(distinct response_key) as n,
        count(distinct group_value) as n_groups
    from named
    group by all
),

groups as (
    select
        analysis_key,
        group_value,
        count(distinct response_key) as n_group
    from named
    group by analysis_key, group_value
),

items as (
    select distinct
        analysis_key,
        item,
        item_code
    from named
    where item is not null
),

counted as (
    select
        analysis_key,
        item,
        group_value,
        count(*) as n_cell
    from named
    where item is not null
    group by analysis_key, item, group_value
),

shares as (
    select
        items.analysis_key,
        items.item,
        items.item_code,
        groups.group_value,
        groups.n_group,
        coalesce(counted.n_cell, 0) as n_cell,
        {{ ratio('coalesce(counted.n_cell, 0)', 'groups.n_group') }} as share
    from items
    inner join groups on items.analysis_key = groups.analysis_key
    left join counted
        on
            items.analysis_key = counted.analysis_key
            and items.item = counted.item
            and groups.group_value = counted.group_value
),

ends as (
    select
        analysis_key,
        item,
        item_code,
        max_by(group_value, (round(share, 9), group_value)) as group_high,
        min_by(group_value, (round(share, 9), group_value)) as group_low,
        max(share) as share_high,
        min(share) as share_low,
        cast(sum(n_cell) as bigint) as n_item
    from shares
    group by analysis_key, item, item_code
),

tested as (
    select
        analyses.*,
        ends.item,
        ends.item_code,
        ends.group_high,
        ends.group_low,
        ends.share_high,
        ends.share_low,
        ends.n_item,
        resampled.ci_low,
        resampled.ci_high,
        resampled.p_value,
        resampled.p_max,
        resampled.null_median,
        resampled.null_p95,
        resampled.resampling_unit,
        resampled.n_units,
        resampled.permutation_scheme,
        exposed.exposure,
        exposed.is_control,
        case when not exposed.is_control and resampled.p_max is not null then analyses.analysis_key end
            as tested_key
    from ends
    inner join analyses on ends.analysis_key = analyses.analysis_key
    inner join {{ ref('int_axes_shown') }} as exposed
        on
            analyses.suite = exposed.suite
            and analyses.category = exposed.category
            and analyses.config_key = exposed.config_key
            and analyses.axis = exposed.axis
    left join {{ ref('int_recommended_items_resampled') }} as resampled
        on
            ends.analysis_key = resampled.analysis_key
            and ends.item_code = resampled.item_code
    where analyses.n_groups > 1
),

families as (
    select
        suite,
        category,
        is_simulated,
        count(distinct tested_key) as n_tests
    from tested
    group by suite, category, is_simulated
)

select
    {{ analysis_columns('tested') }},
    tested.axis,
    tested.item,
    tested.group_high,
    tested.group_low,
    tested.share_high,
    tested.share_low,
    high.n_cell as n_cell_high,
    low.n_cell as n_cell_low,
    high.n_group as n_group_high,
    low.n_group as n_group_low,
    tested.share_high - tested.share_low as gap,
    tested.ci_low,
    tested.ci_high,
    tested.null_median,
    tested.null_p95,
    tested.p_value,
    tested.p_max,
    case when tested.tested_key is not null then least(1, families.n_tests * tested.p_max) end as p_family,
    families.n_tests,
    tested.n_item,
    tested.n_items,
    tested.n,
    tested.n_groups,
    tested.resampling_unit,
    tested.n_units,
    tested.permutation_scheme,
    tested.exposure,
    tested.is_control,
    1 as metric_version
from tested
inner join families
    on
        tested.suite = families.suite
        and tested.category = families.category
        and tested.is_simulated = families.is_simulated
inner join shares as high
    on
        tested.analysis_key = high.analysis_key
        and tested.item = high.item
        and tested.group_high = high.group_value
inner join shares as low
    on
        tested.analysis_key = low.analysis_key
        and tested.item = low.item
        and tested.group_low = low.group_value
