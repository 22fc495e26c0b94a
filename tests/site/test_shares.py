"""How the site rounds shares and gaps, as the terminal and the report tables do."""

import json
import subprocess

import pytest
from in_browser import REPORTS

from ingest.terminal.drawing import Scale

SCRIPT = """
import { gapOf, of100 } from './components/words/shares.js';
const pairs = JSON.parse(process.argv[1]);
console.log(JSON.stringify(pairs.map(([high, low]) => [of100(high), of100(low), gapOf(high, low)])));
"""
PAIRS = {
    (0.5, 0.25): ["50", "25", "25 points"],
    (0.26, 0.25): ["26", "25", "1 point"],
    (29 / 60, 16 / 60): ["48", "27", "22 points before rounding"],
    (0.125, 0.0): ["13", "0", "13 points"],
    (1.0, 0.999): ["100", "99.9", "0.1 points"],
    (0.004, 0.001): ["0.4", "0.1", "0.3 points"],
    (0.995, -0.032): ["99.5", "-3", "103 points before rounding"],
}


@pytest.fixture(scope="module")
def on_the_site() -> list[list[str]]:
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps(list(PAIRS))]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_gap_is_the_marts_and_no_share_is_called_all_or_nothing_that_is_not(on_the_site):
    assert [[str(part) for part in pair] for pair in on_the_site] == list(PAIRS.values())


def test_the_terminal_says_the_same():
    scale = Scale(0, 1, is_share=True)
    found = [[scale.number(high), scale.number(low), scale.apart(high, low)] for high, low in PAIRS]
    assert found == list(PAIRS.values())


PER_CENT = """
import { perCent } from './components/words/shares.js';
console.log(JSON.stringify(JSON.parse(process.argv[1]).map((share) => [perCent(share), perCent(share, 0)])));
"""
SAID = {
    0.0: ["0.0", "0"],
    0.0004: ["0.04", "0.04"],
    0.004: ["0.4", "0.4"],
    0.5: ["50.0", "50"],
    0.9997: ["99.97", "99.97"],
    1.0: ["100.0", "100"],
    -0.0004: ["−0.04", "−0.04"],
    -0.125: ["−12.5", "−13"],
    -1e-17: ["0.0", "0"],
}


def test_per_cent_is_not_all_or_nothing_where_the_share_is_not():
    command = ["node", "--input-type=module", "-e", PER_CENT, json.dumps(list(SAID))]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == list(SAID.values())
