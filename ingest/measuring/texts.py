"""Measuring the texts that a suite needs measured: each distinct one once, a batch a transaction."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.apart.process import RAISE_LIMITS, CodeFailed, Stopped
from ingest.errors import PlumblineError, in_one_line
from ingest.keys import text_key, text_row
from ingest.measuring.languages import is_in_another
from ingest.measuring.pages import make_pages, page_of, progress
from ingest.measuring.scored_texts import PREPENDED, scoring
from ingest.measuring.text_variants import TEXT_VARIANTS
from ingest.plugins import others_code
from ingest.scorers import DEFAULT_EMBEDDER, TRUNCATED, Embedder, Scorer, characters_read, scorer_row
from ingest.store import Store, uninterrupted
from ingest.suite import Rule, Suite

# measurement_status: `ok`; `capped`, the value is of as much as scorers are given; `truncated`, of the first
# tokens, as many as the model reads; `empty`, nothing was left to measure; `failed`, the scorer had no
# number for the text; `unsupported_language`, the text is in a language that the scorer does not read. The
# last three have no value.
STATUSES = ("ok", "capped", "truncated", "empty", "failed", "unsupported_language")

# What a scorer may raise for one text, without ending the run. Anything else is a bug and shows itself.
SCORER_ERRORS = (ValueError, ArithmeticError, LookupError, RuntimeError)

RAW = "raw"
PATIENCE = 5  # texts that may stop the process of a suite's own code before it has measured one

# The suite's texts: responses that came to an end, the baselines that they are held against, and what is
# scored of both. Listed once: there may be many more answers than texts.
SOURCES = """
    create or replace temp table sources as
    select p.category, r.text_key
    from responses as r inner join prompts as p using (prompt_key)
    where p.suite = $suite and r.response_status = 'ok' and r.text_key is not null
    union
    select category, baseline_text_key from prompts
    where suite = $suite and baseline_text_key is not null"""
SCORED_SOURCES = f"""
    insert into sources
    select distinct p.category, s.scored_text_key
    from scored_texts as s inner join prompts as p using (prompt_key)
    where
        p.suite = $suite
        and s.scored_as = if(list_contains($prepended, p.category), '{PREPENDED}', 'answer')
        and (p.category, s.scored_text_key) not in (select (category, text_key) from sources)"""

# Each of them in each variant that its category needs.
NEEDED = f"""
    with needs as (select unnest($categories) as category, unnest($variants) as text_variant),
    needed as (
        select distinct s.text_key, n.text_variant from sources as s inner join needs as n using (category)
    ),
    found as (
        select
            n.text_key, n.text_variant,
            case when n.text_variant = '{RAW}' then n.text_key else v.variant_text_key end as variant_text_key
        from needed as n left join text_variants as v using (text_key, text_variant)
    )"""

# Texts that a scorer has not measured, in pages of bounded size. A failure is tried again.
MISSING = """
    wanted as (
        select variant_text_key as text_key from found where variant_text_key is not null
        union
        select unnest($phrases)
    ),
    missing as (
        select w.text_key
        from wanted as w left join (
            select text_key, count(*) as n_rows from {table}
            where scorer_key = $scorer_key and measurement_status <> 'failed' {of_features} group by text_key
        ) as m using (text_key)
        where coalesce(m.n_rows, 0) < $n_rows
    )"""


@dataclass
class Need:
    """What one scorer is needed for: text variants of categories, and anchor phrases."""

    pairs: set[tuple[str, str]] = field(default_factory=set)
    phrases: set[str] = field(default_factory=set)
    rules: list[tuple[str, Rule]] = field(default_factory=list)
    is_encoder: bool = False


@dataclass
class Task:
    """A loaded scorer and what it is needed for."""

    scorer: Scorer | Embedder
    need: Need

    def __post_init__(self) -> None:
        self.row = scorer_row(self.scorer)
        self.scorer_key = self.row["scorer_key"]
        self.is_embedder = isinstance(self.scorer, Embedder)
        self.ranges = {} if isinstance(self.scorer, Embedder) else self.scorer.features
        self.table = "embeddings" if self.is_embedder else "measurements"
        if self.need.is_encoder and not self.is_embedder:
            raise PlumblineError(
                f"`encoder: {self.scorer.name}`: this scorer gives no vectors.",
                f"Name one that does, such as {DEFAULT_EMBEDDER}.",
            )
        for category, rule in self.need.rules:
            wrong = not self.is_embedder if rule.kind == "anchor" else rule.feature not in self.features
            if wrong:
                gives = "vectors" if self.is_embedder else f"only {', '.join(self.features)}"
                wants = "vectors" if rule.kind == "anchor" else f"the feature {rule.feature!r}"
                raise PlumblineError(
                    f"Category {category}, set {rule.set}: the rule needs {wants}, and scorer"
                    f" {self.scorer.name!r} gives {gives}.",
                    "Correct `scorer:` or `feature:` in the suite file.",
                )

    @property
    def features(self) -> list[str]:
        """Names of the numbers, in the scorer's order; none where it gives vectors."""
        return list(self.ranges)

    @property
    def feature_rows(self) -> list[dict[str, Any]]:
        """Return the scorer's rows of the raw table `scorer_features`."""
        return [
            {"scorer_key": self.scorer_key, "feature": feature, "range_low": low, "range_high": high}
            for feature, (low, high) in self.ranges.items()
        ]

    @property
    def width(self) -> int:
        """Columns of what `measure` returns."""
        return self.scorer.dimensions if isinstance(self.scorer, Embedder) else len(self.ranges) + 1

    def measure(self, texts: Sequence[str]) -> np.ndarray:
        """Return a matrix, shape (len(texts), width): the vectors, or the numbers and whether it was cut."""
        with others_code("scorer", self.scorer, passes=SCORER_ERRORS):
            return self._checked(texts)

    def _checked(self, texts: Sequence[str]) -> np.ndarray:
        if isinstance(self.scorer, Embedder):
            matrix = np.asarray(self.scorer.embed(texts), dtype=np.float32)
        else:
            columns = dict(self.scorer.score(texts))
            is_cut = columns.pop(TRUNCATED, np.zeros(len(texts)))
            if set(columns) != set(self.features) or any(len(c) != len(texts) for c in columns.values()):
                wanted = "one number a text for each of its features"
                raise TypeError(f"{self.scorer.name} did not return {wanted}")
            numbers = [*(columns[name] for name in self.features), is_cut]
            matrix = np.column_stack([np.asarray(column, dtype=np.float64) for column in numbers])
        expected = (len(texts), self.width)
        if matrix.shape != expected:
            raise TypeError(f"{self.scorer.name} returned shape {matrix.shape}, not {expected}")
        return matrix


@dataclass
class Count:
    """What a scorer's part of a run came to, in texts."""

    scorer: str
    already_there: int
    measured: int = 0
    capped: int = 0
    truncated: int = 0
    empty: int = 0
    failed: int = 0
    unsupported_language: int = 0
    first_error: str = ""

    def __str__(self) -> str:
        notes = [f"{n:,} {name.replace('_', ' ')}" for name in STATUSES[1:] if (n := getattr(self, name))]
        aside = f" (of these {', '.join(notes)})" if notes else ""
        done = f"{self.measured:,} texts measured{aside}"
        return f"{self.scorer}: {done}, {self.already_there:,} already there."


def needs(suite: Suite, chosen: Sequence[str] = ()) -> dict[str, Need]:
    """Return scorer name -> what the suite needs it for.

    The suite's own scorers measure the cleaned texts of every category; a rule's scorer measures the
    variant that the rule names. `chosen` leaves only these scorers; one that the suite does not name
    measures the cleaned texts. Judges are asked elsewhere (`ingest.judging`).
    """
    wanted: dict[str, Need] = defaultdict(Need)
    for code, rule in suite.rules():
        name = rule.scorer or DEFAULT_EMBEDDER
        if rule.reads_given:
            continue
        if rule.kind in ("anchor", "score", "cutoff") and suite.judge_of(rule) is None:
            wanted[name].pairs.add((code, rule.text))
            wanted[name].rules.append((code, rule))
        if rule.kind == "anchor":
            wanted[name].phrases.update(phrase for _, phrase in rule.phrases())
    if suite.distances or suite.topics:
        need = wanted[suite.encoder or DEFAULT_EMBEDDER]
        need.is_encoder = True
        asked = [topics.categories for topics in suite.topics] + ([[]] if suite.distances else [])
        need.pairs.update((code, "clean") for some in asked for code in some or suite.categories)
    others = [name for name in suite.scorer_names if name not in suite.judges]
    for name in {*others, *(name for name in chosen if name not in wanted and name not in suite.judges)}:
        wanted[name].pairs.update((code, "clean") for code in suite.categories)
    names = dict.fromkeys(chosen) if chosen else dict.fromkeys([*others, *sorted(wanted)])
    return {name: wanted[name] for name in names if name not in suite.judges}


def list_sources(store: Store, suite: Suite) -> None:
    """List the texts that the suite's scorers are needed for, in the temporary table `sources`."""
    store.connection.execute(SOURCES, {"suite": suite.suite})
    if store.rows("select 1 from duckdb_tables() where table_name = 'scored_texts'"):
        store.connection.execute(SCORED_SOURCES, scoring(suite))


def variant_pairs(suite: Suite, tasks: Sequence[Task]) -> set[tuple[str, str]]:
    """Return (category, variant) pairs to make: all categories cleaned, and what rules and scorers need."""
    pairs = {(code, "clean") for code in suite.categories}
    pairs.update((code, rule.text) for code, rule in suite.rules())
    pairs.update(pair for task in tasks for pair in task.need.pairs)
    return {pair for pair in pairs if pair[1] != RAW}


def make_variants(store: Store, pairs: set[tuple[str, str]]) -> int:
    """Store the variants that are missing of the suite's texts; return how many there were."""
    n_made = 0
    unmade = f"""{NEEDED}
        select f.text_key, f.text_variant, {page_of("t.n_characters", "f.text_key, f.text_variant")}
        from found as f inner join texts as t using (text_key)
        where f.variant_text_key is null"""
    for page in make_pages(store, unmade, _pair_lists(pairs)):
        rows = store.rows(
            "select text_key, text_variant, text from pages inner join texts using (text_key) where page = ?",
            [page],
        )
        texts, variants = {}, []
        for source_key, variant, text in rows:
            changed = text_row(TEXT_VARIANTS[variant](text))
            texts[changed["text_key"]] = changed
            variant_row = {"text_key": source_key, "text_variant": variant}
            variants.append(variant_row | {"variant_text_key": changed["text_key"]})
        with uninterrupted(), store.transaction():
            store.append("texts", list(texts.values()))
            store.append("text_variants", variants)
        n_made += len(variants)
    return n_made


def measure_missing(store: Store, task: Task, limit: int | None = None) -> Count:
    """Measure the texts that this scorer has not measured, a batch a transaction."""
    n_wanted, n_missing = count_missing(store, task)
    count = Count(task.scorer.name, already_there=n_wanted - n_missing)
    n_read = characters_read(task.scorer)
    parameters = {**_task_parameters(task), "limit": n_missing if limit is None else limit}
    missing = f"""{NEEDED}, {_missing(task)}
        select text_key, {page_of(f"least(n_characters, {n_read})", "text_key")}
        from missing inner join texts using (text_key)
        order by text_key limit $limit"""
    pages = make_pages(store, missing, parameters)
    with uninterrupted():
        store.connection.execute(
            f"delete from {task.table} where scorer_key = ? and measurement_status = 'failed'"
            " and text_key in (select text_key from pages)",
            [task.scorer_key],
        )
    n_texts = store.value("select count(*) from pages")
    with progress(f"Measuring with {task.scorer.name}", n_texts) as advance:
        for page in pages:
            rows = store.rows(
                f"select text_key, left(text, {n_read}), n_characters > {n_read}"
                " from pages inner join texts using (text_key) where page = ? order by text_key",
                [page],
            )
            for start in range(0, len(rows), task.scorer.batch_size):
                batch = rows[start : start + task.scorer.batch_size]
                measure_batch(store, task, batch, count)
                advance(len(batch))
    return count


def count_missing(store: Store, task: Task) -> tuple[int, int]:
    """Return how many known texts the scorer is needed for, and how many of them it has not measured."""
    counted = "select (select count(*) from wanted), count(*) from missing"
    sql = f"{NEEDED}, {_missing(task)} {counted}"
    return store.connection.execute(sql, _task_parameters(task)).fetchall()[0]


def count_unmade(store: Store, pairs: set[tuple[str, str]]) -> int:
    """Return how many variants are yet to be made for these (category, variant) pairs."""
    sql = f"{NEEDED} select count(*) from found where variant_text_key is null"
    return int(store.connection.execute(sql, _pair_lists(pairs)).fetchall()[0][0])


def _missing(task: Task) -> str:
    """Return the SQL of the texts that lack a vector, or a number for one of the scorer's features as now."""
    of_features = "" if task.is_embedder else "and list_contains($features, feature)"
    return MISSING.format(table=task.table, of_features=of_features)


def check_ranges(store: Store, task: Task) -> None:
    """Raise PlumblineError where the same version of a scorer once said that a number can be something else.

    Numbers of two scales would stand under one name: texts that are measured are not measured again.
    """
    for feature, low, high in store.rows(
        "select feature, range_low, range_high from scorer_features where scorer_key = ? order by feature",
        [task.scorer_key],
    ):
        if (now := tuple(map(float, task.ranges.get(feature, (low, high))))) != (low, high):
            raise PlumblineError(
                f"The scorer {task.scorer.name!r} gives {feature!r} from {now[0]:g} to {now[1]:g}, and gave"
                f" it from {low:g} to {high:g} before, with the same version {task.scorer.version!r}.",
                "Have its package give it another `version`: then all texts are measured again.",
            )


def measure_batch(store: Store, task: Task, batch: Sequence[tuple[str, str, bool]], count: Count) -> None:
    """Measure (text_key, text, is capped) rows and store them in one transaction."""
    keys = [row[0] for row in batch]
    filled = np.array([bool(row[1].strip()) for row in batch])
    languages = getattr(task.scorer, "languages", ())
    unread = np.array([is_in_another(row[1], languages) for row in batch])
    asked = filled & ~unread
    capped = np.array([row[2] for row in batch])
    values = np.full((len(batch), task.width), np.nan, dtype=np.float32 if task.is_embedder else np.float64)
    is_cut = np.zeros(len(batch), dtype=bool)
    if asked.any():
        texts = [row[1] for row, is_asked in zip(batch, asked, strict=True) if is_asked]
        values[asked] = _measured(task, texts, count)
    if not task.is_embedder:
        is_cut = values[:, -1] == 1
        values = values[:, :-1]
        low, high = np.array(list(task.ranges.values()), dtype=np.float64).T
        outside = ~((values >= low) & (values <= high)) & ~np.isnan(values)
        for row, column in np.argwhere(outside)[:1]:
            count.first_error = count.first_error or (
                f"{task.features[column]} is {values[row, column]:g}, outside its range from {low[column]:g}"
                f" to {high[column]:g}"
            )
        values[outside] = np.nan
    is_valid = np.isfinite(values)
    fine = is_valid.all(axis=1)
    no_value = np.select([~filled, unread], ["empty", "unsupported_language"], "failed")
    has_value = np.select([is_cut, capped], ["truncated", "capped"], "ok")
    if task.is_embedder:
        table = embedding_table(keys, task.scorer_key, values, fine, np.where(fine, has_value, no_value))
    else:
        status = np.where(is_valid, has_value[:, None], no_value[:, None])
        table = measurement_table(keys, task.scorer_key, task.features, values, is_valid, status)
    with uninterrupted(), store.transaction():
        store.append_arrow(task.table, table)
    count.measured += len(batch)
    count.empty += int((~filled).sum())
    count.failed += int((asked & ~fine).sum())
    count.unsupported_language += int((filled & unread).sum())
    count.truncated += int((fine & is_cut).sum())
    count.capped += int((fine & capped & ~is_cut).sum())


def _measured(task: Task, texts: Sequence[str], count: Count) -> np.ndarray:
    """Return what the scorer gives. Raises PlumblineError where a suite's own code gives nothing at all."""
    errors: list[str] = []
    is_first = hasattr(task.scorer, "code") and not count.already_there and not count.measured
    try:
        values = attempt(task.measure, texts, task.width, errors, PATIENCE if is_first else None)
    except Stopped:
        values = np.full((len(texts), task.width), np.nan)
        texts = texts[: len(errors)]
    if is_first and len(errors) == len(texts):
        raise PlumblineError(
            f"Scorer {task.scorer.name!r} failed on each of the first {len(errors):,} texts: {errors[0]}.",
            f"Correct its function. {RAISE_LIMITS}",
        )
    count.first_error = count.first_error or (in_one_line(errors[0]) if errors else "")
    return values


def attempt(
    measure: Callable[[Sequence[str]], np.ndarray],
    texts: Sequence[str],
    width: int,
    errors: list[str],
    patience: int | None = None,
) -> np.ndarray:
    """Measure texts; where that fails, halve them until the failing text stands alone as a row of NaN.

    Where it stops the scorer's process, they are measured one by one; `patience` is how many of these may
    stop it before one is measured. Raises Stopped then.
    """
    try:
        return measure(texts)
    except SCORER_ERRORS as error:
        if len(texts) == 1:
            errors.append(str(error) if isinstance(error, CodeFailed) else f"{type(error).__name__}: {error}")
            return np.full((1, width), np.nan)
        stopped = error if isinstance(error, Stopped) else None
    size = 1 if stopped else len(texts) // 2
    found: list[np.ndarray] = []
    for start in range(0, len(texts), size):
        found.append(attempt(measure, texts[start : start + size], width, errors, patience))
        if stopped and len(errors) == len(found) == patience:
            raise stopped
    return np.concatenate(found)


def measurement_table(
    keys: Sequence[str],
    scorer_key: str,
    features: Sequence[str],
    values: np.ndarray,
    is_valid: np.ndarray,
    status: np.ndarray,
) -> pa.Table:
    """Return rows of `measurements`; values, is_valid and status have shape (texts, features)."""
    n_texts, n_features = values.shape
    return pa.table(
        {
            "text_key": np.repeat(np.array(keys, dtype=object), n_features),
            "scorer_key": pa.repeat(scorer_key, n_texts * n_features),
            "feature": pa.array(list(features) * n_texts),
            "value": pa.array(values.ravel(), mask=~is_valid.ravel()),
            "measurement_status": status.ravel().astype(object),
        }
    )


def embedding_table(
    keys: Sequence[str], scorer_key: str, vectors: np.ndarray, fine: np.ndarray, status: np.ndarray
) -> pa.Table:
    """Return rows of `embeddings`; a row that is not fine has no vector."""
    offsets = np.concatenate([[0], np.cumsum(fine * vectors.shape[1])]).astype(np.int32)
    flat = pa.array(vectors[fine].ravel(), type=pa.float32())
    return pa.table(
        {
            "text_key": pa.array(keys),
            "scorer_key": pa.repeat(scorer_key, len(keys)),
            "vector": pa.ListArray.from_arrays(pa.array(offsets), flat, mask=pa.array(~fine)),
            "measurement_status": status.astype(object),
        }
    )


def _pair_lists(pairs: set[tuple[str, str]]) -> dict[str, list[str]]:
    ordered = sorted(pairs)
    return {"categories": [c for c, _ in ordered], "variants": [v for _, v in ordered]}


def _task_parameters(task: Task) -> dict[str, object]:
    return {
        **_pair_lists(task.need.pairs),
        "phrases": sorted(text_key(phrase) for phrase in task.need.phrases),
        "scorer_key": task.scorer_key,
        "n_rows": 1 if task.is_embedder else len(task.features),
        **({} if task.is_embedder else {"features": task.features}),
    }
