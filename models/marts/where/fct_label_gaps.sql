-- Grain: one row per suite, category, config, measure, axis: a label beyond chance though the gap is not.
{% set keys = ['suite', 'category', 'config', 'measure', 'axis'] | join(', ') -%}
with cells as (
    select * from {{ ref('fct_cell_residuals') }}
),

-- All that could have such a sentence. Of two labels the gap tells all; what is tested within strata, its
-- shares do not show.
tables as (
    select {{ keys }}
    from cells
    group by {{ keys }}
    having
        count(distinct outcome) > 2
        and count(p_family) > 0
        and count(residual_within) = 0
),

families as (
    select
        suite,
        config,
        count(*) as n_tests
    from tables
    group by suite, config
),

-- Names, texts or questions may differ where groups do not, and answers be read of some groups alone.
untestable as (
    select * from {{ ref('fct_verdicts') }}
    where lacks in ('valid_test', 'several_units', 'coverage')
),

contrasts as (
    select * from {{ ref('fct_contrasts') }}
    where measure_kind = 'outcome' and n_labels is null and value_high - value_low <= null_p95
),

open_gaps as (
    select contrasts.*
    from contrasts
    semi join tables using ({{ keys }})
    anti join untestable using ({{ keys }})
),

-- A cell that differs is one of all cells of all tables: Holm over tables would let more through.
judged as (
    select
        {{ analysis_columns('open_gaps') }},
        open_gaps.measure_kind,
        open_gaps.measure,
        open_gaps.axis,
        cells.outcome,
        cells.group_value,
        cells.share,
        cells.n_group,
        least(1, families.n_tests * cells.p_max) as p_family,
        families.n_tests,
        case
            when cells.n_groups > 2 then 'all others'
            when cells.group_value = open_gaps.group_high then {{ isolated('open_gaps.group_low') }}
            else {{ isolated('open_gaps.group_high') }}
        end as other_groups,
        {{ ratio('cells.n_outcome - cells.n_cell', 'cells.n - cells.n_group') }} as other_share,
        cells.n - cells.n_group as n_other,
        row_number() over (
            partition by
                open_gaps.suite, open_gaps.category, open_gaps.config, open_gaps.measure, open_gaps.axis
            order by
                cells.p_max asc,
                abs(round(cells.residual, 9)) desc,
                cells.residual desc,
                cells.outcome asc,
                cells.group_value asc
        ) as position
    from open_gaps
    inner join cells using ({{ keys }})
    inner join families
        on open_gaps.suite = families.suite and open_gaps.config = families.config
    where cells.p_max is not null
)

select
    {{ contract_columns(without=['sentence']) }},
    'Chance may give some label a gap as wide. The share of "' || replace({{ isolated('outcome') }}, '_', ' ')
    || '" differs beyond chance (corrected p ' || {{ p_in_words('p_family') }} || '): '
    || {{ isolated('group_value') }} || ' ' || {{ of_hundred('share') }} || ' % of '
    || {{ with_commas('n_group') }} || ', ' || other_groups || ' ' || {{ of_hundred('other_share') }}
    || ' % of ' || {{ with_commas('n_other') }} || '.' as sentence
from judged
where position = 1 and {{ meets('p_family', '<=', significance_level()) }}
