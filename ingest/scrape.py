"""Stage scrape: texts about concepts, with origin and licence, and the sentences that name a keyword."""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import click

from ingest.asking.written_texts import Writer
from ingest.assemble import fill
from ingest.corpus import HELD, Context, Document, sources
from ingest.corpus.fetch import Fetcher, FetchError, user_agent
from ingest.corpus.keywords import candidates, instruction, nearest, parse_answer, usable, without_contained
from ingest.corpus.sentences import matching_sentences
from ingest.corpus.wikipedia import api_url, page_links
from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.scorers import DEFAULT_EMBEDDER, Where, load_scorer
from ingest.store import Store, utc_now
from ingest.suite import Corpus, Finder, Source, Suite, load_suite
from ingest.suite.tables import register_suite

CONTACT_VARIABLE = "PLUMBLINE_CONTACT"
ON_THE_WEB = ("web", "wikipedia")
CANDIDATES = 400  # phrases of a concept's texts that are compared with its name
LINKS = 200


@dataclass
class Scraped:
    """What one category has after scraping."""

    category: str
    statuses: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    n_sentences: int = 0
    n_concepts: int = 0
    n_keywords: int | None = None

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        n_documents = self.statuses["ok"] + self.statuses[HELD]
        yield (
            f"{self.category}: {n_documents:,} documents ({self.statuses['ok']:,} new), "
            f"{self.n_sentences:,} sentences about {self.n_concepts:,} concepts"
        )
        if self.n_keywords is not None:
            yield f"{self.category}: {self.n_keywords:,} keywords found"
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
    store: Store,
    suite: Suite,
    folder: Path,
    run_id: str,
    refresh: bool = False,
    hosts_of_keys: tuple[str, ...] = (),
    model_dir: Path | None = None,
) -> list[Scraped]:
    """Bring in documents that are not held yet, then find the sentences of all that are.

    A document is stored as soon as it is read, so a run that is stopped goes on where it was. With
    `refresh`, files and pages that are held are looked at again and kept where they are new. A model that
    writes articles or keywords may have the key that the suite names at `hosts_of_keys`; `model_dir` holds
    the embedding model, where keywords are found by vectors.
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
        labels = {s.config for c in corpora.values() for s in c.sources if s.kind == "synthetic"}
        labels |= {c.find_keywords.config for c in corpora.values() if c.find_keywords}
        writers = {
            label: Writer(store, suite, label, run_id, hosts_of_keys) for label in sorted(labels - {None})
        }
        for code, corpus in corpora.items():
            _write_articles(store, suite, code, corpus, writers, run_id, results[code])
        for code, corpus in corpora.items():
            if corpus.find_keywords:
                find = Search(store, suite, code, corpus, corpus.find_keywords, writers, fetcher, model_dir)
                results[code].n_keywords = find.keep()
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
                continue  # a config writes it
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


def _write_articles(
    store: Store,
    suite: Suite,
    code: str,
    corpus: Corpus,
    writers: dict[str, Writer],
    run_id: str,
    result: Scraped,
) -> None:
    """Have a config write the articles that synthetic sources ask for, each once."""
    for source in corpus.sources:
        if source.kind != "synthetic":
            continue
        concept = suite.word(corpus.attribute, source.concept)
        asked = fill(source.instruction or "", {"concept": concept})
        label = source.config or ""
        text = writers[label].write("article", asked, category=code)
        revision = hashlib.sha256((text or "").encode()).hexdigest()[:16]
        held = store.rows(
            """
            select 1 from documents
            where suite = ? and category = ? and concept = ? and origin = ? and revision = ?
                and document_status = 'ok'
            """,
            [suite.suite, code, source.concept, label, revision],
        )
        if held:
            result.statuses[HELD] += 1
            continue
        document = Document(
            origin=label,
            status="ok" if text and text.strip() else "failed",
            title=asked[:200],
            text=text,
            revision=revision,
            licence=source.licence,
            attribution=source.attribution or f"written by the model {label}",
            detail="" if text else "the config gave no text",
        )
        keep_document(store, suite, code, source, document, run_id)
        result.statuses[document.status] += 1
        if document.status != "ok":
            result.problems.append(f"{label}: {document.status} ({document.detail})")


@dataclass
class Search:
    """Looks for more keywords of each concept, as the corpus's `find_keywords` says (SPEC COR-7)."""

    store: Store
    suite: Suite
    code: str
    corpus: Corpus
    finder: Finder
    writers: dict[str, Writer]
    fetcher: Fetcher | None
    model_dir: Path | None

    def keep(self) -> int:
        """Replace the found keywords of the category; return how many there are."""
        rows = []
        finders = {"embeddings": self.near, "links": self.linked, "model": self.named}
        for concept in dict.fromkeys(source.concept for source in self.corpus.sources):
            unique: dict[str, tuple[str, float]] = {}
            for phrase, score in finders[self.finder.by](concept):
                unique.setdefault(phrase.casefold(), (phrase, score))
            for phrase, score in without_contained(unique.values())[: self.finder.limit]:
                rows.append(
                    {
                        "suite": self.suite.suite,
                        "category": self.code,
                        "concept": concept,
                        "keyword": phrase,
                        "found_by": self.finder.by,
                        "score": score,
                    }
                )
        with self.store.transaction():
            self.store.connection.execute(
                "delete from keywords where suite = ? and category = ?", [self.suite.suite, self.code]
            )
            self.store.append("keywords", rows)
        return len(rows)

    def near(self, concept: str) -> list[tuple[str, float]]:
        """Words of the concept's documents that are nearest to its name."""
        texts = [
            text
            for (text,) in self.store.rows(
                """
                select text from documents
                where suite = ? and category = ? and concept = ? and document_status = 'ok'
                order by document_key
                """,
                [self.suite.suite, self.code, concept],
            )
        ]
        encoder = load_scorer(DEFAULT_EMBEDDER, Where(self.model_dir))
        return nearest(concept, candidates(texts, CANDIDATES), encoder.embed, self.finder.limit * 3)

    def linked(self, concept: str) -> list[tuple[str, float]]:
        """Titles that the concept's articles link to, those that most of them share first."""
        counts: Counter[str] = Counter()
        for source in self.corpus.sources:
            if source.kind != "wikipedia" or source.concept != concept or self.fetcher is None:
                continue
            api = api_url(source, self.suite.language)
            for title in source.titles:
                with suppress(FetchError):
                    counts.update(filter(None, map(usable, page_links(self.fetcher, api, title, LINKS))))
        return _by_count(counts)

    def named(self, concept: str) -> list[tuple[str, float]]:
        """What a config names, those that it names most often first."""
        counts: Counter[str] = Counter()
        for run in range(self.finder.runs):
            text = instruction(self.suite.word(self.corpus.attribute, concept), run)
            writer = self.writers[self.finder.config or ""]
            answer = writer.write("keywords", text, category=self.code, attempt=run + 1)
            counts.update(set(parse_answer(answer or "")))
        return _by_count(counts)


def _by_count(counts: Counter[str]) -> list[tuple[str, float]]:
    return [(phrase, float(n)) for phrase, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


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
@click.option("--model-dir", type=click.Path(path_type=Path), help="Folder with the embedding model's files.")
@click.option(
    "--send-key",
    "hosts_of_keys",
    multiple=True,
    metavar="HOST",
    help="Let this host have the key that the suite names, where a model writes articles or keywords.",
)
@click.option("--refresh", is_flag=True, help="Read files and pages again that are stored already.")
@click.pass_obj
def command(
    directory: Path, suite_path: Path, model_dir: Path | None, hosts_of_keys: tuple[str, ...], refresh: bool
) -> None:
    """Bring in texts about the suite's concepts, and the sentences that name a keyword.

    \b
    plumbline scrape --suite suites/mine.yml
    PLUMBLINE_CONTACT=you@example.org plumbline scrape --suite suites/mine.yml   # where pages are fetched

    Each document is kept with its origin, revision, licence and attribution. A stored one is not
    fetched again.
    """
    suite = load_suite(suite_path)
    with (
        Store(directory) as store,
        store.run("scrape", {"suite": suite.suite, "suite_key": suite.suite_key}) as run_id,
    ):
        register_suite(store, suite, suite_path, run_id)
        folder = suite_path.resolve().parent
        results = scrape_documents(store, suite, folder, run_id, refresh, hosts_of_keys, model_dir)
    for scraped in results:
        for line in scraped.lines():
            click.echo(line)
    if not any(scraped.n_sentences for scraped in results):
        raise PlumblineError(
            "No sentence names a keyword.",
            "Look at the lines above, then at the suite's `sources` and `keywords`.",
        )
