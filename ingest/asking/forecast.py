"""What a run takes, said before it starts: tokens, hours, cost, and what its design can detect."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingest.asking.designs import Question
from ingest.asking.judged import Judged, n_together
from ingest.asking.plan import PENDING, Task
from ingest.backends.replies import MESSAGE_TOKENS, estimate_tokens, messages_for
from ingest.store import Store
from ingest.suite import Config, Suite
from ingest.suite.sources import Prices

# What was measured of a config's answers: how many, tokens per answer, tokens per character asked, seconds.
MEASURED = """
    select
        count(*),
        avg(r.n_output_tokens),
        sum(r.n_prompt_tokens) / sum(length(p.prompt) + ?) filter (where r.n_prompt_tokens is not null),
        avg(r.seconds)
    from responses as r inner join prompts as p using (prompt_key)
    where r.config_key = ? and r.seconds is not null
"""
# Prompts to ask and their characters, how many of these are not ASCII, each repeat anew.
ASKED = """
    select
        count(*), sum(length(p.prompt)), sum(length(regexp_replace(p.prompt, '[[:ascii:]]', '', 'g')))
"""


@dataclass(frozen=True)
class Forecast:
    """What asking one config would take. Tokens and hours are None where nothing is known of them."""

    n_prompt_tokens: int
    n_output_tokens: int | None
    is_measured: bool
    hours: float | None
    cost: float | None

    def line(self) -> str:
        """The forecast in words."""
        about = "" if self.is_measured else "at most "
        n_output = self.n_output_tokens
        output = "output unknown" if n_output is None else f"{about}{n_output:,} written"
        if self.hours is None:
            hours = "hours unknown: ask a few first (`--limit 20`) or give `--rate`"
        else:
            hours = f"{self.hours:.1f} h" if self.hours >= 1 else f"{60 * self.hours:.1f} min"
        parts = [f"about {self.n_prompt_tokens:,} tokens read", output, hours]
        if self.cost is not None:
            parts.append(f"cost {about}{self.cost:,.2f}")
        return "; ".join(parts)


class Tokens(NamedTuple):
    """Tokens read and written for some prompts, None where nothing is known; seconds an answer took."""

    n_prompt: float
    n_output: int | None
    n_measured: int
    seconds: float | None

    def cost(self, prices: Prices | None) -> float | None:
        """What they cost, None where that is not known."""
        if prices is None or self.n_output is None:
            return None
        return (self.n_prompt * prices.prompt + self.n_output * prices.output) / 1e6


def tokens_for(
    store: Store,
    config: Config,
    config_key: str,
    asked: tuple[int, int | None, int | None],
    max_output_tokens: int | None,
) -> Tokens:
    """Return the tokens of what is `asked`: prompts, their characters, how many of these are not ASCII.

    Where the config has answers, their tokens are the measure; else characters are (four of ASCII, or one
    other, a token), and the limit on an answer's tokens.
    """
    n, n_characters, n_other = asked[0], asked[1] or 0, asked[2] or 0
    frame = sum(estimate_tokens(m["content"]) + MESSAGE_TOKENS for m in messages_for(config, ""))
    n_measured, per_answer, per_character, seconds = store.rows(MEASURED, [4 * frame, config_key])[0]
    if per_character:
        n_prompt = per_character * (n_characters + 4 * frame * n)
    else:
        n_prompt = (n_characters - n_other) / 4 + n_other + frame * n
    per_answer = per_answer or max_output_tokens
    return Tokens(n_prompt, None if per_answer is None else math.ceil(per_answer * n), n_measured, seconds)


def forecast(store: Store, suite: Suite, task: Task, rate: float | None, senders: int) -> Forecast:
    """Return what `task` would take; `rate` is in requests a minute."""
    config = task.config
    asked = store.rows(f"{ASKED} {PENDING}", task.pending_parameters(suite))[0]
    tokens = tokens_for(store, config, task.config_key, asked, task.max_output_tokens)
    per_minute = rate or (60 * senders / tokens.seconds if tokens.seconds else None)
    if per_minute and config.requests_per_minute:
        per_minute = min(per_minute, config.requests_per_minute)
    return Forecast(
        n_prompt_tokens=math.ceil(tokens.n_prompt),
        n_output_tokens=tokens.n_output,
        is_measured=bool(tokens.n_measured),
        hours=asked[0] / per_minute / 60 if per_minute else None,
        cost=tokens.cost(config.charged),
    )


def findable(questions: Sequence[Question], judged: Sequence[Judged], suite: Suite) -> Iterator[str]:
    """Yield, for each question and axis, how likely a gap is found, and excluded where there is none.

    The gaps are those of `plumbline plan`, which says what more would take; corrected alike.
    """
    # SciPy takes longer to import than the rest of a command to run.
    from ingest.inference.planning import GAPS, Limit, power_to_fail, power_to_pass

    for question in questions:
        if not question.shares:
            continue
        layout, shares = question.layout, question.most_frequent
        named = f"{question.category} {question.measure} by {question.axis}"
        if layout.n_units < 2:
            yield f"{named}: no verdict, as one {question.block} stands for a whole group"
            continue
        n_tables = n_together(suite, questions, judged, question.category)
        fails, passes = [], []
        for gap in GAPS:
            limit = Limit("range", None, gap)
            fails.append(f"{100 * power_to_fail(layout, shares, gap, limit, n_tables):.0f}")
            passes.append(f"{100 * power_to_pass(layout, shares, 0.0, limit, n_tables):.0f}")
        gaps = "/".join(f"{100 * gap:g}" for gap in GAPS)
        yield (
            f"{named}: a gap of {gaps} points is found in {'/'.join(fails)} %, "
            f"and where none is, excluded in {'/'.join(passes)} %"
        )
