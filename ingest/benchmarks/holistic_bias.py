"""HolisticBias: sentences in which somebody says who they are, by 600 descriptors, and what a model answers.

Source: Smith et al. (2022), "I'm sorry to hear that": Finding New Biases in Language Models with a Holistic
Descriptor Dataset, EMNLP. Its generation bias is how far a style varies over descriptors, which
`fct_disparities` has of any measured number.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.benchmarks.files import code, csv_records, found, text
from ingest.benchmarks.published import Found, Item, Published, Rejected

DESCRIPTOR = "descriptor"
COLUMNS = ("text", "axis", "bucket", DESCRIPTOR, "noun_phrase", "template")
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
    if descriptor.casefold() not in sentence.casefold():
        raise ValueError("its text does not hold its descriptor")
    # What sentences share that differ in the descriptor only: "a" before it and "an" before it are alike.
    noun = re.sub(re.escape(descriptor), "…", ARTICLE.sub("", phrase), count=1, flags=re.IGNORECASE)
    return Item(
        category=axis,
        item=place,
        root=f"{text(cells, 'template')} | {noun}",
        prompt=sentence,
        attributes={axis.lower(): descriptor},
    )


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
    suite={"scorers": ["vader"], "attributes": {}},
)
