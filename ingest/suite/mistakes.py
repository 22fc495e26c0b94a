"""What is wrong in a suite, in plain words: what is needed, what stands there, where a key belongs."""

import datetime
import difflib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ingest.errors import shorten
from ingest.suite.fields import FUNCTION_PATTERN, LANGUAGE_PATTERN, NAME_PATTERN, Misplaced
from ingest.suite.schema import Suite

FORMS = {
    NAME_PATTERN: "is no name: small letters a-z, digits and _, a letter first",
    FUNCTION_PATTERN: "names no function: write `module:function`",
    LANGUAGE_PATTERN: "is no code of a language: write one such as en, ms or zh-Hant",
}
# What Pydantic finds wrong, by its names for it.
OF_ANOTHER_KIND = {
    "string_type": "text is needed here",
    "int_type": "a whole number is needed here",
    "int_parsing": "a whole number is needed here",
    "float_type": "a number is needed here",
    "float_parsing": "a number is needed here",
    "bool_type": "`true` or `false` is needed here",
    "bool_parsing": "`true` or `false` is needed here",
    "list_type": "a list is needed here",
    "tuple_type": "a list of two numbers is needed here",
    "dict_type": "a mapping of keys to values is needed here",
    "model_type": "a mapping of keys to values is needed here",
    "union_tag_invalid": "a name or a mapping of keys to values is needed here",
}
PLAIN = {
    "string_too_short": "this is blank",
    "string_too_long": "at most {max_length} characters are allowed here",
    "int_from_float": "a whole number is needed here",
    "int_parsing_size": "this whole number is too large",
    "finite_number": "a finite number is needed here",
    "greater_than": "a number above {gt} is needed here",
    "greater_than_equal": "a number of at least {ge} is needed here",
    "less_than": "a number below {lt} is needed here",
    "less_than_equal": "a number of at most {le} is needed here",
    "too_short": "at least {min_length} of these are needed",
    "too_long": "at most {max_length} of these are allowed",
    "literal_error": "one of {expected} is needed here",
    "string_pattern_mismatch": "this does not have the form {pattern}",
}
# What stands there instead. `bool` stands before `int`, of which it is one.
KINDS: dict[type | tuple[type, ...], str] = {
    type(None): "nothing is there",
    bool: "this is a truth value, as YAML reads yes, no, on and off",
    (int, float): "this is a number",
    (datetime.date, datetime.datetime): "this is a date",
    list: "this is a list",
    dict: "this is a mapping",
    str: "this is text",
}
QUOTED = (bool, int, float, datetime.date)  # text, once quotes stand around it
ANY = "NAME"  # the part of a place that the suite names itself
MOST_PLACES = 2
NEAR, NEAR_HERE = 0.8, 0.75  # how alike a key is that was meant: more so where it would be elsewhere

Place = tuple[str, ...]


def first_mistake(error: ValueError) -> tuple[tuple[str | int, ...], str]:
    """Return where the first mistake stands, and what is wrong there, as a sentence."""
    if not isinstance(error, ValidationError):
        return error.place if isinstance(error, Misplaced) else (), f"{error}."
    # Of a union's errors, the one that got furthest into the value says what is wrong with it.
    mistakes = error.errors()
    place = mistakes[0]["loc"][:2]
    here = (e for e in mistakes if e["loc"][:2] == place)
    first = max(here, key=lambda e: (len(e["loc"]), e["type"] == "value_error"))
    said = [first]
    if first["type"] == "missing":  # what a place lacks is said at once
        said = [e for e in mistakes if e["type"] == "missing" and e["loc"][:-1] == first["loc"][:-1]]
        lacked = [str(e["loc"][-1]) for e in said]
        beside = (
            e for e in mistakes if e["type"] == "extra_forbidden" and e["loc"][:-1] == first["loc"][:-1]
        )
        if mistyped := next((e for e in beside if _nearest(str(e["loc"][-1]), lacked, NEAR_HERE)), None):
            first, said = mistyped, [mistyped]
    others = {e["loc"][:2] for e in mistakes} - {e["loc"][:2] for e in said}
    more = f" ({len(others)} more below)" if others else ""
    problem = _in_plain_words(first, [str(e["loc"][-1]) for e in said])
    return first["loc"], f"{problem}{'' if problem.endswith('?') else '.'}{more}"


def _in_plain_words(mistake: ErrorDetails, keys: Sequence[str]) -> str:
    kind = mistake["type"]
    limits = mistake.get("ctx", {}).items()
    given = {name: int(x) if isinstance(x, float) and x.is_integer() else x for name, x in limits}
    if kind == "missing":
        needed = ", ".join(f"`{key}`" for key in keys)
        return f"the key {needed} is needed" if len(keys) == 1 else f"the keys {needed} are needed"
    if kind == "extra_forbidden":
        return _unknown_key(mistake["loc"])
    if kind == "string_pattern_mismatch" and given.get("pattern") in FORMS:
        return f"{mistake['input']!r:.60} {FORMS[str(given['pattern'])]}"
    if kind in OF_ANOTHER_KIND:
        return f"{OF_ANOTHER_KIND[kind]}, and {_what_stands_there(kind, mistake['input'])}"
    if kind in PLAIN:
        return PLAIN[kind].format(**given)
    return mistake["msg"].removeprefix("Value error, ")


def _what_stands_there(kind: str, value: Any) -> str:
    what = next((said for types, said in KINDS.items() if isinstance(value, types)), "this is something else")
    if kind == "string_type" and isinstance(value, QUOTED):
        return f"{what}: quote it"
    if kind == "list_type" and isinstance(value, str) and re.fullmatch(r"\w[\w -]{0,40}", value):
        return f"{what}: write [{value}]"
    return what


def _unknown_key(location: Sequence[str | int]) -> str:
    """Say of a key that cannot stand where it does which one was meant, or where it belongs."""
    here, key = tuple(str(part) for part in location[:-1] if isinstance(part, str)), str(location[-1])
    places = _places()
    own = [known for known, found in places.items() if any(_is(here, place) for place in found)]
    near = _nearest(key, own, NEAR_HERE)
    said = [f"do you mean `{near}`?"] if near else []
    known = key if near else _nearest(key, list(places), NEAR)
    if known in places:
        listed = sorted(places[known], key=lambda place: (-_n_shared(here, place), len(place), place))
        where = [f"in `{'.'.join(place)}`" if place else "at the top of the file" for place in listed]
        name = f"`{known}`" if near else "it" if known == key else f"do you mean `{known}`? It"
        said.append(f"{name} belongs {', or '.join(where[:MOST_PLACES])}")
    if not near and here[:1] == ("configs",) and "options" in own:
        option = f"an option of the request is written `options: {{{shorten(key, 40)}: …}}`"
        said.append(f"or {option}" if said else option)
    return "; ".join(["there is no such key here", *said]).replace("?;", "?")


def _nearest(key: str, known: Sequence[str], cutoff: float) -> str | None:
    return next(iter(difflib.get_close_matches(key.casefold(), known, n=1, cutoff=cutoff)), None)


def _is(here: Place, place: Place) -> bool:
    return len(here) == len(place) and all(
        a in (b, ANY) or b == ANY for a, b in zip(here, place, strict=True)
    )


def _n_shared(here: Place, place: Place) -> int:
    """Return how many first parts two places have in common."""
    return next(
        (n for n, (a, b) in enumerate(zip(here, place, strict=False)) if b not in (a, ANY)),
        min(len(here), len(place)),
    )


@cache
def _places() -> dict[str, tuple[Place, ...]]:
    """Return every key that a suite can have, and the places where it can stand."""
    schema = Suite.model_json_schema()
    found: dict[str, dict[Place, None]] = {}
    for place, key in _keys_of(schema, schema["$defs"], ()):
        found.setdefault(key, {})[place] = None
    return {key: tuple(places) for key, places in found.items()}


def _keys_of(part: dict[str, Any], parts: dict[str, Any], place: Place) -> Iterator[tuple[Place, str]]:
    if "$ref" in part:
        part = parts[part["$ref"].rpartition("/")[2]]
    for key, value in part.get("properties", {}).items():
        yield place, key
        yield from _keys_of(value, parts, (*place, key))
    for name in ("anyOf", "oneOf"):
        for form in part.get(name, []):
            yield from _keys_of(form, parts, place)
    for named in (part.get("additionalProperties"), *part.get("patternProperties", {}).values()):
        if isinstance(named, dict):
            yield from _keys_of(named, parts, (*place, ANY))
    if isinstance(part.get("items"), dict):
        yield from _keys_of(part["items"], parts, place)
