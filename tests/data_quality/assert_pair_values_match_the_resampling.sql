-- Counterfactual metrics and their contrasts are computed in SQL; what is resampled computes them again. Both
-- are one definition: 1e-9, relative where values are large.
with compared as (
    select * from {{ ref('int_pairs_averaged') }}
),

resampled as (
    select * from {{ ref('int_pairs_resampled') }}
)

select
    compared.*,
    resampled.value as resampled_value,
    resampled.contrast as resampled_contrast
from compared
inner join resampled
    on
        compared.suite = resampled.suite
        and compared.category = resampled.category
        and compared.config_key = resampled.config_key
        and compared.axis = resampled.axis
        and compared.group_a = resampled.group_a
        and compared.group_b = resampled.group_b
        and compared.metric = resampled.metric
        and compared.feature = resampled.feature
where
    (compared.value is null) <> (resampled.value is null)
    or (compared.contrast is null) <> (resampled.contrast is null)
    or abs(compared.value - resampled.value) > 1e-9 * greatest(1, abs(compared.value))
    or abs(compared.contrast - resampled.contrast) > 1e-9 * greatest(1, abs(compared.contrast))
