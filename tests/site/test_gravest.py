"""Of a long list those rows are drawn that matter, in the order in which they stood."""

import json
import subprocess

import pytest
from in_browser import REPORTS

SCRIPT = """
import { fewGravest } from './components/words/gravest.js';
const [values, which] = JSON.parse(process.argv[1]);
const few = fewGravest(values.map((value) => ({ value })), 'value', which);
console.log(JSON.stringify(few.map(({ value }) => value)));
"""


def drawn(values, which):
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps([values, which])]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


MANY = [7 * i % 61 for i in range(61)]  # 0 to 60, mixed


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("highest", set(range(49, 61))),
        ("lowest", set(range(12))),
        ("ends", {*range(6), *range(55, 61)}),
    ],
)
def test_the_few_that_matter_are_drawn_in_their_order(which, expected):
    found = drawn(MANY, which)
    assert found == [value for value in MANY if value in found] and len(found) == 12
    assert set(found) == expected


def test_a_short_list_and_one_without_an_order_are_whole():
    assert drawn(MANY[:20], "highest") == MANY[:20]
    assert drawn(MANY, None) == MANY


def test_what_has_no_value_comes_last():
    found = drawn([None, *MANY], "lowest")
    assert None not in found and 0 in found
