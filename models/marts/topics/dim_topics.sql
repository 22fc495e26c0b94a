-- Grain: one row per suite, topic_set, segment_value, is_simulated, topic_position.
with topics as (
    select
        *,
        sum(n_members) over (partition by clustering_key) as n_members_clustered
    from {{ ref('stg_extract__topics') }}
),

themes as (
    select
        clustering_key,
        topic_position,
        {{ ordered_text('word', "', '", 'word_position') }} as theme
    from {{ ref('stg_extract__topic_words') }}
    group by clustering_key, topic_position
)

select
    asked.suite,
    asked.topic_set,
    asked.pool,
    asked.segment,
    clusterings.segment_value,
    clusterings.is_simulated,
    topics.topic_position,
    asked.topic_set || '_' || topics.topic_position as feature,
    -- A text of numbers or of words that stand everywhere has no theme.
    coalesce(themes.theme, 'topic ' || topics.topic_position) as theme,
    topics.n_texts,
    topics.n_members,
    {{ ratio('topics.n_members', 'topics.n_members_clustered') }} as topic_share,
    asked.scorer,
    asked.centre,
    topics.clustering_key,
    1 as metric_version
from {{ ref('stg_suite__topics') }} as asked
inner join {{ ref('stg_suite__clusterings') }} as clusterings using (suite, topic_set)
inner join topics using (clustering_key)
left join themes using (clustering_key, topic_position)
