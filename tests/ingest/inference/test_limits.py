"""Ties with a limit and values on a bin's edge: decided alike by the macros and by Python."""

import numpy as np
import pytest

from ingest.inference.arrays import bin_of, meets
from ingest.inference.samples import Column, Samples, histogram
from ingest.metrics_page.sql import Sql
from ingest.paths import PROJECT

OPERATORS = ("<", "<=", ">", ">=")


@pytest.fixture(scope="module")
def sql():
    return Sql(PROJECT)


def test_an_exact_limit_is_met_whatever_the_last_digit():
    """Quotients and averages that floating point puts on the wrong side of the number they are."""
    for value, limit in (
        (36 / 60 / (45 / 60), 0.8),
        (sum([0.1] * 3) / 3, 0.1),
        (0.3 - 0.2, 0.1),
        (1e6 / 3 * 3, 1e6),
    ):
        assert [bool(meets(value, operator, limit)) for operator in OPERATORS] == [False, True, False, True]
    assert [bool(meets(0.8 - 1e-8, operator, 0.8)) for operator in OPERATORS] == [True, True, False, False]
    assert [bool(meets(0.8 + 1e-8, operator, 0.8)) for operator in OPERATORS] == [False, False, True, True]
    # Of a large limit the slack is a share.
    assert meets(1e12 - 10, ">=", 1e12) and not meets(1e12 - 1e4, ">=", 1e12)
    assert not any(meets(np.nan, operator, 0.8) for operator in OPERATORS)


def test_the_macro_decides_as_python_does(sql):
    rng = np.random.default_rng(16)
    limits = rng.normal(size=400) * 10.0 ** rng.integers(-3, 7, size=400)
    values = limits + rng.choice([-1, 0, 1], 400) * np.maximum(1, np.abs(limits)) * 10.0 ** rng.integers(
        -12, -6, 400
    )
    sql.table(
        "numbers",
        {"i": "integer", "x": "double", "y": "double"},
        list(zip(range(400), values, limits, strict=True)),
    )
    for operator in OPERATORS:
        expression = f"{{{{ meets('x', '{operator}', 'y') }}}}"
        found = [row["found"] for row in sql.rows(f"select {expression} as found from numbers order by i")]
        np.testing.assert_array_equal(found, meets(values, operator, limits))
    with pytest.raises(KeyError):
        meets(1, "=", 1)


def tenths():
    """Every value of one decimal between -2 and 2, computed in three ways that differ in the last digit."""
    whole = np.arange(-20, 21)
    return np.concatenate([whole / 10, whole * 0.1, np.cumsum(np.full(41, 0.1)) - 2.1]), np.tile(whole, 3)


def test_a_value_on_an_edge_belongs_to_the_bin_that_begins_there(sql):
    values, whole = tenths()
    place = (values - values[0]) / 0.1
    np.testing.assert_array_equal(bin_of(place), whole + 20)
    sql.table("edges", {"i": "integer", "x": "double"}, list(enumerate(values)))
    rows = sql.rows("select {{ bin_of('((x + 2) / 0.1)') }} as bin from edges order by i")
    np.testing.assert_array_equal([row["bin"] for row in rows], whole + 20)


@pytest.mark.parametrize(
    ("low", "high", "bins"), [(0, 1, 10), (-2, 2, 40), (-1, 1, 20), (0, 1, 3), (0.3, 0.3, 10)]
)
def test_histograms_of_both_sides_agree(sql, low, high, bins):
    values, _ = tenths()
    values = np.concatenate([values, np.random.default_rng(3).normal(size=500)])
    sql.connection.execute("drop table if exists binned")
    sql.table("binned", {"i": "integer", "x": "double"}, list(enumerate(values)))
    rows = sql.rows(
        f"select {{{{ histogram_bin('x', '{low}', '{high}', {bins}) }}}} as bin from binned order by i"
    )
    found = np.bincount([int(row["bin"]) for row in rows], minlength=bins)
    ends = (np.full(1, float(end)) for end in (low, high))
    np.testing.assert_array_equal(found, histogram(values[None], *ends, bins)[0])


def test_values_of_one_decimal_do_not_leave_their_bin():
    """0.3 lies in bin 3 of width 0.1: three of four values, and the mode is its midpoint."""
    values = np.array([[0.0, 0.3, 0.3, 0.1 + 0.2]])
    mode = Column("mode", {"width": "0.1"}).of(Samples(values, values))
    assert mode == pytest.approx(0.35)
    # Nothing diverges from itself, computed another way.
    thirds = np.arange(10) / 10
    same = Samples(thirds[None], (np.cumsum(np.full(10, 0.1)) - 0.1)[None])
    parameters = {"bins": "10", "edges": "shared", "zeros": "floor"}
    assert Column("kl_divergence", parameters).of(same) == pytest.approx(0, abs=1e-12)
