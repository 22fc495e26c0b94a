-- Grain: one row per suite.
select
    suite,
    {{ json_text('definition', 'title') }} as title,
    {{ json_text('definition', 'description') }} as description,
    cast({{ json_text('definition', 'version') }} as integer) as version, -- noqa: RF04
    {{ json_text('definition', 'language') }} as language, -- noqa: RF04
    {{ json_text('definition', 'variant') }} as variant,
    {{ json_texts('definition', 'profiles') }} as profiles,
    cast({{ json_text('definition', 'minimum.group') }} as integer) as minimum_group,
    cast({{ json_text('definition', 'minimum.cell') }} as integer) as minimum_cell,
    cast({{ json_text('definition', 'minimum.coverage') }} as double) as minimum_coverage,
    cast({{ json_text('definition', 'resampling.seed') }} as bigint) as seed,
    cast({{ json_text('definition', 'resampling.permutations') }} as integer) as n_permutations,
    cast({{ json_text('definition', 'resampling.bootstrap') }} as integer) as n_bootstrap,
    {{ json_texts('definition', 'scorers') }} as scorers,
    nullif({{ json_text('definition', 'responsible') }}, '') as responsible,
    nullif({{ json_text('definition', 'licence') }}, '') as licence,
    {{ json_text('definition', 'families.gate') }} as gate_family,
    coalesce({{ json_text('definition', 'no_role') }}, '') as no_role,
    {{ json_text('definition', 'columns.candidates.choice') }} as choice_set,
    cast(greatest(
        {{ list_length(json_texts('definition', 'columns.candidates.called')) }},
        {{ list_length(json_texts('definition', 'columns.candidates.name')) }}
    ) as integer) as n_candidates
from {{ source('raw', 'suites') }}
