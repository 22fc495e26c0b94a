"""plumbline extract: measure every distinct text once.

What is to do is a set difference in SQL, and each batch is one transaction: running again resumes.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from ingest.errors import PlumblineError, say
from ingest.judging.stage import Judging
from ingest.judging.votes import MuteJudge, VoteCount
from ingest.measuring.languages import LanguageDetector, detect_languages
from ingest.measuring.prompt_pairs import Compared, compare_pairs, neutralise, pair_prompts
from ingest.measuring.scored_texts import count_unmade_scored, make_scored_texts
from ingest.measuring.shared_names import measured_otherwise
from ingest.measuring.text_overlap import Overlap
from ingest.measuring.texts import (
    Count,
    Task,
    attempt,
    check_ranges,
    count_missing,
    count_unmade,
    list_sources,
    make_variants,
    measure_missing,
    needs,
    variant_pairs,
)
from ingest.measuring.topics import TopicCount, count_unclustered, make_topics
from ingest.options import (
    allow_code_option,
    allow_host_option,
    budget_option,
    concurrency_option,
    device_option,
    dry_run_option,
    limit_option,
    model_dir_option,
    send_key_option,
    suite_option,
    variant_option,
)
from ingest.reach import asked_places, check_reach
from ingest.scorers import Identity, Where, load_scorer, scorer_row
from ingest.scorers.own import load_own
from ingest.store import Store
from ingest.suite import Suite, load_suite
from ingest.suite.definition import register_suite

# Options of commands that ask models, which judges follow, too.
OF_JUDGES = ("hosts", "concurrency", "budget", "retry_failed")


def extract(
    store: Store,
    suite: Suite,
    path: Path,
    tasks: Sequence[Task],
    limit: int | None = None,
    overlap: Overlap | None = None,
    judging: Judging | None = None,
) -> list[Count | TopicCount | Compared | VoteCount]:
    """Make the text variants, measure what is not measured (at most `limit` texts in all), cluster topics.

    `overlap` compares the answers to branches of one root, after all texts have been measured; `judging` has
    judges read them at the end.
    """
    detector = LanguageDetector()
    used: list[Identity] = [*(task.scorer for task in tasks), detector, *([overlap] if overlap else [])]
    asked = judging.panels(store, suite, path) if judging else []
    keys = {scorer.name: scorer_row(scorer)["scorer_key"] for scorer in used}
    shared = {task.scorer.name: task.scorer_key for task in tasks if task.is_embedder}
    shared |= {panel.judge.name: panel.row["scorer_key"] for panel in asked}
    for line in measured_otherwise(store, suite.suite, shared):
        say(line, err=True)
    detail = {
        "suite": suite.suite,
        "suite_key": suite.suite_key,
        "scorers": keys | {panel.judge.name: panel.row["scorer_key"] for panel in asked},
        "limit": limit,
    }
    counts: list[Count | TopicCount | Compared | VoteCount] = []
    with store.run("extract", detail) as run_id:
        register_suite(store, suite, path, run_id)
        store.append("scorers", [task.row for task in tasks])
        store.append("scorer_features", [row for task in tasks for row in task.feature_rows])
        make_scored_texts(store, suite)
        list_sources(store, suite)
        make_variants(store, variant_pairs(suite, tasks))
        for task in tasks:
            try:
                count = measure_missing(store, task, limit)
            finally:
                if hasattr(task.scorer, "close"):
                    task.scorer.close()
            counts.append(count)
            if limit is not None:
                limit -= count.measured
        for task in tasks:
            # A part of the texts would have other clusters.
            if task.need.is_encoder and (limit is None or limit > 0):
                measure = partial(attempt, task.measure, width=task.width, errors=[])
                counts += make_topics(store, suite, task.scorer_key, measure)
        n_other = detect_languages(store, suite, detector)
        if n_other:
            say(f"{n_other:,} answers are in another language than their prompt.", err=True)
        n_pairs = pair_prompts(store, suite)
        if overlap is not None and n_pairs:
            counts.append(compare_pairs(store, suite, path, overlap))
        elif judging is not None and n_pairs and any(panel.judge.compares for panel in asked):
            neutralise(store, suite, path)
        if judging is not None and (limit is None or limit > 0):
            counts += judging.run(store, suite, path, asked, run_id, limit)
    return counts


def check_consent(store: Store, suite: Suite, tasks: Sequence[Task], allow_code: bool) -> None:
    """Raise PlumblineError where a suite wants code run on texts, and the user has not said yes."""
    list_sources(store, suite)
    n_unscored = count_unmade_scored(store, suite)
    for task in tasks:
        code = getattr(task.scorer, "code", None)
        if code is None or allow_code:
            continue
        _, n_missing = count_missing(store, task)
        if n_missing or n_unscored or count_unmade(store, task.need.pairs):
            raise PlumblineError(
                f"The suite wants Python code run on the texts: {code} (scorer {task.scorer.name!r}).",
                "Read it; if you trust it, add --allow-code.",
            )


@click.command("extract")
@suite_option()
@variant_option()
@click.option("--scorer", "names", multiple=True, help="Only this scorer. Repeat it for more.")
@model_dir_option()
@device_option()
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Where scorers are asked: here, or by the workers of Spark, in batches of the same size.",
)
@allow_code_option(help="Run the Python code that the suite names under `own_scorers:`.")
@allow_host_option()
@send_key_option()
@concurrency_option(help="Requests to a judge under way at a time.  [default: what its config says, or 1]")
@budget_option()
@click.option("--retry-failed", is_flag=True, help="Also ask judges again where they gave no vote.")
@dry_run_option(help="Say what is missing, then stop.")
@limit_option(help="Measure at most this many texts, votes of judges included.")
@click.pass_obj
def command(
    data: Path,
    suite_path: Path,
    variant: str | None,
    names: tuple[str, ...],
    model_dir: Path | None,
    device: str,
    engine: str,
    allow_code: bool,
    allowed_hosts: tuple[str, ...],
    hosts: tuple[str, ...],
    concurrency: int | None,
    budget: float | None,
    retry_failed: bool,
    dry_run: bool,
    limit: int | None,
) -> None:
    """Measure the texts of answers and baselines with the suite's scorers, and have its judges read them.

    Each distinct text is measured once. Safe to stop and start again: what is
    measured is skipped, and at most one batch is lost. A text that a scorer
    fails on is kept as failed, and tried again by the next run.

    \b
    plumbline extract --suite suites/mine.yml --dry-run                  # how many texts are left
    plumbline extract --suite suites/mine.yml --scorer regard --limit 50 # a first look
    plumbline extract --suite suites/mine.yml --model-dir weights        # offline: weights/regard/ and so on
    plumbline extract --suite suites/mine.yml --allow-code               # with a function under own_scorers:
    plumbline extract --suite suites/mine.yml --send-key api.example.com # with a judge that wants a key
    """
    suite = load_suite(suite_path, variant)
    where = Where(model_dir, device, data)
    hidden = suite.key_variables
    judging = None
    if set(names or suite.judges) & set(suite.judges):
        judging = Judging(names, concurrency, hosts, budget, allow_code=allow_code, retry_failed=retry_failed)
    own = {name: load_own(name, spec, suite_path.parent, hidden) for name, spec in suite.own_scorers.items()}
    tasks = [Task(own.get(name) or load_scorer(name, where), n) for name, n in needs(suite, names).items()]
    for task in tasks:
        if task.is_embedder and task.scorer.name in suite.scorers:
            task.need.pairs.update((code, suite.pairs.text) for code in suite.categories)
    # Whoever asks for one scorer, or for a few texts, does not ask for pairs.
    overlap = Overlap(suite.language) if suite.pair_axes() and not names and limit is None else None
    with Store(data, read_only=dry_run, must_exist=True) as store:
        if dry_run:
            list_sources(store, suite)
            n_unscored = count_unmade_scored(store, suite)
            for task in tasks:
                _, n_missing = count_missing(store, task)
                n_unmade = count_unmade(store, task.need.pairs) + n_unscored
                n_most = n_missing + n_unmade
                # Variants that are not made yet may turn out equal to each other or to measured texts.
                bound = "up to " if n_unmade else ""
                say(f"{task.scorer.name}: {bound}{n_most:,} texts to measure.")
                if task.need.is_encoder and suite.topics:
                    n_segments = count_unclustered(store, suite, task.scorer_key)
                    say(f"topics: {n_segments:,} segments to cluster, of the texts measured so far.")
            for line in judging.forecast(store, suite, suite_path) if judging else ():
                say(line)
            return
        if judging is not None:
            check_reach(store, suite_path, asked_places(judging.voters(suite)), (*allowed_hosts, *hosts))
        for task in tasks:
            check_ranges(store, task)
        check_consent(store, suite, tasks, allow_code)
        if engine == "spark":
            from ingest.spark.scoring import spread

            tasks = [spread(task, where) for task in tasks]
        counts = extract(store, suite, suite_path, tasks, limit, overlap, judging)
        for count in counts:
            say(str(count))
            if isinstance(count, Count) and count.failed:
                why = f"; first: {count.first_error}" if count.first_error else ": it gives no number of them"
                say(f"{count.scorer} failed on {count.failed:,}{why}", err=True)
        if store.value("select count(*) from sources") == 0:
            say(f"Suite {suite.suite} has no response with the status `ok`.", err=True)
    if faults := [one for count in counts if isinstance(count, VoteCount) for one in count.faults]:
        for one in faults[1:]:
            say(one.what, err=True)
        raise MuteJudge(faults[0].what, faults[0].what_to_do)
