-- Grain: one row per suite, statistic, parameters: what a suite has resampled.
with suites as (
    select suite from {{ ref('stg_suite__suites') }}
),

declared as (
    select * from {{ ref('stg_suite__resampled') }}
),

-- A suite that was registered before it could say has what is resampled by default.
silent as (
    select suite from suites
    anti join declared on suites.suite = declared.suite
),

asked as (
    select
        suite,
        part,
        item
    from declared
    union all
    select
        suite,
        'statistic' as part,
        'mean' as item
    from silent
    union all
    select
        silent.suite,
        'standard' as part,
        standards.standard as item
    from silent
    inner join {{ ref('selection_standards') }} as standards on standards.is_default
    union all
    select
        silent.suite,
        'method' as part,
        methods.method as item
    from silent
    inner join {{ ref('selection_methods') }} as methods on methods.is_default
)

select
    asked.suite,
    statistics.statistic_id,
    statistics.statistic,
    coalesce(statistics.parameters, '') as parameters,
    statistics.needs_baseline,
    cast(null as integer) as standard_id,
    cast(null as integer) as method_id,
    false as is_default_criterion
from asked
inner join {{ ref('statistics') }} as statistics on asked.item = statistics.statistic
where asked.part = 'statistic'
union all
select
    of_standard.suite,
    cast(null as integer) as statistic_id,
    'selection_rate' as statistic,
    {{ criterion('standards.standard', 'methods.method') }} as parameters,
    false as needs_baseline,
    standards.standard_id,
    methods.method_id,
    standards.is_default and methods.is_default as is_default_criterion
from asked as of_standard
inner join asked as of_method
    on
        of_standard.suite = of_method.suite
        and of_standard.part = 'standard'
        and of_method.part = 'method'
inner join {{ ref('selection_standards') }} as standards on of_standard.item = standards.standard
inner join {{ ref('selection_methods') }} as methods on of_method.item = methods.method
-- Being in the fullest bin needs a standard that is one.
where standards.macro is null or not methods.needs_mode
