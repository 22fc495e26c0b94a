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
    words = script("shown_outputs")._text_differs("plumbline show", told, GIVEN)
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
def test_a_table_fits_cell_by_cell(demo, before, after, is_same):
    told = TABLE.replace(before, after) if before else TABLE
    words = script("shown_outputs")._query_differs(QUERY, told, demo)
    assert (words == "") is is_same


@pytest.fixture
def demo(tmp_path):
    with duckdb.connect(str(tmp_path / "audit.duckdb")) as connection:
        connection.execute("create table rows as from (values (1, true), (2, null)) as v (a, b)")
    return tmp_path


def block(content, kind="", mark=""):
    return f"{mark and f'<!-- {mark} -->'}\n```{kind}\n{content}```\n"


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        (block("select a from rows\n", "sql"), [""]),
        (block("select a from {{ ref('plumbline', 'rows') }}\n", "sql"), [""]),
        (block("select c from rows\n", "sql"), ["does not run"]),
        (block(f"{QUERY}\n", "sql") + TABLE.join(["```\n", "```\n"]), [""]),
        (block(f"{QUERY}\n", "sql") + "Text.\n" + block(TABLE), ["", "nothing says which command"]),
        (block(TABLE, mark="not run: somebody else's rows"), []),
        (block("a\n", "csv", "file: a.csv") + block("a\n", mark="shows: cat a.csv"), [""]),
        (block("a\n", "csv", "file: a.csv") + block("b\n", mark="shows: cat a.csv"), ["not what is shown"]),
        (
            block("a\nb\nc\n", "csv", "file: a.csv")
            + block("b\nd\n", "csv", "end of: a.csv")
            + block("a\nb\nd\n", mark="shows: cat a.csv"),
            [""],
        ),
        ("<!-- has: a.md = README.md -->\n" + block("# Plumbline\n…\n", mark="shows: cat a.md"), [""]),
        (
            block("b.yml: …\n", mark="first: plumbline init a.yml -->\n<!-- shows: plumbline init b.yml"),
            [""],
        ),
    ],
)
def test_a_page_says_where_its_outputs_come_from(demo, page, wrong):
    found = list(script("shown_outputs").compared(page, demo))
    assert all(said in given if said else given == "" for given, said in zip(found, wrong, strict=True))


def test_the_notebook_is_kept_without_what_it_gave():
    """Outputs are of somebody's answers, and of one day."""
    cells = json.loads((ROOT / "docs/guide/first_look.ipynb").read_text("utf-8"))["cells"]
    given = [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")]
    assert len(cells) > 5 and given == []
