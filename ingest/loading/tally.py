"""What every load shares: the file, its counts, the steps, and how a recorded model is named."""

import json
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import duckdb

from ingest.errors import PlumblineError, shorten
from ingest.keys import key
from ingest.loading.files import shown
from ingest.paths import file_sha256
from ingest.store import Store
from ingest.suite import Suite

BACKEND = "recorded"
LONGEST_LABEL = 200  # characters of options in a config's name
NOT_DECLARED = " is not declared"
MOST_NAMED, MOST_COUNTED = 5, 1_000  # labels that no suite declares


@dataclass
class Tally:
    """What a load found and did; counts are of records, a record being a response."""

    source_file: str
    n_records: int = 0
    n_loaded: int = 0
    n_already_there: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    not_declared: Counter[str] = field(default_factory=Counter)  # labels, by what a reject says of them
    statuses: Counter[str] = field(default_factory=Counter)
    n_redacted: int = 0
    n_others: int = 0  # of the rejected, those that say something else than what is stored
    n_answers_changed: int = 0  # of other files, in what stands beside them
    n_prompts_changed: int = 0  # of prompts that other files' answers have, too

    @property
    def n_rejected(self) -> int:
        """Records that were not taken, for whatever reason."""
        return self.rejected.total()

    @property
    def n_changed(self) -> int:
        """How much of what was there is another now."""
        return self.n_answers_changed + self.n_prompts_changed

    @property
    def is_idle(self) -> bool:
        """Whether the raw tables are as they were."""
        return not (self.n_loaded or self.n_changed)

    def said_again(self) -> Self | None:
        """Return what a load of the same file says next; None where only it can tell."""
        if self.is_idle:
            return self
        # The second of two records is refused as one of this file's, and later as one that is stored.
        if self.n_changed or "duplicate_key" in self.rejected:
            return None
        there = self.n_already_there + self.n_loaded
        return replace(self, n_loaded=0, n_already_there=there, statuses=Counter())

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield self.headline()

    def counts(self) -> dict[str, int]:
        """The counts as `loads` has them."""
        return {
            "n_records": self.n_records,
            "n_loaded": self.n_loaded,
            "n_already_there": self.n_already_there,
            "n_rejected": self.n_rejected,
        }

    def reasons(self) -> Iterator[str]:
        """Yield each reason with its count and its first record."""
        for reason, n in self.rejected.most_common():
            what_to_do = " (save the file as UTF-8)" if reason == "bad_encoding" else ""
            nor = self._not_declared_either() if reason == "unknown_label" else ""
            yield f"{n:,} {reason}, first {self.examples[reason]}{nor}{what_to_do}"

    def count_label(self, detail: str) -> None:
        """Note a label that is not declared, by what the record's reject says."""
        if detail in self.not_declared or len(self.not_declared) < MOST_COUNTED:
            self.not_declared[detail] += 1

    def _not_declared_either(self) -> str:
        first = self.examples["unknown_label"]
        others = [(said, n) for said, n in self.not_declared.most_common() if not first.endswith(f": {said}")]
        named = [f"{said.removesuffix(NOT_DECLARED)} ({n:,})" for said, n in others[:MOST_NAMED]]
        left = f" and {len(others) - MOST_NAMED:,} more" if len(others) > MOST_NAMED else ""
        return f"; nor {'are' if len(others) > 1 else 'is'} {', '.join(named)}{left}" if named else ""

    def others(self, what: str) -> Iterator[str]:
        """Yield how many records say something else than what is stored, if any do, and what to do."""
        if self.n_others:
            yield (
                f"  other {what} than those that are there, which stay: {self.n_others:,}; where these are "
                "right, load the file into another folder (`plumbline --data DIR …`)"
            )

    def redacted(self) -> Iterator[str]:
        """Yield how many records held what must not be recorded, if any did."""
        if self.n_redacted:
            yield f"  redacted: {self.n_redacted:,} records of failures held what looks like a secret"

    def headline(self) -> str:
        """The counts, which add up."""
        return (
            f"{shown(Path(self.source_file))}: {self.n_records:,} records = {self.n_loaded:,} loaded "
            f"+ {self.n_already_there:,} already there + {self.n_rejected:,} rejected"
        )

    def other_statuses(self) -> str:
        """The statuses but `ok`, with their counts; empty where there are none."""
        return ", ".join(f"{n:,} {status}" for status, n in self.statuses.most_common() if status != "ok")

    def check_sums(self, mapping: str) -> None:
        """Raise where the counts do not add up, or where nothing of the file could be used.

        `mapping` names the suite's key that says which column holds what.
        """
        if self.n_records != self.n_loaded + self.n_already_there + self.n_rejected:
            raise RuntimeError(f"counts do not add up: {self}")
        if self.n_records == self.n_rejected:
            remedy = f"Correct the file, or the suite's `{mapping}:` and `aliases:`."
            if set(self.rejected) == {"duplicate_key"}:
                remedy = (
                    "What is there is never overwritten: where the new file is right, load it into another "
                    "folder (`plumbline --data DIR …`)."
                )
            raise PlumblineError(
                f"{shown(Path(self.source_file))}: none of its {self.n_records:,} records can be loaded: "
                f"{'; '.join(islice(self.reasons(), 3))}.",
                f"{remedy} Nothing was loaded.",
            )


@dataclass(frozen=True)
class Source:
    """The file that is loaded: where it lies, its name as the tables hold it, and the hash of its content."""

    path: Path
    source_file: str
    file_sha256: str

    @classmethod
    def of(cls, path: Path) -> "Source":
        """Read what identifies a file."""
        return cls(path, os.fsencode(path.name).decode("utf-8", "replace"), file_sha256(path))


T = TypeVar("T", bound=Tally)


class Load(ABC, Generic[T]):
    """One file on its way: `stage` reads, checks and decides in temporary tables; `write` keeps what is new.

    What is stored is never overwritten: a record that says otherwise is refused, as is the second of two in
    one file.
    """

    def __init__(self, store: Store, suite: Suite, source: Source, run_id: str, loaded: T) -> None:
        self.store = store
        self.suite = suite
        self.source = source
        self.run_id = run_id
        self.loaded = loaded
        self.configs: dict[tuple[str, str, str], dict[str, Any]] = {}

    @abstractmethod
    def stage(self, limit: int | None) -> None:
        """Fill the temporary tables and count what becomes of each record; raise PlumblineError."""

    @abstractmethod
    def write(self) -> None:
        """Write what is new; the caller holds the transaction."""

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """Run one statement."""
        return self.store.connection.execute(sql, parameters or {})

    def config_key(self, model: str, role: str, options: str = "") -> str:
        """Return the key of a recorded config, and keep its row; `options` are a record's own, as JSON."""
        found = self.configs.get((model, role, options))
        if found is None:
            own = json.loads(options) if options else {}
            found = self.configs[model, role, options] = recorded_config(model, role, self.suite.options, own)
        config_key: str = found["config_key"]
        return config_key

    def count_decided(self, statuses: str) -> None:
        """Take the counts of the temporary table `decided`; `statuses` is a query of status and count."""
        counts = dict(self.store.rows("select decision, count(*) from decided group by decision"))
        self.loaded.n_loaded = counts.get("loaded", 0)
        self.loaded.n_already_there = counts.get("already_there", 0)
        self.loaded.statuses.update(dict(self.store.rows(statuses)))

    def write_shared(self, refused: str) -> None:
        """Write the configs, the rejects and the load.

        `refused` is a query of reject_key, source_row, reason, detail. What earlier loads of the same content
        refused, this load says anew.
        """
        self.store.append("configs", list(self.configs.values()))
        shared = {
            "suite": self.suite.suite,
            "run_id": self.run_id,
            "source_file": self.source.source_file,
        }
        self.execute(
            """
            delete from rejects
            where
                suite = $suite
                and source_row <= $n_records
                and run_id in (select run_id from loads where suite = $suite and file_sha256 = $sha)
            """,
            {"suite": self.suite.suite, "n_records": self.loaded.n_records, "sha": self.source.file_sha256},
        )
        self.execute(
            f"""
            insert into rejects by name
            select *, $suite as suite, $source_file as source_file, $run_id as run_id
            from ({refused})
            """,
            shared,
        )
        self.store.append(
            "loads", [{**shared, "file_sha256": self.source.file_sha256, **self.loaded.counts()}]
        )
        self.store.note(
            self.run_id,
            {
                "n_answers_changed": self.loaded.n_answers_changed,
                "n_prompts_changed": self.loaded.n_prompts_changed,
            },
        )


def recorded_config(
    model: str, role: str, options: Mapping[str, Any], own: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Row of `configs` for answers that came in a file; what the file does not say is empty.

    `options` are the suite's; `own`, those of the records, tell configs of a model apart, and so do labels.
    """
    row = {
        "backend": BACKEND,
        "model": model,
        "digest": "",
        "quantisation": "",
        "role": role,
        "system_prompt": "",
        "template": "",
        "options": json.dumps({**options, **(own or {})}, sort_keys=True, ensure_ascii=False),
        "server_version": "",
    }
    said = ", ".join(f"{name}={value}" for name, value in sorted((own or {}).items()))
    label = f"{model} ({role})" if role else model
    label += f" [{shorten(said, LONGEST_LABEL)}]" if said else ""
    return {"config_key": key("config", row), "config": label, **row}
