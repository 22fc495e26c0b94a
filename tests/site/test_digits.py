"""How the site writes numbers: what is not 0 is not called so."""

import json
import re
import subprocess

import pytest
from in_browser import REPORTS

SCRIPT = """
import { apart, p, show } from './components/words/digits.js';
const [name, ...values] = JSON.parse(process.argv[1]);
console.log(JSON.stringify({ apart, p, show }[name](...values)));
"""


def on_the_site(name: str, *values: float | None) -> str:
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps([name, *values])]
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
        (0.43749999999999994, "0.438"),
        (0.4375, "0.438"),
        (0.7385, "0.739"),
        (0.7385000228881836, "0.739"),
        (0.7384999990463257, "0.739"),
        (123.4, "123"),
        (-12345.6, "−12,346"),
    ],
)
def test_a_number_is_not_called_zero_that_is_not(value, expected):
    assert on_the_site("show", value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "–"),
        (0.0004, "< 0.001"),
        (0.05, "0.050"),
        (0.04996, "0.049960"),
        (0.0235, "0.024"),
        (0.3, "0.300"),
    ],
)
def test_a_p_value_is_neither_zero_nor_the_level_beside_it(value, expected):
    assert on_the_site("p", value) == expected


@pytest.mark.parametrize(
    ("value", "limit", "expected"),
    [
        (0.79967, 0.8, "0.799670"),
        (0.8, 0.8, "0.800"),
        (0.05, None, "0.0500"),
        (0.0004, 0.0001, "0.00040"),
        (None, 0.8, "–"),
    ],
)
def test_a_number_beside_a_limit_does_not_look_like_it(value, limit, expected):
    assert on_the_site("apart", value, limit) == expected


# Widths, seconds and sizes of files; what a drawing reads; halves of a count.
NO_NUMBERS_OF_AN_AUDIT = (
    "columns.length", "seconds.", "bytes", "string_agg(printf", "0.05 * tested.length", "layout shift",
)  # fmt: skip


def test_only_the_words_folder_rounds():
    rounding = re.compile(r"toFixed\(|%[+]?\.[1-9]f")
    files = [*(REPORTS / "pages").rglob("*.md"), *(REPORTS / "components").rglob("*.svelte")]
    found = [
        f"{file.name}: {line.strip()[:80]}"
        for file in files
        for line in file.read_text("utf-8").splitlines()
        if rounding.search(line) and not any(known in line for known in NO_NUMBERS_OF_AN_AUDIT)
    ]
    assert found == []


def test_numbers_of_a_column_have_as_many_decimals_each():
    files = [*(REPORTS / "pages").rglob("*.md"), *(REPORTS / "components").rglob("*.svelte")]
    pages = "\n".join(file.read_text("utf-8") for file in files)
    formats = re.findall(r"""fmt=(["'].*?["'])[/\s>]""", pages)
    assert "'+0.0;\"−\"0.0;0.0'" in formats
    assert [fmt for fmt in formats if re.search(r"\.0*#", fmt)] == []
