"""The search for more keywords of each concept, and the keywords that a concept has (SPEC COR-7)."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ingest.asking.written_texts import Writer
from ingest.corpus.documents import CALLED
from ingest.corpus.fetch import Fetcher, FetchError
from ingest.corpus.keywords import candidates, instruction, nearest, parse_answer, usable, without_contained
from ingest.corpus.wikipedia import api_url, page_links
from ingest.scorers import DEFAULT_EMBEDDER, Embedder, Where, load_scorer
from ingest.store import Store
from ingest.suite import Corpus, Finder, Suite

CANDIDATES = 400  # phrases of a concept's texts that are compared with its name
LINKS = 200


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
    is_of_today: Callable[..., bool]  # whether a source of today's gives a concept's document of these names

    def keep(self) -> int:
        """Replace the found keywords of the category; return how many there are."""
        rows = []
        shared = {"suite": self.suite.suite, "category": self.code, "found_by": self.finder.by}
        finders = {"embeddings": self.near, "links": self.linked, "model": self.named}
        for concept in dict.fromkeys(source.concept for source in self.corpus.sources):
            unique: dict[str, tuple[str, float]] = {}
            for phrase, score in finders[self.finder.by](concept):
                unique.setdefault(phrase.casefold(), (phrase, score))
            for phrase, score in without_contained(unique.values())[: self.finder.limit]:
                rows.append({**shared, "concept": concept, "keyword": phrase, "score": score})
        with self.store.transaction():
            self.store.connection.execute(
                "delete from keywords where suite = ? and category = ?", [self.suite.suite, self.code]
            )
            self.store.append("keywords", rows)
        return len(rows)

    def near(self, concept: str) -> list[tuple[str, float]]:
        """Words of the concept's documents that are nearest to its name."""
        rows = self.store.rows(
            f"""
            select text, origin, {CALLED} from documents
            where suite = ? and category = ? and concept = ? and document_status = 'ok'
            order by document_key
            """,
            [self.suite.suite, self.code, concept],
        )
        phrases = candidates((text for text, *names in rows if self.is_of_today(concept, *names)), CANDIDATES)
        encoder = load_scorer(DEFAULT_EMBEDDER, Where(self.model_dir))
        assert isinstance(encoder, Embedder)
        return nearest(concept, phrases, encoder.embed, self.finder.limit * 3)

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


def keywords_of(store: Store, suite: Suite, code: str, corpus: Corpus, concept: str) -> list[str]:
    """Return a concept's keywords: its name and words first, then those given, then those found."""
    value = suite.attributes[corpus.attribute][concept]
    rows = store.rows(
        """
        select keyword from keywords
        where suite = ? and category = ? and concept = ?
        order by score desc nulls last, keyword
        """,
        [suite.suite, code, concept],
    )
    found = [keyword for (keyword,) in rows]
    given = corpus.keywords.get(concept, [])
    own = [source.keyword for source in corpus.sources if source.concept == concept and source.keyword]
    unique = {word.casefold(): word for word in reversed([concept, *value.words, *given, *own, *found])}
    return list(unique.values())[::-1]
