"""dbt asks every module whose name begins with `dbt_` for plugins, once it has read its profile."""

import sys

from dbt.plugins.manager import dbtPlugin


class Plumbline(dbtPlugin):
    """Adds to dbt's adapter for Spark, where the profile has loaded it."""

    def initialize(self) -> None:
        """Do it, or nothing on DuckDB."""
        if "dbt.adapters.spark" in sys.modules:
            from ingest.spark.adapter import install

            install()


plugins = [Plumbline]
