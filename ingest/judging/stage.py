"""The part of `plumbline extract` in which judges read."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ingest.asking.forecast import Tokens
from ingest.asking.senders import Counters
from ingest.backends import RunsCode
from ingest.backends.replies import MESSAGE_TOKENS, estimate_tokens
from ingest.errors import is_ctrl_c, say
from ingest.judging.ballots import Ballot, question
from ingest.judging.votes import Panel, VoteCount, ask_judges, counted, panels
from ingest.judging.wanted import list_wanted
from ingest.measuring.prompt_pairs import PROMPT_PAIRS, pairing
from ingest.store import Store
from ingest.suite import Config, Suite

OF_TEXTS = """
    select coalesce(sum(least(a.n_characters, $most) + least(coalesce(b.n_characters, 0), $most)), 0)
    from wanted_votes as w
    inner join texts as a on w.first_text_key = a.text_key
    left join texts as b on w.second_text_key = b.text_key
    where w.judge = $judge"""


class Judging:
    """The judges of a suite, those among the scorers `chosen` or all, and how they may be asked."""

    def __init__(
        self,
        chosen: Sequence[str],
        concurrency: int | None,
        hosts: tuple[str, ...],
        budget: float | None = None,
        *,
        allow_code: bool,
        retry_failed: bool = False,
    ) -> None:
        self.chosen = tuple(chosen)
        self.concurrency = concurrency
        self.hosts = hosts
        self.budget = budget
        self.allow_code = allow_code
        self.retry_failed = retry_failed

    def voters(self, suite: Suite) -> list[Config]:
        """Return the configs that vote."""
        return [
            config
            for judge in suite.judges.values()
            if not self.chosen or judge.name in self.chosen
            for config in suite.voters(judge)
        ]

    def forecast(self, store: Store, suite: Suite, suite_path: Path) -> Iterator[str]:
        """Yield, judge by judge, how many votes are missing and what they take."""
        list_wanted(store, suite, suite_path, self.chosen, keep=False)
        for panel in self.panels(store, suite, suite_path):
            yield from _forecast(store, counted(store, panel))

    def panels(self, store: Store, suite: Suite, suite_path: Path) -> list[Panel]:
        """Return the judges with those who vote, each model looked at."""
        folder = suite_path.parent
        return panels(store, suite, folder, self.hosts, self.chosen, retry_failed=self.retry_failed)

    def run(
        self,
        store: Store,
        suite: Suite,
        suite_path: Path,
        asked: Sequence[Panel],
        run_id: str,
        limit: int | None,
    ) -> list[VoteCount]:
        """Ask for the votes that are missing, at most `limit`; return what came of it, judge by judge."""
        list_wanted(store, suite, suite_path, self.chosen)
        counters = Counters()
        try:
            found = ask_judges(
                store,
                suite,
                asked,
                run_id,
                limit,
                self.concurrency,
                allow_code=self.allow_code,
                counters=counters,
                budget=self.budget,
            )
        except BaseException as error:
            if is_ctrl_c(error):
                say("\nStopped. The votes so far are kept; the same command goes on.", err=True)
            raise
        finally:
            for backend in {id(task.backend): task.backend for one in asked for task in one.tasks}.values():
                if isinstance(backend, RunsCode):
                    backend.close()
        if str(counters):
            say(str(counters), err=True)
        return found


def planned_votes(store: Store, suite: Suite, configs: Iterable[Config]) -> Iterator[str]:
    """Yield, judge by judge, how many votes answers need at most; equal ones need one."""
    repeats = sum(config.repeats for config in configs)
    n_versions = sum(len(values) for values in suite.attributes.values())
    for judge in suite.judges.values():
        codes = judge.categories or list(suite.categories)
        n_prompts = store.value(
            "select count(*) from prompts where suite = ? and list_contains(?, category)",
            [suite.suite, codes],
        )
        n_answers, n_voters = n_prompts * repeats, len(judge.members)
        each = f" × {n_voters:,} who vote" if n_voters > 1 else ""
        if judge.compares:
            paired = f"select count(*) from ({PROMPT_PAIRS}) where list_contains($codes, category)"
            found = store.connection.execute(paired, {**pairing(suite), "codes": codes}).fetchall()
            n_pairs = repeats * found[0][0]
            yield (
                f"The judge {judge.name} is asked for at most {2 * n_pairs * n_voters:,} votes "
                f"({n_pairs:,} pairs of answers, each in both orders{each})."
            )
            continue
        n_more = min(judge.checked * len(codes), n_answers) * n_versions * n_voters
        yield (
            f"The judge {judge.name} is asked for at most {n_answers * n_voters:,} votes "
            f"({n_answers:,} answers{each}), and for at most {n_more:,} with other groups' words."
        )


def _forecast(store: Store, panel: Panel) -> Iterator[str]:
    judge = panel.judge
    of = {"judge": judge.name, "most": judge.characters}
    n_characters = store.connection.execute(OF_TEXTS, of).fetchall()[0][0]
    frame = estimate_tokens(question(Ballot(judge, "", ""))) + MESSAGE_TOKENS
    for task in panel.tasks:
        share = task.n_pending / task.n_wanted if task.n_wanted else 0.0
        n_output = task.max_output_tokens and task.max_output_tokens * task.n_pending
        tokens = Tokens((frame * task.n_wanted + n_characters / 4) * share, n_output, 0, None)
        cost = tokens.cost(task.config.prices)
        most = f"; at most {n_output:,} written" if n_output else ""
        costs = f"; cost at most {cost:,.2f}" if cost is not None else ""
        yield (
            f"{judge.name}: {task.config.model}: {task.n_pending:,} votes to ask for, "
            f"{task.n_wanted - task.n_pending:,} there; about {tokens.n_prompt:,.0f} tokens read"
            f"{most}{costs}."
        )
    if judge.compares:
        yield f"{judge.name}: pairs of answers, each in both orders. Equal ones are a tie: it may be fewer."
    elif judge.checked:
        yield f"{judge.name}: and of up to {judge.checked:,} answers a category, with other groups' words."
