-- Grain: one row per prompt_key, part: what prompts have in common besides the groups that are compared.
with prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
),

examples as (
    select
        suite,
        category,
        root_key,
        min(prompt) as example
    from prompts
    group by suite, category, root_key
),

parts as (
    select
        prompts.prompt_key,
        unnest(list_concat(
            map_keys(prompts.attributes), map_keys(prompts.slots),
            ['root', 'template', 'concept', 'keyword', 'source_tag', 'method', 'language']
        )) as part,
        unnest(list_concat(
            map_values(prompts.attributes), map_values(prompts.slots),
            [
                prompts.root_key, prompts.template, prompts.concept, prompts.keyword, prompts.source_tag,
                prompts.method, prompts.language
            ]
        )) as part_value,
        unnest(range(
            len(map_keys(prompts.attributes)) + coalesce(len(map_keys(prompts.slots)), 0) + 7
        )) as part_position,
        examples.example
    from prompts
    inner join examples
        on
            prompts.suite = examples.suite
            and prompts.category = examples.category
            and prompts.root_key = examples.root_key
)

select
    prompt_key,
    part,
    part_value,
    case when part = 'root' then example end as example
from parts
where part_value is not null
-- An attribute or a slot may be called as one of the others is; then the suite's word holds.
qualify row_number() over (partition by prompt_key, part order by part_position) = 1
