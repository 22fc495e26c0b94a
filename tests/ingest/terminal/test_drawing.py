"""What is drawn in the terminal: where marks stand, what is said beside them, and that all of it fits."""

import pytest

from ingest.terminal.drawing import columns, gap, groups, key_of_groups, measured, verdict_table, wrapped

ROW = {
    "verdict": "fail",
    "category": "D4",
    "category_title": "Reaction",
    "axis": "gender",
    "config": "m",
    "measure": "view",
    "measure_kind": "outcome",
    "contrast_sentence": "8 of 16 answers about Female (50 %) are read as sad; 4 of 16 about Male (25 %).",
    "combination": None,
    "contrast_outcome": "sad",
    "group_high": "Female",
    "group_low": "Male",
    "n_group_high": 16,
    "n_group_low": 1200,
    "contrast_high": 0.5,
    "contrast_low": 0.25,
    "gap_low": 0.15,
    "gap_high": 0.35,
    "gap_chance": 0.1,
    "measure_check": "unvalidated",
    "suite": "hiring",
    "has_suites": False,
    "reason": "Beyond the fail limit.",
}


@pytest.mark.parametrize(
    ("looks", "has", "widest"), [(False, 100, 80), (True, 100, 100), (True, 500, 120), (True, 9, 40)]
)
def test_sentences_fit_the_terminal(monkeypatch, looks, has, widest):
    monkeypatch.setattr("sys.stdout.isatty", lambda: looks)
    monkeypatch.setenv("COLUMNS", str(has))
    assert max(map(len, wrapped(200 * "ab ").splitlines())) in (widest, widest - 1, widest - 2)


def test_dots_stand_at_the_shares_and_chance_between_them():
    assert gap(ROW, 21).splitlines() == [
        "✕ fail  D4 Reaction, by gender · m",
        "  8 of 16 answers about Female (50 %) are read as sad; 4 of 16 about Male",
        "  (25 %).",
        "  0 ─────○▒▒━━●────────── 100",
        "  The gap is 25 points (95 % interval 15 to 35). Chance alone gives more than 10",
        "  once in 20 times.",
    ]


@pytest.mark.parametrize(
    ("value", "said"), [(0.43749999999999994, "0.438"), (-0.3125, "-0.313"), (1234.5, "1,234")]
)
def test_a_measured_number_is_rounded_as_on_the_site(value, said):
    assert measured(value) == said


def test_the_suite_is_named_where_there_are_several():
    assert gap(ROW | {"has_suites": True}).startswith("✕ fail  D4 Reaction, by gender · hiring · m\n")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"verdict": "inconclusive", "gap_chance": 0.3},
            "gives up to 30 in 19 of 20 times: this gap may be chance. Its interval is no proof",
        ),
        ({"gap_chance": 0.3}, "may be chance; the verdict rests on another number of the comparison."),
        ({"gap_chance": None, "gap_low": None}, "The gap is 25 points."),
        ({"contrast_high": 0.26}, "The gap is 1 point (95 %"),
        ({"contrast_high": 29 / 60, "contrast_low": 16 / 60}, "The gap is 22 points before rounding (95 %"),
        (
            {"measure_kind": "score", "measure": "vader_compound", "contrast_outcome": None},
            "VADER sentiment is 0.5 on average in 16 answers about Female, 0.25 in 1,200 about Male.",
        ),
        (
            {
                "measure_kind": "score",
                "measure": "salary",
                "contrast_high": 91250.0,
                "contrast_low": 999.6,
                "n_group_high": 1,
            },
            "Salary is 91,250 on average in 1 answer about Female, 1,000 in 1,200 about Male.",
        ),
    ],
)
def test_what_is_said_fits_the_gap(changes, said):
    assert said in " ".join(gap(ROW | changes).split())


def test_marks_stay_on_the_line_whatever_the_numbers():
    for changes in ({"contrast_high": 1.0, "gap_chance": 1.0}, {"contrast_low": 0.0, "contrast_high": 0.001}):
        (line,) = (one for one in gap(ROW | changes, 30).splitlines() if one.startswith("  0 "))
        assert len(line) == len("  0 " + 30 * "-" + " 100") and "●" in line


NAME = "\x1b[2J" + "Gruppe " * 8


def test_each_group_has_a_dot_its_interval_and_the_band_of_chance():
    rows = [
        {"group_value": "Female", "value": 0.5, "low": 0.4, "high": 0.6, "n": 1200},
        {"group_value": NAME, "value": 0.25, "low": None, "high": None, "n": 9},
    ]
    first, second = groups(rows, is_share=True, chance=0.1)
    assert first.startswith("  Female ") and first.endswith("50 % of 1,200")
    # Chance from the lowest group on; an interval on both sides of its dot, or none.
    assert "━●" in first and "●━" in first and "▒" in first and first.index("▒") < first.index("━")
    assert "●▒" in second and "━" not in second and "…" in second and second.isprintable()
    assert max(map(columns, [first, second, *key_of_groups(True, 0.1)])) <= 80


def test_means_are_drawn_from_the_lowest_to_the_highest_number():
    rows = [
        {"group_value": "a", "value": 0.3, "low": 0.2, "high": 0.4, "n": 5},
        {"group_value": "b", "value": -0.1, "low": -0.2, "high": 0.0, "n": 5},
    ]
    first, second = groups(rows, is_share=False, chance=None)
    assert first.endswith("━ 0.3, n 5") and second[23] == "━" and second.endswith("─ -0.1, n 5")


def counts(config, **n):
    return [
        {"suite": "s", "config": config, "profile": "plumbline", "is_simulated": False, "verdict": v, "n": k}
        for v, k in n.items()
    ]


def test_verdicts_are_a_table_that_fits_and_shows_what_is_rare():
    rows = counts("model-a", fail=1, inconclusive=4000, not_applicable=3) + counts(NAME, monitor=2)
    lines = verdict_table(rows)
    assert max(map(columns, lines)) <= 80 and all(line.isprintable() for line in lines)
    of_a = next(line for line in lines if line.startswith("model-a"))
    assert "4,000" in of_a and of_a.count("✕") == 1 and of_a.count("?") > 5 and "✓" not in of_a
    assert lines[-1].startswith("3 numbers could not be judged")


def test_of_no_verdicts_nothing_is_drawn():
    assert verdict_table([]) == []
    assert "?" not in verdict_table(counts("model-a", not_applicable=1))[3]


def test_a_gap_beyond_chance_that_is_open_says_why():
    """Of one name a group a gap may be wider than chance gives, and say nothing of the groups."""
    reason = "One name or text stands for a whole group."
    told = " ".join(gap(ROW | {"verdict": "inconclusive", "reason": reason}).split())
    assert told.endswith(f"once in 20 times. {reason}")
    assert reason not in gap(ROW | {"verdict": "inconclusive", "reason": reason, "gap_chance": 0.5})
    assert "Beyond the fail limit." not in gap(ROW)
