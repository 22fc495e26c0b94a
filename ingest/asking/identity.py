"""Who answers: digests are asked for again, and each reply's own word is held against the first one's."""

import re
import threading
from typing import Any

from ingest.backends import Answer, AttemptFailed, Backend, Rejected, Watched
from ingest.errors import PlumblineError
from ingest.plugins import others_code
from ingest.store import Store
from ingest.suite import Config

DIGEST_SHOWN = 19
NAME_SHOWN = 60
# What a server may add to the name of a model and mean the same: a release by number or date.
RELEASE = re.compile(r"[-@:](latest|v\d+|\d{3,8}|\d{4}-\d\d-\d\d|\d\d-\d\d)")
FIRST = """
    select served_model, system_fingerprint
    from (
        select config_key, served_model, system_fingerprint, response_status, answered_at from responses
        union all
        select config_key, served_model, system_fingerprint, response_status, answered_at from judge_votes
    )
    where
        config_key = ? and response_status <> 'other_model'
        and (served_model is not null or system_fingerprint is not null)
    order by answered_at limit 1
"""


class ModelChanged(PlumblineError):
    """The weights behind a name are others than when the run began (SPEC GEN-7)."""

    def __init__(self, label: str, before: str, now: str) -> None:
        super().__init__(
            f"{label}: the model changed while it was being asked, from digest "
            f"{before[:DIGEST_SHOWN]} to {now[:DIGEST_SHOWN]}. "
            "Answers that either may have given are marked `cancelled`.",
            "The same command goes on with the new model, as another config.",
        )


def check_digest(backend: Backend, config: Config, label: str, digest: str) -> None:
    """Raise ModelChanged if another model is behind the name now, AttemptFailed if nobody says."""
    if isinstance(backend, Watched):
        with others_code("backend", backend, passes=(AttemptFailed, Rejected)):
            now = backend.current_digest(config)
        if now != digest:
            raise ModelChanged(label, digest, now)


def is_same_model(asked: str, served: str) -> bool:
    """Say whether a server's name of the model that answered means the one that was asked for.

    Folders before the name, capitals and what a release adds do not matter.

    >>> is_same_model("gpt-4o", "gpt-4o-2024-08-06"), is_same_model("gpt-4o", "gpt-4o-mini")
    (True, False)
    """
    name, said = (
        text.strip().lower().removesuffix(":latest").removesuffix("-latest") for text in (asked, served)
    )
    for one, other in ((name, said), (name.rpartition("/")[2], said.rpartition("/")[2])):
        if other == one or (other.startswith(one) and RELEASE.fullmatch(other[len(one) :])):
            return True
    return False


class Served:
    """Holds what each reply says of its model against the one asked for, and a config's first reply."""

    def __init__(self, store: Store, config: Config, config_key: str) -> None:
        self.config = config
        known = store.rows(FIRST, [config_key])
        self._first: tuple[Any, ...] | None = known[0] if known else None
        self._lock = threading.Lock()

    def fault(self, answer: Answer) -> str | None:
        """Return in what an answer is another model's, None where nothing says so."""
        said = (answer.served_model, answer.system_fingerprint)
        if said == (None, None) and answer.text is None:
            return None  # no reply, or one that says nothing
        if answer.served_model is not None and not is_same_model(self.config.model, answer.served_model):
            return f"asked for {_shown(self.config.model)}, {_shown(answer.served_model)} answered"
        with self._lock:
            first = self._first = self._first or said
        for name, before, now in zip(("model", "system fingerprint"), first, said, strict=True):
            if before != now and not (name == "system fingerprint" and self.config.any_fingerprint):
                return f"the {name} was {_shown(before)} at first and is {_shown(now)} now"
        return None


def _shown(name: str | None) -> str:
    return "not named" if name is None else repr(name[:NAME_SHOWN])
