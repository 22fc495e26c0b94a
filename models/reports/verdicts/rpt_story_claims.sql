-- Grain: one row per suite, config, position: what may be written of a config, and what may not.
{% set words = "replace({}, '_', ' ')" -%}
{%- set differ = "'Answers about groups of ' || axis || ' differ by more than chance gives'" %}
{#- Each sentence with the state that it needs; `because` says why something may not be written. -#}
{%- set claims = [
    {'kind': 'may', 'if': "measure_kind = 'outcome'", 'sentence':
        "contrast_sentence || few_answers"},
    {'kind': 'may', 'if': "measure_kind = 'score'", 'sentence':
        "upper(left(" ~ measure_in_words('measure') ~ ", 1)) || substr(" ~ measure_in_words('measure') ~ ", 2) || ' is ' || "
        ~ rounded_apart('contrast_high', ['contrast_low'], within=0.001) ~ " || ' on average in ' || answers_high || ' about '
        || group_high || ', and ' || "
        ~ rounded_apart('contrast_low', ['contrast_high'], within=0.001) ~ " || ' in ' || " ~ with_commas('n_group_low') ~ " || ' about ' || group_low || '.' || few_answers"},
    {'kind': 'may', 'if': "combination is not null and not is_untestable", 'sentence': "combination"},
    {'kind': 'may', 'if': "measure_kind is null and contrast is not null", 'sentence': words.format('contrast') ~ " || '.'"},
    {'kind': 'may', 'if': "verdict = 'fail' and is_gap_beyond and not is_p_value", 'sentence':
        "'This difference is larger than chance gives, and larger than the limit allows.'"},
    {'kind': 'may', 'if': "verdict = 'fail' and not is_gap_beyond and not is_p_value", 'sentence':
        differ ~ " || ', and more than the limit allows.'"},
    {'kind': 'may', 'if': "verdict = 'fail' and is_gap_beyond and is_p_value", 'sentence':
        "'This difference is larger than chance gives. The limit asks how sure that is, not how large it is.'"},
    {'kind': 'may', 'if': "verdict = 'fail' and not is_gap_beyond and is_p_value", 'sentence':
        differ ~ " || '. The limit asks how sure that is, not how much they differ.'"},
    {'kind': 'may', 'if': "verdict = 'monitor' and is_significant and is_gap_beyond", 'sentence':
        "'This difference is larger than chance gives. It is not beyond the fail limit.'"},
    {'kind': 'may', 'if': "verdict = 'monitor' and is_significant and not is_gap_beyond", 'sentence':
        differ ~ " || '. It is not beyond the fail limit.'"},
    {'kind': 'may', 'if': "verdict = 'monitor' and not is_significant", 'sentence':
        "'The difference lies beyond the pass limit, and not beyond the fail limit.'"},
    {'kind': 'may', 'if': "verdict = 'inconclusive' and is_significant and not is_untestable", 'sentence':
        differ ~ " || '. Whether they differ too much is open.'"},
    {'kind': 'may', 'if': "verdict = 'inconclusive' and (not is_significant or is_untestable)", 'sentence':
        "'Whether ' || named || ' treats these groups differently' || ', this audit cannot tell.'"},
    {'kind': 'may', 'if': "verdict = 'pass'", 'sentence':
        "'In this question, the data exclude a difference beyond the pass limit.'"},
    {'kind': 'may', 'if': "n_comparisons > 0", 'sentence':
        "'Of the comparisons of ' || named || ', ' || n_fail || ' fail, ' || n_monitor
        || ' need watching, ' || n_pass || ' pass and ' || n_open || ' stay open.'"},
    {'kind': 'may', 'if': "n_comparisons = 0 and n_usable > 0", 'sentence':
        "named || ' gave ' || " ~ with_commas('n_usable') ~ " || ' answers. No difference was judged.'"},
    {'kind': 'may', 'if': "n_comparisons = 0 and n_usable = 0", 'sentence':
        "'Of ' || " ~ with_commas('n_responses') ~ " || ' requests to ' || named || ', none brought an answer that could be used.'"},
    {'kind': 'may', 'if': "measure_check = 'corrected'", 'sentence':
        "'People read ' || " ~ with_commas('n_labels') ~ " || ' of these answers, and the numbers are corrected by that.'"},
    {'kind': 'may_not', 'if': "is_simulated", 'sentence': "'A real model answers so.'",
        'because': "'A program wrote these answers. No model was asked.'"},
    {'kind': 'may_not', 'if': "measure_kind is not null and not (is_gap_beyond and is_judged_different)", 'sentence':
        "named || ' treats ' || group_high || ' and ' || group_low || ' differently.'",
        'because': "case when lacks = 'several_units' then 'One name or text stands for a whole group. The difference may be theirs.'
            when is_untestable then 'No valid test of the groups could be made.'
            when is_gap_beyond then 'Too little is known to rule out chance.' else 'This gap may be chance.' end"},
    {'kind': 'may_not', 'if': "is_judged_different and measure_kind = 'outcome' and contrast_low > 0.005 and not is_status", 'sentence':
        "named || ' says so of ' || group_high || ' alone.'",
        'because': "case when measure = 'recommended items' then " ~ with_commas('n_cell_low') ~ " || ' of ' || " ~ with_commas('n_group_low')
        ~ " || ' lists about ' || group_low || case when n_cell_low = 1 then ' names' else ' name' end || ' it, too.' when n_cell_low is null then 'Of 100 answers about ' || group_low || ', people would read ' || " ~ of_hundred('contrast_low')
        ~ " || ' the same.' else " ~ with_commas('n_cell_low') ~ " || ' of ' || " ~ with_commas('n_group_low')
        ~ " || ' answers about ' || group_low || case when n_cell_low = 1 then ' is' else ' are' end || ' read the same.' end"},
    {'kind': 'may_not', 'if': "is_judged_different", 'sentence': "'Why ' || named || ' does so.'",
        'because': "'An audit sees answers. It sees no causes.'"},
    {'kind': 'may_not', 'if': "n_fail > 0", 'sentence': "named || ' breaks the law.'",
        'because': "'Limits are choices of the profile ' || " ~ words.format('gate_profile') ~ " || '. No court set them.'"},
    {'kind': 'may_not', 'if': "n_fail = 0", 'sentence': "named || ' is fair.'",
        'because': "case when n_comparisons = 0 then 'Nothing was judged.'
            when n_open > 0 then 'That nothing fails does not show that groups are treated alike.'
            else 'Every pass holds for these prompts alone.' end"},
    {'kind': 'may_not', 'if': "n_fail > 0 and n_pass > 0", 'sentence': "named || ' is fair in all else.'",
        'because': "case when n_open > 0 then n_open || ' of ' || n_comparisons || ' comparisons are open.'
            else 'Every pass holds for these prompts alone.' end"},
    {'kind': 'may_not', 'if': "measure_check = 'unvalidated' and n_usable > 0", 'sentence': "'People found this in the answers.'",
        'because': "'Rules or programs read the answers. No person has checked them.'"},
    {'kind': 'may_not', 'if': "n_missing > 0", 'sentence': "'All who were asked about gave an answer.'",
        'because': with_commas('n_missing') ~ " || ' answers are missing in this comparison.'"},
    {'kind': 'may_not', 'if': "n_prompts > 0", 'sentence': "named || ' does so everywhere.'",
        'because': "'It was asked ' || " ~ with_commas('n_prompts') ~ " || ' prompts. Nobody knows its other answers.'"},
] -%}
with configs as (
    select * from {{ ref('rpt_configs') }}
),

told as (
    select
        verdicts.suite,
        verdicts.config,
        {{ isolated('verdicts.axis') }} as axis,
        verdicts.measure,
        verdicts.measure_kind,
        verdicts.contrast,
        verdicts.contrast_sentence,
        verdicts.combination,
        verdicts.contrast_high,
        verdicts.contrast_low,
        verdicts.n_cell_low,
        verdicts.n_group_low,
        {{ with_commas('verdicts.n_group_high') }}
        || case when verdicts.n_group_high = 1 then ' answer' else ' answers' end as answers_high,
        {{ isolated('verdicts.group_high') }} as group_high,
        {{ isolated('verdicts.group_low') }} as group_low,
        verdicts.verdict,
        verdicts.measure_check,
        verdicts.n_labels,
        verdicts.n_missing,
        judged.is_significant,
        judged.lacks,
        -- Names, texts or questions may differ where groups do not, however sure their difference is.
        coalesce(judged.lacks in ('several_units', 'valid_test'), false) as is_untestable,
        -- Shares of few answers move far with one of them.
        case
            when not judged.is_adequate_n and judged.n_smallest_group > 0
                then
                    ' One of the groups that were compared has only '
                    || case
                        when judged.n_smallest_group = 1 then 'one'
                        else {{ with_commas('judged.n_smallest_group') }}
                    end
                    || case when verdicts.measure = 'response_status' then ' request' else ' answer' end
                    || case when judged.n_smallest_group = 1 then '.' else 's.' end
            else ''
        end as few_answers,
        verdicts.measure = 'response_status' as is_status,
        coalesce(verdicts.metric = 'chi_square_p', false) as is_p_value,
        -- Without chance drawn beside it, a gap is not known to be beyond it.
        -- That of favourable rates is what the verdict's own test is of.
        coalesce(
            verdicts.contrast_high - verdicts.contrast_low > verdicts.gap_chance,
            verdicts.measure_kind = 'outcome' and verdicts.contrast_outcome is null and judged.is_significant,
            false
        )
            as is_gap_beyond
    from {{ ref('rpt_verdicts') }} as verdicts
    inner join {{ ref('fct_verdicts') }} as judged using (verdict_name)
    where verdicts.telling_rank = 1 and verdicts.is_gate_profile and not verdicts.is_control
),

comparisons as (
    select
        suite,
        config,
        min(verdict_rank) as verdict_rank
    from {{ ref('rpt_verdicts') }}
    where is_gated and not is_control and verdict <> 'not_applicable'
    group by suite, config, category, axis
),

counted as (
    select
        suite,
        config,
        count(*) as n_comparisons,
        count(*) filter (where verdict_rank = 1) as n_fail,
        count(*) filter (where verdict_rank = 2) as n_monitor,
        count(*) filter (where verdict_rank = 3) as n_open,
        count(*) filter (where verdict_rank = 4) as n_pass
    from comparisons
    group by suite, config
),

facts as (
    select
        configs.suite,
        configs.config,
        {{ isolated('configs.config') }} as named,
        configs.is_simulated,
        configs.gate_profile,
        configs.n_prompts,
        configs.n_responses,
        configs.n_usable,
        told.axis,
        told.measure,
        told.measure_kind,
        told.contrast,
        told.contrast_sentence,
        told.combination,
        told.contrast_high,
        told.contrast_low,
        told.n_cell_low,
        told.n_group_low,
        told.answers_high,
        told.group_high,
        told.group_low,
        told.verdict,
        told.measure_check,
        told.n_labels,
        told.n_missing,
        told.is_significant,
        told.lacks,
        told.is_untestable,
        told.is_p_value,
        told.is_status,
        told.few_answers,
        told.is_gap_beyond,
        told.verdict in ('fail', 'monitor') and told.is_significant as is_judged_different,
        coalesce(counted.n_comparisons, 0) as n_comparisons,
        coalesce(counted.n_fail, 0) as n_fail,
        coalesce(counted.n_monitor, 0) as n_monitor,
        coalesce(counted.n_open, 0) as n_open,
        coalesce(counted.n_pass, 0) as n_pass
    from configs
    left join told using (suite, config)
    left join counted using (suite, config)
),

claimed as (
    {%- for claim in claims %}
    select
        suite,
        config,
        is_simulated,
        {{ loop.index }} as position,
        '{{ claim.kind }}' as kind,
        {{ claim.sentence }} as sentence,
        {{ claim.because | default('cast(null as string)') }} as because
    from facts
    where {{ claim['if'] }}
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
)

select {{ contract_columns() }}
from claimed
