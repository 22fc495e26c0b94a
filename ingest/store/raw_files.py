"""The raw tables as Parquet files in a folder or in object storage, for engines that open no DuckDB file.

    FOLDER/manifest.json                                     which files count: no other is read
    FOLDER/responses/fair_sea/1f2e…/0d7c….parquet            a suite's answers under one config
    FOLDER/texts/3/9a41….parquet                             the fourth million of texts

A file is named by what it holds and never changes. What changed is written beside it, then the manifest takes
the place of the one before, as a whole. Files that only the manifest before the last one named are removed.
"""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from ingest.errors import SHOWN, PlumblineError, cut, shown
from ingest.keys import key
from ingest.store import Store
from ingest.store.private import private
from ingest.store.tables import SCHEMA, STATE, schema_columns

MANIFEST = "manifest.json"
FORMAT = 1
ROWS = 1_000_000  # of a part, where rows belong to no suite: new ones come after the old
BATCH = 100_000
# Tables whose rows are answers, or of answers: a part is what one suite has under one config.
OF_ANSWERS = {"responses", "ready_measurements", "superseded_responses"}
# Tables that may be long and belong to no suite: a part is a million of their rows.
OF_TEXTS = {
    "texts", "text_variants", "scored_texts", "measurements", "judge_votes", "judged_pairs", "embeddings",
    "text_pairs", "text_languages",
}  # fmt: skip
PART, PLACE = "exported_part", "exported_place"
PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Written(NamedTuple):
    """What an export did."""

    n_files: int
    n_rows: int
    n_bytes: int
    n_kept: int  # files that were there already


class RawFiles:
    """The files under one folder or URL: s3://bucket/audit, gs://…, abfss://…, a path.

    Raises PlumblineError where nothing can be reached there. Credentials are those of the environment.
    """

    def __init__(self, place: str) -> None:
        self.place = place if "://" in place else str(Path(place).resolve())
        try:
            self.files, self.folder = pafs.FileSystem.from_uri(self.place)
        except (OSError, ValueError) as error:  # pyarrow's own errors are both
            raise self._unreachable(error) from error
        self.is_local = isinstance(self.files, pafs.LocalFileSystem)

    def manifest(self) -> dict[str, Any]:
        """Return which files count; of a place where nothing was written yet, none."""
        nothing: dict[str, Any] = {"format": FORMAT, "state": {}, "tables": {}, "superseded": []}
        try:
            with self.files.open_input_stream(f"{self.folder}/{MANIFEST}") as stream:
                found = json.loads(stream.read())
        except FileNotFoundError:
            return nothing
        except (OSError, ValueError) as error:
            raise self._unreachable(error) from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise PlumblineError(
                f"{shown(self.place)} holds another version's raw tables.", "Name another folder."
            )
        return found

    @private()
    def export(self, store: Store) -> Written:
        """Write the parts of the raw tables that changed since they were last written here."""
        before = self.manifest()
        tables = {}
        n_files, n_rows, n_bytes, n_kept = 0, 0, 0, 0
        try:
            for table in SCHEMA:
                columns = [[name, kind] for of, name, kind in schema_columns() if of == table]
                there = before["tables"].get(table, {})
                known = there.get("parts", {}) if there.get("columns") == columns else {}
                wanted = _parts(store, table, columns)
                parts = {name: known[name] for name, of in wanted.items() if _is_same(known.get(name), of)}
                n_kept += len(parts)
                for name, file in self._write(store, table, columns, wanted, parts):
                    parts[name] = file
                    n_files, n_rows, n_bytes = n_files + 1, n_rows + file["rows"], n_bytes + file["bytes"]
                tables[table] = {"columns": columns, "parts": dict(sorted(parts.items()))}
            if n_files or tables != before["tables"]:
                self._replace(before, tables, dict(store.rows(f"select part, state from {STATE}")))
        except OSError as error:
            raise self._unreachable(error) from error
        return Written(n_files, n_rows, n_bytes, n_kept)

    def _write(
        self,
        store: Store,
        table: str,
        columns: list[list[str]],
        wanted: Mapping[str, dict[str, Any]],
        done: Mapping[str, Any],
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Write the wanted parts that are not done, in one reading of the table; yield each when whole."""
        missing = [name for name in wanted if name not in done]
        if not missing:
            return
        names = ", ".join(f'"{name}"' for name, _ in columns)
        store.connection.execute(
            f"select {PART}, {names} from ({_with_part(table, columns)})"
            f" where list_contains(?, {PART}) order by {PART}, {PLACE}",
            [missing],
        )
        reader = store.connection.to_arrow_reader(BATCH)
        schema = pa.schema([reader.schema.field(name) for name, _ in columns])
        # An empty part has no rows to come; it gives the table its columns.
        rows = iter(_runs(reader))
        current = next(rows, None)
        for name in sorted(missing):
            path = f"{_folder(table, name)}/{wanted[name]['content']}.parquet"
            self.files.create_dir(f"{self.folder}/{path}".rpartition("/")[0], recursive=True)
            with (
                self.files.open_output_stream(f"{self.folder}/{path}") as stream,
                pq.ParquetWriter(stream, schema, compression="zstd") as writer,
            ):
                while current is not None and current[0] == name:
                    writer.write_batch(current[1].select(schema.names))
                    current = next(rows, None)
            size = self.files.get_file_info(f"{self.folder}/{path}").size
            yield name, {**wanted[name], "file": path, "bytes": size}

    def _replace(
        self, before: Mapping[str, Any], tables: Mapping[str, Any], state: Mapping[str, str]
    ) -> None:
        """Have these tables count from now on. Files of two manifests ago are nobody's any more."""
        kept, were = set(file_names(tables)), set(file_names(before["tables"]))
        manifest = {
            "format": FORMAT,
            "state": state,
            "tables": tables,
            "superseded": sorted(were - kept),
        }
        text = json.dumps(manifest, indent=1, sort_keys=True).encode()
        path = f"{self.folder}/{MANIFEST}"
        # Object storage shows a file once it is whole; a folder shows it while it is written.
        first = f"{path}.{uuid.uuid4().hex}" if self.is_local else path
        with self.files.open_output_stream(first) as stream:
            stream.write(text)
        if self.is_local:
            Path(first).replace(path)
        for name in set(before["superseded"]) - kept - were:
            if self.files.get_file_info(f"{self.folder}/{name}").type == pafs.FileType.File:
                self.files.delete_file(f"{self.folder}/{name}")

    def _unreachable(self, error: Exception) -> PlumblineError:
        return PlumblineError(
            f"{shown(self.place)} cannot be read or written: {cut(str(error), SHOWN)}.",
            "Name a folder, or a URL such as s3://bucket/audit with credentials in the environment.",
        )


def file_names(tables: Mapping[str, Any]) -> list[str]:
    """Return the files of all tables of a manifest, by their paths in its folder."""
    return [part["file"] for table in tables.values() for part in table["parts"].values()]


def _folder(table: str, part: str) -> str:
    """Return the folder of a part; names that are odd in a path or in a pattern of paths are hashed."""
    names = (name if PLAIN.fullmatch(name) else key(name) for name in part.split("/") if name)
    return "/".join((table, *names))


def _is_same(known: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> bool:
    return known is not None and known["content"] == wanted["content"]


def _with_part(table: str, columns: list[list[str]]) -> str:
    """Return the query of a table's rows with their part and their place in it."""
    names = ", ".join(
        f'cast(t."{name}" as varchar) as "{name}"' if kind == "JSON" else f't."{name}"'
        for name, kind in columns
    )
    rest = f"from {table} as t"
    if table in OF_ANSWERS:
        rest += " left join responses as r on t.response_key = r.response_key"
        rest += " left join prompts as p on r.prompt_key = p.prompt_key"
        part = "concat_ws('/', coalesce(p.suite, '-'), coalesce(r.config_key, '-'))"
    elif any(name == "suite" for name, _ in columns):
        part = "t.suite"
    elif table in OF_TEXTS:
        part = f"cast(t.rowid // {ROWS} as varchar)"
    else:
        part = "''"
    return f"select {part} as {PART}, t.rowid as {PLACE}, {names} {rest}"


def _parts(store: Store, table: str, columns: list[list[str]]) -> dict[str, dict[str, Any]]:
    """Return part -> what it holds, of a table. One part is empty: it has the table's columns."""
    names = ", ".join(f'"{name}"' for name, _ in columns)
    found = {"": {"content": key("empty", json.dumps(columns)), "rows": 0}}
    for part, n, content in store.rows(
        f"select {PART}, count(*), sum(hash({names})) from ({_with_part(table, columns)}) group by {PART}"
    ):
        found[part] = {"content": key(str(n), str(content)), "rows": n}
    return found


def _runs(reader: pa.RecordBatchReader) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield the rows of each part, which rows are sorted by, in one or more batches."""
    for batch in reader:
        runs = pc.run_end_encode(batch.column(PART))
        start = 0
        for part, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            yield part, batch.slice(start, end - start)
            start = end
