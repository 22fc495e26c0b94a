select *, false as is_padding from rpt_missing_bounds
union all by name
select true as is_padding where not exists (from rpt_missing_bounds)
