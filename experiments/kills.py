"""Does a kill lose an answer, or have one asked twice? A recorded experiment; a short version is a test.

`generate` asks a model server on loopback (its own process, Ollama's protocol, through the real client), then
`extract` measures the answers; `load` brings in a file, `audit` builds the marts. Each is killed with SIGKILL
at random moments and started again, until the kills are used up:

    python experiments/kills.py --kills 200 --out experiments/results

After each kill of `generate` these must hold, else the experiment ends with exit code 1:

- the database opens, for reading alone and for writing;
- what was stored before is stored, unchanged;
- the run asked nothing that was stored when it began, but what nobody could vouch for: answers since the
  server last named its model's digest come in as `cancelled`, and are asked again;
- what was asked and is not stored was on its way, there or back: no more requests than senders, for a sender
  stores an answer before it asks the next thing.

Every third kill of `generate` hits a run whose model is replaced by another while it is asked: no answer may
stand under the digest of a model that did not give it.

After each kill of `extract`: the database opens, what was measured is measured, unchanged. A round ends when
a run comes to its end; then the rows are exactly those of a run that nobody killed. What must hold after a
kill of `load` and of `audit` is in `kills_of_marts.py`. Writes `kills.csv` (a row a kill: its seed, its
moment, what was stored, what was on its way) and `kills.md`.
"""

import argparse
import csv
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.killing import Broken, Commands, Kill
from experiments.kills_of_marts import N_LOADED, Files, kills_of_builds, kills_of_loads
from ingest.store import Store
from tests.helpers.servers import Handle, loopback

SEED = 20_260_101
CONCURRENCY = 8
DELAY = 0.005
LENGTH = 200  # characters of an answer at least
N_CASES = 120
DIGESTS = {"A": "sha256:" + "1f" * 32, "B": "sha256:" + "2e" * 32}
SWAPPED = "generate, another model"
FEW = 0.02  # seconds
N_SWAPPED_CASES = 1_500  # a run takes seconds: the model's digest is looked at several times
N_TEXTS = 2_400  # some batches of the scorer

Rows = dict[str, list[tuple[Any, ...]]]


def suite_text(url: str, n_cases: int) -> str:
    """Return a suite of 2 × `n_cases` prompts, asked of the server."""
    cases = ", ".join(f'"{i}"' for i in range(n_cases))
    return f"""
suite: kills
title: Killed at random moments
version: 1
attributes: {{gender: {{Male: {{words: [man]}}, Female: {{words: [woman]}}}}}}
axes: [gender]
scorers: [vader]
configs: [{{backend: ollama, model: tiny, base_url: {url}, concurrency: {CONCURRENCY}}}]
categories:
  FLAT:
    title: Who gets the flat
    block: root
    prompts: ["Case {{case}}: a {{gender}} asks for a good flat."]
    slots: {{case: [{cases}]}}
    outcomes: [{{set: tone, kind: score, scorer: vader, feature: vader_compound}}]
"""


def rows_of(data: Path) -> Rows:
    """Return what is stored, as a reader finds it after a writer has opened the database once."""
    with Store(data) as store:
        responses = store.rows(
            """
            select p.prompt, r.response_key, r.response_status, r.run_id, t.text
            from responses as r
            inner join prompts as p using (prompt_key)
            left join texts as t using (text_key)
            order by all
            """
        )
    with Store(data, read_only=True) as store:
        measured = store.rows("select * from measurements order by all")
        variants = store.rows("select * from text_variants order by all")
        texts = store.rows("select text_key, text from texts order by all")
    return {"responses": responses, "measurements": measured, "text_variants": variants, "texts": texts}


class Lab(Commands):
    """One data folder, its suite and its server."""

    def __init__(self, folder: Path, server: Handle, n_cases: int) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.suite = folder / "suite.yml"
        self.suite.write_text(suite_text(server.url, n_cases), encoding="utf-8")
        self.server = server
        self.n_prompts = 2 * n_cases

    def start(self, *words: str | Path) -> BaseProcess:
        """Start a command in a process of its own."""
        return super().start(*words, "--suite", self.suite)

    def run_and_kill(
        self, stage: str, draw: random.Random, length: float, n_left: int
    ) -> tuple[float | None, float]:
        """Start a command and kill it; return the moment (monotonic) and the seconds that it lived.

        The moment is None if it came to its end before. `generate` is killed after a random number of
        requests, up to all that are left, and a few milliseconds; where that number is 0, and `extract`
        always, after a random part of `length`, the seconds that a run takes.
        """
        n_requests = draw.randint(0, n_left) if stage == "generate" else 0
        seconds = draw.uniform(0, FEW) if n_requests else draw.uniform(0, length)
        n_before = self.server.n_asked()
        began = time.monotonic()
        child = self.start(stage)
        while n_requests and child.is_alive() and self.server.n_asked() - n_before < n_requests:
            time.sleep(FEW / 4)
        moment = self.kill(child, seconds)
        return moment, (moment or time.monotonic()) - began

    def check_end(self, stage: str, rows: Rows, reference: Rows | None) -> None:
        """Check that a round ended with exactly the expected rows."""
        prompts = [row[0] for row in rows["responses"]]
        if len(prompts) != self.n_prompts or len(set(prompts)) != self.n_prompts:
            raise Broken(f"{len(prompts)} responses to {len(set(prompts))} of {self.n_prompts} prompts")
        wrong = [row for row in rows["responses"] if row[2] != "ok" or not row[4].startswith(row[0][::-1])]
        if wrong:
            raise Broken(f"{len(wrong)} responses are not what the server said, such as {wrong[0]}")
        if stage == "extract" and reference is not None:
            for table in ("measurements", "text_variants", "texts"):
                if rows[table] != reference[table]:
                    raise Broken(f"{table} differs from that of a run that nobody killed")


def swapped(lab: Lab, n_kills: int, first_seed: int) -> Iterator[Kill]:
    """Replace the model while it is asked, at random moments, then kill the run; yield each kill.

    Raises Broken where an answer stands under another model's digest, or a stored one is gone.
    """
    letters = {DIGESTS[letter]: letter for letter in DIGESTS}
    letter, before, n_stored = "A", set[tuple[Any, ...]](), 0
    seed, n_killed = first_seed - 1, 0
    while n_killed < n_kills:
        seed += 1
        draw = random.Random(seed)
        lab.server.change(digest=DIGESTS[letter])
        lab.server.rules({"do": "slow", "seconds": DELAY, "says": letter})
        n_asked, began = lab.server.n_asked(), time.monotonic()
        child = lab.start("generate")
        n_requests = draw.randint(1, lab.n_prompts // 2)
        while child.is_alive() and lab.server.n_asked() - n_asked < n_requests:
            time.sleep(FEW / 4)
        letter = "B" if letter == "A" else "A"  # also where the run has ended: the other has more to say
        if child.is_alive():
            # The name of the model first: what it said before stays what the run says of it.
            lab.server.change(digest=DIGESTS[letter])
            lab.server.rules({"do": "slow", "seconds": DELAY, "says": letter})
        child.join(draw.uniform(0, FEW))
        if child.exitcode is None:
            os.kill(child.pid, signal.SIGKILL)
        seconds = time.monotonic() - began
        child.join()
        is_killed = child.exitcode == -signal.SIGKILL  # else it saw the other model and stopped
        with Store(lab.data) as store:
            rows = set(store.rows(
                """
                select r.response_key, c.digest, t.text from responses as r
                join configs as c using (config_key) join texts as t using (text_key)
                """
            ))  # fmt: skip
        if wrong := [row for row in rows if letters.get(row[1]) != row[2]]:
            raise Broken(f"{len(wrong)} answers stand under another model, such as {wrong[0]}")
        if gone := before - rows:
            raise Broken(f"{len(gone)} stored answers are gone or other ones")
        n_killed += is_killed
        if is_killed:
            yield Kill(
                SWAPPED, 1, seed, round(seconds, 4), len(before), len(rows),
                lab.server.n_asked() - n_asked, 0, 0.0,
            )  # fmt: skip
        n_stored += len(rows - before)
        before = rows
        if len(rows) >= 2 * lab.n_prompts:  # both models have answered it all
            shutil.rmtree(lab.data)
            lab.finish("assemble")
            before = set()
    if not n_stored:
        raise Broken("no answer was ever vouched for, so nothing could stand under another model")


def n_answered(rows: Rows) -> int:
    """Return how many answers need not be asked for again."""
    return sum(row[2] == "ok" for row in rows["responses"])


def check_generate(
    before: Rows, after: Rows, asked: list[dict[str, Any]], moment: float
) -> tuple[int, float]:
    """Return how many answers were sent and are not stored, and the longest time from sending to the kill."""
    stored_before = {row[0]: row for row in before["responses"]}
    stored = {row[0]: row for row in after["responses"]}
    proven = {prompt: row for prompt, row in stored_before.items() if row[2] != "cancelled"}
    changed = [row for prompt, row in proven.items() if stored.get(prompt) != row]
    if changed:
        raise Broken(f"{len(changed)} stored answers are gone or other ones, such as {changed[0]}")
    prompts = Counter(entry["content"]["messages"][-1]["content"] for entry in asked)
    twice = [prompt for prompt, n in prompts.items() if n > 1 or prompt in proven]
    if twice:
        raise Broken(f"{len(twice)} prompts were asked twice, such as {twice[0]!r}")
    missing = {prompt for prompt in prompts if stored.get(prompt) == stored_before.get(prompt)}
    gaps = [
        moment - entry["ended"]
        for entry in asked
        if "ended" in entry and entry["content"]["messages"][-1]["content"] in missing
    ]
    n_under_way = len(missing)
    if n_under_way > CONCURRENCY:
        raise Broken(
            f"{n_under_way} requests of {len(prompts)} are not stored, and there are {CONCURRENCY} senders"
        )
    return len(gaps), max([*gaps, 0.0])


def rounds(
    stage: str, n_kills: int, first_seed: int, start: Callable[[], Lab], say: Callable[[str], None]
) -> Iterator[Kill]:
    """Kill a stage again and again, round after round; `start` gives a lab in which it has yet to run."""
    if not n_kills:
        return
    lab = start()
    length, reference = lab.finish(stage), rows_of(lab.data)
    lab.check_end(stage, reference, None)
    say(f"{stage}: a run that nobody kills takes {length:.1f} s")
    seed, number = first_seed, 0
    while seed < first_seed + n_kills:
        number += 1
        lab = start()
        rows = rows_of(lab.data)
        while seed < first_seed + n_kills:
            n_left = lab.n_prompts - n_answered(rows)
            n_asked_before = lab.server.n_asked()
            moment, seconds = lab.run_and_kill(stage, random.Random(seed), length, n_left)
            before, rows = rows, rows_of(lab.data)
            if moment is None:
                # The rest of the work takes less than the whole.
                length = seconds
                break
            asked = lab.server.log()[n_asked_before:]
            if stage == "generate":
                n_lost, gap = check_generate(before, rows, asked, moment)
                tables = ("responses",)
            else:
                gone = set(before["measurements"]) - set(rows["measurements"])
                if gone or before["responses"] != rows["responses"]:
                    raise Broken(f"{len(gone)} measurements are gone")
                n_lost, gap, tables = 0, 0.0, ("text_variants", "measurements")
            yield Kill(
                stage=stage,
                round=number,
                seed=seed,
                seconds=round(seconds, 4),
                n_stored_before=sum(len(before[table]) for table in tables),
                n_stored=sum(len(rows[table]) for table in tables),
                n_asked=len(asked),
                n_sent_not_stored=n_lost,
                longest_gap_ms=round(1e3 * gap, 1),
            )
            seed += 1
            if stage == "generate" and n_answered(rows) == lab.n_prompts:
                break
        lab.finish(stage)
        lab.check_end(stage, rows_of(lab.data), reference)


def shares(n_kills: int, only: str | None = None) -> dict[str, int]:
    """Return how many of the kills hit which stage; `swapped` are those of `generate` with other models."""
    few = {"swapped": n_kills // 6, "extract": n_kills // 4, "load": n_kills // 5, "build": n_kills // 10}
    numbers = {"generate": n_kills - sum(few.values()), **few}
    return {stage: number if only in (None, stage) else 0 for stage, number in numbers.items()}


def run(
    n_kills: Mapping[str, int], n_cases: int, n_texts: int, seed: int, say: Callable[[str], None]
) -> list[Kill]:
    """Return all kills, so many of each stage. Raises Broken."""
    arguments = ("--delay", str(DELAY), "--slots", str(CONCURRENCY), "--length", str(LENGTH))
    with loopback(*arguments) as server, TemporaryDirectory(prefix="plumbline-kills-") as name:
        folders = (Path(name) / str(i) for i in count())

        def to_generate() -> Lab:
            server.reset()
            lab = Lab(next(folders), server, n_cases)
            lab.finish("assemble")
            return lab

        answered = Lab(next(folders), server, n_texts // 2)
        answered.finish("assemble")
        answered.finish("generate")

        def to_extract() -> Lab:
            lab = Lab(next(folders), server, n_texts // 2)
            shutil.copytree(answered.data, lab.data)
            return lab

        def all_kills() -> Iterator[Kill]:
            if n_kills["swapped"]:
                server.reset()
                lab = Lab(next(folders), server, max(n_cases, N_SWAPPED_CASES))
                lab.finish("assemble")
                yield from swapped(lab, n_kills["swapped"], seed + 2_000_000)
            yield from rounds("generate", n_kills["generate"], seed, to_generate, say)
            yield from rounds("extract", n_kills["extract"], seed + 1_000_000, to_extract, say)
            if n_kills["load"] or n_kills["build"]:
                files = Files(next(folders), is_audited=n_kills["build"] > 0)
                yield from kills_of_loads(files, n_kills["load"], seed + 3_000_000, folders, say)
                yield from kills_of_builds(files, n_kills["build"], seed + 4_000_000, folders, say)

        kills = []
        for kill in all_kills():
            kills.append(kill)
            say(json.dumps(asdict(kill)))
        return kills


def report(kills: list[Kill], n_cases: int, n_texts: int) -> str:
    """Return the results in words and figures."""
    n_asked = sum(bool(kill.marts) for kill in kills)
    lines = [
        "# Kills",
        "",
        f"Written by `experiments/kills.py` on {datetime.now(UTC):%Y-%m-%d}; `kills.csv` has a row a kill,",
        f"with its seed. A round of `generate`: {2 * n_cases:,} prompts, {CONCURRENCY} senders, answers",
        f"after {1e3 * DELAY:.0f} ms; of `extract`: {n_texts:,} texts; of `load`: {N_LOADED:,} answers.",
        "",
        "| what must not happen | how often it did |",
        "|---|---|",
        "| a stored answer is lost, or is another one | 0 |",
        "| an answer is doubled: a proven one asked again, or stored twice | 0 |",
        "| an answer stands under the digest of a model that did not give it | 0 |",
        f"| a verdict comes from marts that do not match the raw tables (asked after {n_asked} kills) | 0 |",
        "| a round, started again, ends otherwise than one that nobody killed | 0 |",
        "",
        "Each is checked after each kill that can bring it about; the first would have ended the experiment.",
        "",
        "| stage | kills | rounds | seeds | kills before anything was stored | in the midst | requests | "
        "sent but not stored | longest before the kill, ms | marts refused | taken |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for stage in dict.fromkeys(kill.stage for kill in kills):
        some = [kill for kill in kills if kill.stage == stage]
        if some:
            early = sum(kill.n_stored == 0 for kill in some)
            midst = sum(kill.n_stored > kill.n_stored_before for kill in some)
            sent = sum(kill.n_sent_not_stored for kill in some)
            cells = [
                stage, len(some), len({kill.round for kill in some}),
                f"{some[0].seed}–{some[-1].seed}", early, midst,
                f"{sum(kill.n_asked for kill in some):,}", sent, max(kill.longest_gap_ms for kill in some),
                *(sum(kill.marts == asked for kill in some) for asked in ("refused", "taken")),
            ]  # fmt: skip
            lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    lines += [
        "",
        "*Sent but not stored*: the server had written these answers to the connection, the killed process",
        "had not read them yet. No client can keep what it has not received; these, and what the server was",
        "still working on, are asked again, and so are answers since the last look at the model's digest.",
        "",
    ]
    return "\n".join(lines)


def share_of(kill: Kill) -> str:
    """Return which of the shares a kill belongs to."""
    return "swapped" if kill.stage == SWAPPED else kill.stage


def earlier(path: Path) -> list[Kill]:
    """Return the kills of a file of results."""
    kinds = {field.name: field.type for field in fields(Kill)}
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Kill(**{name: kinds[name](cell) for name, cell in row.items()}) for row in csv.DictReader(file)
        ]


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--cases", type=int, default=N_CASES, help="half the prompts of a round")
    parser.add_argument("--texts", type=int, default=N_TEXTS, help="texts of a round of extract")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", choices=list(shares(0)), help="this stage; the rows of others stay")
    parser.add_argument("--out", type=Path, help="folder of kills.csv and kills.md")
    arguments = parser.parse_args()
    kills = run(
        shares(arguments.kills, arguments.only),
        arguments.cases,
        arguments.texts,
        arguments.seed,
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    if arguments.only and arguments.out:
        kills = [
            kill for kill in earlier(arguments.out / "kills.csv") if share_of(kill) != arguments.only
        ] + kills
    text = report(kills, arguments.cases, arguments.texts)
    print(text)
    if arguments.out:
        with (arguments.out / "kills.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Kill)], lineterminator="\n")
            writer.writeheader()
            writer.writerows(asdict(kill) for kill in kills)
        (arguments.out / "kills.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
