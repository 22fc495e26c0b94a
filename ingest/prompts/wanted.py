"""What a stage wants in the raw table `prompts`: temporary tables of its rows, and what they leave out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ingest.errors import PlumblineError, shorten
from ingest.store import Store
from ingest.store.tables import SCHEMA
from ingest.suite import Suite

LONGEST = 200  # characters of a message that name groups

NOT_WANTED = (
    "suite = ? and list_contains(?, method) and prompt_key not in (select prompt_key from wanted_prompts)"
)
WAS_ASKED = "prompt_key in (select prompt_key from responses)"
# What a suite says of a prompt and is no part of its key.
SAID_OF_A_PROMPT = (
    "domain",
    "concept",
    "language",
    "keyword",
    "source_tag",
    "root_key",
    "block_key",
    "shown_by",
    "baseline_text_key",
    "baseline_kind",
    "template",
    "slots",
    "translated_by",
    "reviewed_by",
)


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


def keep_prompts(store: Store, method: str | None = None) -> None:
    """Put the wanted prompts into `prompts`: one that is there says what the suite says of it now.

    With `method` only one that was made by it; others are left as they are.
    """
    differs = " or ".join(f"{column} is distinct from excluded.{column}" for column in SAID_OF_A_PROMPT)
    store.connection.execute(
        f"""
        insert into prompts by name
        select * from wanted_prompts
        on conflict (prompt_key) do update set
            {", ".join(f"{column} = excluded.{column}" for column in ("method", *SAID_OF_A_PROMPT))}
        where method = coalesce(?, method) and (method = 'loaded' or {differs})
        """,
        [method],
    )


def count_outdated(store: Store, suite: str, methods: Sequence[str]) -> int:
    """Return how many prompts that these methods made are wanted no longer, but have answers."""
    n: int = store.value(f"select count(*) from prompts where {NOT_WANTED} and {WAS_ASKED}", [suite, methods])
    return n


def refuse_groups_that_are_gone(store: Store, suite: Suite) -> None:
    """Raise PlumblineError where made prompts with answers name a group that the suite has no longer."""
    gone, n = store.rows(
        f"""
        with named as (
            select prompt_key, unnest(map_entries(attributes)) as entry from prompts
            where suite = ? and method <> 'loaded' and {WAS_ASKED}
        )

        select
            list(distinct entry.key || ': ' || entry.value order by entry.key || ': ' || entry.value),
            count(distinct prompt_key)
        from named
        where not list_contains(?, entry.key || '=' || entry.value)
        """,
        [suite.suite, suite.declared_groups],
    )[0]
    if n:
        raise PlumblineError(
            f"The suite has no longer {shorten(', '.join(gone), LONGEST)}, and {n:,} prompts about it have "
            "answers here.",
            "Write it into `attributes:` again, or give the changed suite a folder of its own: "
            "`plumbline --data FOLDER …`.",
        )


def delete_unasked(store: Store, suite: str, methods: Sequence[str]) -> None:
    """Delete the prompts that these methods made, that are wanted no longer and that nobody was asked."""
    store.connection.execute(
        f"delete from prompts where {NOT_WANTED} and not {WAS_ASKED}", [suite, list(methods)]
    )
