-- Grain: one row per suite, category, judge, attribute, group_a, group_b, label, content_key: how far a judge
-- says another thing of the same text about group a than about group b, or about a group that is masked ('').
-- `label` is '' of a number. Texts that are the same once their group is masked are one unit. Texts
-- on which it gave no vote are counted apart.
with positions as (
    select distinct
        suite,
        attribute,
        value as group_value,
        value_position
    from {{ ref('stg_suite__attributes') }}
),

simulated as (
    select
        scorers.scorer,
        bool_or(configs.is_simulated) as is_simulated
    from {{ ref('stg_extract__judge_members') }}
    inner join {{ ref('int_scorers_selected') }} as scorers using (scorer_key)
    inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
    group by scorers.scorer
),

-- The group that stands earlier in the suite is a, whichever of the two an answer was about.
versions as (
    select
        exchanged.suite,
        exchanged.category,
        exchanged.judge,
        exchanged.attribute,
        exchanged.content_key,
        case when exchanged.is_turned then exchanged.group_b else exchanged.group_a end as group_a,
        case when exchanged.is_turned then exchanged.group_a else exchanged.group_b end as group_b,
        case when exchanged.is_turned then exchanged.exchanged_text_key else exchanged.text_key end
            as text_key_a,
        case when exchanged.is_turned then exchanged.text_key else exchanged.exchanged_text_key end
            as text_key_b
    from (
        select
            exchanged.*,
            coalesce(b.value_position < a.value_position, false) as is_turned
        from {{ ref('stg_extract__exchanged_texts') }} as exchanged
        left join positions as a
            on
                exchanged.suite = a.suite
                and exchanged.attribute = a.attribute
                and exchanged.group_a = a.group_value
        left join positions as b
            on
                exchanged.suite = b.suite
                and exchanged.attribute = b.attribute
                and exchanged.group_b = b.group_value
    ) as exchanged
),

-- What a judge was asked about and came to no vote on is lost; of what nobody asked it yet nothing is known.
judged as (
    select
        scorer,
        text_key,
        label,
        value,
        case when judgement_status in ('ok', 'capped') then 0 else 1 end as is_lost
    from {{ ref('int_judgements_counted') }}
    where judgement_status <> 'not_measured'
),

-- Two texts are compared once, however many answers say one or the other.
compared as (
    select distinct
        versions.suite,
        versions.category,
        versions.judge,
        versions.attribute,
        versions.group_a,
        versions.group_b,
        versions.content_key,
        versions.text_key_a,
        versions.text_key_b,
        simulated.is_simulated,
        a.label as label_a,
        b.label as label_b,
        a.value as value_a,
        b.value as value_b,
        a.is_lost as is_lost_a,
        b.is_lost as is_lost_b,
        a.is_lost + b.is_lost = 0 as is_compared
    from versions
    inner join simulated on versions.judge = simulated.scorer
    inner join judged as a
        on
            versions.judge = a.scorer
            and versions.text_key_a = a.text_key
    inner join judged as b
        on
            versions.judge = b.scorer
            and versions.text_key_b = b.text_key
),

labels as (
    select distinct
        suite,
        judge,
        label
    from (
        select
            suite,
            judge,
            {{ unnested('labels') }} as label
        from (
            -- Of two labels one says it all; a number has one label, which is empty.
            select
                suite,
                judge,
                case
                    when {{ list_length('labels') }} = 2 then {{ first_items('labels', 1) }}
                    when {{ list_length('labels') }} = 0 then {{ list_of("''") }}
                    else labels
                end as labels
            from {{ ref('stg_suite__judges') }}
        )
    )
),

said as (
    select
        compared.*,
        labels.label,
        case when label = '' then value_a when label_a = label then 1e0 else 0e0 end as said_of_a,
        case when label = '' then value_b when label_b = label then 1e0 else 0e0 end as said_of_b,
        case when label = '' then value_a <> value_b else label_a <> label_b end as is_changed
    from compared
    inner join labels
        on
            compared.suite = labels.suite
            and compared.judge = labels.judge
)

select
    suite,
    category,
    judge,
    attribute,
    group_a,
    group_b,
    label,
    content_key,
    is_simulated,
    count(*) filter (where is_compared) as n_texts,
    count(*) filter (where is_compared and is_changed) as n_changed,
    coalesce(sum(said_of_a - said_of_b) filter (where is_compared), 0e0) as shift,
    coalesce(sum(said_of_a) filter (where is_compared), 0e0) as total_a,
    coalesce(sum(said_of_b) filter (where is_compared), 0e0) as total_b,
    sum(is_lost_a) as n_lost_a,
    sum(is_lost_b) as n_lost_b
from said
group by suite, category, judge, attribute, group_a, group_b, label, content_key, is_simulated
