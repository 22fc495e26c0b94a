"""Stage scrape: texts about concepts, with origin and licence, and the sentences that name a keyword."""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import click

from ingest.errors import PlumblineError
from ingest.fetch import Fetcher, user_agent
from ingest.keys import key
from ingest.register import register_suite
from ingest.sentences import matching_sentences
from ingest.sources import HELD, Context, Document, sources
from ingest.sources.wikipedia import api_url
from ingest.store import Store, utc_now
from ingest.suite import Corpus, Source, Suite, load_suite

CONTACT_VARIABLE = "PLUMBLINE_CONTACT"
ON_THE_WEB = ("web", "wikipedia")


@dataclass
class Scraped:
    """What one category has after scraping."""

    category: str
    statuses: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    n_sentences: int = 0
    n_concepts: int = 0

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        n_documents = self.statuses["ok"] + self.statuses[HELD]
        yield (
            f"{self.category}: {n_documents:,} documents ({self.statuses['ok']:,} new), "
            f"{self.n_sentences:,} sentences about {self.n_concepts:,} concepts"
        )
        for problem in self.problems:
            yield f"{self.category}: {problem}"


def hosts(suite: Suite) -> set[str]:
    """Return the hosts that the suite lets us read: those it allows, and the Wikipedias it names."""
    allowed = set(suite.scrape.allow)
    for category in suite.categories.values():
        for source in category.corpus.sources if category.corpus else []:
            if source.kind == "wikipedia":
                allowed.add(urlsplit(api_url(source, suite.language)).netloc)
    return allowed


def scrape_documents(
    store: Store, suite: Suite, folder: Path, run_id: str, refresh: bool = False
) -> list[Scraped]:
    """Bring in documents that are not held yet, then find the sentences of all that are.

    A document is stored as soon as it is read, so a run that is stopped goes on where it was. With
    `refresh`, files and pages that are held are looked at again and kept where they are new.
    """
    corpora = {code: c.corpus for code, c in suite.categories.items() if c.corpus}
    if not corpora:
        raise PlumblineError(
            f"The suite {suite.suite} has no `corpus:` in any category.",
            "Name sources there, or write `prompts:`; then this stage is not needed.",
        )
    on_the_web = any(s.kind in ON_THE_WEB for corpus in corpora.values() for s in corpus.sources)
    results = {code: Scraped(code) for code in corpora}
    fetcher = None
    if on_the_web:
        contact = suite.scrape.contact or os.environ.get(CONTACT_VARIABLE)
        fetcher = Fetcher(user_agent(contact), hosts(suite), spacing=suite.scrape.spacing)
    try:
        for code, corpus in corpora.items():
            _scrape(store, suite, code, corpus, folder, fetcher, run_id, refresh, results[code])
    finally:
        if fetcher is not None:
            fetcher.client.close()
    for code, corpus in corpora.items():
        find_sentences(store, suite, code, corpus)
        results[code].n_sentences, results[code].n_concepts = store.rows(
            "select count(*), count(distinct concept) from sentences where suite = ? and category = ?",
            [suite.suite, code],
        )[0]
    return list(results.values())


def _scrape(
    store: Store,
    suite: Suite,
    code: str,
    corpus: Corpus,
    folder: Path,
    fetcher: Fetcher | None,
    run_id: str,
    refresh: bool,
    result: Scraped,
) -> None:
    readers = sources()
    hidden = not any(s.kind in ON_THE_WEB for s in corpus.sources)
    with click.progressbar(corpus.sources, label=f"Reading {code}", file=sys.stderr, hidden=hidden) as bar:
        for source in bar:
            if source.kind not in readers:
                continue  # a config writes it: see ingest.synthetic
            known = store.rows(
                """
                select origin, revision, title from documents
                where suite = ? and category = ? and concept = ? and document_status in ('ok', 'empty')
                """,
                [suite.suite, code, source.concept],
            )
            held = {(origin, revision) for origin, revision, _ in known}
            names = {name.casefold() for origin, _, title in known for name in (origin, title)}
            context = Context(
                folder=folder,
                fetcher=fetcher,
                is_held=lambda name, revision=None, held=held, names=names: (
                    (name, revision) in held
                    if revision is not None
                    else not refresh and name.casefold() in names
                ),
                language=suite.language,
                note=result.problems.append,
            )
            for document in readers[source.kind](source, context):
                if document.status == HELD or (document.origin, document.revision) in held:
                    result.statuses[HELD] += 1
                    continue
                keep_document(store, suite, code, source, document, run_id)
                result.statuses[document.status] += 1
                if document.status != "ok":
                    result.problems.append(
                        f"{document.origin}: {document.status.replace('_', ' ')}"
                        + (f" ({document.detail})" if document.detail else "")
                    )


def keep_document(
    store: Store, suite: Suite, code: str, source: Source, document: Document, run_id: str
) -> None:
    """Store a document, in the place of what its origin gave before (which stays, as superseded)."""
    text = document.text
    row = {
        "document_key": key(
            "document", suite.suite, code, source.concept, document.origin, document.revision
        ),
        "suite": suite.suite,
        "domain": suite.categories[code].domain,
        "category": code,
        "concept": source.concept,
        "keyword": source.keyword,
        "source_tag": source.source_tag,
        "source_kind": source.kind,
        "origin": document.origin,
        "title": document.title,
        "revision": document.revision,
        "revised_at": document.revised_at,
        "retrieved_at": utc_now(),
        "licence": document.licence,
        "attribution": document.attribution,
        "text": text,
        "text_sha256": hashlib.sha256(text.encode()).hexdigest() if text is not None else None,
        "document_status": document.status,
        "detail": document.detail[:500],
        "run_id": run_id,
    }
    same = "suite = ? and category = ? and concept = ? and origin = ?"
    place = [suite.suite, code, source.concept, document.origin]
    with store.transaction():
        store.connection.execute(f"delete from documents where {same} and document_status <> 'ok'", place)
        if document.status == "ok":
            store.connection.execute(
                f"update documents set document_status = 'superseded' where {same}", place
            )
        store.connection.execute("delete from documents where document_key = ?", [row["document_key"]])
        store.append("documents", [row])


def keywords_of(store: Store, suite: Suite, code: str, corpus: Corpus, concept: str) -> list[str]:
    """Return a concept's keywords: its name and words first, then those given, then those found."""
    value = suite.attributes[corpus.attribute][concept]
    found = [
        keyword
        for (keyword,) in store.rows(
            """
            select keyword from keywords
            where suite = ? and category = ? and concept = ?
            order by score desc nulls last, keyword
            """,
            [suite.suite, code, concept],
        )
    ]
    given = corpus.keywords.get(concept, [])
    own = [source.keyword for source in corpus.sources if source.concept == concept and source.keyword]
    unique = {word.casefold(): word for word in reversed([concept, *value.words, *given, *own, *found])}
    return list(unique.values())[::-1]


def find_sentences(store: Store, suite: Suite, code: str, corpus: Corpus) -> None:
    """Replace a category's sentences by those that today's keywords find in its documents."""
    rows = []
    documents = store.rows(
        """
        select document_key, concept, keyword, source_tag, text from documents
        where suite = ? and category = ? and document_status = 'ok'
        order by document_key
        """,
        [suite.suite, code],
    )
    keywords = {
        concept: keywords_of(store, suite, code, corpus, concept) for concept in {d[1] for d in documents}
    }
    for document_key, concept, keyword, source_tag, text in documents:
        wanted = [keyword] if keyword else keywords[concept]
        for position, found, sentence in matching_sentences(text, wanted, suite.language, corpus.min_words):
            rows.append(
                {
                    "sentence_key": key("sentence", document_key, found, sentence),
                    "document_key": document_key,
                    "suite": suite.suite,
                    "domain": suite.categories[code].domain,
                    "category": code,
                    "concept": concept,
                    "keyword": found,
                    "source_tag": source_tag,
                    "sentence_position": position,
                    "sentence": sentence,
                }
            )
    with store.transaction():
        store.connection.execute(
            "delete from sentences where suite = ? and category = ?", [suite.suite, code]
        )
        store.append("sentences", rows)


@click.command("scrape")
@click.option(
    "--suite",
    "suite_path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The suite file; its categories' `corpus:` name the sources.",
)
@click.option("--refresh", is_flag=True, help="Look again at files and pages that are held already.")
@click.pass_obj
def command(directory: Path, suite_path: Path, refresh: bool) -> None:
    """Bring in texts about the suite's concepts, and the sentences that name a keyword.

    \b
    plumbline scrape --suite suites/mine.yml
    PLUMBLINE_CONTACT=you@example.org plumbline scrape --suite suites/mine.yml   # where pages are fetched

    Each document is kept with its origin, revision, licence and attribution. One that is held is not
    fetched again.
    """
    suite = load_suite(suite_path)
    with (
        Store(directory) as store,
        store.run("scrape", {"suite": suite.suite, "suite_key": suite.suite_key}) as run_id,
    ):
        register_suite(store, suite, suite_path, run_id)
        results = scrape_documents(store, suite, suite_path.resolve().parent, run_id, refresh)
    for scraped in results:
        for line in scraped.lines():
            click.echo(line)
    if not any(scraped.n_sentences for scraped in results):
        raise PlumblineError(
            "No sentence names a keyword.",
            "Look at the lines above, then at the suite's `sources` and `keywords`.",
        )
