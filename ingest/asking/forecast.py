"""What a run takes, said before it starts: tokens, hours, cost, and what its design can detect."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.asking.plan import PENDING, Task
from ingest.backends.replies import MESSAGE_TOKENS, estimate_tokens, messages_for
from ingest.store import Store
from ingest.suite import Suite

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


def forecast(store: Store, suite: Suite, task: Task, rate: float | None, senders: int) -> Forecast:
    """Return what `task` would take.

    Where the config has answers, their tokens and seconds are the measure; else characters are (four of
    ASCII, or one other, a token), and the limit on an answer's tokens. `rate` is in requests a minute.
    """
    config = task.config
    frame = sum(estimate_tokens(m["content"]) + MESSAGE_TOKENS for m in messages_for(config, ""))
    n, n_characters, n_other = store.rows(f"{ASKED} {PENDING}", task.pending_parameters(suite))[0]
    n_characters, n_other = n_characters or 0, n_other or 0
    n_measured, per_answer, per_character, seconds = store.rows(MEASURED, [4 * frame, task.config_key])[0]
    if per_character:
        n_prompt = per_character * (n_characters + 4 * frame * n)
    else:
        n_prompt = (n_characters - n_other) / 4 + n_other + frame * n
    per_answer = per_answer or task.max_output_tokens
    n_output = None if per_answer is None else math.ceil(per_answer * n)
    limit = config.requests_per_minute
    per_minute = rate or (60 * senders / seconds if seconds else None)
    if per_minute and limit:
        per_minute = min(per_minute, limit)
    prices = config.prices
    return Forecast(
        n_prompt_tokens=math.ceil(n_prompt),
        n_output_tokens=n_output,
        is_measured=bool(n_measured),
        hours=n / per_minute / 60 if per_minute else None,
        cost=None
        if prices is None or n_output is None
        else (n_prompt * prices.prompt + n_output * prices.output) / 1e6,
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
