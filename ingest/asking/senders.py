"""Asking a model many things: bounded concurrency, rate limit, retries, a journal line for each answer."""

import json
import math
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from queue import Empty, SimpleQueue
from typing import NamedTuple

import click

from ingest.apart.function import are_messages
from ingest.apart.process import RAISE_LIMITS, CodeFailed
from ingest.asking.answer_status import BLANK, EVIDENCE, STATUSES
from ingest.asking.budget import Till
from ingest.asking.first_tokens import encoded
from ingest.asking.identity import Served
from ingest.backends import Answer, AttemptFailed, Backend, Message, Request, Together, Watched
from ingest.backends.replies import estimate_prompt
from ingest.errors import PlumblineError, is_ctrl_c, say, shorten
from ingest.plugins import others_code
from ingest.redaction import without_secrets
from ingest.store import uninterrupted, utc_now
from ingest.store.journal import Entry, Journal, entry, flaw
from ingest.suite.own_code import OwnCode

TICK = 0.5  # seconds after which the progress line is drawn again while nothing arrives
SHOW_CURSOR = "\x1b[?25h"  # a progress line hides it
# Requests that wait inside for a free sender, in senders: while the database is written, none is idle.
BUFFER = 1

# What `responses` keeps of an answer under its own names.
MEASURED = (
    "finish_reason", "n_prompt_tokens", "n_output_tokens", "seconds", "n_attempts", "error", "wait_seconds",
    "served_model", "system_fingerprint", "cost", "currency",
)  # fmt: skip


@dataclass(frozen=True)
class Retries:
    """How often and after what pauses an attempt is repeated (SPEC GEN-4)."""

    attempts: int = 8
    shortest: float = 2.0
    longest: float = 60.0
    longest_wish: float = 600.0

    def pause(self, n_failed: int, wish: float | None) -> float | None:
        """Return the seconds to wait after so many failures; None where another attempt makes no sense.

        What the server wishes for goes first; else a random part of a span that doubles, so that senders
        that failed together do not return together. A wish for no pause at all, or one until a moment that
        has passed by our clock, is none: all attempts would be over within a second.
        """
        if n_failed >= self.attempts or (wish is not None and wish > self.longest_wish):
            return None
        if wish:
            return wish
        return random.uniform(self.shortest, min(self.longest, self.shortest * 2**n_failed))


SAID_AFTER = (3, 30, 300, 3_000)  # attempts that are repeated


@dataclass
class Counters:
    """What the senders report while they work, for the progress line."""

    repeated: Counter[str] = field(default_factory=Counter)
    wait_seconds: float = 0.0
    n_waiting: int = 0
    n_redacted: int = 0
    last_problem: str = ""
    batches: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def failed(self, problem: AttemptFailed) -> None:
        """Note an attempt that will be repeated."""
        with self.lock:
            self.repeated[problem.status] += 1
            self.last_problem = str(problem)
            said = str(self) if self.repeated.total() in SAID_AFTER else ""
        # Where no line can move, as in a file of CI, nothing would be seen while a server is down.
        if said and not sys.stderr.isatty():
            why = without_secrets(shorten(self.last_problem, 160))
            say(
                f"{said}. The last: {why}. Each is tried again; Ctrl-C stops, and keeps what is there.",
                err=True,
            )

    def waiting(self, n: int, seconds: float = 0.0) -> None:
        """Note that `n` more senders wait (fewer, if negative), or how long one did."""
        with self.lock:
            self.n_waiting += n
            self.wait_seconds += seconds

    def __str__(self) -> str:
        parts = [self.batches] if self.batches else []
        if self.repeated:
            causes = ", ".join(f"{n:,} {status}" for status, n in sorted(self.repeated.items()))
            parts.append(f"{self.repeated.total():,} attempts repeated ({causes})")
        if self.wait_seconds >= 1:
            parts.append(f"{self.wait_seconds:,.0f} s waited")
        if self.n_redacted:
            parts.append(f"{self.n_redacted:,} errors redacted: they held what looks like a secret")
        if self.n_waiting:
            parts.append(f"{self.n_waiting} waiting after: {self.last_problem[:80]}")
        return "; ".join(parts)


class RateLimit:
    """Gives each request its moment, evenly spaced."""

    def __init__(self, per_minute: float | None) -> None:
        self.spacing = 60 / per_minute if per_minute else 0.0
        self._next = -math.inf
        self._lock = threading.Lock()

    def wait(self, stop: threading.Event) -> float:
        """Wait for the next moment or for `stop`; return the seconds waited."""
        if not self.spacing:
            return 0.0
        with self._lock:
            now = time.monotonic()
            moment = max(now, self._next)
            self._next = moment + self.spacing
        stop.wait(moment - now)
        return moment - now


class Landed(NamedTuple):
    """An answer that is in the journal: its entry, and in which file."""

    entry: Entry
    file: int


@dataclass
class Asker:
    """Asks one config: what its senders do, each in its thread."""

    backend: Backend
    config_key: str
    run_id: str
    journal: Journal
    retries: Retries
    rate: RateLimit
    counters: Counters
    max_prompt_tokens: int | None = None
    wrapper: OwnCode | None = None
    served: Served | None = None
    till: Till | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def __call__(self, requests: Sequence[Request]) -> list[Landed]:
        """Ask, and return the answers once they are in the journal."""
        if self.wrapper:
            requests = [replace(r, messages=wrapped(self.wrapper, r.messages)) for r in requests]
        answers = self.answers(requests)
        return [self.write(request, answers[request.request_key]) for request in requests]

    def sends(self, request: Request) -> bool:
        """Return whether a request goes out; one that does not says nothing of the server."""
        return True

    def answers(self, requests: Sequence[Request]) -> dict[str, Answer]:
        """Ask, and return the answers by the requests' keys."""
        answers: dict[str, Answer] = {}
        for request in requests:
            estimate = estimate_prompt(request.messages)
            if self.max_prompt_tokens is not None and estimate > self.max_prompt_tokens:
                why = f"not asked: about {estimate:,} tokens, at most {self.max_prompt_tokens:,} fit"
                answers[request.request_key] = Answer(None, "prompt_truncated", n_attempts=0, error=why)
        asked = [r for r in requests if r.request_key not in answers]
        held = self.till.hold([r.messages for r in asked], self.stop) if self.till and asked else None
        costs: list[float | None] = []
        try:
            found = self._asked(asked)
            found = {r.request_key: self.priced(r, found[r.request_key]) for r in asked}
            costs = [answer.cost for answer in found.values()]
            answers |= found
        finally:
            if self.till and held is not None:
                self.till.settle(held, costs)
        return {name: self.owned(answer) for name, answer in answers.items()}

    def _asked(self, requests: Sequence[Request]) -> dict[str, Answer]:
        if not isinstance(self.backend, Together):
            return {r.request_key: self.attempt(r) for r in requests}
        if not requests:
            return {}
        with others_code("backend", self.backend, passes=(AttemptFailed,)):
            found = [_checked(answer) for answer in self.backend.answer_together(requests)]
            return {r.request_key: a for r, a in zip(requests, found, strict=True)}

    def priced(self, request: Request, answer: Answer) -> Answer:
        """Return an answer with what it cost."""
        if self.till is None:
            return answer
        return replace(answer, cost=self.till.cost(request.messages, answer), currency=self.till.currency)

    def owned(self, answer: Answer) -> Answer:
        """Return an answer as it is, or, where the reply is another model's, without its text."""
        if self.served is None or (fault := self.served.fault(answer)) is None:
            return answer
        return replace(
            answer, text=None, reasoning=None, status="other_model", error=fault, first_tokens=None
        )

    def attempt(self, request: Request) -> Answer:
        """Ask one thing, again where that may help; what fails to the end is a status."""
        n_failed, waited = 0, 0.0
        while True:
            held = self.rate.wait(self.stop)
            waited += held
            if held and self.stop.is_set():
                return Answer(None, "cancelled", n_attempts=n_failed, wait_seconds=waited)
            try:
                with others_code("backend", self.backend, passes=(AttemptFailed,)):
                    answer = _checked(self.backend.answer(request))
                return replace(answer, n_attempts=answer.n_attempts + n_failed, wait_seconds=waited)
            except AttemptFailed as problem:
                n_failed += 1
                pause = self.retries.pause(n_failed, problem.retry_after)
                error = str(problem)[:EVIDENCE]
                if pause is None:
                    if n_failed < self.retries.attempts:
                        hours = (problem.retry_after or 0.0) / 3_600
                        error = f"{error}; the server asks for a pause of {hours:,.1f} hours"
                    return Answer(None, problem.status, n_attempts=n_failed, wait_seconds=waited, error=error)
                if not self.stop.is_set():
                    self.counters.failed(problem)
                self.counters.waiting(1)
                began = time.monotonic()
                self.stop.wait(pause)
                seconds = time.monotonic() - began
                waited += seconds
                self.counters.waiting(-1, seconds)
                if self.stop.is_set():
                    return Answer(None, "cancelled", n_attempts=n_failed, wait_seconds=waited, error=error)

    def write(self, request: Request, answer: Answer, asked_at: datetime = datetime.min) -> Landed:
        """Put an answer into the journal; it came after it was asked for, also where a clock was set back."""
        sent = json.dumps(list(request.messages), ensure_ascii=False) if self.wrapper else None

        def content(answer: Answer) -> Entry:
            row = {
                "response_key": request.request_key,
                "prompt_key": request.prompt_key,
                "config_key": self.config_key,
                "repeat_index": request.repeat_index,
                "response_status": answer.status,
                "answered_at": max(utc_now(), asked_at),
                "run_id": self.run_id,
                **{name: getattr(answer, name) for name in MEASURED},
            }
            row["error"] = without_secrets(answer.error)
            row["first_tokens"] = encoded(answer.first_tokens)
            with self.counters.lock:
                self.counters.n_redacted += row["error"] != answer.error
            texts = [answer.text, answer.reasoning or None, sent]
            return entry(row, texts, is_proven=not isinstance(self.backend, Watched))

        landed = content(answer)
        if reason := flaw(landed):
            why = f"unreadable reply: {reason}"[:EVIDENCE]
            landed = content(
                Answer(None, "server_error", error=why, cost=answer.cost, currency=answer.currency)
            )
        return Landed(landed, self.journal.write(landed))


def wrapped(wrapper: OwnCode, messages: Sequence[Message]) -> list[Message]:
    """Return what a suite's wrapper makes of the messages. Raises PlumblineError where it fails."""
    try:
        reply = wrapper.ask({"messages": list(messages)})
        found = reply.get("messages")  # the code may have spoken in its process's place
        if not are_messages(found):
            wrong = reply.get("wrong", "something else")
            raise CodeFailed(f"it returned {wrong}, no list of {{'role': …, 'content': …}}")
    except CodeFailed as error:
        raise PlumblineError(
            f"The suite's wrapper failed: {error}.",
            f"Correct it; then the same command goes on. {RAISE_LIMITS}",
        ) from error
    return [{"role": str(m["role"]), "content": str(m["content"])} for m in found]


def ask(
    asker: Asker,
    requests: Iterator[Request],
    concurrency: int,
    keep: Callable[[Landed], None],
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Ask all requests, at most `concurrency` at a time; `keep` and `tick` are called in this thread only.

    An answer is in the journal before its sender takes the next request. Whatever stops it (Ctrl-C
    included), the answers that are on their way are waited for and kept; a second Ctrl-C leaves them.
    """
    landed: SimpleQueue[Future[list[Landed]]] = SimpleQueue()
    flying: set[Future[list[Landed]]] = set()
    n_together = asker.backend.n_together if isinstance(asker.backend, Together) else 1
    depth = concurrency if concurrency == 1 else concurrency * (1 + BUFFER)
    with ThreadPoolExecutor(concurrency) as pool:
        try:
            while True:
                while len(flying) < depth and (some := list(islice(requests, n_together))):
                    # Ctrl-C in between would leave a request that nobody knows of.
                    with uninterrupted():
                        future = pool.submit(asker, some)
                        flying.add(future)
                        future.add_done_callback(landed.put)
                if not flying:
                    return
                try:
                    future = landed.get(timeout=TICK)
                except Empty:
                    tick()
                    continue
                flying.discard(future)
                for one in future.result():
                    keep(one)
        except BaseException as reason:
            asker.stop.set()
            n_waiting = sum(not future.cancel() and not future.done() for future in flying)
            is_told = is_ctrl_c(reason) and n_waiting
            with _ending_at_once() if is_told else nullcontext():
                if is_told:
                    say(
                        f"\nStopping: what is on its way ({n_waiting:,}) is waited for until its time is "
                        "out. Ctrl-C again stops now; it is then asked again.",
                        err=True,
                    )
                for future in wait(flying).done:
                    if not future.cancelled() and future.exception() is None:
                        for one in future.result():
                            keep(one)
            raise


def _checked(answer: object) -> Answer:
    """Return what a backend gave; an `ok` without a text is `empty`.

    Raises TypeError where it is no Answer of a status that is known.
    """
    if not isinstance(answer, Answer):
        raise TypeError(f"it gave {answer!r:.60}, and no Answer")
    if answer.status not in STATUSES:
        raise TypeError(f"it gave the status {answer.status!r:.60}, which is none of {', '.join(STATUSES)}")
    text = "" if answer.text is None else answer.text
    if answer.status == "ok" and isinstance(text, str) and BLANK.fullmatch(text):
        return replace(answer, status="empty")
    return answer


@contextmanager
def _ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process as a kill does, which loses nothing of the journal; else Python waits."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _end_now)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_now(*_: object) -> None:
    click.echo(SHOW_CURSOR, err=True, nl=False)
    say("\nStopped. The answers so far are kept; the same command goes on.", err=True)
    os._exit(130)
