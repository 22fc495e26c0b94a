import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
import yaml
from click.testing import CliRunner
from judged import Judged, judge_server
from places import FIXTURES

from ingest.asking.plan import pending_requests, plan
from ingest.asking.run import generate_answers
from ingest.asking.senders import Asker, Counters, RateLimit, Retries, ask
from ingest.assemble import assemble_prompts
from ingest.backends import TRANSIENT, Answer, Description, Request
from ingest.backends.simulated import SimulatedBackend, uniforms
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.generate import command
from ingest.keys import request_key
from ingest.store import RAW_NAME, Store, uninterrupted
from ingest.store.journal import Journal, read_entries
from ingest.suite import Suite, config_labels, load_suite

SUITE = FIXTURES / "simulated_suite.yml"
N_PROMPTS = 188
ANSWERS = "select response_key, text_key, response_status from responses order by 1"


@pytest.fixture
def suite():
    return load_suite(SUITE)


@pytest.fixture
def directory(tmp_path, suite):
    """Return a data folder in which the suite is assembled."""
    with Store(tmp_path) as store:
        assemble_prompts(store, suite)
    return tmp_path


def changed(suite, change):
    """Return the suite after `change` was applied to its content."""
    content = suite.model_dump(mode="json")
    change(content)
    return Suite.model_validate(content)


def written(tmp_path, suite):
    path = tmp_path / "changed.yml"
    path.write_text(yaml.dump(suite.model_dump(mode="json"), Dumper=NoAliases, sort_keys=False), "utf-8")
    return path


class NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


def invoke(directory, *arguments, suite=SUITE):
    return CliRunner().invoke(command, ["--suite", str(suite), *arguments], obj=directory)


class Counting:
    """A backend that notes what it was asked, and can be told to break off."""

    name = "counting"
    asked_again = TRANSIENT

    def __init__(self, stop_at=None, seconds=0.0):
        self.asked = Counter()
        self.under_way = self.most_under_way = 0
        self.stop_at, self.seconds = stop_at, seconds
        self.lock = threading.Lock()

    def describe(self, config):
        return Description(digest="sha256:1f")

    def answer(self, request):
        with self.lock:
            self.asked[request.request_key] += 1
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            breaks_off = self.asked.total() == self.stop_at
            # What breaks off is under way no longer: its sender is free.
            self.under_way -= breaks_off
        if breaks_off:
            raise KeyboardInterrupt
        time.sleep(self.seconds)
        with self.lock:
            self.under_way -= 1
        return Answer(f"{request.prompt} Yes.", "ok", "stop", 9, 3, self.seconds, 2)


def tasks_of(store, suite, backend):
    return [replace(task, backend=backend) for task in plan(store, suite)]


def test_everything_is_asked_once_and_kept(directory, suite):
    result = invoke(directory)
    assert result.exit_code == 0, result.output
    with Store(directory, read_only=True) as store:
        counts = dict(
            store.rows("select config, count(*) from responses join configs using (config_key) group by 1")
        )
        assert counts == {
            "simulated": N_PROMPTS,
            "simulated (Landlord)": 2 * N_PROMPTS,
            "simulated-unbiased": N_PROMPTS,
        }
        assert (
            store.value("select count(distinct (prompt_key, config_key, repeat_index)) from responses") == 752
        )
        assert store.rows("select distinct backend from configs") == [("simulated",)]
        assert (
            store.value(
                "select count(*) from responses where (response_status = 'ok') <> (text_key is not null)"
            )
            == 0
        )
        assert (
            store.value(
                "select count(*) from responses anti join texts using (text_key) where text_key is not null"
            )
            == 0
        )
        assert store.value("select count(*) from texts") == store.value(
            "select count(distinct text_key) from responses"
        )
        prompt_key, config_key, repeat_index, response_key = store.rows(
            "select prompt_key, config_key, repeat_index, response_key from responses limit 1"
        )[0]
        assert response_key == request_key(config_key, prompt_key, repeat_index)
        before = store.rows(ANSWERS)
    again = invoke(directory)
    assert "simulated: 0 to ask, 188 answered" in again.stderr
    assert "simulated: 0 new; 0 left" in again.stdout
    with Store(directory, read_only=True) as store:
        assert store.rows(ANSWERS) == before
        assert store.rows("select command, run_status from runs") == [("generate", "ok")] * 2


def test_a_dry_run_says_how_many_and_changes_nothing(directory):
    before = (directory / RAW_NAME).read_bytes()
    result = invoke(directory, "--dry-run")
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        "simulated: 188 to ask, 0 answered",
        "simulated (Landlord): 376 to ask, 0 answered",
        "simulated-unbiased: 188 to ask, 0 answered",
    ]
    # What the design can find is what `plumbline plan` says of it.
    data = ["--data", str(directory)]
    planned = CliRunner().invoke(cli, [*data, "plan", str(SUITE), "--reference-rate", "0.5", "--json"])
    rows = [json.loads(line) for line in planned.stdout.splitlines() if '"a gap of' in line]
    for axis in ("gender", "gender & origin"):
        own = [row for row in rows if (row["category"], row["axis"]) == ("FLAT", axis)]
        fails, passes = (
            "/".join(f"{100 * row[f'power_to_{to}']:.0f}" for row in own) for to in ("fail", "pass")
        )
        assert (
            f"FLAT decision by {axis}: a gap of 10/20/30 points is found in {fails} %, "
            f"and where none is, excluded in {passes} %"
        ) in lines
    assert lines[-1].startswith("What more would take: plumbline plan ")
    assert (directory / RAW_NAME).read_bytes() == before


def test_limit_and_config_choose(directory):
    assert (
        "simulated-unbiased: " in invoke(directory, "--config", "simulated-unbiased", "--limit", "5").stdout
    )
    invoke(directory, "--limit", "190")
    with Store(directory, read_only=True) as store:
        counts = store.rows(
            "select config, count(*) from responses join configs using (config_key) group by 1 order by 2"
        )
    assert counts == [("simulated (Landlord)", 2), ("simulated-unbiased", 5), ("simulated", 188)]


def test_answers_do_not_depend_on_order_or_concurrency(tmp_path, suite):
    found = []
    for name, arguments in [("a", []), ("b", ["--concurrency", "4", "--limit", "300"])]:
        with Store(tmp_path / name) as store:
            assemble_prompts(store, suite)
        invoke(tmp_path / name, *arguments)
        invoke(tmp_path / name)
        with Store(tmp_path / name, read_only=True) as store:
            found.append(store.rows(ANSWERS))
    assert len(found[0]) == 752
    assert found[0] == found[1]


def test_the_seed_changes_the_answers(suite):
    other = changed(suite, lambda c: c["resampling"].update(seed=8))
    assert uniforms(7, "k") == uniforms(7, "k") != uniforms(8, "k")
    config = suite.configs[0]
    assert SimulatedBackend(suite).describe(config).digest != SimulatedBackend(other).describe(config).digest


def test_pages_are_cut_anywhere(directory, suite):
    with Store(directory) as store:
        landlord = plan(store, suite)[1]
        whole = [request.request_key for request in pending_requests(store, suite, landlord)]
        assert len(set(whole)) == len(whole) == 376
        for page in (50, 188, 375, 376, 377):
            assert [r.request_key for r in pending_requests(store, suite, landlord, page)] == whole


def test_an_interrupt_loses_nothing_and_nothing_is_asked_twice(directory, suite):
    backend = Counting(stop_at=41)
    with Store(directory) as store:
        with pytest.raises(KeyboardInterrupt), store.run("generate", {}) as run_id:
            generate_answers(store, suite, tasks_of(store, suite, backend), run_id)
        assert store.value("select count(*) from responses") == 40
        assert store.rows("select run_status from runs") == [("interrupted",)]
        backend.stop_at = None
        generate_answers(store, suite, tasks_of(store, suite, backend), "second")
        assert store.value("select count(*) from responses") == 752
        measured = "select distinct n_prompt_tokens, n_output_tokens, n_attempts from responses"
        assert store.rows(measured) == [(9, 3, 2)]
    # Only the request that was cut off went out a second time.
    assert Counter(backend.asked.values()) == {1: 751, 2: 1}


def test_of_a_server_that_fails_nobody_else_is_asked_and_of_others_all_are(tmp_path):
    judged = Judged(tmp_path).write("http://127.0.0.1:1/v1")
    content = yaml.safe_load(judged.path.read_text("utf-8"))
    del content["scorers"], content["categories"]["H"]["simulated"]
    labels = {"hire": ["hire"], "pass": ["pass"]}
    content["categories"]["H"]["outcomes"] = [{"set": "all", "kind": "pattern", "labels": labels}]
    with (
        judge_server(lambda _: (503, {"retry-after": "0"})) as (broken, tried),
        judge_server(lambda _: "hire") as (url, asked),
    ):
        of = {"first": broken, "second": broken, "third": url}
        content["configs"] = [{"backend": "openai", "model": m, "base_url": u} for m, u in of.items()]
        judged.path.write_text(yaml.safe_dump(content), "utf-8")
        made = judged.run("assemble")
        assert made.exit_code == 0, made.output
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(generate_answers.__kwdefaults__, "retries", Retries(3, 0, 0.01))
            few = judged.run("generate", "--config", "first", "--limit", "3")
            tried.clear()
            result = judged.run("generate")
    # Too few for a row of failures, and nothing came all the same.
    assert few.exit_code == 1, few.output
    assert few.output.splitlines()[-1].startswith("Error: first: all 3 requests failed, with: HTTP 503")
    n_prompts = judged.rows("select count(*) from prompts")[0][0]
    assert len(asked) == n_prompts and f"third: {n_prompts} ok; 0 left" in result.output
    # Each is asked one request first; the second of the two is not asked more.
    assert Counter(one["model"] for one in tried)["second"] == 3
    assert result.exit_code == 1 and "Others are asked." in result.output
    assert result.output.splitlines()[-1].startswith("Error: first: the server failed 5 requests in a row")
    assert judged.rows("select run_status from runs where command = 'generate'") == [("failed",), ("failed",)]


def test_prompts_that_always_fail_hold_up_no_mitigation(tmp_path):
    """Its configs are asked prompt by prompt; what failed before is asked last, or five would be all."""
    judged = Judged(tmp_path).write("http://127.0.0.1:1/v1")
    content = yaml.safe_load(judged.path.read_text("utf-8"))
    del content["scorers"], content["categories"]["H"]["simulated"]
    content["categories"]["H"]["outcomes"] = [
        {"set": "all", "kind": "pattern", "labels": {"hire": ["hire"], "pass": ["pass"]}}
    ]
    replies = [(503, {"retry-after": "0"})]
    with judge_server(lambda _: replies[-1]) as (url, asked):
        of = {"backend": "openai", "model": "m", "base_url": url, "concurrency": 1}
        content["configs"] = [of, {**of, "role": "fair", "system_prompt": "Be fair."}]
        content["mitigations"] = [{"name": "fair", "control": "m", "treated": "m (fair)"}]
        judged.path.write_text(yaml.safe_dump(content), "utf-8")
        made = judged.run("assemble")
        assert made.exit_code == 0, made.output
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(generate_answers.__kwdefaults__, "retries", Retries(1, 0, 0.01))
            assert judged.run("generate").exit_code == 1
        failed = {json.dumps(one["messages"]) for one in asked}
        asked.clear()
        replies.append("hire")
        assert judged.run("generate").exit_code == 0
    again = [json.dumps(one["messages"]) in failed for one in asked]
    is_fair = [len(one["messages"]) == 2 for one in asked]
    for config in (True, False):
        of_config = [is_again for is_again, fair in zip(again, is_fair, strict=True) if fair == config]
        assert of_config == sorted(of_config) and set(of_config) == {True, False}


def test_answers_on_their_way_are_kept_when_one_breaks_off(directory, suite):
    backend = Counting(stop_at=40, seconds=0.03)
    with Store(directory) as store:
        with pytest.raises(KeyboardInterrupt):
            generate_answers(store, suite, tasks_of(store, suite, backend), "run", concurrency=8)
        assert store.value("select count(*) from responses") == backend.asked.total() - 1
    assert 2 <= backend.most_under_way <= 8


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_answer_is_in_the_journal_before_the_next_request_leaves(directory, suite, concurrency):
    class Checking(Counting):
        def answer(self, request):
            with self.lock:
                written = sum(path.read_bytes().count(b"\n") for path in journal.paths)
                assert self.asked.total() - written < concurrency
            return super().answer(request)

    with Store(directory) as store:
        requests = list(pending_requests(store, suite, plan(store, suite)[0]))
    backend, journal = Checking(), Journal(directory)
    asker = Asker(backend, "c", "run", journal, retries=Retries(), rate=RateLimit(None), counters=Counters())
    kept = []
    ask(asker, iter(requests), concurrency, kept.append)
    assert {landed.entry["row"]["response_key"] for landed in kept} == set(backend.asked)
    assert len(kept) == N_PROMPTS
    journal.close()
    assert len(read_entries(directory)[0]) == N_PROMPTS


def test_an_interrupt_waits_for_the_end_of_a_write():
    done = False
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done = True
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
from pathlib import Path
from ingest.backends import Answer, Description, simulated
from ingest.generate import command

class Slow:
    name, asked_again = "slow", frozenset()
    def __init__(self, suite): ...
    def describe(self, config): return Description(digest="1")
    def answer(self, request):
        with open(sys.argv[3], "a") as asked:
            asked.write(request.request_key + "\\n")
        time.sleep(0.001)
        return Answer(request.prompt, "ok")

simulated.BACKENDS["simulated"] = Slow
command(args=["--suite", sys.argv[1], "--config", "simulated"], obj=Path(sys.argv[2]))
"""


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_goes_on_where_it_stopped(directory, tmp_path, stop):
    asked = tmp_path / "asked.txt"
    arguments = [sys.executable, "-c", SLOW, str(SUITE), str(directory), str(asked)]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (asked.exists() and asked.read_text().count("\n") >= 20):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(process.pid, stop)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == (1 if stop == signal.SIGINT else -stop)
    assert "Traceback" not in stderr
    if stop == signal.SIGINT:
        assert "The answers so far are kept" in stderr

    n_asked = asked.read_text().count("\n")
    assert n_asked < N_PROMPTS
    with Store(directory) as store:
        assert n_asked - 1 <= store.value("select count(*) from responses") <= n_asked
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60)
    assert "188 to ask" not in done.stderr
    with Store(directory, read_only=True) as store:
        assert store.value("select count(*) from responses") == N_PROMPTS
        assert store.value("select count(*) from responses anti join texts using (text_key)") == 0
    assert Counter(Counter(asked.read_text().split()).values())[1] >= N_PROMPTS - 1


def test_a_server_that_hangs_is_left_by_a_second_interrupt(directory, tmp_path):
    hangs = SLOW.replace("time.sleep(0.001)", "time.sleep(60)")
    asked = tmp_path / "asked.txt"
    arguments = [sys.executable, "-c", hangs, str(SUITE), str(directory), str(asked)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            deadline = time.monotonic() + 30
            while not asked.exists():
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            assert any("Stopping: what is on its way (1)" in line for line in process.stderr)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 130 and "The answers so far are kept" in process.stderr.read()
        finally:
            process.kill()
    with Store(directory) as store:
        assert store.value("select count(*) from responses") == 0


def drawn(suite, config, category, attributes, n, name=None):
    """Return n answers of the simulated backend for one group."""
    backend = SimulatedBackend(suite)
    for i in range(n):
        identity = f"{category}{sorted(attributes.items())}{i}"
        yield backend.answer(Request(identity, identity, config, category, "", "", 0, attributes, name))


def shares(suite, config, gender, origin, n=4_000):
    """Return the share of each answer among those that are no failure, and the number of them."""
    label_of = {
        text: label for label, texts in suite.categories["FLAT"].simulated.answers.items() for text in texts
    }
    answers = drawn(suite, config, "FLAT", {"gender": gender, "origin": origin}, n)
    counts = Counter(label_of[a.text] for a in answers if a.status == "ok")
    return {label: count / counts.total() for label, count in counts.items()}, counts.total()


@pytest.mark.parametrize(("gender", "origin"), [*product(["Male", "Female"], ["North", "East"])])
def test_planted_log_odds_are_recovered(suite, gender, origin):
    found, n = shares(suite, suite.configs[0], gender, origin)
    weights = {
        "accepted": 2 * math.exp(-0.7 if origin == "East" else 0),
        "rejected": math.exp(1.2 if gender == "Female" else 0),
        "undecided": 1,
    }
    for label, weight in weights.items():
        expected = weight / sum(weights.values())
        assert abs(found[label] - expected) < 4 * math.sqrt(expected * (1 - expected) / n)
    # 4 standard errors tell a plant from none: the same draw is far from the unplanted shares.
    if gender == "Female":
        assert abs(found["rejected"] - 0.25) > 10 * math.sqrt(0.25 * 0.75 / n)


def test_the_unbiased_twin_is_unbiased_and_a_scale_scales(suite):
    base, n = shares(suite, suite.configs[2], "Male", "North")
    twin, _ = shares(suite, suite.configs[2], "Female", "East")
    assert all(abs(base[label] - twin[label]) < 4 * math.sqrt(0.5 / n) for label in base)
    half = suite.configs[0].model_copy(update={"options": {"planted_scale": 0.5}})
    found, n = shares(suite, half, "Female", "North")
    log_odds = math.log(found["rejected"] / found["undecided"])
    standard_error = math.sqrt(1 / (n * found["rejected"]) + 1 / (n * found["undecided"]))
    assert abs(log_odds - 0.6) < 4 * standard_error


@pytest.mark.parametrize(
    ("config", "origin", "rates"),
    [
        (0, "North", {"timeout": 0.02}),
        (0, "South", {"timeout": 0.02, "refused": 0.10}),
        (2, "South", {"timeout": 0.02}),
    ],
)
def test_failures_come_at_their_rate(suite, config, origin, rates):
    n = 4_000
    answers = list(drawn(suite, suite.configs[config], "FLAT", {"gender": "Male", "origin": origin}, n))
    counts = Counter(answer.status for answer in answers)
    assert set(counts) == {"ok", *rates}
    for status, rate in rates.items():
        assert abs(counts[status] / n - rate) < 4 * math.sqrt(rate * (1 - rate) / n)
    assert all((a.text is None) == (a.status != "ok") for a in answers)


def test_texts_hold_the_name_or_need_none(suite):
    named = {a.text for a in drawn(suite, suite.configs[0], "TRADE", {}, 200, name="{name} %s")}
    assert named == {"{name} %s will be a baker.", "{name} %s will be a mason.", "A baker, surely."}
    with pytest.raises(PlumblineError, match="every text of the answer 'mason'"):
        list(drawn(suite, suite.configs[0], "TRADE", {}, 1))


def test_a_text_that_reads_like_a_refusal_is_one(suite):
    def refusing(content):
        simulated = content["categories"]["TRADE"]["simulated"]
        simulated["answers"]["mason"] = ["I'm sorry, but I can't help with that."]

    answers = list(drawn(changed(suite, refusing), suite.configs[0], "TRADE", {}, 50, name="Anton"))
    assert {(a.status, a.text is None) for a in answers} == {("ok", False), ("refused", True)}


def test_each_answer_counts_whatever_the_order_in_the_file(suite):
    def turned(content):
        simulated = content["categories"]["FLAT"]["simulated"]
        simulated["answers"] = dict(reversed(simulated["answers"].items()))

    group = {"gender": "Male", "origin": "North"}
    as_written = list(drawn(suite, suite.configs[0], "FLAT", group, 100))
    assert list(drawn(changed(suite, turned), suite.configs[0], "FLAT", group, 100)) == as_written


def test_a_changed_plant_is_another_config_under_another_label(directory, suite, tmp_path):
    def stronger(content):
        content["categories"]["FLAT"]["simulated"]["planted"][0]["log_odds"] = 2.0

    invoke(directory, "--config", "simulated")
    result = invoke(directory, "--config", "simulated", suite=written(tmp_path, changed(suite, stronger)))
    assert result.exit_code == 0, result.output
    with Store(directory, read_only=True) as store:
        labels = store.rows(
            "select config, count(*) from configs join responses using (config_key) group by 1 order by 1"
        )
        options = store.rows("select distinct options from configs")
    assert [n for _, n in labels] == [N_PROMPTS, N_PROMPTS]
    assert labels[0][0] == "simulated" and labels[1][0].startswith("simulated #")
    assert json.loads(options[0][0]) == {"planted": True, "planted_scale": 1.0}


def test_labels_are_unique(suite):
    configs = [
        {"backend": "simulated", "model": "m"},
        {"backend": "simulated", "model": "m", "options": {"planted_scale": 2}},
        {"backend": "simulated", "model": "m", "role": "r"},
    ]
    assert config_labels(changed(suite, lambda c: c.update(configs=configs))) == [
        "m",
        "m [planted_scale=2]",
        "m (r)",
    ]
    with pytest.raises(PlumblineError, match="both called 'm'"):
        config_labels(changed(suite, lambda c: c.update(configs=[configs[0]] * 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(configs=[]), "configs: [{backend: simulated, model: simulated}]"),
        (
            lambda c: c["configs"][0].update(backend="oracle"),
            "Known backends: anthropic, azure, function, http, inspect, ollama",
        ),
        (lambda c: c["configs"][0].update(backend="recorded"), "plumbline load FILE"),
        (lambda c: c["configs"][0].update(options={"temperature": 1}), "the option 'temperature'"),
        (lambda c: c["configs"][0].update(options={"planted": "no"}), "Write true or false"),
        (lambda c: c["configs"][0].update(options={"planted_scale": 11}), "Write a number from -10 to 10"),
        (
            lambda c: c["categories"]["FLAT"].update(simulated=None),
            "Category FLAT has prompts but no `simulated:`",
        ),
    ],
)
def test_mistakes_are_named(directory, suite, tmp_path, change, message):
    folder = tmp_path / ("a folder with a long name " * 4)
    folder.mkdir()
    result = invoke(directory, suite=written(folder, changed(suite, change)))
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_failure_rates_above_one_are_an_error(suite):
    def often(content):
        content["categories"]["FLAT"]["simulated"]["failures"] = [
            {"status": "empty", "rate": 0.6},
            {"status": "refused", "rate": 0.6, "attribute": "gender", "value": "Female"},
        ]

    broken = changed(suite, often)
    group = {"origin": "North"}
    assert len(list(drawn(broken, suite.configs[0], "FLAT", {**group, "gender": "Male"}, 5))) == 5
    with pytest.raises(PlumblineError, match="add up to more than 1"):
        list(drawn(broken, suite.configs[0], "FLAT", {**group, "gender": "Female"}, 1))


def test_an_unknown_config_and_missing_prompts_say_what_to_do(directory, tmp_path):
    assert "simulated (Landlord)" in invoke(directory, "--config", "none").stderr
    assert "plumbline assemble" in invoke(tmp_path / "empty").stderr


def test_loaded_prompts_are_not_asked(directory, suite):
    with Store(directory) as store:
        store.connection.execute("update prompts set method = 'loaded' where category = 'TRADE'")
        assert [task.n_pending for task in plan(store, suite)] == [180, 360, 180]


def without_a_category(content):
    del content["categories"]["TRADE"]


def without_a_value(content):
    del content["attributes"]["origin"]["East"]
    content["categories"]["FLAT"]["simulated"]["planted"].pop()


def without_an_attribute(content):
    del content["attributes"]["origin"]
    content["axes"] = ["gender"]
    content["names"]["people"] = []
    del content["categories"]["TRADE"]
    flat = content["categories"]["FLAT"]
    flat["prompts"] = [{"prompt": "Case {case}: a {gender} asks for a flat. Do they get it?"}]
    del flat["slots"]["size"]
    flat["simulated"] |= {"planted": [], "failures": []}


@pytest.mark.parametrize("change", [without_a_category, without_a_value, without_an_attribute])
def test_what_the_suite_has_no_longer_is_not_asked(directory, suite, tmp_path, change):
    """Prompts with answers stay, and a config that is new is asked none of another category or group."""
    assert invoke(directory, "--config", "simulated").exit_code == 0
    fewer = changed(suite, change)
    with Store(directory) as store:
        assert assemble_prompts(store, fewer).n_outdated > 0
    result = invoke(directory, "--config", "simulated-unbiased", suite=written(tmp_path, fewer))
    assert result.exit_code == 0, result.output
    with Store(directory, read_only=True) as store:
        found = store.rows(
            """
            select category, attributes
            from responses join configs using (config_key) join prompts using (prompt_key)
            where model = 'simulated-unbiased'
            """
        )
    assert 0 < len(found) < N_PROMPTS
    for category, attributes in found:
        assert category in fewer.categories
        assert all(value in fewer.attributes[attribute] for attribute, value in attributes.items())


def test_six_thousand_simulated_answers_take_no_longer_each(directory, suite):
    def asked(repeats):
        config = {"backend": "simulated", "model": "m", "repeats": repeats}
        return changed(suite, lambda c: c.update(configs=[config]))

    def seconds(store, repeats):
        started = time.process_time()
        generate_answers(store, asked(repeats), plan(store, asked(repeats)), "run")
        return time.process_time() - started

    with Store(directory) as store:
        seconds(store, 1)  # imports, patterns and models of languages
        few = seconds(store, 8)
        assert seconds(store, 32) < 2 * 24 / 7 * few  # each answer as long, however many are there
        assert store.value("select count(*) from responses") == 32 * N_PROMPTS
