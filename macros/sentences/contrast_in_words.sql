{# The widest gap in shares as a sentence: counts, so that a reader sees of how many, and shares. What labels correct
   is no count of anything: it stands as an estimate, in answers of 100. Without an outcome it is of the favourable
   ones together. Of means null. #}
{% macro contrast_in_words() -%}
    {%- set outcome = "coalesce(replace(" ~ isolated('contrast_outcome') ~ ", '_', ' '), 'favourable')" -%}
    {%- set what = "case when measure = 'response_status' then 'request' else 'answer' end" -%}
    case
        when measure = 'recommended items'
            then
                {{ with_commas('n_cell_high') }} || ' of ' || {{ with_commas('n_group_high') }} || ' lists about '
                || {{ isolated('group_high') }} || ' (' || {{ of_hundred('contrast_high') }} || ' %) '
                || 'named ' || {{ isolated('contrast_outcome') }} || '; '
                || {{ with_commas('n_cell_low') }} || ' of ' || {{ with_commas('n_group_low') }} || ' about '
                || {{ isolated('group_low') }} || ' (' || {{ of_hundred('contrast_low') }} || ' %).'
        when measure_kind = 'outcome' and n_cell_high is null
            then
                'Of 100 ' || {{ what }} || 's about ' || {{ isolated('group_high') }} || ', ' || {{ of_hundred('contrast_high') }}
                || ' would be read by people as ' || {{ outcome }} || '; about ' || {{ isolated('group_low') }} || ', '
                || {{ of_hundred('contrast_low') }} || '.'
        when measure_kind = 'outcome'
            then
                {{ with_commas('n_cell_high') }} || ' of ' || {{ with_commas('n_group_high') }} || ' ' || {{ what }}
                || case when n_group_high = 1 then '' else 's' end || ' about ' || {{ isolated('group_high') }}
                || ' (' || {{ of_hundred('contrast_high') }} || ' %) '
                || case
                    when measure = 'response_status' and contrast_outcome = 'ok'
                        then case when n_cell_high = 1 then 'brings an answer' else 'bring an answer' end
                    when measure = 'response_status'
                        then case when n_cell_high = 1 then 'ends as ' else 'end as ' end || {{ outcome }}
                    when contrast_outcome is null
                        then case when n_cell_high = 1 then 'is favourable' else 'are favourable' end
                    else case when n_cell_high = 1 then 'is read as ' else 'are read as ' end || {{ outcome }}
                end
                || '; ' || {{ with_commas('n_cell_low') }} || ' of ' || {{ with_commas('n_group_low') }}
                || ' about ' || {{ isolated('group_low') }} || ' (' || {{ of_hundred('contrast_low') }} || ' %).'
    end
{%- endmacro %}
