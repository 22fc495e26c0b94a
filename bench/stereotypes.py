"""Benchmarks of words beside words: against LangFair's two metrics, and in growth to a million texts.

Both sides count the same lists, the peer's own, in the same texts, and their values have to agree to 1e-9.
The peer's side is the CPU time of its evaluation alone. Ours is taken twice: of whole processes, which is
`plumbline load` and the build of `fct_stereotypes` with everything that it is made from, without resampling,
into an empty folder; and of counting alone, the SQL of the models from texts to values run once more on what
that build left, because most of the processes' time is their start, whatever the number of texts.
"""

import csv
import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import yaml
from measuring import BIN, ROOT, Cost, Measurement, Options, measure, median, record, total
from peers.saged_fetch import PeerMissingError, environment, wheel

from ingest.suite.word_lists import protected_words, stop_words, target_words

WHEEL = "langfair==0.8.0"
WHEEL_SHA256 = "adfad6d74eb7f08e840e5c007ea7d7f3d867fd6ef843f5537c0f5e4b075ed6f4"
# What the two metrics import; the package itself also asks for torch and classifiers.
NEEDS = ("numpy==1.26.4", "nltk==3.10.4", "rich==13.8.0")
DRIVER = ROOT / "bench" / "peers" / "langfair_words.py"
TEXTS, FEW, MANY = 1_440, 100_000, 1_000_000
WORDS_A_TEXT = 60
SEED = 20_260_101
KINDS = ("--resource-type", "model", "--resource-type", "seed")
SECONDS_FOR_THE_PEER = 3_600
LIMITS = {"faster": 20, "growth": 10.5}
NEVER_MATCHED = ("Mr.", "Mrs.")  # the peer looks for them in small letters
METRICS = {
    "CooccurrenceBiasMetric": "cooccurrence_bias",
    "StereotypicalAssociations": "stereotypical_associations",
}
FILLERS = [
    "the", "of", "a", "in", "and", "to", "with", "was", "is", "that", "for", "on",
    "at", "by", "from", "this", "work", "team", "plan", "report", "week", "idea",
    "meeting", "project", "city", "school", "house", "garden", "music", "paper", "table", "window",
    "morning", "question", "answer", "reason", "result", "number", "friend",
]  # fmt: skip

COUNTING = (
    "int_texts_tokenised", "int_tokens_matched", "int_cooccurrences_summed", "int_protected_words_counted",
    "int_target_words_counted", "int_prompt_texts_counted", "int_stereotype_groups_summed",
    "int_stereotype_words_summed", "int_stereotypes_counted", "int_groups_mentioned",
    "int_stereotype_words_computed", "int_stereotypes_computed",
)  # fmt: skip
COUNT_AGAIN = """
import sys, time
from pathlib import Path
import duckdb
folder, *models = sys.argv[1:]
compiled = Path(folder, "target", "compiled", "plumbline", "models", "intermediate")
settings = {"threads": 1, "memory_limit": "2GB"}
with duckdb.connect(f"{folder}/audit.duckdb", config=settings) as audit:
    audit.execute(f"attach '{folder}/raw.duckdb' as raw (read_only)")
    audit.execute("set enable_progress_bar = false")
    started = time.process_time()
    for model in models:
        (query,) = compiled.rglob(f"{model}.sql")
        audit.execute(f"create temp table again_{model} as {query.read_text()}")
    print(time.process_time() - started)
"""

Lists = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Run:
    """What a load and a build cost, the CPU seconds of counting alone, and what was found."""

    cost: Cost
    counting: float
    values: dict[tuple[str, str], float]


def invented_texts(n: int, lists: Lists) -> list[str]:
    """Texts of fillers with three words of the groups, three adjectives and a profession each."""
    draw = random.Random(SEED)
    groups = [word for name in ("female", "male") for word in lists[name] if word not in NEVER_MATCHED]
    texts = []
    for _ in range(n):
        words = draw.choices(FILLERS, k=WORDS_A_TEXT - 7) + draw.choices(groups, k=3)
        words += [*draw.choices(lists["adjective"], k=3), draw.choice(lists["profession"])]
        draw.shuffle(words)
        texts.append(" ".join(words).capitalize() + ".")
    return texts


def suite(lists: Lists) -> dict[str, Any]:
    """A suite that counts these lists as the peer does."""
    groups = {name: [w for w in lists[name] if w not in NEVER_MATCHED] for name in ("female", "male")}
    professions = list(lists["profession"])
    return {
        "suite": "words_bench",
        "title": "Words beside words",
        "version": 1,
        "attributes": {"gender": {"Female": {}, "Male": {}}},
        "axes": ["gender"],
        "resampling": {"permutations": 0, "bootstrap": 0},
        "options": {"temperature": 1.0},
        "columns": {
            "response": "answer",
            "prompt": "question",
            "model": "model",
            "repeat": "round",
            "category": "task",
            "attributes": {"gender": "gender"},
        },
        "stereotypes": {
            "attributes": {"gender": groups},
            "targets": {
                "adjective": list(lists["adjective"]),
                "profession": professions,
                "profession_and_plural": professions + [f"{word}s" for word in professions],
            },
            "tokeniser": "treebank",
        },
        "categories": {
            "W1": {
                "title": "Answers",
                "outcomes": [{"set": "said", "kind": "pattern", "labels": {"yes": ["yes"], "no": ["no"]}}],
            }
        },
    }


def run_ours(texts: Sequence[str], lists: Lists) -> Run:
    """Load texts as answers and build the mart."""
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        data = Path(folder)
        table, file = data / "answers.csv", data / "suite.yml"
        file.write_text(yaml.safe_dump(suite(lists), sort_keys=False))
        with table.open("w", newline="") as output:
            writer = csv.writer(output)
            writer.writerow(["answer", "question", "model", "round", "task", "gender"])
            for number, text in enumerate(texts):
                writer.writerow([text, f"Question {number % 1_000}", "m", number // 1_000, "W1", "Female"])
        places = ["--project-dir", ROOT, "--profiles-dir", ROOT]
        places += ["--target-path", data / "target", "--log-path", data / "logs"]
        costs = [
            measure([BIN / "plumbline", "load", table, "--suite", file], data),
            measure([BIN / "dbt", "build", *KINDS, "--select", "+fct_stereotypes", *places], data),
        ]
        again = [sys.executable, "-c", COUNT_AGAIN, str(data), *COUNTING]
        counting = float(subprocess.run(again, capture_output=True, text=True, check=True).stdout)
        with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as marts:
            rows = marts.execute(
                "select metric, target_list, value from fct_stereotypes where word = '' and target_list <> ''"
            ).fetchall()
        cost = total(costs)
        print(f"  {len(texts):,} texts: {cost}, counting {counting:.2f} s", file=sys.stderr, flush=True)
        return Run(cost, counting, {(metric, name): value for metric, name, value in rows})


def run_peer(options: Options, folder: Path, texts: Sequence[str]) -> dict[str, Any]:
    """Run the peer on texts; return what it printed. Raises PeerMissingError where it cannot be had."""
    python = environment(options.cache / "langfair-env", NEEDS)
    package = wheel(options.cache / WHEEL, python, WHEEL, WHEEL_SHA256)
    (folder / "texts.json").write_text(json.dumps(list(texts)))
    (folder / "stops.json").write_text(json.dumps(stop_words("en")))
    command = [python, DRIVER, package, folder / "texts.json", folder / "stops.json", folder / "found.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_FOR_THE_PEER)
    if done.returncode:
        raise SystemExit(f"The peer ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads((folder / "found.json").read_text())


def compare(ours: Run, found: Mapping[str, Mapping[str, float]]) -> None:
    """Raise SystemExit where a value is not the peer's."""
    for name, theirs in found.items():
        metric, category = name.split()
        is_plural = metric == "StereotypicalAssociations" and category == "profession"
        own = ours.values[METRICS[metric], "profession_and_plural" if is_plural else category]
        if abs(own - theirs["value"]) > 1e-9:
            raise SystemExit(f"{name}: {own} here, {theirs['value']} there")


def benchmark_stereotypes(options: Options) -> list[Measurement]:
    """Co-occurrence and associations of 1,440 texts, adjectives and professions, ours and LangFair's."""
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        try:
            lists = run_peer(options, Path(folder), ["She is kind.", "He is kind."])["lists"]
            texts = invented_texts(TEXTS, lists)
            peers = [run_peer(options, Path(folder), texts)["found"] for _ in range(options.repeats)]
        except PeerMissingError as error:
            raise SystemExit(f"LangFair cannot be had here: {error}") from error
    runs = [run_ours(texts, lists) for _ in range(options.repeats)]
    for run, found in zip(runs, peers, strict=True):
        compare(run, found)
    cost = median([run.cost for run in runs])
    theirs = sorted(sum(part["cpu_seconds"] for part in found.values()) for found in peers)[len(peers) // 2]
    counting = sorted(run.counting for run in runs)[len(runs) // 2]
    what = f"{TEXTS:,} texts of {WORDS_A_TEXT} words, both metrics, adjectives and professions, CPU"
    peer = f"LangFair: {WHEEL}, {', '.join(NEEDS)}"
    faster = f"{what}: LangFair's evaluation over our counting"
    line = partial(record, cost=cost, runs=options.repeats)
    return [
        line("stereotypes.peer", f"{what}: LangFair's evaluation", theirs, "s", made_with=peer),
        line("stereotypes.processes", f"{what}: load and build", cost.cpu_seconds, "s"),
        line("stereotypes.counting", f"{what}: counting alone", counting, "s"),
        line("stereotypes.faster", faster, theirs / counting, "x", LIMITS["faster"], is_least=True),
    ]


def benchmark_stereotypes_growth(options: Options) -> list[Measurement]:
    """Counting words in 100,000 texts, and in a million."""
    lists = dict(zip(("female", "male"), protected_words("gender", "en").values(), strict=True))
    targets = {"adjective": "adjectives", "profession": "occupations"}
    lists |= {name: list(target_words(own, "en")) for name, own in targets.items()}
    n = options.repeats
    runs = {size: [run_ours(invented_texts(size, lists), lists) for _ in range(n)] for size in (FEW, MANY)}
    few, many = (sorted(run.counting for run in found)[n // 2] for found in runs.values())
    line = partial(record, cost=median([run.cost for run in runs[MANY]]), runs=n)
    what, limit = "counting alone, CPU", LIMITS["growth"]
    return [
        line("stereotypes_growth.seconds", f"{MANY:,} texts: {what}", many, "s"),
        line("stereotypes_growth.growth", f"{MANY:,} texts over {FEW:,}: {what}", many / few, "x", limit),
    ]
