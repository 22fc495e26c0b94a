-- Grain: one row per suite, category, config, axis: what the prompts show (attribute-presence report).
select
    exposed.suite,
    exposed.category,
    configs.config,
    configs.is_simulated,
    exposed.axis,
    exposed.axis_position,
    exposed.n_prompts,
    exposed.n_prompts_showing,
    exposed.n_prompts_showing = 0 as is_unaware,
    exposed.n_groups,
    {{ joined_list('exposed.shown_attributes', "', '") }} as shown_attributes,
    {{ joined_list('exposed.hidden_attributes', "', '") }} as hidden_attributes,
    exposed.exposure,
    exposed.is_control,
    exposed.shown_rate
from {{ ref('int_axes_shown') }} as exposed
inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
