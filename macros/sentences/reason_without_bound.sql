{# Why a number without a bound is inconclusive, for the reason of a verdict. #}
{% macro reason_without_bound() -%}
    red_as_read
    || case
        when is_red and p_family is not null
            then
                past || fail_limit || ', but ' || within_chance || '.'
                || case
                    when lacks = 'more_units' and more_units is null
                        then ' No bound is drawn of this number.'
                    else ''
                end
        when is_red then past || fail_limit || ', but nothing tells it from chance.'
        when lacks = 'missing_answers' then ''
        else
            'No bound is drawn of this number, so that nothing shows it to lie within '
            || pass_limit
            || '.'
            || case
                when ci_low is null and more_units is null and has_units_for_bound
                    then
                        ' Where all answers are alike, or are not resampled, there is none, '
                        || 'however many come.'
                when ci_low is null and more_units is null
                    then
                        ' A bound needs ten names, texts or roots, five a group, and a statistic '
                        || 'that the suite has resampled.'
                when ci_low = ci_high
                    then ' What it rests on is all alike, so that its interval has no width.'
                else ''
            end
    end
    || case
        when lacks = 'missing_answers'
            then
                case when is_red then ' ' else '' end
                || 'How far '
                || missing_answers
                || ' could move this number is not known: only with all of them read could it be '
                || 'shown to lie within ' || pass_limit || '.'
        else
            coalesce(' A bound needs about ' || more_units || '.', '')
            || case
                when n_missing > 0 and value_low is null
                    then ' How much ' || missing_answers || ' matter is not known either.'
                else ''
            end
    end
{%- endmacro %}
