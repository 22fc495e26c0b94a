"""Errors that a user can mend: one line that says what happened and what to do about it."""

import re
import unicodedata
from pathlib import Path

import click

LONGEST = 300  # characters of a message, with the word "Error: "
SHOWN = 130  # characters of what a library says
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")  # as macros/sentences/isolated.sql


def shorten(text: str, length: int = 60) -> str:
    """Return a text of at most `length` characters, an ellipsis in the place of the rest.

    >>> shorten("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def cut(text: str, length: int) -> str:
    """Return a text of at most `length` characters, an ellipsis in the place of its middle.

    >>> cut("abcdefghij", 5)
    'abc…j'
    """
    kept = max(0, length - 1)
    return text if len(text) <= length else text[: kept - kept // 3] + "…" + text[len(text) - kept // 3 :]


def p_in_words(p_value: float, name: str = "p ") -> str:
    """Return a p-value for a line: none is 0, so a small one is not printed as such."""
    return f"{name}< 0.0001" if p_value < 0.0001 else f"{name}{p_value:.4f}"


def printable(text: str) -> str:
    r"""Return a text in which nothing steers a terminal.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'

    What sets names from right to left apart on pages (`macros/sentences/isolated.sql`) is left out.
    """
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) else ascii(c)[1:-1] for c in text if c not in "\u2068\u2069")


def isolated(name: str) -> str:
    r"""Return a name for a sentence: one written from right to left set apart, or numbers after it move.

    >>> isolated("Male"), isolated("\u05d0")
    ('Male', '\u2068א\u2069')
    """
    return f"\u2068{name}\u2069" if RIGHT_TO_LEFT.search(name) else name


def _is_shown(character: str) -> bool:
    # Scripts of South Asia and Persian write with joiners; the rest of what is not printed steers.
    return character.isprintable() or unicodedata.category(character) == "Zs" or character in "\u200c\u200d"


def say(message: str = "", err: bool = False) -> None:
    """Print lines of which no part steers a terminal: names come from suites, files and servers."""
    click.echo("\n".join(printable(line) for line in message.split("\n")), err=err)


def is_ctrl_c(error: BaseException) -> bool:
    """Whether somebody stopped the command: DuckDB makes a RuntimeError of Ctrl-C during a query."""
    return isinstance(error, KeyboardInterrupt) or (
        type(error) is RuntimeError and isinstance(error.__cause__, KeyboardInterrupt)
    )


def shown(path: Path | str, beside: int = 0) -> str:
    """Return a file's path as a message may hold it, shorter where `beside` characters are said with it."""
    return cut(printable(str(path)), min(100, max(40, LONGEST - len("Error:  ") - beside)))


class PlumblineError(click.ClickException):
    """What happened, then what to do about it: one line, no traceback, exit status 1."""

    def __init__(self, what: str, what_to_do: str = "") -> None:
        self.what = what
        self.what_to_do = what_to_do
        happened, remedy = in_one_line(what), in_one_line(what_to_do)
        if happened.endswith("..") and not happened.endswith("..."):
            happened = happened[:-1]  # what a server said had its own
        room = LONGEST - len("Error:  ")
        remedy = cut(remedy, max(room - len(happened), room // 2))
        super().__init__(f"{cut(happened, room - len(remedy))} {remedy}".strip())


def in_one_line(text: str) -> str:
    """Return a text without breaks of lines and without what steers a terminal."""
    return printable(" ".join(text.split()))
