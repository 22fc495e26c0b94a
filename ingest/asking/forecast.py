"""What a run takes, said before it starts: tokens, hours, cost, and what its design can detect."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

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
# How many prompts each group of an axis has, where the prompts are about it.
GROUPS = """
    select category, list_transform($attributes, a -> attributes[a]) as labels, count(*) as n
    from prompts
    where
        suite = $suite
        and method <> 'loaded'
        and list_bool_and(list_transform($attributes, a -> attributes[a] is not null))
    group by 1, 2
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
        cost=tokens.cost(config.prices),
    )


def detectable(store: Store, suite: Suite, reference_rate: float) -> Iterator[str]:
    """Yield, for each category and axis, the impact ratio nearest to 1 that its prompts can show.

    At 80 % power and a level of 5 %, where one group is selected less and of all others `reference_rate`
    (SPEC INF-8), each as large as the smallest. The test counts ties, as permutations do. Repeats of a prompt
    are not independent and do not count; branches of one root are paired, so the truth is no worse.
    """
    # SciPy takes longer to import than the rest of a command to run.
    from ingest.inference.power import minimum_detectable_ratio

    for code in suite.categories:
        found = []
        for axis in suite.axes_of(code):
            attributes = suite.axis_attributes(axis)
            names = {"attributes": attributes, "suite": suite.suite}
            rows = store.connection.execute(GROUPS, names).fetchall()
            sizes = [n for group_category, _, n in rows if group_category == code]
            if len(sizes) < 2:
                continue
            fewest, k = min(sizes), len(sizes)
            ratio = minimum_detectable_ratio(reference_rate, fewest, is_corrected=True, n_groups=k)
            shown = f"{ratio:.2f}" if math.isfinite(ratio) else "none"
            found.append(f"{axis} {shown} ({fewest:,} prompts)")
        if found:
            yield f"{code}: smallest impact ratio that can be told from 1: {', '.join(found)}"
