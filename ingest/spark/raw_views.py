"""The raw tables in Spark: views over the files that their manifest names."""

import os
from pathlib import Path
from typing import Any

from ingest.store.raw_files import RawFiles, file_names

PLACE = "PLUMBLINE_RAW"
SCHEMA = "raw"


def raw_place(folder: Path) -> str:
    """Return where the raw tables lie as files: PLUMBLINE_RAW, or in a folder of the data."""
    return os.environ.get(PLACE) or str(folder / "raw")


def register(spark: Any, files: RawFiles) -> None:
    """Make a view of each raw table, as the manifest has it now; none where nothing was exported."""
    tables = files.manifest()["tables"]
    if tables:
        spark.sql(f"create schema if not exists {SCHEMA}")
    for name, table in tables.items():
        paths = ",".join(file_names({name: table}))
        spark.sql(
            f"create or replace view {SCHEMA}.{name} as select * from parquet.`{files.place}/{{{paths}}}`"
        )
