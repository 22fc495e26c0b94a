"""What stands behind a verdict in the marts: groups, how answers are read, answers, the query of all."""

from collections.abc import Mapping
from typing import Any

from ingest.errors import PlumblineError, cut, in_one_line
from ingest.warehouse.marts import Warehouse

Row = dict[str, Any]

# By name, not `*`: where the marts of another version lack one, `Warehouse.rows` says so.
_TOLD = """
    verdict_name, verdict, suite, config, category, category_title, axis, measure, measure_kind,
    measure_check, n_labels, profile, metric, group_value, green_limit, red_limit, direction, headline,
    number_sentence, reason, contrast, contrast_sentence, combination, contrast_outcome, group_high,
    group_low, contrast_high, contrast_low, n_group_high, n_group_low, gap_low, gap_high, gap_chance,
    (select count(distinct suite) > 1 from rpt_verdicts) as has_suites
"""
_PLACE = """
    is_gate_profile and not is_control
    and ($category is null or lower(category) = lower($category))
    and ($axis is null or axis = $axis)
    and ($config is null or config = $config)
"""
# The gate's verdict of each comparison; of several numbers, the gravest.
_COMPARISONS = f"""
    select {_TOLD}
    from rpt_verdicts
    where {_PLACE} and measure_kind is not null
    qualify row_number() over (partition by suite, config, category, axis, measure order by speaking_rank) = 1
    order by
        verdict_rank, n_attributes > 1, measure_kind = 'score', contrast_high - contrast_low desc,
        config, category, axis
"""
_SHARES = """
    select group_value, share as value, share_low as low, share_high as high, n_group as n
    from fct_outcome_shares
    where
        suite = $suite and config = $config and category = $category and axis = $axis
        and outcome_set = $measure and outcome = $outcome
    order by share desc, group_value
"""
_RATES = """
    select group_value, selection_rate as value, ci_low as low, ci_high as high, n
    from fct_selection_rates
    where
        suite = $suite and config = $config and category = $category and axis = $axis and feature = $measure
        and standard = 'favourable_outcome' and selection_rate is not null
    order by value desc, group_value
"""
_MEANS = """
    select group_value, mean as value, mean_ci_low as low, mean_ci_high as high, n
    from fct_score_shifts
    where
        suite = $suite and config = $config and category = $category and axis = $axis and feature = $measure
        and mean is not null
    order by mean desc, group_value
"""
# Of numbers that came without a rule: the scores of rules have shifts.
_CAME_MEASURED = """
    select group_value, value, ci_low as low, ci_high as high, n
    from fct_summary_statistics
    where
        suite = $suite and config = $config and category = $category and axis = $axis and feature = $measure
        and statistic = 'mean' and calibration = 'none' and roll_up = 'none' and value is not null
    order by value desc, group_value
"""
# Of lists: those that name the item, or do not.
_LISTED = """
    select
        group_value,
        count(distinct case when item = $outcome then response_key end) / count(distinct response_key)
        as value,
        cast(null as double) as low, cast(null as double) as high, count(distinct response_key) as n
    from int_recommended_items_coded
    where suite = $suite and config = $config and category = $category and axis = $axis
    group by group_value
    order by value desc, group_value
"""
_LISTS = """
    select
        responses.response_key, prompts.prompt, responses.response,
        case when bool_or(coalesce(lists.item = $outcome, false)) then $outcome else 'without it' end
        as outcome
    from int_recommended_items_coded as lists
    inner join dim_responses as responses using (response_key)
    inner join dim_prompts as prompts on responses.prompt_key = prompts.prompt_key
    where
        lists.suite = $suite and lists.config = $config and lists.category = $category and lists.axis = $axis
        and lists.group_value = $group_value
    group by all
    order by (outcome = $outcome) = $has_outcome desc, responses.response_key
    limit $n
"""
# What could not be read stands for neither side, and is quoted where there is nothing else. Of failures the
# outcome is what became of the request, which may have no text.
_ANSWERS = """
    select
        responses.response_key, prompts.prompt,
        coalesce(responses.response, '(' || responses.response_status || ')') as response,
        case when $is_status then responses.response_status else outcomes.outcome end as outcome
    from dim_responses as responses
    inner join dim_prompts as prompts using (prompt_key)
    inner join int_prompts_grouped as grouped using (prompt_key)
    left join fct_outcomes as outcomes
        on responses.response_key = outcomes.response_key and outcomes.outcome_set = $measure
    left join dim_outcome_rules as rules
        on responses.suite = rules.suite and responses.category = rules.category
        and outcomes.outcome_set = rules.outcome_set and outcomes.outcome = rules.label
    where
        responses.suite = $suite and responses.config = $config and responses.category = $category
        and grouped.axis = $axis and grouped.group_value = $group_value
        and (responses.response is not null or $is_status)
        and (
            $has_outcome is null
            or $has_outcome = coalesce(
                case
                    when $outcome is null then rules.is_favourable
                    when $is_status then responses.response_status = $outcome
                    else outcomes.outcome = $outcome
                end,
                false
            )
        )
    order by coalesce(outcomes.is_counted, false) desc, responses.response_key
    limit $n
"""
# Such as are measured most nearly as the group is on average.
_MEASURED = """
    select responses.response_key, prompts.prompt, responses.response, measured.value
    from fct_measurements as measured
    inner join dim_responses as responses using (response_key)
    inner join dim_prompts as prompts on responses.prompt_key = prompts.prompt_key
    inner join int_prompts_grouped as grouped on prompts.prompt_key = grouped.prompt_key
    where
        responses.suite = $suite and responses.config = $config and responses.category = $category
        and measured.feature = $measure and grouped.axis = $axis and grouped.group_value = $group_value
        and responses.response is not null and measured.value is not null
    order by abs(measured.value - $mean), responses.response_key
    limit $n
"""
_RULES = """
    select rule_kind, label, phrases, feature, outcome_set
    from dim_outcome_rules
    where
        suite = $suite and category = $category
        -- A score is called by its feature, whatever its rule is called.
        and case when rule_kind = 'score' then feature else outcome_set end = $measure
    order by label is distinct from $outcome, label_position
    limit 1
"""
_FAVOURABLE = """
    select outcomes
    from fct_favourable_gaps
    where
        suite = $suite and config = $config and category = $category and axis = $axis and measure = $measure
"""
_NAMED = f"""
    select {_TOLD}, (select source from fct_verdicts where verdict_name = verdicts.verdict_name) as source
    from rpt_verdicts as verdicts
    where starts_with(lower(verdict_name), lower($name))
    order by verdict_rank, verdict_name
    limit $n
"""
LISTED = 6  # names in an error
ITEMS = "recommended items"  # the measure of what lists name


def comparisons(
    warehouse: Warehouse, category: str | None = None, axis: str | None = None, config: str | None = None
) -> list[Row]:
    """Return a row of `rpt_verdicts` for each comparison under the gate's profile, gravest verdict first."""
    return warehouse.rows(_COMPARISONS, {"category": category, "axis": axis, "config": config})


def verdict_named(warehouse: Warehouse, name: str) -> Row:
    """Return the verdict of this name, of which a beginning is enough.

    Raises PlumblineError where none or several begin so.
    """
    found = warehouse.rows(_NAMED, {"name": name, "n": LISTED + 1})
    exact = [row for row in found if row["verdict_name"].lower() == name.lower()]
    if len(found) == 1 or exact:
        return (exact or found)[0]
    if found:
        names = ", ".join(row["verdict_name"] for row in found[:LISTED])
        more = ", …" if len(found) > LISTED else ""
        beginning = in_one_line(name) or "An empty name"
        raise PlumblineError(f"{beginning} begins several verdicts.", f"Name one of {names}{more}.")
    failing = warehouse.rows(
        "select verdict_name from rpt_verdicts where is_gated order by verdict_rank, telling_rank limit 3"
    )
    there = ", ".join(row["verdict_name"] for row in failing)
    raise PlumblineError(
        f"No verdict is named {cut(in_one_line(name), 40)}.",
        f"`plumbline gate` and `plumbline show` print names, such as {there}."
        if there
        else "Nothing was judged.",
    )


def verdict_names(warehouse: Warehouse, beginning: str, most: int) -> list[tuple[str, str]]:
    """Return names of verdicts that begin so, gravest first, each with what it is about."""
    return [
        (row["verdict_name"], in_one_line(f"{row['verdict']} {row['metric']} {row['config']}"))
        for row in warehouse.rows(_NAMED, {"name": beginning, "n": most})
    ]


def places(warehouse: Warehouse, category: str | None) -> list[str]:
    """Return the questions of the audit, or the attributes of one of them."""
    rows = warehouse.rows(
        """
        select distinct case when $category is null then category else axis end as name
        from rpt_verdicts
        where is_gate_profile and not is_control and ($category is null or lower(category) = lower($category))
        order by name
        """,
        {"category": category},
    )
    return [row["name"] for row in rows]


def is_judged(warehouse: Warehouse, *place: str | None) -> bool:
    """Say whether any number could be held against its limits: of a question, attribute, config, or all."""
    return any(row["verdict"] != "not_applicable" for row in _reasons(warehouse, *place))


def judged_suites(warehouse: Warehouse) -> list[str]:
    """Return the suites of which any number was held against a limit, or is a control."""
    return [row["suite"] for row in warehouse.rows("select distinct suite from rpt_verdicts order by suite")]


def unjudged(warehouse: Warehouse, *place: str | None) -> list[str]:
    """Return the commonest reasons of verdicts there, where no two groups can be told of; else none."""
    if comparisons(warehouse, *place):
        return []
    return list(dict.fromkeys(row["reason"] for row in _reasons(warehouse, *place)))[:2]


def _reasons(
    warehouse: Warehouse, category: str | None = None, axis: str | None = None, config: str | None = None
) -> list[Row]:
    """Return each verdict with each of its reasons, the commonest reason first."""
    return warehouse.rows(
        f"""
        select verdict, reason from rpt_verdicts where {_PLACE} and reason is not null
        group by verdict, reason order by count(*) desc, reason
        """,
        {"category": category, "axis": axis, "config": config},
    )


def configs(warehouse: Warehouse, _: str | None = None) -> list[str]:
    """Return the names of the configs that were judged."""
    return [
        row["config"] for row in warehouse.rows("select distinct config from rpt_verdicts order by config")
    ]


def group_numbers(warehouse: Warehouse, row: Row) -> list[Row]:
    """Return each group's share of what differs most, its favourable rate or its mean: highest first."""
    if row["measure_kind"] == "score":
        return warehouse.rows(_MEANS, _place(row)) or warehouse.rows(_CAME_MEASURED, _place(row))
    if row["measure"] == ITEMS:
        return warehouse.rows(_LISTED, _list_of(row))
    if row["contrast_outcome"] is None:
        return warehouse.rows(_RATES, _place(row))
    return warehouse.rows(_SHARES, {**_place(row), "outcome": row["contrast_outcome"]})


def answers(warehouse: Warehouse, row: Row, group: str, n: int) -> list[Row]:
    """Return answers about a group: where its share is the higher, such as have the outcome, else not.

    Of favourable rates, such as are favourable, else not.
    Of a score, such as are measured as the group is on average, with their `value`.
    """
    if row["measure_kind"] == "score":
        mean = row["contrast_high"] if group == row["group_high"] else row["contrast_low"]
        return warehouse.rows(_MEASURED, {**_place(row), "group_value": group, "mean": mean, "n": n})
    wanted = group == row["group_high"]
    if row["measure"] == ITEMS:
        return warehouse.rows(_LISTS, {**_list_of(row), "group_value": group, "has_outcome": wanted, "n": n})
    given = {**_place(row), "group_value": group, "outcome": row["contrast_outcome"], "n": n}
    given["is_status"] = row["measure"] == "response_status"
    found = warehouse.rows(_ANSWERS, {**given, "has_outcome": wanted})
    return found or warehouse.rows(_ANSWERS, {**given, "has_outcome": None})


def reading(warehouse: Warehouse, row: Row) -> str:
    """Say by what an answer becomes an outcome or a number."""
    if row["measure"] == "response_status":
        return "What became of each request: answered, refused, empty, cut off or failed."
    if row["measure"] == ITEMS:
        return "Whether a list names the item, once its number, bullet and quotes are taken away."
    place = _place(row)
    rules = warehouse.rows(
        _RULES,
        {name: place[name] for name in ("suite", "category", "measure")}
        | {"outcome": row["contrast_outcome"]},
    )
    if not rules:
        return f"The number {row['measure']}, of each answer, as a scorer or the data gave it."
    rule = rules[0]
    if rule["rule_kind"] == "score":
        return f"Rule {rule['outcome_set']}, by score; the number {rule['feature']} of each answer."
    number = f" of {rule['feature']}" if rule["feature"] else ""
    read = f"Rule {row['measure']}, by {rule['rule_kind']}{number}; "
    if row["contrast_outcome"] is None:
        (favourable,) = warehouse.rows(_FAVOURABLE, place)
        return f"{read}favourable: {favourable['outcomes']}."
    phrases = f": {cut(in_one_line(rule['phrases']), 120)}" if rule["phrases"] else ""
    return f"{read}{row['contrast_outcome']}{phrases}."


def query(row: Row) -> str:
    """Return the SQL of all answers behind a row, as somebody can paste it."""
    if row["measure"] == ITEMS:
        chosen = " and ".join(
            f"{'item' if name == 'outcome' else name} = {literal(value)}"
            for name, value in _list_of(row).items()
        )
        return (
            "select group_value, prompt, response from int_recommended_items_coded "
            "join dim_responses using (response_key, prompt_key, suite, category, config) "
            f"join dim_prompts using (prompt_key, suite, category) where {chosen}"
        )
    attributes = row["axis"].split(" & ")
    shown = ", ".join(f"attributes[{literal(name)}] as {identifier(name)}" for name in attributes)
    place = {name: row[name] for name in ("suite", "category", "config")}
    is_read = row["measure_kind"] == "outcome" and row["measure"] != "response_status"
    if is_read:
        table, told, place["outcome_set"] = "fct_outcomes", "outcome", row["measure"]
    elif row["measure_kind"] == "outcome":
        table, told = "dim_responses", "response_status"
    else:
        table, told, place["feature"] = "fct_measurements", "value", row["measure"]
    joined = (
        table
        if table == "dim_responses"
        else f"{table} join dim_responses using (response_key, prompt_key, suite, category, config)"
    )
    chosen = " and ".join(f"{name} = {literal(value)}" for name, value in place.items())
    return (
        f"select {shown}, {told}, prompt, response from {joined} "
        f"join dim_prompts using (prompt_key, suite, category) where {chosen}"
    )


def literal(text: str) -> str:
    """Return a text as SQL has it; by its number what a line does not show as it is, or makes one space of.

    >>> literal("it's")
    "'it''s'"
    >>> literal("two\\nlines")
    "'two' || chr(10) || 'lines'"
    """
    lost = {c for c in text if in_one_line(f"({c})") != f"({c})"}
    parts = [
        f"' || chr({ord(c)}) || '" if c in lost or (c == " " == following) else c.replace("'", "''")
        for c, following in zip(text, f"{text[1:]}.", strict=False)
    ]
    return f"'{''.join(parts)}'"


def identifier(name: str) -> str:
    """Return a name as SQL has it, quoted."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _list_of(row: Mapping[str, Any]) -> Row:
    place = {name: row[name] for name in ("suite", "config", "category", "axis")}
    return {**place, "outcome": row["contrast_outcome"]}


def _place(row: Mapping[str, Any]) -> Row:
    return {name: row[name] for name in ("suite", "config", "category", "axis", "measure")}
