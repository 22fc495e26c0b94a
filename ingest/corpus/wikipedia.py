"""Wikipedia through its Action API: one request to see the revision, one more only where it is new."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from ingest.backends.http import only, seconds_of
from ingest.corpus.documents import HELD, Context, Document
from ingest.corpus.fetch import MAX_TRIES, Fetcher, FetchError
from ingest.suite import Source

LICENCE = "CC BY-SA 4.0"
ALTERED = "text split into sentences and altered"
LINKS_A_REQUEST = 500
LAG_WAIT_S = 5.0


def api_url(source: Source, language: str) -> str:
    """Return the address of the API: the source's own, or that of its language's Wikipedia."""
    return source.api or f"https://{language.partition('-')[0]}.wikipedia.org/w/api.php"


def documents(source: Source, context: Context) -> Iterator[Document]:
    """Yield the pages of a source: those it names, then pages they link to, or that link to them."""
    fetcher = context.fetcher
    assert fetcher is not None
    api = api_url(source, context.language)
    asked: set[str] = set()
    for title in source.titles:
        related: list[str] = []
        if source.links or source.backlinks:
            try:
                related = _related(fetcher, api, title, source)
            except FetchError as error:
                context.note(f"{title}: related pages: {error}")
        for name in (title, *related):
            if name.casefold() not in asked:
                asked.add(name.casefold())
                yield _page(context, fetcher, api, name)


def _page(context: Context, fetcher: Fetcher, api: str, title: str) -> Document:
    if context.is_held(title.replace("_", " ")):
        return Document(origin=title, status=HELD)
    try:
        with _promised():
            return _document(context, fetcher, api, title)
    except FetchError as error:
        return Document(origin=title, status=error.status, detail=str(error))


@contextmanager
def _promised() -> Iterator[None]:
    """Turn an answer of another shape than the API documents into FetchError."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        kind = f"{type(error).__name__}: {error}"
        raise FetchError("failed", f"not what the API documents: {kind}"[:200]) from None


def _document(context: Context, fetcher: Fetcher, api: str, title: str) -> Document:
    info = _only_page(fetcher, api, title, prop="info|pageprops|revisions", rvprop="ids|timestamp")
    status, detail = _standing(info, title)
    if status != "ok":
        return Document(origin=title, status=status, detail=detail)
    name, revision = only(str, info["title"]), info["revisions"][0]
    number = str(int(revision["revid"]))
    place = urlsplit(api)
    address = f"{place.scheme}://{place.netloc}/wiki/{quote(name.replace(' ', '_'))}"
    if context.is_held(address, number):
        return Document(origin=address, status=HELD, title=name, revision=number)
    plain = {"explaintext": "1", "exsectionformat": "plain"}
    found = _only_page(fetcher, api, name, prop="extracts", **plain)
    text = only(str, found.get("extract")) or ""
    return Document(
        origin=address,
        status="ok" if text.strip() else "empty",
        title=name,
        text=text or None,
        revision=number,
        revised_at=_moment(revision.get("timestamp")),
        licence=LICENCE,
        attribution=f"“{name}”, Wikipedia, {address}?oldid={number}; {ALTERED}",
        detail=detail,
    )


def _standing(info: Mapping[str, Any], title: str) -> tuple[str, str]:
    """Return (status, detail) of a page: is there a text to read?"""
    if info.get("missing") or info.get("invalid"):
        return "missing", "no such page"
    if "disambiguation" in info.get("pageprops", {}):
        return "disambiguation", "the page lists several meanings; name one of them"
    asked = title.replace("_", " ")
    is_redirect = asked[:1].upper() + asked[1:] != info["title"]
    return "ok", f"redirected from {title}" if is_redirect else ""


def _related(fetcher: Fetcher, api: str, title: str, source: Source) -> list[str]:
    """Return titles of articles that a page links to, then that link to it, in the API's order."""
    found = page_links(fetcher, api, title, source.links) if source.links else []
    if source.backlinks:
        wanted = {"bltitle": title, "blnamespace": "0", "bllimit": str(source.backlinks)}
        with _promised():
            answer = _query(fetcher, api, {"list": "backlinks", **wanted})
            found += [str(link["title"]) for link in answer.get("backlinks", [])][: source.backlinks]
    return found


def page_links(fetcher: Fetcher, api: str, title: str, limit: int) -> list[str]:
    """Return titles that a page links to, at most `limit`. Raises FetchError."""
    with _promised():
        page = _only_page(fetcher, api, title, prop="links", plnamespace="0", pllimit=str(LINKS_A_REQUEST))
        return [str(link["title"]) for link in page.get("links", [])][:limit]


def _query(fetcher: Fetcher, api: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    fixed = {"action": "query", "format": "json", "formatversion": "2", "redirects": "1", "maxlag": "5"}
    for _ in range(MAX_TRIES):
        page = fetcher.get(api, {**fixed, **parameters})
        try:
            answer = json.loads(page.content)
        except (ValueError, RecursionError) as error:
            raise FetchError("failed", f"{api}: the answer is no JSON") from error
        if not isinstance(answer, dict):
            raise FetchError("failed", f"{api}: the answer is no JSON object")
        problem = answer.get("error")
        if problem is None:
            return answer.get("query") or {}
        if not isinstance(problem, dict) or problem.get("code") != "maxlag":
            raise FetchError("failed", f"{api}: {str(problem)[:120]}")
        # The servers' copies lag behind: they ask everyone who can to wait.
        fetcher.wait(seconds_of(page.headers.get("retry-after")) or LAG_WAIT_S)
    raise FetchError("failed", f"{api}: too busy (maxlag), {MAX_TRIES} times")


def _only_page(fetcher: Fetcher, api: str, title: str, **parameters: str) -> dict[str, Any]:
    pages = _query(fetcher, api, {"titles": title, **parameters}).get("pages") or []
    if not isinstance(pages, list) or not pages or not isinstance(pages[0], dict):
        raise FetchError("missing", "no such page")
    return pages[0]


def _moment(stamp: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(stamp).replace("Z", "+00:00")).replace(tzinfo=None)
    except ValueError:
        return None
