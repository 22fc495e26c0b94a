"""A stratified random sample of a suite's usable answers, for people to read.

What is drawn is one answer under one outcome set. Its strata are its category, outcome set and config, and as
far as there are answers enough: the label as the rule reads it now, the group that the prompt is about, and
whether the rule was sure of it (margin). An answer's place in its stratum is a hash of the seed and of the
answer, so neither the order of rows nor what else there is changes what is drawn.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.labelling.allocation import allocate
from ingest.store import AUDIT_NAME, Store, utc_now
from ingest.store.opening import attach
from ingest.suite import Suite
from ingest.suite.fields import AXIS_SEPARATOR, PROMPT_COLUMNS

LEAST = 2  # drawn of each stratum: one alone has no variance
ENOUGH = 4  # drawn of a stratum on average, for all attributes together to be worth it
BY = "by "

# Bounds are those of all answers of the suite, whatever of them is asked for. An answer is as old as the
# draws since it came: those that could have hit it.
USABLE = """
    create or replace temp table usable as
    with read as (
        select response_key, prompt_key, category, outcome_set, config, rule_kind, n_matches, margin, score,
            outcome, outcome_status
        from marts.fct_outcomes
        where suite = $suite and response_status = 'ok'
    ),
    bounds as (
        select category, outcome_set, median(margin) as middle,
            quantile_cont(score, 1 / 3) as low, quantile_cont(score, 2 / 3) as high
        from read group by all
    ),
    earlier as (
        select category, outcome_set, list(distinct drawn_at) as draws
        from label_samples where suite = $suite group by all
    ),
    drawn as (
        select distinct outcome_set, response_key from label_samples where suite = $suite
    )
    select
        read.response_key, read.prompt_key, read.category, read.outcome_set, read.config, responses.text_key,
        coalesce(
            read.outcome,
            case
                when read.score < bounds.low then 'low'
                when read.score > bounds.high then 'high'
                when read.score is not null then 'middle'
            end,
            read.outcome_status
        ) as label,
        case
            when read.rule_kind = 'score' then ''
            when read.margin < bounds.middle or read.n_matches > 1 then 'near'
            else 'clear'
        end as margin,
        drawn.response_key is not null as is_drawn,
        len(list_filter(
            coalesce(earlier.draws, []), draw -> draw >= coalesce(runs.started_at, timestamp '-infinity')
        )) as age
    from read
    inner join bounds using (category, outcome_set)
    inner join responses using (response_key)
    left join runs on responses.run_id = runs.run_id
    left join earlier using (category, outcome_set)
    left join drawn using (outcome_set, response_key)
    where responses.text_key is not null
"""

# There may be many more answers than cells, so that trying strata costs little.
CELLS = """
    create or replace temp table cells as
    select
        category, outcome_set, config, label, margin, prompt_key, count(*) as n,
        count(*) filter (is_drawn) as n_drawn
    from usable group by all
"""

STRATIFIED = """
    create or replace temp table stratified as
    with traits as (
        select
            prompt_key,
            map_concat(map(['source_tag', 'keyword'], [source_tag, keyword]), attributes) as trait
        from prompts where suite = $suite
    )
    select
        cells.*,
        '{' || concat_ws(
            ', ',
            '"config": ' || to_json(cells.config),
            case when parts.label then '"label": ' || to_json(cells.label) end,
            case when parts.axis is not null then
                to_json('by ' || parts.axis) || ': ' || to_json(array_to_string(
                    list_transform(parts.attributes, one -> coalesce(traits.trait[one], '–')), ' & '
                ))
            end,
            case when parts.margin and cells.margin <> '' then '"margin": ' || to_json(cells.margin) end
        ) || '}' as stratum
    from cells
    inner join parts using (category, outcome_set)
    inner join traits using (prompt_key)
    where len($configs) = 0 or list_contains($configs, cells.config)
"""

SIZES = """
    select
        category, outcome_set, stratum, cast(sum(n) as bigint) as n,
        cast(sum(n_drawn) as bigint) as n_drawn
    from stratified group by all order by all
"""

NEEDED = f"""
    select count(*), coalesce(sum(n_drawn), 0), coalesce(sum(greatest(least(n, {LEAST}) - n_drawn, 0)), 0)
    from ({SIZES})
"""

# Before this draw an answer had the chance that those of its stratum and age had; then this draw came on top.
# Where no answers came since the last draw that is (drawn so far) / (all) of its stratum.
SAMPLE = """
    create or replace temp table drawn_answers as
    with placed as (
        select
            usable.response_key, usable.prompt_key, usable.outcome_set, usable.text_key, usable.is_drawn,
            usable.age, allocated.place, allocated.n_new
        from usable
        inner join stratified using (category, outcome_set, config, label, margin, prompt_key)
        inner join allocated using (category, outcome_set, stratum)
    ),
    ages as (
        select place, age, count(*) filter (is_drawn) / count(*) as chance_before from placed group by all
    ),
    chosen as (
        select * from placed where is_drawn
        union all
        (
            select * from placed where not is_drawn and n_new > 0
            qualify row_number() over (
                partition by place
                order by md5_number_lower($seed || ' ' || outcome_set || ' ' || response_key), response_key
            ) <= n_new
        )
    )
    select
        allocated.category, allocated.outcome_set, chosen.response_key, chosen.prompt_key, chosen.text_key,
        allocated.stratum, not chosen.is_drawn as is_new,
        ages.chance_before
        + (1 - ages.chance_before) * allocated.n_new / greatest(allocated.n - allocated.n_drawn, 1)
            as probability
    from chosen
    inner join allocated using (place)
    inner join ages using (place, age)
"""

MOVED = """
    with last as (
        select outcome_set, response_key, arg_max(stratum, drawn_at) as stratum
        from label_samples where suite = ? group by all
    )
    select count(*)
    from drawn_answers inner join last using (outcome_set, response_key)
    where drawn_answers.stratum <> last.stratum
"""

ITEMS = """
    select
        sample.category, sample.outcome_set, sample.response_key, prompts.prompt, texts.text,
        coalesce(prompts.keyword, '') as keyword, prompts.shown_by
    from drawn_answers as sample
    inner join prompts using (prompt_key)
    inner join texts using (text_key)
    where sample.is_new
    order by
        md5($sample_key || sample.category || ' ' || sample.outcome_set),
        md5($sample_key || sample.outcome_set || ' ' || sample.response_key)
"""


class Parts(NamedTuple):
    """What strata are made by, besides category, outcome set and config."""

    label: bool
    axis: str | None
    margin: bool

    def __str__(self) -> str:
        named = [("label", self.label), (self.axis, self.axis), ("margin", self.margin)]
        return ", ".join(["config", *(str(name) for name, is_part in named if is_part)])


class Item(NamedTuple):
    """A drawn answer as it is stored."""

    category: str
    outcome_set: str
    response_key: str
    prompt: str
    answer: str
    keyword: str
    shown_by: dict[str, str]  # attribute -> what shows it in the prompt


class Stratum(NamedTuple):
    """One stratum, and how many of it were drawn."""

    category: str
    outcome_set: str
    n: int
    n_before: int
    n_new: int


class Wanted(NamedTuple):
    """What to draw: of all where a list is empty."""

    n: int
    categories: Sequence[str] = ()
    configs: Sequence[str] = ()
    sets: Sequence[str] = ()
    axis: str | None = None
    seed: int = 0


@dataclass(frozen=True)
class Sample:
    """What was drawn. `notes` say where the strata are others than somebody may expect."""

    sample_key: str
    items: list[Item]
    strata: list[Stratum]
    parts: dict[tuple[str, str], Parts]
    notes: list[str]


def draw(store: Store, data: Path, suite: Suite, wanted: Wanted, run_id: str) -> Sample:
    """Draw answers that no earlier sample holds, and write the sample; the caller holds the transaction.

    Raises PlumblineError where there is nothing to draw, or too few are asked for.
    """
    attach(store.connection, data / AUDIT_NAME, "marts")
    execute = store.connection.execute
    execute(USABLE, {"suite": suite.suite})
    execute(CELLS)
    sets = _chosen(store, suite, wanted)
    found, notes = _parts(store, suite, wanted, sets)
    strata, n_new = _allocated(store, wanted, found)
    columns = {
        name: [row[i] for row in strata] for i, name in enumerate(("category", "outcome_set", "stratum"))
    }
    sizes = {
        "place": range(len(strata)),
        "n": [row[3] for row in strata],
        "n_drawn": [row[4] for row in strata],
        "n_new": n_new,
    }
    # Each draw has its own order: in the first one's, what came since would stand before what that one left.
    n_earlier = store.value(
        "select count(distinct sample_key) from label_samples where suite = ?", [suite.suite]
    )
    with store.registered("allocated", {**columns, **sizes}):
        execute(SAMPLE, {"seed": f"{wanted.seed} {n_earlier}"})
    n_moved = store.value(MOVED, [suite.suite])
    if n_moved:
        notes.append(
            f"{n_moved:,} answers drawn earlier are in other strata now, as rules or answers have changed: "
            "how likely they were drawn is an approximation."
        )
    drawn = store.rows("select outcome_set, response_key from drawn_answers order by all")
    sample_key = key("sample", suite.suite, drawn)
    execute(
        """
        insert into label_samples by name
        select $sample_key as sample_key, $suite as suite, category, outcome_set, response_key, stratum,
            probability, is_new, cast($now as timestamp) as drawn_at, $run_id as run_id
        from drawn_answers as sample
        """,
        {"sample_key": sample_key, "suite": suite.suite, "now": utc_now(), "run_id": run_id},
    )
    items = [Item(*row) for row in execute(ITEMS, {"sample_key": sample_key}).fetchall()]
    rows = zip(strata, n_new.tolist(), strict=True)
    listed = [Stratum(row[0], row[1], row[3], row[4], n) for row, n in rows]
    return Sample(sample_key, items, listed, found, notes)


def _chosen(store: Store, suite: Suite, wanted: Wanted) -> list[tuple[str, str]]:
    """Return the category and outcome set of what can be drawn."""
    chosen = store.rows(
        """
        select distinct category, outcome_set from cells
        where
            (len($1) = 0 or list_contains($1, category))
            and (len($2) = 0 or list_contains($2, outcome_set))
            and (len($3) = 0 or list_contains($3, config))
        order by all
        """,
        [list(wanted.categories), list(wanted.sets), list(wanted.configs)],
    )
    if chosen:
        return chosen
    configs = [config for (config,) in store.rows("select distinct config from cells order by all")]
    if not configs:
        raise PlumblineError(
            f"{suite.suite} has no usable answer with a text that an outcome rule reads: nothing to label.",
            "Bring in answers, give a category `outcomes:`, then run `plumbline audit SUITE`.",
        )
    raise PlumblineError(
        "No usable answer fits what --category, --set and --config name.",
        f"The answers are of {', '.join(configs)}.",
    )


def _parts(
    store: Store, suite: Suite, wanted: Wanted, sets: Sequence[tuple[str, str]]
) -> tuple[dict[tuple[str, str], Parts], list[str]]:
    """Return what each outcome set's strata are made by, and what is to be said of it.

    A set that was drawn from before keeps its strata: only so is it known how likely an answer was drawn.
    Else the finest strata that `wanted.n` is enough for.
    """
    kept = _kept(store, suite, wanted, sets)
    shown = _shown_axes(store, suite, [code for code, _ in sets])
    is_score = {(code, rule.set): rule.is_score for code, rule in suite.rules()}
    tried = []
    for whole, parts in _levels(wanted.axis):
        found = {}
        for code, outcome_set in sets:
            every, first = shown[code]
            axis = parts.axis if wanted.axis else {"every": every, "first": first, None: None}[parts.axis]
            found[code, outcome_set] = kept.get((code, outcome_set)) or Parts(
                parts.label, axis, parts.margin and not is_score.get((code, outcome_set))
            )
        _stratify(store, suite, wanted, found)
        n_strata, n_drawn, n_needed = store.rows(NEEDED)[0]
        if len(kept) == len(sets) or (
            wanted.n + n_drawn >= ENOUGH * n_strata if whole else wanted.n >= n_needed
        ):
            break
        tried.append(n_strata)
    if n_needed > wanted.n:
        raise PlumblineError(
            f"--n {wanted.n:,} is too few: {len(sets):,} outcome sets with their configs need {n_needed:,}.",
            "Ask for more, or name what to label first: --category, --set, --config.",
        )
    notes = []
    if tried:
        fewest = min(
            (parts for set_, parts in found.items() if set_ not in kept), key=lambda parts: len(str(parts))
        )
        notes.append(
            f"The finest strata would be {tried[0]:,}, too many for {wanted.n:,} answers: they are by "
            f"{fewest}. A larger --n or one --category makes them finer, --by AXIS chooses the groups."
        )
    return found, notes


def _levels(axis: str | None) -> list[tuple[bool, Parts]]:
    """Return the strata to try, the finest first, and whether they are to have ENOUGH."""
    if axis:
        return [
            (False, Parts(label, axis, margin))
            for label, margin in ((True, True), (True, False), (False, False))
        ]
    return [
        (True, Parts(True, "every", True)),
        (False, Parts(True, "first", True)),
        (False, Parts(True, "first", False)),
        (False, Parts(True, None, False)),
        (False, Parts(False, None, False)),
    ]


def _kept(
    store: Store, suite: Suite, wanted: Wanted, sets: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Parts]:
    """Return what the strata of the last sample were made by, of sets that were drawn from before."""
    rows = store.rows(
        """
        select category, outcome_set, arg_max(stratum, drawn_at)
        from label_samples where suite = ? group by all
        """,
        [suite.suite],
    )
    kept = {}
    for code, outcome_set, stratum in rows:
        if (code, outcome_set) not in sets:
            continue
        names = json.loads(stratum)
        axis = next((name.removeprefix(BY) for name in names if name.startswith(BY)), None)
        if wanted.axis and wanted.axis != axis:
            raise PlumblineError(
                f"{code} {outcome_set}: earlier samples are by {axis or 'no group'}, and --by names another.",
                "Leave --by out: only with the same strata is it known how likely an answer was drawn.",
            )
        kept[code, outcome_set] = Parts("label" in names, axis, "margin" in names)
    return kept


def _shown_axes(store: Store, suite: Suite, codes: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
    """Return of each category all attributes that its prompts show, as one axis, and the first axis alone."""
    shown = dict(
        store.rows(
            """
            with shown as (
                select category, unnest(map_keys(shown_by)) as attribute
                from prompts where prompt_key in (select prompt_key from cells)
            )
            select category, list(distinct attribute) from shown group by category
            """
        )
    )
    found = {}
    for code in dict.fromkeys(codes):
        attributes = [name for name in suite.attributes if name in shown.get(code, [])]
        single = [axis for axis in suite.axes_of(code) if axis in (*attributes, *PROMPT_COLUMNS)]
        first = next(iter([*single, *attributes]), None)
        found[code] = (AXIS_SEPARATOR.join(attributes) or first, first)
    return found


def _stratify(store: Store, suite: Suite, wanted: Wanted, found: dict[tuple[str, str], Parts]) -> None:
    """Make `stratified`: what can be drawn, each answer with its stratum."""
    rows = [
        {
            "category": code,
            "outcome_set": outcome_set,
            **parts._asdict(),
            "attributes": suite.axis_attributes(parts.axis) if parts.axis else [],
        }
        for (code, outcome_set), parts in found.items()
    ]
    kinds = {"category": pa.string(), "outcome_set": pa.string(), "label": pa.bool_(), "axis": pa.string()}
    schema = pa.schema({**kinds, "margin": pa.bool_(), "attributes": pa.list_(pa.string())})
    with store.registered("parts", pa.Table.from_pylist(rows, schema=schema)):
        store.connection.execute(STRATIFIED, {"suite": suite.suite, "configs": list(wanted.configs)})


def _allocated(
    store: Store, wanted: Wanted, found: dict[tuple[str, str], Parts]
) -> tuple[list[tuple[Any, ...]], np.ndarray]:
    """Return the strata with their sizes, and how many answers are drawn of each."""
    strata = store.rows(SIZES)
    sizes = np.array([row[3] for row in strata], dtype=np.int64)
    before = np.array([row[4] for row in strata], dtype=np.int64)
    n_left = int((sizes - before).sum())
    if not n_left:
        raise PlumblineError(
            f"Nothing is left to draw: all {int(sizes.sum()):,} answers are in earlier samples.",
            "Label those, then `plumbline labels load` them.",
        )
    least = np.maximum(before, np.minimum(sizes, LEAST))
    total = int(before.sum()) + min(wanted.n, n_left)
    return strata, allocate(sizes, least, total) - before
