"""Asking what is pending: answers are kept as they land, and a model is left when it or its server fails."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import click

from ingest.asking.batches import Batcher, await_batches, is_under_way
from ingest.asking.budget import BudgetSpent, Till, purse_for
from ingest.asking.crossover import crossed, turns
from ingest.asking.identity import ModelChanged, Served, check_digest
from ingest.asking.plan import PAGE, Task, pending_requests
from ingest.asking.senders import Asker, Counters, Landed, RateLimit, Retries, ask
from ingest.backends import AttemptFailed, Rejected, Request, RunsCode, SendsKeys, TakesBatches, Watched
from ingest.errors import PlumblineError, say
from ingest.store import Store, uninterrupted
from ingest.store.journal import CHANGED, UNPROVEN, Journal, disowned
from ingest.suite import Suite
from ingest.suite.own_code import OwnCode

FLUSH_ROWS = 500
FLUSH_SECONDS = 2.0
WATCH_SECONDS = 0.5  # no weights are loaded, asked and gone again in that time
FAILURES_IN_A_ROW = 5
NO_USE_IN_A_ROW = 20  # replies that cost and say nothing
PROBES = 3  # that a server rejects, before it is thought to reject all
LOOKS_AT_THE_END = 3
RETRIES = Retries()


@dataclass(frozen=True)
class Asked:
    """What models are asked for: the bar's name of it, its raw table with its key, what is pending, who asks.

    `remedy` says what to do where reply after reply is of no use; None where that says something, too: a
    model that declines each request is a finding.
    """

    label: str = "Generating"
    table: str = "responses"
    key: str = "response_key"
    pending: Callable[[Store, Suite, Task, int], Iterator[Request]] = pending_requests
    asker: type[Asker] = Asker
    remedy: str | None = None


ANSWERS = Asked()


class Keeper:
    """Brings answers from the journal into the database, some hundred or two seconds' worth at a time.

    Where the model may be changed while it is asked, answers wait until the server has named the digest
    once more: an answer counts that lies between two looks at the same weights.
    """

    def __init__(self, store: Store, journal: Journal, task: Task, seconds: float) -> None:
        self.store = store
        self.journal = journal
        self.task = task
        self.seconds = seconds
        self.statuses: Counter[str] = Counter()
        self._landed: list[Landed] = []
        self._n_proven = 0
        self._changed: ModelChanged | None = None
        self._flushed_at = self._looked_at = time.monotonic()

    def keep(self, landed: Landed) -> None:
        """Take an answer that is in the journal."""
        self._landed.append(landed)

    def tend(self) -> None:
        """Write what waits, once it is much or long enough. Raises ModelChanged."""
        now = time.monotonic()
        is_due = len(self._landed) >= FLUSH_ROWS or now - self._flushed_at > FLUSH_SECONDS
        # A server that failed in between may have come back with another model.
        has_failed = self._landed[-1].entry["row"]["n_attempts"] > 1
        if is_due or has_failed or now - self._looked_at > self.seconds:
            self._look()
        if is_due:
            self._write()

    def close(self, pause: float) -> None:
        """Write what is left; what nobody can vouch for is `cancelled`. Raises ModelChanged."""
        try:
            for i in range(LOOKS_AT_THE_END):
                if len(self._landed) > self._n_proven:
                    time.sleep(pause if i else 0)
                    self._look()
        finally:
            unproven = self._landed[self._n_proven :]
            reason = CHANGED if self._changed else UNPROVEN
            self._landed[self._n_proven :] = [
                landed._replace(entry=disowned(landed.entry, reason)) for landed in unproven
            ]
            self._n_proven = len(self._landed)
            self._write()

    def _look(self) -> None:
        """Ask for the digest; what has landed before is proven if it is the same."""
        n_landed = len(self._landed)
        self._looked_at = time.monotonic()
        # What has changed once proves nothing if it changes back.
        if self._changed:
            raise self._changed
        # A server too busy to tell is asked again at the next look.
        with suppress(AttemptFailed, Rejected):
            try:
                check_digest(self.task.backend, self.task.config, self.task.label, self.task.row["digest"])
            except ModelChanged as changed:
                self._changed = changed
                raise
            self._n_proven = n_landed

    def _write(self) -> None:
        """Write what is proven in one transaction."""
        proven = self._landed[: self._n_proven]
        with uninterrupted():
            self.store.append_answers([landed.entry for landed in proven])
            self.journal.committed(Counter(landed.file for landed in proven))
            self.statuses.update(landed.entry["row"]["response_status"] for landed in proven)
            self._landed = self._landed[self._n_proven :]
            self._n_proven = 0
        self._flushed_at = time.monotonic()


class ServerFailed(PlumblineError):
    """A server failed request after request of a config: nobody else is asked of it."""

    def __init__(self, task: Task, what: str, what_to_do: str) -> None:
        super().__init__(what, what_to_do)
        self.server = server_of(task)


def server_of(task: Task) -> tuple[str, str | None]:
    """Return what is asked for a config: its backend, and where."""
    return task.config.backend, task.config.base_url


@dataclass(frozen=True)
class Stop:
    """Configs that are asked no more, and the error that says why: the first one's."""

    error: PlumblineError
    tasks: tuple[Task, ...]


class Breaker:
    """Stops a config whose server fails each request, or whose replies are of no use, before all is asked."""

    def __init__(self, task: Task, remedy: str | None = None) -> None:
        self.task = task
        self.asked_again = task.backend.asked_again
        self.remedy = remedy
        self.n_in_a_row = 0
        self.n_of_no_use = 0
        self.is_told = False
        # Who loads a model that is asked is sent no probe: it would load each model twice.
        self.is_probing = isinstance(task.backend, Watched)
        self.n_rejected = 0

    def note(self, row: Mapping[str, Any]) -> None:
        """Count a failure that passes, or start anew. Raises PlumblineError at the limit."""
        self._weigh(row)
        self.is_probing = self.is_probing and row["response_status"] == "client_error"
        self.n_rejected += self.is_probing
        if self.is_probing and self.n_rejected >= PROBES:
            raise _rejects(self.task, row["error"])
        is_failure = row["response_status"] in self.asked_again and row["response_status"] != "cancelled"
        self.n_in_a_row = self.n_in_a_row + 1 if is_failure else 0
        if self.n_in_a_row >= FAILURES_IN_A_ROW:
            if row["response_status"] == "other_model":
                raise PlumblineError(
                    f"{self.task.label}: {self.n_in_a_row} answers in a row are another model's: "
                    f"{row['error']}.",
                    "Write in the suite's `model:` the name that the server gives, or, where set-ups may "
                    "differ, `any_fingerprint: true`; then the same command goes on.",
                )
            raise ServerFailed(
                self.task,
                f"{self.task.label}: the server failed {self.n_in_a_row} requests in a row, the last after "
                f"{row['n_attempts']} attempts: {row['error']}.",
                "See to the server; then the same command asks these again and goes on.",
            )

    def _weigh(self, row: Mapping[str, Any]) -> None:
        """Count a reply of no use, or start anew; what was not asked, or will be again, is none.

        Raises PlumblineError at the limit where there is a remedy; else it is said once.
        """
        status = row["response_status"]
        if row["n_attempts"] == 0 or status == "cancelled" or status in self.asked_again:
            return
        self.n_of_no_use = 0 if status == "ok" else self.n_of_no_use + 1
        if self.n_of_no_use < NO_USE_IN_A_ROW or self.is_told:
            return
        if self.remedy is None:
            self.is_told = True
            hint = " Raise `max_tokens`." if status == "truncated_output" else ""
            say(
                f"\n{self.task.label}: {self.n_of_no_use} answers in a row count as missing ({status}). The "
                f"run goes on; Ctrl-C stops it, and keeps what is there.{hint}",
                err=True,
            )
        else:
            said = row["error"] or row["finish_reason"]
            raise PlumblineError(
                f"{self.task.label}: {self.n_of_no_use} replies in a row are of no use ({status}), "
                f"the last with: {said}.",
                self.remedy,
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
    wrappers: Mapping[str, OwnCode] | None = None,
    counters: Counters | None = None,
    what: Asked = ANSWERS,
    budget: float | None = None,
    stopped: list[Stop] | None = None,
) -> dict[str, Counter[str]]:
    """Ask what is pending, at most `limit` requests; return the new answers by config and status.

    `concurrency` stands in for what the configs say. Configs of one model are asked one after another:
    a server that has room for one loads it once. Those of one mitigation are asked a prompt side by side,
    in an order drawn for each prompt. Where a server tells no digest, each
    config is first asked one of these requests, so that what it refuses is said before many have gone out.
    `budget` stands in for the suite's. Where a server, or what it replies, is of no use, the configs of
    others are asked all the same; why it was left is added to `stopped`, or raised at the end without it.
    """
    stops: list[Stop] = [] if stopped is None else stopped

    @contextmanager
    def going_on(*over: Task) -> Iterator[None]:
        """Go on to others where one of these cannot be asked: its server, its model, its key."""
        try:
            yield
        except BudgetSpent:
            raise
        except PlumblineError as error:
            if isinstance(error, ServerFailed):
                over += tuple(task for task in tasks if task not in over and server_of(task) == error.server)
            stops.append(Stop(error, over))
            if any(is_asked(task) and statuses[task.label].total() < task.n_pending for task in tasks):
                say(f"\n{error.what} Others are asked.", err=True)

    def is_asked(task: Task) -> bool:
        return not any(task in stop.tasks for stop in stops)

    purse = purse_for(store, suite, tasks, budget)
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
            label=what.label,
            file=sys.stderr,
            hidden=not left,
            show_pos=True,
            item_show_func=lambda _: str(counters),
        ) as bar:
            tasks = sorted(tasks, key=lambda task: first_of_model[task.model])
            askers: dict[str, Asker] = {}
            for task in tasks:
                store.append("configs", [task.row])
                askers[task.label] = what.asker(
                    task.backend,
                    task.config_key,
                    run_id,
                    journal,
                    retries=retries,
                    rate=RateLimit(task.config.requests_per_minute),
                    counters=counters,
                    max_prompt_tokens=task.max_prompt_tokens,
                    wrapper=(wrappers or {}).get(task.config.wrapper or ""),
                    served=Served(store, task.config, task.config_key),
                    till=Till(store, task, purse),
                )

            def asked(task: Task, requests: Iterator[Request], n_senders: int) -> Counter[str]:
                asker = askers[task.label]
                try:
                    with _keeping(store, task, asker, watch_seconds) as keeper:
                        _ask(asker, keeper, Breaker(task, what.remedy), requests, n_senders, bar)
                finally:
                    statuses[task.label] += keeper.statuses
                return keeper.statuses

            probed: set[str] = set()
            for task in tasks:
                if isinstance(task.backend, SendsKeys | RunsCode) and not isinstance(task.backend, Watched):
                    sent = filter(askers[task.label].sends, _new_first(store, suite, task, what))
                    # A mistake is told before others are asked for hours; before judges are, all were.
                    with nullcontext() if what is ANSWERS else going_on(task):
                        for found in _probes(store, task, sent, left, asked, what.table, probed):
                            left -= found.total()

            def unprobed(requests: Iterator[Request]) -> Iterator[Request]:
                # A probe that failed is pending still: the next run asks it again, not this one.
                return (request for request in requests if request.request_key not in probed)

            def pending(task: Task) -> Iterator[Request]:
                return unprobed(_new_first(store, suite, task, what))

            def allowed(requests: Iterator[Request]) -> Iterator[Request]:
                nonlocal left
                while left > 0 and (request := next(requests, None)) is not None:
                    left -= 1
                    yield request

            batched: list[tuple[Batcher, Keeper]] = []
            for task in tasks if what is ANSWERS else ():
                if task.config.batch or is_under_way(store, task):
                    asker = replace(askers[task.label], till=Till(store, task, purse, is_batch=True))
                    batched.append(_batcher(store, task, asker, watch_seconds, bar))
            for batcher, _ in batched:
                new = allowed(pending(batcher.task)) if batcher.task.config.batch else iter(())
                batcher.take_up(new)
            by_label = {task.label: task for task in tasks if not task.config.batch}
            for together in crossed(list(by_label), suite.mitigations if what is ANSWERS else []):
                group = [by_label[label] for label in together]
                if not all(map(is_asked, group)):
                    continue
                if len(group) == 1:
                    (task,) = group
                    n_before = statuses[task.label].total()
                    with going_on(task):
                        asked(task, islice(pending(task), left), concurrency or task.config.concurrency)
                    left -= statuses[task.label].total() - n_before
                    continue
                # One keeper a config for all its turns: a turn is short, and a keeper writes when it ends.
                with going_on(*group), ExitStack() as stack:
                    keepers = {
                        label: stack.enter_context(
                            _keeping(store, by_label[label], askers[label], watch_seconds)
                        )
                        for label in together
                    }
                    breakers = {label: Breaker(by_label[label]) for label in together}
                    # Each half by root, prompt and repeat, as turns need them.
                    halves = [_new_and_failed(store, suite, by_label[label], what) for label in together]
                    most = left
                    for of_configs in zip(*halves, strict=True):
                        left_of = dict(zip(together, map(unprobed, of_configs), strict=True))
                        for label, some in turns(left_of, suite.resampling.seed, most):
                            most -= len(some)
                            n_senders = concurrency or by_label[label].config.concurrency
                            _ask(askers[label], keepers[label], breakers[label], iter(some), n_senders, bar)
                for label, keeper in keepers.items():
                    statuses[label] += keeper.statuses
                    left -= keeper.statuses.total()
            await_batches([batcher for batcher, _ in batched], counters, retries, bar.render_progress)
            for batcher, keeper in batched:
                statuses[batcher.task.label] += keeper.statuses
    finally:
        journal.close()
        # What an interrupt kept from the keeper is in the journal still.
        with uninterrupted():
            store.replay()
    for task in filter(is_asked, tasks):
        if _all_failed(task, statuses[task.label]):
            stops.append(Stop(_nothing_came(store, task, statuses[task.label].total(), what.table), (task,)))
    if stopped is None:
        raise_stopped(stops)
    return statuses


def _all_failed(task: Task, statuses: Mapping[str, int]) -> bool:
    """Say whether a config was asked, and all of it failed: too little for its `Breaker` to stop it."""
    return bool(statuses) and all(status in task.asked_again and status != "cancelled" for status in statuses)


def _nothing_came(store: Store, task: Task, n: int, table: str) -> PlumblineError:
    said = f"select max(error) from {table} where config_key = ? and list_contains(?, response_status)"
    ((error,),) = store.rows(said, [task.config_key, list(task.asked_again)])
    return PlumblineError(
        f"{task.label}: {'the one request' if n == 1 else f'all {n:,} requests'} failed, with: {error}.",
        "See to the server; then the same command asks again.",
    )


def raise_stopped(stops: Sequence[Stop]) -> None:
    """Raise PlumblineError where configs were left, with why, and what to do about the first."""
    if len(stops) == 1:
        raise stops[0].error
    if stops:
        raise PlumblineError(" ".join(one.error.what for one in stops), stops[0].error.what_to_do)


def _new_first(store: Store, suite: Suite, task: Task, what: Asked) -> Iterator[Request]:
    """Yield what is pending; at the end what failed in an earlier run, so that it holds up nothing else."""
    return chain(*_new_and_failed(store, suite, task, what))


def _new_and_failed(store: Store, suite: Suite, task: Task, what: Asked) -> list[Iterator[Request]]:
    failed_before = (
        f"select {what.key} from {what.table} where config_key = ? and list_contains(?, response_status)"
    )
    with uninterrupted():
        failed = {name for (name,) in store.rows(failed_before, [task.config_key, list(task.asked_again)])}

    def of(is_again: bool) -> Iterator[Request]:
        pending = what.pending(store, suite, task, PAGE) if failed or not is_again else ()
        return (request for request in pending if (request.request_key in failed) == is_again)

    return [of(False), of(True)]


def _probes(
    store: Store,
    task: Task,
    pending: Iterator[Request],
    most: int,
    asked: Callable[..., Counter[str]],
    table: str,
    probed: set[str],
) -> Iterator[Counter[str]]:
    """Ask what is pending one by one until the server rejects none; yield the statuses of each request.

    Adds their keys to `probed`. Raises PlumblineError where it rejects all of the first ones. `pending` is
    one walk: with --retry-failed, what was just rejected is pending again.
    """
    for _ in range(PROBES):
        requests = [replace(one, is_probe=True) for one in islice(pending, min(1, most))]
        probed.update(request.request_key for request in requests)
        found = asked(task, iter(requests), 1)
        most -= found.total()
        yield found
        if not found["client_error"]:
            return
    error = store.value(
        f"select max_by(error, answered_at) from {table} where config_key = ?", [task.config_key]
    )
    raise _rejects(task, error)


def _rejects(task: Task, error: str) -> PlumblineError:
    return PlumblineError(
        f"{task.label}: the server rejects the first {PROBES} requests, the last with: {error}.",
        "Mend the config's `model:`, `options:` or `body:`. If these prompts alone are at fault, the same "
        "command goes on.",
    )


def _batcher(
    store: Store, task: Task, asker: Asker, watch_seconds: float, bar: Any
) -> tuple[Batcher, Keeper]:
    """Return what asks a config in batches, and what keeps its answers."""
    keeper = Keeper(store, asker.journal, task, watch_seconds)

    def keep(landed: Landed) -> None:
        keeper.keep(landed)
        bar.update(1, "")
        keeper.tend()

    if not isinstance(task.backend, TakesBatches):
        raise TypeError(f"{task.label}: `plan` lets no such backend through")
    batches = task.backend.batches(task.config)
    return Batcher(store, task, batches, asker, keep, lambda: keeper.close(asker.retries.shortest)), keeper


@contextmanager
def _keeping(store: Store, task: Task, asker: Asker, watch_seconds: float) -> Iterator[Keeper]:
    """Yield a keeper; what it holds at the end is written, whatever ends it."""
    keeper = Keeper(store, asker.journal, task, watch_seconds)
    try:
        yield keeper
    finally:
        keeper.close(asker.retries.shortest)


def _ask(
    asker: Asker,
    keeper: Keeper,
    breaker: Breaker,
    requests: Iterator[Request],
    concurrency: int,
    bar: Any,
) -> None:
    def keep(landed: Landed) -> None:
        keeper.keep(landed)
        bar.update(1, "")
        if not asker.stop.is_set():
            keeper.tend()
            breaker.note(landed.entry["row"])

    ask(asker, requests, concurrency, keep, lambda: bar.update(0, ""))
