"""Filters of the site's pages: what a page says it can be filtered by, its rows have."""

import re

import pytest
from in_browser import REPORTS

PAGES = sorted(page for page in (REPORTS / "pages").rglob("*.md") if "<FilterBar" in page.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_that_is_filtered_by_question_selects_what_filters_know_questions_by(page):
    """`filters.js` reads `category_slug`; without it there is no choice, and one made elsewhere is lost."""
    text = page.read_text("utf-8")
    (bar,) = re.findall(r"<FilterBar[^\n]*?/>", text)
    by = re.search(r"by=\{\[([^\]]*)\]\}", bar)
    if by is None or "'category'" in by[1]:
        queries = "\n".join(re.findall(r"^```sql \w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        assert "category_slug" in queries


def test_filters_are_on_several_pages():
    assert {"over-time", "power", "categories"} <= {page.stem for page in PAGES}
