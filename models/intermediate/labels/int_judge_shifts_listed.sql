-- Grain: one row per suite, category, judge, attribute, group_a, group_b, label, content_key: how far a judge
-- says another thing of the same text about group a than about group b, or about a group that is masked ('').
-- `label` is '' of a number. Texts that are the same once their group is masked are one unit.
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
        b.value as value_b
    from versions
    inner join simulated on versions.judge = simulated.scorer
    inner join {{ ref('int_judgements_counted') }} as a
        on
            versions.judge = a.scorer
            and versions.text_key_a = a.text_key
            and a.judgement_status in ('ok', 'capped')
    inner join {{ ref('int_judgements_counted') }} as b
        on
            versions.judge = b.scorer
            and versions.text_key_b = b.text_key
            and b.judgement_status in ('ok', 'capped')
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
            -- Of two labels one says it all.
            select
                suite,
                judge,
                case when {{ list_length('labels') }} = 2 then {{ first_items('labels', 1) }} else labels end
                    as labels
            from {{ ref('stg_suite__judges') }}
        )
    )
),

shifts as (
    select
        compared.*,
        labels.label,
        case when compared.label_a = labels.label then 1e0 else 0e0 end
        - case when compared.label_b = labels.label then 1e0 else 0e0 end as shift,
        case when compared.label_a <> compared.label_b then 1 else 0 end as is_changed
    from compared
    inner join labels
        on
            compared.suite = labels.suite
            and compared.judge = labels.judge
    where compared.label_a is not null
    union all
    select
        *,
        '' as label,
        value_a - value_b as shift,
        case when value_a <> value_b then 1 else 0 end as is_changed
    from compared
    where value_a is not null
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
    count(*) as n_texts,
    sum(is_changed) as n_changed,
    sum(shift) as shift,
    sum(case when label = '' then value_a when label_a = label then 1e0 else 0e0 end) as total_a,
    sum(case when label = '' then value_b when label_b = label then 1e0 else 0e0 end) as total_b
from shifts
group by suite, category, judge, attribute, group_a, group_b, label, content_key, is_simulated
