"""What a newcomer is told of a wrong suite: what is needed, what stands there, where a key belongs."""

import pytest

from ingest.errors import PlumblineError
from ingest.init import STARTER
from ingest.suite import load_suite

SUITE = STARTER.read_text("utf-8").replace("__NAME__", "mine").replace("__BACKEND__", "simulated")
CONFIG = "    repeats: 3 "

# what is wrong -> what of the starter gives way to what, and what is said
WRONG = {
    "a key of a config at the top": (
        "version: 1",
        "version: 1\nrepeats: 3",
        "repeats: there is no such key here; it belongs in `configs`, or in `scorers.config`.",
    ),
    "a key of a rule in its category": (
        "    block: root",
        "    favourable: [a]\n    block: root",
        "favourable: there is no such key here; it belongs in `categories.NAME.outcomes`.",
    ),
    "a key of the top in a category": (
        "    block: root",
        "    thresholds: []\n    block: root",
        "thresholds: there is no such key here; it belongs at the top of the file.",
    ),
    "a key of a value at the top": (
        "version: 1",
        "version: 1\nwords: [a]",
        "words: there is no such key here; it belongs in `attributes.NAME.NAME`.",
    ),
    "an option beside the options": (
        CONFIG,
        "    temperature: 0.7\n" + CONFIG,
        "configs.0.temperature: there is no such key here; an option of the request is written "
        "`options: {temperature: …}`.",
    ),
    "a key that is almost one of here": (
        CONFIG,
        "    roles: a\n" + CONFIG,
        "configs.0.roles: there is no such key here; do you mean `role`? "
        "`roles` belongs at the top of the file.",
    ),
    "a key that is almost one of elsewhere": (
        "version: 1",
        "version: 1\nfavorable: [a]",
        "favorable: there is no such key here; do you mean `favourable`? It belongs in "
        "`categories.NAME.outcomes`.",
    ),
    "a key in capitals": (
        "categories:",
        "Categories:",
        "Categories: there is no such key here; do you mean `categories`? (",
    ),
    "a key that is like no other": (
        "version: 1",
        "version: 1\nxyzzy: 1",
        "xyzzy: there is no such key here.",
    ),
    "a list of lists": ("axes: all", "axes: [[gender]]", "axes.0: text is needed here, and this is a list."),
    "text for a list": (
        "words: [woman]",
        "words: woman",
        "Female.words: a list is needed here, and this is text: write [woman].",
    ),
    "a number for text": (
        "words: [woman]",
        "words: [26]",
        "words.0: text is needed here, and this is a number: quote it.",
    ),
    "a date for text": (
        "title: Who is offered the job?",
        "title: 2026-01-31",
        "title: text is needed here, and this is a date: quote it.",
    ),
    "a truth value for a label": (
        '"Yes": ["yes"]',
        'Yes: ["yes"]',
        "text is needed here, and this is a truth value, as YAML reads yes, no, on and off: quote it.",
    ),
    "text for a mapping": (
        "Female: {words: [woman]}",
        "Female: woman",
        "Female: a mapping of keys to values is needed here, and this is text.",
    ),
    "nothing for a mapping": (
        "Female: {words: [woman]}",
        "Female:",
        "Female: a mapping of keys to values is needed here, and nothing is there.",
    ),
    "a list for a scorer": (
        "scorers: [vader]",
        "scorers: [[vader]]",
        "scorers.0: a name or a mapping of keys to values is needed here, and this is a list.",
    ),
    "a fraction for a whole number": (CONFIG, "    repeats: 2.5 ", "repeats: a whole number is needed here."),
    "a language in words": (
        "language: en",
        "language: english",
        "language: 'english' is no code of a language: write one such as en, ms or zh-Hant.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_message_says_what_is_needed_and_what_stands_there(name, tmp_path):
    old, new, expected = WRONG[name]
    assert SUITE.count(old) == 1
    path = tmp_path / "suite.yml"
    path.write_text(SUITE.replace(old, new), "utf-8")
    with pytest.raises(PlumblineError) as refused:
        load_suite(path)
    assert expected in str(refused.value)
