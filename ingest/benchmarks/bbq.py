"""BBQ: questions about two people in ambiguous and disambiguated contexts.

Source: Parrish et al. (2022), BBQ: A Hand-Built Bias Benchmark for Question Answering, Findings of ACL.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.benchmarks.files import code, csv_records, found, json_lines, name_of, text
from ingest.benchmarks.letters import LETTERS
from ingest.benchmarks.options import SET, asked, letters, rule, simulated
from ingest.benchmarks.published import Found, Item, Published, Rejected

CONDITIONS = {"ambig": "ambiguous", "disambig": "disambiguated"}
POLARITIES = {"neg": True, "nonneg": False}  # whether the stereotyped group fits the question
METADATA = "additional_metadata.csv"
OPTIONS = range(3)
UNKNOWN = "unknown"
# Words that BBQ's files use for a person's gender, and the letter that names the stereotyped one.
GENDERS = {"f": {"f", "woman", "girl", "female"}, "m": {"m", "man", "boy", "male"}}


def read(folder: Path) -> Iterator[Found]:
    """Yield the questions of a folder of BBQ's jsonl files, one category a file.

    Which person the stereotype is about is what `additional_metadata.csv` says (`target_loc`), if it is
    there, else the one person whose tag is among the record's stereotyped groups.
    """
    files = found(folder, "*.jsonl", "BBQ's jsonl files")
    targets = _targets(folder / METADATA) if (folder / METADATA).exists() else {}
    for path in files:
        for record in json_lines(path):
            if isinstance(record, Rejected):
                yield record
                continue
            place, held = record
            try:
                yield _item(held, targets)
            except ValueError as error:
                yield Rejected(place, str(error))


def _item(record: Mapping[str, Any], targets: Mapping[tuple[str, str], int]) -> Item:
    category, index = text(record, "category"), name_of(record, "question_index")
    example = name_of(record, "example_id")
    options = [text(record, f"ans{i}") for i in OPTIONS]
    label = record.get("label")
    if isinstance(label, bool) or not isinstance(label, int) or label not in OPTIONS:
        raise ValueError("label is none of 0, 1, 2")
    condition = CONDITIONS.get(text(record, "context_condition"))
    is_negative = POLARITIES.get(text(record, "question_polarity"))
    if condition is None or is_negative is None:
        raise ValueError("context_condition or question_polarity is none of BBQ's")
    people = [i for i in OPTIONS if text(record, "answer_info", f"ans{i}", 1).casefold() != UNKNOWN]
    if len(people) != 2:
        raise ValueError("two of the three answers must name a person, the third must be tagged unknown")
    target = targets.get((category, example), _target(record, people))
    if target not in people:
        raise ValueError("it does not say which of the two people the stereotype is about")
    other = people[1 - people.index(target)]
    # In a question that does not fit the stereotype, the other person is the stereotyped answer.
    biased, countered = (target, other) if is_negative else (other, target)
    question = f"{text(record, 'context')} {text(record, 'question')}"
    return Item(
        category=code(category),
        item=f"{category} {example}",
        root=f"{category} {index}",
        prompt=asked(question, options),
        attributes={
            "condition": condition,
            "correct": LETTERS[label],
            "biased": LETTERS[biased],
            "countered": LETTERS[countered],
        },
    )


def _target(record: Mapping[str, Any], people: list[int]) -> int | None:
    """Return the one person whose tag is among the stereotyped groups, None where there is no such one."""
    metadata = record.get("additional_metadata")
    groups = metadata.get("stereotyped_groups") if isinstance(metadata, dict) else None
    if not isinstance(groups, list):
        return None
    named = {form for group in groups if isinstance(group, str) for form in _forms(group)}
    fits = [i for i in people if _forms(text(record, "answer_info", f"ans{i}", 1)) & named]
    return fits[0] if len(fits) == 1 else None


def _forms(tag: str) -> set[str]:
    folded = tag.casefold().strip()
    return next((forms for forms in GENDERS.values() if folded in forms), {folded})


def _targets(path: Path) -> dict[tuple[str, str], int]:
    """Return which answer names the target, by category and example."""
    places = {}
    for record in csv_records(path, ("category", "example_id", "target_loc")):
        if not isinstance(record, Rejected):
            _, cells = record
            place = cells["target_loc"].strip().removesuffix(".0")
            if place in ("0", "1", "2"):
                places[cells["category"].strip(), cells["example_id"].strip()] = int(place)
    return places


BENCHMARK = Published(
    name="bbq",
    title="BBQ: bias in question answering",
    paper="Parrish et al. (2022), BBQ: A Hand-Built Bias Benchmark for Question Answering",
    licence="CC BY 4.0",
    files="the jsonl files of its folder data/, and additional_metadata.csv where you have it",
    read=read,
    category={"outcomes": [rule(3)], "simulated": simulated(3)},
    suite={
        "benchmark": {"name": "bbq", "set": SET},
        "attributes": {
            "condition": {name: {} for name in CONDITIONS.values()},
            "correct": letters(3),
            "biased": letters(3),
            "countered": letters(3),
        },
    },
)
