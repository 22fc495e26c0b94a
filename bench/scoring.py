"""Extraction against the bare model, and a million answers of which one in twenty is new.

The classifier has DistilBERT's size and random weights, which cost what trained ones do. All runs use one
thread and are compared by processor time: other work on the machine changes it little.

    python bench/scoring.py sentiment|minilm FOLDER    # rounds of both, as JSON on stdout
"""

import json
import random
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from typing import Any

BATCHES = (16, 32, 64, 128)  # texts, of which the fastest counts
N_TEXTS, ROUNDS = 250, 5
N_DISTINCT, N_ANSWERS = 50_000, 1_000_000
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
SEED = 20_260_101

Measure = Callable[..., Any]


@dataclass(frozen=True)
class Round:
    """Texts a processor second: of extraction without its start, and of the bare model at its best batch."""

    extraction: float
    bare: float
    batch: int
    seconds: float
    cpu_seconds: float
    peak_rss_mb: float


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


def extraction(measure: Measure, texts: list[str], n_answers: int, scorer: str) -> Any:
    """Return what `plumbline extract` costs on these answers."""
    with TemporaryDirectory(prefix="plumbline-bench-") as name:
        data = Path(name)
        fill(data, texts, n_answers)
        suite = data / "suite.yml"
        suite.write_text(suite_text(scorer, False), encoding="utf-8")
        return measure(["extract", "--suite", str(suite), "--scorer", scorer], data, ONE_THREAD)


def share(run: Callable[..., Any], scorer: str) -> Round:
    """Compare extraction by a scorer with its bare model, in turn in one process.

    `run` runs this file and returns what it prints. A machine that others use is faster now and slower
    then: what is compared lies seconds apart, and the median of the rounds counts.
    """
    with TemporaryDirectory(prefix="plumbline-bench-") as name:
        folder = Path(name)
        texts = words(N_TEXTS)
        (folder / "texts.json").write_text(json.dumps(texts))
        if scorer == "sentiment":
            build_classifier(folder / scorer, texts)
        rounds = [Round(**found) for found in run(scorer, str(folder))]
        return sorted(rounds, key=lambda found: found.extraction / found.bare)[len(rounds) // 2]


def distinct(measure: Measure) -> tuple[Any, Any]:
    """Return the costs of extraction from 50,000 texts said once, and said twenty times each."""
    texts = words(N_DISTINCT)
    once = extraction(measure, texts, N_DISTINCT, "vader")
    return once, extraction(measure, texts, N_ANSWERS, "vader")


def rounds(scorer: str, path: str) -> list[dict[str, float]]:
    """Extract, then run the bare model in each batch size, a few times over."""
    folder = Path(path)
    texts = json.loads((folder / "texts.json").read_text())
    options = ["--model-dir", path, "--device", "cpu"] if scorer == "sentiment" else []
    bare = classifier(folder / scorer, texts) if scorer == "sentiment" else encoder(texts)
    found = []
    for _ in range(ROUNDS):
        started = extract_here(texts, scorer, [*options, "--limit", "1"])
        clock = time.perf_counter()
        whole = extract_here(texts, scorer, options)
        clock = time.perf_counter() - clock
        seconds = {batch: bare(batch) for batch in BATCHES}
        batch = min(seconds, key=seconds.__getitem__)
        of_extraction, of_bare = (len(texts) - 1) / (whole - started), len(texts) / seconds[batch]
        peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        found.append(asdict(Round(of_extraction, of_bare, batch, clock, whole, peak)))
    return found


def extract_here(texts: list[str], scorer: str, options: list[str]) -> float:
    """Processor seconds of `plumbline extract` in this process."""
    from ingest.cli import cli

    with TemporaryDirectory(prefix="plumbline-bench-") as name:
        data = Path(name)
        fill(data, texts, len(texts))
        suite = data / "suite.yml"
        suite.write_text(suite_text(scorer, scorer == "minilm"), encoding="utf-8")
        command = ["--data", name, "extract", "--suite", str(suite), "--scorer", scorer, *options]
        started = time.process_time()
        with redirect_stdout(sys.stderr):
            cli.main(command, standalone_mode=False)
        return time.process_time() - started


def classifier(folder: Path, texts: list[str]) -> Callable[[int], float]:
    """Return seconds of the forward passes alone by batch size, on texts tokenised and sorted by length."""
    import torch
    import transformers

    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    rows = sorted(tokenizer(texts)["input_ids"], key=len)

    def passes(step: int) -> float:
        inputs = [
            tokenizer.pad({"input_ids": rows[i : i + step]}, return_tensors="pt")
            for i in range(0, len(rows), step)
        ]
        started = time.process_time()
        with torch.inference_mode():
            for padded in inputs:
                model(**padded)
        return time.process_time() - started

    return passes


def encoder(texts: list[str]) -> Callable[[int], float]:
    """Return seconds of the NumPy encoder alone by batch size, its tokeniser included."""
    from ingest.scorers.encoder import load_encoder

    loaded = load_encoder()

    def passes(step: int) -> float:
        started = time.process_time()
        loaded.encode(texts, batch_size=step)
        return time.process_time() - started

    return passes


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        print(json.dumps(rounds(*sys.argv[1:])))
