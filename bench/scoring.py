"""Extraction against the bare model, and a million answers of which one in twenty is new.

The classifier has DistilBERT's size and random weights, which cost what trained ones do. All runs use one
thread and are compared by processor time: other work on the machine changes it little.

    python bench/scoring.py bare-classifier FOLDER TEXTS BATCH    # the forward passes alone, JSON on stdout
    python bench/scoring.py bare-encoder TEXTS BATCH
"""

import json
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

BATCHES = (16, 32, 64, 128)  # texts, of which the fastest counts
N_CLASSIFIED, N_EMBEDDED = 500, 1_000
N_DISTINCT, N_ANSWERS = 50_000, 1_000_000
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
SEED = 20_260_101

Measure = Callable[..., Any]


@dataclass(frozen=True)
class Share:
    """Texts a processor second: of extraction without its start, and of the bare model at its best batch."""

    extraction: float
    bare: float
    batch: int
    cost: Any


def words(n_texts: int) -> list[str]:
    """Return distinct texts of 8 to 40 words, no two alike."""
    draw = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz"
    pool = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(3_000)]
    return [f"{' '.join(draw.choices(pool, k=draw.randint(7, 39)))} {i}" for i in range(n_texts)]


def build_classifier(folder: Path, texts: list[str]) -> None:
    """Save a sentiment model of DistilBERT's size with random weights, and words as its tokens."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])}
    for word in sorted({word for text in texts for word in text.split()}):
        vocabulary[word] = len(vocabulary)
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    settings = transformers.DistilBertConfig(vocab_size=len(vocabulary), num_labels=3)
    settings.id2label = {0: "positive", 1: "neutral", 2: "negative"}
    transformers.AutoModelForSequenceClassification.from_config(settings).save_pretrained(folder)


def suite_text(scorer: str, is_anchor: bool) -> str:
    """Return a suite that needs one scorer."""
    rule = "kind: pattern" if not is_anchor else f"kind: anchor, scorer: {scorer}"
    return f"""
suite: bench
title: Texts to measure
version: 1
scorers: [{"" if is_anchor else scorer}]
attributes: {{gender: {{Male: {{words: [man]}}, Female: {{words: [woman]}}}}}}
axes: [gender]
categories:
  TEXT:
    title: What is said
    outcomes: [{{set: s, {rule}, labels: {{A: [kindly], B: [sadly]}}}}]
"""


def fill(data: Path, texts: list[str], n_answers: int) -> None:
    """Write so many answers to one prompt, which say these texts in turn, into the raw tables."""
    import pyarrow as pa

    from ingest.keys import text_key
    from ingest.store import Store

    with Store(data) as store:
        shared = dict.fromkeys(("domain", "method", "language", "root_key", "block_key"), "x")
        prompt = {"prompt_key": "p", "suite": "bench", "category": "TEXT", "prompt": "?"}
        store.append("prompts", [{**shared, **prompt, "attributes": [("gender", "Male")], "shown_by": []}])
        keys = [text_key(text) for text in texts]
        table = {"text_key": keys, "text": texts, "n_characters": [len(text) for text in texts]}
        store.append_arrow("texts", pa.table(table))
        store.connection.register("said", pa.table({"place": list(range(len(keys))), "text_key": keys}))
        store.connection.execute(
            """
            insert into responses (
                response_key, prompt_key, config_key, repeat_index, text_key, response_status, n_attempts,
                run_id
            )
            select md5(cast(i as varchar)), 'p', 'c', i, text_key, 'ok', 1, 'r'
            from range($n) as numbers (i) inner join said on i % $n_texts = place""",
            {"n": n_answers, "n_texts": len(keys)},
        )
        store.connection.unregister("said")


def extraction(
    measure: Measure, texts: list[str], n_answers: int, scorer: str, *options: str, limit: int | None = None
) -> Any:
    """Return what `plumbline extract` costs on these answers."""
    with TemporaryDirectory(prefix="plumbline-bench-") as name:
        data = Path(name)
        fill(data, texts, n_answers)
        suite = data / "suite.yml"
        suite.write_text(suite_text(scorer, scorer == "minilm"), encoding="utf-8")
        command = ["extract", "--suite", str(suite), "--scorer", scorer, *options]
        return measure([*command, *(["--limit", str(limit)] if limit else [])], data, ONE_THREAD)


def share(measure: Measure, run: Callable[..., float], scorer: str, repeats: int) -> Share:
    """Compare extraction by a scorer with its bare model, each in a process of its own, in turn.

    `run` runs this file and returns the seconds that it prints.
    """
    with TemporaryDirectory(prefix="plumbline-bench-") as name:
        folder = Path(name)
        texts = words(N_CLASSIFIED if scorer == "sentiment" else N_EMBEDDED)
        (folder / "texts.json").write_text(json.dumps(texts))
        options, bare = (), ["bare-encoder", str(folder / "texts.json")]
        if scorer == "sentiment":
            build_classifier(folder / scorer, texts)
            options = ("--model-dir", str(folder), "--device", "cpu")
            bare = ["bare-classifier", str(folder / scorer), str(folder / "texts.json")]
        whole, started, alone = [], [], {batch: [] for batch in BATCHES}
        for _ in range(repeats):
            started.append(extraction(measure, texts, len(texts), scorer, *options, limit=1))
            for batch in BATCHES:
                alone[batch].append(run(*bare, str(batch)))
            whole.append(extraction(measure, texts, len(texts), scorer, *options))
        seconds = median(c.cpu_seconds for c in whole) - median(c.cpu_seconds for c in started)
        batch = min(BATCHES, key=lambda size: median(alone[size]))
        best = len(texts) / median(alone[batch])
        cost = min(whole, key=lambda c: abs(c.cpu_seconds - median(w.cpu_seconds for w in whole)))
        return Share((len(texts) - 1) / seconds, best, batch, cost)


def distinct(measure: Measure, scorer: str = "vader") -> tuple[Any, Any]:
    """Return the costs of extraction from 50,000 texts said once, and said twenty times each."""
    texts = words(N_DISTINCT)
    once = extraction(measure, texts, N_DISTINCT, scorer)
    return once, extraction(measure, texts, N_ANSWERS, scorer)


def bare_classifier(folder: str, path: str, batch: str) -> float:
    """Seconds of the forward passes alone, on texts tokenised before and sorted by length."""
    import torch
    import transformers

    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    rows = sorted(tokenizer(json.loads(Path(path).read_text()))["input_ids"], key=len)
    step = int(batch)
    inputs = [
        tokenizer.pad({"input_ids": rows[i : i + step]}, return_tensors="pt")
        for i in range(0, len(rows), step)
    ]
    started = time.process_time()
    with torch.inference_mode():
        for padded in inputs:
            model(**padded)
    return time.process_time() - started


def bare_encoder(path: str, batch: str) -> float:
    """Seconds of the NumPy encoder alone, its tokeniser included."""
    from ingest.embed import load_encoder

    texts = json.loads(Path(path).read_text())
    encoder = load_encoder()
    started = time.process_time()
    encoder.encode(texts, batch_size=int(batch))
    return time.process_time() - started


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        parts = {"bare-classifier": bare_classifier, "bare-encoder": bare_encoder}
        print(json.dumps(parts[sys.argv[1]](*sys.argv[2:])))
