"""Pages of the web, from hosts that the suite allows and that let robots read them."""

import hashlib
from collections.abc import Iterator

from ingest.corpus.documents import HELD, Context, Document
from ingest.corpus.fetch import FetchError
from ingest.corpus.page_text import html_text
from ingest.suite import Source

READ = ("text/html", "application/xhtml+xml", "text/plain")


def documents(source: Source, context: Context) -> Iterator[Document]:
    """Yield the pages that a source lists."""
    fetcher = context.fetcher
    assert fetcher is not None
    for url in source.urls:
        if context.is_held(url):
            yield Document(origin=url, status=HELD)
            continue
        try:
            fetcher.check(url)
            if not fetcher.allowed_by_robots(url):
                yield Document(origin=url, status="not_allowed", detail="its robots.txt forbids it")
                continue
            page = fetcher.get(url)
            if page.url != url and not fetcher.allowed_by_robots(page.url):
                detail = f"it leads to {page.url}, which robots.txt forbids"
                yield Document(origin=url, status="not_allowed", detail=detail)
                continue
            is_read = page.content_type in READ
            is_plain = page.content_type == "text/plain"
            text = None if not is_read else page.text if is_plain else html_text(page.text)
        except FetchError as error:
            yield Document(origin=url, status=error.status, detail=str(error))
            continue
        if not is_read:
            yield Document(
                origin=url, status="failed", detail=f"it is {page.content_type[:80] or 'of no type'}"
            )
            continue
        yield Document(
            origin=url,
            status="ok" if text and text.strip() else "empty",
            title=page.url,
            text=text or None,
            revision=hashlib.sha256(page.content).hexdigest()[:16],
            licence=source.licence,
            attribution=source.attribution or page.url,
        )
