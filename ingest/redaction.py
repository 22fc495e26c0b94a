"""What is never stored: keys that servers send back, in any spelling, and what looks like one in a record."""

import base64
import csv
import os
import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from ingest.paths import PROJECT

PATTERNS_PATH = PROJECT / "seeds" / "secret_patterns.csv"
REDACTED = "[redacted]"
MARK = "[key]"
KEY_NAME = re.compile("key|token|secret|passw|credential|auth", re.IGNORECASE)
# Each run of them is read once: to look for its end from each of its places would take quadratic time.
BACKSLASHES = r"(?<!\\)\\++"
SHORTEST = 8  # a shorter key is a placeholder or a word of answers: nobody can tell which, so it is left
PART = 16  # so many characters of a key's beginning are a key that was cut off


def without_key(value: Any, secret: str | Sequence[str] | None) -> Any:
    """Return a text, or whatever JSON holds, with `[key]` in place of a key, or of each of several.

    A key is found as it stands, percent-encoded, in escapes of JSON, Markdown or HTML, in hexadecimal digits,
    in base64, and each of these backwards; so is one that was cut off after 16 characters or later.

    >>> without_key({"error": ["no such key: sk%2dvery-secret"]}, "sk-very-secret")
    {'error': ['no such key: [key]']}
    """
    if secret is None or value is None:
        return value
    if not isinstance(secret, str):
        for one in secret:
            value = without_key(value, one)
        return value
    if isinstance(value, str):
        if len(secret) < SHORTEST:
            return value
        return _marked(_marked(value, secret)[::-1], secret)[::-1].replace(MARK[::-1], MARK)
    if isinstance(value, dict):
        return {without_key(name, secret): without_key(one, secret) for name, one in value.items()}
    if isinstance(value, list):
        return [without_key(one, secret) for one in value]
    return value


def without_secrets(value: Any) -> Any:
    """Return a text, or whatever JSON holds, with `[redacted]` in place of what looks like a secret.

    For what is recorded of errors, rejects and runs: the test `assert_no_secrets` holds the same patterns
    against them, and what an audited model says must not stop the build.

    >>> without_secrets("I may not tell the password: hunter22.")
    'I may not tell the [redacted]'
    """
    if isinstance(value, str):
        patterns = _patterns()
        # What is left beside a mark can look like another.
        while (text := patterns.sub(REDACTED, value)) != value:
            value = text
        return value
    if isinstance(value, dict):
        return {without_secrets(name): without_secrets(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(one) for one in value]
    return value


def environment_without_keys(hidden: Collection[str] = ()) -> dict[str, str]:
    """Return the environment without the variables `hidden` and what looks like a key, by name or value."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in hidden and not KEY_NAME.search(name) and without_secrets(value) == value
    }


@cache
def _patterns() -> re.Pattern[str]:
    with PATTERNS_PATH.open(encoding="utf-8", newline="") as file:
        patterns = [row["pattern"] for row in csv.DictReader(file, strict=True)]
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def _marked(text: str, secret: str) -> str:
    """Return a text with a mark in place of a key, or of a beginning of one, in any of its spellings."""
    for head, rest in _spellings(secret):
        pieces, at = [], 0
        while found := head.search(text, at):
            end = found.end()
            for sign in rest:
                if (more := sign.match(text, end)) is None:
                    break
                end = more.end()
            pieces += [text[at : found.start()], MARK]
            at = end
        text = "".join([*pieces, text[at:]])
    return text


@cache
def _spellings(secret: str) -> list[tuple[re.Pattern[str], list[re.Pattern[str]]]]:
    """Return each spelling of a key: what its first signs are, all of a short key, and each of the others."""
    encoded = secret.encode()
    spelt = [
        ([_character(character) for character in secret], PART),
        ([f"{byte:02x}" if i == 0 else rf"\s?{byte:02x}" for i, byte in enumerate(encoded)], PART),
    ]
    for n_before in range(3):
        text = base64.b64encode(bytes(n_before) + encoded).decode()
        # The first and last digits also hold bits of what stands beside the key.
        whole = text[-(-8 * n_before // 6) : 8 * (n_before + len(encoded)) // 6]
        spelt.append(([{"+": "[+-]", "/": "[/_]"}.get(digit, digit) for digit in whole], PART * 8 // 6))
    return [
        (
            re.compile("".join(signs[:n]), flags),
            [re.compile(sign, flags) for sign in signs[n:]],
        )
        for (signs, n), flags in zip(spelt, [re.IGNORECASE, re.IGNORECASE, 0, 0, 0], strict=True)
    ]


def _character(character: str) -> str:
    """Return a pattern of one character of a key: as it stands, or in an escape."""
    code = ord(character)
    # A backslash before a sign: `\/` of JSON, `\_` of Markdown.
    before = "" if character.isalnum() or character == "\\" else f"(?:{BACKSLASHES})?"
    return (
        f"(?:{before}{re.escape(character)}|%(?:25)*{code:02x}"
        f"|{BACKSLASHES}u00{code:02x}|{BACKSLASHES}x{code:02x}"
        f"|&(?:amp;)*#0*{code};?|&(?:amp;)*#x0*{code:x};?)"
    )
