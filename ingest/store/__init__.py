"""The only file that opens data/raw.duckdb."""

import json
import os
import platform
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import duckdb
import pyarrow as pa

from ingest import __version__
from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.store.journal import replay

RAW_NAME = "raw.duckdb"
AUDIT_NAME = "audit.duckdb"

# The raw tables (docs/architecture.md, "How keys flow"). Columns are added at the end, never renamed.
SCHEMA: dict[str, str] = {
    "runs": """
        run_id varchar primary key, command varchar not null, started_at timestamp not null,
        ended_at timestamp, run_status varchar not null, detail varchar not null,
        versions varchar not null""",
    "suites": """
        suite varchar primary key, suite_key varchar not null, title varchar not null,
        description varchar not null, version integer not null, language varchar not null,
        variant varchar not null, profiles varchar[] not null, minimum_group integer not null,
        minimum_cell integer not null, minimum_coverage double not null, seed bigint not null,
        n_permutations integer not null, n_bootstrap integer not null, scorers varchar[] not null,
        file_sha256 varchar not null, run_id varchar not null, responsible varchar, licence varchar,
        gate_family varchar""",
    "suite_thresholds": """
        suite varchar not null, profile varchar not null, metric varchar not null,
        axis_kind varchar not null, unit varchar not null, direction varchar not null,
        green_limit double not null, red_limit double, is_gated boolean not null, source varchar not null,
        note varchar not null, primary key (suite, profile, metric, axis_kind)""",
    "suite_attributes": """
        suite varchar not null, attribute varchar not null, attribute_position integer not null,
        value varchar not null, value_position integer not null, primary key (suite, attribute, value)""",
    "suite_categories": """
        suite varchar not null, category varchar not null, category_position integer not null,
        domain varchar not null, title varchar not null, description varchar not null,
        primary key (suite, category)""",
    "suite_axes": """
        suite varchar not null, category varchar not null, axis varchar not null,
        axis_position integer not null, attributes varchar[] not null, primary key (suite, category, axis)""",
    "suite_features": """
        suite varchar not null, feature varchar not null, range_low double not null,
        range_high double not null, primary key (suite, feature)""",
    "suite_distances": """
        suite varchar not null, distance varchar not null, scorer varchar not null,
        feature varchar not null, primary key (suite, distance)""",
    "suite_topics": """
        suite varchar not null, topic_set varchar not null, topic_set_position integer not null,
        pool varchar not null, segment varchar not null, n_clusters integer not null, centre varchar not null,
        scorer varchar not null, has_membership boolean not null, distances varchar[] not null,
        categories varchar[] not null, primary key (suite, topic_set)""",
    "suite_clusterings": """
        suite varchar not null, topic_set varchar not null, segment_value varchar not null,
        is_simulated boolean not null, clustering_key varchar not null,
        primary key (suite, topic_set, segment_value, is_simulated)""",
    "suite_local_law_axes": """
        suite varchar not null, axis varchar not null, axis_role varchar not null,
        minimum_share double not null, primary key (suite, axis)""",
    "suite_resampled": """
        suite varchar not null, part varchar not null, item varchar not null,
        primary key (suite, part, item)""",
    "suite_stereotypes": """
        suite varchar primary key, categories varchar[] not null, countings varchar[] not null,
        tokeniser varchar not null, beta double not null, smoothing double not null,
        is_size_normalised boolean not null""",
    "suite_protected_words": """
        suite varchar not null, attribute varchar not null, attribute_position integer not null,
        group_value varchar not null, group_position integer not null, reference_share double not null,
        word varchar not null, primary key (suite, attribute, word)""",
    "suite_target_words": """
        suite varchar not null, target_list varchar not null, word varchar not null, form varchar not null,
        primary key (suite, target_list, form)""",
    "suite_stop_words": "suite varchar not null, word varchar not null, primary key (suite, word)",
    "suite_scored_stereotypes": """
        suite varchar not null, feature varchar not null, threshold double not null,
        is_at_least boolean not null, has_equal_repeats boolean not null, minimum_repeats integer not null,
        primary key (suite, feature)""",
    "suite_pairs": """
        suite varchar not null, axis varchar not null, against varchar not null,
        text_variant varchar not null, primary key (suite, axis)""",
    "suite_pair_features": "suite varchar not null, feature varchar not null, primary key (suite, feature)",
    "suite_recommendations": """
        suite varchar not null, category varchar not null, separator varchar not null,
        is_numbered boolean not null, list_size integer, has_langfair_scale boolean not null,
        primary key (suite, category)""",
    "suite_classifications": """
        suite varchar not null, category varchar not null, outcome_set varchar not null,
        attribute varchar not null, true_labels varchar[] not null, predicted_labels varchar[] not null,
        primary key (suite, category)""",
    "suite_references": """
        suite varchar not null, axis varchar not null, reference_kind varchar not null,
        group_value varchar, primary key (suite, axis)""",
    "suite_roll_ups": """
        suite varchar not null, roll_up varchar not null, primary key (suite, roll_up)""",
    "suite_choices": """
        suite varchar primary key, standard_weighting varchar not null, baseline_kind varchar""",
    "suite_outcomes": """
        suite varchar not null, category varchar not null, outcome_set varchar not null,
        variant varchar not null, rule_kind varchar not null, text_variant varchar not null,
        feature varchar, scorer varchar, scorer_feature varchar, unmatched_label varchar,
        min_similarity double, min_margin double, label varchar, label_position integer,
        is_favourable boolean, phrase varchar, phrase_position integer not null, pattern varchar,
        phrase_text_key varchar, primary key (suite, category, outcome_set, phrase_position)""",
    "suite_ground_truths": """
        suite varchar not null, category varchar not null, outcome_set varchar not null,
        ground_truth varchar not null, dimension varchar not null, attribute varchar not null,
        primary key (suite, category, outcome_set)""",
    "suite_answers": """
        suite varchar not null, category varchar not null, answer varchar not null,
        weight double not null, primary key (suite, category, answer)""",
    "suite_planted": """
        suite varchar not null, category varchar not null, attribute varchar not null,
        value varchar not null, answer varchar not null, log_odds double not null,
        primary key (suite, category, attribute, value, answer)""",
    "documents": """
        document_key varchar primary key, suite varchar not null, domain varchar not null,
        category varchar not null, concept varchar not null, keyword varchar, source_tag varchar not null,
        source_kind varchar not null, origin varchar not null, title varchar not null,
        revision varchar not null, revised_at timestamp, retrieved_at timestamp not null,
        licence varchar not null, attribution varchar not null, text varchar, text_sha256 varchar,
        document_status varchar not null, detail varchar not null, run_id varchar not null""",
    "sentences": """
        sentence_key varchar primary key, document_key varchar not null, suite varchar not null,
        domain varchar not null, category varchar not null, concept varchar not null,
        keyword varchar not null, source_tag varchar not null, sentence_position integer not null,
        sentence varchar not null""",
    "keywords": """
        suite varchar not null, category varchar not null, concept varchar not null,
        keyword varchar not null, found_by varchar not null, score double,
        primary key (suite, category, concept, keyword)""",
    "prompts": """
        prompt_key varchar primary key, suite varchar not null, domain varchar not null,
        category varchar not null, concept varchar, keyword varchar, source_tag varchar,
        method varchar not null, language varchar not null, prompt varchar not null,
        baseline_text_key varchar, root_key varchar not null,
        block_key varchar not null, attributes map(varchar, varchar) not null,
        shown_by map(varchar, varchar) not null, baseline_kind varchar""",
    "writings": """
        writing_key varchar primary key, suite varchar not null, purpose varchar not null,
        config_key varchar not null, instruction varchar not null, attempt integer not null,
        text_key varchar, response_status varchar not null, error varchar, written_at timestamp not null,
        run_id varchar not null""",
    "prompt_flags": """
        prompt_key varchar not null, flag varchar not null, primary key (prompt_key, flag)""",
    "configs": """
        config_key varchar primary key, config varchar not null, backend varchar not null,
        model varchar not null, digest varchar not null, quantisation varchar not null, role varchar not null,
        system_prompt varchar not null, template varchar not null, options varchar not null,
        server_version varchar not null, details varchar""",
    "responses": """
        response_key varchar primary key, prompt_key varchar not null, config_key varchar not null,
        repeat_index integer not null, text_key varchar, response_status varchar not null,
        finish_reason varchar, n_prompt_tokens integer, n_output_tokens integer, seconds double,
        n_attempts integer not null, error varchar, answered_at timestamp, run_id varchar not null,
        source_file varchar, source_row bigint, source_id varchar, wait_seconds double,
        reasoning_text_key varchar, messages_text_key varchar, served_model varchar,
        system_fingerprint varchar""",
    "superseded_responses": """
        response_key varchar not null, response_status varchar not null, n_attempts integer not null,
        wait_seconds double, error varchar, answered_at timestamp not null, run_id varchar not null,
        primary key (response_key, answered_at)""",
    "rejects": """
        reject_key varchar primary key, suite varchar not null, source_file varchar not null,
        source_row bigint, reason varchar not null, detail varchar not null, run_id varchar not null""",
    "loads": """
        run_id varchar primary key, suite varchar not null, source_file varchar not null,
        file_sha256 varchar not null, n_records bigint not null, n_loaded bigint not null,
        n_already_there bigint not null, n_rejected bigint not null""",
    "texts": "text_key varchar primary key, text varchar not null, n_characters integer not null",
    "text_variants": """
        text_key varchar not null, text_variant varchar not null, variant_text_key varchar not null,
        primary key (text_key, text_variant)""",
    "scorers": """
        scorer_key varchar primary key, scorer varchar not null, model varchar not null,
        revision varchar not null, version varchar not null, parameters varchar not null""",
    "scorer_features": """
        scorer_key varchar not null, feature varchar not null, range_low double not null,
        range_high double not null, primary key (scorer_key, feature)""",
    "measurements": """
        text_key varchar not null, scorer_key varchar not null, feature varchar not null,
        value double, measurement_status varchar not null, primary key (text_key, scorer_key, feature)""",
    "ready_measurements": """
        response_key varchar not null, feature varchar not null, value double, baseline_value double,
        measurement_status varchar not null""",
    "prompt_pairs": """
        suite varchar not null, category varchar not null, axis varchar not null, group_a varchar not null,
        group_b varchar not null, root_key varchar not null, prompt_key_a varchar not null,
        prompt_key_b varchar not null, primary key (suite, axis, prompt_key_a, prompt_key_b)""",
    "prompt_words": """
        prompt_key varchar primary key, suite varchar not null, root_key varchar not null,
        words_key varchar not null, words varchar[] not null""",
    "neutral_texts": """
        text_key varchar not null, words_key varchar not null, text_variant varchar not null,
        neutral_text_key varchar not null, primary key (text_key, words_key, text_variant)""",
    "text_pairs": """
        text_key_a varchar not null, text_key_b varchar not null, scorer_key varchar not null,
        feature varchar not null, value double, measurement_status varchar not null,
        primary key (text_key_a, text_key_b, scorer_key, feature)""",
    "text_languages": """
        text_key varchar not null, scorer_key varchar not null, expected_language varchar not null,
        language varchar, probability double, expected_probability double,
        language_status varchar not null, primary key (text_key, scorer_key, expected_language)""",
    "embeddings": """
        text_key varchar not null, scorer_key varchar not null, vector float[],
        measurement_status varchar not null, primary key (text_key, scorer_key)""",
    "earlier_runs": """
        suite varchar primary key, name varchar not null, n_outcomes bigint not null,
        last_ended_at timestamp, run_id varchar not null""",
    "earlier_outcomes": """
        suite varchar not null, category varchar not null, config varchar not null, model varchar not null,
        role varchar not null, is_simulated boolean not null, outcome_set varchar not null,
        rule_kind varchar not null, prompt_key varchar not null, repeat_index integer not null,
        outcome varchar, is_counted boolean not null, score double,
        primary key (suite, category, config, outcome_set, prompt_key, repeat_index)""",
    "earlier_comparables": """
        part varchar not null, suite varchar not null, category varchar not null,
        outcome_set varchar not null, item varchar not null, definition varchar not null,
        primary key (part, suite, category, outcome_set, item)""",
    "clusterings": """
        clustering_key varchar primary key, scorer_key varchar not null, parameters varchar not null,
        n_texts bigint not null, n_members bigint not null""",
    "topics": """
        clustering_key varchar not null, topic_position integer not null, n_texts bigint not null,
        n_members bigint not null, centroid double[] not null, centre double[],
        primary key (clustering_key, topic_position)""",
    "topic_words": """
        clustering_key varchar not null, topic_position integer not null, word_position integer not null,
        word varchar not null, share double not null, share_elsewhere double not null,
        similarity double not null, primary key (clustering_key, topic_position, word_position)""",
}


@cache
def schema_columns() -> list[tuple[str, str, str]]:
    """Return (table, column, type) of all raw tables."""
    with duckdb.connect() as empty:
        for table, columns in SCHEMA.items():
            empty.execute(f"create table {table} ({columns})")
        return empty.execute("select table_name, column_name, data_type from duckdb_columns()").fetchall()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block: inside DuckDB it would end a transaction half-way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received and callable(before):
        before(*received[0])


def utc_now() -> datetime:
    """Return the present in UTC, without a zone, as the tables hold it."""
    return datetime.now(UTC).replace(tzinfo=None)


def data_dir(option: Path | None = None) -> Path:
    """Return where the two databases are: the option, or PLUMBLINE_DATA, or `data`."""
    return option if option is not None else Path(os.environ.get("PLUMBLINE_DATA", "data"))


class Store:
    """Raw tables, open for writing by this one process.

    >>> with Store(Path("data")) as store:          # doctest: +SKIP
    ...     store.append("texts", [{"text_key": "k", "text": "t", "n_characters": 1}])
    """

    def __init__(self, directory: Path, read_only: bool = False) -> None:
        self.path = directory / RAW_NAME
        self.read_only = read_only
        self.in_transaction = False
        self.connection: duckdb.DuckDBPyConnection

    def __enter__(self) -> "Store":
        if self.read_only and not self.path.exists():
            raise PlumblineError(
                f"{self.path} does not exist: nothing has been brought in yet.",
                "Run `plumbline load FILE --suite FILE` or `plumbline generate --suite FILE` first.",
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # What does not fit is written beside the file until it is needed, as in a build (profiles.yml).
            limit = os.environ.get("PLUMBLINE_MEMORY", "2GB")
            self.connection = duckdb.connect(
                str(self.path), read_only=self.read_only, config={"memory_limit": limit}
            )
        except duckdb.IOException as error:
            if "lock" in str(error).lower():
                raise PlumblineError(
                    f"{self.path} is open in another process.",
                    "Close it (a dbt run, a notebook, a SQL client), then run the command again.",
                ) from error
            raise PlumblineError(
                f"{self.path} cannot be opened.", "Is it a DuckDB file of version 1.x?"
            ) from error
        except duckdb.ParserException as error:
            raise PlumblineError(f"PLUMBLINE_MEMORY: {error}.", "Give a size, such as 4GB.") from error
        except OSError as error:
            raise PlumblineError(
                f"{self.path} cannot be written: {error.strerror}.", "Choose another --data."
            ) from error
        if not self.read_only:
            for table, columns in SCHEMA.items():
                self.connection.execute(f"create table if not exists {table} ({columns})")
            self._add_columns()
            replay(self, self.path.parent)
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def _add_columns(self) -> None:
        """Add what tables of an older version lack."""
        there = set(self.rows("select table_name, column_name from duckdb_columns()"))
        for table, column, kind in schema_columns():
            if (table, column) not in there:
                self.connection.execute(f"alter table {table} add column {column} {kind}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what happens inside, or nothing; inside another transaction, a part of that one."""
        if self.in_transaction:
            yield
            return
        self.connection.execute("begin")
        self.in_transaction = True
        try:
            yield
        except BaseException:
            self.connection.execute("rollback")
            raise
        else:
            self.connection.execute("commit")
        finally:
            self.in_transaction = False

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        return self.connection.execute(sql, list(parameters)).fetchall()

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the single value of a query."""
        return self.rows(sql, parameters)[0][0]

    def append(self, table: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Add the rows that are not there yet, in one statement; return how many were new.

        A column that a row does not name is NULL. Rows whose key is there already change nothing.
        """
        if not rows:
            return 0
        return self.append_arrow(table, pa.Table.from_pylist(list(rows), schema=self.arrow_schema(table)))

    def append_arrow(self, table: str, batch: pa.Table) -> int:
        """Like `append`, from an Arrow table that has some or all of the columns."""
        names = ", ".join(batch.column_names)
        before: int = self.value(f"select count(*) from {table}")
        self.connection.register("incoming_rows", batch)
        try:
            self.connection.execute(
                f"insert or ignore into {table} ({names}) select {names} from incoming_rows"
            )
        finally:
            self.connection.unregister("incoming_rows")
        return int(self.value(f"select count(*) from {table}")) - before

    def arrow_schema(self, table: str) -> pa.Schema:
        """Return a raw table's columns as Arrow types."""
        return self.connection.execute(f"select * from {table} limit 0").to_arrow_table().schema

    def replace(self, table: str, suite: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put these rows in the place of all that a suite had in a definition table."""
        self.connection.execute(f"delete from {table} where suite = ?", [suite])
        self.append(table, rows)

    @contextmanager
    def run(self, command: str, detail: Mapping[str, Any]) -> Iterator[str]:
        """Record a run of a stage: when, with what, and how it ended."""
        started = utc_now()
        run_id = key("run", command, started.isoformat(), os.getpid())
        row = {
            "run_id": run_id,
            "command": command,
            "started_at": started,
            "ended_at": None,
            "run_status": "running",
            "detail": json.dumps(detail, sort_keys=True, ensure_ascii=False),
            "versions": json.dumps(versions(), sort_keys=True),
        }
        self.append("runs", [row])
        status = "failed"
        try:
            yield run_id
            status = "ok"
        except KeyboardInterrupt:
            status = "interrupted"
            raise
        finally:
            self.connection.execute(
                "update runs set ended_at = ?, run_status = ? where run_id = ?", [utc_now(), status, run_id]
            )


def versions() -> dict[str, str]:
    """Return the versions of everything that can change a number."""
    from importlib.metadata import PackageNotFoundError, version

    names = (
        "dbt-core",
        "dbt-duckdb",
        "duckdb",
        "numpy",
        "scipy",
        "tokenizers",
        "safetensors",
        "vaderSentiment",
    )
    found = {name: version(name) for name in names}
    for name in ("torch", "transformers", "sentence-transformers"):  # the extra `models`
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return {"plumbline": __version__, "python": platform.python_version(), **found}


@contextmanager
def opened(directory: Path, dry_run: bool) -> Iterator[Store]:
    """Open the store; a dry run leaves it as it is, and makes none where there is none."""
    if not dry_run or (directory / RAW_NAME).exists():
        with Store(directory, read_only=dry_run) as store:
            yield store
    else:
        with TemporaryDirectory(prefix="plumbline-") as empty, Store(Path(empty)) as store:
            yield store
