"""What asking costs: each answer by the suite's prices, and a budget that is not passed."""

import threading
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ingest.asking.plan import Task
from ingest.backends import Answer, Message
from ingest.backends.replies import MESSAGE_TOKENS, estimate_prompt, estimate_tokens
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.suite import Prices, Suite
from ingest.suite.fields import LARGEST_INTEGER

# What no provider bills where the reply tells no tokens; a time-out may have been billed.
FREE = frozenset({"rate_limited", "server_error", "client_error", "prompt_truncated", "cancelled"})
ROUNDING = 1e-9  # of a budget: sums of costs are not exact
WAIT = 0.5  # seconds between two looks at whether a run was stopped
# What a suite's answers and its judges' votes cost; who votes is asked under a run of the suite.
PAID = """
    select r.cost, r.currency
    from responses as r inner join prompts as p using (prompt_key)
    where p.suite = $suite and r.cost is not null
    union all
    select v.cost, v.currency
    from judge_votes as v inner join runs using (run_id)
    where json_extract_string(runs.detail, '$.suite') = $suite and v.cost is not null
"""
DEAREST = """
    select greatest(
        (select max(cost) from responses where config_key = $config),
        (select max(cost) from judge_votes where config_key = $config)
    )
"""


class BudgetSpent(PlumblineError):
    """What is left to spend does not do for the next request, whoever is asked."""


class Purse:
    """What a suite's budget has left, while several senders spend it.

    Before a request is sent, the most that it may cost is set aside; its answer says what it did cost.
    """

    def __init__(self, budget: float, spent: float, currency: str) -> None:
        self.budget, self.spent, self.currency = budget, spent, currency
        self._held = 0.0
        self._n_under_way = self._n_batches = 0
        self._changed = threading.Condition()

    def hold(self, most: float, stop: threading.Event) -> None:
        """Set aside what a request may cost; wait for others under way where it is not there yet.

        Raises BudgetSpent where it would pass the budget.
        """
        with self._changed:
            while not self._has(most):
                if self._n_under_way == self._n_batches or stop.is_set():
                    budget = f"the budget of {self.budget:,.4g}{self.currency}"
                    aside = f", up to {self._held:,.4g} go to batches" if self._n_batches else ""
                    raise BudgetSpent(
                        f"Asking stopped: {self.spent:,.4g} of {budget} are spent{aside}, and the next "
                        f"answer may cost {most:,.4g}.",
                        "Raise `budget:` in the suite, or --budget; then the same command goes on.",
                    )
                self._changed.wait(WAIT)
            self._held += most
            self._n_under_way += 1

    def fits(self, most: float) -> bool:
        """Say whether a request that may cost so much could be sent now."""
        with self._changed:
            return self._has(most)

    def _has(self, most: float) -> bool:
        """Whether so much is left; three times 0.1 fits into 0.3, as on paper."""
        return self.spent + self._held + most <= self.budget * (1 + ROUNDING)

    def take(self, most: float) -> None:
        """Set aside what a batch may cost: it is on its way, and nobody waits for what it gives back."""
        with self._changed:
            self._held += most
            self._n_under_way += 1
            self._n_batches += 1

    def settle(self, held: float, cost: float, *, is_batch: bool = False) -> None:
        """Give back what was held, and take what it did cost."""
        with self._changed:
            self._held -= held
            self._n_under_way -= 1
            self._n_batches -= is_batch
            self.spent += cost
            self._changed.notify_all()


class Till:
    """Counts what the answers of one config cost; `purse` holds the budget, if there is one."""

    def __init__(self, store: Store, task: Task, purse: Purse | None, *, is_batch: bool = False) -> None:
        self.prices, self.purse, self.is_batch = task.config.prices, purse, is_batch
        if self.prices and is_batch:
            self.prices = self.prices.in_batches
        self.currency = self.prices.currency if self.prices else None
        self._most_written = task.max_output_tokens
        self._dearest: float = _asked_of(store, DEAREST, config=task.config_key)[0][0] or 0.0

    def hold(self, requests: Sequence[Sequence[Message]], stop: threading.Event) -> float | None:
        """Set aside what requests may cost at most, and return it; None without a budget."""
        if self.purse is None or self.prices is None:
            return None
        most = self.most(requests)
        if self.is_batch:
            self.purse.take(most)
        else:
            self.purse.hold(most, stop)
        return most

    def most(self, requests: Sequence[Sequence[Message]]) -> float:
        """Return what requests may cost at most."""
        if self.prices is None:
            return 0.0
        most = 0.0
        for messages in requests:
            one = _most_tokens(messages) * self.prices.prompt / 1e6
            one += (self._most_written or 0) * self.prices.output / 1e6
            # Where no limit is known, the dearest answer so far is the guess.
            most += one if self._most_written else max(one, self._dearest)
        return most

    def settle(self, held: float, costs: Iterable[float | None]) -> None:
        """Give back what was held, and take what the answers did cost."""
        known = [cost for cost in costs if cost is not None]
        self._dearest = max([self._dearest, *known])
        if self.purse is not None:
            self.purse.settle(held, sum(known), is_batch=self.is_batch)

    def cost(self, messages: Sequence[Message], answer: Answer) -> float | None:
        """Return what an answer cost, None without prices or where it was free; see `cost_of`."""
        return None if self.prices is None else cost_of(self.prices, messages, answer, self._most_written)


def cost_of(
    prices: Prices, messages: Sequence[Message], answer: Answer, most_written: int | None
) -> float | None:
    """Return what an answer cost by its tokens; where the reply tells none, by those of its texts.

    A number that no reply has counts as none: a negative one would fill the purse. A request that timed out
    may have been answered in full.
    """
    read, written = (
        n if n is not None and 0 <= n <= LARGEST_INTEGER else None
        for n in (answer.n_prompt_tokens, answer.n_output_tokens)
    )
    if read is None and written is None and answer.status in FREE:
        return None
    if read is None:
        read = estimate_prompt(messages)
    if written is None:
        texts = [text for text in (answer.text, answer.reasoning, answer.error) if text]
        timed_out = answer.status == "timeout" and most_written
        written = most_written if timed_out else sum(estimate_tokens(text) for text in texts)
    return (read * prices.prompt + (written or 0) * prices.output) / 1e6


def _most_tokens(messages: Sequence[Message]) -> int:
    """Return more tokens than messages have: of bytes, whatever the tokeniser, a token has one at least."""
    return sum(len(message["content"].encode("utf-8", "replace")) + MESSAGE_TOKENS for message in messages)


def _asked_of(store: Store, sql: str, **named: str) -> list[tuple[Any, ...]]:
    return store.connection.execute(sql, named).fetchall()


def spent_on(store: Store, suite: Suite) -> str | None:
    """Return what a suite's answers and votes cost so far, as text; None where no prices were given."""
    found = _asked_of(
        store, f"select currency, sum(cost) from ({PAID}) group by all order by all", suite=suite.suite
    )
    return ", ".join(f"{cost:,.4g} {currency or ''}".strip() for currency, cost in found) or None


def purse_for(store: Store, suite: Suite, tasks: Collection[Task], given: float | None) -> Purse | None:
    """Return the purse of a suite: `given`, else its `budget`, less what its answers cost so far.

    Raises PlumblineError where a config that is asked has no prices: what it spends could not be counted.
    """
    budget = suite.budget if given is None else given
    if budget is None:
        return None
    for task in tasks:
        if task.n_pending and task.config.prices is None:
            raise PlumblineError(
                f"{task.label}: the budget cannot be held, as the config has no prices.",
                "Write `prices: {prompt: …, output: …}` per million tokens; 0 where asking is free.",
            )
    currency = next((t.config.prices.currency for t in tasks if t.config.prices), None)
    spent = _asked_of(store, f"select sum(cost) from ({PAID})", suite=suite.suite)[0][0] or 0.0
    return Purse(budget, spent, f" {currency}" if currency else "")
