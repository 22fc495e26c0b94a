"""Replies of a wiki that are none: a document with a status, and a line that names it."""

import pytest
from servers.raw import http, raw

from ingest.corpus.documents import Context
from ingest.corpus.fetch import Fetcher
from ingest.corpus.wikipedia import documents
from ingest.suite import Source

DEEP = b"[" * 100_000 + b"]" * 100_000
REVISIONS = b'[{"revid": 1, "timestamp": "2026-01-02T03:04:05Z"}]'


@pytest.fixture
def read(monkeypatch):
    """Read one page of a wiki that gives parts, bytes of JSON, in place of what it should."""
    monkeypatch.setattr(Fetcher, "_pause", lambda *_: None)
    with raw() as server:

        def run(body=None, title=b'"Land"', revisions=REVISIONS, extract=b'"A land."', more=b"", links=0):
            page = b'{"title": %s, "revisions": %s, "extract": %s%s}' % (title, revisions, extract, more)
            server.speak = lambda _: [http(b'{"query": {"pages": [%s]}}' % page if body is None else body)]
            notes = []
            api = f"{server.url}/w/api.php"
            source = Source(kind="wikipedia", concept="Land", titles=["Land"], api=api, links=links)
            with Fetcher("tests", [server.host], spacing=0.0, timeout=5.0) as fetcher:
                context = Context(None, fetcher, lambda *_: False, "en", notes.append)
                return [*documents(source, context)], notes

        yield run


def test_the_page_of_these_tests_is_read(read):
    ((document,), notes) = read()
    assert (document.status, document.text, notes) == ("ok", "A land.", [])


@pytest.mark.parametrize(
    "parts",
    [
        {"body": DEEP},
        {"body": b'{"query": ' + DEEP},
        {"body": b'{"query": []}'},
        {"body": b'{"query": "x"}'},
        {"body": b'{"query": {"pages": {"1": {}}}}'},
        {"body": b'{"query": {"pages": [[]]}}'},
        {"body": b'{"error": %s}' % (b"[" * 900 + b"]" * 900)},
        {"body": b"\xff\xfe{}"},
        {"title": DEEP[:2]},
        {"title": b"null"},
        {"title": b'"\\ud800"'},
        {"revisions": b"[]"},
        {"revisions": b"3"},
        {"revisions": b'[{"revid": 1e999}]'},
        {"revisions": b'[{"revid": NaN}]'},
        {"revisions": b'[{"revid": %s}]' % (b"9" * 5_000)},
        {"revisions": b'["x"]'},
        {"extract": b"[]", "more": b', "pageprops": {}'},
        {"extract": b"3"},
        {"more": b', "pageprops": 3'},
        {"more": b', "pageprops": null'},
    ],
)
def test_an_answer_of_another_shape_is_a_failed_document(read, parts):
    ((document,), _) = read(**parts)
    assert document.status in ("failed", "missing") and document.text is None
    assert document.detail and len(document.detail) <= 300


@pytest.mark.parametrize("links", [b"3", b"[3]", b"[{}]", b'{"title": "x"}', DEEP])
def test_links_that_are_none_are_noted(read, links):
    (found, notes) = read(more=b', "links": ' + links, links=2)
    assert [document.origin for document in found][:1] and len(notes) == 1
    assert notes[0].startswith("Land: related pages:") and len(notes[0]) <= 300
