"""What do few labels do to verdicts? Whole audits of simulated answers, in the real pipeline.

    python experiments/label_audits.py --data FOLDER [--out experiments/results]

One suite has many questions, each an audit of its own: 100 names a group, five answers each. The answers are
loaded, read by a rule, drawn by `plumbline labels sample`, labelled by what is true, and loaded by
`plumbline labels load`; then all is built, and `fct_verdicts` says what it judges. Kinds of questions:

- hidden: the ratio is 0.8, the limit. The rule finds too many favourable answers in the poorer group, so that
  both groups look alike. 28 labels a question.
- misread: groups are equal. The rule finds 90 and 70 % of their favourable answers. 28 labels a question.
- well_read: groups are equal, the rule is right in 98 %. 300 labels a question.

Writes `label_audits.csv`: verdicts of the smallest impact ratio and of the largest gap, by kind, before
labels and with them. Exit code 1 where more than one hidden question in twenty passes, where more than one
misread one fails, or where no well-read one passes.
"""

import argparse
import csv
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import yaml

from ingest.cli import cli

N_NAMES, N_OF_NAME, ICC = 100, 5, 0.02
GROUPS = ("Female", "Male")
METRICS = ("min_impact_ratio", "max_share_gap")


class Kind(NamedTuple):
    """Rates of favourable answers of both groups, how the rule reads them, labels and number of questions."""

    rates: tuple[float, float]
    sensitivity: tuple[float, float]
    specificity: tuple[float, float]
    n_labels: int
    n_questions: int


KINDS = {
    "hidden": Kind((0.5, 0.4), (1, 1), (1, 5 / 6), 28, 20),
    "misread": Kind((0.5, 0.5), (0.9, 0.7), (0.95, 0.95), 28, 10),
    "well_read": Kind((0.5, 0.5), (0.98, 0.98), (0.98, 0.98), 300, 6),
}


def questions() -> dict[str, Kind]:
    """The suite's questions: their names begin with that of their kind."""
    return {
        f"{name}_{index}": kind for name, kind in KINDS.items() for index in range(1, kind.n_questions + 1)
    }


def rule() -> dict[str, object]:
    """How answers are read, anew: a suite holds no aliases."""
    labels = {"Yes": ["yes"], "No": ["no"]}
    return {"set": "decision", "kind": "pattern", "labels": labels, "favourable": ["Yes"]}


def suite() -> dict[str, object]:
    """The suite file's content."""
    return {
        "suite": "label_audits",
        "title": "Simulated answers, labelled",
        "version": 1,
        "profiles": ["plumbline"],
        "families": {"gate": "question"},
        "attributes": {"gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}}},
        "axes": "all",
        "resampling": {"permutations": 500, "bootstrap": 400},
        "names": {"shows": ["gender"]},
        "columns": {
            "response": "answer",
            "prompt": "question",
            "model": "model",
            "category": "task",
            "repeat": "repeat",
            "source_id": "id",
            "name": "person",
            "attributes": {"gender": "gender"},
        },
        "categories": {
            code: {"title": f"Question {code}", "block": "name", "outcomes": [rule()]} for code in questions()
        },
    }


def simulate(path: Path, seed: int) -> dict[str, str]:
    """Write the answers; return what is true of each text."""
    rng = np.random.default_rng(seed)
    said_of, number = {}, 0
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "task", "gender", "person", "model", "repeat", "question", "answer"))
        for code, kind in questions().items():
            for group, gender in enumerate(GROUPS):
                shape = 1 / ICC - 1
                own = rng.beta(kind.rates[group] * shape, (1 - kind.rates[group]) * shape, N_NAMES)
                said = rng.random((N_NAMES, N_OF_NAME)) < own[:, None]
                chance = np.where(said, kind.sensitivity[group], 1 - kind.specificity[group])
                read = rng.random(said.shape) < chance
                for (name, repeat), is_favourable in np.ndenumerate(said):
                    number += 1
                    text = f"{'Yes' if read[name, repeat] else 'No'}, in case {number}."
                    said_of[text] = "Yes" if is_favourable else "No"
                    person = f"{gender} {name}"
                    asked = f"Will {person}, a {'wo' if group == 0 else ''}man, be helped?"
                    writer.writerow((number, code, gender, person, "simulated", repeat, asked, text))
    return said_of


def labelled(drawn: Path, said_of: dict[str, str]) -> None:
    """Fill in the labels of a drawn table."""
    with drawn.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["label"], row["annotator"] = said_of[row["answer"]], "truth"
    with drawn.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def verdicts(data: Path) -> Counter[tuple[str, str, str, str]]:
    """How many questions have each verdict: by kind, metric, verdict and check."""
    with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as marts:
        rows = marts.execute(
            "select category, metric, verdict, measure_check from fct_verdicts"
            " where measure = 'decision' and list_contains($metrics, metric)",
            {"metrics": list(METRICS)},
        ).fetchall()
    return Counter((category.rsplit("_", 1)[0], *others) for category, *others in rows)


def run(data: Path, seed: int) -> list[dict[str, object]]:
    """Simulate, load, label and judge; rows of the record."""
    data.mkdir(parents=True)
    path, answers = data / "suite.yml", data / "answers.csv"
    path.write_text(yaml.safe_dump(suite(), sort_keys=False))
    said_of = simulate(answers, seed)

    def plumbline(*arguments: str) -> None:
        cli.main(["--data", str(data / "d"), *arguments], standalone_mode=False)

    marts = ("--mart", "fct_verdicts", "--mart", "fct_corrected_numbers", "--mart", "fct_outcomes")
    plumbline("audit", str(path), "--responses", str(answers), "--no-site", *marts)
    found = {"as_read": verdicts(data / "d")}
    for name, kind in KINDS.items():
        wanted = [option for code in questions() if code.startswith(name) for option in ("--category", code)]
        n = str(kind.n_labels * kind.n_questions)
        plumbline("labels", "sample", str(path), *wanted, "--stale", "--n", n, "--out", str(data / name))
        (drawn,) = (data / name).glob("*.csv")
        labelled(drawn, said_of)
        plumbline("labels", "load", str(path), str(drawn))
    plumbline("audit", str(path), "--no-site", *marts)
    found["labelled"] = verdicts(data / "d")
    return [
        {
            "labels": when,
            "kind": kind,
            "n_labels": KINDS[kind].n_labels if when == "labelled" else 0,
            "metric": metric,
            "measure_check": check,
            "verdict": verdict,
            "n_questions": n,
            "of": KINDS[kind].n_questions,
        }
        for when, counted in found.items()
        for (kind, metric, verdict, check), n in sorted(counted.items())
    ]


def holds(rows: list[dict[str, object]]) -> bool:
    """Whether labels do what is promised."""
    n = Counter()
    for row in rows:
        if row["labels"] == "labelled":
            n[row["kind"], row["metric"], row["verdict"]] += row["n_questions"]
    return all(
        n["hidden", metric, "pass"] <= 1
        and n["misread", metric, "fail"] <= 1
        and n["well_read", metric, "pass"] > 0
        for metric in METRICS
    )


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="A folder that is not there yet.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    start = time.monotonic()
    rows = run(options.data, options.seed)
    for row in rows:
        print(*row.values(), sep="  ")
    print(f"{time.monotonic() - start:.0f} seconds")
    if options.out:
        with (options.out / "label_audits.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return 0 if holds(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
