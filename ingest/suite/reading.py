"""From a YAML file to a checked suite: each mistake is named with its line."""

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ingest.errors import PlumblineError, shorten, shown
from ingest.paths import regular_bytes
from ingest.suite.checks import CHECKS
from ingest.suite.fields import LANGUAGE_ATTRIBUTE, Misplaced, all_intersections
from ingest.suite.mistakes import first_mistake
from ingest.suite.schema import Suite

MAX_BYTES = 2_000_000
MAX_DEPTH = 40


class _Loader(yaml.CSafeLoader):
    """SafeLoader in C, ten times as fast, without duplicate keys."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key_node, _ in node.value:
            if key_node.value.__hash__ is None or (key_node.tag, str(key_node.value)) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {str(key_node.value)[:60]!r} stands here twice", key_node.start_mark
                )
            seen.add((key_node.tag, str(key_node.value)))
        return super().construct_mapping(node, deep)


def _refuse_binary(loader: _Loader, node: yaml.Node) -> None:
    raise yaml.constructor.ConstructorError(
        None, None, "binary values are not allowed in a suite", node.start_mark
    )


_Loader.add_constructor("tag:yaml.org,2002:binary", _refuse_binary)


def _check_shape(text: str) -> None:
    """Refuse aliases, which a bomb needs, and what is nested too deeply, before anything is made of them."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            problem = "aliases (*name) are not allowed in a suite"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)  # type: ignore[arg-type]
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if isinstance(event, yaml.NodeEvent) and depth >= MAX_DEPTH:
            problem = f"nested deeper than {MAX_DEPTH} levels"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)  # type: ignore[arg-type]
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1


def load_suite(path: Path, variant: str | None = None) -> Suite:
    """Read and check a suite file.

    `variant` overrides the file's own choice among named outcome rules.
    Raises PlumblineError with file, line and what would be right.
    """
    return _suite_of(path, _read(path), variant)


@lru_cache(maxsize=4)  # the stages of an audit read one file each
def _suite_of(path: Path, text: str, variant: str | None) -> Suite:
    try:
        _check_shape(text)
        loader = _Loader(text)
        node = loader.get_single_node()
        content = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise PlumblineError(
            f"{where}: {problem}.", "Mend the YAML there, then run the command again."
        ) from error
    except (ValueError, OverflowError) as error:
        raise PlumblineError(
            f"{shown(path)}: a value cannot be read: {shorten(str(error), 80)}.", "Quote it if it is text."
        ) from error
    if not isinstance(content, dict):
        raise PlumblineError(
            f"{path}: a suite is a mapping with keys such as `suite:`, `attributes:`, `categories:`.",
            "suites/fair_sea.yml is an example.",
        )
    if variant is not None:
        content["variant"] = variant
    try:
        _check_numbers(content)
        _add_language(content)
        _add_judged_labels(content)
        if content.get("axes") == "all" and isinstance(content.get("attributes"), dict):
            content["axes"] = all_intersections([str(a) for a in content["attributes"]])
        suite = Suite.model_validate(content)
        for check in CHECKS:
            check(suite)
    except ValueError as error:
        location, problem = first_mistake(error)
        line, found = _line_of(node, location)
        where = ".".join(shorten(part, 40) for part in found) or "the suite"
        mistake = f", line {line}: {where}: {problem}"
        remedy = "Correct that line, then run the command again."
        raise PlumblineError(shown(path, len(mistake + remedy)) + mistake, remedy) from error
    return suite


def _add_language(content: dict[str, Any]) -> None:
    """Make the language an attribute of a suite that asks in several; `Suite` says what else is wrong."""
    languages, attributes = content.get("languages"), content.get("attributes")
    if not (isinstance(languages, dict) and languages and isinstance(attributes, dict)):
        return
    if LANGUAGE_ATTRIBUTE in attributes:
        problem = "this is an attribute already where a suite has `languages`"
        raise Misplaced(problem, "attributes", LANGUAGE_ATTRIBUTE)
    asked = [content.get("language", "en"), *languages]
    content["attributes"] = {**attributes, LANGUAGE_ATTRIBUTE: {str(code): {} for code in asked}}


def _add_judged_labels(content: dict[str, Any]) -> None:
    """Give rules that read a judge's votes the judge's labels; `Suite` says what else is wrong."""
    scorers, categories = content.get("scorers"), content.get("categories")
    judges = {
        str(one.get("name")): one.get("labels")
        for one in (scorers if isinstance(scorers, list) else [])
        if isinstance(one, dict)
    }
    for code, category in categories.items() if isinstance(categories, dict) else []:
        rules = category.get("outcomes") if isinstance(category, dict) else None
        for i, rule in enumerate(rules if isinstance(rules, list) else []):
            if not isinstance(rule, dict) or rule.get("kind") != "judged":
                continue
            place, labels = ("categories", code, "outcomes", i), judges.get(str(rule.get("scorer")))
            if not isinstance(labels, list):
                given = ", ".join(name for name, found in judges.items() if found) or "none"
                problem = f"a judged rule names as `scorer` a judge that gives `labels`; known: {given}"
                raise Misplaced(problem, *place, "scorer")
            if "labels" in rule:
                raise Misplaced("the judge says which labels there are: take them out", *place, "labels")
            rule["labels"] = {str(label): [] for label in labels}


def json_schema() -> str:
    """Return the JSON Schema of suite files, from which an editor offers keys and says what they are."""
    return json.dumps(Suite.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def _check_numbers(content: Any, place: tuple[str | int, ...] = ()) -> None:
    """Raise Misplaced at a whole number that no column holds."""
    if isinstance(content, int) and not -(2**63) <= content < 2**63:
        raise Misplaced("a whole number is at most 9,223,372,036,854,775,807", *place)
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(content, dict):
        parts = content.items()
    elif isinstance(content, list):
        parts = enumerate(content)
    for name, part in parts:
        _check_numbers(part, (*place, name))


def _example() -> str:
    """Return a suite to name: one that is there, as where audits are without a clone none of ours is."""
    there = sorted(file.as_posix() for file in Path("suites").glob("*.yml"))
    return f", such as {shown(there[0])}" if there else "; `plumbline init hiring.yml` writes one"


def _read(path: Path) -> str:
    content = regular_bytes(path, MAX_BYTES, f"Name a suite file{_example()}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlumblineError(f"{path} is not UTF-8 (byte {error.start:,}).", "Save it as UTF-8.") from error


def _line_of(node: Any, location: tuple[str | int, ...]) -> tuple[int, list[str]]:
    """Return the 1-based line of the deepest part of `location` that the file holds, and that part's path."""
    line: int = node.start_mark.line + 1
    path: list[str] = []
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if str(k.value) == str(part)]
            if not found:
                continue
            line, node = found[0][0].start_mark.line + 1, found[0][1]
            path.append(str(part))
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
            path.append(str(part))
    return line, path
