"""What a model writes for an audit: keywords, questions, articles, replacement tables. Asked once, kept."""

import threading
from collections import Counter

from ingest.asking.identity import Served, check_digest
from ingest.asking.plan import config_row
from ingest.asking.senders import Retries
from ingest.backends import AttemptFailed, Request, create_backend, described
from ingest.backends.replies import messages_for
from ingest.errors import PlumblineError
from ingest.keys import key, text_key, text_row
from ingest.redaction import without_secrets
from ingest.store import Store, uninterrupted, utc_now
from ingest.suite import Suite, config_labels

FAILURES_IN_A_ROW = 5
SHOWN = 200


class Writer:
    """Has one config of a suite write texts; what it wrote once under an instruction is not asked again.

    Its template is not used: an instruction is sent as it stands, after the config's system prompt. Raises
    PlumblineError for a config that the suite has not, and where the model cannot be asked.
    """

    def __init__(
        self, store: Store, suite: Suite, label: str, run_id: str, hosts: tuple[str, ...] = ()
    ) -> None:
        labels = config_labels(suite)
        if label not in labels:
            raise PlumblineError(
                f"The suite has no config {label!r} that could write.",
                f"It has: {'; '.join(labels) or 'none'}.",
            )
        self.store = store
        self.suite = suite
        self.run_id = run_id
        self.config = suite.grid[labels.index(label)].model_copy(update={"template": "{prompt}"})
        self.backend = create_backend(self.config.backend, suite, hosts)
        self.row = config_row(store, suite, label, self.config, described(self.backend, self.config), None)
        self.served = Served(store, self.config, self.row["config_key"])
        self.retries = Retries()
        self.counts: Counter[str] = Counter()
        self._failures = 0
        store.append("configs", [self.row])

    def write(self, purpose: str, instruction: str, *, category: str = "", attempt: int = 1) -> str | None:
        """Return what the config writes; None where its answer failed. A new `attempt` asks anew."""
        identity = key("writing", self.row["config_key"], purpose, instruction, attempt)
        known: list[tuple[str | None]] = self.store.rows(
            """
            select t.text from writings as w
            left join texts as t on w.text_key = t.text_key
            where w.writing_key = ? and w.response_status = 'ok'
            """,
            [identity],
        )
        if known:
            self.counts["held"] += 1
            return known[0][0]
        messages = messages_for(self.config, instruction)
        about = (identity, identity, self.config, category, instruction, identity, attempt)
        text, status, error = self._ask(Request(*about, attributes={}, messages=messages))
        self.counts[status] += 1
        row = {
            "writing_key": identity,
            "suite": self.suite.suite,
            "purpose": purpose,
            "config_key": self.row["config_key"],
            "instruction": instruction,
            "attempt": attempt,
            "text_key": None if text is None else text_key(text),
            "response_status": status,
            "error": without_secrets(error),
            "written_at": utc_now(),
            "run_id": self.run_id,
        }
        with uninterrupted(), self.store.transaction():
            if text is not None:
                self.store.append("texts", [text_row(text)])
            self.store.connection.execute("delete from writings where writing_key = ?", [identity])
            self.store.append("writings", [row])
        self._note(status, error)
        return text

    def _ask(self, request: Request) -> tuple[str | None, str, str | None]:
        n_failed = 0
        while True:
            try:
                answer = self.backend.answer(request)
                if fault := self.served.fault(answer):
                    return None, "other_model", fault
                check_digest(self.backend, self.config, self.row["config"], self.row["digest"])
                return answer.text, answer.status, answer.error
            except AttemptFailed as problem:
                n_failed += 1
                pause = self.retries.pause(n_failed, problem.retry_after)
                if pause is None:
                    return None, problem.status, str(problem)[:SHOWN]
                threading.Event().wait(pause)

    def _note(self, status: str, error: str | None) -> None:
        self._failures = 0 if status == "ok" else self._failures + 1
        if self._failures >= FAILURES_IN_A_ROW:
            raise PlumblineError(
                f"{self.row['config']}: {self._failures} requests in a row failed, the last as {status}: "
                f"{error or 'no reason given'}.",
                "See to the server; then the same command goes on.",
            )
