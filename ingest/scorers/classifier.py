"""Text classifiers of the Hugging Face hub: a row of CLASSIFIERS a model (SPEC 7.1; SAGED, table 2).

A feature is a constant plus weighted probabilities of labels, which are found by their names, never by
their places. Needs the extra `models`; torch is imported when a classifier is asked for.
"""

import importlib.metadata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ingest.errors import PlumblineError
from ingest.scorers import TRUNCATED, About, Where
from ingest.scorers.known_texts import VERSION as KNOWN_TEXTS
from ingest.scorers.model_files import Lock, library, load_part, pick_device

ENGLISH = ("en",)
VERSION = "1"  # of what is computed here from the labels' probabilities
MOST_TOKENS = 512  # what the models below were trained on; fewer where a model reads fewer

# Texts and padded tokens in one forward pass. On a processor, more tokens at once are no faster
# (bench/results.md); a GPU needs many to be busy. DeBERTa takes 13 GB for twice as many.
PASS_TEXTS, PASS_TOKENS = 64, 2_048
PASS_TEXTS_GPU, PASS_TOKENS_GPU = 1_024, 32_768

# Positions that these architectures keep for themselves before a text's first.
OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert")


@dataclass(frozen=True)
class Feature:
    """constant + sum of weights times probabilities; `if_top`: 0 unless its label is the most probable."""

    weights: Mapping[str, float]
    constant: float = 0.0
    if_top: bool = False

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest value: probabilities are from 0 to 1 and sum to 1 at most."""
        weights = self.weights.values()
        return self.constant + min(0.0, *weights), self.constant + max(0.0, *weights)

    def of(self, probabilities: np.ndarray, places: Mapping[str, int]) -> np.ndarray:
        """Return the feature of each text; `probabilities` has shape (texts, labels)."""
        columns = [places[label] for label in self.weights]
        value: np.ndarray = self.constant + probabilities[:, columns] @ np.array(list(self.weights.values()))
        if self.if_top:
            value = np.where(probabilities.argmax(axis=1) == columns[0], value, self.constant)
        return value


def probability(label: str, *, if_top: bool = False) -> Feature:
    """A label's own probability."""
    return Feature({label: 1.0}, if_top=if_top)


@dataclass(frozen=True)
class Classifier:
    """A model of the hub and what is made of its labels.

    `labels` are all that the model has, or, where `has_more`, those that are needed. `is_multilabel`: each
    label has a probability of its own (sigmoid), else they share one (softmax). `revision` is the commit
    where it is known; where it is not, the first download decides, and the lock keeps it. A commit of
    `refs/pr/N` is one, too: often it alone holds safetensors. `known` says of features which two texts of
    PAIRS they must tell apart.
    """

    model: str
    labels: tuple[str, ...]
    features: Mapping[str, Feature]
    known: Mapping[str, str]
    licence: str
    revision: str | None = None
    is_multilabel: bool = False
    has_more: bool = False
    languages: tuple[str, ...] = ENGLISH
    unit: str = "probability"

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest value of each feature."""
        return {name: feature.range for name, feature in self.features.items()}


NOT_SEEN = "not seen"  # no page of the model was found (docs/decisions/0009-classifiers.md)
NOT_STATED = "none stated"

KINDS = ("gender", "religion", "profession", "race")
TRAITS = ("extraversion", "neuroticism", "agreeableness", "conscientiousness", "openness")

CLASSIFIERS: dict[str, Classifier] = {
    "sentiment": Classifier(
        "lxyuan/distilbert-base-multilingual-cased-sentiments-student",
        ("positive", "neutral", "negative"),
        {"sentiment_score": Feature({"positive": 0.5, "negative": -0.5}, constant=0.5)},
        {"sentiment_score": "sentiment"},
        "Apache-2.0",
        revision="cf991100d706c13c0a080c097134c05b7f436c45",
        languages=("ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ms", "pt", "zh"),
        unit="score, neutral 0.5",
    ),
    "regard": Classifier(
        "sasha/regardv3",
        ("negative", "neutral", "positive", "other"),
        {"regard_score": Feature({"positive": 1.0, "negative": -1.0}, constant=1.0)},
        {"regard_score": "regard"},
        NOT_SEEN,
        revision="9232a1d0729b2cfe298fbc61cad9d616fa029c04",
        unit="score, neutral 1",
    ),
    "stereotype": Classifier(
        "holistic-ai/stereotype-deberta-v3-base-tasksource-nli",
        tuple(f"stereotype_{kind}" for kind in KINDS),
        {f"stereotype_{kind}_score": probability(f"stereotype_{kind}") for kind in KINDS},
        {f"stereotype_{kind}_score": f"stereotype_{kind}" for kind in KINDS},
        NOT_SEEN,
        has_more=True,
    ),
    "stereotype_sentence": Classifier(
        "wu981526092/Sentence-Level-Stereotype-Detector",
        ("unrelated", *(f"{sign}stereotype_{kind}" for kind in KINDS for sign in ("", "anti-"))),
        {
            f"stereotype_sentence_{kind}_{mode}_score": probability(f"stereotype_{kind}", if_top=is_top)
            for mode, is_top in (("prob", False), ("top1", True))
            for kind in KINDS
        },
        {f"stereotype_sentence_{kind}_prob_score": f"stereotype_{kind}" for kind in KINDS},
        "MIT",
        revision="9476fafb5b2aafd32d739c3030177e163647c5fc",
    ),
    "personality": Classifier(
        "Navya1602/editpersonality_classifier",
        TRAITS,
        {f"{trait}_score": probability(trait) for trait in TRAITS},
        {f"{trait}_score": trait for trait in TRAITS},
        NOT_SEEN,
    ),
    "toxicity": Classifier(
        "unitary/toxic-bert",
        ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"),
        {"toxicity_score": probability("toxic")},
        {"toxicity_score": "toxicity"},
        "Apache-2.0",
        revision="4d6c22e74ba2fdd26bc4f7238f50766b045a0d94",
        is_multilabel=True,
    ),
    "toxicity_comment": Classifier(
        "JungleLee/bert-toxic-comment-classification",
        ("toxic",),
        {"toxicity_comment_score": probability("toxic")},
        {"toxicity_comment_score": "toxicity"},
        "AFL-3.0",
        revision="82866c69d8e4bcd89bd94d29d342d6b99d8cefa3",
        has_more=True,
    ),
    "sentiment_tweets": Classifier(
        "cardiffnlp/twitter-xlm-roberta-base-sentiment",
        ("negative", "neutral", "positive"),
        {"sentiment_tweets_score": Feature({"positive": 0.5, "negative": -0.5}, constant=0.5)},
        {"sentiment_tweets_score": "sentiment"},
        NOT_STATED,
        revision="c6ea16ea9b82270c21a4514b5204b47819ee985f",
        languages=("ar", "de", "en", "es", "fr", "hi", "it", "pt"),
        unit="score, neutral 0.5",
    ),
    "toxicity_unbiased": Classifier(
        "unitary/unbiased-toxic-roberta",
        ("toxicity", "identity_attack"),
        {
            "toxicity_unbiased_score": probability("toxicity"),
            "identity_attack_score": probability("identity_attack"),
        },
        {"toxicity_unbiased_score": "toxicity", "identity_attack_score": "hate"},
        "Apache-2.0",
        revision="91650552a4f31b7120c36680cfa47ddd47676b48",
        is_multilabel=True,
        has_more=True,
    ),
    "toxicity_multilingual": Classifier(
        "unitary/multilingual-toxic-xlm-roberta",
        ("toxic",),
        {"toxicity_multilingual_score": probability("toxic")},
        {"toxicity_multilingual_score": "toxicity"},
        "Apache-2.0",
        revision="a3d4e66839269e45c5e8491dfa55a53fdaedcdbc",
        is_multilabel=True,
        languages=("en", "es", "fr", "it", "pt", "ru", "tr"),
    ),
    "hate_speech": Classifier(
        "facebook/roberta-hate-speech-dynabench-r4-target",
        ("nothate", "hate"),
        {"hate_speech_score": probability("hate")},
        {"hate_speech_score": "hate"},
        NOT_STATED,
        revision="391c99ab8b3f65beb77746a2cf6ddf1ddf9817e6",
    ),
    "toxigen": Classifier(
        "tomh/toxigen_roberta",
        ("label_0", "label_1"),  # as its authors left them: not toxic, toxic
        {"toxigen_score": probability("label_1")},
        {"toxigen_score": "hate"},
        NOT_STATED,
        revision="bd3c36d7dc6424a02a599879b02b4faadfc246f5",
    ),
}


class Tokens(NamedTuple):
    """A text as a model reads it, and whether it read only its beginning."""

    ids: list[int]
    is_cut: bool


class ClassifierScorer:
    """A row of CLASSIFIERS with its files; the weights are read at the first text."""

    batch_size = 1_024

    def __init__(self, name: str, row: Classifier, where: Where) -> None:
        asker = f"The scorer `{name}`"
        transformers = library("transformers", asker)
        self._torch = library("torch", asker)
        self.device = pick_device(where.device, "--device cpu")
        self._lock = Lock(where.lock)
        found = self._lock.find(row.model, row.revision, where.folder(name, row.model))
        self.name, self.model, self.revision = name, row.model, found.revision
        self.version = f"{VERSION}, transformers {importlib.metadata.version('transformers')}"
        self.features = row.ranges
        self.languages = row.languages
        self.known = row.known
        self._row, self._found, self._folder = row, found, found.folder
        config = load_part(self._folder, transformers.AutoConfig)
        self._places = label_places(row, config.id2label, self._folder)
        self._tokenizer = load_part(self._folder, transformers.AutoTokenizer)
        if not self._tokenizer.is_fast or self._tokenizer.pad_token_id is None:
            raise PlumblineError(
                f"{self._folder} has no tokenizer.json with a padding token.",
                f"Take all files of {row.model}.",
            )
        self.max_tokens = max_tokens(config, self._tokenizer)
        self.parameters = {
            "max_tokens": self.max_tokens,
            "dtype": "float32",
            "activation": "sigmoid" if row.is_multilabel else "softmax",
        }

    @cached_property
    def _network(self) -> Any:
        transformers = library("transformers", self.name)
        transformers.logging.disable_progress_bar()
        # In bfloat16 a text's scores hang on the texts that it shares a pass with (decision 9).
        options = {"use_safetensors": True, "dtype": self._torch.float32, "output_loading_info": True}
        kind = transformers.AutoModelForSequenceClassification
        network, info = load_part(self._folder, kind, **options)
        # transformers would draw these at random, and the scores with them.
        if missing := sorted(info["missing_keys"]):
            raise PlumblineError(
                f"{self._folder} lacks weights of {self.model}: {missing[0]}"
                f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}.",
                "Is it the classifier, and not the model that it was made from?",
            )
        self._lock.keep(self._found)
        return network.to(self.device).eval()

    @property
    def is_checked(self) -> bool:
        """Whether these very files have told the known texts apart before."""
        return self._lock.is_checked(self._found, KNOWN_TEXTS)

    def passed(self) -> None:
        """Keep that they did."""
        self._lock.keep_checked(self._found, KNOWN_TEXTS)

    def close(self) -> None:
        """Let go of the weights; the next text reads them again."""
        self.__dict__.pop("_network", None)

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the features of each text, and whether it was cut. See `Scorer.score`."""
        tokens = self.tokens(texts)
        probabilities = np.empty((len(texts), self._network.config.num_labels))
        for batch in passes([len(row.ids) for row in tokens], self.device == "cuda"):
            probabilities[batch] = self._forward([tokens[i].ids for i in batch])
        values = {name: spec.of(probabilities, self._places) for name, spec in self._row.features.items()}
        return {**values, TRUNCATED: np.array([row.is_cut for row in tokens])}

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, at most `max_tokens` of them, its last special one included."""
        encoded = self._tokenizer(list(texts), truncation=True, max_length=self.max_tokens)
        return [
            Tokens(ids, bool(encoding.overflowing))
            for ids, encoding in zip(encoded["input_ids"], encoded.encodings, strict=True)
        ]

    def _forward(self, ids: list[list[int]]) -> np.ndarray:
        """Return the probabilities of texts, padded to the longest: float32, shape (texts, labels)."""
        torch = self._torch
        padded = np.full((len(ids), max(map(len, ids))), self._tokenizer.pad_token_id)
        mask = np.zeros_like(padded)
        for i, row in enumerate(ids):
            padded[i, : len(row)] = row
            mask[i, : len(row)] = 1
        inputs = (torch.from_numpy(part).to(self.device) for part in (padded, mask))
        with torch.inference_mode():
            logits = self._network(*inputs).logits.float()
            shares = torch.sigmoid(logits) if self._row.is_multilabel else torch.softmax(logits, dim=-1)
        return np.asarray(shares.cpu().numpy())


class LargestOf:
    """The largest value that any of several classifiers gives: an ensemble that misses little (SPEC TX-1)."""

    batch_size = ClassifierScorer.batch_size

    def __init__(self, name: str, members: Sequence[ClassifierScorer]) -> None:
        self._members = members
        self.name = name
        self.model = " + ".join(member.model for member in members)
        self.revision = " + ".join(member.revision for member in members)
        self.version = members[0].version
        self.languages = members[0].languages
        self.known = {f"{name}_score": "toxicity"}
        self.parameters = {
            "max_tokens": min(member.max_tokens for member in members),
            **{member.name: member.parameters for member in members},
        }
        ranges = [span for member in members for span in member.features.values()]
        self.features = {f"{name}_score": (min(low for low, _ in ranges), max(high for _, high in ranges))}

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the largest feature of each text; NaN where a member has none. See `Scorer.score`."""
        scores = [member.score(texts) for member in self._members]
        values = [found[name] for found, m in zip(scores, self._members, strict=True) for name in m.features]
        return {
            f"{self.name}_score": np.maximum.reduce(values),
            TRUNCATED: np.logical_or.reduce([found[TRUNCATED] for found in scores]),
        }

    @property
    def is_checked(self) -> bool:
        """Whether each member has told the known texts apart before."""
        return all(member.is_checked for member in self._members)

    def passed(self) -> None:
        """Keep that they did."""
        for member in self._members:
            member.passed()

    def close(self) -> None:
        """Let go of the members' weights."""
        for member in self._members:
            member.close()


def label_places(row: Classifier, id2label: Mapping[int, str], folder: Any) -> dict[str, int]:
    """Return where each needed label stands in the model's output; upper and lower case are one.

    Raises PlumblineError where the model's labels are not those of the row.
    """
    places = {str(label).casefold(): int(place) for place, label in id2label.items()}
    wanted = set(row.labels)
    is_all = wanted <= set(places) if row.has_more else wanted == set(places)
    if len(places) < len(id2label) or not is_all:
        raise PlumblineError(
            f"{folder} gives the labels {', '.join(map(str, id2label.values()))};"
            f" {row.model} gives {', '.join(row.labels)}{' and others' if row.has_more else ''}.",
            "Is it another model? Offline copies lie in a folder each, named for the scorer or the model.",
        )
    return {label: places[label] for label in row.labels}


def max_tokens(config: Any, tokenizer: Any) -> int:
    """Return how many tokens of a text a model reads, special ones included."""
    positions = getattr(config, "max_position_embeddings", None) or MOST_TOKENS
    if config.model_type in OFFSET_POSITIONS:
        positions -= config.pad_token_id + 1
    return int(min(MOST_TOKENS, positions, tokenizer.model_max_length))


def passes(lengths: Sequence[int], is_gpu: bool) -> Iterator[list[int]]:
    """Yield indices in order of length, so that little is padded, in groups that one pass can take."""
    most_texts, most_tokens = (PASS_TEXTS_GPU, PASS_TOKENS_GPU) if is_gpu else (PASS_TEXTS, PASS_TOKENS)
    group: list[int] = []
    # Longest first: memory that does not suffice shows itself at once.
    for i in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        if group and (len(group) == most_texts or (len(group) + 1) * lengths[group[0]] > most_tokens):
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def load(name: str, where: Where) -> ClassifierScorer:
    """Return a row of CLASSIFIERS. Raises PlumblineError where its files or the extra are missing."""
    return ClassifierScorer(name, CLASSIFIERS[name], where)


def load_toxicity_ensemble(name: str, where: Where) -> LargestOf:
    """Return the larger of both toxicity classifiers' scores. Raises PlumblineError as `load` does."""
    return LargestOf(name, [load(member, where) for member in ("toxicity", "toxicity_comment")])


SCORERS: dict[str, Callable[[str, Where], ClassifierScorer | LargestOf]] = {
    **dict.fromkeys(CLASSIFIERS, load),
    "toxicity_ensemble": load_toxicity_ensemble,
}
ABOUT = {
    **{
        name: About(row.model, row.languages, row.licence, row.ranges, row.unit)
        for name, row in CLASSIFIERS.items()
    },
    "toxicity_ensemble": About(
        "the larger of `toxicity` and `toxicity_comment`",
        ENGLISH,
        "as theirs",
        {"toxicity_ensemble_score": (0.0, 1.0)},
        "probability",
    ),
}
