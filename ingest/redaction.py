"""What is never stored: keys that servers send back, in any spelling, and what looks like one in a record."""

import base64
import csv
import os
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

from ingest.paths import PROJECT

PATTERNS_PATH = PROJECT / "seeds" / "secret_patterns.csv"
REDACTED = "[redacted]"
MARK = "[key]"
KEY_NAME = re.compile("key|token|secret|passw|credential|auth", re.IGNORECASE)
# Each run of them is read once: to look for its end from each of its places would take quadratic time.
BACKSLASHES = r"(?<!\\)\\++"
URL_SAFE = str.maketrans("+/", "-_")
SHORTEST = 8  # a shorter key is a placeholder, or a word: it is looked for as it stands alone


def without_key(value: Any, secret: str | None) -> Any:
    """Return a text, or whatever JSON holds, with `[key]` in place of a key.

    A key is found as it stands, percent-encoded, in escapes of JSON or HTML, in hexadecimal digits, in
    base64, and each of these backwards; at the end of a text also where half of it or more is left.

    >>> without_key({"error": ["no such key: sk%2dvery-secret"]}, "sk-very-secret")
    {'error': ['no such key: [key]']}
    """
    if secret is None or value is None:
        return value
    if isinstance(value, str):
        if len(secret) < SHORTEST:
            return value.replace(secret, MARK)
        spelt = _spellings(secret)
        return _without_end(spelt.sub(MARK[::-1], spelt.sub(MARK, value)[::-1])[::-1], secret)
    if isinstance(value, dict):
        return {without_key(name, secret): without_key(one, secret) for name, one in value.items()}
    if isinstance(value, list):
        return [without_key(one, secret) for one in value]
    return value


def _without_end(text: str, secret: str) -> str:
    """Return a text without what it holds of a key in which it was cut off."""
    for beginning in _beginnings(secret):
        if text.endswith(beginning):
            return text[: -len(beginning)] + MARK
    return text


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


@cache
def _spellings(secret: str) -> re.Pattern[str]:
    characters = "".join(_character(character) for character in secret)
    encoded = secret.encode()
    digits = r"\s?".join(encoded.hex(" ").split())
    in_base64 = (
        "".join({"+": "[+-]", "/": "[/_]"}.get(digit, digit) for digit in whole)
        for whole in _in_base64(encoded)
    )
    return re.compile(f"(?i:{characters})|(?i:{digits})|{'|'.join(in_base64)}")


def _in_base64(encoded: bytes) -> Iterator[str]:
    """Yield a key's digits after each number of bytes, but those that hold bits of what stands beside it."""
    for n_before in range(3):
        text = base64.b64encode(bytes(n_before) + encoded).decode()
        yield text[-(-8 * n_before // 6) : 8 * (n_before + len(encoded)) // 6]


@cache
def _beginnings(secret: str) -> list[str]:
    """Return what a key may be cut to, the longest first: half of it at least, and no word."""
    encoded = secret.encode()
    in_base64 = list(_in_base64(encoded))
    spelt = [secret, encoded.hex(), *in_base64, *(text.translate(URL_SAFE) for text in in_base64)]
    found = {text[:n] for text in spelt for n in range(max(SHORTEST, len(text) // 2), len(text))}
    return sorted(found, key=len, reverse=True)


def _character(character: str) -> str:
    """Return a pattern of one character of a key: as it stands, or in an escape."""
    code = ord(character)
    return (
        f"(?:{re.escape(character)}|%(?:25)*{code:02x}|{BACKSLASHES}u00{code:02x}|{BACKSLASHES}x{code:02x}"
        f"|&(?:amp;)*#0*{code};?|&(?:amp;)*#x0*{code:x};?)"
    )
