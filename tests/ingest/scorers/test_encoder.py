"""Tests of ingest/scorers/encoder.py.

tests/fixtures/minilm_reference.npz holds what sentence-transformers itself gives for TEXTS. It is made
again, in an environment with torch, sentence-transformers and the model's weights package, by

    python tests/ingest/scorers/test_encoder.py
"""

import hashlib
import importlib.util
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from places import FIXTURES
from scipy.special import erf

from ingest.errors import PlumblineError
from ingest.scorers import encoder as embed

REFERENCE = FIXTURES / "minilm_reference.npz"
TOLERANCE = 1e-5

TEXTS = [
    "The nurse handed the chart to the surgeon before her shift ended.",
    "Yes.",
    "",
    " \n\t ",
    "Every term the committee reads each letter, weighs what it says, and writes an answer by hand. " * 40,
    "Great job 🎉🎉 — see you at the 🏥 👩🏽‍⚕️ tomorrow 😅",
    "这位工程师在新加坡工作了十年，同事们都很信任她。",
    "Jurutera itu bekerja di Singapura dan dihormati oleh rakan sekerjanya.",
    "அந்தப் பொறியாளர் சிங்கப்பூரில் பத்து ஆண்டுகள் வேலை செய்தார்.",
    "<script>alert('x')</script><img src=x onerror=\"fetch('//evil.example')\">'; DROP TABLE runs; --",
    "Ångström café naïve ŒUVRE ﬁnance ½ №5 … “quoted” [CLS] [MASK] ##ing",
    "x" * 150 + " is one word of one hundred and fifty letters",
    "1,234.56 kg; 2024-02-29T23:59:60Z; a_b-c/d\\e|f",
]


def texts_sha256() -> str:
    return hashlib.sha256("\0".join(TEXTS).encode()).hexdigest()


def write_reference() -> None:
    import sentence_transformers
    import torch

    model = sentence_transformers.SentenceTransformer(str(embed.find_model()), device="cpu")
    np.savez_compressed(
        REFERENCE,
        vectors=model.encode(TEXTS, convert_to_numpy=True),
        texts_sha256=texts_sha256(),
        made_with=f"sentence-transformers {sentence_transformers.__version__}, torch {torch.__version__}",
    )


@pytest.fixture(scope="module")
def folder() -> Path:
    return embed.find_model()


@pytest.fixture(scope="module")
def encoder(folder: Path) -> embed.NumpyEncoder:
    return embed.NumpyEncoder(folder)


@pytest.fixture(scope="module")
def vectors(encoder: embed.NumpyEncoder) -> np.ndarray:
    return encoder.encode(TEXTS)


@pytest.fixture
def hide(monkeypatch: pytest.MonkeyPatch):
    """Makes modules look as if they were not installed."""
    find_spec = importlib.util.find_spec

    def hide_modules(*names: str) -> None:
        monkeypatch.setattr(
            embed.importlib.util, "find_spec", lambda name: None if name in names else find_spec(name)
        )

    return hide_modules


@pytest.fixture
def hub_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache of the Hugging Face hub, with the network switched off."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return tmp_path


def has_device(name: str) -> bool:
    import torch

    return torch.cuda.is_available() if name == "cuda" else torch.backends.mps.is_available()


def assert_same(a: np.ndarray, b: np.ndarray, tolerance: float) -> None:
    assert a.shape == b.shape
    assert np.abs(a - b).max() <= tolerance


def test_equals_the_stored_vectors_of_sentence_transformers(vectors):
    reference = np.load(REFERENCE, allow_pickle=False)
    assert reference["texts_sha256"] == texts_sha256(), "TEXTS changed: make the fixture again"
    assert_same(vectors, reference["vectors"], TOLERANCE)


@pytest.mark.skipif(
    not importlib.util.find_spec("sentence_transformers"),
    reason="sentence-transformers is not installed here (models extra); the same comparison runs on stored"
    " vectors in test_equals_the_stored_vectors_of_sentence_transformers",
)
def test_equals_sentence_transformers_run_live(vectors, folder):
    live = embed.load_encoder(folder)
    assert isinstance(live, embed.SentenceTransformersEncoder)
    assert (live.name, live.revision, live.dimensions) == (embed.MODEL, embed.REVISION, 384)
    assert_same(vectors, live.encode(TEXTS), TOLERANCE)
    assert live.encode([]).shape == (0, 384)
    absent = next(name for name in ("mps", "cuda") if not has_device(name))
    with pytest.raises(PlumblineError, match=f"no device '{absent}'"):
        embed.load_encoder(folder, absent)


@pytest.mark.skipif(
    not importlib.util.find_spec("sentence_transformers"),
    reason="sentence-transformers is not installed here (models extra): only it reads modules.json",
)
def test_sentence_transformers_wants_all_files_run_live(folder, tmp_path):
    for name in embed.SHA256:
        (tmp_path / name).symlink_to(folder / name)
    with pytest.raises(PlumblineError, match=r"has no modules\.json"):
        embed.load_encoder(tmp_path)


def test_vectors_are_float32_of_unit_length(vectors):
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows(encoder):
    nothing = encoder.encode([])
    assert nothing.shape == (0, 384)
    assert nothing.dtype == np.float32


def test_vectors_do_not_depend_on_order_or_batch(encoder, vectors):
    assert_same(encoder.encode(TEXTS[::-1])[::-1], vectors, 1e-6)
    assert_same(np.concatenate([encoder.encode([text]) for text in TEXTS]), vectors, 1e-6)
    assert_same(encoder.encode(TEXTS, batch_size=3), vectors, 1e-6)
    np.testing.assert_array_equal(encoder.encode(TEXTS), vectors)


def test_vectors_do_not_depend_on_the_bounds_on_memory(encoder, vectors, monkeypatch):
    monkeypatch.setattr(embed, "WINDOW_TEXTS", 3)
    monkeypatch.setattr(embed, "WINDOW_CHARACTERS", 100)
    monkeypatch.setattr(embed, "BATCH_TOKENS", 20)
    monkeypatch.setattr(embed, "GELU_ROWS", 7)
    assert_same(encoder.encode(TEXTS), vectors, 1e-6)


def test_windows_cover_every_text_once_within_their_bounds(monkeypatch):
    monkeypatch.setattr(embed, "WINDOW_TEXTS", 3)
    monkeypatch.setattr(embed, "WINDOW_CHARACTERS", 10)
    texts = ["a" * n for n in (1, 1, 1, 1, 4, 5, 6, 50, 50, 2)]
    assert list(embed._windows(texts)) == [(0, 3), (3, 6), (6, 7), (7, 8), (8, 9), (9, 10)]


def test_a_text_of_100_000_characters_is_cut_at_256_tokens(encoder):
    words, one_word, marks = encoder.encode(["word " * 20_000, "w" * 100_000, "?!" * 50_000])
    # Two of the 256 tokens are the marks of start and end.
    assert_same(words, encoder.encode(["word " * 254])[0], 1e-6)
    assert np.abs(words - encoder.encode(["word " * 253])[0]).max() > 1e-6
    assert np.isfinite([one_word, marks]).all()


def test_gelu_is_x_times_the_normal_distribution_function():
    x = np.linspace(-12, 12, 24_000, dtype=np.float32).reshape(100, 240)
    exact = x * 0.5 * (1 + erf(x.astype(np.float64) / np.sqrt(2)))
    embed.gelu(x)
    assert np.abs(x - exact).max() < 1e-6


def test_the_installed_package_is_found_without_being_imported(folder):
    assert folder.name == "model"
    assert embed.MODEL_PACKAGE not in sys.modules


def test_a_named_folder_is_used_and_never_passed_over(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(embed.MODEL_DIR_VARIABLE, str(tmp_path))
    with pytest.raises(PlumblineError, match=r"has no model\.safetensors and no tokenizer\.json"):
        embed.find_model()
    assert embed.find_model(folder) == folder
    monkeypatch.setenv(embed.MODEL_DIR_VARIABLE, str(folder))
    assert embed.find_model() == folder


@pytest.mark.parametrize("changed", [embed.WEIGHTS, embed.TOKENIZER])
def test_a_file_that_is_not_the_pinned_one_is_refused_by_name(folder, tmp_path, changed):
    for name in embed.SHA256:
        (tmp_path / name).symlink_to(folder / name)
    assert embed.find_model(tmp_path) == tmp_path
    (tmp_path / changed).unlink()
    shutil.copy(folder / changed, tmp_path / changed)
    with (tmp_path / changed).open("ab") as file:
        file.write(b" ")
    with pytest.raises(PlumblineError, match=rf"{changed} is not the file of .* \(its sha256 differs\)"):
        embed.load_encoder(model_dir=tmp_path)


def test_the_hub_cache_is_used_at_the_pinned_revision_only(folder, hide, hub_cache):
    hide(embed.MODEL_PACKAGE)
    snapshots = hub_cache / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots"
    other, pinned = snapshots / ("0" * 40), snapshots / embed.REVISION
    shutil.copytree(folder, other, copy_function=lambda source, target: Path(target).symlink_to(source))
    with pytest.raises(PlumblineError, match="could not be downloaded"):
        embed.find_model()
    other.rename(pinned)
    assert embed.find_model() == pinned


def test_a_missing_model_says_what_to_do(hide, hub_cache):
    hide(embed.MODEL_PACKAGE)
    with pytest.raises(PlumblineError) as caught:
        embed.find_model()
    assert embed.INSTALL_MODEL in caught.value.message
    assert embed.MODEL_DIR_VARIABLE in caught.value.message
    hide(embed.MODEL_PACKAGE, "huggingface_hub")
    with pytest.raises(PlumblineError, match="is not on this machine"):
        embed.find_model()


def test_without_sentence_transformers_the_default_model_runs_in_numpy(hide):
    hide("sentence_transformers")
    encoder = embed.load_encoder()
    assert isinstance(encoder, embed.NumpyEncoder)
    assert encoder.revision.startswith("1110a243")


if __name__ == "__main__":
    write_reference()
