"""Asking in batches: each is in the database before it leaves, so that no request of it is asked twice.

A batch is `sending` until the server has named it, then `open` until its answers are here (`done`). `refused`
and `lost` ones were never begun. Whoever comes next goes on with those that are `sending` or `open`.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any, TypeVar

from ingest.asking.plan import PROMPT, Task, request_of
from ingest.asking.senders import Asker, Counters, Landed, Retries
from ingest.backends import Answer, AttemptFailed, Batches, BatchState, NotThere, Rejected, Request
from ingest.errors import PlumblineError, say
from ingest.keys import key
from ingest.store import Store, uninterrupted, utc_now

T = TypeVar("T")

GOES_ON = "The batch goes on there; the same command then goes on with it."
LOOKED_FOR_AGAIN = "The same command looks for the batch there, and sends it anew where it did not come."
LOOKED_FOR = (
    "The batch may be there: see to it, then the same command looks for it; --retry-failed gives it up."
)
OPEN = """
    select batch_key, batch_id, sent_at, n_requests from batches
    where config_key = ? and batch_status in ('sending', 'open') order by sent_at
"""
# What a batch has not answered yet: a row that is younger than the batch is its answer.
HELD = f"""
    select p.root_key, p.prompt_key, held.repeat_index, {PROMPT}
    from batch_requests as held
    inner join batches as b using (batch_key)
    inner join prompts as p using (prompt_key)
    where
        batch_key = ?
        and not exists (
            select 1 from responses as r
            where r.response_key = held.response_key and r.answered_at >= b.sent_at
        )
"""
ALL = "select response_key from batch_requests where batch_key = ?"
LONGEST = 60.0  # seconds between two looks


@dataclass
class Sent:
    """A batch that the server has, and what it has not answered yet."""

    batch_key: str
    batch_id: str
    requests: dict[str, Request]
    sent_at: datetime
    held: float | None
    n_done: int = 0
    n_failed: int = 0  # looks in a row
    answered: frozenset[str] = frozenset()  # by an earlier run, which was stopped while results came in


class Batcher:
    """Sends what is pending of one config in batches, and brings in the answers."""

    def __init__(
        self,
        store: Store,
        task: Task,
        batches: Batches,
        asker: Asker,
        keep: Callable[[Landed], None],
        write: Callable[[], None],
    ) -> None:
        self.store, self.task, self.batches, self.asker = store, task, batches, asker
        self.keep, self.write = keep, write
        self.open: list[Sent] = []
        self._pending: Iterator[Request] = iter(())
        self._next: Request | None = None

    def take_up(self, pending: Iterator[Request]) -> None:
        """Go on with the batches of an earlier run, then send what is pending."""
        for batch_key, batch_id, sent_at, n in self.store.rows(OPEN, [self.task.config_key]):
            if batch_id is None and (batch_id := self._looked_for(batch_key, n, sent_at)) is None:
                self._close(batch_key, "lost")
                continue
            rows = self.store.rows(HELD, [batch_key])
            requests = [request_of(self.task, row) for row in rows]
            self._opened(batch_key, batch_id, requests, sent_at)
            of_all = {name for (name,) in self.store.rows(ALL, [batch_key])}
            self.open[-1].answered = frozenset(of_all - self.open[-1].requests.keys())
            say(
                f"{self.task.label}: goes on with the batch {batch_id} of {sent_at:%Y-%m-%d %H:%M} UTC.", True
            )
        self._pending = pending
        self.send()

    def send(self) -> None:
        """Send as many batches as the budget has room for."""
        while requests := self._filled():
            self._send(requests)

    def _filled(self) -> list[Request]:
        """Return what goes into the next batch. Raises PlumblineError where the budget has room for none."""
        requests: list[Request] = []
        n_bytes, most = 0, 0.0
        till = self.asker.till
        while len(requests) < self.batches.most_requests:
            request = self._next or next(self._pending, None)
            self._next = request
            if request is None:
                break
            n_bytes += len(self.batches.line(request)) + 1
            if requests and n_bytes > self.batches.most_bytes:
                break
            most += till.most([request.messages]) if till else 0.0
            if till and till.purse and not till.purse.fits(most):
                if not requests and not self.open:
                    till.purse.hold(most, self.asker.stop)  # says why not
                break
            requests.append(request)
            self._next = None
        return requests

    def _send(self, requests: list[Request]) -> None:
        sent_at = utc_now()
        batch_key = key("batch", self.asker.run_id, *(request.request_key for request in requests))
        batch = {
            "batch_key": batch_key,
            "config_key": self.task.config_key,
            "batch_status": "sending",
            "n_requests": len(requests),
            "sent_at": sent_at,
            "run_id": self.asker.run_id,
        }
        held = [
            {
                "batch_key": batch_key,
                "response_key": request.request_key,
                "prompt_key": request.prompt_key,
                "repeat_index": request.repeat_index,
            }
            for request in requests
        ]
        with uninterrupted(), self.store.transaction():
            self.store.append("batches", [batch])
            self.store.append("batch_requests", held)
        lines = [self.batches.line(request) for request in requests]
        try:
            batch_id = self._named(batch_key, lines, sent_at)
        except PlumblineError as error:
            # The server said no, so there is no batch; where it said nothing, the next run looks for it.
            if not isinstance(error, Unreached):
                self._close(batch_key, "refused")
            raise
        self._opened(batch_key, batch_id, requests, sent_at)
        say(
            f"{self.task.label}: the batch {batch_id} of {len(requests):,} requests was sent; it may take "
            "a day. Stop whenever you like: the same command goes on with it.",
            err=True,
        )

    def _named(self, batch_key: str, lines: list[bytes], sent_at: Any) -> str:
        """Send a batch; return the server's name of it.

        One that may have come is looked for before it goes again.
        """
        n_failed = 0
        while True:
            try:
                return self.batches.send(batch_key, lines)
            except Rejected as error:
                raise PlumblineError(
                    f"{self.task.label}: the server refuses the batch: {error}.",
                    "Mend the config, or take `batch: true` out of it.",
                ) from None
            except AttemptFailed as error:
                n_failed = self._paused(n_failed, error, LOOKED_FOR_AGAIN)
                try:
                    found = self._found(batch_key, len(lines), sent_at)
                except PlumblineError as no:
                    # It will not say whether the batch came: it may be there.
                    raise Unreached(no.what, LOOKED_FOR) from None
                if found:
                    return found

    def _found(self, batch_key: str, n: int, sent_at: Any) -> str | None:
        """Return the server's name of a batch whose sending nobody saw the end of; None where it has none."""
        known = {
            name for (name,) in self.store.rows("select batch_id from batches where batch_id is not null")
        }
        found = self._tried(lambda: self.batches.find(batch_key, n, sent_at))
        return next((name for name in found if name not in known), None)

    def _looked_for(self, batch_key: str, n: int, sent_at: Any) -> str | None:
        """Return what `_found` does, None where the server lists none and the user gives this one up."""
        try:
            return self._found(batch_key, n, sent_at)
        except PlumblineError as error:
            lists_none = isinstance(error, NotThere) or "HTTP 403" in error.what
            if not lists_none:
                raise
            if not self.gives_up:
                raise PlumblineError(error.what, LOOKED_FOR) from None
            return None

    @property
    def gives_up(self) -> bool:
        """Whether the user gives up what the server does not have any more."""
        return "client_error" in self.task.asked_again

    def _tried(self, call: Callable[[], T]) -> T:
        n_failed = 0
        while True:
            try:
                return call()
            except (AttemptFailed, Rejected) as error:
                n_failed = self._paused(n_failed, error)

    def _paused(self, n_failed: int, error: Exception, then: str = GOES_ON) -> int:
        """Wait after a failure; return how many there are. Raises Unreached where there are too many."""
        n_failed += 1
        pause = self.asker.retries.pause(n_failed, getattr(error, "retry_after", None))
        if pause is None:
            raise Unreached(
                f"{self.task.label}: the server cannot be asked for its batches: {error}.", then
            ) from None
        time.sleep(pause)
        return n_failed

    def _opened(self, batch_key: str, batch_id: str, requests: list[Request], sent_at: datetime) -> None:
        with uninterrupted():
            self.store.connection.execute(
                "update batches set batch_id = ?, batch_status = 'open' where batch_key = ?",
                [batch_id, batch_key],
            )
        till = self.asker.till
        held = till.hold([r.messages for r in requests], self.asker.stop) if till else None
        self.open.append(Sent(batch_key, batch_id, {r.request_key: r for r in requests}, sent_at, held))

    def _close(self, batch_key: str, status: str) -> None:
        with uninterrupted():
            self.store.connection.execute(
                "update batches set batch_status = ?, ended_at = ? where batch_key = ?",
                [status, utc_now(), batch_key],
            )

    def look(self) -> None:
        """Ask how far the batches are; bring in those that are over, and send what the budget then allows."""
        for sent in list(self.open):
            try:
                state = self.batches.state(sent.batch_id)
                sent.n_failed = 0
            except (AttemptFailed, Rejected) as error:
                sent.n_failed = self._paused(sent.n_failed, error)
                continue
            except NotThere:
                self._settle(sent, [])
                self._gone(sent, "does not know the batch")
                continue
            sent.n_done = state.n_done
            if state.is_over:
                try:
                    self._collect(sent, state)
                except NotThere:
                    self._gone(sent, "no longer has the results of the batch")
                self.send()

    def _gone(self, sent: Sent, what: str) -> None:
        """Give a batch up, where the user says so; else raise PlumblineError."""
        if not self.gives_up:
            raise PlumblineError(
                f"{self.task.label}: the server {what} {sent.batch_id}.",
                "Is the key that of the account which sent it? If it is gone, --retry-failed gives "
                "it up, and the run after asks its requests anew.",
            ) from None
        self._close(sent.batch_key, "lost")

    def _collect(self, sent: Sent, state: BatchState) -> None:
        if state.fault is not None:
            self._settle(sent, [])
            self._close(sent.batch_key, "refused")
            raise PlumblineError(
                f"{self.task.label}: the server took none of the batch {sent.batch_id}: {state.fault}.",
                "See to it; the same command then asks these requests anew.",
            )
        costs: list[float | None] = []
        n_unused: Counter[str] = Counter()
        seen: set[str] = set()
        turned_away: list[PlumblineError] = []

        def land(request: Request, answer: Answer) -> None:
            answer = self.asker.priced(request, answer)
            costs.append(answer.cost)
            self.keep(self.asker.write(request, self.asker.owned(answer), sent.sent_at))

        def read() -> int:
            earlier = sent.answered | seen  # where a download broke off, all of it comes again
            n_unused.clear()
            names: set[str] = set()
            for found in self.batches.answers(state) if sent.requests else ():
                if found is None:
                    n_unused["not of the form that was promised"] += 1
                    continue
                names.add(found[0])
                if (request := sent.requests.pop(found[0], None)) is not None:
                    seen.add(found[0])
                    if isinstance(found[1], PlumblineError):
                        turned_away.append(found[1])
                    else:
                        land(request, found[1])
                elif found[0] in earlier:
                    pass
                elif found[0] in seen:
                    n_unused["of a request that has an answer"] += 1
                else:
                    n_unused["of no request of this batch"] += 1
            return len(names) if sent.requests else state.n_done

        try:
            n_named = self._read_whole(read, state.n_done)
            if state.n_done > 0 and not n_named:  # such as the page of a proxy: the answers are still there
                self._gone(sent, "gives nothing that can be read as the results of the batch")
                return
            if n_named < state.n_done:
                say(
                    f"{self.task.label}: the server counts {state.n_done:,} results of the batch "
                    f"{sent.batch_id}, and gave {n_named:,}.",
                    err=True,
                )
            why = "the batch ended, and its results do not have this request"
            missing = Answer(None, state.missing, error=why, n_prompt_tokens=0, n_output_tokens=0)
            for request in sent.requests.values():
                land(request, missing)
        finally:
            self.write()
            self._settle(sent, costs)
        self._close(sent.batch_key, "done")
        for why, n in n_unused.items():
            say(f"{self.task.label}: {n:,} lines of the batch {sent.batch_id} were left out: {why}.", True)
        if turned_away:
            raise PlumblineError(
                f"{self.task.label}: the server turned {len(turned_away):,} requests of the batch "
                f"{sent.batch_id} away, the last with: {turned_away[-1].what}",
                f"{turned_away[-1].what_to_do} The same command then asks these anew.",
            )

    def _read_whole(self, read: Callable[[], int], n_results: int) -> int:
        """Fetch results again while the server counts more, since a body without a length may end anywhere;
        not where two fetches in a row bring no more than the one before. Return how many there are."""
        n_named, n_in_vain = -1, 0
        for n_fetches in count(1):
            before, n_named = n_named, self._tried(read)
            n_in_vain = n_in_vain + 1 if n_named <= before else 0
            pause = self.asker.retries.pause(n_fetches, None)
            if n_named >= n_results or n_in_vain == 2 or pause is None:
                break
            time.sleep(pause)
        return n_named

    def _settle(self, sent: Sent, costs: list[float | None]) -> None:
        self.open.remove(sent)
        if self.asker.till and sent.held is not None:
            self.asker.till.settle(sent.held, costs)


class Unreached(PlumblineError):
    """The server said neither yes nor no."""


def is_under_way(store: Store, task: Task) -> bool:
    """Say whether a batch of an earlier run may have answers for a config."""
    return bool(store.rows(OPEN, [task.config_key]))


def await_batches(
    batchers: Collection[Batcher], counters: Counters, retries: Retries, tick: Callable[[], None]
) -> None:
    """Wait until every batch is over, and bring in the answers as they come."""
    pause = retries.shortest
    while under_way := [sent for batcher in batchers for sent in batcher.open]:
        n_done, n = sum(sent.n_done for sent in under_way), sum(len(sent.requests) for sent in under_way)
        counters.batches = f"{len(under_way):,} batches under way, {n_done:,} of {n:,} requests done"
        tick()
        time.sleep(pause)
        pause = min(LONGEST, retries.longest, max(pause, 0.01) * 1.5)
        for batcher in batchers:
            batcher.look()
    counters.batches = ""
