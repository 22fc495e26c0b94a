"""A record that asks about several people -> a record for each of them, and who is chosen."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.errors import shorten
from ingest.loading.columns import RecordReader
from ingest.loading.files import Record, read_records
from ingest.loading.problems import RowProblem
from ingest.suite import Suite
from ingest.suite.candidates import CHOSEN, NOT_CHOSEN, OF_CANDIDATE
from ingest.suite.fields import composed
from ingest.whole_words import whole_words

# At the beginning of a sentence A may be the article, but before these words.
VERBS = "is|has|because|would|should|since|for|as|due|over|seems|appears|looks"
ARTICLE = re.compile(rf"(?:^|[.!?:]\s+)A\s+(?!(?:{VERBS})\b)(?=[a-z])")
AROUND = " \t\r\n.,:;!*_#`'\"()[]"  # what may stand around an answer of one word
UNREAD = {
    "nobody": "name nobody",
    "several": "name several",
    "unsure": "name A, or begin with the article",
    "not_all": "do not rank all",
    "unknown": "ask about somebody whose group is blank",
    "alike": "ask about people who are called the same",
}


def chosen(answer: str, called: Sequence[Sequence[str]], top: int | None = None) -> set[int] | str:
    """Return whom an answer chooses of people who are called so or so, else why nobody knows: see UNREAD.

    One letter is found in its own case only, unless it is the whole answer. With `top`, the answer ranks all,
    and the first of them are chosen.

    >>> called = [["A", "Ann"], ["B", "Ben"]]
    >>> chosen("**B**, since Ben has worked longer.", called), chosen("A or B, both are good.", called)
    ({1}, 'several')
    >>> chosen("1. Ben\\n2. Ann", called, top=1)
    {1}
    """
    owner: dict[str, int] = {}
    for person, names in enumerate(called):
        for name in names:
            said = _folded(name)
            if said and owner.setdefault(said, person) != person:
                return "alike"
    text = composed(answer)
    spelt = sorted(owner, key=len, reverse=True)
    if whole := {owner[one] for one in spelt if one.casefold() == text.strip(AROUND).casefold()}:
        return whole if top is None else "not_all"
    pattern = re.compile(whole_words((one, _pattern(one)) for one in spelt))

    def read(words: str) -> set[int] | str:
        named = list(dict.fromkeys(owner[_folded(match.group())] for match in pattern.finditer(words)))
        if not named:
            return "nobody"
        if top is None:
            return set(named) if len(named) == 1 else "several"
        return set(named[:top]) if len(named) == len(called) else "not_all"

    found = read(text)
    if isinstance(found, str) or "A" not in owner or read(ARTICLE.sub(" ", text)) == found:
        return found
    return "unsure"


def _pattern(name: str) -> str:
    return re.escape(name) if len(name) == 1 else f"(?i:{re.escape(name)})"


def _folded(name: str) -> str:
    name = composed(name).strip()
    return name if len(name) == 1 else name.casefold()


class CandidateRecords:
    """The records of a file, one for each person where the suite says that records ask about several.

    They count from 1, in the order of records and of people. `lines` says what the last reading found.
    """

    def __init__(self, path: Path, suite: Suite, reader: RecordReader, beside: Sequence[Path] = ()) -> None:
        self.path = path
        self.reader = reader
        self.beside = beside
        is_of_several = any(column.startswith(OF_CANDIDATE) for column in reader.columns)
        self.candidates = suite.columns.candidates if suite.columns and is_of_several else None
        position = self.candidates.position if self.candidates else None
        self.places = list(suite.attributes[position]) if position else []
        self.n_asked = 0
        self.unread: Counter[str] = Counter()
        self.example = ""

    def read(self, limit: int | None = None) -> Iterator[Record]:
        """Yield (number, cells) of each record, at most those of `limit` records of the file."""
        columns = self.reader.columns
        if self.candidates is None:
            yield from read_records(self.path, columns, limit, beside=self.beside)
            return
        self.n_asked, self.unread, self.example = 0, Counter(), ""
        own = [column for column in columns if not column.startswith(OF_CANDIDATE)]
        wanted = list(dict.fromkeys([*own, *self.candidates.columns]))
        number = 0
        for _, cells in read_records(self.path, wanted, limit, beside=self.beside):
            if isinstance(cells, RowProblem):
                number += 1
                yield number, cells
                continue
            self.n_asked += 1
            record = dict(zip(wanted, cells, strict=True))
            for person in self._people(record):
                number += 1
                yield number, [person[column] for column in columns]

    def _people(self, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
        candidates = self.candidates
        assert candidates is not None
        names = [str(record[column] or "").strip() for column in candidates.name]
        letters = candidates.called
        called = [[*letters[place : place + 1], *names[place : place + 1]] for place in range(candidates.n)]
        try:
            answer = record[candidates.answer] if candidates.answer else self.reader.response(record)
        except RowProblem:  # each person's record is rejected for it
            answer = ""
        found: set[int] | str = chosen(str(answer or ""), called, candidates.top)
        groups = [column for columns in candidates.attributes.values() for column in columns]
        if any(not str(record[column] or "").strip() for column in groups):
            found = "unknown"
        if isinstance(found, str):
            self.unread[found] += 1
            self.example = self.example or f"record {self.n_asked:,}: {shorten(str(answer or ''), 60)!r}"
        for place in range(candidates.n):
            person = dict(record)
            for name, columns in candidates.attributes.items():
                person[f"{OF_CANDIDATE}{name}"] = record[columns[place]]
            if candidates.position:
                person[f"{OF_CANDIDATE}{candidates.position}"] = self.places[place]
            if candidates.name:
                person[f"{OF_CANDIDATE}name"] = names[place]
            label = "" if isinstance(found, str) else CHOSEN if place in found else NOT_CHOSEN
            person[f"{OF_CANDIDATE}choice"] = label
            yield person

    def lines(self) -> Iterator[str]:
        """Yield how many answers there are, and how many of them choose nobody that can be told."""
        if self.candidates is None:
            return
        yield f"  one for each of {self.candidates.n} people: {self.n_asked:,} answers"
        if self.unread:
            why = ", ".join(f"{n:,} {UNREAD[reason]}" for reason, n in self.unread.most_common())
            yield f"  answers without a choice, which count as not labelled: {why}; such as {self.example}"
