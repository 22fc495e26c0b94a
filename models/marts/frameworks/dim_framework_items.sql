-- Grain: one row per framework, item: what other people's frameworks ask for, beside the number of ours
-- that speaks to it.
{%- set marts = [
    'dim_audits', 'dim_builds', 'dim_configs', 'dim_metrics', 'dim_prompts', 'dim_responses', 'dim_runs',
    'dim_sources',
    'dim_suites', 'dim_verdict_actions', 'fct_audit_changes', 'fct_cell_residuals', 'fct_config_differences',
    'fct_contrasts', 'fct_counterfactual_similarity', 'fct_design_power', 'fct_label_agreement', 'fct_measurements',
    'fct_quality', 'fct_validity', 'fct_variance_components', 'fct_verdicts'
] %}
{#- What no prompt shows is a control: it answers nobody's question, and its page leaves it out. A whole
    audit is no look at what is in use, and a suite may name nobody. #}
{%- set only = {
    'dim_audits': 'where look is not null',
    'dim_suites': 'where responsible is not null',
    'fct_counterfactual_similarity': 'where not is_control'
} %}
with counted as (
    {%- for mart in marts %}
    select
        '{{ mart }}' as mart,
        count(*) as n_rows
    from {{ ref(mart) }}
    {{ only.get(mart, '') }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
)

select
    items.framework,
    items.framework_title,
    items.framework_url,
    items.position,
    items.item,
    items.asks,
    -- What this audit did not compute, it does not cover.
    case when counted.n_rows = 0 then 'not_in_this_audit' else items.coverage end as coverage,
    items.ours,
    items.mart,
    counted.n_rows,
    items.page_url,
    items.page_title,
    items.missing
from {{ ref('framework_items') }} as items
left join counted using (mart)
