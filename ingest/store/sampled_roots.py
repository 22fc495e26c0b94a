"""A part of a data folder's prompts in a folder of its own, for a look at a suite (ingest/watch.py)."""

from pathlib import Path

from ingest.store import RAW_NAME, Store
from ingest.store.opening import attach

# Each category's roots are dealt out in an order that the plan alone decides, into so many piles that none
# has fewer than wanted; the look takes its pile whole. After the last pile the first one comes again.
ROOTS = """
    with roots as (
        select distinct category, root_key from whole.prompts where suite = $suite and method <> 'loaded'
    ),
    dealt as (
        select
            root_key,
            row_number() over (partition by category order by md5(root_key || $plan)) - 1 as place,
            greatest(count(*) over (partition by category) // $n_roots, 1) as n_piles
        from roots
    )
    select root_key from dealt where place % n_piles = ($look - 1) % n_piles
"""
OF_PROMPTS = {
    "prompts": "root_key in (select root_key from chosen_roots)",
    "prompt_flags": "prompt_key in (select prompt_key from prompts)",
    "texts": "text_key in (select baseline_text_key from prompts)",
    "documents": "suite = $suite",
    "sentences": "suite = $suite",
    "keywords": "suite = $suite",
}


def copy_sample(data: Path, store: Store, suite: str, plan: str, look: int, n_roots: int) -> int:
    """Put the look's roots, whole, into the raw tables of `store`; return the number of their prompts.

    `n_roots` of each category are wanted. What is there already stays as it is.
    """
    given = {"suite": suite, "plan": plan, "look": look, "n_roots": n_roots}
    attach(store.connection, data / RAW_NAME, "whole")
    try:
        with store.transaction():
            store.connection.execute(f"create or replace temp table chosen_roots as {ROOTS}", given)
            for table, condition in OF_PROMPTS.items():
                if not store.value(f"select count(*) from {table}"):
                    named = {"suite": suite} if "$suite" in condition else {}
                    store.connection.execute(
                        f"insert into {table} by name select * from whole.{table} where {condition}", named
                    )
    finally:
        store.connection.execute("detach whole")
    return int(store.value("select count(*) from prompts"))
