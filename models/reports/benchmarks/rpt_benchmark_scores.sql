-- Grain: one row per suite, category, config, metric, condition: scores of published benchmarks for readers.
with categories as (
    {{ category_titles() }}
),

metrics as (
    {{ metric_titles() }}
),

declared as (
    select
        metric,
        condition,
        ideal,
        row_number() over (order by benchmark, metric, condition) as score_position
    from {{ ref('benchmark_scores') }}
),

named as (
    select
        scores.*,
        case when categories.title is not null then scores.suite || '-' || scores.category end
            as category_slug,
        coalesce(categories.title, 'All categories') as category_title,
        coalesce(metrics.title, scores.metric) as metric_title,
        coalesce(categories.title, 'All categories')
        || case when scores.condition = '(all)' then '' else ', ' || scores.condition end as label,
        row_number() over (
            order by
                scores.suite, declared.score_position, categories.category_position is not null,
                categories.category_position, scores.category, scores.config
        ) as position,
        declared.ideal,
        case
            when scores.p_holm is null then 'unknown'
            when {{ meets('scores.p_holm', '<=', significance_level()) }} then 'beyond'
            else 'within'
        end as place
    from {{ ref('fct_benchmark_scores') }} as scores
    inner join declared
        on
            scores.metric = declared.metric
            and scores.condition = declared.condition
    left join categories
        on
            scores.suite = categories.suite
            and scores.category = categories.category
    left join metrics on scores.metric = metrics.metric
)

select
    {{ contract_columns(without=['p_value_words', 'p_holm_words']) }},
    {{ p_in_words('p_value') }} as p_value_words,
    {{ p_in_words('p_holm') }} as p_holm_words
from named
