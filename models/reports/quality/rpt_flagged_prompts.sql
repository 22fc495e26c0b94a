-- Grain: one row per prompt_key: at most 1,000 flagged prompts of each category.
select
    suite,
    category,
    prompt_key,
    {{ joined_list('map_values(attributes)', "' & '") }} as group_value,
    flags,
    left(prompt, 1000) as prompt,
    is_left_out,
    count(*) over (partition by suite, category) as n_found
from {{ ref('dim_prompts') }}
where flags is not null
qualify row_number() over (partition by suite, category order by flags, root_key, prompt_key) <= 1000
