"""What a stage wants in the raw table `prompts`: temporary tables of its rows, and what they leave out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ingest.store import Store
from ingest.store.tables import SCHEMA

NOT_WANTED = (
    "suite = ? and list_contains(?, method) and prompt_key not in (select prompt_key from wanted_prompts)"
)
WAS_ASKED = "prompt_key in (select prompt_key from responses)"


@contextmanager
def wanted_tables(store: Store, tables: Sequence[str]) -> Iterator[None]:
    """Make an empty temporary table `wanted_<table>` for each of these raw tables, for the block."""
    for table in tables:
        store.connection.execute(f"create or replace temp table wanted_{table} ({SCHEMA[table]})")
    try:
        yield
    finally:
        for table in tables:
            store.connection.execute(f"drop table wanted_{table}")


def count_outdated(store: Store, suite: str, methods: Sequence[str]) -> int:
    """Return how many prompts that these methods made are wanted no longer, but have answers."""
    n: int = store.value(f"select count(*) from prompts where {NOT_WANTED} and {WAS_ASKED}", [suite, methods])
    return n


def delete_unasked(store: Store, suite: str, methods: Sequence[str]) -> None:
    """Delete the prompts that these methods made, that are wanted no longer and that nobody was asked."""
    store.connection.execute(
        f"delete from prompts where {NOT_WANTED} and not {WAS_ASKED}", [suite, list(methods)]
    )
