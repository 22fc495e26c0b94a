-- Grain: one row per prompt_key, part: what prompts have in common besides the groups that are compared.
{%- set columns = {
    'root': 'root_key', 'template': 'template', 'concept': 'concept', 'keyword': 'keyword',
    'source_tag': 'source_tag', 'method': 'method', 'language': 'language'
} %}
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
        {{ unnested_together({
            'part': joined_lists([
                'map_keys(prompts.attributes)',
                'map_keys(prompts.slots)',
                list_of("'" ~ columns.keys() | join("', '") ~ "'"),
            ]),
            'part_value': joined_lists([
                'map_values(prompts.attributes)',
                'map_values(prompts.slots)',
                list_of('prompts.' ~ columns.values() | join(', prompts.')),
            ]),
            'part_position': whole_numbers(
                0,
                list_length('map_keys(prompts.attributes)')
                ~ ' + coalesce(' ~ list_length('map_keys(prompts.slots)') ~ ', 0) + ' ~ (columns | length - 1)
            ),
        }) }},
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
