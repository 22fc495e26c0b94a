"""How the site writes numbers: what is not 0 is not called so."""

import json
import subprocess

import pytest
from in_browser import REPORTS

SCRIPT = """
import { p, show } from './components/words/digits.js';
const [name, value] = JSON.parse(process.argv[1]);
console.log(JSON.stringify({ p, show }[name](value)));
"""


def on_the_site(name: str, value: float | None) -> str:
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps([name, value])]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "–"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e-17, "0"),
        (-2e-16, "0"),
        (3e-10, "< 1e-9"),
        (-3e-10, "> −1e-9"),
        (0.00042, "0.00042"),
        (-0.5, "−0.500"),
        (123.4, "123"),
        (-12345.6, "−12,346"),
    ],
)
def test_a_number_is_not_called_zero_that_is_not(value, expected):
    assert on_the_site("show", value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "–"), (0.0004, "< 0.001"), (0.05, "0.050"), (0.04996, "0.049960"), (0.3, "0.300")],
)
def test_a_p_value_is_neither_zero_nor_the_level_beside_it(value, expected):
    assert on_the_site("p", value) == expected
