"""A text as it was found, what a source of texts may use, and the raw table `documents`."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ingest.corpus.fetch import Fetcher
from ingest.keys import key
from ingest.store import Store, utc_now
from ingest.store.journal import storable
from ingest.suite import Source, Suite

HELD = "held"  # the status of a page that was not fetched, because it is here already
# What a held document is called beside its origin. A file's title is its name: a page may have the same.
CALLED = "case when source_kind = 'local' then origin else title end"


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
    revision is here. `note` says of a concept that not all could be looked at, `tell` what else to know.
    """

    folder: Path
    fetcher: Fetcher | None
    is_held: Callable[..., bool]
    language: str
    note: Callable[[str], None]
    tell: Callable[[str], None] = lambda _: None


# What reads one kind of source.
Documents = Callable[[Source, Context], Iterator[Document]]


def keep_document(
    store: Store, suite: Suite, code: str, source: Source, document: Document, run_id: str
) -> None:
    """Store a document, in the place of what its origin gave before (which stays, as superseded).

    A config writes one article for each instruction, by which its title tells them apart.
    """
    document = replace(document, **{name: storable(value) for name, value in vars(document).items()})
    text = document.text
    place = [suite.suite, code, source.concept, document.origin]
    document_key = key("document", *place, document.revision)
    if source.kind == "synthetic" and store.value(
        "select count(*) > 0 from documents where document_key = ? and title <> ?",
        [document_key, document.title],
    ):
        # Another instruction was given the very same text, and stands under its key.
        document_key = key("document", *place, document.revision, document.title)
    own = ("origin", "title", "revision", "revised_at", "licence", "attribution", "text")
    row = {
        "document_key": document_key,
        "suite": suite.suite,
        "domain": suite.categories[code].domain,
        "category": code,
        "concept": source.concept,
        "keyword": source.keyword,
        "source_tag": source.source_tag,
        "source_kind": source.kind,
        **{name: getattr(document, name) for name in own},
        "retrieved_at": utc_now(),
        "text_sha256": hashlib.sha256(text.encode()).hexdigest() if text is not None else None,
        "document_status": document.status,
        "detail": document.detail[:500],
        "run_id": run_id,
    }
    same = "suite = ? and category = ? and concept = ? and origin = ?"
    named = list(place)
    if source.kind == "synthetic":
        same, named = f"{same} and title = ?", [*place, document.title]
    with store.transaction():
        store.connection.execute(f"delete from documents where {same} and document_status <> 'ok'", named)
        if document.status == "ok":
            store.connection.execute(
                f"update documents set document_status = 'superseded' where {same}", named
            )
        store.connection.execute("delete from documents where document_key = ?", [document_key])
        store.append("documents", [row])


def say_anew(store: Store, suite: Suite, code: str, source: Source, document: Document) -> None:
    """Have a held document say what its source says of it now: its keyword and its tag."""
    store.connection.execute(
        f"""
        update documents
        set domain = $domain, keyword = $keyword, source_tag = $source_tag
        where
            suite = $suite and category = $category and concept = $concept and document_status = 'ok'
            and lower($name) in (lower(origin), lower({CALLED}))
            and ($title = '' or title = $title)
            and (
                domain <> $domain
                or keyword is distinct from $keyword
                or source_tag <> $source_tag
            )
        """,
        {
            "suite": suite.suite,
            "category": code,
            "concept": source.concept,
            "name": document.origin,
            "title": document.title if source.kind == "synthetic" else "",
            "domain": suite.categories[code].domain,
            "keyword": source.keyword,
            "source_tag": source.source_tag,
        },
    )


def supersede_articles(store: Store, place: Sequence[str], titles: Sequence[str]) -> None:
    """Supersede what a config wrote to other instructions than these; `place` is suite to origin."""
    store.connection.execute(
        """
        update documents
        set document_status = 'superseded'
        where
            suite = ? and category = ? and concept = ? and origin = ?
            and source_kind = 'synthetic' and document_status = 'ok' and not list_contains(?, title)
        """,
        [*place, titles],
    )
