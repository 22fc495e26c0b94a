"""Part of stage load: ready measurements -> `prompts`, `configs`, `responses`, `ready_measurements`.

A file of numbers can have millions of rows, so rows never become Python objects: DuckDB reads the file into
temporary tables, Python looks at what is distinct in it (labels, prompts, configs), and one transaction
writes what is new.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.loading.files import file_format, require_columns, shorten, shown
from ingest.loading.tally import Tally, recorded_config
from ingest.measuring.prompt_pairs import pair_prompts
from ingest.store import RAW_NAME, Store
from ingest.suite import Measurements, Suite, normalise_label
from ingest.suite.tables import register_suite

METHOD = "measured"
REPEAT_MAX = 2**31 - 1
STATUSES = ("ok", "missing", "not_a_number", "not_finite")
OK, MISSING, NOT_A_NUMBER, NOT_FINITE = range(len(STATUSES))
NUMBERS = ("DOUBLE", "FLOAT", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "U")


@dataclass
class Measured(Tally):
    """What a load of measurements found and did."""

    n_measurements: int = 0

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield f"{self.headline()}; {self.n_measurements:,} measurements are new"
        for reason in self.reasons():
            yield f"  rejected: {reason}"
        if without := self.other_statuses():
            yield f"  without a number: {without}"

    def check(self) -> None:
        """Raise where the counts do not add up, or where nothing of the file could be used."""
        self.check_sums("measurements")


def load_measurements(
    data: Path, path: Path, suite: Suite, suite_path: Path, *, limit: int | None = None, dry_run: bool = False
) -> Measured:
    """Bring a file of ready measurements into the raw tables, whole or not at all.

    Raises PlumblineError; the raw tables are then as they were, but for the row of the failed run.
    """
    measurements = suite.measurements
    if measurements is None:
        raise ValueError(f"suite {suite.suite} has no `measurements`")
    kind = file_format(path)
    with path.open("rb") as handle:
        sha = hashlib.file_digest(handle, "sha256").hexdigest()
    source_file = os.fsencode(path.name).decode("utf-8", "replace")
    detail = {
        "suite": suite.suite,
        "suite_key": suite.suite_key,
        "source_file": source_file,
        "file_sha256": sha,
        "limit": limit,
    }
    with TemporaryDirectory(prefix="plumbline-") as temporary:
        if dry_run:
            if not (data / RAW_NAME).exists():
                data = Path(temporary)
                with Store(data):
                    pass
            with Store(data, read_only=True) as store:
                return _Load(store, suite, measurements, source_file, sha, "dry-run").stage(path, kind, limit)
        with Store(data) as store, store.run("load", detail) as run_id:
            load = _Load(store, suite, measurements, source_file, sha, run_id)
            loaded = load.stage(path, kind, limit)
            with store.transaction():
                register_suite(store, suite, suite_path, run_id)
                load.write()
                pair_prompts(store, suite)
            return loaded


def _quoted(name: str) -> str:
    """An identifier: column names of a stranger's file cannot be parameters."""
    return '"' + name.replace('"', '""') + '"'


class _Load:
    """One file on its way: `stage` reads, checks and counts; `write` puts what is new into the tables."""

    def __init__(
        self, store: Store, suite: Suite, measurements: Measurements, source_file: str, sha: str, run_id: str
    ) -> None:
        self.store = store
        self.suite = suite
        self.measurements = measurements
        self.sha = sha
        self.run_id = run_id
        self.loaded = Measured(source_file)
        self.attributes = [a for a in suite.attributes if a in measurements.attributes]
        self.configs: list[dict[str, Any]] = []
        self.prompts: list[dict[str, Any]] = []

    def stage(self, path: Path, kind: str, limit: int | None) -> Measured:
        """Fill the temporary tables and decide what becomes of each record."""
        self._read(path, kind, limit)
        self._check_records()
        self._make_keys()
        self._decide()
        self.loaded.check()
        return self.loaded

    def _execute(self, sql: str, parameters: dict[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        return self.store.connection.execute(sql, parameters or {})

    @contextmanager
    def _registered(self, name: str, columns: dict[str, pa.Array]) -> Iterator[None]:
        self.store.connection.register(name, pa.table(columns))
        try:
            yield
        finally:
            self.store.connection.unregister(name)

    def _read(self, path: Path, kind: str, limit: int | None) -> None:
        """Make `incoming`, the file's columns: identity and attributes (a_i) as text, numbers (v_i, b_i).

        s_i is the status of v_i, its place in STATUSES.
        """
        functions = {
            "parquet": "read_parquet($path)",
            "csv": "read_csv($path, header = true, all_varchar = true)",
            "jsonl": "read_json($path, format = 'newline_delimited')",
        }
        source = functions[kind]
        spec = self.measurements
        try:
            described = self._execute(f"describe from {source}", {"path": str(path)}).fetchall()
            present = [row[0] for row in described]
            types = {row[0]: row[1] for row in described}
            require_columns(path, spec.columns(), present)

            def text(column: str | None, otherwise: str) -> str:
                return otherwise if column is None else f"trim(cast({_quoted(column)} as varchar))"

            def number(column: str | None) -> str:
                if column is None:
                    return "cast(null as double)"
                value = f"try_cast({_quoted(column)} as double)"
                return f"case when isfinite({value}) then {value} end"

            def status(column: str) -> str:
                value = f"try_cast({_quoted(column)} as double)"
                if types[column].startswith(NUMBERS):
                    is_missing = f"{_quoted(column)} is null"
                else:
                    is_missing = f"coalesce(trim(cast({_quoted(column)} as varchar)), '') = ''"
                return (
                    f"cast(case when {is_missing} then {MISSING} when {value} is null then {NOT_A_NUMBER} "
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
                *(f"{status(column)} as s_{i}" for i, column in enumerate(spec.features.values())),
            ]
            parameters: dict[str, Any] = {"path": str(path), "limit": limit if limit is not None else 2**62}
            if spec.category is None:
                parameters["category"] = next(iter(self.suite.categories))
            self._execute(
                f"""
                create or replace temp table incoming as
                select row_number() over () as source_row, {", ".join(columns)}
                from (select * from {source} limit $limit)
                """,
                parameters,
            )
        except (duckdb.InvalidInputException, duckdb.IOException, duckdb.ConversionException) as error:
            problem = str(error).splitlines()[0]
            raise PlumblineError(
                f"{shown(path)} cannot be read: {shorten(problem, 200)}.", "Correct the file."
            ) from error
        self.loaded.n_records = self.store.value("select count(*) from incoming")
        if not self.loaded.n_records:
            raise PlumblineError(f"{shown(path)} has no records.", "Name a file that holds measurements.")

    def _declared(self, column: str, declared: dict[str, str]) -> dict[str, pa.Array]:
        """Return what each distinct label of a column stands for, None where it is not declared."""
        labels = [row[0] for row in self._execute(f"select distinct {column} from incoming").fetchall()]
        found = [declared.get(normalise_label(label)) if label is not None else None for label in labels]
        return {"label": pa.array(labels, pa.string()), "value": pa.array(found, pa.string())}

    def _check_records(self) -> None:
        """Make `checked`: incoming records with declared labels, and the reason why one is not taken."""
        labels = {
            "category": self._declared(
                "category_label", {normalise_label(code): code for code in self.suite.categories}
            )
        }
        for i, attribute in enumerate(self.attributes):
            declared = {
                normalise_label(label): value
                for value, spec in self.suite.attributes[attribute].items()
                for label in (value, *spec.aliases)
            }
            labels[f"attribute_{i}"] = self._declared(f"a_{i}", declared)
        joins, blank, unknown = [], [], []
        for i in range(len(self.attributes)):
            joins.append(f"left join labels_attribute_{i} on incoming.a_{i} = labels_attribute_{i}.label")
            blank.append(f"coalesce(incoming.a_{i}, '') = ''")
            unknown.append(f"labels_attribute_{i}.value is null")
        names = ["labels_category", *(f"labels_attribute_{i}" for i in range(len(self.attributes)))]
        for name, columns in zip(names, labels.values(), strict=True):
            self.store.connection.register(name, pa.table(columns))
        values = "".join(f", labels_attribute_{i}.value as value_{i}" for i in range(len(self.attributes)))
        self._execute(
            f"""
            create or replace temp table checked as
            select
                incoming.source_row,
                incoming.root,
                incoming.model,
                incoming.role,
                labels_category.value as category,
                try_cast(incoming.repeat_label as integer) as repeat_index
                {values},
                case
                    when coalesce(incoming.root, '') = '' then 'missing_root'
                    when incoming.model = '' then 'missing_model'
                    when labels_category.value is null then 'unknown_category'
                    when {" or ".join(blank)} then 'missing_label'
                    when {" or ".join(unknown)} then 'unknown_label'
                    when
                        try_cast(incoming.repeat_label as integer) is null
                        or try_cast(incoming.repeat_label as integer) not between 0 and {REPEAT_MAX}
                        then 'bad_repeat'
                    when greatest(length(incoming.model), length(incoming.role)) > 200 then 'too_long'
                end as reason
            from incoming
            left join labels_category on incoming.category_label = labels_category.label
            {" ".join(joins)}
            """
        )
        for name in names:
            self.store.connection.unregister(name)

    def _make_keys(self) -> None:
        """Make `keyed`: records that can be taken, with the keys of their prompt, config and response."""
        values = [f"value_{i}" for i in range(len(self.attributes))]
        listed = ", ".join(values)
        prompts = self._execute(
            f"select distinct category, root, {listed} from checked where reason is null order by all"
        ).fetchall()
        self.prompts = [self._prompt(category, root, found) for category, root, *found in prompts]
        configs = self._execute(
            "select distinct model, role from checked where reason is null order by all"
        ).fetchall()
        self.configs = [recorded_config(model, role, self.suite.options) for model, role in configs]
        prompt_columns = {
            "prompt_key": pa.array([row["prompt_key"] for row in self.prompts], pa.string()),
            "category": pa.array([row[0] for row in prompts], pa.string()),
            "root": pa.array([row[1] for row in prompts], pa.string()),
            **{name: pa.array([row[i + 2] for row in prompts], pa.string()) for i, name in enumerate(values)},
        }
        config_columns = {
            name: pa.array([row[name] for row in self.configs], pa.string())
            for name in ("config_key", "model", "role")
        }
        on = " and ".join(f"checked.{name} = named_prompts.{name}" for name in ("category", "root", *values))
        with (
            self._registered("named_prompts", prompt_columns),
            self._registered("named_configs", config_columns),
        ):
            self._execute(
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
        with self._registered(
            "listed",
            {"place": pa.array(range(len(features)), pa.int32()), "feature": pa.array(features, pa.string())},
        ):
            self._execute("create or replace temp table features as select * from listed")
        lists = [f"unnest([{', '.join(f'{kind}_{i}' for i in range(len(features)))}])" for kind in "vbs"]
        self._execute(
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
        """Make `decided` and the view `fresh` (a row a record and feature that is not stored yet), and count.

        What is stored is never overwritten: a record that says otherwise is refused, as is the second of two
        in one file.
        """
        self._list_measurements()
        self._execute(
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
        self._execute(
            """
            create or replace temp table refused as
            select source_row, reason from checked where reason is not null
            union all
            select source_row, decision from decided where decision = 'duplicate_key'
            """
        )
        self._execute(
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
        counts = dict(self.store.rows("select decision, count(*) from decided group by decision"))
        loaded.n_loaded, loaded.n_already_there = counts.get("loaded", 0), counts.get("already_there", 0)
        reasons = "select reason, count(*), min(source_row) from refused group by reason order by reason"
        for reason, n, first in self.store.rows(reasons):
            loaded.rejected[reason] = n
            loaded.examples[reason] = f"record {first:,}"
        statuses = "select measurement_status, count(*) from fresh group by 1 order by 1"
        loaded.statuses.update(dict(self.store.rows(statuses)))
        loaded.n_measurements = loaded.statuses.total()

    def write(self) -> None:
        """Write what is new; the caller holds the transaction."""
        store, loaded, suite = self.store, self.loaded, self.suite.suite
        store.append("prompts", self.prompts)
        store.append("configs", self.configs)
        shared = {"run_id": self.run_id, "source_file": loaded.source_file}
        self._execute(
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
            shared,
        )
        self._execute(
            """
            insert into ready_measurements (response_key, feature, value, baseline_value, measurement_status)
            select response_key, feature, value, baseline_value, measurement_status from fresh
            """
        )
        # What earlier loads of the same content refused, this load says anew.
        self._execute(
            """
            delete from rejects
            where
                suite = $suite
                and source_row <= $n_records
                and run_id in (select run_id from loads where suite = $suite and file_sha256 = $sha)
            """,
            {"suite": suite, "n_records": loaded.n_records, "sha": self.sha},
        )
        self._execute(
            """
            insert into rejects (reject_key, suite, source_file, source_row, reason, detail, run_id)
            select
                md5(cast(json_array('reject', $suite, $sha, source_row) as varchar)),
                $suite, $source_file, source_row, reason, '', $run_id
            from refused
            """,
            {**shared, "suite": suite, "sha": self.sha},
        )
        store.append(
            "loads",
            [
                {
                    **shared,
                    "suite": suite,
                    "file_sha256": self.sha,
                    "n_records": loaded.n_records,
                    "n_loaded": loaded.n_loaded,
                    "n_already_there": loaded.n_already_there,
                    "n_rejected": loaded.n_rejected,
                }
            ],
        )
