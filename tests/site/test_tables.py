"""Tables that do not fit wrap their texts, before they are first drawn; those that fit stay as they are.

Needs Node and Chromium.
"""

from in_browser import REPORTS, in_browser


def test_texts_wrap_where_the_last_columns_would_be_cut():
    seen = in_browser("tests/tables.mjs", REPORTS / "components")
    assert seen == {
        "fits": {"isCut": False, "lines": 1, "linesOfNumber": 1, "moved": 0},
        "cut": {"isCut": False, "lines": 2, "linesOfNumber": 1, "moved": 0},
    }
