"""Topics: clusters that are the same again, themes in words, and what becomes of odd texts."""

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy.cluster.vq import kmeans2

from ingest import assemble, extract, generate
from ingest.errors import PlumblineError
from ingest.measuring.topics import centre_of, cluster, theme, words_of
from ingest.store import Store
from ingest.suite import load_suite
from ingest.warehouse import Warehouse, build

BLOBS = np.concatenate(
    [
        np.random.default_rng(i).normal(centre, 0.3, (n, 4))
        for i, (centre, n) in enumerate([(0, 20), (3, 12), (-4, 7)])
    ]
)
ONES = np.ones(len(BLOBS))


def inertia(points, weights, clusters):
    return float(weights @ ((points - clusters.centroids[clusters.labels]) ** 2).sum(axis=1))


def test_blobs_are_found_and_the_largest_is_first():
    found = cluster(BLOBS, ONES, 3, seed=42)
    assert found.labels.tolist() == [0] * 20 + [1] * 12 + [2] * 7
    np.testing.assert_allclose(found.centroids[1], BLOBS[20:32].mean(axis=0))


@pytest.mark.parametrize("seed", [0, 42])
def test_the_same_input_gives_the_same_clusters(seed):
    points = np.random.default_rng(5).normal(size=(200, 6))
    first, again = (cluster(points, np.ones(200), 3, seed) for _ in range(2))
    assert (first.labels == again.labels).all() and (first.centroids == again.centroids).all()


def test_a_library_makes_nothing_better_of_it():
    """From our centres, SciPy's k-means stays where it is; from its own 20 starts it is no tighter."""
    points = np.random.default_rng(7).normal(size=(150, 5))
    found = cluster(points, np.ones(150), 3, seed=42)
    centroids, labels = kmeans2(points, found.centroids, minit="matrix", iter=50)
    assert (labels == found.labels).all()
    np.testing.assert_allclose(centroids, found.centroids, atol=1e-12)
    others = [kmeans2(points, 3, minit="++", iter=100, rng=seed) for seed in range(20)]
    best = min(((points - c[label]) ** 2).sum() for c, label in others)
    assert inertia(points, np.ones(150), found) <= best * 1.005


def test_a_weight_is_so_many_copies():
    points = np.random.default_rng(3).normal(size=(30, 3))
    weights = np.arange(30) % 4 + 1.0
    once = cluster(points, weights, 3, seed=1)
    copies = cluster(np.repeat(points, weights.astype(int), axis=0), np.ones(int(weights.sum())), 3, seed=1)
    assert inertia(points, weights, once) == pytest.approx(
        inertia(np.repeat(points, weights.astype(int), axis=0), np.ones(int(weights.sum())), copies), rel=1e-6
    )
    heaviest = np.bincount(once.labels, weights)
    assert (np.diff(heaviest) <= 0).all()


@pytest.mark.parametrize(
    ("points", "k"),
    [([[1.0, 0]], 1), ([[1.0, 0], [0, 1]], 2), ([[1.0, 0]] * 5, 1), ([[1.0, 0]] * 4 + [[0, 1.0]], 2)],
)
def test_fewer_vectors_than_clusters(points, k):
    found = cluster(np.array(points), np.ones(len(points)), 3, seed=42)
    assert len(found.centroids) == k == len(set(found.labels.tolist()))
    assert np.isfinite(found.centroids).all()


def test_centres():
    vectors, weights = np.array([[1.0, 0], [0, 1], [0, 0.5]]), np.array([2.0, 1, 1])
    measured = []

    def measure(texts):
        measured.extend(texts)
        return np.array([[7.0, 7]])

    def centre(how):
        return centre_of(how, vectors, weights, lambda: "joined", measure).tolist()

    assert centre("weighted_mean") == [0.5, 0.375]
    assert centre("mean") == [1 / 3, 0.5]
    assert centre("max") == [1, 1]
    assert not measured and centre("concatenated") == [7, 7] and measured == ["joined"]


MEANINGS = {
    "park": [1.0, 0],
    "garden": [0.9, 0.1],
    "trees": [0.6, 0.8],
    "the": [-1.0, 0.1],
    "lake": [0.8, -0.6],
}


def themed(words, weights, labels, position=0, centre=(1.0, 0.0)):
    found = theme(
        words,
        np.array(weights),
        np.array(labels),
        position,
        np.array(centre),
        lambda ws: np.array([MEANINGS[w] for w in ws]),
    )
    return [word.word for word in found]


def test_a_theme_has_no_two_words_of_one_meaning():
    words = [["park", "the"], ["garden", "park", "the"], ["trees", "the"], ["the"]]
    # garden and park mean the same; `the` stands everywhere.
    assert themed(words, [3.0, 2, 1, 4], [0, 0, 0, 1]) == ["park"]
    MEANINGS["trees"] = [0.4, 0.9165]
    assert themed(words, [3.0, 2, 1, 4], [0, 0, 0, 1]) == ["park", "trees"]


def test_a_word_counts_as_often_as_it_was_said():
    words = [["lake"], ["park"], ["the"]]
    MEANINGS["lake"] = [0.5, -0.866]
    assert themed(words, [9.0, 1, 1], [0, 0, 1])[0] == "lake"
    assert themed(words, [1.0, 9, 1], [0, 0, 1])[0] == "park"


def test_a_word_without_a_vector_is_in_no_theme():
    found = theme(
        [["x", "y"]],
        np.ones(1),
        np.zeros(1, int),
        0,
        np.array([1.0, 0]),
        lambda ws: np.array([[np.nan, 0], [1.0, 0]]),
    )
    assert [word.word for word in found] == ["y"]
    assert theme([[]], np.ones(1), np.zeros(1, int), 0, np.array([1.0, 0]), None) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("12, 13!", []),
        ("well-kept, isn't it", ["isn't", "it", "well-kept"]),
        ("हाँ करो", ["करो", "हाँ"]),
        ("a 好", ["好"]),
        ("<b>x</b> snake_case", ["case", "snake"]),
    ],
)
def test_words(text, words):
    assert words_of(text) == words


# ------------------------------------------------------------------------- from answers to the marts

SUITE = {
    "suite": "towns",
    "title": "Towns",
    "version": 1,
    "scorers": ["vader"],
    "minimum": {"group": 2, "cell": 1},
    "resampling": {"permutations": 100, "bootstrap": 100},
    "attributes": {"place": {"North": {}, "South": {}}},
    "axes": ["place"],
    "configs": [{"backend": "simulated", "model": "one"}, {"backend": "simulated", "model": "two"}],
    "distances": ["cosine", "l1", "l2"],
    "topics": [
        {},
        {"of": "baselines", "segment": "category", "distances": ["cosine"], "centre": "concatenated"},
        {"segment": "concept", "categories": ["TOWN"]},
    ],
    "categories": {
        "TOWN": {
            "title": "What a town is like",
            "prompts": [
                {
                    "prompt": "Case {case}: what is the town with a {thing} in the {place} like?",
                    "baseline": "Case {case}: the town in the {place} has a {thing}.",
                }
            ],
            "slots": {"case": ["1", "2", "3", "4", "5"], "thing": ["library", "harbour"]},
            "outcomes": [{"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}],
            "simulated": {
                "answers": {
                    "food": ["Bakers sell fresh bread.", "Cooks make soup with bread.", "A cheese market."],
                    "sport": ["A football stadium.", "Children play tennis.", "Football every week."],
                    "rain": ["Rain and cold wind.", "Storms, rain and clouds."],
                    "dots": ["..."],
                },
                "weights": {"food": 4, "sport": 3, "rain": 2, "dots": 0.5},
                "planted": [{"attribute": "place", "value": "North", "answer": "rain", "log_odds": 2}],
                "failures": [{"status": "timeout", "rate": 0.1}],
            },
        },
        "MUTE": {
            "title": "A question that nobody answers",
            "prompts": ["Case {case}: and the {place}?"],
            "slots": {"case": ["1", "2"]},
            "outcomes": [{"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}],
            "simulated": {
                "answers": {"x": ["x"]},
                "weights": {"x": 1},
                "failures": [{"status": "timeout", "rate": 1}],
            },
        },
    },
}  # fmt: skip


def invoke(command, data, path, *more):
    result = CliRunner().invoke(command, ["--suite", str(path), *more], obj=data)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    """The suite after generation and extraction, with the real encoder."""
    data = tmp_path_factory.mktemp("towns")
    path = data / "towns.yml"
    path.write_text(yaml.safe_dump(SUITE, sort_keys=False), "utf-8")
    for command in (assemble.command, generate.command):
        invoke(command, data, path)
    invoke(extract.command, data, path, "--limit", "3")
    with Store(data, read_only=True) as store:
        assert store.value("select count(*) from clusterings") == 0, "a part of the texts is not clustered"
    said = invoke(extract.command, data, path)
    assert "topic: 1 segments clustered, 0 already there." in said
    assert "baseline_topic_category: 1 segments clustered" in said
    assert "topic_concept: 0 segments clustered, 0 already there." in said
    return data, path


def content(data):
    with Store(data, read_only=True) as store:
        tables = ("clusterings", "topics", "topic_words", "suite_clusterings")
        return {table: store.rows(f"select * from {table} order by all") for table in tables}


def test_another_run_adds_nothing(towns):
    data, path = towns
    before = content(data)
    assert "topics: 0 segments to cluster" in invoke(extract.command, data, path, "--dry-run")
    assert "topic: 0 segments clustered, 1 already there." in invoke(extract.command, data, path)
    assert content(data) == before


def test_another_folder_has_the_same_clusters(towns, tmp_path):
    _, path = towns
    for command in (assemble.command, generate.command, extract.command):
        invoke(command, tmp_path, path)
    assert content(tmp_path) == content(towns[0])


def test_topics_reach_the_marts(towns):
    data, _ = towns
    models = ["fct_measurements", "dim_topics", "dim_topic_words", "fct_topic_examples", "dim_responses"]
    build(data, [*models, "int_features_listed"])
    with Warehouse(data) as marts:
        topics = marts.rows("select * from dim_topics where topic_set = 'topic' order by topic_position")
        statuses = marts.rows(
            "select feature, measurement_status as status, count(*) as n, count(value) as n_values,"
            " sum(value) as total, count(baseline_value) as n_baselines from fct_measurements"
            " where feature like '%topic%' and config <> 'baseline' group by all"
        )
        examples = marts.rows(
            "select e.topic_position, r.response, e.n_answers from fct_topic_examples as e"
            " inner join dim_responses as r using (response_key) where e.topic_set = 'topic' order by all"
        )
        listed = marts.rows("select category, feature, range_low, range_high from int_features_listed")
    # The three things that are said are the three topics; SQL places each answer where k-means had it.
    said = {row["topic_position"]: set() for row in topics}
    for row in examples:
        said[row["topic_position"]].add(row["response"])
    answers = SUITE["categories"]["TOWN"]["simulated"]["answers"]
    assert sorted(map(sorted, said.values())) == sorted(
        sorted(answers[name]) for name in ("food", "sport", "rain")
    )
    ones = {row["feature"]: row["total"] for row in statuses if row["status"] == "ok"}
    assert [row["n_members"] for row in topics] == [ones[row["feature"]] for row in topics]
    assert sum(row["topic_share"] for row in topics) == pytest.approx(1)
    by_answer = {frozenset(said[row["topic_position"]]): row["theme"] for row in topics}
    themes = {name: by_answer[frozenset(answers[name])] for name in ("food", "sport", "rain")}
    assert "bread" in themes["food"] and "football" in themes["sport"] and "rain" in themes["rain"]
    # Dots leave an empty text, a question without answers leaves no cluster, templates have no concept.
    seen = {(row["feature"], row["status"]) for row in statuses}
    assert {("topic_1", "empty"), ("topic_1", "failed_response"), ("topic_concept_1", "no_segment")} <= seen
    assert all((row["n_values"] > 0) == (row["status"] == "ok") for row in statuses)
    # A distance has its baseline's beside it, membership has none.
    with_baseline = {row["feature"] for row in statuses if row["n_baselines"]}
    assert with_baseline == {f"cosine_distance_to_baseline_topic_category_{i}" for i in (1, 2, 3)}
    ranges = {
        row["feature"]: (row["range_low"], row["range_high"]) for row in listed if row["category"] == "TOWN"
    }
    assert ranges["topic_1"] == (0, 1) and ranges["cosine_distance_wrt_baseline"] == (0, 2)
    assert ranges["l1_distance_wrt_baseline"] == (None, None)


@pytest.mark.parametrize(
    ("topics", "problem"),
    [
        ([{}, {}], "the responses of segment 'none' are clustered here twice"),
        ([{"segment": "person"}], "one of 'none', 'domain'"),
        ([{"categories": ["NONE"]}], "there is no category 'NONE'"),
        ([{"membership": False}], "nothing is measured"),
        ([{"distances": ["far"]}], "there is no distance 'far'"),
        ([{"clusters": 0}], "a number of at least 1"),
    ],
)
def test_topics_that_cannot_be(topics, problem, tmp_path):
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump({**SUITE, "topics": topics}, sort_keys=False), "utf-8")
    with pytest.raises(PlumblineError, match=problem):
        load_suite(path)
