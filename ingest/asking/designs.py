"""What a suite's prompts compare: the layout of each question and axis, and what was learnt of it before."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ingest.asking.flagged import flagged_roots
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.planning import DEFAULT_ICC, Layout, Shares
from ingest.prompts.shown import SAID_OF_OTHERS, signs_of
from ingest.store import AUDIT_NAME, Store
from ingest.suite import Rule, Suite
from ingest.warehouse import Warehouse

# Groups, units of the smallest, and what they have; prompts of files count only where there are no others.
PROMPTS = f"""
    with said_of_others as ({SAID_OF_OTHERS}),

    own as (
        select * from prompts
        where
            suite = $suite
            and category = $category
            and root_key not in ({flagged_roots("$suite", "$asked")})
            and list_bool_and(list_transform($attributes, a -> attributes[a] is not null))
        qualify method <> 'loaded' or bool_and(method = 'loaded') over ()
    ),

    units as (
        select
            list_transform($attributes, a -> attributes[a]) as labels,
            block_key,
            count(*) as n_prompts,
            bool_or(
                list_bool_and(list_transform($attributes, a -> shown_by[a] is not null))
                and prompt_key not in (
                    select prompt_key from said_of_others where list_contains($attributes, attribute)
                )
            ) as is_shown
        from own
        group by all
    ),

    sizes as (
        select count(*) as n_units, sum(n_prompts) as n_prompts, bool_or(is_shown) as is_shown
        from units
        group by labels
    )

    select
        count(*),
        min(n_units),
        sum(n_prompts) / sum(n_units),
        coalesce(bool_or(is_shown), false),
        (select count(distinct block_key) from units)
    from sizes
"""
LOADED_REPEATS = """
    select count(*) / nullif(count(distinct (prompt_key, config_key)), 0)
    from responses inner join prompts using (prompt_key)
    where suite = ?
"""
ICC = """
    select avg(case when icc < 0 then 0 else icc end) as icc from fct_variance_components
    where suite = ? and category = ? and measure = ? and axis = ?
"""
# Where answers choose among people: of all that a block says of one of them, in whatever order.
ICC_OF_CHOICES = """
    select avg(icc) as icc from fct_design_power
    where suite = ? and category = ? and measure = ? and axis = ? and icc_source = 'these answers'
"""
SHARES = """
    select outcome, sum(n_cell) / sum(sum(n_cell)) over () as share
    from fct_outcome_shares
    where suite = ? and category = ? and outcome_set = ? and axis = ?
    group by outcome
    order by share desc, outcome
"""


class Question(NamedTuple):
    """One table to be: a rule's outcomes on an axis. `shares` as in `ingest.inference.planning.shifted`."""

    category: str
    measure: str
    axis: str
    block: str
    layout: Layout
    shares: Shares  # of outcomes, the most frequent first; () of a score
    rate: float | None  # of favourable outcomes, None where none is
    icc_source: str
    shares_source: str
    is_probability: bool = False  # a score that the model says itself, without drawing

    def has_table_of(self, statistic: str) -> bool:
        """Whether the question's answers make a table that the statistic is computed of."""
        kinds = STATISTICS[statistic].kinds
        if not self.shares:
            return "score" in kinds
        return "outcome" in kinds or ("selection" in kinds and self.rate is not None)

    def shares_of(self, statistic: str) -> Shares:
        """Shares of what a statistic is computed of."""
        return self.shares if "outcome" in STATISTICS[statistic].kinds else self.most_frequent

    @property
    def most_frequent(self) -> Shares:
        """Shares of the favourable outcomes, or of the most frequent one, and of the rest."""
        share = self.shares[0] if self.rate is None else self.rate
        return (share, 1 - share)


class Earlier:
    """What earlier answers of a data folder say of a suite; nothing where there are none."""

    def __init__(self, data: Path, suite: str) -> None:
        self.suite = suite
        self.data = data if (data / AUDIT_NAME).exists() else None

    def _rows(self, mart: str, sql: str, *of: str) -> list[dict[str, Any]]:
        if self.data is None:
            return []
        with Warehouse(self.data) as warehouse:
            return warehouse.rows(sql, [self.suite, *of]) if mart in warehouse.tables((mart,)) else []

    def icc(self, category: str, measure: str, axis: str, is_choice: bool = False) -> float | None:
        """Correlation of answers about one unit, on average over configs."""
        mart, sql = ("fct_design_power", ICC_OF_CHOICES) if is_choice else ("fct_variance_components", ICC)
        rows = self._rows(mart, sql, category, measure, axis)
        return rows[0]["icc"] if rows else None

    def shares(self, category: str, measure: str, axis: str) -> dict[str, float]:
        """Share of each outcome over all groups and configs, the most frequent first."""
        rows = self._rows("fct_outcome_shares", SHARES, category, measure, axis)
        return {row["outcome"]: row["share"] for row in rows}


def questions(
    store: Store, suite: Suite, earlier: Earlier, icc: float | None, rate: float | None
) -> Iterator[Question]:
    """Yield what a suite compares: each rule of the active variant on each axis that its prompts show.

    `icc` and `rate` (the share of the outcome that groups are compared
    by) come before what was learnt earlier.
    """
    repeats = _repeats(store, suite)
    for category, rule in suite.rules():
        for axis in suite.axes_of(category):
            found = _layout(store, suite, category, axis, repeats)
            if found is None:
                continue
            together = _together(suite, rule)
            own_icc = earlier.icc(category, rule.set, axis, together > 1) if icc is None else None
            shares = {} if rule.is_score else earlier.shares(category, rule.set, axis)
            yield Question(
                category,
                rule.set,
                axis,
                suite.categories[category].block,
                found._replace(
                    icc=next(x for x in (icc, own_icc, DEFAULT_ICC) if x is not None), n_together=together
                ),
                tuple(shares.values()) or _even(rule),
                _rate(rule, shares, rate),
                "given" if icc is not None else "default" if own_icc is None else "earlier answers",
                "earlier answers" if shares else "default",
                rule.kind == "probability",
            )


def _together(suite: Suite, rule: Rule) -> int:
    """Among how many people an answer chooses, 1 where a rule's answers are of one."""
    candidates = suite.columns.candidates if suite.columns else None
    return candidates.n if candidates and candidates.choice == rule.set else 1


def _even(rule: Rule) -> Shares:
    n = 0 if rule.is_score else len({*rule.labels, *([rule.unmatched] if rule.unmatched else [])})
    return (1 / n,) * n if n else ()


def _rate(rule: Rule, shares: Mapping[str, float], given: float | None) -> float | None:
    if not rule.favourable or rule.is_score:
        return None
    if given is not None or not shares:
        return 0.5 if given is None else given
    return sum(shares.get(label, 0.0) for label in rule.favourable)


def _repeats(store: Store, suite: Suite) -> float:
    """How often each prompt is asked of a config: of the one that is asked least, or of answers loaded."""
    if suite.grid:
        return min(config.repeats for config in suite.grid)
    return store.value(LOADED_REPEATS, [suite.suite]) or 1


def _layout(store: Store, suite: Suite, category: str, axis: str, repeats: float) -> Layout | None:
    """The layout of a category's prompts on an axis; None for a control, and for a single group."""
    named = {
        **signs_of(suite, category),
        "asked": suite.flags_asked,
        "attributes": suite.axis_attributes(axis),
    }
    ((n_groups, n_units, n_prompts, is_shown, n_blocks),) = store.rows(PROMPTS, named)
    if n_groups < 2 or not is_shown:
        return None
    return Layout(n_groups, n_units, n_prompts, repeats, DEFAULT_ICC, is_shared=n_units == n_blocks)
