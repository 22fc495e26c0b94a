-- Grain: one row per day, of the years 2020 to 2039.
with numbered as (
    select {{ unnested(whole_numbers(0, 7304)) }} as n_days
)

select cast(date '2020-01-01' + cast(n_days as integer) as date) as calendar_day
from numbered
