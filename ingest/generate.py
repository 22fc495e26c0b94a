"""Stage generate: every config is asked every prompt; `responses` keeps every answer."""

import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ingest.asking.forecast import detectable, forecast
from ingest.asking.senders import Asker, Counters, Landed, RateLimit, Retries, Wrapper, ask
from ingest.backends import AttemptFailed, Backend, Description, Request, Watched, create_backend
from ingest.backends.replies import estimate_prompt, messages_for
from ingest.errors import PlumblineError
from ingest.keys import key, request_key
from ingest.store import Store, opened, uninterrupted, utc_now
from ingest.store.journal import Journal, read_entries, replay, store_answers
from ingest.suite import Config, Suite, load_suite
from ingest.suite.own_code import code_digest, load_function
from ingest.suite.tables import register_suite

PAGE = 2_000
FLUSH_ROWS = 500
FLUSH_SECONDS = 2.0
WATCH_SECONDS = 10.0
N_LONGEST = 50
FAILURES_IN_A_ROW = 5
DIGEST_SHOWN = 19
RETRIES = Retries()
# What the server found wrong with a request: asked again only on request, for it will find it again.
REJECTED = frozenset({"client_error"})
OUTPUT_LIMITS = ("num_predict", "max_tokens", "max_completion_tokens", "max_new_tokens")

N_PROMPTS = "select count(*) from prompts where suite = ? and method <> 'loaded'"
# The set difference: what is wanted of one config minus what is stored and need not be asked again.
PENDING = """
    from prompts as p
    cross join range(?) as repeats (repeat_index)
    where
        p.suite = ?
        and p.method <> 'loaded'
        and not exists (
            select 1
            from responses as r
            where
                r.prompt_key = p.prompt_key
                and r.config_key = ?
                and r.repeat_index = repeats.repeat_index
                and not list_contains(?, r.response_status)
        )
"""
DISOWN = """
    update responses
    set
        response_status = 'cancelled',
        text_key = null,
        reasoning_text_key = null,
        error = 'the model changed while it was being asked'
    where run_id = ? and config_key = ? and answered_at > ?
"""


@dataclass(frozen=True)
class Task:
    """One config of a suite: whom to ask, and how much is left to ask.

    `n_again` of `n_pending` were asked before and failed in a way that may pass: `asked_again` says which.
    """

    label: str
    config: Config
    backend: Backend
    row: dict[str, Any]
    n_wanted: int
    n_pending: int
    n_again: int = 0
    asked_again: tuple[str, ...] = ()
    max_prompt_tokens: int | None = None
    max_output_tokens: int | None = None

    @property
    def config_key(self) -> str:
        """Key of the config's fingerprint."""
        config_key: str = self.row["config_key"]
        return config_key

    @property
    def model(self) -> tuple[str, str | None, str]:
        """Which model is asked, whatever the role."""
        return (self.config.backend, self.config.base_url, self.config.model)


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


def config_row(
    store: Store, suite: Suite, label: str, config: Config, description: Description, wrapper: str | None
) -> dict[str, Any]:
    """Return the row of `configs`: everything that can change an answer, and its key.

    `wrapper` is the digest of the wrapper's code.

    Where this suite has answers under the same label from another fingerprint (new weights, another
    plant), the label gets the key's first digits: two fingerprints never share an average.
    """
    options = dict(description.options)
    if config.wrapper:
        options |= {"wrapper": config.wrapper, "wrapper_sha256": wrapper}
    fingerprint = {
        "backend": config.backend,
        "model": config.model,
        "digest": description.digest,
        "quantisation": description.quantisation,
        "role": config.role,
        "system_prompt": config.system_prompt,
        "template": description.template,
        "options": json.dumps(options, sort_keys=True, ensure_ascii=False),
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
        "details": json.dumps(description.details, sort_keys=True, ensure_ascii=False),
    }


def plan(
    store: Store,
    suite: Suite,
    only: str | None = None,
    folder: Path = Path(),
    *,
    retry_failed: bool = False,
    hosts: Collection[str] = (),
) -> list[Task]:
    """Return what is to ask, config by config, in the suite's order; `only` names one of them.

    Wrappers are looked for in `folder`. `retry_failed` adds what a server rejected to what is asked again;
    `hosts` may have the keys that the suite names.
    Without `only`, the suite's `sample` says how many of the first configs are asked.
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
    grid = list(zip(labels, suite.grid, strict=True))
    chosen = [
        (label, config)
        for label, config in (grid if only is not None else grid[: suite.sample.configs])
        if only is None or label == only
    ]
    backends = {
        name: create_backend(name, suite, hosts) for name in dict.fromkeys(c.backend for _, c in chosen)
    }
    return [
        _task(store, suite, label, config, backends[config.backend], folder, retry_failed)
        for label, config in chosen
    ]


def _task(
    store: Store, suite: Suite, label: str, config: Config, backend: Backend, folder: Path, retry_failed: bool
) -> Task:
    description = backend.describe(config)
    wrapper = code_digest(config.wrapper, folder, "wrapper") if config.wrapper else None
    row = config_row(store, suite, label, config, description, wrapper)
    if description.max_prompt_tokens is not None:
        _check_length(store, suite, config, description.max_prompt_tokens)
    again = sorted(backend.asked_again | (REJECTED if retry_failed else frozenset()))
    config_key = row["config_key"]
    n_wanted = config.repeats * store.value(N_PROMPTS, [suite.suite])
    n_new = store.value(f"select count(*) {PENDING}", [config.repeats, suite.suite, config_key, []])
    n_pending = store.value(f"select count(*) {PENDING}", [config.repeats, suite.suite, config_key, again])
    output = [description.options[name] for name in OUTPUT_LIMITS if name in description.options]
    return Task(
        label=label,
        config=config,
        backend=backend,
        row=row,
        n_wanted=n_wanted,
        n_pending=n_pending,
        n_again=n_pending - n_new,
        asked_again=tuple(again),
        max_prompt_tokens=description.max_prompt_tokens,
        max_output_tokens=min(output, default=None),
    )


def _check_length(store: Store, suite: Suite, config: Config, max_prompt_tokens: int) -> None:
    """Raise PlumblineError if the longest prompt, as far as one can tell, does not fit (SPEC GEN-6)."""
    # Characters beyond ASCII have more bytes and are fewer to a token: this order brings the longest up.
    longest = store.rows(
        """
        select prompt from prompts where suite = ? and method <> 'loaded'
        order by length(prompt) / 4 + strlen(prompt) - length(prompt) desc limit ?
        """,
        [suite.suite, N_LONGEST],
    )
    n_tokens = max(estimate_prompt(messages_for(config, prompt)) for (prompt,) in longest)
    if n_tokens > max_prompt_tokens and not config.wrapper:
        raise PlumblineError(
            f"{config.model}: the longest prompt has about {n_tokens:,} tokens, and "
            f"{max_prompt_tokens:,} fit: the server would drop its beginning.",
            "Set `options: {num_ctx: …}` higher, if the model was built for it.",
        )


def pending_parameters(suite: Suite, task: Task) -> list[Any]:
    """Return the parameters of PENDING."""
    return [task.config.repeats, suite.suite, task.config_key, list(task.asked_again)]


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
                [*pending_parameters(suite, task), *after, page],
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
                messages=messages_for(task.config, prompt),
            )
        if len(rows) < page:
            return
        after = rows[-1][:3]


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
            store_answers(self.store, [landed.entry for landed in self._landed])
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
        if not isinstance(backend, Watched) or not (
            now or time.monotonic() - self._checked_at > self.seconds
        ):
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
    statuses = {task.label: Counter() for task in tasks}
    counters = counters or Counters()
    first_of_model: dict[tuple[str, str | None, str], int] = {}
    for i, task in enumerate(tasks):
        first_of_model.setdefault(task.model, i)
    journal = Journal(store.path.parent)
    try:
        with click.progressbar(
            length=left,
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
                requests = _first(pending_requests(store, suite, task), left)
                n_senders = concurrency or task.config.concurrency
                statuses[task.label] = _ask_task(store, task, asker, requests, n_senders, watch_seconds, bar)
                left -= statuses[task.label].total()
    finally:
        journal.close()
        # What an interrupt kept from the keeper is in the journal still.
        with uninterrupted():
            replay(store, store.path.parent)
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
    help="Ask only the first N configs, in place of the suite's `sample:`.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Make at most this many requests.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say how many requests, tokens and hours it takes, and what it can show; then stop.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1, max=256),
    help="Requests under way at a time.  [default: what the config says, or 1]",
)
@click.option("--retry-failed", is_flag=True, help="Also ask again what the server rejected.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Requests a minute, for --dry-run.")
@click.option(
    "--reference-rate",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="Share chosen in the group that is chosen most, for --dry-run.",
)
@click.option("--allow-code", is_flag=True, help="Run the Python code that the suite names as `wrapper:`.")
@click.option(
    "--send-key",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Let this host have the key that the suite names.",
)
@click.pass_obj
def command(
    directory: Path,
    suite_path: Path,
    only: str | None,
    n_configs: int | None,
    limit: int | None,
    dry_run: bool,
    concurrency: int | None,
    retry_failed: bool,
    rate: float | None,
    reference_rate: float,
    allow_code: bool,
    hosts: tuple[str, ...],
) -> None:
    """Ask every config of a suite every prompt, and keep every answer.

    Safe to stop and start again: what is answered is skipped. After time-outs, rate limits and server
    errors the next run asks again; the earlier failure stays in `superseded_responses`. Where a suite has
    `roles:`, each config is asked in each of them, in their order.

    \b
    plumbline generate --suite suites/mine.yml --dry-run         # requests, tokens, hours, power
    plumbline generate --suite suites/mine.yml --limit 20        # a first look
    plumbline generate --suite suites/mine.yml --concurrency 4   # all that is left
    plumbline generate --suite suites/mine.yml --send-key api.example.com
    """
    suite = load_suite(suite_path).sampled(configs=n_configs)
    folder = suite_path.parent
    with opened(directory, dry_run) as store:
        if dry_run and (n_waiting := len(read_entries(directory))):
            click.echo(f"{n_waiting:,} answers of a run that was killed come in first.", err=True)
        tasks = plan(store, suite, only, folder, retry_failed=retry_failed, hosts=hosts)
        for task in tasks:
            click.echo(headline(task), err=not dry_run)
            if dry_run and task.n_pending and task.max_output_tokens is not None:
                senders = concurrency or task.config.concurrency
                cost = forecast(store, task, PENDING, pending_parameters(suite, task), rate, senders)
                click.echo(f"  {cost.line()}")
        if dry_run:
            for line in detectable(store, suite, reference_rate):
                click.echo(line)
            return
        check_consent(tasks, allow_code)
        wrappers = {
            name: load_function(name, folder, "wrapper")
            for name in dict.fromkeys(task.config.wrapper for task in tasks if task.n_pending)
            if name
        }
        detail = {
            "suite": suite.suite,
            "suite_key": suite.suite_key,
            "config": only,
            "limit": limit,
            "models": {task.label: snapshot(task) for task in tasks},
        }
        counters = Counters()
        with store.run("generate", detail) as run_id:
            register_suite(store, suite, suite_path, run_id)
            try:
                statuses = generate_answers(
                    store, suite, tasks, run_id, limit, concurrency, wrappers=wrappers, counters=counters
                )
            except KeyboardInterrupt:
                click.echo("\nStopped. The answers so far are kept; the same command goes on.", err=True)
                raise
    for task in tasks:
        new = statuses[task.label]
        by_status = ", ".join(f"{n:,} {status}" for status, n in sorted(new.items())) or "0 new"
        n_again = sum(n for status, n in new.items() if status in task.asked_again)
        click.echo(
            f"{task.row['config']}: {by_status}; {task.n_pending - new.total() + n_again:,} left"
            + (f", {n_again:,} of them failed: run the command again" if n_again else "")
        )
    if str(counters):
        click.echo(str(counters), err=True)


def headline(task: Task) -> str:
    """How much of a config is asked and how much is left."""
    again = f" ({task.n_again:,} of them failed before)" if task.n_again else ""
    return (
        f"{task.row['config']}: {task.n_pending:,} to ask{again}, {task.n_wanted - task.n_pending:,} answered"
    )


def snapshot(task: Task) -> dict[str, Any]:
    """What a run's record says of a model (SPEC GEN-7)."""
    names = ("config_key", "model", "digest", "quantisation", "server_version", "options", "details")
    return {name: task.row[name] for name in names}


def check_consent(tasks: list[Task], allow_code: bool) -> None:
    """Raise PlumblineError where a suite wants code run, and the user has not said yes."""
    for task in tasks:
        if task.n_pending and task.config.wrapper and not allow_code:
            raise PlumblineError(
                f"{task.label}: the suite wants Python code run around each request: {task.config.wrapper}.",
                "Read it; if you trust it, add --allow-code.",
            )
