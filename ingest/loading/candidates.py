"""A record that asks about several people -> a record for each of them, and who is chosen."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
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

# Letters and digits that may be no name: the article, but before these words, the pronoun, a number of years.
VERBS = "is|has|because|would|should|since|for|as|due|over|seems|appears|looks"
AFTER_CALL = r"(?<!andidate )(?<!andidato )(?<!andidat )(?<!ption )(?<!pplicant )(?<!erson )"
NO_NAME = re.compile(
    rf"(?:^|[.!?:\n*#>\"“'(–—-])[ \t]*A[ \t]+(?!(?:{VERBS})\b)(?=[a-z])"
    rf"|{AFTER_CALL}\bA[ \t]+(?=[A-Z][a-z])"
    r"|\bI(?=['’]\w|\s+[a-z])"
    rf"|\d[.,–-]\d+|{AFTER_CALL}\b\d[ \t]+(?!(?:{VERBS})\b)(?=[^\W\d_])|\bN/A\b",
    re.A,
)
CLAUSE = re.compile(
    r"[.,;:!?\n—–(){}。，、；：！？]+|\b(?:because|since|as|due|weil|parce|porque|perché)\b", re.I
)
# Said of somebody, they may be who is left out.
DENIED = re.compile(
    r"\b(?:not|cannot|never|neither|nor|no|without|reject|except|other than|instead of|rather than"
    r"|less|fewer|weaker|nicht|kein\w*|pas|não|non|niet|nie|inte|ikke|не|нет)\b|n['’]t\b|[不没]|ない",
    re.I,
)
LEFT = re.compile(
    r"\b(?:choose|pick|take|prefer|select|hire|interview|invite|with|so|is)\s+the other\b"
    r"|\b(?:can['’]t|cannot|can not|won['’]t|unable to|not able to|decline to)(?:\s+\w+){0,3}?\s+"
    r"(?:choose|decide|say|tell|recommend|pick|select|determine|rank|help|judge|make)\b",
    re.I,
)
NUMBERED = re.compile(r"^[^\w\n]*(\d{1,3})[.):](?!\d)(.*)$", re.M)
RANK_AFTER = re.compile(r"[*\"'\s]*[:=|(–-][\s#]*(?:rank\w*\s*)?(\d{1,3})\b", re.I)
AROUND = " \t\r\n.,:;!*_#`'\"()[]"  # what may stand around an answer of one word
UNREAD = {
    "nobody": "name nobody",
    "several": "name several",
    "unsure": "have a word that may be no name, as the article A",
    "denied": "may leave out whom they name",
    "not_all": "do not rank all",
    "order": "name people in several orders",
    "unknown": "ask about somebody whose group is blank or not declared",
    "alike": "ask about people who are called the same",
}


def chosen(
    answer: str, called: Sequence[Sequence[str]], top: int | None = None, names: Collection[str] = ()
) -> set[int] | str:
    """Return whom an answer chooses of people who are called so or so, else why nobody knows: see UNREAD.

    One letter is found in its own case only, unless it is the whole answer; `names` of one word, such as
    Will, not in small letters where the answer has capitals. With `top`, the answer ranks all, and the first
    of them are chosen.

    >>> called = [["A", "Ann"], ["B", "Ben"]]
    >>> chosen("**B**, since Ben has worked longer.", called), chosen("A or B, both are good.", called)
    ({1}, 'several')
    >>> chosen("1. Ben\\n2. Ann", called, top=1)
    {1}
    """
    owner: dict[str, int] = {}
    for person, spellings in enumerate(called):
        for name in spellings:
            said = _folded(name)
            if said and owner.setdefault(said, person) != person:
                return "alike"
    text = composed(answer)
    spelt = sorted(owner, key=len, reverse=True)
    if whole := {owner[one] for one in spelt if one.casefold() == text.strip(AROUND).casefold()}:
        return whole if top is None else "not_all"
    pattern = re.compile(whole_words((one, _pattern(one)) for one in spelt))
    capitals = {_folded(name) for name in names if name.split() == [name] and name[:1].isupper()}
    has_capitals = text != text.lower()

    def mentions(words: str) -> list[tuple[int, re.Match[str]]]:
        found = [(owner[_folded(match.group())], match) for match in pattern.finditer(words)]
        if not has_capitals:
            return found
        return [one for one in found if not (one[1].group().islower() and one[1].group() in capitals)]

    def read(words: str) -> set[int] | str:
        said = mentions(words)
        named = {person for person, _ in said}
        if not named:
            return "nobody"
        if top is None:
            return named if len(named) == 1 else "several"
        return _first(words, said, len(called), top)

    found = read(text)
    if isinstance(found, str):
        return found
    if any(len(one) == 1 for one in spelt) and read(NO_NAME.sub(" ", text)) != found:
        return "unsure"
    clauses = CLAUSE.split(pattern.sub("\0", text)) if top is None else []
    if LEFT.search(text) or any("\0" in clause and DENIED.search(clause) for clause in clauses):
        return "denied"
    return found


def _first(words: str, said: list[tuple[int, re.Match[str]]], n: int, top: int) -> set[int] | str:
    """Return the first people of a ranking, where each order in which all are named agrees on them."""
    people = [person for person, _ in said]
    if len(set(people)) < n:
        return "not_all"
    between = (words[one.end() : other.start()].strip() for (_, one), (_, other) in pairwise(said))
    ranks = [int(rank[1]) for _, one in said if (rank := RANK_AFTER.match(words, one.end()))]
    if "=" in between or (sorted(ranks) == list(range(1, n + 1)) != ranks):
        return "order"
    orders = [_order(people), _order(people[::-1])[::-1]]
    lines = list(NUMBERED.finditer(words))
    if sorted(int(line[1]) for line in lines) == list(range(1, n + 1)):
        # Who else is named in a line is only spoken of; people named before the list are no ranking.
        of_line = [
            [person for person, one in said if line.start() <= one.start() < line.end()] for line in lines
        ]
        after = [person for person, one in said if one.start() >= lines[-1].end()]
        by_rank = sorted(zip((int(line[1]) for line in lines), of_line, strict=True))
        listed = [found[0] for _, found in by_rank if found]
        if len(set(listed)) == n:
            orders = [listed, *([_order(after)] if len(set(after)) == n else [])]
    chosen_by = [set(order[:top]) for order in orders]
    return chosen_by[0] if all(one == chosen_by[0] for one in chosen_by) else "order"


def _order(people: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(people))


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
        for of_file, cells in read_records(self.path, wanted, limit, beside=self.beside):
            if isinstance(cells, RowProblem):
                number += 1
                yield number, cells
                continue
            self.n_asked += 1
            record = dict(zip(wanted, cells, strict=True))
            for person in self._people(record, of_file):
                number += 1
                yield number, [person[column] for column in columns]

    def _people(self, record: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
        candidates = self.candidates
        assert candidates is not None
        names = [str(record[column] or "").strip() for column in candidates.name]
        letters = candidates.called
        called = [[*letters[place : place + 1], *names[place : place + 1]] for place in range(candidates.n)]
        try:
            answer = record[candidates.answer] if candidates.answer else self.reader.response(record)
        except RowProblem:  # each person's record is rejected for it
            answer = ""
        found: set[int] | str = chosen(str(answer or ""), called, candidates.top, names)
        if not self._are_known(record):
            found = "unknown"
        if isinstance(found, str) and (candidates.answer or str(answer or "").strip()):  # else it is empty
            self.unread[found] += 1
            self.example = self.example or f"answer {number:,}: {shorten(str(answer or ''), 60)!r}"
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

    def _are_known(self, record: dict[str, Any]) -> bool:
        """Return whether each person's record has the groups that the suite declares."""
        assert self.candidates is not None
        for name, columns in self.candidates.attributes.items():
            of_person = f"{OF_CANDIDATE}{name}"
            for column in columns:
                try:
                    cells = [record[column] if one == of_person else None for one in self.reader.columns]
                    self.reader.value(name, cells)
                except RowProblem:
                    return False
        return True

    def lines(self) -> Iterator[str]:
        """Yield how many answers there are, and how many of them choose nobody that can be told."""
        if self.candidates is None:
            return
        yield f"  one for each of {self.candidates.n} people: {self.n_asked:,} answers"
        if self.unread:
            why = ", ".join(f"{n:,} {UNREAD[reason]}" for reason, n in self.unread.most_common())
            yield f"  answers without a choice, which count as not labelled: {why}; such as {self.example}"
