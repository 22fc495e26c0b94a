"""Asking judges: each distinct text once, every vote kept, sent as all other requests are."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ingest.asking.plan import OUTPUT_LIMITS, REJECTED, Task, check_consent, config_row
from ingest.asking.run import Asked, Stop, generate_answers
from ingest.asking.senders import MEASURED, Asker, Counters, Landed
from ingest.backends import SHOWN, Answer, Backend, Request, Watched, create_backend, described
from ingest.errors import PlumblineError, shorten
from ingest.judging.ballots import FORM, Ballot, NoVote, Vote, read_vote, rubric_key, vote_key
from ingest.keys import key
from ingest.measuring.languages import is_in_another
from ingest.redaction import without_secrets
from ingest.store import Store, uninterrupted, utc_now
from ingest.store.journal import VOTES, Entry, flaw, vote_entry
from ingest.suite import Suite
from ingest.suite.judges import Judge

ATTEMPTS = 3  # replies of one judge to one question, until one is a vote
INVALID = "invalid_vote"
SAYS_NOTHING = {"empty": "it is empty", "refused": "it declines to judge"}
# Asked about, and no vote: asked again only on request. A stop alone is asked again by any run.
WITHOUT = frozenset({INVALID, *SAYS_NOTHING, *REJECTED, "content_filtered"})
WITHOUT |= {"prompt_truncated", "truncated_output"}
EMPTY, UNREAD = "empty_text", "unsupported_language"
REMEDY = (
    "Give the judge another model, more tokens or a plainer rubric in the suite; the votes so far are kept."
)

# What a judge has not voted on.
PENDING = f"""
    from wanted_votes as w
    where
        w.judge = $judge
        and not exists (
            select 1 from {VOTES} as v
            where
                v.rubric_key = $rubric_key and v.config_key = $config_key and v.text_key = w.text_key
                and not list_contains($again, v.response_status)
        )
"""
# What it was asked about by earlier runs, and gave no vote on.
WITHOUT_VOTE = f"""
    select count(*), count(*) filter (v.response_status in ('{EMPTY}', '{UNREAD}'))
    from wanted_votes as w
    inner join {VOTES} as v on w.text_key = v.text_key
    where
        w.judge = $judge
        and v.rubric_key = $rubric_key and v.config_key = $config_key and v.label is null and v.value is null
        and v.run_id <> $run_id and not list_contains($again, v.response_status)
"""
LAST_FAULT = f"""
    select max_by(coalesce(error, response_status), answered_at) from {VOTES}
    where
        rubric_key = ? and config_key = ? and label is null and value is null
        and response_status not in ('{EMPTY}', '{UNREAD}')
"""
PAGE = f"""
    with page as (select w.* {PENDING} and w.text_key > $after order by w.text_key limit $n)
    select page.text_key, left(a.text, $most), coalesce(left(b.text, $most), '')
    from page
    inner join texts as a on page.first_text_key = a.text_key
    left join texts as b on page.second_text_key = b.text_key
    order by page.text_key"""


@dataclass(frozen=True)
class Panel:
    """A judge with those who vote: a task for each."""

    judge: Judge
    tasks: tuple[Task, ...]

    @property
    def row(self) -> dict[str, str]:
        """The judge's row of the raw table `scorers`."""
        members = [task.config_key for task in self.tasks]
        judge, rubric = self.judge, rubric_key(self.judge)
        asked = judge.model_dump(mode="json", include={"rubric", "labels", "range", "languages"})
        reads = {"reads": judge.reads} if judge.compares else {}
        parameters = {**asked, **reads, "max_characters": judge.characters, "members": members}
        return {
            "scorer_key": key("judge", judge.name, rubric, members),
            "scorer": judge.name,
            "model": ", ".join(dict.fromkeys(task.config.model for task in self.tasks)),
            "revision": rubric,
            "version": FORM,
            "parameters": json.dumps(parameters, sort_keys=True, ensure_ascii=False),
        }

    @property
    def member_rows(self) -> list[dict[str, Any]]:
        """The judge's rows of the raw table `judge_members`."""
        return [
            {
                "scorer_key": self.row["scorer_key"],
                "rubric_key": rubric_key(self.judge),
                "config_key": task.config_key,
                "member_position": i,
            }
            for i, task in enumerate(self.tasks)
        ]

    @property
    def feature_rows(self) -> list[dict[str, Any]]:
        """The judge's rows of the raw table `scorer_features`."""
        if self.judge.range is None:
            return []
        low, high = self.judge.range
        of = {"scorer_key": self.row["scorer_key"], "feature": self.judge.feature}
        return [{**of, "range_low": low, "range_high": high}]


class MuteJudge(PlumblineError):
    """One who votes as a judge was left before all was asked, or has not given one vote."""


@dataclass
class VoteCount:
    """What the part of a judge, or of one who votes as it, came to in votes."""

    judge: str
    n_wanted: int
    n_missing: int
    n_without: int  # of those that are there, what is no vote
    n_unasked: int  # of those, of which nobody was asked
    statuses: Counter[str] = field(default_factory=Counter)
    again: frozenset[str] = frozenset()
    faults: list[PlumblineError] = field(default_factory=list)  # who of those who vote was left, or gave none

    @property
    def n_left(self) -> int:
        """Votes that the same command asks for once more."""
        return self.n_missing - sum(n for status, n in self.statuses.items() if status not in self.again)

    @property
    def is_mute(self) -> bool:
        """Whether one who votes was asked, and has not given one vote."""
        n_unasked = self.n_unasked + self.statuses[EMPTY] + self.statuses[UNREAD]
        n_there = self.n_wanted - self.n_missing
        n_votes = n_there - self.n_without + self.statuses["ok"]
        return not n_votes and n_there + self.statuses.total() > n_unasked

    def __str__(self) -> str:
        new = ", ".join(f"{n:,} {status}" for status, n in sorted(self.statuses.items())) or "0 new"
        left = f", {self.n_left:,} left, for which the same command asks again" if self.n_left else ""
        without = f", {self.n_without:,} of them without a vote" if self.n_without else ""
        if self.n_without > self.n_unasked:
            without += " (--retry-failed asks again)"
        there = f"{self.n_wanted - self.n_missing:,} already there{without}"
        return f"{self.judge}: votes: {new}; {there}{left}."


class VoteAsker(Asker):
    """Asks a judge until its reply is a vote, at most ATTEMPTS times, and keeps what it says."""

    def sends(self, request: Request) -> bool:
        """Return whether a judge is asked: of some texts nobody is."""
        return _ballot(request).status is None

    def __call__(self, requests: Sequence[Request]) -> list[Landed]:
        """Ask, and return the votes once they are in the journal."""
        found: dict[str, tuple[Answer, Vote | None]] = {}
        left = []
        for request in requests:
            status = _ballot(request).status
            if status is None:
                left.append(request)
            else:
                found[request.request_key] = Answer(None, status, n_attempts=0), None
        for attempt in range(1, ATTEMPTS + 1):
            answers = self.answers(left) if left else {}
            again = []
            for request in left:
                before = found.get(request.request_key, (None, None))[0]
                answer, vote = _added(before, answers[request.request_key]), None
                fault = SAYS_NOTHING.get(answer.status)
                if answer.status == "ok":
                    try:
                        vote = read_vote(_ballot(request).judge, answer.text or "")
                    except NoVote as why:
                        fault = str(why)
                        answer = replace(answer, text=None, status=INVALID, error=fault)
                if fault and attempt < ATTEMPTS:
                    if self.stop.is_set():  # the next run asks, as often as this one would have
                        answer = replace(answer, status="cancelled")
                    else:
                        again.append(_asked_again(request, fault))
                found[request.request_key] = answer, vote
            left = again
        return [self.keep(request, *found[request.request_key]) for request in requests]

    def keep(self, request: Request, answer: Answer, vote: Vote | None) -> Landed:
        """Put a vote into the journal."""
        ballot = _ballot(request)

        def content(answer: Answer, vote: Vote | None) -> Entry:
            row = {
                "vote_key": request.request_key,
                "rubric_key": rubric_key(ballot.judge),
                "config_key": self.config_key,
                "text_key": ballot.text_key,
                "label": vote and vote.label,
                "value": vote and vote.value,
                "reason": vote and vote.reason,
                "response_status": answer.status,
                "answered_at": utc_now(),
                "run_id": self.run_id,
                **{name: getattr(answer, name) for name in MEASURED},
            }
            row["error"] = without_secrets(answer.error)
            return vote_entry(row, is_proven=not isinstance(self.backend, Watched))

        landed = content(answer, vote)
        if reason := flaw(landed):
            said = f"unreadable reply: {reason}"
            paid = Answer(None, INVALID, error=said, cost=answer.cost, currency=answer.currency)
            landed = content(paid, None)
        return Landed(landed, self.journal.write(landed))


def panels(
    store: Store,
    suite: Suite,
    folder: Path,
    hosts: Sequence[str] = (),
    chosen: Sequence[str] = (),
    *,
    retry_failed: bool = False,
) -> list[Panel]:
    """Return the suite's judges with those who vote; `chosen` are names of scorers, none: all.

    `hosts` may have the keys that the suite names; its code lies in `folder`. `retry_failed` adds the texts
    on which one that was asked gave no vote. How much is left to ask, `counted` says.
    """
    again = {"cancelled", *(WITHOUT if retry_failed else ())}
    backends: dict[str, Backend] = {}
    found = []
    for judge in suite.judges.values():
        if chosen and judge.name not in chosen:
            continue
        tasks: list[Task] = []
        voters = suite.voters(judge)
        namesakes = Counter(config.model for config in voters)
        for i, config in enumerate(voters, start=1):
            if config.backend not in backends:
                backends[config.backend] = create_backend(config.backend, suite, hosts, folder)
            # Votes go by this name: two of one model, set or served otherwise, are two who vote.
            which = f", {i} of {len(voters)}" if namesakes[config.model] > 1 else ""
            backend, label = backends[config.backend], f"{config.model} ({config.role}{which})"
            description = described(backend, config)
            limits = (description.options.get(name) for name in OUTPUT_LIMITS)
            tasks.append(
                Task(
                    label,
                    config,
                    backend,
                    config_row(store, suite, label, config, description, None),
                    n_wanted=0,
                    n_pending=0,
                    asked_again=tuple(sorted(backend.asked_again | again)),
                    max_prompt_tokens=description.max_prompt_tokens,
                    max_output_tokens=min((n for n in limits if isinstance(n, int)), default=None),
                )
            )
            if tasks[-1].config_key in [task.config_key for task in tasks[:-1]]:
                raise PlumblineError(
                    f"The judge {judge.name}: {config.model} votes twice, and says the same both times.",
                    "Name each who votes once in its `config:`.",
                )
        found.append(Panel(judge, tuple(tasks)))
    return found


def counted(store: Store, panel: Panel) -> Panel:
    """Return a judge with how many votes `wanted_votes` wants of each voter, and how many lack."""
    judge = panel.judge
    n_wanted = store.value("select count(*) from wanted_votes where judge = ?", [judge.name])
    tasks = []
    for task in panel.tasks:
        of = {"judge": judge.name, "rubric_key": rubric_key(judge), "config_key": task.config_key}
        n_pending, n_new = (
            store.connection.execute(f"select count(*) {PENDING}", {**of, "again": again}).fetchall()[0][0]
            for again in (list(task.asked_again), [])
        )
        found = {"n_wanted": n_wanted, "n_pending": n_pending, "n_again": n_pending - n_new}
        tasks.append(replace(task, **found))
    return Panel(judge, tuple(tasks))


def ask_judges(
    store: Store,
    suite: Suite,
    asked: Sequence[Panel],
    run_id: str,
    limit: int | None = None,
    concurrency: int | None = None,
    *,
    allow_code: bool = False,
    counters: Counters | None = None,
    budget: float | None = None,
) -> list[VoteCount]:
    """Ask for the votes that are missing, at most `limit` of them; return what it came to, judge by judge."""

    def pending(store: Store, suite: Suite, task: Task, page: int) -> Iterator[Request]:
        return pending_votes(store, judge_of[id(task)], task, page)

    asked = [counted(store, panel) for panel in asked]
    check_consent([task for panel in asked for task in panel.tasks], allow_code)
    judge_of = {id(task): panel.judge for panel in asked for task in panel.tasks}
    store.append("scorers", [panel.row for panel in asked])
    store.append("judge_members", [row for panel in asked for row in panel.member_rows])
    store.append("scorer_features", [row for panel in asked for row in panel.feature_rows])
    stopped: list[Stop] = []
    statuses = generate_answers(
        store,
        suite,
        [task for panel in asked for task in panel.tasks],
        run_id,
        limit,
        concurrency,
        counters=counters,
        what=Asked("Judging", VOTES, "vote_key", pending, VoteAsker, REMEDY),
        budget=budget,
        stopped=stopped,
    )
    found = []
    for panel in asked:
        each = [
            VoteCount(
                task.label,
                task.n_wanted,
                task.n_pending,
                *_n_without(store, panel.judge, task, run_id),
                statuses[task.label],
                frozenset(task.asked_again),
            )
            for task in panel.tasks
        ]
        whole = _together(panel.judge, each)
        whole.faults = [one.error for one in stopped if one.tasks[0] in panel.tasks]
        left = [task for one in stopped for task in one.tasks]
        mute = [task for task, one in zip(panel.tasks, each, strict=True) if one.is_mute and task not in left]
        whole.faults += [_last_fault(store, panel.judge, task) for task in mute]
        found.append(whole)
    return found


def _together(judge: Judge, each: Sequence[VoteCount]) -> VoteCount:
    """Return what the votes of all who vote as a judge come to."""
    return VoteCount(
        judge.name,
        sum(one.n_wanted for one in each),
        sum(one.n_missing for one in each),
        sum(one.n_without for one in each),
        sum(one.n_unasked for one in each),
        sum((one.statuses for one in each), Counter()),
        frozenset(status for one in each for status in one.again),
    )


def _last_fault(store: Store, judge: Judge, task: Task) -> PlumblineError:
    """Return of one who gave no vote who that is, and what was wrong with the last reply."""
    why = store.value(LAST_FAULT, [rubric_key(judge), task.config_key])
    told = f"{task.label}: not one vote (the last: {shorten(why, SHOWN)}), so nothing is read that way."
    return PlumblineError(told, REMEDY)


def _n_without(store: Store, judge: Judge, task: Task, run_id: str) -> tuple[int, int]:
    """Return how many votes that are there are none, and of how many of those nobody was asked."""
    of: dict[str, Any] = {"judge": judge.name, "rubric_key": rubric_key(judge), "config_key": task.config_key}
    of |= {"run_id": run_id, "again": list(task.asked_again)}
    n_without, n_unasked = store.connection.execute(WITHOUT_VOTE, of).fetchall()[0]
    return n_without, n_unasked


def pending_votes(store: Store, judge: Judge, task: Task, page: int) -> Iterator[Request]:
    """Yield what a judge has not voted on yet, a page in memory at a time."""
    rubric, after = rubric_key(judge), ""
    page = min(page, 200)  # of long texts, unlike prompts
    while True:
        parameters = {
            "judge": judge.name,
            "rubric_key": rubric,
            "config_key": task.config_key,
            "again": list(task.asked_again),
            "after": after,
            "n": page,
            "most": judge.characters,
        }
        with uninterrupted():
            rows = store.connection.execute(PAGE, parameters).fetchall()
        for name, text, second in rows:
            ballot = Ballot(judge, name, text, second, _unasked(judge, text, second))
            identity = vote_key(task.config_key, rubric, name)
            yield Request(
                request_key=identity,
                prompt_key=name,
                config=task.config,
                category="",
                prompt=text,
                root_key=rubric,
                repeat_index=0,
                attributes={},
                messages=ballot.messages(task.config),
                ballot=ballot,
            )
        if len(rows) < page:
            return
        after = rows[-1][0]


def _unasked(judge: Judge, *texts: str) -> str | None:
    """Return why nobody is asked about a text or two, None where somebody is."""
    read = texts if judge.compares else texts[:1]
    if not all(text.strip() for text in read):
        return EMPTY
    return UNREAD if any(is_in_another(text, judge.languages) for text in read) else None


def _ballot(request: Request) -> Ballot:
    ballot: Ballot = request.ballot
    return ballot


def _asked_again(request: Request, fault: str) -> Request:
    ballot = replace(_ballot(request), fault=fault)
    return replace(request, ballot=ballot, messages=ballot.messages(request.config))


def _added(before: Answer | None, answer: Answer) -> Answer:
    """Return an answer with what those before it took, which were no votes."""
    if before is None:
        return answer

    def total(name: str) -> Any:
        values = [getattr(one, name) for one in (before, answer)]
        return None if None in values else sum(values)

    names = ("n_prompt_tokens", "n_output_tokens", "seconds", "n_attempts", "wait_seconds")
    paid = [one.cost for one in (before, answer) if one.cost is not None]
    return replace(answer, cost=sum(paid) if paid else None, **{name: total(name) for name in names})
