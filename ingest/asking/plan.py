"""What is to ask of each config of a suite: every prompt that has no answer yet."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.asking.flagged import ASKED_PROMPTS, asked_parameters, left_out
from ingest.backends import Backend, Description, Request, RunsCode, TakesBatches, create_backend, described
from ingest.backends.replies import estimate_prompt, messages_for
from ingest.errors import PlumblineError
from ingest.keys import key, request_key
from ingest.store import Store, uninterrupted
from ingest.store.journal import storable
from ingest.suite import Config, Suite, config_labels
from ingest.suite.own_code import code_digest

PAGE = 2_000
N_LONGEST = 50
# What the server found wrong with a request: asked again only on request, for it will find it again.
REJECTED = frozenset({"client_error"})
OUTPUT_LIMITS = ("num_predict", "max_tokens", "max_completion_tokens", "max_new_tokens")

N_PROMPTS = f"select count(*) from prompts as p where {ASKED_PROMPTS}"
# The set difference: what is wanted of one config minus what is stored and need not be asked again.
PENDING = f"""
    from prompts as p
    cross join range(?) as repeats (repeat_index)
    where
        {ASKED_PROMPTS}
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
PROMPT = "p.category, p.prompt, p.keyword, p.attributes, p.messages"
# What a batch holds that the server has not given back is asked by nobody else.
NOT_IN_A_BATCH = """
    and not exists (
        select 1
        from batch_requests as held inner join batches as b using (batch_key)
        where
            b.config_key = ? and b.batch_status in ('sending', 'open')
            and held.prompt_key = p.prompt_key and held.repeat_index = repeats.repeat_index
    )
"""


@dataclass(frozen=True)
class Task:
    """One config of a suite: whom to ask, and how much is left to ask.

    `n_again` of `n_pending` were asked before and failed in a way that may pass: `asked_again` says which.
    `n_rejected` others have no answer and are not asked again.
    """

    label: str
    config: Config
    backend: Backend
    row: dict[str, Any]
    n_wanted: int
    n_pending: int
    n_again: int = 0
    n_rejected: int = 0
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
        return (self.config.backend, self.config.address, self.config.model)

    def headline(self) -> str:
        """How much of the config is asked and how much is left."""
        again = f" ({self.n_again:,} of them failed before)" if self.n_again else ""
        rejected = f", {self.n_rejected:,} rejected (--retry-failed asks again)" if self.n_rejected else ""
        n_answered = self.n_wanted - self.n_pending - self.n_rejected
        return f"{self.row['config']}: {self.n_pending:,} to ask{again}, {n_answered:,} answered{rejected}"

    def snapshot(self) -> dict[str, Any]:
        """What a run's record says of the model (SPEC GEN-7)."""
        names = ("config_key", "model", "digest", "quantisation", "server_version", "options", "details")
        return {name: self.row[name] for name in names}

    def pending_parameters(self, suite: Suite) -> list[Any]:
        """Parameters of PENDING."""
        return [self.config.repeats, *asked_parameters(suite), self.config_key, list(self.asked_again)]


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
    row = {
        "config_key": config_key,
        "config": f"{label} #{config_key[:6]}" if label_is_taken else label,
        **fingerprint,
        "details": json.dumps(description.details, sort_keys=True, ensure_ascii=False),
    }
    return {name: storable(value) for name, value in row.items()}


def asked_configs(suite: Suite, only: str | None) -> dict[str, Config]:
    """Return the configs that are asked, by their names, in the suite's order; `only` names one of them.

    Without `only`, the suite's `sample` says how many of the first ones. Raises PlumblineError for an unknown
    name, and where there are none.
    """
    if not suite.configs:
        raise PlumblineError(
            f"The suite {suite.suite!r} has no `configs:`, so there is no model to ask.",
            "Write, for example:  configs: [{backend: simulated, model: simulated}]",
        )
    grid = dict(zip(config_labels(suite), suite.grid, strict=True))
    if only is None:
        return dict(list(grid.items())[: suite.sample.configs])
    if only not in grid:
        raise PlumblineError(f"The suite has no config {only!r}.", f"It has: {'; '.join(grid)}.")
    return {only: grid[only]}


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

    Wrappers and functions are looked for in `folder`. `retry_failed` adds what a server rejected to what is
    asked again; `hosts` may have the keys that the suite names.
    """
    chosen = asked_configs(suite, only)
    if not store.value(N_PROMPTS, asked_parameters(suite)):
        for line in left_out(store, suite):
            raise PlumblineError(
                f"Every prompt of the suite {suite.suite!r} is left out. {line}.",
                "Look at them in `prompt_flags`; mend texts or tables, or name the flags in `ask_flagged:`.",
            )
        raise PlumblineError(
            f"There are no prompts of the suite {suite.suite!r} to ask.", "Run `plumbline assemble` first."
        )
    names = dict.fromkeys(config.backend for config in chosen.values())
    backends = {name: create_backend(name, suite, hosts, folder) for name in names}
    return [
        _task(store, suite, label, config, backends[config.backend], folder, retry_failed)
        for label, config in chosen.items()
    ]


def _task(
    store: Store, suite: Suite, label: str, config: Config, backend: Backend, folder: Path, retry_failed: bool
) -> Task:
    if config.batch:
        if not isinstance(backend, TakesBatches):
            raise PlumblineError(
                f"{label}: the backend {config.backend!r} asks no batches.",
                "Take `batch: true` out of the config.",
            )
        backend.batches(config)
    description = described(backend, config)
    wrapper = code_digest(config.wrapper, folder, "wrapper") if config.wrapper else None
    row = config_row(store, suite, label, config, description, wrapper)
    if description.max_prompt_tokens is not None:
        _check_length(store, suite, config, description.max_prompt_tokens)
    again = sorted(backend.asked_again | (REJECTED if retry_failed else frozenset()))
    n_new, n_pending, n_without = (
        store.value(
            f"select count(*) {PENDING}",
            [config.repeats, *asked_parameters(suite), row["config_key"], asked],
        )
        for asked in ([], again, [*again, *REJECTED])
    )
    limits = (description.options.get(name) for name in OUTPUT_LIMITS)
    output = [limit for limit in limits if isinstance(limit, int)]
    return Task(
        label,
        config,
        backend,
        row,
        n_wanted=config.repeats * store.value(N_PROMPTS, asked_parameters(suite)),
        n_pending=n_pending,
        n_again=n_pending - n_new,
        n_rejected=n_without - n_pending,
        asked_again=tuple(again),
        max_prompt_tokens=description.max_prompt_tokens,
        max_output_tokens=min(output, default=None),
    )


def _check_length(store: Store, suite: Suite, config: Config, max_prompt_tokens: int) -> None:
    """Raise PlumblineError if the longest prompt, as far as one can tell, does not fit (SPEC GEN-6)."""
    # Characters beyond ASCII have more bytes and are fewer to a token: this order brings the longest up.
    longest = store.rows(
        f"""
        select prompt from prompts as p where {ASKED_PROMPTS}
        order by length(prompt) / 4 + strlen(prompt) - length(prompt) desc limit ?
        """,
        [*asked_parameters(suite), N_LONGEST],
    )
    n_tokens = max(estimate_prompt(messages_for(config, prompt)) for (prompt,) in longest)
    if n_tokens > max_prompt_tokens and not config.wrapper:
        raise PlumblineError(
            f"{config.model}: the longest prompt has about {n_tokens:,} tokens, and "
            f"{max_prompt_tokens:,} fit: the server would drop its beginning.",
            "Set `options: {num_ctx: …}` higher, if the model was built for it.",
        )


def pending_requests(store: Store, suite: Suite, task: Task, page: int = PAGE) -> Iterator[Request]:
    """Yield what is not answered yet, branches of a root together, a page in memory at a time."""
    after: tuple[str, str, int] = ("", "", -1)
    while True:
        with uninterrupted():
            rows = store.rows(
                f"""
                with page as (
                    select p.root_key, p.prompt_key, repeats.repeat_index
                    {PENDING}
                    {NOT_IN_A_BATCH}
                    and (p.root_key, p.prompt_key, repeats.repeat_index) > (?, ?, ?)
                    order by 1, 2, 3
                    limit ?
                )

                select page.*, {PROMPT}
                from page inner join prompts as p using (prompt_key)
                order by 1, 2, 3
                """,
                [*task.pending_parameters(suite), task.config_key, *after, page],
            )
        yield from (request_of(task, row) for row in rows)
        if len(rows) < page:
            return
        after = rows[-1][:3]


def request_of(task: Task, row: tuple[Any, ...]) -> Request:
    """Return the request of a row: the keys of root and prompt, the repeat, and PROMPT."""
    root_key, prompt_key, repeat_index, category, prompt, keyword, attributes, messages = row
    return Request(
        request_key=request_key(task.config_key, prompt_key, repeat_index),
        prompt_key=prompt_key,
        config=task.config,
        category=category,
        prompt=prompt,
        root_key=root_key,
        repeat_index=repeat_index,
        attributes=attributes,
        name=keyword,
        messages=messages_for(task.config, prompt, messages),
    )


def check_consent(tasks: list[Task], allow_code: bool) -> None:
    """Raise PlumblineError where a suite wants code run, and the user has not said yes.

    A backend that has not been told so here runs none.
    """
    for task in tasks:
        if isinstance(task.backend, RunsCode):
            task.backend.is_allowed = allow_code
        if task.n_pending and task.config.code and not allow_code:
            raise PlumblineError(
                f"{task.label}: the suite wants Python code run for each request: {task.config.code[0]}.",
                "Read it; if you trust it, add --allow-code.",
            )
