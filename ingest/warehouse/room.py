"""Whether there is room for a build, on the disk and in memory, before it starts."""

import re
from pathlib import Path

from ingest.errors import PlumblineError
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.store.opening import memory_limit
from ingest.store.private import check_room

FEWEST_MB = 256  # of marts, whatever the answers
# DuckDB writes to the disk what it can, and what it cannot nobody knows before. So this is the least with
# which builds of 6,600 and of 200,000 answers came to an end; one that needs more says so when it stops.
LEAST_MEMORY_MB, BYTES_PER_ANSWER = 200, 100
PYTHON_MB = 350  # dbt and NumPy, which lie in memory beside
SIZES = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
NO_MEMORY = ("Out of Memory Error", "failed to pin block")  # what DuckDB says
NO_ARRAY = "MemoryError"  # what Python says, and NumPy
OF_PAIRS = "_pairs_"  # in the names of models whose rows grow with the square of groups


def check_disk(data: Path) -> None:
    """Raise PlumblineError where the disk has no room for marts: twice the raw tables, less what is there."""
    raw, marts = (
        path.stat().st_size >> 20 if path.exists() else 0 for path in (data / RAW_NAME, data / AUDIT_NAME)
    )
    check_room(data, FEWEST_MB + max(0, 2 * raw - marts))


def check_memory(store: Store) -> None:
    """Raise PlumblineError with the figures where a build of these raw tables would surely not fit."""
    n_answers: int = store.value("select count(*) from responses")
    needed = LEAST_MEMORY_MB + n_answers * BYTES_PER_ANSWER // 1_000_000
    number, unit = store.value("select current_setting('memory_limit')").split()
    if float(number) * SIZES[unit] / 1e6 < 0.99 * needed:  # DuckDB rounds what it says
        raise PlumblineError(
            f"PLUMBLINE_MEMORY={memory_limit()} is too little to build {n_answers:,} answers: "
            f"DuckDB needs at least {needed:,} MB.",
            f"Set it to {2 * needed}MB or more.",
        )
    free = free_memory()
    if free is not None and free < needed + PYTHON_MB:
        raise PlumblineError(
            f"There is not enough memory to build {n_answers:,} answers: {free:,} MB are free, "
            f"at least {needed + PYTHON_MB:,} are needed.",
            "Close other programs, or build where there is more.",
        )


def free_memory() -> int | None:
    """Return how many MB this process can still have, None where the system does not say."""
    try:
        found = re.search(
            r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("ascii"), re.MULTILINE
        )
        group = Path("/sys/fs/cgroup/memory.max")
        most = group.read_text("ascii").strip() if group.exists() else "max"
    except OSError:
        return None
    sizes = [int(found[1]) * 1_024] if found else []
    sizes += [int(most)] if most.isdecimal() else []
    return min(sizes) // 1_000_000 if sizes else None


def stopped_by_memory(node: str, said: str) -> PlumblineError | None:
    """Return the error of a build in which a model or test had not the memory, by what it said; else None."""
    fewer = " Or compare fewer pairs: `pairs: {against: reference}` in the suite." if OF_PAIRS in node else ""
    if any(words in said for words in NO_MEMORY):
        return PlumblineError(
            f"The build stopped at {node}: DuckDB needs more memory than PLUMBLINE_MEMORY={memory_limit()}.",
            f"Set it to twice as much or more.{fewer}",
        )
    if NO_ARRAY in said:
        return PlumblineError(
            f"The build stopped at {node}: this machine has not the memory for what it draws.",
            "Build where there is more, or draw less: `resampling: {permutations: 200, bootstrap: 200}`."
            f"{fewer}",
        )
    return None
