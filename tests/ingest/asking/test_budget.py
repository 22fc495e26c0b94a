"""What answers cost, and a budget that stops asking before it is passed."""

import re
import threading

import pytest
from asked import N_PROMPTS, Case, said

from ingest.asking.budget import Purse, cost_of
from ingest.backends import Answer
from ingest.errors import PlumblineError
from ingest.suite import Prices

PRICES = {"prompt": 10.0, "output": 1_000.0, "currency": "USD", "date": "2026-11-01"}
# What the server says of each answer: a quarter of the prompt's characters and 5 tokens read, 3 written.
WRITTEN = 3
MESSAGES = [{"role": "user", "content": "Case 1: a man asks for a flat."}]


@pytest.fixture
def case(tmp_path, running):
    running.reset()
    case = Case(tmp_path, running, "openai", prices=PRICES, options={"max_tokens": 10})
    return case


def total(case):
    prompts = case.rows("select prompt from prompts join responses using (prompt_key)")
    return sum((len(p) // 4 + 5) * 10 + WRITTEN * 1_000 for (p,) in prompts) / 1e6


def spent(case):
    return case.rows("select coalesce(sum(cost), 0) from responses")[0][0]


def test_each_answer_keeps_what_it_cost(case):
    result = case.command()
    assert (
        result.exit_code == 0 and "asked: its answers cost 0.06" in result.stderr and " USD" in result.stderr
    )
    assert spent(case) == pytest.approx(total(case), rel=1e-12)
    assert case.rows("select distinct currency from responses") == [("USD",)]


def test_without_prices_nothing_has_a_cost(tmp_path, running):
    running.reset()
    case = Case(tmp_path, running, "openai")
    result = case.command()
    assert result.exit_code == 0 and "cost" not in result.output
    assert case.rows("select count(cost), count(currency) from responses") == [(0, 0)]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_asking_stops_before_the_budget_is_passed_and_goes_on_with_more(case, concurrency):
    # An answer costs about 0.0031, and may cost 0.0104.
    line = said(case.ask, budget=0.03, concurrency=concurrency)
    assert re.search(r"of the budget of 0.03 USD are spent, and the next answer may cost 0\.010\d+\. ", line)
    assert "Raise `budget:` in the suite, or --budget; then the same command goes on." in line
    n = case.rows("select count(*) from responses")[0][0]
    assert spent(case) <= 0.03 and n == case.server.n_asked()
    # The next one could have passed it: so much is left, and no more.
    assert 0.03 - spent(case) < 0.0105 and n == 7
    assert "are spent" in said(case.ask, budget=0.03)
    assert case.server.n_asked() == n  # what was spent counts in the next run
    assert case.ask(budget=1.0) == {"ok": N_PROMPTS - n}
    assert spent(case) == pytest.approx(total(case))


def test_the_suites_own_budget_holds_and_the_command_goes_before_it(case):
    content = case.path.read_text("utf-8")
    case.path.write_text(f"budget: 0.02\n{content}", "utf-8")
    result = case.command()
    assert result.exit_code == 1 and "of the budget of 0.02 USD are spent" in result.stderr
    result = case.command("--budget", "1")
    assert result.exit_code == 0 and ": 16 ok; 0 left" in result.stdout
    assert case.command("--budget", "0").exit_code == 0  # nothing is left to ask


def test_a_budget_of_nothing_asks_nothing(case):
    assert "0 of the budget of 0 USD are spent" in said(case.ask, budget=0.0)
    assert case.server.n_asked() == 0


def test_a_config_without_prices_cannot_hold_a_budget(case):
    case.config.pop("prices")
    case.write()
    assert "tiny: the budget cannot be held, as the config has no prices." in said(case.ask, budget=1.0)
    case.write(prices={"prompt": 0, "output": 0})
    assert case.ask(budget=0.0) == {"ok": N_PROMPTS}


def test_what_is_asked_again_is_paid_again(case):
    case.server.rules({"match": "Case 3", "do": "answer", "served": "tiny-mini"})
    assert case.ask() == {"ok": N_PROMPTS - 2, "other_model": 2}
    before = spent(case)
    assert before == pytest.approx(total(case))
    case.server.rules()
    assert case.ask() == {"ok": 2}
    assert spent(case) == pytest.approx(before * (N_PROMPTS + 2) / N_PROMPTS, rel=0.01)


def test_prices_in_two_currencies_do_not_add_up(case):
    other = {**case.config, "model": "huge", "prices": {**PRICES, "currency": "SGD"}}
    case.path.write_text(case.path.read_text("utf-8").replace("configs:", f"configs:\n- {other}"), "utf-8")
    assert "prices are in several currencies (SGD, USD): give one" in case.command().stderr


@pytest.mark.parametrize(
    ("answer", "cost"),
    [
        (Answer("Yes.", "ok", n_prompt_tokens=7, n_output_tokens=2), 7 * 10 + 2 * 1_000),
        (Answer("Yes.", "ok"), (8 + 8) * 10 + 1 * 1_000),  # 30 characters and a frame; 4 characters
        (Answer(None, "refused", error="No, no, no."), (8 + 8) * 10 + 3 * 1_000),
        (Answer(None, "timeout"), (8 + 8) * 10 + 50 * 1_000),
        (Answer(None, "content_filtered", n_prompt_tokens=7, n_output_tokens=0), 7 * 10),
        (Answer(None, "rate_limited"), None),
        (Answer(None, "server_error"), None),
    ],
)
def test_what_an_answer_costs(answer, cost):
    found = cost_of(Prices(prompt=10, output=1_000), MESSAGES, answer, 50)
    assert found == (None if cost is None else pytest.approx(cost / 1e6))


def test_what_fits_on_paper_fits():
    purse = Purse(0.3, 0.1 + 0.1, "")
    assert purse.fits(0.1) and not purse.fits(0.1001)
    purse.hold(0.1, threading.Event())


def test_a_sender_waits_for_what_others_give_back():
    purse = Purse(1.0, 0.0, "")
    stop = threading.Event()
    purse.hold(0.8, stop)
    waiting = threading.Thread(target=purse.hold, args=(0.8, stop))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    purse.settle(0.8, 0.1)
    waiting.join(5)
    assert not waiting.is_alive()
    stop.set()
    with pytest.raises(PlumblineError):  # a run that was stopped keeps nobody waiting
        purse.hold(0.8, stop)


def test_plan_says_what_asking_all_costs_and_the_budget(case):
    from click.testing import CliRunner

    from ingest.cli import cli

    case.path.write_text(f"budget: 5\n{case.path.read_text('utf-8')}", "utf-8")
    result = CliRunner().invoke(cli, ["--data", str(case.folder / "none"), "plan", str(case.path)])
    assert result.exit_code == 0, result.output
    line = next(line for line in result.stdout.splitlines() if "configs with prices" in line)
    assert "asked: 20 answers" in line and "at most 200 written" in line
    assert line.endswith("at most 0.20 USD at prices of 2026-11-01, of a budget of 5.00.")


@pytest.mark.parametrize("count", [-(10**6), 2**31, 10**300, 10**400])
@pytest.mark.parametrize("which", ["prompt_tokens", "completion_tokens"])
def test_a_count_that_is_none_neither_fills_the_purse_nor_empties_it(case, count, which):
    usage = {"prompt_tokens": 9, "completion_tokens": 3, which: count}
    choices = [{"message": {"content": "Yes."}, "finish_reason": "stop"}]
    body = {"model": "tiny-2026-01-01", "choices": choices}
    case.write(any_fingerprint=True)
    case.server.rules({"match": "Case 3: a man", "do": "body", "body": {**body, "usage": usage}, "times": 1})
    counts = case.ask(budget=1.0)
    assert counts == {"ok": N_PROMPTS}
    ((cost,),) = case.rows("select cost from responses where n_prompt_tokens + n_output_tokens is null")
    assert 0 < cost < 0.02
