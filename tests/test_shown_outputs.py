"""What a page shows is held against what is given: a word that differs is found, what is left out is not."""

import json

import duckdb
import pytest
from places import ROOT, script

GIVEN = "\nfail  D4 by gender\n  Of 100, 45\n\nWhy: D4\n"
TABLE = "│ a │ b │\n│ int32 │ boolean │\n│ 1 │ true │\n│ 2 │ NULL │\n"
QUERY = "select * from rows order by a"


@pytest.mark.parametrize(
    ("told", "is_same"),
    [
        ("fail  D4 by gender\n  Of 100, 45\n\nWhy: D4\n", True),
        ("…\nfail  D4 by gender\n…\n", True),
        ("fail  D4 by …\n  Of 100, 45\n…\nWhy: D4\n", True),
        ("fail  D4 by gender\n  Of 100, 46\n\nWhy: D4\n", False),
        ("fail  D4 by gender\n  Of 100, 45\n", False),
        ("…\n  Of 100, 46\n…\n", False),
        ("fail  D4 by gender …\n  Of 100, 45\n…\n", False),
    ],
)
def test_an_output_fits_but_for_what_is_left_out(told, is_same):
    words = script("shown_outputs")._text_differs("page.md", "plumbline show", told, GIVEN)
    assert (words == "") is is_same and (is_same or "Of 100, 45" in words)


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("", "", True),
        ("│ int32 │ boolean │\n", "", True),
        ("true", "false", False),
        ("│ 2 │ NULL │\n", "", False),
    ],
)
def test_a_table_fits_cell_by_cell(tmp_path, before, after, is_same):
    with duckdb.connect(str(tmp_path / "audit.duckdb")) as connection:
        connection.execute("create table rows as from (values (1, true), (2, null)) as v (a, b)")
    told = TABLE.replace(before, after) if before else TABLE
    words = script("shown_outputs")._table_differs("page.md", QUERY, told, tmp_path)
    assert (words == "") is is_same


def test_the_notebook_is_kept_without_what_it_gave():
    """Outputs are of somebody's answers, and of one day."""
    cells = json.loads((ROOT / "docs/guide/first_look.ipynb").read_text("utf-8"))["cells"]
    given = [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")]
    assert len(cells) > 5 and given == []
