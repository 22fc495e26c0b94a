"""Responses of a file -> `prompts`, `configs`, `responses`, `texts`.

Records are checked one by one and staged in temporary tables; then they are compared with what is stored,
and one transaction writes what is new. So memory stays bounded and a load that is killed leaves nothing.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import click
import pyarrow as pa

from ingest.asking.answer_status import EVIDENCE, response_status
from ingest.errors import PlumblineError, shorten
from ingest.keys import key, request_key, text_key, text_row
from ingest.loading.again import (
    count_withdrawn,
    find_prompts_read_anew,
    keep_statuses,
    mend_prompts,
    refuse_other_groups,
    refuse_second_reading,
)
from ingest.loading.beside import (
    Beside,
    count_changes_of_others,
    decide_baselines,
    decide_beside,
    write_baselines,
    write_labels,
    write_scores,
)
from ingest.loading.candidates import CandidateRecords
from ingest.loading.columns import Fields
from ingest.loading.files import RowProblem, shown
from ingest.loading.separators import DecimalCommas
from ingest.loading.tally import MOST_NAMED, Load, Source, Tally
from ingest.prompts import PromptBuilder
from ingest.redaction import REDACTED, without_secrets
from ingest.store import Store
from ingest.suite import Suite

METHOD = "loaded"
BATCH_ROWS = 10_000
BATCH_CHARACTERS = 16_000_000
PROMPT_CACHE = 20_000
SHOW_PROGRESS_FROM = 20_000
# What programs write where there is nothing; any of them may be a real answer, so they are only counted.
NO_ANSWER = (
    "none", "null", "nil", "nan", "nat", "na", "n/a", "#n/a", "<na>", "undefined",
    "#value!", "#ref!", "#name?", "#div/0!", "#num!", "#null!",
)  # fmt: skip


class Response(NamedTuple):
    """What is staged of one record: the columns of `responses` that a load fills, and the text.

    `said_key` is of the record's answer whatever its status, `whole_key` of its text with the reasoning,
    which earlier versions took for the answer; `is_told_by_text` where the text decides that.
    `baseline_key` is of the baseline that the record brings.
    """

    response_key: str
    prompt_key: str
    config_key: str
    repeat_index: int
    text_key: str | None
    response_status: str
    n_attempts: int
    error: str | None
    run_id: str
    source_file: str
    source_row: int
    source_id: str | None
    finish_reason: str | None
    served_model: str | None
    n_prompt_tokens: int | None
    n_output_tokens: int | None
    text: str | None
    n_characters: int | None
    said_key: str
    whole_key: str
    is_told_by_text: bool
    baseline_key: str | None


class GivenLabel(NamedTuple):
    """What a record says of an answer, of one outcome set; None where its cell is empty."""

    source_row: int
    response_key: str
    category: str
    outcome_set: str
    label: str | None


class GivenScore(NamedTuple):
    """What a record says of an answer in a number."""

    source_row: int
    response_key: str
    feature: str
    value: float | None
    measurement_status: str


class Reject(NamedTuple):
    """A record that is not taken, and why."""

    reject_key: str
    source_row: int
    reason: str
    detail: str


# The first response of a key is loaded unless the key is stored. A later one is there already if it is the
# same, and refused if it is not.
DECIDED = """
        create or replace temp table decided as
            with staged as (
                select response_key, text_key, response_status, error, source_file, source_row
                from staged_responses
            ),

            firsts as (
                select response_key, min(source_row) as first_row, count(*) as n
                from staged
                group by response_key
            ),

            stored as (
                select response_key, text_key, response_status, error, source_file, source_row
                from responses
                where response_key in (select response_key from firsts)
            ),

            origins as (
                select *, true as is_stored from stored
                union all
                select staged.*, false
                from staged
                inner join firsts using (response_key)
                where
                    n > 1
                    and staged.source_row = first_row
                    and staged.response_key not in (select response_key from stored)
            )

            select
                staged.response_key,
                staged.source_row,
                staged.response_status,
                origins.source_file as origin_file,
                origins.source_row as origin_row,
                case
                    when
                        origins.response_key is null
                        or (not origins.is_stored and origins.source_row = staged.source_row)
                        then 'loaded'
                    when
                        origins.text_key is not distinct from staged.text_key
                        and origins.response_status = staged.response_status
                        and origins.error is not distinct from staged.error
                        then 'already_there'
                    else 'duplicate_key'
                end as decision
            from staged
            left join origins on staged.response_key = origins.response_key
"""


@dataclass
class Loaded(Tally):
    """What a load of responses found and did."""

    ambiguous: set[tuple[str, str]] = field(default_factory=set)
    no_answers: Counter[str] = field(default_factory=Counter)
    no_numbers: Counter[str] = field(default_factory=Counter)
    no_number: str = ""
    commas: DecimalCommas = field(default_factory=DecimalCommas)
    beside: Beside = field(default_factory=Beside)
    asked: list[str] = field(default_factory=list)
    n_read_anew: int = 0
    n_kept_statuses: int = 0
    n_reasoned: int = 0
    n_withdrawn: int = 0  # answers of an earlier version of the file, which this one has not
    without_record: dict[str, list[str]] = field(default_factory=dict)

    @property
    def n_changed(self) -> int:
        """How much of what was there is another now."""
        return super().n_changed + self.n_read_anew + len(list(self.beside.lines()))

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield self.headline()
        yield from self.asked
        others = list(self.beside.lines())
        if not self.n_loaded and not self.n_rejected and not self.n_read_anew and not others:
            yield "Nothing new: every record was there already."
        for reason in self.reasons():
            yield f"  rejected: {reason}"
        yield from self.others("answers")
        yield from self.redacted()
        if self.n_withdrawn:
            yield (
                f"  answers of an earlier version of this file, which it has no more: {self.n_withdrawn:,}; "
                "they count all the same; to audit this file alone, load it into another folder "
                "(`plumbline --data DIR …`)"
            )
        if failed := self.other_statuses():
            yield f"  without a usable answer: {failed}"
        if without := ", ".join(f"{n:,} {status}" for status, n in self.no_numbers.most_common()):
            such = f"; such as {self.no_number}" if self.no_number else ""
            yield f"  scores without a number: {without}{such}"
        yield from self.commas.lines()
        if self.no_answers:
            found = ", ".join(f"{n:,} {word!r}" for word, n in self.no_answers.most_common(5))
            yield (
                f"  answers that programs write where there is none: {found}. They count as answers; "
                "where they are none, empty the cell"
            )
        if self.n_reasoned:
            yield f"  records with reasoning, as in <think>…</think>, which is no answer: {self.n_reasoned:,}"
        if self.n_kept_statuses:
            yield (
                "  answers that keep the text and status they were loaded with, though one would be another "
                f"today: {self.n_kept_statuses:,}; for today's, load the file into another folder "
                "(`plumbline --data DIR …`)"
            )
        if self.n_read_anew:
            yield f"  prompts that the suite reads otherwise than before: {self.n_read_anew:,}"
        for attribute, groups in self.without_record.items():
            more = f" and {len(groups) - MOST_NAMED:,} more" if len(groups) > MOST_NAMED else ""
            named = ", ".join(repr(shorten(group)) for group in groups[:MOST_NAMED])
            yield f"  groups of {attribute} that no record is about: {named}{more}"
        yield from others
        if self.beside.n_two_baselines:
            yield f"  prompts with two baselines, which therefore have none: {self.beside.n_two_baselines:,}"
        if self.ambiguous:
            name, attribute = min(self.ambiguous)
            n_names = len({n for n, _ in self.ambiguous})
            yield (
                f"  names with two values of an attribute, which they therefore do not show: {n_names:,}, "
                f"such as {shorten(name)!r} ({attribute})"
            )


class ResponseLoad(Load[Loaded]):
    """A file of responses on its way; `n_records` and `ambiguous` are what a first reading found."""

    def __init__(
        self,
        store: Store,
        suite: Suite,
        source: Source,
        run_id: str,
        *,
        records: CandidateRecords,
        n_records: int,
        ambiguous: set[tuple[str, str]],
    ) -> None:
        super().__init__(store, suite, source, run_id, Loaded(source.source_file, ambiguous=ambiguous))
        self.records = records
        self.reader = records.reader
        self.n_records = n_records
        self.builder = PromptBuilder(suite, ambiguous)
        self.prompts: dict[tuple[Any, ...], str] = {}
        self.groups: set[tuple[str, str]] = set()  # attributes and values that prompts are about
        self.repeats: Counter[tuple[str, str]] = Counter()
        self.responses: list[Response] = []
        self.labels: list[GivenLabel] = []
        self.scores: list[GivenScore] = []
        self.rejects: list[Reject] = []
        self.new_prompts: list[dict[str, Any]] = []
        self.baselines: dict[str, dict[str, Any]] = {}
        self.n_characters = 0

    def stage(self, limit: int | None) -> None:
        """Put each record, or its rejection, into a temporary table; decide what becomes of each."""
        for table, columns in (
            (
                "responses",
                "responses.*, texts.text, texts.n_characters, texts.text_key as said_key, "
                "texts.text_key as whole_key, "
                "true as is_told_by_text, texts.text_key as baseline_key from responses, texts",
            ),
            ("rejects", "reject_key, source_row, reason, detail from rejects"),
            ("prompts", "* from prompts"),
            ("texts", "* from texts"),
            (
                "labels",
                "source_row, labels.response_key, category, outcome_set, label from responses, labels",
            ),
            (
                "scores",
                "source_row, ready.response_key, feature, value, measurement_status "
                "from responses, ready_measurements as ready",
            ),
        ):
            self.execute(f"create or replace temp table staged_{table} as select {columns} limit 0")
        hidden = self.n_records < SHOW_PROGRESS_FROM
        with click.progressbar(length=self.n_records, label="Loading", file=sys.stderr, hidden=hidden) as bar:
            for number, cells in self.records.read(limit):
                self.loaded.n_records = number
                try:
                    if isinstance(cells, RowProblem):
                        raise cells
                    self._take(number, self.reader.read(cells))
                except RowProblem as problem:
                    self._reject(number, problem)
                if number % 1_000 == 0:
                    bar.update(1_000)
        self._flush()
        self.loaded.no_number, self.loaded.commas = self.reader.no_number, self.reader.commas
        self.loaded.asked = list(self.records.lines())
        self.execute(DECIDED)
        if limit is None:
            self.loaded.n_withdrawn = count_withdrawn(self)
        self.loaded.n_kept_statuses = keep_statuses(self)
        self.count_decided(
            """
            select response_status, count(*)
            from decided
            where decision = 'loaded'
            group by response_status
            order by response_status
            """
        )
        refuse_second_reading(self)
        refuse_other_groups(self, METHOD)
        self._refuse_others()
        decide_baselines(self)
        self.loaded.beside = decide_beside(self, METHOD)
        self.loaded.without_record = self._groups_without_record()
        self.loaded.n_read_anew = find_prompts_read_anew(self, METHOD)
        self.loaded.n_answers_changed, self.loaded.n_prompts_changed = count_changes_of_others(
            self, METHOD, self.loaded.n_read_anew
        )
        if self.loaded.n_records != self.n_records:
            raise PlumblineError(f"{shown(self.source.path)} changed while it was read.", "Load it again.")
        self.loaded.check_sums("columns")

    def _groups_without_record(self) -> dict[str, list[str]]:
        """Return the suite's groups that no answer is about, in this file or before, by attribute."""
        lacking = [
            (attribute, group)
            for attribute, groups in self.suite.attributes.items()
            for group in groups
            if (attribute, group) not in self.groups
        ]
        if lacking:
            rows = self.execute(
                """
                select distinct entry.key, entry.value
                from (
                    select unnest(map_entries(attributes)) as entry
                    from prompts
                    where suite = $suite and prompt_key in (select prompt_key from responses)
                )
                """,
                {"suite": self.suite.suite},
            ).fetchall()
            self.groups.update(rows)
        found: dict[str, list[str]] = {}
        for attribute, group in lacking:
            if (attribute, group) not in self.groups:
                found.setdefault(attribute, []).append(group)
        return {
            name: groups for name, groups in found.items() if len(groups) < len(self.suite.attributes[name])
        }

    def _take(self, number: int, fields: Fields) -> None:
        """Stage a record."""
        config = self.config_key(fields.model, fields.role, fields.options)
        prompt = self._prompt_key(fields)
        repeat = fields.repeat
        if repeat is None:
            repeat = self.repeats[config, prompt]
            self.repeats[config, prompt] += 1
        status = response_status(fields.text) if fields.status == "ok" else fields.status
        is_answer = status == "ok"
        self.loaded.n_reasoned += fields.whole != fields.text
        if is_answer and (said := fields.text.strip()).lower() in NO_ANSWER:
            self.loaded.no_answers[said] += 1
        response_key = request_key(config, prompt, repeat)
        said_key = text_key(fields.text)
        if fields.labels:
            self.labels += [GivenLabel(number, response_key, fields.category, *one) for one in fields.labels]
        if fields.scores:
            self.scores += [GivenScore(number, response_key, *one) for one in fields.scores]
            self.loaded.no_numbers.update(said for _, _, said in fields.scores if said != "ok")
        self.responses.append(
            Response(
                response_key=response_key,
                prompt_key=prompt,
                config_key=config,
                repeat_index=repeat,
                text_key=said_key if is_answer else None,
                response_status=status,
                n_attempts=1,
                # What a failure said is evidence, not an answer: it is kept where nothing scores it.
                error=None if is_answer else self._evidence(fields.whole),
                run_id=self.run_id,
                source_file=self.source.source_file,
                source_row=number,
                source_id=fields.source_id,
                finish_reason=fields.finish_reason,
                served_model=fields.served_model,
                n_prompt_tokens=fields.prompt_tokens,
                n_output_tokens=fields.output_tokens,
                text=fields.text if is_answer else None,
                n_characters=len(fields.text) if is_answer else None,
                said_key=said_key,
                whole_key=said_key if fields.whole == fields.text else text_key(fields.whole),
                is_told_by_text=fields.status == "ok",
                baseline_key=None if fields.baseline is None else text_key(fields.baseline),
            )
        )
        self.n_characters += len(fields.text)
        self._flush_if_full()

    def _evidence(self, text: str) -> str | None:
        said = text.strip()[:EVIDENCE]
        kept: str = without_secrets(said)
        self.loaded.n_redacted += kept != said
        return kept or None

    def _reject(self, number: int, problem: RowProblem) -> None:
        """Note that a record is not taken, and why."""
        self.loaded.rejected[problem.reason] += 1
        self.loaded.n_redacted += REDACTED in problem.detail
        self.loaded.examples.setdefault(problem.reason, f"record {number:,}: {problem.detail}")
        if problem.reason == "unknown_label":
            self.loaded.count_label(problem.detail)
        reject_key = key("reject", self.suite.suite, self.source.file_sha256, number)
        self.rejects.append(Reject(reject_key, number, problem.reason, problem.detail))
        self._flush_if_full()

    def _prompt_key(self, fields: Fields) -> str:
        spoken = (fields.prompt, fields.messages, fields.baseline)
        identity = (fields.category, *spoken, fields.attributes, fields.name)
        found = self.prompts.get(identity)
        if found is not None:
            return found
        row = self.builder.row(
            fields.category,
            fields.prompt,
            dict(fields.attributes),
            method=METHOD,
            name=fields.name,
            root=fields.root,
            baseline=fields.baseline,
            messages=json.loads(fields.messages) if fields.messages else (),
        )
        if fields.baseline is not None:
            row["baseline_kind"] = self.builder.baseline_kind(fields.baseline, row)
            self.baselines[row["baseline_text_key"]] = text_row(fields.baseline)
            self.n_characters += len(fields.baseline)
        if len(self.prompts) >= PROMPT_CACHE:
            self.prompts.clear()
        prompt_key: str = row["prompt_key"]
        self.prompts[identity] = prompt_key
        self.groups.update(row["attributes"])
        self.new_prompts.append(row)
        self.n_characters += len(fields.prompt)
        return prompt_key

    def _flush_if_full(self) -> None:
        n_rows = max(len(self.responses), len(self.new_prompts), len(self.rejects))
        if n_rows >= BATCH_ROWS or self.n_characters >= BATCH_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        """Put what is in memory into the temporary tables."""
        staged: dict[str, list[Any]] = {
            "responses": self.responses,
            "labels": self.labels,
            "scores": self.scores,
            "rejects": self.rejects,
        }
        for table, rows in staged.items():
            if rows:
                columns = map(list, zip(*rows, strict=True))
                self._insert(table, pa.table(dict(zip(rows[0]._fields, columns, strict=True))))
                rows.clear()
        if self.new_prompts:
            schema = self.store.arrow_schema("prompts")
            self._insert("prompts", pa.Table.from_pylist(self.new_prompts, schema))
            self.new_prompts.clear()
        if self.baselines:
            schema = self.store.arrow_schema("texts")
            self._insert("texts", pa.Table.from_pylist(list(self.baselines.values()), schema))
            self.baselines.clear()
        self.n_characters = 0

    def _insert(self, table: str, batch: pa.Table) -> None:
        with self.store.registered("batch", batch):
            self.execute(f"insert into staged_{table} by name from batch")

    def _refuse_others(self) -> None:
        """Refuse what says something else than a response of the same key."""
        refused = self.execute(
            """
            select
                source_row,
                origin_file,
                origin_row,
                response_key not in (select response_key from decided where decision = 'loaded') as is_stored
            from decided
            where decision = 'duplicate_key'
            order by source_row
            """
        ).fetchall()
        for source_row, origin_file, origin_row, is_stored in refused:
            self.loaded.n_others += is_stored
            another = "another " if is_stored and origin_file == self.source.source_file else ""
            where = (
                "a generated answer"
                if origin_row is None
                else f"record {origin_row:,} of {another}{shown(Path(origin_file))}"
            )
            detail = f"not the response of {where}, of the same model, prompt and repeat"
            self._reject(source_row, RowProblem("duplicate_key", detail))
        self._flush()

    def write(self) -> None:
        """Write what is new; the caller holds the transaction.

        Each insert is one statement, with an anti-join in the place of `or ignore`: that is what DuckDB does
        in bounded memory.
        """
        n_new = self.execute(
            """
            insert into responses
            select * exclude (text, n_characters, said_key, whole_key, is_told_by_text, baseline_key)
            from staged_responses
            where source_row in (select source_row from decided where decision = 'loaded')
            """
        ).fetchall()[0][0]
        if n_new != self.loaded.n_loaded:
            raise RuntimeError(f"{n_new} responses were written, not {self.loaded.n_loaded}")
        self.execute(
            """
            insert into texts
            with firsts as (
                select text_key, min(source_row) as source_row
                from staged_responses
                where
                    text_key is not null
                    and source_row in (select source_row from decided where decision = 'loaded')
                    and text_key not in (select text_key from texts)
                group by text_key
            )

            select text_key, text, n_characters
            from staged_responses
            where source_row in (select source_row from firsts)
            """
        )
        self.execute(
            """
            insert into prompts
            select
                staged.* replace (
                    decided.baseline_text_key as baseline_text_key, decided.baseline_kind as baseline_kind
                )
            from staged_prompts as staged
            left join decided_baselines as decided on staged.prompt_key = decided.prompt_key and decided.n = 1
            where staged.rowid in (
                select min(rowid)
                from staged_prompts
                where prompt_key not in (select prompt_key from prompts)
                group by prompt_key
            )
            """
        )
        if self.loaded.n_read_anew:
            mend_prompts(self, "read_anew")
        write_baselines(self, METHOD)
        write_labels(self)
        write_scores(self)
        self.write_shared("from staged_rejects")
