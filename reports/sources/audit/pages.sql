select *, false as is_padding from rpt_pages
union all by name
select true as is_padding where not exists (from rpt_pages)
