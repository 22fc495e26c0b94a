"""A Parquet file in a child: read once from end to end, to see whether it can be and how large it unfolds."""

import os
from typing import Any

from ingest.apart.child import described

os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # others reserve addresses, which are limited here

import pyarrow as pa
import pyarrow.parquet as pq

CELL = 16  # bytes that a cell counts at least


class Reading:
    """Answers {"path", "columns", "options", "rows", "most_at_once", "most"}.

    Without `columns` all are read. `most_at_once` are bytes of `rows` records, `most` those of all.
    """

    def __call__(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return {} for a file that can be read, or why not: "error", "at_once" or "unfolds"."""
        try:
            with pq.ParquetFile(question["path"], **question["options"]) as file:
                return _read(file, question)
        except MemoryError:
            return {"at_once": True}
        except Exception as error:  # a damaged file can end in any of Arrow's or Python's
            return {"error": str(error) or described(error)}


def _read(file: pq.ParquetFile, question: dict[str, Any]) -> dict[str, Any]:
    names = set(question["columns"] or file.schema_arrow.names)
    columns = [name for name in file.schema_arrow.names if name in names]
    metadata, most = file.metadata, question["most"]
    unfolded = metadata.num_rows * max(1, len(columns)) * CELL
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        chunks = (group.column(j) for j in range(group.num_columns))
        unfolded += sum(c.total_uncompressed_size for c in chunks if c.path_in_schema in names)
    if unfolded > most:
        return {"unfolds": True}
    read = 0
    for batch in file.iter_batches(question["rows"], columns=columns, use_threads=False):
        size = sum(_unfolded(column) for column in batch.columns)
        read += size + batch.num_rows * batch.num_columns * CELL
        if size > question["most_at_once"]:
            return {"at_once": True}
        if read > most:
            return {"unfolds": True}
    return {}


def _unfolded(column: pa.Array) -> int:
    values = column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
    return int(values.nbytes)
