"""Keys: every row is named by its content."""

import hashlib
import json
from typing import Any

# One encoder for all keys: json.dumps builds a new one for each call with these options.
_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def key(*parts: Any) -> str:
    """Return the key of a row made of `parts`: 32 hexadecimal digits.

    Parts are separated by their JSON quoting, so ("a1", "1") and ("a", "11") differ. The order of
    a mapping's keys does not matter; a NULL is not an empty string.

    >>> key("a1", "1") == key("a", "11")
    False
    >>> key({"seed": 1, "top_p": 0.9}) == key({"top_p": 0.9, "seed": 1})
    True
    """
    return hashlib.blake2b(_canonical(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_key(text: str) -> str:
    """Key of a text: equal texts share it, whoever wrote them."""
    return key("text", text)


def text_row(text: str) -> dict[str, str | int]:
    """Return a text's row of the raw table `texts`."""
    return {"text_key": text_key(text), "text": text, "n_characters": len(text)}


def request_key(config_key: str, prompt_key: str, repeat_index: int) -> str:
    """Key of one request: what can change the answer, and nothing else.

    Time-outs, retries and concurrency are left out, so changing them uses the answers already paid for.
    """
    return key("request", config_key, prompt_key, repeat_index)
