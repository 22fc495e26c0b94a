"""From raw tables to marts: `dbt` builds them, `marts` reads them. Every command may import this."""

from ingest.warehouse.dbt import build, mart_names, parse, parsed_project, read_project, run_dbt
from ingest.warehouse.history import keep_audit
from ingest.warehouse.marts import (
    FINDINGS,
    VERDICTS,
    Exported,
    NotBuilt,
    Warehouse,
    check_inputs,
    describe_finding,
    findings,
    print_lost,
    print_powerless,
    print_verdicts,
    verdict_counts,
)
from ingest.warehouse.project import project_inputs

__all__ = [
    "FINDINGS",
    "VERDICTS",
    "Exported",
    "NotBuilt",
    "Warehouse",
    "build",
    "check_inputs",
    "describe_finding",
    "findings",
    "keep_audit",
    "mart_names",
    "parse",
    "parsed_project",
    "print_lost",
    "print_powerless",
    "print_verdicts",
    "project_inputs",
    "read_project",
    "run_dbt",
    "verdict_counts",
]
