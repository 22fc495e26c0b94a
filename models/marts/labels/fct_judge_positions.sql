-- Grain: one row per judge, config: whether who compares two texts goes by which of them stands first.
with votes as (
    select
        scorers.scorer as judge,
        members.config_key,
        pairs.first_text_key,
        pairs.second_text_key,
        votes.label
    from {{ ref('stg_extract__judge_members') }} as members
    inner join {{ ref('int_scorers_selected') }} as scorers using (scorer_key)
    inner join {{ ref('stg_extract__judge_votes') }} as votes
        on
            members.rubric_key = votes.rubric_key
            and members.config_key = votes.config_key
    inner join {{ ref('stg_extract__judged_pairs') }} as pairs on votes.text_key = pairs.pair_key
    where votes.label is not null
),

both_orders as (
    select
        forth.judge,
        forth.config_key,
        forth.label as forth,
        back.label as back,
        forth.label = back.label and forth.label <> 'tie' as goes_by_place,
        (forth.label = 'tie') <> (back.label = 'tie') as ties_once
    from votes as forth
    inner join votes as back
        on
            forth.judge = back.judge
            and forth.config_key = back.config_key
            and forth.first_text_key = back.second_text_key
            and forth.second_text_key = back.first_text_key
            and forth.first_text_key < back.first_text_key
),

counted as (
    select
        judge,
        config_key,
        count(*) as n_pairs,
        count(*) filter (where forth = 'first' and back = 'first') as n_first_twice,
        count(*) filter (where forth = 'second' and back = 'second') as n_second_twice,
        count(*) filter (where forth = 'tie' and back = 'tie') as n_ties,
        count(*) filter (where goes_by_place) as n_placed,
        count(*) filter (where goes_by_place or ties_once) as n_turned
    from both_orders
    group by judge, config_key
)

select
    counted.judge,
    configs.config,
    configs.model,
    configs.is_simulated,
    counted.n_pairs,
    counted.n_ties,
    counted.n_turned,
    counted.n_first_twice,
    counted.n_second_twice,
    {{ ratio('counted.n_turned', 'counted.n_pairs') }} as turned_share,
    {{ wilson('counted.n_turned', 'counted.n_pairs', 'low') }} as turned_low,
    {{ wilson('counted.n_turned', 'counted.n_pairs', 'high') }} as turned_high,
    {{ ratio('counted.n_first_twice', 'counted.n_placed') }} as first_share,
    {{ wilson('counted.n_first_twice', 'counted.n_placed', 'low') }} as first_low,
    {{ wilson('counted.n_first_twice', 'counted.n_placed', 'high') }} as first_high,
    case
        when counted.n_placed > 0
            then least(1, 2 * {{ binomial_upper_tail(
                'greatest(counted.n_first_twice, counted.n_second_twice)', 'counted.n_placed', '0.5'
            ) }})
    end as p_value,
    1 as metric_version
from counted
inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
