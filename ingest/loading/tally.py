"""What every load shares: its counts, and how a model is named whose answers somebody already has."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.loading.files import shown

BACKEND = "recorded"


@dataclass
class Tally:
    """What a load found and did; counts are of records, a record being a response."""

    source_file: str
    n_records: int = 0
    n_loaded: int = 0
    n_already_there: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def n_rejected(self) -> int:
        """Records that were not taken, for whatever reason."""
        return self.rejected.total()

    def reasons(self) -> Iterator[str]:
        """Yield each reason with its count and its first record."""
        for reason, n in self.rejected.most_common():
            yield f"{n:,} {reason}, first {self.examples[reason]}"

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
            raise PlumblineError(
                f"{shown(Path(self.source_file))}: none of its {self.n_records:,} records can be loaded: "
                f"{'; '.join(islice(self.reasons(), 3))}.",
                f"Correct the file, or the suite's `{mapping}:` and `aliases:`. Nothing was loaded.",
            )


def recorded_config(model: str, role: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Row of `configs` for answers that came in a file; what the file does not say is empty."""
    row = {
        "backend": BACKEND,
        "model": model,
        "digest": "",
        "quantisation": "",
        "role": role,
        "system_prompt": "",
        "template": "",
        "options": json.dumps(options, sort_keys=True, ensure_ascii=False),
        "server_version": "",
    }
    label = f"{model} ({role})" if role else model
    return {"config_key": key("config", row), "config": label, **row}
