{# Rates of answers that classify, by name: what each selects, and what it counts (SPEC TX-8). #}
{% macro error_rates() -%}
    {%- set predicted = 'n_true_positives + n_false_positives' -%}
    {{ return({
        'false_negative_rate': ('n_false_negatives', 'n_false_negatives + n_true_positives'),
        'false_omission_rate': ('n_false_negatives', 'n_false_negatives + n_true_negatives'),
        'false_positive_rate': ('n_false_positives', 'n_false_positives + n_true_negatives'),
        'false_discovery_rate': ('n_false_positives', 'n_false_positives + n_true_positives'),
        'predicted_prevalence': (predicted, predicted ~ ' + n_false_negatives + n_true_negatives'),
    }) }}
{%- endmacro %}
