{# What would decide an open verdict: so many more units or labels, named `more_units`, or none. #}
{% macro would_decide(decided, planned) -%}
    coalesce(
        '; about ' || more_units || ' would decide'
        || coalesce(
            ', with ' || cast(ceil(100 * {{ planned }}.part_to_read) as integer)
            || ' % of the missing answers read',
            ''
        ),
        '; it lies so near a limit that even {{ "{:,}".format(most_units_named() | int) }} '
        || {{ units_in_words(decided ~ '.resampling_unit') }} || ' a group would not decide'
    )
{%- endmacro %}
