"""The Spark session of this process: one that is there already, or one of this machine's own."""

import os
import re
import shlex
import shutil
import sys
import warnings
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from ingest.errors import PlumblineError
from ingest.paths import hold
from ingest.spark.raw_views import raw_place, register
from ingest.store import data_dir
from ingest.store.opening import memory_limit
from ingest.store.raw_files import RawFiles

FOLDER = "spark"  # in the folder of data: tables of a session of this machine's own
OPTIONS = "PLUMBLINE_SPARK_CONF"
# What the models mean, wherever they run.
MEANT = {
    "spark.sql.ansi.enabled": "true",  # a cast or a sum that goes wrong stops the build
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # as DuckDB's
    "spark.sql.variable.substitute": "false",  # no text of a seed names the environment
}
_ONE_AT_A_TIME = RLock()
# Somebody else has started Spark, and has said how.
STARTED = ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT", "DATABRICKS_RUNTIME_VERSION")


def options(given: str) -> dict[str, str]:
    """Return the options that a user gives: `spark.executor.memory=4g spark.sql.shuffle.partitions=200`.

    Raises PlumblineError for what is none.
    """
    found = dict(part.partition("=")[::2] for part in shlex.split(given))
    for name, value in found.items():
        if not name.startswith("spark.") or not value:
            raise PlumblineError(
                f"{OPTIONS} holds {name!r}, which is no option of Spark.",
                "Write spark.name=value, with a space between two.",
            )
    return found


def own_options(folder: Path) -> dict[str, str]:
    """Return how a session of this machine's own starts; `SPARK_MASTER` may name a cluster."""
    memory = re.sub(r"i?B$", "", memory_limit().strip(), flags=re.IGNORECASE)
    chosen = {
        "spark.app.name": "plumbline",
        "spark.driver.memory": memory.replace(" ", "").lower(),
        "spark.log.level": "FATAL",  # what stops the build is raised, too
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
        "spark.sql.warehouse.dir": str((folder / "warehouse").resolve()),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    chosen["spark.master"] = os.environ.get("SPARK_MASTER") or "local[*]"
    if chosen["spark.master"].startswith("local"):  # nobody else has a part in it
        chosen |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    return chosen


def session() -> Any:
    """Return the session. One that somebody else has started is taken as it is, but for what the models mean.

    Tables of a session of this machine's own last as long as it does. Raises PlumblineError where another
    process has one on the same data, and where Spark or Java is missing.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise PlumblineError(
            "Spark is not installed.", "Install the extra: pip install 'plumbline[spark]'."
        ) from error
    if (active := SparkSession.getActiveSession()) is not None:
        return active
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder
    chosen = options(os.environ.get(OPTIONS, ""))
    if not any(os.environ.get(name) for name in STARTED):
        chosen = own_options(_emptied(data_dir() / FOLDER)) | chosen
        _check_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark's own choice is any `python3`
    for name, value in (chosen | MEANT).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def prepared_session() -> Any:
    """Return the session with the raw tables in it, as they were at the first call. Errors: see `session`."""
    with _ONE_AT_A_TIME:  # dbt asks from several threads
        return _prepared()


def forget_raw_tables() -> None:
    """Have the next `prepared_session` take the raw tables as they are then."""
    _prepared.cache_clear()


@cache
def _prepared() -> Any:
    spark = session()
    for name, value in MEANT.items():
        spark.conf.set(name, value)
    register(spark, RawFiles(raw_place(data_dir() / FOLDER)))
    return spark


def _emptied(folder: Path) -> Path:
    """Take a folder for this process, without the tables of the session before."""
    hold(folder, "Another session of Spark is")
    shutil.rmtree(folder / "warehouse", ignore_errors=True)
    return folder


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=f"{home}/bin" if home else None) is None:
        raise PlumblineError(
            "Spark needs Java 17 or newer, and there is no `java` here.",
            "Install it (Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME.",
        )
