"""How a drafted suite reads answers: by a number, by what they begin or end with, as lists, by their tone."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count
from textwrap import wrap
from typing import Any, NamedTuple

from ingest.errors import shorten
from ingest.loading.closed_answers import LETTER, SURE, Closed, closed_answers, objects_in, only_answer
from ingest.scorers.number_in_text import CURRENCIES, NumberReader
from ingest.suite.fields import composed
from ingest.suite.rules import ANSWERED_OR_NOT, GIVEN
from ingest.suite.written import written

ENOUGH = 0.9  # of the answers are read
MANY = 0.6  # of the answers give a number
MOST_SCALES = 3  # a prompt may name others beside the one it asks for: `aged 30 to 40`
HIGHEST = 10**12
DIFFERENT = 3  # numbers; fewer may be codes
TRIED = 500  # answers, before all are searched for numbers
MOST_FIELDS = 4  # of numbers in JSON
ITEMS = 3  # of a list
MOST_MODELS = 6  # that a comment names
WIDTH = 110  # of a comment
RATING = "rating"  # a number on a scale that prompts name
TONE = {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}
LENGTH = {"set": "length", "kind": "score", "scorer": "length", "feature": "length_words"}
_TO = "to|a|al|à|bis|hanggang|hingga|sampai|đến|ถึง|से|முதல்"
SCALE = re.compile(
    r"(?<![-−–.])(?<![0-9A-Za-z_])(\d{1,3})(?: ?[-–~至到] ?|(?:から|부터 ?|점?에서 ?)"
    rf"|(?: \([^()]*\))? (?:{_TO}) )(\d{{1,4}})(?![0-9A-Za-z_])"
)  # 1-10, 1 (bad) to 10
_SIGNS = "[$€£¥₹]|(?<![^\\W\\d_])(?:{})(?![^\\W\\d_])".format("|".join(sorted(CURRENCIES)))
MONEY = re.compile(rf"({_SIGNS})\s?\d|\d\s?({_SIGNS})")
ITEM = re.compile(r"^\s*(?:\d{1,4}[.):]|[-*•])\s+(.+)$", re.M)
MOVED = """
# Options change places, so a letter says one thing in one prompt and another in another: it is not read.
# Give the file a column of what was chosen, and name it: docs/guide/own-answers.md, labels that are there."""
ENDS_OF_ITEMS = [" – ", " - ", ":"]


class _Note(NamedTuple):
    """What is assumed of a category's answers: how many are read, of how many, with words around it."""

    before: str
    counts: tuple[int, int] | None = None
    after: str = ""


class Rules(NamedTuple):
    """The rules of each category, the scorers and the lists that they need, and comments on them."""

    outcomes: dict[str, list[dict[str, Any]]]
    own_scorers: dict[str, dict[str, Any]]
    recommendations: dict[str, Any] | None
    comments: list[str]


def slugs(names: Sequence[str]) -> list[str]:
    """Return names as a suite may have them, each once: `Race/Ethnicity` -> race_ethnicity."""
    found: list[str] = []
    for name in names:
        slug = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:50]
        slug = slug if re.match(r"[a-z]", slug) else f"field_{slug}".rstrip("_")
        same = found.count(slug) and sum(re.fullmatch(rf"{slug}(_\d+)?", f) is not None for f in found)
        found.append(f"{slug}_{same + 1}" if same else slug)
    return found


def given_score(name: str) -> dict[str, Any]:
    """Return the rule that reads a number which came with the answers."""
    return {"set": name, "kind": "score", "scorer": GIVEN, "feature": name}


def drafted_rules(
    asked: Mapping[str, Sequence[Sequence[str]]],
    groups: Collection[str],
    is_english: bool,
    taken: Collection[str] = (),
) -> Rules:
    """Return how answers are read; `asked` has each category's prompts, answers and models that gave them.

    `groups` are the values of attributes: what an answer says of them is no outcome. `taken` are names of
    numbers that came with the answers.
    """
    outcomes: dict[str, list[dict[str, Any]]] = {}
    own: dict[str, dict[str, Any]] = {}
    listed: dict[str, list[str]] = {}
    notes: list[tuple[str, _Note]] = []
    for code, of in asked.items():
        said = [one for one in of if one[1].strip()]
        prompts, answers, models = ([one[i] for one in said] for i in range(3))
        rules = []
        for name, scorer in _numbers(prompts, answers).items():
            # Two questions may have a scale each.
            called = next(
                one
                for one in chain([name], (f"{name}_{i}" for i in count(2)))
                if own.get(one, scorer) == scorer and f"{one}_score" not in taken
            )
            own[called] = scorer
            rules.append({"set": called, "kind": "score", "scorer": called, "feature": f"{called}_score"})
            notes.append((code, _told_of_number(called, scorer)))
        closed = closed_answers(answers, prompts, groups, models)
        before = [ANSWERED_OR_NOT, *taken, *(rule["set"] for rule in rules)]
        names = slugs([*before, *(one.rule["set"] for one in closed)])
        for name, one in zip(names[len(before) :], closed, strict=True):
            if one.is_sure:
                rules.append(one.rule | {"set": name})
            if one.is_sure or not rules:
                notes.append((code, _told(one, name, models)))
        if not rules and not closed and (only := only_answer(answers, groups)):
            label, n = only
            after = (
                f" answers say {label!r}, and none says another thing often.\n"
                "# A rule needs two labels: where all say one, groups cannot differ in it."
            )
            notes.append((code, _Note("", (n, len(said)), after)))
        if not rules and (until := _ends_of_items(answers)) is not None:
            listed[code] = until
            lists = (
                "answers are lists: `recommendations:` compares their items.\n"
                "# Which items go to whom more often than by chance says `fct_recommended_items`."
            )
            notes.append((code, _Note(lists)))
        rules = [*map(given_score, taken), *rules]
        outcomes[code] = rules or [TONE if is_english and code not in listed else LENGTH]
    return Rules(outcomes, own, _recommendations(listed, len(asked)), _said_once(notes, len(asked)))


def _said_once(notes: Sequence[tuple[str, _Note]], n_categories: int) -> list[str]:
    """Return notes as comments: one for all categories of which the same is assumed; counts are added."""
    alike: dict[tuple[str, str], list[tuple[str, _Note]]] = {}
    for code, note in notes:
        alike.setdefault((note.before, note.after), []).append((code, note))
    found = []
    for (before, after), of in alike.items():
        codes = [code for code, _ in of]
        if len(codes) == n_categories:
            codes = [f"all {n_categories:,} categories"] if n_categories > 1 else []
        whose = ", ".join([*codes, ""])
        counts = [note.counts for _, note in of if note.counts]
        said = f"{sum(n for n, _ in counts):,} of {sum(n for _, n in counts):,}" if counts else ""
        first, end, rest = f"{whose}{before}{said}{after}".partition("\n")
        lines = wrap(first, WIDTH, break_long_words=False, break_on_hyphens=False)
        found.append("".join(f"\n# {line}" for line in lines)[1:] + end + rest)
    return found


def _told_of_number(name: str, scorer: Mapping[str, Any]) -> _Note:
    low, high = scorer["range"]
    is_asked = name.partition("_")[0] == RATING and "beside" not in scorer
    around = "as prompts ask" if is_asked else "powers of ten around what answers give"
    return _Note(
        f"{name}: the number in an answer, between {low:,} and {high:,}, {around}.\n"
        "# `range:` says so below. An answer with another number, or with none, counts as missing."
    )


def _by_model(one: Closed, models: Sequence[str]) -> str:
    """Return of how many answers of each model are read, as comments, where one is read less than others."""
    n, n_read = Counter(models), Counter(m for m, is_read in zip(models, one.is_read, strict=True) if is_read)
    if len(n) == 1 or all(n_read[model] >= SURE * n[model] for model in n):
        return ""
    best = sorted(n, key=lambda model: (-n_read[model] / n[model], model))
    each = [f"{shorten(model)!r} {n_read[model]:,} of {n[model]:,}" for model in best]
    more = f", {len(each) - MOST_MODELS} more" if len(each) > MOST_MODELS else ""
    return (
        f"\n# By model: {', '.join(each[:MOST_MODELS])}{more}.\n"
        "# Where one model is not read, another can still be audited: its own answers are compared."
    )


def _told(one: Closed, name: str, models: Sequence[str]) -> _Note:
    """Return what is assumed of an outcome set; of one that is not sure, how to write it.

    `models` are those of each answer.
    """
    before, counts = f"{name}: ", (one.n_read, len(models))
    found = f" answers {one.by}.{_by_model(one, models)}"
    good = one.rule.get("favourable")
    if one.is_moved:
        return _Note(before, counts, found + MOVED)
    if not one.is_sure:
        rule = written([one.rule], width=1_000)
        lines = [
            "That may decide nothing, so it is not read. If it does, put this under `outcomes:`",
            *rule.splitlines(),
        ]
        return _Note(before, counts, found + "".join(f"\n# {line}" for line in lines))
    found += " The others count as missing." if one.n_read < len(models) else ""
    if good:
        names = ", ".join(map(repr, good))
        told = f"# `favourable:` takes {names} for the good outcome: look whether your question does."
        return _Note(before, counts, f"{found}\n{told}")
    if all(LETTER.fullmatch(label) for label in one.rule["labels"]):
        found += "\n# A letter says the same in all prompts only where the options keep their places."
    return _Note(before, counts, f"{found}\n# {name}: say in `favourable:` which labels count as selected.")


def _numbers(prompts: Sequence[str], answers: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return scorers of the numbers that answers give: on a scale, in fields of JSON, or alone."""
    if scale := _scale(prompts, answers):
        return {RATING: {"reads": "number", "range": list(scale)}}
    if objects := objects_in(answers):
        found = {}
        for name in dict.fromkeys(name for one in objects for name in one):
            values = [one.get(name) for one in objects]
            numbers = [float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
            (slug,) = slugs([name])
            limits = _limits(numbers)
            if limits and _n_read(NumberReader(*limits, [name], slug), answers) >= ENOUGH * len(answers):
                found[slug] = {"reads": "number", "range": list(limits), "beside": [name]}
        return dict(list(found.items())[:MOST_FIELDS])
    # Reading long texts for numbers takes a minute: a few of them say whether it is worth it.
    if _number_alone(answers[:: 1 + len(answers) // TRIED], ENOUGH - 0.05):
        return _number_alone(answers, ENOUGH)
    return {}


def _number_alone(answers: Sequence[str], enough: float) -> dict[str, dict[str, Any]]:
    """Return a scorer of the number that so large a share of answers is, or of its money; or none."""
    money = _money(answers)
    for beside in ([], money) if money else ([],):
        # 85.000 may be 85 thousand: where that reads more, it is. Where percents are read, it is of 100.
        scales = ((1_000, HIGHEST), (0, HIGHEST), (0, 100))
        readers = (NumberReader(low, high, beside) for low, high in scales)
        read = [[n for answer in answers if (n := reader(answer)) is not None] for reader in readers]
        most = max(range(len(scales)), key=lambda i: len(read[i]))
        limits = _limits(read[most])
        if limits is None:
            continue
        low, high = scales[most] if scales[most] == (0, 100) else limits
        # A number in a sentence may count anything, so most answers are hardly more than it, or it is money.
        is_enough = _n_read(NumberReader(low, high, beside), answers) >= enough * len(answers)
        if is_enough and (beside or _n_read(NumberReader(low, high, ["\0"]), answers) >= MANY * len(answers)):
            signs = {"beside": beside} if beside else {}
            return {"number": {"reads": "number", "range": [low, high]} | signs}
    return {}


def _money(answers: Sequence[str]) -> list[str]:
    """Return the signs of money that stand beside numbers in many answers; [] for too few."""
    found = [{sign for match in MONEY.findall(answer.casefold()) for sign in match} for answer in answers]
    n = Counter(sign for signs in found for sign in signs - {""})
    has_some = sum(bool(signs) for signs in found) >= MANY * len(answers)
    return [sign for sign, times in n.most_common() if times >= DIFFERENT] if has_some else []


def _n_read(reader: NumberReader, answers: Sequence[str]) -> int:
    return sum(reader(answer) is not None for answer in answers)


def _limits(numbers: Sequence[float]) -> tuple[int, int] | None:
    """Return powers of ten around numbers, 0 for what is below 1; None for one number, or for none."""
    if len(set(numbers)) < DIFFERENT or min(numbers) < 0 or max(numbers) > HIGHEST:
        return None
    low, high = min(numbers), max(numbers)
    return (10 ** math.floor(math.log10(low)) if low >= 1 else 0), (
        10 ** math.ceil(math.log10(high)) if high > 1 else 1
    )


def _scale(prompts: Sequence[str], answers: Sequence[str]) -> tuple[int, int] | None:
    """Return the scale that prompts ask for a number on, where answers give one."""
    named_in = [{(int(low), int(high)) for low, high in SCALE.findall(prompt)} for prompt in prompts]
    for (low, high), n in Counter(scale for scales in named_in for scale in scales).most_common(MOST_SCALES):
        if n < ENOUGH * len(prompts) or low >= high:
            continue
        if _n_read(NumberReader(low, high), answers) >= MANY * len(answers):
            return low, high
    return None


def _ends_of_items(answers: Sequence[str]) -> list[str] | None:
    """Return where items of lists end, None where few answers are lists or few items stand in several."""
    lists = [found for answer in answers if len(found := ITEM.findall(answer)) >= ITEMS]
    if not answers or len(lists) < ENOUGH * len(answers):
        return None
    for ends in ([], ENDS_OF_ITEMS):
        until = re.compile("|".join(map(re.escape, ends)) or "$")
        n = Counter(item for one in lists for item in {_item(until.split(entry)[0]) for entry in one})
        if sum(times for times in n.values() if times > 1) >= MANY * sum(n.values()):
            return ends
    return None


def _item(entry: str) -> str:
    return composed(entry).strip(" \"'*_“”").casefold()


def _recommendations(listed: Mapping[str, list[str]], n_categories: int) -> dict[str, Any] | None:
    if not listed:
        return None
    until = next(filter(None, listed.values()), [])
    some = {"categories": list(listed)} if len(listed) < n_categories else {}
    return some | {"numbered": True} | ({"until": until} if until else {})
