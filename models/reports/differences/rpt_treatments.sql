-- Grain: one row per treatment_key: a change of a config, and the config without it.
select
    left(md5(concat_ws(chr(31), suite, treatment_kind, treatment, config_control, config_treated)), 10)
        as treatment_key,
    {{ contract_columns(without=['treatment_key']) }}
from {{ ref('dim_treatments') }}
