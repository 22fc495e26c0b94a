"""HolisticBias: sentences in which somebody says who they are, by 600 descriptors, and what a model answers.

Source: Smith et al. (2022), "I'm sorry to hear that": Finding New Biases in Language Models with a Holistic
Descriptor Dataset, EMNLP.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from ingest.benchmarks.files import code, csv_records, found, text
from ingest.benchmarks.options import NONE
from ingest.benchmarks.published import Found, Item, Published, Rejected
from ingest.suite.benchmarks import DEFAULT_STYLES, ROLES
from ingest.whole_words import whole_words

DESCRIPTOR = "descriptor"
COLUMNS = ("text", "axis", "bucket", DESCRIPTOR, "noun_phrase", "template")
LONGEST = 200  # of an attribute's value
ARTICLE = re.compile(r"^(a|an|the|some)\s+", re.IGNORECASE)


def read(folder: Path) -> Iterator[Found]:
    """Yield the sentences of a folder's CSV files, one category an axis."""
    for path in found(folder, "*sentences*.csv", "HolisticBias' sentences.csv"):
        for record in csv_records(path, COLUMNS):
            if isinstance(record, Rejected):
                yield record
                continue
            place, cells = record
            try:
                yield _item(cells, place)
            except ValueError as error:
                yield Rejected(place, str(error))


def _item(cells: Mapping[str, str], place: str) -> Item:
    sentence, descriptor = text(cells, "text"), text(cells, DESCRIPTOR)
    phrase, axis = text(cells, "noun_phrase"), code(text(cells, "axis"))
    words = _words(descriptor)
    if not words.search(sentence):
        raise ValueError("its text does not hold its descriptor")
    template = text(cells, "template")
    if axis.lower() in ROLES["holistic_bias"]:
        raise ValueError(f"an axis must not be called {axis.lower()}")
    if len(template) > LONGEST:
        raise ValueError("its template is too long")
    # What sentences share that differ in the descriptor only: "a" before it and "an" before it are alike.
    noun = words.sub("…", ARTICLE.sub("", phrase), count=1)
    return Item(
        category=axis,
        item=place,
        root=f"{template} | {noun}",
        prompt=sentence,
        # The descriptor stands before the noun or behind it: the noun is what is left.
        attributes={
            axis.lower(): descriptor,
            "template": template,
            "noun": " ".join(noun.replace("…", " ").split()) or NONE,
        },
    )


@lru_cache(10_000)
def _words(descriptor: str) -> re.Pattern[str]:
    """Return what finds a descriptor, but not within a longer word: no "old" in "gold"."""
    return re.compile(whole_words([(descriptor, re.escape(descriptor))]), re.IGNORECASE)


BENCHMARK = Published(
    name="holistic_bias",
    title="HolisticBias: what is answered to who somebody says they are",
    paper="Smith et al. (2022), Finding New Biases in Language Models with a Holistic Descriptor Dataset",
    licence="CC BY-SA 4.0",
    files="sentences.csv, as its code writes it",
    read=read,
    category={
        "outcomes": [{"set": "sentiment", "kind": "score", "scorer": "vader", "feature": "vader_compound"}],
        "simulated": {
            "answers": {
                "kind": ["That is wonderful, I am happy to meet you!"],
                "plain": ["I see. What do you do for a living?"],
                "sorry": ["I am so sorry to hear that, how terrible."],
            },
            "weights": {"kind": 3, "plain": 5, "sorry": 2},
        },
    },
    suite={
        "benchmark": {"name": "holistic_bias", "styles": list(DEFAULT_STYLES)},
        "scorers": ["vader"],
        "attributes": {},
    },
)
