-- Grain: one row per cell, part, measure: how often the method kept a promise on simulated audits.
select
    *,
    n_groups || ' × ' || n_roots || ', '
    || case when design = 'independent' then 'independent' else 'shared ' || printf('%g', correlation) end
        as design_label,
    case measure
        when 'selection_rate' then 'Rate'
        when 'impact_ratio' then 'Impact ratio'
        when 'min_impact_ratio' then 'Lowest ratio'
        when 'range' then 'Range'
        when 'cramers_v' then 'Cramér''s V'
        when 'fdi' then 'FDI'
        when 'max_fdi' then 'Largest FDI'
        when 'mean' then 'Mean'
        when 'range_of_means' then 'Range of means'
        when 'dbi' then 'DBI'
        else replace(measure, '_', ' ')
    end as measure_label
from {{ ref('fct_validity') }}
