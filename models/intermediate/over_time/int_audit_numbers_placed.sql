-- Grain: one row per audit_key, number_key: a number is the same one in all audits. The group of a smallest
-- or largest number is what an audit found, and may be another in the next. `answers`: what it is of. A look
-- asks anew; whole audits may be of the same answers. Of audits of older versions the whole folder tells.
-- They kept no groups: those of the first that did.
with placed as (
    select
        md5(concat_ws(
            chr(31),
            numbers.suite, numbers.category, numbers.config,
            case when numbers.is_simulated then 'simulated' else '' end,
            numbers.measure, numbers.axis, numbers.metric,
            case
                when {{ begins_with('numbers.metric', 'min_') }} then ''
                when {{ begins_with('numbers.metric', 'max_') }} then ''
                else numbers.group_value
            end
        )) as number_key,
        coalesce(audits.plan_key, '') as series_key,
        audits.place,
        audits.n_looks,
        audits.is_look,
        audits.audited_at,
        case
            when audits.is_look then audits.audit_key
            else coalesce(numbers.answers_key, audits.answers_hash)
        end as answers,
        coalesce(numbers.is_corrected, false) as is_read_by_people,
        numbers.* {{ without('compared_groups, answers_key, is_corrected') }},
        numbers.compared_groups as kept_groups
    from {{ ref('stg_audit__numbers') }} as numbers
    inner join {{ ref('int_audits_placed') }} as audits using (audit_key)
),

first_groups as (
    select
        series_key,
        number_key,
        min_by(kept_groups, place) as groups_of_first
    from placed
    where kept_groups is not null
    group by series_key, number_key
)

select
    placed.* {{ without('kept_groups') }},
    coalesce(placed.kept_groups, first_groups.groups_of_first) as compared_groups
from placed
left join first_groups using (series_key, number_key)
