"""Answers that choose an option by its letter, the same for every benchmark that offers options."""

from collections.abc import Sequence
from typing import Any

from ingest.benchmarks.letters import LETTERS, patterns

SET = "answer"
NONE = "none"  # no option of a prompt is this: cells of answers that are loaded are never empty


def asked(text: str, options: Sequence[str], instruction: str = "Answer with one letter.") -> str:
    """Return a text with its options, a line each, and what to answer."""
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([text, *lines, instruction])


def rule(n_options: int) -> dict[str, Any]:
    """Return the outcome rule that reads the letter of an answer to so many options."""
    labels = {letter: patterns(letter) for letter in LETTERS[:n_options]}
    # A clean text has no lines: "A" with a reason below it would read like a sentence that begins with "A".
    return {"set": SET, "kind": "pattern", "regex": True, "text": "raw", "labels": labels}


def simulated(n_options: int) -> dict[str, Any]:
    """Return answers of a model that guesses."""
    letters = LETTERS[:n_options]
    return {
        "answers": {letter: [f"{letter}."] for letter in letters},
        "weights": dict.fromkeys(letters, 1),
    }


def letters(n_options: int) -> dict[str, dict[str, Any]]:
    """Return the letters as values of an attribute."""
    return {letter: {} for letter in LETTERS[:n_options]}
