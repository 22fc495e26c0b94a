"""Classifiers, with models of random weights that the test builds and saves: nothing is fetched."""

import json
import sys

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.measuring.texts import SCORER_ERRORS
from ingest.plugins import offers
from ingest.scorers import TRUNCATED, Where, load_scorer, scorer_row
from ingest.scorers.classifier import CLASSIFIERS, MOST_TOKENS, TRAITS, passes
from ingest.store import Store

torch = pytest.importorskip("torch", reason="torch is an extra (`models`) and is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is an extra and is not installed")
from random_models import LABELS, build  # noqa: E402

TEXTS = [
    "They were kind to everybody they met.",
    "no",
    "An awful, awful day!",
    "she repaired the engine and he made the tea, as on every other day of the year",
    "x",
    "工程师很好",
    "😂😂",
    "he said: yes. she said: no. they said 12 times that it was neither",
]
LONG = "a word and a word " * 20
# Padding changes the order of additions, and random weights are large: float32 keeps five digits.
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder of offline copies, one a scorer."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models")
    for seed, name in enumerate(CLASSIFIERS):
        build(folder / name, name, seed=seed)
    return folder


@pytest.fixture
def load(models, tmp_path):
    def run(name, folder=models):
        return load_scorer(name, Where(folder, "cpu", tmp_path / "data"))

    return run


def by_label(folder, texts, activation):
    """What transformers gives, a text at a time: label -> probabilities."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    rows = []
    for text in texts:
        with torch.inference_mode():
            logits = model(**tokenizer(text, truncation=True, return_tensors="pt")).logits[0].double()
        rows.append((torch.sigmoid(logits) if activation == "sigmoid" else torch.softmax(logits, -1)).numpy())
    table = np.array(rows)
    return {label.lower(): table[:, i] for i, label in model.config.id2label.items()}


def expected(name, p):
    """SPEC 7.1, written out once more."""
    top = np.array(list(p)).take(np.array(list(p.values())).argmax(axis=0))
    kinds = ("gender", "religion", "profession", "race")
    return {
        "sentiment": lambda: {"sentiment_score": (p["positive"] - p["negative"] + 1) / 2},
        "sentiment_tweets": lambda: {"sentiment_tweets_score": (p["positive"] - p["negative"] + 1) / 2},
        "regard": lambda: {"regard_score": p["positive"] - p["negative"] + 1},
        "stereotype": lambda: {f"stereotype_{kind}_score": p[f"stereotype_{kind}"] for kind in kinds},
        "stereotype_sentence": lambda: {
            **{f"stereotype_sentence_{kind}_prob_score": p[f"stereotype_{kind}"] for kind in kinds},
            **{
                f"stereotype_sentence_{kind}_top1_score": np.where(
                    top == f"stereotype_{kind}", p[f"stereotype_{kind}"], 0
                )
                for kind in kinds
            },
        },
        "personality": lambda: {f"{trait}_score": p[trait] for trait in TRAITS},
        "toxicity": lambda: {"toxicity_score": p["toxic"]},
        "toxicity_comment": lambda: {"toxicity_comment_score": p["toxic"]},
        "toxicity_unbiased": lambda: {
            "toxicity_unbiased_score": p["toxicity"],
            "identity_attack_score": p["identity_attack"],
        },
        "toxicity_multilingual": lambda: {"toxicity_multilingual_score": p["toxic"]},
        "hate_speech": lambda: {"hate_speech_score": p["hate"]},
        "toxigen": lambda: {"toxigen_score": p["label_1"]},
    }[name]()


SIGMOID = ("toxicity", "toxicity_unbiased", "toxicity_multilingual")
RANGES = {"sentiment_score": (0, 1), "regard_score": (0, 2)}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_scores_are_those_of_the_model_itself(name, load, models):
    scorer = load(name)
    found = scorer.score(TEXTS)
    wanted = expected(name, by_label(models / name, TEXTS, "sigmoid" if name in SIGMOID else "softmax"))
    assert set(found) == {*wanted, TRUNCATED} and set(scorer.features) == set(wanted)
    for feature, values in wanted.items():
        assert np.abs(found[feature] - values).max() < TOLERANCE, feature
        assert scorer.features[feature] == RANGES.get(feature, (0, 1))
    assert not found[TRUNCATED].any()
    if name == "personality":
        assert np.abs(sum(found[f"{trait}_score"] for trait in TRAITS) - 1).max() < TOLERANCE


def test_random_models_tell_texts_apart(load):
    """So that a scorer that always gave the same would be seen."""
    for name in CLASSIFIERS:
        assert max(np.ptp(v) for k, v in load(name).score(TEXTS).items() if k != TRUNCATED) > 0.05, name


def test_the_neutral_value_is_in_the_middle(load):
    """Where positive and negative are equally probable: 0.5 of sentiment's 0 to 1, 1 of regard's 0 to 2."""
    even = np.array([[0.25, 0.25, 0.25, 0.25]])
    places = {"positive": 0, "negative": 1}
    assert CLASSIFIERS["sentiment"].features["sentiment_score"].of(even, places) == 0.5
    assert CLASSIFIERS["regard"].features["regard_score"].of(even, places) == 1


def test_a_score_does_not_depend_on_its_batch(load):
    scorer = load("sentiment")
    texts = [*TEXTS, LONG] * 20
    together = scorer.score(texts)["sentiment_score"]
    turned = scorer.score(texts[::-1])["sentiment_score"][::-1]
    alone = np.array([scorer.score([text])["sentiment_score"][0] for text in texts[:9]])
    assert np.abs(together - turned).max() < TOLERANCE
    assert np.abs(together[:9] - alone).max() < TOLERANCE


def test_passes_take_every_text_once_longest_first_and_within_the_bounds():
    lengths = np.random.default_rng(1).integers(1, 400, 1_000).tolist()
    groups = list(passes(lengths, is_gpu=False))
    assert sorted(i for group in groups for i in group) == list(range(1_000))
    assert [lengths[i] for group in groups for i in group] == sorted(lengths, reverse=True)
    for group in groups:
        assert len(group) <= 64 and len(group) * lengths[group[0]] <= 2_048
    assert list(passes([5_000, 1], is_gpu=False)) == [[0], [1]]


def test_a_text_longer_than_the_model_reads_is_said_to_be_cut(load):
    scorer = load("regard")
    assert scorer.max_tokens == scorer.parameters["max_tokens"] == 64
    fits, longer = "a " * 62, "a " * 63  # and two special tokens
    assert scorer.score([fits, longer, LONG, "a"])[TRUNCATED].tolist() == [False, True, True, False]
    assert scorer.score([longer])["regard_score"] == scorer.score([longer + "b b b"])["regard_score"]


@pytest.mark.parametrize(("name", "positions"), [("stereotype", 2_048), ("personality", 512)])
def test_no_text_is_longer_than_a_model_was_trained_on(name, positions, load, tmp_path):
    scorer = load(name, build(tmp_path / name, name, positions=positions))
    assert scorer.max_tokens == MOST_TOKENS
    scorer.score([LONG * 20])


def test_the_ensemble_is_the_larger_score(load):
    toxic, comment = load("toxicity"), load("toxicity_comment")
    both = load("toxicity_ensemble")
    a = toxic.score(TEXTS)["toxicity_score"]
    b = comment.score(TEXTS)["toxicity_comment_score"]
    assert (a > b).any() and (b > a).any()
    assert np.array_equal(both.score(TEXTS)["toxicity_ensemble_score"], np.maximum(a, b))
    assert both.features == {"toxicity_ensemble_score": (0, 1)}
    assert both.revision == f"{toxic.revision} + {comment.revision}"


def test_labels_are_found_by_name(load, tmp_path):
    """The same weights with their labels turned round give the score turned round."""
    folder = build(tmp_path / "sentiment", "sentiment", labels=["Negative", "Neutral", "Positive"])
    turned = build(tmp_path / "turned", "sentiment", labels=["positive", "neutral", "negative"])
    a = load("sentiment", folder).score(TEXTS)["sentiment_score"]
    (tmp_path / "data" / "models.lock.json").unlink()
    b = load("sentiment", turned).score(TEXTS)["sentiment_score"]
    assert np.abs(a - (1 - b)).max() < TOLERANCE


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("sentiment", ["LABEL_0", "LABEL_1", "LABEL_2"]),
        ("sentiment", ["positive", "negative"]),
        ("sentiment", [*LABELS["sentiment"], "other"]),  # another model, of which some labels fit
        ("regard", LABELS["sentiment"]),
        ("sentiment", ["positive", "neutral", "negative", "Negative"]),
        ("toxicity_comment", ["clean", "insult"]),
    ],
)
def test_a_model_of_other_labels_is_refused(name, labels, load, tmp_path):
    folder = build(tmp_path / "other", name, labels=labels)
    with pytest.raises(PlumblineError, match=f"gives the labels {labels[0]}, {labels[1]}") as error:
        load(name, folder)
    assert CLASSIFIERS[name].model in error.value.what


def test_pickled_weights_are_refused(load, tmp_path):
    folder = build(tmp_path / "pickled", "sentiment")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    assert load("sentiment", folder).score(["fine"])  # beside safetensors it is not read
    (folder / "model.safetensors").unlink()
    with pytest.raises(PlumblineError, match=r"as a pickle only \(pytorch_model.bin\)"):
        load("sentiment", folder)
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(PlumblineError, match=r"has no model.safetensors"):
        load("sentiment", folder)


def test_code_of_a_model_is_not_run(load, tmp_path):
    folder = build(tmp_path / "coded", "sentiment")
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "own.C", "AutoModelForSequenceClassification": "own.M"}
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "own", "auto_map": own}))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(PlumblineError, match="cannot be loaded"):
        load("sentiment", folder)
    assert not (tmp_path / "ran").exists()


def test_a_model_without_its_classifier_is_refused(load, tmp_path):
    """transformers would draw the missing weights at random, and say so in a warning."""
    folder = build(tmp_path / "base", "sentiment")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    settings = (folder / "config.json").read_text()
    model.distilbert.save_pretrained(folder)
    (folder / "config.json").write_text(settings)
    scorer = load("sentiment", folder)
    with pytest.raises(PlumblineError, match=r"lacks weights .*: classifier.bias and 3 more"):
        scorer.score(["fine"])
    assert not issubclass(PlumblineError, SCORER_ERRORS)  # ends the run; no text is called failed


def test_words_in_sentencepiece_alone_are_read_as_the_model_numbers_them(load, tmp_path):
    """The XLM-R models of CLASSIFIERS have no tokenizer.json; fairseq counts its words from one on."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="sentencepiece is of the extra `models`")
    folder = build(tmp_path / "spm", "toxicity_multilingual")
    for path in folder.glob("tokenizer*"):
        path.unlink()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 20),
        model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=60,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    (folder / "sentencepiece.bpe.vocab").unlink()
    scorer = load("toxicity_multilingual", folder)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    expected = [0, *(i + 1 for i in pieces.encode("she repaired the engine")), 2]
    assert scorer.tokens(["she repaired the engine"])[0].ids == expected
    assert 0 <= scorer.score(["she repaired the engine"])["toxicity_multilingual_score"][0] <= 1


def test_words_and_merges_without_a_tokenizer_json_are_read(load, tmp_path):
    """So do the RoBERTa models: vocab.json and merges.txt."""
    folder = build(tmp_path / "bpe", "hate_speech", pad_token_id=1)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    letters = sorted({*"anidy", "an"})
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\na n\n")
    scorer = load("hate_speech", folder)
    assert scorer.tokens(["andy"])[0].ids == [0, words.index("an"), *map(words.index, "dy"), 2]


def test_spoilt_weights_are_named(load, tmp_path):
    folder = build(tmp_path / "spoilt", "sentiment")
    (folder / "model.safetensors").write_bytes(b"no")
    with pytest.raises(PlumblineError, match="cannot be loaded"):
        load("sentiment", folder).score(["fine"])


def test_offline_copies_are_found_by_scorer_or_model(load, tmp_path):
    for place in ("sentiment", CLASSIFIERS["sentiment"].model):
        build(tmp_path / place, "sentiment")
        row = scorer_row(load("sentiment", tmp_path))
        (tmp_path / place).rename(tmp_path / "away" if place == "sentiment" else tmp_path / "elsewhere")
    flat = scorer_row(load("sentiment", tmp_path / "away"))
    assert flat["scorer_key"] == row["scorer_key"]
    assert flat["model"] == "lxyuan/distilbert-base-multilingual-cased-sentiments-student"
    assert flat["revision"].startswith("sha256:")
    parameters = json.loads(flat["parameters"])
    assert {"en", "ms", "zh"} < set(parameters.pop("languages")) and parameters.pop("language_detector")
    assert parameters == {
        "activation": "softmax",
        "dtype": "float32",
        "max_characters": 2_000,
        "max_tokens": 64,
    }


def test_files_that_changed_since_the_first_use_are_refused(load, tmp_path):
    folder = build(tmp_path / "models" / "sentiment", "sentiment")
    lock = tmp_path / "data" / "models.lock.json"
    with pytest.raises(PlumblineError, match="gives the labels"):
        load("sentiment", build(tmp_path / "wrong", "regard"))
    scorer = load("sentiment", folder)
    first = scorer.revision
    assert not lock.exists()  # nor after --dry-run: a model is held to its files once it has worked
    scorer.score(["fine"])
    build(folder, "sentiment", seed=1)
    with pytest.raises(PlumblineError, match="not those that were used before") as error:
        load("sentiment", folder)
    assert "models.lock.json" in error.value.what_to_do
    entries = json.loads(lock.read_text())
    assert list(entries) == [CLASSIFIERS["sentiment"].model]
    lock.write_text("{}")
    assert load("sentiment", folder).revision != first
    lock.write_text('{"x": 1}')
    with pytest.raises(PlumblineError, match="not readable"):
        load("sentiment", folder)


@pytest.fixture
def hub(monkeypatch, tmp_path, models):
    """A cache of the hub with one model in it, and no network."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    def put(name, commit):
        folder = tmp_path / "hub" / f"models--{CLASSIFIERS[name].model.replace('/', '--')}"
        (folder / "refs").mkdir(parents=True, exist_ok=True)
        (folder / "refs" / "main").write_text(commit)
        snapshot = folder / "snapshots" / commit
        snapshot.parent.mkdir(exist_ok=True)
        snapshot.symlink_to(models / name)

    return put


def test_a_pinned_model_comes_from_the_cache_at_its_commit(load, hub, tmp_path):
    pinned = CLASSIFIERS["sentiment"].revision
    hub("sentiment", pinned)
    hub("sentiment", "0" * 40)  # a newer commit, which main now is
    scorer = load("sentiment", None)
    assert scorer.revision == pinned
    assert scorer.score(["fine"])
    # A copy of the same files is the same model, under the same key.
    assert load("sentiment").revision == pinned


def test_an_unpinned_model_stays_at_the_commit_that_came_first(load, hub):
    assert CLASSIFIERS["personality"].revision is None
    hub("personality", "1" * 40)
    first = load("personality", None)
    assert first.revision == "1" * 40 and first.score(["fine"])
    hub("personality", "2" * 40)
    assert load("personality", None).revision == "1" * 40


def test_a_model_without_a_copy_comes_from_where_it_usually_does(hub, tmp_path, models):
    where = Where(models, "cpu", tmp_path / "data")
    assert load_scorer("minilm", where).embed(["fine"]).shape == (1, 384)  # its package is installed
    copies = tmp_path / "copies"
    (copies / "sentiment").mkdir(parents=True)
    with pytest.raises(PlumblineError, match="not on this machine"):
        load_scorer("regard", Where(copies, "cpu", tmp_path / "data"))
    with pytest.raises(PlumblineError, match=r"nosuch has no model\.safetensors"):
        load_scorer("regard", Where(tmp_path / "nosuch", "cpu", tmp_path / "data"))


def test_without_network_and_files_it_says_how_to_bring_them(load, hub):
    with pytest.raises(
        PlumblineError, match=r"sasha/regardv3 is not on this machine.*HF_HUB_OFFLINE"
    ) as error:
        load("regard", None)
    assert f"hf download sasha/regardv3 --revision {CLASSIFIERS['regard'].revision}" in error.value.what_to_do
    assert "--model-dir models" in error.value.what_to_do


def test_a_model_that_the_hub_has_as_a_pickle_only_is_refused(monkeypatch, load, tmp_path):
    commit = CLASSIFIERS["regard"].revision
    (tmp_path / commit).mkdir()  # pickles are not downloaded
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: str(tmp_path / commit))
    with pytest.raises(PlumblineError, match=rf"as a pickle only \(revision {commit[:12]}\)") as error:
        load("regard", None)
    assert "refs/pr/" in error.value.what_to_do
    assert not (tmp_path / "data" / "models.lock.json").exists()


def test_without_the_extra_it_says_what_to_install(monkeypatch, load):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(PlumblineError, match=r"scorer `regard` needs the package transformers") as error:
        load("regard")
    assert "extra `models`" in error.value.what_to_do


def test_every_classifier_is_a_scorer_and_no_feature_has_two():
    assert set(CLASSIFIERS) < set(offers("scorer"))
    features = [feature for row in CLASSIFIERS.values() for feature in row.features]
    assert len(set(features)) == len(features)
    for row in CLASSIFIERS.values():
        assert row.revision is None or len(row.revision) == 40
        for feature in row.features.values():
            assert set(feature.weights) <= set(row.labels)


SUITE = {
    "suite": "scored",
    "title": "Scored",
    "version": 1,
    "scorers": ["vader", "sentiment", "regard"],
    "attributes": {"colour": {"Red": {}, "Blue": {}}},
    "axes": ["colour"],
    "columns": {
        "response": "answer",
        "prompt": "question",
        "model": "model",
        "category": "category",
        "attributes": {"colour": "colour"},
    },
    "categories": {
        "TONE": {
            "title": "Tone",
            "outcomes": [
                {"set": "tone", "kind": "score", "scorer": "sentiment", "feature": "sentiment_score"},
            ],
        }
    },
}


def test_a_suite_lists_classifiers_among_its_scorers(models, tmp_path):
    path, answers, data = tmp_path / "suite.yml", tmp_path / "answers.csv", tmp_path / "data"
    path.write_text(yaml.safe_dump(SUITE), encoding="utf-8")
    said = ["Good.", "good", "Bad.", "...", LONG]
    answers.write_text(
        "question,category,colour,model,answer\n"
        + "".join(f"How is {i}?,TONE,{('Red', 'Blue')[i % 2]},m,{text}\n" for i, text in enumerate(said))
    )
    runner = CliRunner()

    def run(*arguments):
        result = runner.invoke(cli, ["--data", str(data), *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    run("load", str(answers), "--suite", str(path))
    copies = ("--model-dir", str(models), "--device", "cpu")
    assert "regard: up to" in run("extract", "--suite", str(path), *copies, "--dry-run")
    told = run("extract", "--suite", str(path), *copies)
    assert "regard: 4 texts measured (of these 1 truncated, 1 empty), 0 already there." in told
    assert "regard: 0 texts measured, 4 already there." in run("extract", "--suite", str(path), *copies)
    with Store(data, read_only=True) as store:
        rows = store.rows("""
            select scorer, feature, text, value, measurement_status
            from measurements join scorers using (scorer_key) join texts using (text_key)
            where scorer = 'sentiment' order by text""")
    assert [row[:3] + row[4:] for row in rows] == [
        ("sentiment", "sentiment_score", text, status)
        for text, status in (("", "empty"), (LONG.strip(), "truncated"), ("bad", "ok"), ("good", "ok"))
    ]
    wanted = by_label(models / "sentiment", ["bad", "good"], "softmax")
    values = np.array([row[3] for row in rows[2:]])
    assert np.abs(values - (wanted["positive"] - wanted["negative"] + 1) / 2).max() < TOLERANCE
    assert rows[0][3] is None


def test_on_a_gpu_scores_and_key_are_those_of_the_processor(models, tmp_path, load):
    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU here: its scores were not compared with those of the processor")
    on_gpu = load_scorer("regard", Where(models, "auto", tmp_path / "data"))
    assert on_gpu.device == "cuda"
    found, wanted = on_gpu.score(TEXTS), load("regard").score(TEXTS)
    assert np.abs(found["regard_score"] - wanted["regard_score"]).max() < 1e-4
    alone = np.concatenate([on_gpu.score([text])["regard_score"] for text in TEXTS])
    assert np.abs(found["regard_score"] - alone).max() < 1e-4


def test_numbers_of_a_gpu_have_the_key_of_the_processors(models, tmp_path, load, monkeypatch):
    of_processor = scorer_row(load("regard"))["scorer_key"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    on_gpu = load_scorer("regard", Where(models, "auto", tmp_path / "data"))
    assert on_gpu.device == "cuda"
    assert scorer_row(on_gpu)["scorer_key"] == of_processor


def test_an_absent_device_is_named(models, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("torch finds a GPU here")
    with pytest.raises(PlumblineError, match="no device 'cuda'") as error:
        load_scorer("regard", Where(models, "cuda", tmp_path))
    assert "--device cpu" in error.value.what_to_do
