"""The files of a sample: the sheet and the table, of the same answers in the same order."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ingest.errors import PlumblineError, shown
from ingest.labelling.drawing import Sample
from ingest.labelling.masking import Masking
from ingest.labelling.questions import Question
from ingest.labelling.sheet import sheet
from ingest.labelling.table import csv_text
from ingest.measuring.prompt_pairs import branch_words
from ingest.store.private import private
from ingest.suite import Suite

SHORT = 8  # digits of a sample's key in the name of a file


class Written(NamedTuple):
    """Where the files of a sample lie."""

    sheet: Path
    table: Path


def write_files(
    folder: Path,
    suite: Suite,
    suite_path: Path,
    drawn: Sample,
    asked: Mapping[tuple[str, str], Question],
) -> Written:
    """Write a sample's new answers, without the words of their groups, into a folder; return the files.

    Raises PlumblineError where the folder cannot be written to.
    """
    rules = {(code, rule.set): rule for code, rule in suite.rules()}
    people = [code for code, category in suite.categories.items() if suite.names and not category.corpus]
    masking = Masking(branch_words(suite, suite_path), people)
    asked = {of: question.without(masking.names_a_group) for of, question in asked.items()}
    items = [masking.of(item, rules[item.category, item.outcome_set]) for item in drawn.items]
    rows = []
    for item in items:
        question = asked[item.category, item.outcome_set]
        own = ("", "", "", "", "", item.category, item.outcome_set, item.response_key, drawn.sample_key)
        said = " ".join(part for part in (question.title, question.description) if part)
        rows.append((said, question.choices, item.prompt, item.answer, *own))
    name = f"{suite.suite}-{drawn.sample_key[:SHORT]}"
    written = Written(folder / f"{name}.html", folder / f"{name}.csv")
    _write(written.table, csv_text(rows))
    _write(written.sheet, sheet(suite.suite, suite.title, drawn.sample_key, name, asked, items))
    return written


def _write(path: Path, text: str) -> None:
    """Write a file as a whole, for this user alone: answers may hold what is nobody else's business."""
    partial = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with private():
            partial.write_text(text, encoding="utf-8", newline="")
        os.replace(partial, path)
    except OSError as error:
        raise PlumblineError(
            f"{shown(path)} cannot be written: {error.strerror}.", "Choose another --out."
        ) from error
