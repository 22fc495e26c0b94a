"""The votes of a simulated judge: what it reads, and the errors that are planted in it."""

import json

from ingest.backends import Answer
from ingest.errors import PlumblineError
from ingest.judging.ballots import Ballot
from ingest.judging.exchange import Exchange
from ingest.suite import Suite
from ingest.suite.judges import Misreading, SimulatedJudge


class SimulatedVotes:
    """Votes by the phrases that a judge's `simulated:` names; `uniforms` are three numbers of a request."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._exchange: Exchange | None = None

    def answer(self, ballot: Ballot, uniforms: tuple[float, float, float]) -> Answer:
        """Return the reply to a ballot."""
        judge, spec = ballot.judge, ballot.judge.simulated
        if spec is None:
            raise PlumblineError(
                f"The judge {judge.name!r} has no `simulated:`, so nothing says how it reads.",
                "Add it, or name another `config`.",
            )
        u_error = uniforms[0]
        said: dict[str, str | float]
        if judge.compares:
            said = {"label": self._preference(spec, ballot, u_error)}
        elif judge.range is not None:
            low, high = judge.range
            said = {"score": min(high, max(low, self._number(spec, ballot.text, u_error)))}
        else:
            said = {"label": self._label(spec, ballot.text, u_error, judge.labels[0])}
        reply = json.dumps({"reason": "Simulated: by its phrases.", **said}, ensure_ascii=False)
        return Answer(reply, "ok", "stop")

    def _preference(self, spec: SimulatedJudge, ballot: Ballot, u: float) -> str:
        first, second = self._number(spec, ballot.text, u), self._number(spec, ballot.second, 1.0)
        return "tie" if first == second else "first" if first > second else "second"

    def _number(self, spec: SimulatedJudge, text: str, u: float) -> float:
        read = _read(spec, text)
        number = float(read) if isinstance(read, int | float) else 0.0
        return number + sum(error.shift or 0.0 for error in self._errors(spec, text, read, u))

    def _label(self, spec: SimulatedJudge, text: str, u: float, default: str) -> str:
        read = _read(spec, text)
        label = read if isinstance(read, str) else default
        for error in self._errors(spec, text, label, u):
            label = error.instead or label
        return label

    def _errors(
        self, spec: SimulatedJudge, text: str, read: str | float | None, u: float
    ) -> list[Misreading]:
        """Return the first planted error that happens, if one does."""
        self._exchange = self._exchange or Exchange(self.suite)
        groups = self._exchange.groups(text)
        return [
            error
            for error in spec.misreads
            if error.says in (None, read)
            and (error.attribute is None or error.value in groups.get(error.attribute, ()))
            and u < error.rate
        ][:1]


def _read(spec: SimulatedJudge, text: str) -> str | float | None:
    folded = text.casefold()
    for reading in spec.reads:
        if any(phrase.casefold() in folded for phrase in reading.phrases):
            return reading.says
    return None
