"""Ready measurements of a file -> `prompts`, `configs`, `responses`, `ready_measurements`.

A file of numbers can have millions of rows. It is read as files of answers are (ingest/loading/files.py), in
batches, into temporary tables; Python looks at what is distinct in them (labels, prompts, configs), and one
transaction writes what is new.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pyarrow as pa

from ingest.errors import PlumblineError, shorten
from ingest.keys import key
from ingest.loading.again import mend_prompts, refuse_second_reading
from ingest.loading.columns import MAX_LABEL, MAX_REPEAT, WHOLE_NUMBER, declared_labels
from ingest.loading.files import RowProblem, check_text, has_decimal_commas, named, read_columns
from ingest.loading.separators import DecimalCommas
from ingest.loading.tally import Load, Source, Tally
from ingest.measuring.prompt_pairs import pair_prompts
from ingest.redaction import REDACTED
from ingest.store import Store
from ingest.suite import Suite, normalise_label

METHOD = "measured"
STATUSES = ("ok", "missing", "not_a_number", "not_finite")
OK, MISSING, NOT_A_NUMBER, NOT_FINITE = range(len(STATUSES))
BATCH = 10_000  # records in memory at a time


@dataclass
class Measured(Tally):
    """What a load of measurements found and did."""

    n_measurements: int = 0
    commas: DecimalCommas = field(default_factory=DecimalCommas)

    @property
    def n_changed(self) -> int:
        """How much of what was there is another now; what is measured anew stands in its first line."""
        return super().n_changed + self.n_measurements

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield f"{self.headline()}; {self.n_measurements:,} measurements are new"
        for reason in self.reasons():
            yield f"  rejected: {reason}"
        yield from self.others("numbers")
        yield from self.redacted()
        if without := self.other_statuses():
            yield f"  without a number: {without}"
        yield from self.commas.lines()


NUMBERS = {float, int, type(None)}
NAMES = {str, int}  # of these types equal cells are the same; True and 1.0 are equal to 1


def _column(
    cells: Sequence[Any], column: str, commas: DecimalCommas | None, problems: dict[int, RowProblem]
) -> pa.Array:
    """Return a column's cells, as numbers where all are, else as text; a row's first problem is kept.

    `commas` are given for a column of numbers.
    """
    if commas is not None and set(map(type, cells)) <= NUMBERS:
        with suppress(pa.ArrowInvalid):  # a whole number that is no float
            return pa.array(cells, pa.float64())
    texts: list[str | None] = []
    known: dict[str | int, str | None] = {}  # most columns of names say the same again and again
    for place, cell in enumerate(cells):
        is_name = commas is None and type(cell) in NAMES
        if is_name and cell in known:
            texts.append(known[cell])
            continue
        try:
            texts.append(_cell(cell, column, commas))
        except RowProblem as problem:
            problems.setdefault(place, problem)
            texts.append(None)
        else:
            if is_name:
                known[cell] = texts[-1]
    return pa.array(texts, pa.string())


def _cell(cell: Any, column: str, commas: DecimalCommas | None) -> str | None:
    # Any cell of numbers is told by what it says; NaN is not nothing there.
    if commas is not None:
        return commas.read(check_text(cell, column)) if isinstance(cell, str | None) else str(cell)
    return check_text(named(cell), column)


class MeasurementLoad(Load[Measured]):
    """A file of measurements on its way."""

    def __init__(self, store: Store, suite: Suite, source: Source, run_id: str) -> None:
        super().__init__(store, suite, source, run_id, Measured(source.source_file))
        if suite.measurements is None:
            raise ValueError(f"suite {suite.suite} has no `measurements`")
        self.measurements = suite.measurements
        self.attributes = [a for a in suite.attributes if a in suite.measurements.attributes]
        self.prompts: list[dict[str, Any]] = []

    def stage(self, limit: int | None) -> None:
        """Fill the temporary tables and decide what becomes of each record."""
        self._read(limit)
        self._check_records()
        self._make_keys()
        self._decide()
        refuse_second_reading(self)
        self._refuse_two_baselines()
        self.loaded.check_sums("measurements")

    def _read(self, limit: int | None) -> None:
        """Make `incoming`, the file's columns: identity and attributes (a_i) as text, numbers (v_i, b_i).

        s_i is the status of v_i, its place in STATUSES.
        """
        spec = self.measurements
        self.loaded.commas = DecimalCommas(has_decimal_commas(self.source.path))
        batches = self._batches(limit)
        first = next(batches)
        places = {column: f"cell_{i}" for i, column in enumerate(spec.columns())}

        def text(column: str | None, otherwise: str) -> str:
            return otherwise if column is None else f"trim({places[column]})"

        def number(column: str | None) -> str:
            if column is None:
                return "cast(null as double)"
            value = f"try_cast({places[column]} as double)"
            return f"case when isfinite({value}) then {value} end"

        def status(column: str, batch: pa.Table) -> str:
            cell, value = places[column], f"try_cast({places[column]} as double)"
            # A number as text takes longer than all else that is done with it.
            is_number = batch.schema.field(cell).type == pa.float64()
            is_blank = f"{cell} is null" if is_number else f"coalesce(trim({cell}), '') = ''"
            return (
                f"cast(case when {is_blank} then {MISSING} "
                f"when {value} is null then {NOT_A_NUMBER} "
                f"when not isfinite({value}) then {NOT_FINITE} else {OK} end as utinyint)"
            )

        columns = [
            f"{text(spec.root, '')} as root",
            f"coalesce({text(spec.model, '')}, '') as model",
            f"coalesce({text(spec.role, chr(39) * 2)}, '') as role",
            f"{text(spec.category, '$category')} as category_label",
            f"{text(spec.repeat, chr(39) + '0' + chr(39))} as repeat_label",
            *(f"{text(spec.attributes[a], '')} as a_{i}" for i, a in enumerate(self.attributes)),
            *(f"{number(column)} as v_{i}" for i, column in enumerate(spec.features.values())),
            *(f"{number(spec.baselines.get(name))} as b_{i}" for i, name in enumerate(spec.features)),
        ]
        given = {} if spec.category else {"category": next(iter(self.suite.categories))}
        for i, batch in enumerate(chain([first], batches)):
            statuses = (
                f"{status(column, batch)} as s_{j}" for j, column in enumerate(spec.features.values())
            )
            listed = ", ".join(["source_row, problem, detail", *columns, *statuses])
            create = "create or replace temp table incoming as" if i == 0 else "insert into incoming"
            with self.store.registered("records_read", batch):
                self.execute(f"{create} select {listed} from records_read", given)
        self.loaded.n_records = self.store.value("select count(*) from incoming")

    def _batches(self, limit: int | None) -> Iterator[pa.Table]:
        """Yield the file's records, their cells as text or as numbers, and why one cannot be read."""
        columns = self.measurements.columns()
        numbers = {*self.measurements.features.values(), *self.measurements.baselines.values()}
        names = ["source_row", "problem", "detail", *(f"cell_{i}" for i in range(len(columns)))]
        for first, found, problems in read_columns(self.source.path, columns, numbers, BATCH, limit):
            arrays = [
                cells
                if isinstance(cells, pa.Array)
                else _column(cells, column, self.loaded.commas if column in numbers else None, problems)
                for cells, column in zip(found, columns, strict=True)
            ]
            told = [problems.get(i) for i in range(len(found[0]))]
            arrays = [
                pa.array(range(first, first + len(told)), pa.int64()),
                pa.array([problem and problem.reason for problem in told], pa.string()),
                pa.array([problem.detail if problem else "" for problem in told], pa.string()),
                *arrays,
            ]
            yield pa.table(arrays, names=names)

    def _declared(self, column: str, declared: Mapping[str, str]) -> tuple[list[str], list[str]]:
        """Return the labels of a column that are declared, and what each stands for."""
        labels = [label for (label,) in self.store.rows(f"select distinct {column} from incoming") if label]
        known = [(label, declared.get(normalise_label(label))) for label in labels]
        found = [(label, value) for label, value in known if value is not None]
        return [label for label, _ in found], [value for _, value in found]

    def _check_records(self) -> None:
        """Make `checked`: incoming records with declared labels, and the reason why one is not taken."""
        codes = {normalise_label(code): code for code in self.suite.categories}
        parameters: dict[str, Any] = {"whole_number": f"^(?:{WHOLE_NUMBER.pattern})$"}
        parameters |= zip(("labels", "values"), self._declared("category_label", codes), strict=True)
        declared, values = [], range(len(self.attributes))
        for i, attribute in enumerate(self.attributes):
            labels, found = self._declared(f"a_{i}", declared_labels(self.suite, attribute))
            parameters |= {f"labels_{i}": labels, f"values_{i}": found}
            declared.append(f", map($labels_{i}, $values_{i})[a_{i}] as value_{i}")
        self.execute(
            f"""
            create or replace temp table checked as
            with declared as (
                select
                    *,
                    map($labels, $values)[category_label] as category,
                    try_cast(regexp_extract(repeat_label, $whole_number, 1) as integer) as repeat_index
                    {"".join(declared)}
                from incoming
            )

            select
                source_row,
                detail,
                root,
                model,
                role,
                category,
                repeat_index
                {"".join(f", value_{i}" for i in values)},
                case
                    when problem is not null then problem
                    when coalesce(root, '') = '' then 'missing_root'
                    when model = '' then 'missing_model'
                    when category is null then 'unknown_category'
                    when {" or ".join(f"coalesce(a_{i}, '') = ''" for i in values)} then 'missing_label'
                    when {" or ".join(f"value_{i} is null" for i in values)} then 'unknown_label'
                    when (repeat_index between 0 and {MAX_REPEAT}) is not true then 'bad_repeat'
                    when greatest(length(model), length(role)) > {MAX_LABEL} then 'too_long'
                end as reason
            from declared
            """,
            parameters,
        )

    def _make_keys(self) -> None:
        """Make `keyed`: records that can be taken, with the keys of their prompt, config and response."""
        values = [f"value_{i}" for i in range(len(self.attributes))]
        listed = ", ".join(values)
        prompts = self.execute(
            f"select distinct category, root, {listed} from checked where reason is null order by all"
        ).fetchall()
        self.prompts = [self._prompt(category, root, found) for category, root, *found in prompts]
        configs = self.store.rows(
            "select distinct model, role from checked where reason is null order by all"
        )
        prompt_columns = {
            "prompt_key": pa.array([row["prompt_key"] for row in self.prompts], pa.string()),
            "category": pa.array([row[0] for row in prompts], pa.string()),
            "root": pa.array([row[1] for row in prompts], pa.string()),
            **{name: pa.array([row[i + 2] for row in prompts], pa.string()) for i, name in enumerate(values)},
        }
        config_columns = {
            "config_key": pa.array([self.config_key(model, role) for model, role in configs], pa.string()),
            "model": pa.array([model for model, _ in configs], pa.string()),
            "role": pa.array([role for _, role in configs], pa.string()),
        }
        on = " and ".join(f"checked.{name} = named_prompts.{name}" for name in ("category", "root", *values))
        with (
            self.store.registered("named_prompts", prompt_columns),
            self.store.registered("named_configs", config_columns),
        ):
            self.execute(
                f"""
                create or replace temp table keyed as
                select
                    checked.source_row,
                    checked.repeat_index,
                    named_prompts.prompt_key,
                    named_configs.config_key,
                    md5(cast(json_array(
                        'measured', named_configs.config_key, named_prompts.prompt_key, checked.repeat_index
                    ) as varchar)) as response_key
                from checked
                inner join named_prompts on {on}
                inner join named_configs
                    on checked.model = named_configs.model and checked.role = named_configs.role
                where checked.reason is null
                """
            )

    def _prompt(self, category: str, root: str, found: Sequence[str]) -> dict[str, Any]:
        suite = self.suite.suite
        attributes = dict(zip(self.attributes, found, strict=True))
        root_key = key("root", suite, category, METHOD, root)
        return {
            "prompt_key": key("prompt", suite, category, METHOD, root, attributes),
            "suite": suite,
            "domain": self.suite.categories[category].domain,
            "category": category,
            "source_tag": root,
            "method": METHOD,
            "language": self.suite.language,
            "prompt": "",
            "root_key": root_key,
            "block_key": root_key,
            "attributes": list(attributes.items()),
            "shown_by": [(a, "declared") for a in self.attributes if a in self.measurements.shows],
        }

    def _list_measurements(self) -> None:
        """Make the view `measured`, a row a record and feature: a table would be many times the file."""
        features = list(self.measurements.features)
        self.execute(
            """
            create or replace temp table features as
            select unnest(range(len($features))) as place, unnest($features) as feature
            """,
            {"features": features},
        )
        lists = [f"unnest([{', '.join(f'{kind}_{i}' for i in range(len(features)))}])" for kind in "vbs"]
        self.execute(
            f"""
            create or replace temp view measured as
            with unnested as (
                select
                    source_row,
                    unnest(range({len(features)})) as place,
                    {lists[0]} as value,
                    {lists[1]} as baseline_value,
                    {lists[2]} as status_code
                from incoming
            )

            select
                unnested.source_row,
                features.feature,
                unnested.value,
                unnested.baseline_value,
                {list(STATUSES)}[unnested.status_code + 1] as measurement_status
            from unnested
            inner join features on unnested.place = features.place
            """
        )

    def _decide(self) -> None:
        """Make `decided` and the view `fresh` (a row a new record and feature), and count."""
        self._list_measurements()
        self.execute(
            """
            create or replace temp table decided as
            with firsts as (
                select response_key, min(source_row) as source_row
                from keyed
                group by response_key
            ),

            stored as (
                select
                    measured.source_row,
                    count(*) as n_stored,
                    bool_or(
                        ready_measurements.value is distinct from measured.value
                        or ready_measurements.baseline_value is distinct from measured.baseline_value
                        or ready_measurements.measurement_status <> measured.measurement_status
                    ) as is_different
                from measured
                inner join keyed on measured.source_row = keyed.source_row
                inner join ready_measurements
                    on
                        keyed.response_key = ready_measurements.response_key
                        and measured.feature = ready_measurements.feature
                group by measured.source_row
            )

            select
                keyed.source_row,
                keyed.response_key,
                coalesce(stored.n_stored, 0) as n_stored,
                coalesce(stored.is_different, false) as is_different,
                case
                    when firsts.source_row <> keyed.source_row or stored.is_different then 'duplicate_key'
                    when stored.n_stored = $n_features then 'already_there'
                    else 'loaded'
                end as decision
            from keyed
            inner join firsts on keyed.response_key = firsts.response_key
            left join stored on keyed.source_row = stored.source_row
            """,
            {"n_features": len(self.measurements.features)},
        )
        self.execute(
            """
            create or replace temp table refused as
            with refused as (
                select source_row, reason, detail from checked where reason is not null
                union all
                select source_row, decision, '' from decided where decision = 'duplicate_key'
            )

            select *, md5(cast(json_array('reject', $suite, $sha, source_row) as varchar)) as reject_key
            from refused
            """,
            {"suite": self.suite.suite, "sha": self.source.file_sha256},
        )
        self.execute(
            """
            create or replace temp view fresh as
            with stored as (
                select ready_measurements.response_key, ready_measurements.feature
                from ready_measurements
                inner join decided on ready_measurements.response_key = decided.response_key
                where decided.n_stored > 0
            )

            select decided.response_key, measured.* exclude (source_row)
            from measured
            inner join decided on measured.source_row = decided.source_row and decided.decision = 'loaded'
            anti join stored
                on decided.response_key = stored.response_key and measured.feature = stored.feature
            """
        )
        loaded = self.loaded
        loaded.n_redacted = self.store.value(
            "select count(*) from refused where contains(detail, ?)", [REDACTED]
        )
        self.count_decided("select measurement_status, count(*) from fresh group by 1 order by 1")
        loaded.n_answers_changed = self.store.value(
            """
            select count(*)
            from decided
            inner join responses on decided.response_key = responses.response_key
            where
                decided.decision = 'loaded'
                and responses.run_id not in (select run_id from loads where suite = ? and file_sha256 = ?)
            """,
            [self.suite.suite, self.source.file_sha256],
        )
        loaded.n_others = self.store.value("select count(*) from decided where is_different")
        reasons = "select reason, count(*), min(source_row) from refused group by reason order by reason"
        for reason, n, first in self.store.rows(reasons):
            loaded.rejected[reason] = n
            loaded.examples[reason] = f"record {first:,}"
        loaded.n_measurements = loaded.statuses.total()

    def _refuse_two_baselines(self) -> None:
        """Raise where a prompt has two baselines of a feature, here or beside what is stored.

        A prompt's baseline is what all answers to it are held against, whichever model gave them.
        """
        if not self.measurements.baselines:
            return
        names = [name for name in self.measurements.features if name in self.measurements.baselines]
        places = [i for i, name in enumerate(self.measurements.features) if name in names]
        lowest, highest = (", ".join(f"{end}(incoming.b_{i})" for i in places) for end in ("min", "max"))
        # By record: one row for each of its features would be many times the file.
        found = self.store.rows(
            f"""
            with by_prompt as (
                select keyed.prompt_key, [{lowest}] as lowest, [{highest}] as highest
                from incoming
                inner join decided on incoming.source_row = decided.source_row and decided.decision = 'loaded'
                inner join keyed on incoming.source_row = keyed.source_row
                group by keyed.prompt_key
            ),

            given as (
                select
                    prompt_key, unnest(?::varchar[]) as feature, unnest(lowest) as lowest,
                    unnest(highest) as highest
                from by_prompt
                union all
                select responses.prompt_key, ready_measurements.feature, baseline_value, baseline_value
                from ready_measurements
                inner join responses on ready_measurements.response_key = responses.response_key
                semi join keyed on responses.prompt_key = keyed.prompt_key
            ),

            differing as (
                select prompt_key, feature, min(lowest) as lowest, max(highest) as highest
                from given
                group by prompt_key, feature
                having min(lowest) < max(highest)
            )

            select prompt_key, feature, lowest, highest, count(distinct prompt_key) over ()
            from differing
            order by prompt_key, feature
            limit 1
            """,
            [names],
        )
        for prompt_key, feature, lowest, highest, n in found:
            (prompt,) = (row for row in self.prompts if row["prompt_key"] == prompt_key)
            groups = ", ".join(f"{attribute} {value}" for attribute, value in prompt["attributes"])
            where = shorten(f"{prompt['source_tag']} ({groups})")
            others = f", and so it is with {n:,} prompts" if n > 1 else ""
            raise PlumblineError(
                f"Two baselines of {feature!r} to the prompt {where}: {lowest} and {highest}{others}.",
                "A prompt has one, whichever model answered: mend the column, take the feature out of "
                "`baselines:`, or load each model into a folder of its own.",
            )

    def write(self) -> None:
        """Write what is new; the caller holds the transaction."""
        self.store.append("prompts", self.prompts)
        schema = self.store.arrow_schema("prompts")
        with self.store.registered("read_now", pa.Table.from_pylist(self.prompts, schema)):
            # What `shows:` says is no part of a prompt's key: a mended suite mends it.
            mend_prompts(self, "read_now", ("shown_by", "domain", "language"))
        self.execute(
            """
            insert into responses (
                response_key, prompt_key, config_key, repeat_index, response_status, n_attempts, run_id,
                source_file, source_row
            )
            select
                keyed.response_key, keyed.prompt_key, keyed.config_key, keyed.repeat_index, 'ok', 1, $run_id,
                $source_file, keyed.source_row
            from keyed
            inner join decided on keyed.source_row = decided.source_row and decided.decision = 'loaded'
            anti join responses on keyed.response_key = responses.response_key
            """,
            {"run_id": self.run_id, "source_file": self.source.source_file},
        )
        self.execute(
            """
            insert into ready_measurements (response_key, feature, value, baseline_value, measurement_status)
            select response_key, feature, value, baseline_value, measurement_status from fresh
            """
        )
        self.write_shared("select reject_key, source_row, reason, detail from refused")
        pair_prompts(self.store, self.suite)
