"""Texts in pages of bounded size, and a bar that shows how far the work is."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from ingest.store import Store

PAGE_CHARACTERS = 4_000_000  # texts in Python's memory at once
TEXT_OVERHEAD = 200  # a short text's cost in characters


def page_of(n_characters: str, order: str) -> str:
    """Return the SQL of a row's page: texts in an order, as many a page as Python's memory may hold."""
    return (
        f"sum({n_characters} + {TEXT_OVERHEAD}) over (order by {order} rows unbounded preceding)"
        f" // {PAGE_CHARACTERS} as page"
    )


def make_pages(store: Store, listed: str, parameters: Mapping[str, Any]) -> list[int]:
    """Make the temporary table `pages` of a query with a column `page`; return the pages in order."""
    store.connection.execute(f"create or replace temp table pages as {listed}", parameters)
    return [page for (page,) in store.rows("select distinct page from pages order by page")]


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """Show a bar with position and rate on stderr; yield what to call with each number of texts done."""
    started, done = time.monotonic(), 0
    with click.progressbar(
        length=length, label=label, file=sys.stderr, show_pos=True, item_show_func=lambda rate: rate or ""
    ) as bar:

        def advance(n: int) -> None:
            nonlocal done
            done += n
            bar.update(n, f"{done / max(time.monotonic() - started, 1e-9):,.0f} texts/s")

        yield advance
