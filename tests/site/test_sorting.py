"""Columns of numbers in words sort by the numbers, and are shown as they were written."""

import json
import subprocess

from in_browser import REPORTS

SCRIPT = """
import { sortable } from './components/words/sorting.js';
const rows = sortable(JSON.parse(process.argv[1]).map((cell) => ({ cell })));
const kinds = rows.map(({ cell }) => typeof cell);
// As Evidence's table compares.
rows.sort(({ cell: a }, { cell: b }) => (a < b ? -1 : a > b ? 1 : 0));
console.log(JSON.stringify({ shown: rows.map(({ cell }) => '' + cell), kinds }));
"""


def in_order(*cells: str | float | None) -> dict:
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps(cells)]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_numbers_in_words_stand_in_the_order_of_the_numbers():
    cells = ["10.0 % (7.9 to 12.6)", "9.5 % (1 to 30)", "–", "1,234 of 5", "−1.20 points", "+0.900"]
    assert in_order(*cells)["shown"] == [cells[i] for i in (2, 4, 5, 1, 0, 3)]


def test_a_bound_stands_before_its_number():
    assert in_order("0.001", "< 0.001", "0.00042")["shown"] == ["0.00042", "<\u00a00.001", "0.001"]


def test_a_sign_stays_with_its_word():
    held = ["? perhaps by chance", "Not ✓ all", "✓ pass", "✕ fail"]
    assert in_order(*held)["shown"] == ["?\u00a0perhaps by chance", "Not ✓ all", "✓\u00a0pass", "✕\u00a0fail"]


def test_names_sort_as_texts_though_some_begin_with_a_number():
    for names in (
        ["9 lives", "Ten", "Eight", "Two"],
        ["25–34", "35–44", "100–110"],
        ["2026-05-18", "2026-05-02"],
    ):
        assert in_order(*names) == {"shown": sorted(names), "kinds": ["string"] * len(names)}


def test_numbers_stay_numbers():
    assert in_order(10, 9, None)["kinds"] == ["number", "number", "object"]
