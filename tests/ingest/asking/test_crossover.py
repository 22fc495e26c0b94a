"""Who is asked first of two configs that are compared: by lot, prompt by prompt, and nothing is left out."""

from collections import Counter
from collections.abc import Iterator

from ingest.asking.crossover import crossed, turns
from ingest.backends import Request
from ingest.keys import request_key
from ingest.suite import Config, Mitigation


def requests(label: str, prompts: range) -> Iterator[Request]:
    config = Config(backend="simulated", model=label)
    for i in prompts:
        yield Request(
            request_key=request_key(label, f"{i:04}", 0),
            prompt_key=f"{i:04}",
            config=config,
            category="A",
            prompt=f"prompt {i}",
            root_key="r",
            repeat_index=0,
            attributes={},
            name=None,
            messages=[],
        )


def asked(seed: int = 1, most: int = 10_000, **pending: range) -> list[tuple[str, str]]:
    found = turns(
        {label: requests(label, prompts) for label, prompts in pending.items()}, seed, most, batch=20
    )
    return [(turn.label, request.prompt_key) for turn in found for request in turn.requests]


def mitigation(control: str, treated: str) -> Mitigation:
    return Mitigation(name=f"{control} {treated}", control=control, treated=treated)


def test_configs_of_a_mitigation_are_asked_together_and_the_others_alone() -> None:
    labels = ["a", "b", "c", "d", "e"]
    assert crossed(labels, []) == [["a"], ["b"], ["c"], ["d"], ["e"]]
    together = [mitigation("a", "c"), mitigation("e", "c"), mitigation("b", "not asked")]
    assert crossed(labels, together) == [["a", "c", "e"], ["b"], ["d"]]


def test_every_request_is_asked_once_and_either_config_is_first_in_about_half() -> None:
    found = asked(control=range(400), treated=range(400))
    assert Counter(found) == Counter(
        {(who, f"{i:04}"): 1 for who in ("control", "treated") for i in range(400)}
    )
    first: dict[str, str] = {}
    for who, prompt in found:
        first.setdefault(prompt, who)
    # Of 400 fair draws 99.99 % lie within 4 standard deviations.
    assert 160 < Counter(first.values())["control"] < 240
    places: dict[str, list[int]] = {}
    for i, (_, prompt) in enumerate(found):
        places.setdefault(prompt, []).append(i)
    assert max(last - first_place for first_place, last in places.values()) < 40, "not within one batch"


def test_the_draw_is_by_seed_and_prompt_not_by_what_was_asked_before() -> None:
    def order(found: list[tuple[str, str]]) -> dict[str, str]:
        return {prompt: who for who, prompt in reversed(found)}

    whole = order(asked(control=range(100), treated=range(100)))
    rest = order(asked(control=range(50, 100), treated=range(50, 100)))
    assert rest == {prompt: who for prompt, who in whole.items() if prompt >= "0050"}
    assert order(asked(seed=2, control=range(100), treated=range(100))) != whole


def test_what_one_has_answered_already_is_asked_of_the_other_alone_and_a_limit_holds() -> None:
    found = asked(control=range(10, 30), treated=range(30))
    assert Counter(who for who, _ in found) == {"control": 20, "treated": 30}
    assert len(asked(most=17, control=range(30), treated=range(30))) == 17
