-- Grain: one row per suite.
select
    suite,
    {{ json_texts('definition', 'stereotypes.categories') }} as categories,
    {{ json_text('definition', 'stereotypes.languages') }} as languages,
    {{ json_texts('definition', 'stereotypes.counting') }} as countings,
    {{ json_text('definition', 'stereotypes.tokeniser') }} as tokeniser,
    cast({{ json_text('definition', 'stereotypes.beta') }} as double) as beta,
    cast({{ json_text('definition', 'stereotypes.smoothing') }} as double) as smoothing,
    cast({{ json_text('definition', 'stereotypes.normalise_sizes') }} as boolean) as is_size_normalised
from {{ source('raw', 'suites') }}
where {{ json_text('definition', 'stereotypes.tokeniser') }} is not null
