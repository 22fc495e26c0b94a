select *, false as is_padding from rpt_local_law_144
union all by name
select true as is_padding where not exists (from rpt_local_law_144)
