"""What a published benchmark is, and what its reader gives."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


class Item(NamedTuple):
    """A prompt that a benchmark gives.

    `item` is the benchmark's own name of it, `root` what items share that are drawn together; `attributes`
    holds the options' letters by role, and groups; `name` is what shows a group in the prompt, as a person's
    name does.
    """

    category: str
    item: str
    root: str
    prompt: str
    attributes: dict[str, str]
    name: str | None = None


class Rejected(NamedTuple):
    """A record that gives no prompt: where it stands, and why."""

    place: str
    reason: str


Found = Item | Rejected


@dataclass(frozen=True)
class Published:
    """A benchmark as its authors publish it.

    `read(folder)` yields what its files hold. `paper`, `licence` and `files` say where it comes from.
    `category` holds the keys that every category of the suite has, `suite` those of the suite itself;
    without `attributes` each category has one of its name, with the files' values, which is compared, and
    with `names` the name in a prompt shows it. `config` holds the keys of a config, `options` those of a
    request.
    """

    name: str
    title: str
    paper: str
    licence: str
    files: str
    read: Callable[[Path], Iterator[Found]]
    category: dict[str, Any]
    suite: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
