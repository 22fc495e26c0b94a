"""Asking what is pending: answers are kept as they land, and a run stops when the model or server fails."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

import click

from ingest.asking.plan import Task, pending_requests
from ingest.asking.senders import Asker, Counters, Landed, RateLimit, Retries, Wrapper, ask
from ingest.backends import AttemptFailed, Backend, Request, Watched
from ingest.errors import PlumblineError
from ingest.store import Store, uninterrupted, utc_now
from ingest.store.journal import Journal
from ingest.suite import Suite

FLUSH_ROWS = 500
FLUSH_SECONDS = 2.0
WATCH_SECONDS = 10.0
FAILURES_IN_A_ROW = 5
DIGEST_SHOWN = 19
RETRIES = Retries()

DISOWN = """
    update responses
    set
        response_status = 'cancelled',
        text_key = null,
        reasoning_text_key = null,
        error = 'the model changed while it was being asked'
    where run_id = ? and config_key = ? and answered_at > ?
"""


class Keeper:
    """Brings answers from the journal into the database, some hundred or two seconds' worth at a time."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self.store = store
        self.journal = journal
        self.statuses: Counter[str] = Counter()
        self._landed: list[Landed] = []
        self._flushed_at = time.monotonic()

    def keep(self, landed: Landed) -> None:
        """Take an answer that is in the journal."""
        self._landed.append(landed)
        self.statuses[landed.entry["row"]["response_status"]] += 1
        if len(self._landed) >= FLUSH_ROWS or time.monotonic() - self._flushed_at > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what waits in one transaction."""
        with uninterrupted():
            self.store.append_answers([landed.entry for landed in self._landed])
            self.journal.committed(Counter(landed.file for landed in self._landed))
            self._landed = []
        self._flushed_at = time.monotonic()


class Watch:
    """Looks whether a model is still the one that the run began with, every so often."""

    def __init__(self, task: Task, seconds: float) -> None:
        self.task = task
        self.seconds = seconds
        self.good_until = utc_now()
        self._checked_at = time.monotonic()

    def look(self, *, now: bool = False) -> None:
        """Raise ModelChanged if another model answers under the name."""
        backend = self.task.backend
        is_due = now or time.monotonic() - self._checked_at > self.seconds
        if not (isinstance(backend, Watched) and is_due):
            return
        moment = utc_now()
        self._checked_at = time.monotonic()
        # A server too busy to tell is asked again at the next look.
        with suppress(AttemptFailed):
            digest = backend.current_digest(self.task.config)
            if digest != self.task.row["digest"]:
                raise ModelChanged(self.task, digest)
            self.good_until = moment


class ModelChanged(PlumblineError):
    """The weights behind a name are others than when the run began (SPEC GEN-7)."""

    def __init__(self, task: Task, digest: str) -> None:
        super().__init__(
            f"{task.label}: the model changed while it was being asked, from digest "
            f"{task.row['digest'][:DIGEST_SHOWN]} to {digest[:DIGEST_SHOWN]}. "
            "Answers that either may have given are marked `cancelled`.",
            "The same command goes on with the new model, as another config.",
        )


class Breaker:
    """Stops a run whose server fails each request, instead of failing all that are left."""

    def __init__(self, backend: Backend) -> None:
        self.asked_again = backend.asked_again
        self.n_in_a_row = 0

    def note(self, row: Mapping[str, Any]) -> None:
        """Count a failure that passes, or start anew; raise PlumblineError at the limit."""
        is_failure = row["response_status"] in self.asked_again and row["response_status"] != "cancelled"
        self.n_in_a_row = self.n_in_a_row + 1 if is_failure else 0
        if self.n_in_a_row >= FAILURES_IN_A_ROW:
            raise PlumblineError(
                f"The server failed {self.n_in_a_row} requests in a row, the last after "
                f"{row['n_attempts']} attempts: {row['error']}.",
                "See to the server; then the same command asks these again and goes on.",
            )


def generate_answers(
    store: Store,
    suite: Suite,
    tasks: list[Task],
    run_id: str,
    limit: int | None = None,
    concurrency: int | None = None,
    *,
    retries: Retries = RETRIES,
    watch_seconds: float = WATCH_SECONDS,
    wrappers: Mapping[str, Wrapper] | None = None,
    counters: Counters | None = None,
) -> dict[str, Counter[str]]:
    """Ask what is pending, at most `limit` requests; return the new answers by config and status.

    `concurrency` stands in for what the configs say. Configs of one model are asked one after another:
    a server that has room for one loads it once.
    """
    left = sum(task.n_pending for task in tasks)
    left = left if limit is None else min(limit, left)
    statuses: dict[str, Counter[str]] = {task.label: Counter() for task in tasks}
    counters = counters or Counters()
    first_of_model: dict[tuple[str, str | None, str], int] = {}
    for i, task in enumerate(tasks):
        first_of_model.setdefault(task.model, i)
    journal = Journal(store.path.parent)
    try:
        with click.progressbar(
            range(left),
            label="Generating",
            file=sys.stderr,
            hidden=not left,
            show_pos=True,
            item_show_func=lambda _: str(counters),
        ) as bar:
            for task in sorted(tasks, key=lambda task: first_of_model[task.model]):
                store.append("configs", [task.row])
                asker = Asker(
                    task.backend,
                    task.config_key,
                    run_id,
                    journal,
                    retries=retries,
                    rate=RateLimit(task.config.requests_per_minute),
                    counters=counters,
                    max_prompt_tokens=task.max_prompt_tokens,
                    wrapper=(wrappers or {}).get(task.config.wrapper or ""),
                )
                requests = islice(pending_requests(store, suite, task), left)
                n_senders = concurrency or task.config.concurrency
                statuses[task.label] = _ask_task(store, task, asker, requests, n_senders, watch_seconds, bar)
                left -= statuses[task.label].total()
    finally:
        journal.close()
        # What an interrupt kept from the keeper is in the journal still.
        with uninterrupted():
            store.replay()
    return statuses


def _ask_task(
    store: Store,
    task: Task,
    asker: Asker,
    requests: Iterator[Request],
    concurrency: int,
    watch_seconds: float,
    bar: Any,
) -> Counter[str]:
    keeper = Keeper(store, asker.journal)
    watch = Watch(task, watch_seconds)
    breaker = Breaker(task.backend)

    def keep(landed: Landed) -> None:
        keeper.keep(landed)
        bar.update(1, "")
        if not asker.stop.is_set():
            watch.look()
            breaker.note(landed.entry["row"])

    try:
        ask(asker, requests, concurrency, keep, lambda: bar.update(0, ""))
        if keeper.statuses:
            watch.look(now=True)
    except ModelChanged:
        keeper.flush()
        with uninterrupted():
            store.connection.execute(DISOWN, [asker.run_id, task.config_key, watch.good_until])
        raise
    finally:
        keeper.flush()
    return keeper.statuses
