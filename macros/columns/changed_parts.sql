{# What is not in `later` as it was in `earlier`, two rows of stg_audit__audits, in words; null where all is. #}
{% macro changed_parts(later, earlier) -%}
    nullif(concat_ws(
        ', '
        {%- for part, hash in [
            ('code', 'build_hash'), ('limits', 'thresholds_hash'), ('suite', 'suites_hash'),
            ('answers', 'answers_hash'), ('readings', 'readings_hash'), ('labels', 'labels_hash'),
        ] %},
        case when {{ later }}.{{ hash }} <> {{ earlier }}.{{ hash }} then '{{ part }}' end
        {%- endfor %}
    ), '')
{%- endmacro %}
