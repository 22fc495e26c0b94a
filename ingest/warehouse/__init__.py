"""From raw tables to marts: `dbt` builds them, `marts` reads them. Every command may import this."""

from ingest.warehouse.dbt import ParsedProject, build, mart_names, parse, run_dbt, write_manifest
from ingest.warehouse.marts import (
    LOCKED,
    VERDICTS,
    Warehouse,
    describe_finding,
    findings,
    print_verdicts,
    verdict_counts,
)

__all__ = [
    "LOCKED",
    "VERDICTS",
    "ParsedProject",
    "Warehouse",
    "build",
    "describe_finding",
    "findings",
    "mart_names",
    "parse",
    "print_verdicts",
    "run_dbt",
    "verdict_counts",
    "write_manifest",
]
