"""Where texts come from. A kind of source is one module with `documents`, and one row of SOURCES."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingest.corpus.fetch import Fetcher
from ingest.suite import Source

HELD = "held"  # the status of a page that was not fetched, because it is here already


@dataclass(frozen=True)
class Document:
    """A text as it was found, or why it was not: `status` is `ok` or says what is in the way.

    `origin` is a URL or a name relative to the suite; `revision` changes when the text does.
    """

    origin: str
    status: str = "ok"
    title: str = ""
    text: str | None = None
    revision: str = ""
    revised_at: datetime | None = None
    licence: str = ""
    attribution: str = ""
    detail: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Context:
    """What a source may use: the suite's folder, the web, and which documents are held already.

    `is_held(name)` says whether a page need not be asked for, `is_held(origin, revision)` whether this very
    revision is here.
    """

    folder: Path
    fetcher: Fetcher | None
    is_held: Callable[..., bool]
    language: str
    note: Callable[[str], None]


Documents = Callable[[Source, Context], Iterator[Document]]


def sources() -> dict[str, Documents]:
    """Return what reads each kind of source."""
    from ingest.corpus import local, web, wikipedia

    return {
        "local": local.documents,
        "web": web.documents,
        "wikipedia": wikipedia.documents,
    }
