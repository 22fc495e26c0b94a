{# What holds for the rows of a table, in one query: lists the rules that some rows break, and how many do.
   `key`: columns that name a row (`keys`: several such lists); `never_null`: columns that every row has;
   `between`: finite numbers by column, [lowest, highest], or null; `values`: texts by column, or null. #}
{% test row_rules(model, key=none, keys=(), never_null=(), between={}, values={}) %}
    {%- set rules = [] %}
    {%- for column in never_null %}
        {%- do rules.append((column ~ ' is never null', adapter.quote(column) ~ ' is null')) %}
    {%- endfor %}
    {%- for column, limits in between.items() %}
        {%- set within = ' between ' ~ limits | join(' and ') %}
        {%- set quoted = adapter.quote(column) %}
        {%- do rules.append((column ~ within, 'not (' ~ is_finite(quoted) ~ ' and ' ~ quoted ~ within ~ ')')) %}
    {%- endfor %}
    {%- for column, allowed in values.items() %}
        {%- set texts = [] %}
        {%- for text in allowed %}
            {%- do texts.append("'" ~ dbt.escape_single_quotes(text | string) ~ "'") %}
        {%- endfor %}
        {%- set broken = adapter.quote(column) ~ ' not in (' ~ texts | join(', ') ~ ')' %}
        {%- do rules.append((column ~ ' is one of ' ~ allowed | join(', '), broken)) %}
    {%- endfor %}
    {%- set queries = [] %}
    {%- for rule, _ in rules %}
        {%- do queries.append(
            "select '" ~ dbt.escape_single_quotes(rule) ~ "' as broken_rule, rule_" ~ loop.index ~ " as n_rows"
            ~ " from counted where rule_" ~ loop.index ~ " > 0"
        ) %}
    {%- endfor %}
    {%- for columns in keys or ([key] if key else []) %}
        {%- set named = [] %}
        {%- for column in columns %}
            {%- do named.append(adapter.quote(column)) %}
        {%- endfor %}
        {%- set known = " where " ~ named[0] ~ " is not null" if named | length == 1 else "" %}
        {%- do queries.append(
            "select 'one row for each " ~ columns | join(', ') ~ "' as broken_rule, count(*) as n_rows"
            ~ " from (select 1 as one from " ~ model ~ known ~ " group by " ~ named | join(', ')
            ~ " having count(*) > 1) as doubled having count(*) > 0"
        ) %}
    {%- endfor %}
    {%- if rules %}
        with
            counted as (
                select
                    {% for _, broken in rules %}
                    count(case when {{ broken }} then 1 end) as rule_{{ loop.index }}{{ ',' if not loop.last }}
                    {% endfor %}
                from {{ model }}
            )
    {%- endif %}
    {{ queries | join('\n    union all\n    ') }}
{% endtest %}
