-- Grain: one row per source_kind, suite, source_name, origin, revision, licence. `suite` is '' for what
-- every suite shares.
{%- set host = pattern('^https?://([^/]+)') %}
with suites as (
    select * from {{ ref('stg_suite__suites') }}
    inner join {{ ref('stg_suite__files') }} using (suite)
),

runs as (
    select * from {{ ref('stg_pipeline__runs') }}
),

licences as (
    select * from {{ ref('source_licences') }}
),

prompts as (
    select
        suite,
        count(*) as n
    from {{ ref('stg_assemble__prompts') }}
    group by suite
),

documents as (
    select
        *,
        coalesce(nullif({{ matched_part('origin', host, 1) }}, ''), 'files of the suite') as found_in
    from {{ ref('dim_documents') }}
),

loads as (
    select
        loads.suite,
        loads.source_file,
        loads.file_sha256,
        min(runs.started_at) as first_at,
        max(runs.started_at) as last_at,
        cast(sum(loads.n_loaded) as bigint) as n
    from {{ ref('stg_load__loads') }} as loads
    inner join runs using (run_id)
    group by loads.suite, loads.source_file, loads.file_sha256
),

details as (
    select
        config_key,
        -- A model's licence may be a whole text: its first line names it.
        nullif(
            left(trim(split_part({{ json_text('details', 'licence') }}, chr(10), 1)), 200), ''
        ) as licence
    from {{ ref('stg_generate__configs') }}
),

answered as (
    select
        responses.suite,
        responses.config_key,
        min(answers.answered_at) as first_at,
        max(answers.answered_at) as last_at,
        count(*) as n
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('stg_generate__responses') }} as answers using (response_key)
    group by responses.suite, responses.config_key
),

seeds as (
    select
        'singstat_employed_residents' as source_name,
        count(*) as n,
        'figures' as unit,
        cast(min(last_updated) as timestamp) as first_at,
        cast(max(last_updated) as timestamp) as last_at
    from {{ ref('singstat_employed_residents') }}
    union all
    select
        'protected_words' as source_name,
        count(*) as n,
        'words' as unit,
        cast(null as timestamp) as first_at,
        cast(null as timestamp) as last_at
    from {{ ref('protected_words') }}
    union all
    select
        'target_words' as source_name,
        count(*) as n,
        'words' as unit,
        cast(null as timestamp) as first_at,
        cast(null as timestamp) as last_at
    from {{ ref('target_words') }}
    union all
    select
        'stop_words' as source_name,
        count(*) as n,
        'words' as unit,
        cast(null as timestamp) as first_at,
        cast(null as timestamp) as last_at
    from {{ ref('stop_words') }}
    union all
    select
        'refusal_patterns' as source_name,
        count(*) as n,
        'patterns' as unit,
        cast(null as timestamp) as first_at,
        cast(null as timestamp) as last_at
    from {{ ref('refusal_patterns') }}
),

of_suites as (
    select
        'suite' as source_kind,
        suites.suite,
        suites.title as source_name,
        'version ' || suites.version as origin,
        suites.suite_key as revision,
        nullif(suites.licence, '') as licence,
        'the suite' as licence_from,
        nullif(suites.responsible, '') as attribution,
        runs.started_at as first_at,
        runs.started_at as last_at,
        suites.file_sha256 as sha256,
        coalesce(prompts.n, 0) as n,
        'prompts' as unit
    from suites
    left join runs using (run_id)
    left join prompts using (suite)
),

of_documents as (
    select
        'document' as source_kind,
        documents.suite,
        'Texts: ' || documents.source_kind as source_name,
        documents.found_in as origin,
        '' as revision,
        documents.licence,
        'the source' as licence_from,
        min(documents.retrieved_at) as first_at,
        max(documents.retrieved_at) as last_at,
        count(*) as n,
        'documents' as unit
    from documents
    group by documents.suite, documents.source_kind, documents.found_in, documents.licence
),

of_answers as (
    select
        'answers' as source_kind,
        suite,
        source_file as source_name,
        'loaded from a file' as origin,
        file_sha256 as revision,
        first_at,
        last_at,
        file_sha256 as sha256,
        n,
        'records' as unit
    from loads
),

of_models as (
    select
        'model' as source_kind,
        answered.suite,
        configs.config as source_name,
        configs.backend
        || case when configs.model in ('', configs.config) then '' else ': ' || configs.model end as origin,
        coalesce(configs.digest, '') as revision,
        -- The simulated backend says what the suite has it say.
        case when configs.is_simulated then nullif(suites.licence, '') else details.licence end as licence,
        case when configs.is_simulated then 'the suite' else 'the model''s server' end as licence_from,
        answered.first_at,
        answered.last_at,
        answered.n,
        'responses' as unit
    from answered
    inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
    inner join details using (config_key)
    left join suites using (suite)
),

of_tables as (
    select
        'statistics' as source_kind,
        figures.suite,
        truths.published_by as source_name,
        coalesce(truths.source_url, figures.source_file) as origin,
        figures.file_sha256 as revision,
        truths.licence,
        'the suite' as licence_from,
        truths.published_by as attribution,
        cast(min(truths.published_on) as timestamp) as first_at,
        cast(max(truths.published_on) as timestamp) as last_at,
        figures.file_sha256 as sha256,
        -- Categories may read the same rows of a file, or others.
        count(distinct figures.source_row) as n,
        'figures' as unit
    from {{ ref('stg_load__ground_truth_figures') }} as figures
    inner join {{ ref('stg_suite__ground_truths') }} as truths using (suite, category)
    group by
        figures.suite,
        truths.published_by,
        truths.source_url,
        figures.source_file,
        figures.file_sha256,
        truths.licence
),

of_scorers as (
    select
        'scorer' as source_kind,
        '' as suite,
        scorers.scorer as source_name,
        scorers.model as origin,
        coalesce(scorers.revision, '') as revision,
        licences.licence,
        'its publisher' as licence_from,
        licences.attribution,
        scorers.n_texts as n,
        'texts' as unit
    from {{ ref('dim_scorers') }} as scorers
    left join licences on licences.source_kind = 'scorer' and scorers.model = licences.source_name
),

of_seeds as (
    select
        licences.source_kind,
        '' as suite,
        replace(seeds.source_name, '_', ' ') as source_name,
        licences.origin,
        '' as revision,
        licences.licence,
        'its publisher' as licence_from,
        licences.attribution,
        seeds.first_at,
        seeds.last_at,
        seeds.n,
        seeds.unit
    from seeds
    inner join licences using (source_name)
),

collected as (
    {{ union_by_name([
        'of_suites', 'of_documents', 'of_answers', 'of_models', 'of_tables', 'of_scorers', 'of_seeds'
    ]) }}
)

select
    {{ contract_columns(without=['licence_from']) }},
    case
        when licence is null then null
        when attribution = 'Plumbline' then 'this project'
        else licence_from
    end as licence_from
from collected
