"""A gap drawn in the terminal: where its marks stand, and what is said beside it."""

import pytest

from ingest.show import drawing

ROW = {
    "verdict": "fail",
    "category": "D4",
    "category_title": "Reaction",
    "axis": "gender",
    "config": "m",
    "measure": "view",
    "measure_kind": "outcome",
    "contrast_outcome": "not_pleased",
    "group_high": "Female",
    "group_low": "Male",
    "contrast_high": 0.5,
    "contrast_low": 0.25,
    "gap_low": 0.15,
    "gap_high": 0.35,
    "gap_chance": 0.1,
}


def test_dots_stand_at_the_shares_and_chance_between_them():
    assert drawing(ROW, 21).splitlines() == [
        "✕ fail  D4 Reaction, by gender · m",
        "  Of 100 answers about Female, 50 are read as not pleased; about Male, 25.",
        "  0 ─────○▒▒━━●────────── 100",
        "  The gap is 25 points (95 % interval 15 to 35). Chance alone goes up to 10.",
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"verdict": "inconclusive", "gap_chance": 0.3}, "goes up to 30: this gap may be chance."),
        ({"gap_chance": 0.3}, "may be chance; the verdict rests on all groups together."),
        ({"gap_chance": None, "gap_low": None}, "The gap is 25 points."),
        ({"measure": "response_status", "contrast_outcome": "refused"}, "50 end as refused; about Male, 25."),
        (
            {"measure_kind": "score", "measure": "vader_compound", "contrast_outcome": None},
            "vader compound is 0.5 on average about Female, 0.25 about Male.",
        ),
    ],
)
def test_what_is_said_fits_the_gap(changes, said):
    assert said in drawing(ROW | changes)


def test_marks_stay_on_the_line_whatever_the_numbers():
    for changes in ({"contrast_high": 1.0, "gap_chance": 1.0}, {"contrast_low": 0.0, "contrast_high": 0.001}):
        line = drawing(ROW | changes, 30).splitlines()[2]
        assert len(line) == len("  0 " + 30 * "-" + " 100") and "●" in line
