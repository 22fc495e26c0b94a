"""Whether a sentence begins: as one pattern said it, in time that grows with the text."""

import re
import time
from itertools import product

import pytest

from ingest.prompts.replacements import Replacement, Replacer, _ends_sentence

# It tried each line of a text anew: 100,000 empty ones took minutes.
PATTERN = re.compile(r"(?:[.!?][\"'’”)\]]*\s+|\n\s*)[\"'‘“(\[]*$")


def test_it_says_what_the_pattern_said():
    texts = ["".join(parts) for n in range(6) for parts in product('a." \n(', repeat=n)]
    assert [t for t in texts if _ends_sentence(t) != bool(PATTERN.search(t))] == []


@pytest.mark.parametrize("text", ["\n", " ", ". ", '"', "\n(", "a", "the ", "! \n"])
def test_long_texts_take_no_longer_than_they_are(text):
    replacer = Replacer([Replacement("F", "he", "she")])
    start = time.process_time()
    assert replacer(f"I{text * (100_000 // len(text))} he").text.endswith("she")
    assert time.process_time() - start < 2
