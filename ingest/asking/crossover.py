"""Which of two configs is asked a prompt first, where a suite compares one as it is with one that is changed.

A server may become slower, busier or another one while it is asked. Were one config asked before the other,
that would look like the change. So both are asked a prompt within one batch, and a draw for each prompt says
which goes first: a randomised crossover.
"""

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple, TypeVar

from ingest.backends import Request
from ingest.keys import key
from ingest.suite import Mitigation

BATCH = 40  # prompts: few enough for a server to stay the same, enough to keep its senders busy

T = TypeVar("T")


class Turn(NamedTuple):
    """Requests of one config that follow each other."""

    label: str
    requests: list[Request]


def crossed(labels: Sequence[str], mitigations: Sequence[Mitigation]) -> list[list[str]]:
    """Return the configs that are asked together, and each other one alone, in the order of `labels`.

    Two are together that a mitigation names as control and treated, and those that share one of these.
    """
    sets = [{label} for label in labels]
    for one in mitigations:
        both = {one.control, one.treated}
        if both <= set(labels):
            joined = [known for known in sets if known & both]
            sets = [known for known in sets if not known & both] + [set().union(*joined)]
    places = {label: i for i, label in enumerate(labels)}
    found = (sorted(known, key=places.__getitem__) for known in sets)
    return sorted(found, key=lambda known: places[known[0]])


def turns(pending: dict[str, Iterator[Request]], seed: int, most: int, batch: int = BATCH) -> Iterator[Turn]:
    """Yield who is asked what, batch by batch, of at most `most` requests.

    `pending` yields each config's requests by root, prompt and repeat. Of each prompt a draw orders the
    configs; in a batch all that are first are asked, then all that are second. The configs take turns in one
    order, then in the other, so that what drifts steadily within a batch falls on all alike.
    """
    for places in batches(merged(pending), batch):
        drawn: list[dict[str, list[Request]]] = [{label: [] for label in pending} for _ in pending]
        for asked in places:
            kept = dict(list(asked.items())[:most])
            most -= len(kept)
            for i, label in enumerate(sorted(kept, key=lambda label: rank(seed, kept[label]))):
                drawn[i][label].append(kept[label])
        for i, of_place in enumerate(drawn):
            for label in reversed(pending) if i % 2 else pending:
                if of_place[label]:
                    yield Turn(label, of_place[label])
        if most <= 0:
            return


def rank(seed: int, request: Request) -> str:
    """Return what orders the configs that are asked one prompt: by lot, the same in each run."""
    return key("crossover", seed, request.request_key)


def merged(pending: dict[str, Iterator[Request]]) -> Iterator[dict[str, Request]]:
    """Yield, prompt by prompt and repeat by repeat, the requests of the configs that are still to ask."""

    def place(one: tuple[str, Request]) -> tuple[str, str, int]:
        return (one[1].root_key, one[1].prompt_key, one[1].repeat_index)

    def named(label: str) -> Iterator[tuple[str, Request]]:
        return ((label, request) for request in pending[label])

    for _, of_prompt in groupby(heapq.merge(*map(named, pending), key=place), key=place):
        yield dict(of_prompt)


def batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    """Yield lists of so many items."""
    while found := list(islice(items, size)):
        yield found
