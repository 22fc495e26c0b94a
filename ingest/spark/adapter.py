"""What dbt's adapter for Spark lacks, added while it runs: the installed package stays as it is."""

from typing import Any

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.spark.impl import SparkAdapter
from dbt.adapters.spark.session import Cursor, SessionConnectionWrapper
from dbt_common.exceptions import DbtRuntimeError

from ingest.spark.python_models import materialise
from ingest.spark.session import prepared_session


class InSession(PythonJobHelper):
    """Runs a Python model in the session that runs dbt's SQL; the adapter knows Databricks' clusters only."""

    def __init__(self, parsed_model: dict[str, Any], credentials: object) -> None:
        self.model = parsed_model

    def submit(self, compiled_code: str) -> None:
        """Run the model and save its rows. What dbt adds to its code is for other places."""
        model = self.model
        materialise(
            prepared_session(),
            model["raw_code"],
            model["name"],
            [ref["name"] for ref in model["refs"]],
            model["schema"],
            model["config"].get("file_format"),
        )


def execute(cursor: Any, sql: str, *parameters: Any) -> None:
    """Ask the session. The adapter's own way makes Hive's catalogue and turns ANSI mode off."""
    from pyspark.errors import PySparkException

    try:
        cursor._df = prepared_session().sql(sql % parameters if parameters else sql)
    except PySparkException as error:
        raise DbtRuntimeError(str(error)) from error


def literal(_: type, value: Any) -> Any:
    r"""Return a seed's cell as SQL. The adapter puts a text between quotes as it is, and None as a text.

    >>> literal(object, "it's C:\\")
    "'it\\'s C:\\\\'"
    """
    if value is None:
        return "null"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return as_before(value)


as_before = SessionConnectionWrapper._fix_binding


def install() -> None:
    """Add it all; a second time changes nothing."""
    SparkAdapter.default_python_submission_method = property(lambda _: "session")
    SparkAdapter.python_submission_helpers = property(lambda _: {"session": InSession})
    SessionConnectionWrapper._fix_binding = classmethod(literal)
    Cursor.execute = execute
