"""Topics: clusters of what answers (or baselines) say, each with a theme in words (SPEC MEA-3).

Clusters are made here, because a theme needs the encoder; which cluster a text belongs to and how far it lies
from each is SQL over the stored vectors. A clustering has the name of its content: the texts, how often each
stands there, the encoder and the parameters. So the same texts are clustered once, whatever runs again.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ingest.keys import key
from ingest.scorers import MAX_CHARACTERS
from ingest.store import Store, uninterrupted
from ingest.suite import Suite, Topics

VERSION = "topics_v1"  # what is stored under a name is never made again: a changed method is a new version
N_STARTS = 10
MAX_ROUNDS = 100
THEME_WORDS = 3
SAME_WORD = 0.5  # two words whose vectors have a larger cosine say the same (SPEC MEA-3)
CANDIDATES = 30

Measure = Callable[[Sequence[str]], np.ndarray]

# Which column of a prompt is its segment; NULL puts it in none.
SEGMENTS = {
    "none": "''",
    "domain": "p.domain",
    "category": "p.category",
    "concept": "p.concept",
    "source_tag": "p.source_tag",
}

# Texts of one kind by segment, and how often each stands there; answers of models and of the simulated
# backend never share a cluster.
POOLS = {
    "responses": """
        select
            {segment} as segment_value, c.backend = 'simulated' as is_simulated,
            v.variant_text_key as text_key, count(*) as n
        from responses as r
        inner join prompts as p using (prompt_key)
        inner join configs as c using (config_key)
        inner join text_variants as v on r.text_key = v.text_key and v.text_variant = 'clean'
        where p.suite = $suite and p.category in (select unnest($categories)) and r.response_status = 'ok'
        group by all""",
    "baselines": """
        select
            {segment} as segment_value, false as is_simulated, v.variant_text_key as text_key, count(*) as n
        from prompts as p
        inner join text_variants as v on p.baseline_text_key = v.text_key and v.text_variant = 'clean'
        where p.suite = $suite and p.category in (select unnest($categories))
        group by all""",
}


@dataclass(frozen=True)
class Pool:
    """The texts of one segment: keys in order, and how often each stands there, shape (texts,)."""

    segment_value: str
    is_simulated: bool
    text_keys: list[str]
    weights: np.ndarray

    def clustering_key(self, scorer_key: str, parameters: str) -> str:
        """Return the name of what comes of these texts."""
        return key(
            "clustering",
            scorer_key,
            parameters,
            list(zip(self.text_keys, self.weights.tolist(), strict=True)),
        )


@dataclass(frozen=True)
class Clusters:
    """Centres, shape (k, dimensions), and the cluster of each text, shape (texts,); the largest is first."""

    centroids: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Word:
    """A word of a theme: its share of the cluster's answers and of all others, its cosine with the centre."""

    word: str
    share: float
    share_elsewhere: float
    similarity: float


def parameters_of(topics: Topics) -> str:
    """Return all that can change a clustering of given vectors, as JSON."""
    parameters = {"clusters": topics.clusters, "seed": topics.seed, "centre": topics.centre}
    return json.dumps({**parameters, "version": VERSION}, sort_keys=True)


def pools(store: Store, suite: Suite, topics: Topics, scorer_key: str) -> list[Pool]:
    """Return the measured texts of each segment; a text without a vector, or with a zero one, is in none."""
    sql = f"""
        with pool as ({POOLS[topics.of].format(segment=SEGMENTS[topics.segment])})
        select segment_value, is_simulated, list(text_key order by text_key), list(n order by text_key)
        from pool inner join embeddings using (text_key)
        where segment_value is not null and scorer_key = $scorer_key
            and list_inner_product(vector, vector) > 0
        group by segment_value, is_simulated order by segment_value, is_simulated"""
    categories = topics.categories or list(suite.categories)
    parameters = {"suite": suite.suite, "categories": categories, "scorer_key": scorer_key}
    found = store.connection.execute(sql, parameters).fetchall()
    return [
        Pool(segment, simulated, keys, np.array(n, dtype=np.float64)) for segment, simulated, keys, n in found
    ]


def cluster(vectors: np.ndarray, weights: np.ndarray, k: int, seed: int) -> Clusters:
    """Return k-means clusters of weighted points (Lloyd 1982), the best of ten starts (k-means++, 2007).

    `vectors` has shape (texts, dimensions), `weights` (texts,) and is above 0. There are min(k, distinct
    vectors) clusters, ordered by weight, then by their first text. The same input gives the same output.

    >>> cluster(np.array([[0.0], [1.0], [9.0]]), np.array([1.0, 1.0, 3.0]), 2, seed=0).labels.tolist()
    [1, 1, 0]
    """
    points = np.asarray(vectors, dtype=np.float64)
    k = min(k, len(np.unique(points, axis=0)))
    generator = np.random.default_rng(seed)
    least, labels = np.inf, np.zeros(len(points), dtype=np.int64)
    for _ in range(N_STARTS if k > 1 else 1):
        tried = _lloyd(points, weights, _start(points, weights, k, generator))
        spread = float(weights @ _squared(points, _means(points, weights, tried, k)).min(axis=1))
        # A start that is better by rounding alone is not better.
        if spread < least * (1 - 1e-9) - 1e-12:
            least, labels = spread, tried
    sizes = np.bincount(labels, weights, minlength=k)
    first = [int(np.argmax(labels == i)) for i in range(k)]
    order = sorted(range(k), key=lambda i: (-sizes[i], first[i]))
    ranks = np.empty(k, dtype=np.int64)
    ranks[order] = np.arange(k)
    labels = ranks[labels]
    return Clusters(_means(points, weights, labels, k), labels)


def _start(points: np.ndarray, weights: np.ndarray, k: int, generator: np.random.Generator) -> np.ndarray:
    """k-means++: each further centre is drawn in proportion to the squared distance from the nearest one."""
    chosen = [generator.choice(len(points), p=weights / weights.sum())]
    nearest = _squared(points, points[chosen])[:, 0]
    while len(chosen) < k:
        mass = weights * nearest
        chosen.append(generator.choice(len(points), p=mass / mass.sum()))
        nearest = np.minimum(nearest, _squared(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def _lloyd(points: np.ndarray, weights: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return each point's cluster once none changes it. An empty cluster takes the farthest point."""
    labels = np.full(len(points), -1)
    for _ in range(MAX_ROUNDS):
        # The squared distance less the point's own square, which is the same for every centre.
        changed = ((centres**2).sum(axis=1) - 2 * (points @ centres.T)).argmin(axis=1)
        for i in np.flatnonzero(np.bincount(changed, minlength=len(centres)) == 0):
            alone = np.bincount(changed, minlength=len(centres))[changed] == 1
            distances = ((points - centres[changed]) ** 2).sum(axis=1)
            changed[np.where(alone, -1, weights * distances).argmax()] = i
        if (changed == labels).all():
            break
        labels = changed
        centres = _means(points, weights, labels, len(centres))
    return labels


def _means(points: np.ndarray, weights: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    member = (labels == np.arange(k)[:, None]) * weights
    return np.asarray(member @ points / member.sum(axis=1, keepdims=True))


def _squared(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared distances, shape (points, centres); exact zeros where a point is a centre."""
    return np.stack([((points - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def centre_of(
    how: str, vectors: np.ndarray, weights: np.ndarray, texts: Callable[[], str], measure: Measure
) -> np.ndarray:
    """Return what distances to a cluster are measured from, shape (dimensions,).

    `weighted_mean` counts a text as often as it was said, `mean` once; `max` is the largest value in each
    dimension; `concatenated` is the vector of the cluster's texts joined, the nearest to its mean first.
    """
    if how == "concatenated":
        return np.asarray(measure([texts()])[0], dtype=np.float64)
    if how == "max":
        return np.asarray(vectors.max(axis=0))
    return np.average(vectors, axis=0, weights=weights if how == "weighted_mean" else None)


def theme(
    words: Sequence[Sequence[str]],
    weights: np.ndarray,
    labels: np.ndarray,
    position: int,
    centre: np.ndarray,
    measure: Measure,
) -> list[Word]:
    """Return the words that tell a cluster from the others, at most three, and no two that mean the same.

    `words` are the distinct words of each text. With the share p of the cluster's answers that hold a word,
    the share q of all others, and the cosine c of its vector with the cluster's centre, its rank is by
    (p - q)² / (p + q) × c²: words that stand everywhere have no lead, words that mean little by themselves
    are like no centre. So no language needs a list of words to leave out.
    """
    inside, outside = _shares(words, weights, labels == position), _shares(words, weights, labels != position)
    lead = {
        word: (share - outside.get(word, 0.0)) ** 2 / (share + outside.get(word, 0.0))
        for word, share in inside.items()
        if share > outside.get(word, 0.0)
    }
    candidates = sorted(lead, key=lambda word: (-lead[word], word))[:CANDIDATES]
    if not candidates:
        return []
    vectors = np.asarray(measure(candidates), dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = vectors / norms[:, None]
        likeness = units @ (centre / np.linalg.norm(centre))
    found = [i for i in range(len(candidates)) if np.isfinite(likeness[i])]
    found.sort(key=lambda i: (-lead[candidates[i]] * max(likeness[i], 0.0) ** 2, candidates[i]))
    chosen: list[int] = []
    for i in found:
        if len(chosen) < THEME_WORDS and all(units[i] @ units[j] <= SAME_WORD for j in chosen):
            chosen.append(i)
    return [
        Word(candidates[i], inside[candidates[i]], outside.get(candidates[i], 0.0), float(likeness[i]))
        for i in chosen
    ]


def _shares(words: Sequence[Sequence[str]], weights: np.ndarray, chosen: np.ndarray) -> dict[str, float]:
    """Return word -> share of the chosen texts, by weight, that hold it."""
    total = float(weights[chosen].sum())
    counts: dict[str, float] = {}
    for i in np.flatnonzero(chosen).tolist():
        for word in words[i]:
            counts[word] = counts.get(word, 0.0) + float(weights[i])
    return {word: count / total for word, count in counts.items()}


@cache
def _word() -> re.Pattern[str]:
    """Letters with their marks (vowel signs of Indic and Thai scripts), joined by hyphens or apostrophes."""
    marks = "".join(chr(c) for c in range(0x300, 0x1F000) if unicodedata.category(chr(c)).startswith("M"))
    letters = rf"(?:[^\W\d_][{marks}]*)+"
    return re.compile(rf"{letters}(?:['’-]{letters})*")


def words_of(text: str) -> list[str]:
    """Return the distinct words of a cleaned text, one-letter ones of Latin script left out.

    >>> words_of("it's a well-kept park, a park")
    ["it's", 'park', 'well-kept']
    """
    return sorted({word for word in _word().findall(text) if len(word) > 1 or not word.isascii()})


@dataclass
class TopicCount:
    """What became of one entry of a suite's `topics:`, in segments."""

    topic_set: str
    n_segments: int
    n_clustered: int

    def __str__(self) -> str:
        return (
            f"{self.topic_set}: {self.n_clustered:,} segments clustered,"
            f" {self.n_segments - self.n_clustered:,} already there."
        )


def make_topics(store: Store, suite: Suite, scorer_key: str, measure: Measure) -> list[TopicCount]:
    """Cluster what the suite asks for and is not clustered yet, a segment a transaction."""
    counts = []
    for topics in suite.topics:
        found = pools(store, suite, topics, scorer_key)
        parameters = parameters_of(topics)
        keys = [pool.clustering_key(scorer_key, parameters) for pool in found]
        there = {k for (k,) in store.rows("select clustering_key from clusterings")}
        for pool, clustering_key in zip(found, keys, strict=True):
            if clustering_key not in there:
                _make_clustering(store, topics, pool, clustering_key, scorer_key, measure)
        rows = [
            {
                "suite": suite.suite,
                "topic_set": topics.topic_set,
                "segment_value": pool.segment_value,
                "is_simulated": pool.is_simulated,
                "clustering_key": clustering_key,
            }
            for pool, clustering_key in zip(found, keys, strict=True)
        ]
        with uninterrupted(), store.transaction():
            store.connection.execute(
                "delete from suite_clusterings where suite = ? and topic_set = ?",
                [suite.suite, topics.topic_set],
            )
            store.append("suite_clusterings", rows)
        counts.append(TopicCount(topics.topic_set, len(keys), len(set(keys) - there)))
    return counts


def count_unclustered(store: Store, suite: Suite, scorer_key: str) -> int:
    """Return how many segments are not clustered yet as their measured texts now stand."""
    there = {k for (k,) in store.rows("select clustering_key from clusterings")}
    return sum(
        pool.clustering_key(scorer_key, parameters_of(topics)) not in there
        for topics in suite.topics
        for pool in pools(store, suite, topics, scorer_key)
    )


def _make_clustering(
    store: Store, topics: Topics, pool: Pool, clustering_key: str, scorer_key: str, measure: Measure
) -> None:
    texts, vectors = _texts_and_vectors(store, pool, scorer_key)
    clusters = cluster(vectors, pool.weights, topics.clusters, topics.seed)
    words = [words_of(text) for text in texts]
    topic_rows, word_rows = [], []
    for i, centroid in enumerate(clusters.centroids):
        members = np.flatnonzero(clusters.labels == i)
        row = {"clustering_key": clustering_key, "topic_position": i + 1}

        def joined(members: np.ndarray = members, centroid: np.ndarray = centroid) -> str:
            nearest = members[np.argsort(_squared(vectors[members], centroid[None])[:, 0], kind="stable")]
            return " ".join(texts[j] for j in nearest)[:MAX_CHARACTERS]

        centre = centre_of(topics.centre, vectors[members], pool.weights[members], joined, measure)
        topic_rows.append(
            {
                **row,
                "n_texts": len(members),
                "n_members": int(pool.weights[members].sum()),
                "centroid": centroid.tolist(),
                "centre": centre.tolist() if np.isfinite(centre).all() else None,
            }
        )
        for j, word in enumerate(theme(words, pool.weights, clusters.labels, i, centroid, measure)):
            word_rows.append({**row, "word_position": j + 1, **vars(word)})
    clustering = {
        "clustering_key": clustering_key,
        "scorer_key": scorer_key,
        "parameters": parameters_of(topics),
        "n_texts": len(texts),
        "n_members": int(pool.weights.sum()),
    }
    with uninterrupted(), store.transaction():
        store.append("clusterings", [clustering])
        store.append("topics", topic_rows)
        store.append("topic_words", word_rows)


def _texts_and_vectors(store: Store, pool: Pool, scorer_key: str) -> tuple[list[str], np.ndarray]:
    """Return the pool's texts and their vectors, shape (texts, dimensions), in the order of its keys."""
    with store.registered("pool_texts", {"text_key": pool.text_keys}):
        found = store.connection.execute(
            "select left(text, ?) as text, vector from pool_texts inner join texts using (text_key)"
            " inner join embeddings using (text_key) where scorer_key = ? order by text_key",
            [MAX_CHARACTERS, scorer_key],
        ).to_arrow_table()
    flat = found.column("vector").combine_chunks().flatten().to_numpy()
    return found.column("text").to_pylist(), flat.reshape(len(found), -1).astype(np.float64)
