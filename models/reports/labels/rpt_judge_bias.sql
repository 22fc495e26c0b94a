-- Grain: one row per suite, category, judge, attribute, group_a, group_b, label: how a judge reads groups.
with shifts as (
    select
        *,
        'the words are of ' || group_a as version_a,
        case when group_b = '' then 'they are masked' else 'they are of ' || group_b end as version_b
    from {{ ref('fct_judge_bias') }}
)

select
    {{ contract_columns(without=['category_slug', 'sentence']) }},
    suite || '-' || category as category_slug,
    case
        when n_texts = 0
            then judge || ' gave no text a vote both where ' || version_a || ' and where ' || version_b
        when label = ''
            then
                judge || ' gives ' || {{ rounded_apart('value_a', ['value_b'], within=0.001) }}
                || ' where ' || version_a || ', and '
                || {{ rounded_apart('value_b', ['value_a'], within=0.001) }} || ' where ' || version_b
        else
            judge || ' says “' || label || '” of ' || {{ of_hundred('value_a') }} || ' % where '
            || version_a || ', and of ' || {{ of_hundred('value_b') }} || ' % where ' || version_b
    end
    || case finding
        when 'reads_groups' then ': more than chance gives.'
        when 'none_found' then ': chance gives as much.'
        else ': too few texts to tell.'
    end
    || case
        when n_lost_a + n_lost_b > 0
            then
                ' No vote on ' || n_lost_a || ' texts where ' || version_a
                || ', and on ' || n_lost_b || ' where ' || version_b || '.'
        else ''
    end as sentence
from shifts
