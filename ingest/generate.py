"""Stage generate: every config is asked every prompt; `responses` keeps every answer."""

import json
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import click

from ingest.assemble import opened
from ingest.backends import Answer, Backend, Request, create_backend
from ingest.errors import PlumblineError
from ingest.keys import key, request_key, text_key
from ingest.register import register_suite
from ingest.store import Store, utc_now
from ingest.suite import Config, Suite, load_suite

PAGE = 2_000
FLUSH_SECONDS = 2.0

N_PROMPTS = "select count(*) from prompts where suite = ? and method <> 'loaded'"
# The set difference: what is wanted of one config minus what is stored.
PENDING = """
    from prompts as p
    cross join range(?) as repeats (repeat_index)
    where
        p.suite = ?
        and p.method <> 'loaded'
        and not exists (
            select 1
            from responses as r
            where r.prompt_key = p.prompt_key and r.config_key = ? and r.repeat_index = repeats.repeat_index
        )
"""


@dataclass(frozen=True)
class Task:
    """One config of a suite: whom to ask, and how much is left to ask."""

    label: str
    config: Config
    backend: Backend
    row: dict[str, Any]
    n_wanted: int
    n_pending: int

    @property
    def config_key(self) -> str:
        """Key of the config's fingerprint."""
        config_key: str = self.row["config_key"]
        return config_key


def config_labels(suite: Suite) -> list[str]:
    """Return the name of each config: model (role), with the options where that alone is not unique."""

    def base(config: Config) -> str:
        return f"{config.model} ({config.role})" if config.role else config.model

    shared = Counter(base(config) for config in suite.grid)
    labels = []
    for config in suite.grid:
        options = ", ".join(f"{option}={value}" for option, value in sorted(config.options.items()))
        labels.append(f"{base(config)} [{options}]" if shared[base(config)] > 1 and options else base(config))
    twice = [label for label, n in Counter(labels).items() if n > 1]
    if twice:
        raise PlumblineError(
            f"Two `configs:` of the suite are both called {twice[0]!r}.",
            "Give one another `role:` or `model:`.",
        )
    return labels


def config_row(store: Store, suite: Suite, label: str, config: Config, backend: Backend) -> dict[str, Any]:
    """Return the row of `configs`: everything that can change an answer, and its key.

    Where this suite has answers under the same label from another fingerprint (new weights, another
    plant), the label gets the key's first digits: two fingerprints never share an average.
    """
    description = backend.describe(config)
    fingerprint = {
        "backend": backend.name,
        "model": config.model,
        "digest": description.digest,
        "quantisation": description.quantisation,
        "role": config.role,
        "system_prompt": config.system_prompt,
        "template": description.template,
        "options": json.dumps(description.options, sort_keys=True, ensure_ascii=False),
        "server_version": description.server_version,
    }
    config_key = key("config", fingerprint)
    label_is_taken = store.value(
        """
        select count(*) > 0
        from configs as c
        inner join responses as r on c.config_key = r.config_key
        inner join prompts as p on r.prompt_key = p.prompt_key
        where c.config = ? and c.config_key <> ? and p.suite = ?
        """,
        [label, config_key, suite.suite],
    )
    return {
        "config_key": config_key,
        "config": f"{label} #{config_key[:6]}" if label_is_taken else label,
        **fingerprint,
    }


def plan(store: Store, suite: Suite, only: str | None = None) -> list[Task]:
    """Return what is to ask, config by config, in the suite's order; `only` names one of them.

    Without it, the suite's `sample` says how many of the first configs are asked.
    """
    if not suite.configs:
        raise PlumblineError(
            f"The suite {suite.suite!r} has no `configs:`, so there is no model to ask.",
            "Write, for example:  configs: [{backend: simulated, model: simulated}]",
        )
    labels = config_labels(suite)
    if only is not None and only not in labels:
        raise PlumblineError(f"The suite has no config {only!r}.", f"It has: {'; '.join(labels)}.")
    if not store.value(N_PROMPTS, [suite.suite]):
        raise PlumblineError(
            f"There are no prompts of the suite {suite.suite!r} to ask.", "Run `plumbline assemble` first."
        )
    backends = {name: create_backend(name, suite) for name in dict.fromkeys(c.backend for c in suite.configs)}
    chosen = list(zip(labels, suite.grid, strict=True))
    if only is None:
        chosen = chosen[: suite.sample.configs]
    return [
        _task(store, suite, label, config, backends[config.backend])
        for label, config in chosen
        if only is None or label == only
    ]


def _task(store: Store, suite: Suite, label: str, config: Config, backend: Backend) -> Task:
    row = config_row(store, suite, label, config, backend)
    n_wanted = config.repeats * store.value(N_PROMPTS, [suite.suite])
    n_pending = store.value(f"select count(*) {PENDING}", [config.repeats, suite.suite, row["config_key"]])
    return Task(label, config, backend, row, n_wanted, n_pending)


def pending_requests(store: Store, suite: Suite, task: Task, page: int = PAGE) -> Iterator[Request]:
    """Yield what is not answered yet, branches of a root together, a page in memory at a time."""
    after: tuple[str, str, int] = ("", "", -1)
    while True:
        with uninterrupted():
            rows = store.rows(
                f"""
                select
                    p.root_key, p.prompt_key, repeats.repeat_index,
                    p.category, p.prompt, p.keyword, p.attributes
                {PENDING}
                and (p.root_key, p.prompt_key, repeats.repeat_index) > (?, ?, ?)
                order by 1, 2, 3
                limit ?
                """,
                [task.config.repeats, suite.suite, task.config_key, *after, page],
            )
        for root_key, prompt_key, repeat_index, category, prompt, keyword, attributes in rows:
            yield Request(
                request_key=request_key(task.config_key, prompt_key, repeat_index),
                prompt_key=prompt_key,
                config=task.config,
                category=category,
                prompt=prompt,
                root_key=root_key,
                repeat_index=repeat_index,
                attributes=attributes,
                name=keyword,
            )
        if len(rows) < page:
            return
        after = rows[-1][:3]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block: inside DuckDB it would end a transaction half-way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received and callable(before):
        before(*received[0])


class Keeper:
    """Writes answers, `batch_size` of them or two seconds' worth in one transaction."""

    def __init__(self, store: Store, task: Task, run_id: str) -> None:
        self.store = store
        self.task = task
        self.run_id = run_id
        self.statuses: Counter[str] = Counter()
        self._responses: list[dict[str, Any]] = []
        self._texts: dict[str, str] = {}
        self._flushed_at = time.monotonic()

    def keep(self, request: Request, answer: Answer) -> None:
        """Take an answer; it is on disk once its batch is full."""
        answer_key = None
        if answer.text is not None:
            answer_key = text_key(answer.text)
            self._texts[answer_key] = answer.text
        self._responses.append(
            {
                "response_key": request.request_key,
                "prompt_key": request.prompt_key,
                "config_key": self.task.config_key,
                "repeat_index": request.repeat_index,
                "text_key": answer_key,
                "response_status": answer.status,
                "finish_reason": answer.finish_reason,
                "n_prompt_tokens": answer.n_prompt_tokens,
                "n_output_tokens": answer.n_output_tokens,
                "seconds": answer.seconds,
                "n_attempts": answer.n_attempts,
                "error": answer.error,
                "answered_at": utc_now(),
                "run_id": self.run_id,
            }
        )
        self.statuses[answer.status] += 1
        is_full = len(self._responses) >= self.task.backend.batch_size
        if is_full or time.monotonic() - self._flushed_at > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what waits, texts and responses in one transaction."""
        if self._responses:
            texts = [{"text_key": k, "text": t, "n_characters": len(t)} for k, t in self._texts.items()]
            with uninterrupted(), self.store.transaction():
                self.store.append("texts", texts)
                self.store.append("responses", self._responses)
            self._responses, self._texts = [], {}
        self._flushed_at = time.monotonic()


def ask(
    backend: Backend, requests: Iterator[Request], concurrency: int, keep: Callable[[Request, Answer], None]
) -> None:
    """Ask all requests, at most `concurrency` at a time; `keep` is called in this thread only.

    An answer is kept before the next request leaves. Whatever stops it (Ctrl-C included), the answers
    that are on their way are waited for and kept.
    """
    if concurrency == 1:
        for request in requests:
            keep(request, backend.answer(request))
        return
    flying: dict[Future[Answer], Request] = {}

    def land(futures: set[Future[Answer]]) -> None:
        for future in futures:
            request = flying.pop(future)
            keep(request, future.result())

    with ThreadPoolExecutor(concurrency) as pool:
        try:
            for request in requests:
                flying[pool.submit(backend.answer, request)] = request
                if len(flying) >= concurrency:
                    land(wait(flying, return_when=FIRST_COMPLETED).done)
            land(wait(flying).done)
        except BaseException:
            land({future for future in wait(flying).done if future.exception() is None})
            raise


def generate_answers(
    store: Store,
    suite: Suite,
    tasks: list[Task],
    run_id: str,
    limit: int | None = None,
    concurrency: int = 1,
) -> dict[str, Counter[str]]:
    """Ask what is pending, at most `limit` requests; return the new answers by config and status."""
    left = sum(task.n_pending for task in tasks)
    left = left if limit is None else min(limit, left)
    statuses: dict[str, Counter[str]] = {}
    with click.progressbar(length=left, label="Generating", file=sys.stderr, hidden=not left) as bar:
        for task in tasks:
            store.append("configs", [task.row])
            keeper = Keeper(store, task, run_id)
            statuses[task.label] = keeper.statuses

            def keep(request: Request, answer: Answer, keeper: Keeper = keeper) -> None:
                keeper.keep(request, answer)
                bar.update(1)

            try:
                ask(task.backend, _first(pending_requests(store, suite, task), left), concurrency, keep)
            finally:
                keeper.flush()
            left -= keeper.statuses.total()
    return statuses


def _first(requests: Iterator[Request], limit: int) -> Iterator[Request]:
    for _, request in zip(range(limit), requests, strict=False):
        yield request


@click.command("generate")
@click.option(
    "--suite",
    "suite_path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The suite file, such as suites/fair_sea.yml.",
)
@click.option("--config", "only", metavar="LABEL", help="Ask this config only: model (role).")
@click.option(
    "--configs",
    "n_configs",
    type=click.IntRange(min=1),
    help="Ask the first so many configs, in place of the suite's `sample:`.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Make at most this many requests.")
@click.option("--dry-run", is_flag=True, help="Say how many requests are missing, then stop.")
@click.option(
    "--concurrency",
    type=click.IntRange(min=1, max=256),
    default=1,
    show_default=True,
    help="Requests under way at a time.",
)
@click.pass_obj
def command(
    directory: Path,
    suite_path: Path,
    only: str | None,
    n_configs: int | None,
    limit: int | None,
    dry_run: bool,
    concurrency: int,
) -> None:
    """Ask every config of a suite every prompt, and keep every answer.

    Safe to stop and start again: what is answered is skipped. Where a suite has `roles:`, each config is
    asked in each of them, the first role first.
    """
    suite = load_suite(suite_path).sampled(configs=n_configs)
    with opened(directory, dry_run) as store:
        tasks = plan(store, suite, only)
        for task in tasks:
            n_answered = task.n_wanted - task.n_pending
            click.echo(
                f"{task.row['config']}: {task.n_pending:,} to ask, {n_answered:,} answered", err=not dry_run
            )
        if dry_run:
            return
        detail = {"suite": suite.suite, "suite_key": suite.suite_key, "config": only, "limit": limit}
        with store.run("generate", detail) as run_id:
            register_suite(store, suite, suite_path, run_id)
            try:
                statuses = generate_answers(store, suite, tasks, run_id, limit, concurrency)
            except KeyboardInterrupt:
                click.echo("\nStopped. The answers so far are kept; the same command goes on.", err=True)
                raise
    for task in tasks:
        new = statuses[task.label]
        by_status = ", ".join(f"{n:,} {status}" for status, n in sorted(new.items())) or "0 new"
        click.echo(f"{task.row['config']}: {by_status}; {task.n_pending - new.total():,} left")
