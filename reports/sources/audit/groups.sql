select distinct category_slug, axis, axis_position, group_value, group_key, false as is_padding from rpt_groups
union all by name
select true as is_padding where not exists (from rpt_groups)
