select *, false as is_padding from rpt_sources
union all by name
select true as is_padding where not exists (from rpt_sources)
