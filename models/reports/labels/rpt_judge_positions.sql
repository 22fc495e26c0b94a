-- Grain: one row per judge, config: whether who compares two texts goes by their order.
select
    {{ contract_columns(without=['sentence']) }},
    judge || ' (' || model || ') says something else of ' || n_turned || ' of ' || n_pairs
    || ' pairs once the texts have changed places'
    || case
        when n_first_twice + n_second_twice = 0 then '.'
        else
            '; by place alone it took the first ' || n_first_twice || ' and the second ' || n_second_twice
            || ' times.'
    end as sentence
from {{ ref('fct_judge_positions') }}
