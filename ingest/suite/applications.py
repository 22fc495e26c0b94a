"""What a config of the backend `http` says of a request and of its reply."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from ingest.redaction import KEY_NAME
from ingest.suite.fields import FIELD, Label, Strict

# A small part of JSONPath (RFC 9535): names and positions, each of which leads to one value.
STEP = re.compile(r"""\.([A-Za-z_][\w-]*)|\[(-?\d{1,6})\]|\[(?:"([^"\\]+)"|'([^'\\]+)')\]""", re.ASCII)
JSON_PATH_PATTERN = rf"^\$({STEP.pattern}){{0,20}}$"
VARIABLE_PATTERN = r"^[A-Z][A-Z0-9_]{0,99}$"
HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,100}")
FORBIDDEN = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "content-type"}
MESSAGES = "messages"

JsonPath = Annotated[str, Field(pattern=JSON_PATH_PATTERN, max_length=1_000)]
Variable = Annotated[str, Field(pattern=VARIABLE_PATTERN)]


def found_at(content: Any, path: str) -> Any:
    """Return what stands at a path of parsed JSON. Raises LookupError where nothing does.

    >>> found_at({"choices": [{"text": "Yes."}]}, "$.choices[0].text")
    'Yes.'
    """
    for match in STEP.finditer(path, 1):
        name, position, *quoted = match.groups()
        step: str | int = int(position) if position else next(part for part in (name, *quoted) if part)
        if not isinstance(content, list if position else dict):
            raise LookupError(path)
        content = content[step]
    return content


class Header(Strict):
    """A header whose value the environment holds."""

    env: Variable = Field(description="The environment variable with the value.")


class Reply(Strict):
    """Where a reply says more than its answer."""

    status: JsonPath | None = Field(default=None, description="Where it says what became of the question.")
    statuses: dict[Label, Label] = Field(
        default={}, description="Its words for that, each with ours (SPEC GEN-3), such as `blocked: refused`."
    )
    trace: JsonPath | None = Field(default=None, description="Where it says how it came to its answer.")
    prompt_tokens: JsonPath | None = Field(default=None, description="Where it says how many it read.")
    output_tokens: JsonPath | None = Field(default=None, description="Where it says how many it wrote.")


def check_headers(headers: Mapping[str, str | Header]) -> None:
    """Raise ValueError where a header is none, is not the suite's to say, or holds a secret in the file."""
    for name, value in headers.items():
        if not HEADER_NAME.fullmatch(name) or name.lower() in FORBIDDEN:
            raise ValueError(f"{name!r:.60} is no header of an application's own")
        if isinstance(value, str) and KEY_NAME.search(name):
            raise ValueError(f"the value of {name} stands in no file: write `{name}: {{env: VARIABLE}}`")
        if isinstance(value, str) and not (value.isascii() and value.isprintable()):
            raise ValueError(f"the value of {name} has characters that a header cannot hold")


def places_of(body: Any) -> set[str]:
    """Return the places of a body: names in braces in a text of it, `messages` only as a text of its own."""
    if isinstance(body, str):
        return {match[1] for match in FIELD.finditer(body) if match[1] != MESSAGES or body == match[0]}
    parts = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    return set[str]().union(*(places_of(part) for part in parts))


def check_body(body: Mapping[str, Any]) -> None:
    """Raise ValueError where a body is no JSON, or has no place for the prompt."""
    try:
        json.dumps(body, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the body is no JSON: {error}; quote what is text") from None
    if not places_of(body) & {"prompt", MESSAGES}:
        raise ValueError("the body needs a place for the prompt: {prompt} in a text, or {messages}")
