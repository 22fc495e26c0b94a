-- Grain: one row per suite, category, config_key, roll_up, feature: under which names what was measured in a
-- category is pooled with the same of others.
select
    roll_ups.suite,
    roll_ups.category,
    roll_ups.config_key,
    roll_ups.roll_up,
    roll_ups.pooled_category,
    roll_ups.pooled_config_key,
    measured.feature,
    measured.has_baseline
from {{ ref('int_roll_ups_listed') }} as roll_ups
inner join {{ ref('int_features_measured') }} as measured
    on
        roll_ups.suite = measured.suite
        and roll_ups.category = measured.category
where
    case measured.segment
        when 'category' then roll_ups.pooled_category = roll_ups.category
        when 'domain' then roll_ups.pooled_domain = roll_ups.domain
        else true
    end
