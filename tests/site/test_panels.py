"""The first screen and the matrix of 20 invented configs at both widths, without a built site."""

import re

import pytest
from in_browser import in_browser

N = 20
MOST_AT_FIRST = 5


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> dict:
    return in_browser("tests/panels.mjs", tmp_path_factory.mktemp("panels"))


@pytest.fixture(params=["desktop", "phone"])
def width(request, seen) -> dict:
    return seen[request.param]


def test_small_multiples_never_scroll_sideways(width):
    assert (width["wide"], width["nScrolling"], width["nCut"]) == (0, 0, 0)
    assert width["nPanels"] == len(width["titles"]) == N


def test_the_width_of_a_desktop_is_used_and_a_finger_finds_a_cell(seen):
    assert seen["desktop"]["nBeside"] >= 3
    assert seen["phone"]["nShown"] == 6 < N
    assert min(seen["phone"]["leastCell"], seen["phone"]["leastHeight"]) >= 24


def test_each_cell_is_a_link_that_says_what_it_is(width):
    assert width["nLinks"] == N * 8 * 7
    assert (width["nUnnamed"], width["images"]) == (0, 0)


def test_panels_stand_by_fails_first(width):
    fails = [int(one.split()[0]) if one[0].isdigit() else 0 for one in width["summaries"]]
    assert fails == sorted(fails, reverse=True) and fails[0] == N - 1 and fails[-1] == 0


def test_of_many_models_the_gravest_stand_first_and_the_rest_is_folded_with_a_count(width):
    assert len(width["first"]) == MOST_AT_FIRST and width["folded"] == N - MOST_AT_FIRST
    assert width["first"] == width["titles"][:MOST_AT_FIRST]
    assert not width["isOpen"]
    assert width["summary"] == "The other 15 models. Worst verdict of each: 8 fail, 7 inconclusive"


def test_a_model_that_always_answers_the_same_is_said_to(seen):
    same = "No two groups differ in anything that was judged."
    assert same in seen["told"]["alike"] and "Yet a difference could hide." in seen["told"]["alike"]
    assert (
        same not in seen["told"]["elsewhere"] and "No two groups differ in it." in seen["told"]["elsewhere"]
    )


def test_a_list_names_an_item(seen):
    listed = " ".join(seen["told"]["listed"].split())
    assert listed == "30 of 100 lists about |Female| (30 %) named |female|; 20 of 100 about |Male| (20 %)."
    links = re.findall(r'href="/responses/([^"]*)"', seen["told"]["found"])
    assert [link.replace("&amp;", "&") for link in links] == [
        f"r?group={group}&q=iron%20%26%20fist" for group in "hl"
    ]


def test_columns_have_short_names_that_differ(seen):
    assert seen["codes"]["gender & race & nationality"] == "G+R+N"
    assert seen["near"] == {"gender": "Gend", "generation": "Gene", "gen & gender": "Gen+Gend"}


def test_rows_get_what_they_share_with_others(seen):
    assert seen["shared"] == [
        {"pair": "x", "suite": "s", "question": "D1", "title": "One", "value": 1},
        {"pair": "y", "question": "D1", "value": 2},
    ]


def test_models_can_be_ordered(seen):
    assert seen["orders"] == {
        "fails": ["b 9", "a", "b 10"],
        "gap": ["a", "b 10", "b 9"],
        "name": ["a", "b 9", "b 10"],
        "other": ["b 9", "a", "b 10"],
    }


def test_the_gap_told_is_that_of_the_numbers_shown(seen):
    firm, open_, unsure, without = seen["told"]["sure"]
    assert firm.startswith("The gap is 54 points (95 % interval 37 to 75).")  # 57 and 3 are shown
    assert firm.endswith("Chance alone gives more than 28 once in 20 times.")
    assert open_.endswith(
        "this gap may be chance. Its interval is no proof: chance, too, gives a widest gap above 0."
    )
    assert unsure.endswith("So there is a difference; its size is less sure.")
    assert without == "The gap is 54 points. Chance alone gives more than 28 once in 20 times."


def test_a_role_is_not_read_as_a_group(seen):
    assert "in the role “Landlord”" in seen["told"]["played"]
    assert "(Landlord)" not in seen["told"]["played"]


def test_where_nothing_was_answered_no_mix_of_answers_is_told(seen):
    assert "No usable answer to judge." in seen["told"]["unjudged"]
    assert "mix of answers" not in seen["told"]["unjudged"]
    assert "No two groups differ" not in seen["told"]["unjudged"]


def test_a_model_that_two_suites_ask_has_a_line_of_each_with_its_name(seen):
    assert all(f", {name} suite" in seen["told"]["decided"] for name in ("first", "second"))


def test_a_verdict_that_nothing_has_calls_for_no_step(seen):
    assert "0 comparisons here" in seen["told"]["steps"] and "Nothing to do." in seen["told"]["steps"]
    assert "Keep the card." not in seen["told"]["steps"] and "Audit again." in seen["told"]["steps"]
