"""Stage scrape: texts about concepts, with origin and licence, and the sentences that name a keyword."""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from ingest.asking.plan import asked_configs
from ingest.asking.written_texts import Writer
from ingest.corpus import local, web, wikipedia
from ingest.corpus.documents import (
    CALLED,
    HELD,
    Context,
    Document,
    Documents,
    keep_document,
    say_anew,
    supersede_articles,
)
from ingest.corpus.fetch import Fetcher, user_agent
from ingest.corpus.keyword_search import Search, keywords_of
from ingest.corpus.sentences import matching_sentences
from ingest.errors import LONGEST, PlumblineError, say, shorten
from ingest.keys import key
from ingest.options import allow_host_option, model_dir_option, send_key_option, suite_option
from ingest.reach import asked_places, check_reach, read_places
from ingest.store import Store
from ingest.store.journal import storable
from ingest.suite import Corpus, Source, Suite, load_suite
from ingest.suite.definition import register_suite
from ingest.suite.fields import fill

CONTACT_VARIABLE = "PLUMBLINE_CONTACT"
ON_THE_WEB = ("web", "wikipedia")
LONGEST_TITLE = 200  # characters
# What reads each kind of source: a new kind is a module with `documents`, and a row here.
READERS: dict[str, Documents] = {
    "local": local.documents,
    "web": web.documents,
    "wikipedia": wikipedia.documents,
}

Keep = Callable[[str, Source, Document], None]


@dataclass
class Scraped:
    """What one category has after scraping."""

    category: str
    statuses: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    n_documents: int = 0
    n_sentences: int = 0
    n_concepts: int = 0
    n_keywords: int | None = None
    named: set[tuple[str, str]] = field(default_factory=set)  # concept, and a name of a document of today's
    unread: set[str] = field(default_factory=set)  # concepts of which not all sources could be looked at
    n_left_out: int = 0

    def name(self, source: Source, document: Document) -> bool:
        """Note that a source of today's gives a document; return whether it is the first that does."""
        # A file's title is not its own; an article's origin is that of all that its config writes.
        own = {"local": (document.origin,), "synthetic": (document.title,)}
        names = filter(None, own.get(source.kind, (document.origin, document.title)))
        found = {(source.concept, name.casefold()) for name in names}
        is_first = not found & self.named
        self.named |= found
        # A pattern that finds no file may mean that the folder is not here.
        if document.status == "failed" or (source.kind == "local" and document.status == "missing"):
            self.unread.add(source.concept)
        return is_first

    def is_of_today(self, concept: str, *names: str) -> bool:
        """Say whether a held document is one of today's sources, as far as they could be looked at."""
        return concept in self.unread or any((concept, name.casefold()) in self.named for name in names)

    def take(self, document: Document) -> None:
        """Count a new document, and say what is wrong with it."""
        self.statuses[document.status] += 1
        if document.status != "ok":
            why = f" ({document.detail})" if document.detail else ""
            said = f"{document.origin}: {document.status.replace('_', ' ')}{why}"
            self.problems.append(shorten(said, LONGEST))

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield (
            f"{self.category}: {self.n_documents:,} documents ({self.statuses['ok']:,} new), "
            f"{self.n_sentences:,} sentences about {self.n_concepts:,} concepts"
        )
        if self.n_left_out:
            yield f"{self.category}: {self.n_left_out:,} documents left out: no source gives them now"
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
                allowed.add(urlsplit(wikipedia.api_url(source, suite.language)).netloc)
    return allowed


def writing_configs(suite: Suite) -> list[str]:
    """Return the labels of the configs that write articles or keywords, sorted."""
    corpora = [category.corpus for category in suite.categories.values() if category.corpus]
    asked = [s.config for corpus in corpora for s in corpus.sources if s.kind == "synthetic"]
    asked += [corpus.find_keywords.config for corpus in corpora if corpus.find_keywords]
    return sorted({label for label in asked if label is not None})


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
        keep = partial(keep_document, store, suite, run_id=run_id)
        for code, corpus in corpora.items():
            _scrape(store, suite, corpus, folder, fetcher, refresh, results[code], keep)
        writers = {
            label: Writer(store, suite, label, run_id, hosts_of_keys) for label in writing_configs(suite)
        }
        for code, corpus in corpora.items():
            _write_articles(store, suite, corpus, writers, results[code], keep)
        for code, corpus in corpora.items():
            if corpus.find_keywords:
                of_today = results[code].is_of_today
                find = Search(
                    store, suite, code, corpus, corpus.find_keywords, writers, fetcher, model_dir, of_today
                )
                results[code].n_keywords = find.keep()
    finally:
        if fetcher is not None:
            fetcher.client.close()
    for code, corpus in corpora.items():
        find_sentences(store, suite, code, corpus, results[code])
        results[code].n_sentences, results[code].n_concepts = store.rows(
            "select count(*), count(distinct concept) from sentences where suite = ? and category = ?",
            [suite.suite, code],
        )[0]
    return list(results.values())


def _scrape(
    store: Store,
    suite: Suite,
    corpus: Corpus,
    folder: Path,
    fetcher: Fetcher | None,
    refresh: bool,
    result: Scraped,
    keep: Keep,
) -> None:
    hidden = not any(s.kind in ON_THE_WEB for s in corpus.sources)
    label = f"Reading {result.category}"
    with click.progressbar(corpus.sources, label=label, file=sys.stderr, hidden=hidden) as bar:
        for source in bar:
            if source.kind not in READERS:
                continue  # a config writes it
            known = store.rows(
                f"""
                select origin, revision, {CALLED} from documents
                where suite = ? and category = ? and concept = ? and document_status in ('ok', 'empty')
                """,
                [suite.suite, result.category, source.concept],
            )
            held = {(origin, revision) for origin, revision, _ in known}
            names = {name.casefold() for origin, _, called in known for name in (origin, called)}

            def is_held(
                name: str, revision: str | None = None, held: set[Any] = held, names: set[str] = names
            ) -> bool:
                if revision is not None:
                    return (name, revision) in held
                return not refresh and name.casefold() in names

            def note(problem: str, concept: str = source.concept) -> None:
                result.problems.append(problem)
                result.unread.add(concept)

            context = Context(folder, fetcher, is_held, suite.language, note, result.problems.append)
            for document in READERS[source.kind](source, context):
                is_first = result.name(source, document)
                if document.status == HELD or (document.origin, document.revision) in held:
                    result.statuses[HELD] += 1
                    if is_first:
                        say_anew(store, suite, result.category, source, document)
                else:
                    result.take(document)
                    keep(result.category, source, document)


def _write_articles(
    store: Store, suite: Suite, corpus: Corpus, writers: dict[str, Writer], result: Scraped, keep: Keep
) -> None:
    """Have a config write the articles that synthetic sources ask for, each once."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for source in corpus.sources:
        if source.kind != "synthetic":
            continue
        concept = suite.word(corpus.attribute, source.concept)
        asked = fill(source.instruction or "", {"concept": concept})
        label, title = source.config or "", _title(asked)
        wanted.setdefault((source.concept, label), []).append(title)
        text = writers[label].write("article", asked, category=result.category)
        revision = hashlib.sha256((text or "").encode()).hexdigest()[:16]
        held = store.rows(
            """
            select 1 from documents
            where suite = ? and category = ? and concept = ? and origin = ? and revision = ?
                and title = ? and document_status = 'ok'
            """,
            [suite.suite, result.category, source.concept, label, revision, title],
        )
        if held:
            again = Document(label, title=title)
            if result.name(source, again):
                say_anew(store, suite, result.category, source, again)
            result.statuses[HELD] += 1
            continue
        document = Document(
            origin=label,
            status="ok" if text and text.strip() else "failed",
            title=title,
            text=text,
            revision=revision,
            licence=source.licence,
            attribution=source.attribution or f"written by the model {label}",
            detail="" if text else "the config gave no text",
        )
        result.name(source, document)
        result.take(document)
        keep(result.category, source, document)
    for (concept, label), titles in wanted.items():
        if concept not in result.unread:
            supersede_articles(store, [suite.suite, result.category, concept, label], titles)


def _title(instruction: str) -> str:
    """Return a short name of an instruction, another one for each."""
    title: str = storable(instruction)
    return title if len(title) <= LONGEST_TITLE else f"{title[:180]}… {key(title)[:16]}"


def find_sentences(store: Store, suite: Suite, code: str, corpus: Corpus, result: Scraped) -> None:
    """Replace a category's sentences by those that its keywords find in today's documents; count these."""
    rows = []
    shared = {"suite": suite.suite, "domain": suite.categories[code].domain, "category": code}
    held = store.rows(
        f"""
        select document_key, concept, keyword, source_tag, text, origin, {CALLED} from documents
        where suite = ? and category = ? and document_status = 'ok'
        order by document_key
        """,
        [suite.suite, code],
    )
    documents = [row for *row, origin, called in held if result.is_of_today(row[1], origin, called)]
    result.n_documents, result.n_left_out = len(documents), len(held) - len(documents)
    concepts = {concept for _, concept, *_ in documents}
    keywords = {concept: keywords_of(store, suite, code, corpus, concept) for concept in concepts}
    for document_key, concept, keyword, source_tag, text in documents:
        wanted = [keyword] if keyword else keywords[concept]
        for position, found, sentence in matching_sentences(text, wanted, suite.language, corpus.min_words):
            row = {"document_key": document_key, "concept": concept, "source_tag": source_tag, **shared}
            row |= {"keyword": found, "sentence_position": position, "sentence": sentence}
            rows.append(row | {"sentence_key": key("sentence", document_key, found, sentence)})
    with store.transaction():
        store.connection.execute(
            "delete from sentences where suite = ? and category = ?", [suite.suite, code]
        )
        store.append("sentences", rows)


@click.command("scrape")
@suite_option(help="The suite file; its categories' `corpus:` name the sources.")
@model_dir_option(help="Folder with the embedding model's files.")
@send_key_option(
    help="Let this host have the key that the suite names, where a model writes articles or keywords."
)
@allow_host_option()
@click.option("--refresh", is_flag=True, help="Read files and pages again that are stored already.")
@click.pass_obj
def command(
    directory: Path,
    suite_path: Path,
    model_dir: Path | None,
    hosts: tuple[str, ...],
    allowed_hosts: tuple[str, ...],
    refresh: bool,
) -> None:
    """Bring in texts about the suite's concepts, and the sentences that name a keyword.

    \b
    plumbline scrape --suite suites/mine.yml
    PLUMBLINE_CONTACT=you@example.org plumbline scrape --suite suites/mine.yml   # where pages are fetched

    Each document is kept with its origin, revision, licence and attribution. A stored one is not
    fetched again.
    """
    suite = load_suite(suite_path)
    with Store(directory) as store:
        writing = [asked_configs(suite, label)[label] for label in writing_configs(suite)]
        check_reach(
            store, suite_path, [*read_places(suite), *asked_places(writing)], (*allowed_hosts, *hosts)
        )
        with store.run("scrape", {"suite": suite.suite, "suite_key": suite.suite_key}) as run_id:
            folder = suite_path.resolve().parent
            results = scrape_documents(store, suite, folder, run_id, refresh, hosts, model_dir)
            register_suite(store, suite, suite_path, run_id)
    for scraped in results:
        for line in scraped.lines():
            say(line)
    if not any(scraped.n_sentences for scraped in results):
        raise PlumblineError(
            "No sentence names a keyword.",
            "Look at the lines above, then at the suite's `sources` and `keywords`.",
        )
