"""Formulas of SQL: shares stay at 1 or below, and no order of rows changes a last digit."""

import ast
import math

import duckdb
import jinja2
import numpy as np
import pyarrow as pa
import pytest
from places import ROOT

FORMULAS = "".join(
    (ROOT / "macros" / "formulas" / f"{name}.sql").read_text("utf-8")
    for name in ("ratio", "at_most_one", "wilson", "cramers_v", "cramers_v_corrected")
)


MACROS = jinja2.Environment()
MACROS.globals |= vars(MACROS.from_string(FORMULAS).module)


def column(expression, relation):
    sql = MACROS.from_string(f"select {expression} from {relation}").render()
    return np.array([value for (value,) in duckdb.sql(sql).fetchall()], dtype=float)


OF_DUCKDB = "".join(
    (ROOT / "macros" / "engine" / f"{name}.sql").read_text("utf-8") for name in ("aggregates", "lists")
)


def test_wilsons_interval_ends_at_0_and_1():
    of_all = column("{{ wilson('n', 'n', 'high') }}", "range(1, 2000) as t (n)")
    of_none = column("{{ wilson('0', 'n', 'low') }}", "range(1, 2000) as t (n)")
    assert of_all == pytest.approx(np.ones(1999)) and of_all.max() <= 1
    assert of_none == pytest.approx(np.zeros(1999)) and of_none.min() >= 0
    assert np.isnan(column("{{ wilson('n', 'n', 'high') }}", "range(1) as t (n)"))


def test_the_strongest_association_is_1():
    """Two to four groups, each of which gets answers of its own."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        n_groups, n_outcomes = int(rng.integers(2, 5)), int(rng.integers(5, 9))
        group_of = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n_outcomes - n_groups)])
        sizes = rng.integers(1, 60, n_outcomes)
        n, n_group = sizes.sum(), np.bincount(group_of, sizes)
        counts = np.where(np.arange(n_groups)[:, None] == group_of, sizes, 0)
        cells = ", ".join(
            f"({count}, {total} * {size} / {n})"
            for of_group, total in zip(counts, n_group.astype(int), strict=True)
            for count, size in zip(of_group, sizes, strict=True)
        )
        relation = f"(select sum(power(o - e, 2) / e) as x from (values {cells}) as t (o, e)) as s"
        (v,) = column(f"{{{{ cramers_v('x', '{n}', '{n_groups}') }}}}", relation)
        assert 1 - 1e-9 < v <= 1
        corrected = f"{{{{ cramers_v_corrected('x', '{n}', '{n_groups}', '{n_outcomes}') }}}}"
        assert 0 < column(corrected, relation)[0] <= 1


@pytest.mark.parametrize("base", [0.95, 0.5, 1.0])
def test_a_sum_of_shares_is_exact_in_any_order(base):
    """Powers as of words that are near and far, down to nothing."""
    rng = np.random.default_rng(1)
    shares = base ** rng.integers(0, 400, 20_000)
    sql = (
        jinja2.Environment()
        .from_string(f"{OF_DUCKDB}select {{{{ duckdb__sum_of_shares('x') }}}} from t")
        .render()
    )
    found = set()
    with duckdb.connect() as connection:
        for _ in range(20):
            connection.register("shuffled", pa.table({"x": rng.permutation(shares)}))
            connection.execute("create or replace table t as from shuffled")
            found.add(connection.sql(sql).fetchone())
    assert len(found) == 1 and found.pop()[0] == pytest.approx(math.fsum(shares), rel=1e-15)


@pytest.mark.parametrize("size", [1.0, 1e-7, 1e9, None])
def test_the_mean_that_selects_is_exact_in_any_order(size):
    """Values that are all near 1, small or large, and that are all of these."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=5_000) * (10.0 ** rng.integers(-11, 10, 5_000) if size is None else size)
    mean = (ROOT / "macros" / "selection" / "standard_mean.sql").read_text("utf-8")
    as_on_duckdb = mean.replace("exact_mean", "duckdb__exact_mean")
    sql = jinja2.Environment().from_string(
        f"{OF_DUCKDB}{as_on_duckdb}select {{{{ standard_mean({{}}) }}}} from t"
    )
    found = set()
    with duckdb.connect() as connection:
        for _ in range(20):
            connection.register("shuffled", pa.table({"value": rng.permutation(values)}))
            connection.execute("create or replace table t as from shuffled")
            found.add(connection.sql(sql.render()).fetchone())
    assert len(found) == 1 and found.pop()[0] == pytest.approx(math.fsum(values) / 5_000, rel=1e-15)


def test_the_mean_of_equal_values_is_that_value_and_of_none_is_null():
    template = f"{OF_DUCKDB}select {{{{ duckdb__exact_mean('x') }}}} from (select unnest($1::double[]) as x)"
    sql = jinja2.Environment().from_string(template).render()
    for value in (0.0, 0.1, 0.77, -1e-5, 3e-20, -7e15):  # one step of rounding aside (SPEC CON-3)
        (mean,) = duckdb.execute(sql, [[value] * 3 + [None]]).fetchone()
        assert mean == pytest.approx(value, rel=3e-16, abs=0)
    assert duckdb.execute(sql, [[]]).fetchone() == duckdb.execute(sql, [[None]]).fetchone() == (None,)


def test_the_smallest_shares_keep_their_digits():
    sql = (
        jinja2.Environment()
        .from_string(f"{OF_DUCKDB}select {{{{ duckdb__sum_of_shares('x') }}}} from t")
        .render()
    )
    with duckdb.connect() as connection:
        connection.execute("create table t as select 1e-30 * i as x from range(1, 4) as r (i)")
        assert connection.sql(sql).fetchone() == (pytest.approx(6e-30, rel=1e-15),)


def test_the_deviation_of_a_list_is_that_of_its_values():
    deviation = f"{OF_DUCKDB}select {{{{ duckdb__list_deviation('[1.0, 2.0, 4.0]', true) }}}}"
    sql = jinja2.Environment().from_string(deviation).render()
    assert duckdb.sql(sql).fetchone() == (pytest.approx(np.std([1, 2, 4], ddof=1)),)


@pytest.mark.parametrize(
    ("values", "lowest", "highest", "expected"),
    [
        ("any", -0.4, 1e-15, (None, "zero_max")),  # a mean of calibrated values that is 0 but for rounding
        ("any", -0.4, -1e-16, (None, "zero_max")),
        ("any", -0.4, 0.0, (None, "zero_max")),
        ("any", 0.0, 0.0, (None, "zero_max")),
        ("any", -0.5, 2**-20, (-(2.0**19), "ok")),
        ("any", 1e-15, 2e-15, (0.5, "ok")),
        ("non_negative", 1e-15, 2e-15, (0.5, "ok")),
        ("non_negative", 0.0, 1e-15, (0.0, "ok")),
        ("non_negative", 0.0, 0.0, (None, "zero_max")),
        ("non_negative", -0.4, 1e-15, (None, "not_applicable")),
    ],
)
def test_a_ratio_to_what_is_0_but_for_rounding_is_none(values, lowest, highest, expected):
    macro = (ROOT / "macros" / "disparities" / "disparity_ratio.sql").read_text("utf-8")
    template = f"{FORMULAS}{macro}{{{{ disparity_ratio({{'values': '{values}'}}) }}}}"
    said = jinja2.Environment().from_string(template).render({"return": lambda expressions: expressions})
    expression = ast.literal_eval(said[said.index("{") :])
    value, status = expression["value"], expression["status"]
    row = "select 2 as n_groups, $1::double as lowest, $2::double as highest"
    sql = f"select {value}, case when ({value}) is not null then 'ok' else {status} end from ({row})"
    assert duckdb.execute(sql, [lowest, highest]).fetchone() == expected
