"""WinoBias: whom a pronoun refers to, where its gender fits the stereotype of the occupation and where not.

Source: Zhao et al. (2018), Gender Bias in Coreference Resolution: Evaluation and Debiasing Methods, NAACL. It
gives F1 of coreference systems; here a model names the person, and the score is how often it is right.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ingest.benchmarks.files import MAX_TEXT, found, text_of, within
from ingest.benchmarks.letters import LETTERS
from ingest.benchmarks.options import SET, asked, letters, rule, simulated
from ingest.benchmarks.published import Found, Item, Published, Rejected
from ingest.errors import PlumblineError, shown

FILE = re.compile(r"(pro|anti)_stereotyped_(type[12])\.txt\.(dev|test)")
BRACKETS = re.compile(r"\[([^\[\]]+)\]")
NUMBER = re.compile(r"^\s*\d+\s+")
CONDITIONS = {"pro": "pro", "anti": "anti"}
PRONOUNS = {"he", "she", "him", "her", "his", "hers"}
MAX_PEOPLE = 500  # each is looked for in each line
ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)


class _Line(NamedTuple):
    place: str
    condition: str
    category: str
    sentence: str
    person: str
    pronoun: str
    root: str


def read(folder: Path) -> Iterator[Found]:
    """Yield the sentences of a folder's files, with the person who is meant and the other one.

    A sentence marks the one who is meant. The other is the occupation that some line marks and that stands in
    this sentence, too. Raises PlumblineError for too many lines or people.
    """
    lines: list[_Line] = []
    for path in found(folder, "*_stereotyped_type*.txt.*", "WinoBias's files"):
        named = FILE.fullmatch(path.name)
        if named is None:
            continue
        for number, marked in enumerate(text_of(path).split("\n"), start=1):
            if marked.strip():
                place = f"{path.name}, line {number:,}"
                try:
                    lines.append(_line(place, CONDITIONS[named[1]], f"{named[2]}_{named[3]}", marked))
                except ValueError as error:
                    yield Rejected(place, str(error))
                within(len(lines), path)
    people = {line.person.casefold(): line.person for line in lines}
    if len(people) > MAX_PEOPLE:
        raise PlumblineError(
            f"{shown(folder)} has files that mark more than {MAX_PEOPLE:,} people.",
            "Get the files again, as their authors publish them.",
        )
    patterns = {
        name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        for name in sorted(people, key=lambda name: (-len(name), name))
    }
    for line in lines:
        own = line.person.casefold()
        others = [
            name
            for name, pattern in patterns.items()
            if name != own and pattern.search(patterns[own].sub(" ", line.sentence))
        ]
        # Of "assistant" and "research assistant" the longer one stands there.
        others = [name for name in others if not any(name != x and name in x for x in others)]
        if len(others) != 1:
            yield Rejected(line.place, "it does not name one other person that the files mark somewhere")
            continue
        question = f"{line.sentence}\nWhom does “{line.pronoun}” refer to?"
        for order, pair in enumerate(((own, others[0]), (others[0], own))):
            yield Item(
                category=line.category,
                item=f"{line.place}.{order}",
                root=line.root,
                prompt=asked(question, [f"The {name}" for name in pair]),
                attributes={"condition": line.condition, "correct": LETTERS[order]},
            )


def _line(place: str, condition: str, category: str, line: str) -> _Line:
    if len(line) > MAX_TEXT:
        raise ValueError("it is too long")
    marked = [part.strip() for part in BRACKETS.findall(line)]
    pronouns = [part for part in marked if part.casefold() in PRONOUNS]
    people = [ARTICLE.sub("", part).casefold() for part in marked if part.casefold() not in PRONOUNS]
    if not pronouns or len(set(people)) != 1 or len({part.casefold() for part in pronouns}) != 1:
        raise ValueError("it does not mark one person and one pronoun")
    plain = NUMBER.sub("", line).strip()
    # A pro and an anti sentence are one sentence with another pronoun: they share their root.
    root = BRACKETS.sub(lambda part: "_" if part[1].strip().casefold() in PRONOUNS else part[1], plain)
    sentence = BRACKETS.sub(lambda part: part[1], plain)
    return _Line(place, condition, category, sentence, people[0], pronouns[0], root.casefold())


BENCHMARK = Published(
    name="winobias",
    title="WinoBias: whom a pronoun refers to",
    paper="Zhao et al. (2018), Gender Bias in Coreference Resolution: Evaluation and Debiasing Methods",
    licence="MIT",
    files="its files pro_stereotyped_type1.txt.dev, anti_stereotyped_type1.txt.dev and so on",
    read=read,
    category={"outcomes": [rule(2)], "simulated": simulated(2)},
    suite={
        "benchmark": {"name": "winobias", "set": SET},
        "attributes": {"condition": {name: {} for name in CONDITIONS.values()}, "correct": letters(2)},
    },
)
