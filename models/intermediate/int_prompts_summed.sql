-- Grain: one row per sample_id, prompt_id: the sums of which means and selection rates are made. A prompt's
-- repeats go together: no resampling parts them.
-- depends_on: {{ ref('selection_standards') }} {{ ref('selection_methods') }}
{%- set standards = declared_rows('selection_standards', 'standard_id', 'is_default') %}
{%- set methods = declared_rows('selection_methods', 'method_id', 'is_default') %}
{%- set columns = [] %}
{%- for standard in standards %}
{%- for method in methods %}
{%- do columns.append(
    'count(*) filter ('
    ~ declared_expression(
        method,
        standard='standards.s_' ~ standard['standard_id'],
        mode={'lowest': 'standards.lowest', 'width': standard['parameters']['width']}
    )
    ~ ') as rate_sum_' ~ (1000 + 10 * standard['standard_id'] + method['method_id'])
) %}
{%- endfor %}
{%- endfor %}
with standards as (
    select * from {{ ref('int_standards_computed') }}
),

resampled as (
    select listed.sample_id
    from {{ ref('int_samples_listed') }} as listed
    inner join {{ ref('stg_suite__suites') }} as suites on listed.suite = suites.suite
    where suites.n_permutations > 0 or suites.n_bootstrap > 0
)

select
    coded.sample_id,
    coded.family_id,
    coded.group_id,
    coded.prompt_id,
    coded.block_id,
    count(*) as n,
    sum(coded.value) as mean_sum,
    {{ columns | join(',\n    ') }}
from {{ ref('int_values_coded') }} as coded
inner join standards on coded.family_id = standards.family_id
inner join resampled on coded.sample_id = resampled.sample_id
where coded.value is not null
group by coded.sample_id, coded.family_id, coded.group_id, coded.prompt_id, coded.block_id
