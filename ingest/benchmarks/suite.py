"""A benchmark's items as a suite: its YAML, and a file of prompts for each category."""

import csv
import io
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest.benchmarks.options import NONE
from ingest.benchmarks.published import Item, Published, Rejected
from ingest.errors import PlumblineError
from ingest.suite import normalise_label
from ingest.suite.written import written

FIRST = ("category", "item", "root", "prompt")
MOST_CATEGORIES = 200
SAME = "it asks the same as another record"  # said of a prompt: a record may give several


@dataclass
class Made:
    """The files of a suite by path, and what was read; `rejected` counts by reason, `examples` a place."""

    files: dict[str, str]
    n_prompts: int = 0
    n_categories: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)


def suite_of(benchmark: Published, folder: Path, name: str, suite_file: str, model: str | None) -> Made:
    """Return the files of a suite that asks a benchmark; without a model its answers are simulated.

    `suite_file` is the suite's path. Prompts lie in a folder beside it. Raises PlumblineError where no record
    can be used, or where the files cannot be read.
    """
    items: dict[str, dict[tuple[Any, ...], Item]] = {}
    made = Made({})
    for found in benchmark.read(folder):
        if isinstance(found, Rejected):
            _reject(made, found)
            continue
        rows = items.setdefault(found.category, {})
        key = (found.prompt, *sorted(found.attributes.items()))
        if key in rows:
            _reject(made, Rejected(found.item, SAME))
        rows.setdefault(key, found)
    if not items:
        reasons = ", ".join(made.rejected) or "the files are empty"
        raise PlumblineError(f"No record can be used: {reasons}.", f"Needed are {benchmark.files}.")
    if len(items) > MOST_CATEGORIES:
        raise PlumblineError(
            f"The files name {len(items):,} categories, and at most {MOST_CATEGORIES} are taken.",
            f"Needed are {benchmark.files}.",
        )
    path = Path(suite_file)
    prompts = {code: f"{path.stem}_prompts/{code}.csv" for code in sorted(items)}
    made.n_prompts = sum(len(rows) for rows in items.values())
    made.n_categories = len(items)
    attributes = _attributes(benchmark, items)
    made.files[suite_file] = _suite(benchmark, name, prompts, model, attributes)
    for code, file in prompts.items():
        made.files[str(path.parent / file)] = _table(
            list(items[code].values()), list(attributes), _is_named(benchmark)
        )
    return made


def _reject(made: Made, found: Rejected) -> None:
    made.rejected[found.reason] += 1
    made.examples.setdefault(found.reason, found.place)


def _attributes(benchmark: Published, items: dict[str, dict[tuple[Any, ...], Item]]) -> dict[str, Any]:
    """Return the attributes of a suite: the benchmark's own, else those of its items.

    With `none`, where some have no such attribute; one value alone is nothing to compare.
    """
    if benchmark.suite["attributes"]:
        declared: dict[str, Any] = benchmark.suite["attributes"]
        return declared
    values: dict[str, dict[str, str]] = {}
    n_with: Counter[str] = Counter()
    listed = [item for rows in items.values() for item in rows.values()]
    for item in listed:
        n_with.update(item.attributes.keys())
        for attribute, value in item.attributes.items():
            # Spellings that a suite takes for one are one.
            values.setdefault(attribute, {}).setdefault(normalise_label(value), value)
    declared = {}
    for attribute, found in sorted(values.items()):
        lacking = (NONE,) if n_with[attribute] < len(listed) or len(found) == 1 else ()
        declared[attribute] = {value: {} for value in (*found.values(), *lacking)}
    return declared


def _is_named(benchmark: Published) -> bool:
    return "names" in benchmark.suite


def _table(items: list[Item], attributes: list[str], has_names: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*FIRST, *(["name"] if has_names else []), *attributes])
    for item in items:
        values = [item.attributes.get(attribute, NONE) for attribute in attributes]
        names = [item.name or ""] if has_names else []
        writer.writerow([item.category, item.item, item.root, item.prompt, *names, *values])
    return out.getvalue()


def _suite(
    benchmark: Published,
    name: str,
    prompts: dict[str, str],
    model: str | None,
    attributes: dict[str, Any],
) -> str:
    named = {"name": "name"} if _is_named(benchmark) else {}
    by_column = {attribute: attribute for attribute in attributes}
    config: dict[str, Any] = {"backend": "simulated", "model": "guesses", "options": benchmark.options}
    if model is not None:
        # Asked again at temperature 0, a model says the same again.
        temperature = 1.0 if "repeats" in benchmark.config else 0
        config = {
            "backend": "ollama",
            "model": model,
            "options": {"temperature": temperature} | benchmark.options,
        }
    config |= benchmark.config
    content = {
        "suite": name,
        "title": benchmark.title,
        "description": f"{benchmark.paper}. Asked from files of one's own.",
        "version": 1,
        "licence": benchmark.licence,
        "axes": [],
        "scorers": [],
        **benchmark.suite,
        "attributes": attributes,
        **({"names": {"shows": list(attributes)}} if named else {}),
        "configs": [config],
        "columns": {
            "response": "answer",
            "prompt": "prompt",
            "model": "model",
            "category": "category",
            "root": "root",
            "source_id": "item",
            **named,
            "attributes": by_column,
        },
        "categories": {
            code: {
                "title": code.replace("_", " "),
                "block": "root",
                "prompt_file": {"file": file, "root": "root", **named, "attributes": by_column},
                **({} if benchmark.suite["attributes"] else {"axes": [code.lower()]}),
                **benchmark.category,
            }
            for code, file in prompts.items()
        },
    }
    head = (
        f"# {benchmark.title}. {benchmark.paper}.\n"
        "# docs/guide/known-benchmarks.md says what is asked, and how scores are computed. Answers that you\n"
        "# have are read, too: add the columns `model` and `answer` to the files of prompts, and load them.\n"
    )
    return head + written(content, width=110)
