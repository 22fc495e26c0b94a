"""Only macros/engine/ knows which engine runs: what one alone understands is found elsewhere, and named."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
from engine_sql import LAYER, engine_specific, found_in  # noqa: E402

WRITTEN = {
    "select isfinite(x) from t": "is_finite",
    "select unnest(items) as item from t": "unnested",
    "select list(x order by y) from t": "ordered_list",
    "select [x, y] as pair from t": "list_of",
    "select items[1] from t": "item_at",
    "select list_contains(items, x) from t": "array_contains",
    "select x from t where len(items) > 0": "list_length",
    "select string_agg(x, ', ' order by x) from t": "ordered_text",
    "select avg(x order by x) from t": "in_order",
    "select any_value(x order by y) from t": "in_order",
    "select arg_max(x, y) from t": "max_by",
    "select quantile_cont(x, 0.9) from t": "quantile",
    "select definition ->> 'title' from t": "json_text",
    "select json_extract_string(x, '$.a') from t": "json.sql",
    "select regexp_matches(x, '[a-z]') from t": "matches",
    r"select replace(x, '\d', '') from t": "pattern",
    "select * exclude (x) from t": "without",
    "select * replace (1 as x) from t": "without",
    "select 1 as x\nunion all by name\nselect 2 as y": "union_by_name",
    "select x::integer from t": "cast",
    "select cast(x as varchar) from t": "string",
    "select printf('%g', x) from t": "short_text",
    "select count(*) filter (x > 0) from t": "where",
    "select count(*) filter (where x > 0) over (partition by y) from t": "case",
    "select count(distinct x) over (partition by y) from t": "group",
    "select avg(case when x > 0 then 1.0 else 0.0 end) from t": "1e0",
    "select 1.0 / n from t": "1e0",
    'select "column" from t': "quote",
    "select {{ ratio('len(items)', 'n') }} from t": "list_length",
}


@pytest.mark.parametrize("written", WRITTEN)
def test_what_one_engine_understands_is_named_with_its_line_and_macro(written):
    hits = list(found_in(f"-- Grain: one row per x.\n{written}"))
    assert hits, "nothing was found"
    assert all(line >= 2 for line, _, _ in hits)
    assert any(WRITTEN[written] in advice for _, _, advice in hits)


@pytest.mark.parametrize(
    "written",
    [
        "-- A list [of] what isfinite(x) says.\nselect x from t",
        "{# unnest(x) is DuckDB's. #}\nselect x from t",
        "{%- set names = rows[0]['names'] %}\nselect {{ names[1] }} from t",
        "select {{ unnested('items') }} as item, {{ list_of('x, y') }} as pair from t",
        "select count(*) filter (where x > 0) as n, filter(items, x -> x > 0) as kept from t",
        "select max_by(x, (y, z)) as x, count(case when y then 1 end) over (partition by z) as n from t",
        "select array_contains(items, x), array_agg(distinct x), cast(x as string) from t",
    ],
)
def test_what_both_understand_is_left_alone(written):
    assert list(found_in(written)) == []


def test_models_macros_and_tests_hold_nothing_of_one_engine():
    assert list(engine_specific(ROOT)) == []


def test_a_place_is_named_with_its_file_and_the_layer_is_left_out(tmp_path):
    for name in ("models/marts/fct_x.sql", f"{LAYER}lists.sql"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("select\n    len(items) as n\nfrom t\n")
    (line,) = engine_specific(tmp_path)
    assert line.startswith("models/marts/fct_x.sql:2: `len(`")
    assert "list_length" in line
