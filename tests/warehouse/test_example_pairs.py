"""The pairs of answers that the site shows are found without a look at every answer beside every other."""

import re

import duckdb
import pytest
from jinja2 import Template
from places import ROOT

MODEL = ROOT / "models" / "reports" / "pairs" / "rpt_pairs.sql"
N_ANSWERS, N_CONFIGS = 200, 5


@pytest.fixture
def marts():
    """Answers of which each is in many pairs, as where there are twenty groups."""
    with duckdb.connect() as marts:
        marts.execute(
            f"""
            create table dim_responses as
                select 'r' || i as response_key, 'said ' || i as response from range({N_ANSWERS}) as t (i);
            create table dim_prompts as
                select 'p' || i as prompt_key, 'asked' as prompt, 'true' as baseline from range(100) as t (i);
            create table rpt_pair_metrics as
                select
                    'slug ' || i as pairs_slug, 's' as suite, 'c' as category, 'm' || i as config,
                    'a' as axis, 1 as category_position
                from range({N_CONFIGS}) as t (i), range(200);
            create table fct_counterfactual_pairs as
                select
                    'branches' as pair_kind, 's' as suite, 'c' as category,
                    'm' || (i % {N_CONFIGS}) as config, 'a' as axis, 'A' as group_a, 'B' as group_b,
                    'k' || (i // 20) as root_key,
                    'p' || (i % 100) as prompt_key_a, 'p' || ((i + 1) % 100) as prompt_key_b,
                    'r' || i as response_key_a, 'r' || ((i + j) % {N_ANSWERS}) as response_key_b,
                    1 as repeat_a, metric, '' as feature, j / 30 as value, 0.5 as value_a, 0.5 as value_b
                from
                    range({N_ANSWERS}) as t (i), range(30) as u (j),
                    (values ('counterfactual_rouge_l'), ('score_difference')) as v (metric)
            """
        )
        yield marts


def test_no_answer_is_held_against_every_other(marts):
    query = Template(MODEL.read_text("utf-8")).render(ref=str)
    ((_, plan),) = marts.execute(f"explain {query}").fetchall()
    assert re.findall(r"NESTED_LOOP_JOIN|BLOCKWISE_NL_JOIN|CROSS_PRODUCT", plan) == []


def test_an_answer_beside_itself_is_no_example(marts):
    rows = marts.execute(Template(MODEL.read_text("utf-8")).render(ref=str)).fetchdf()
    assert len(rows) == N_CONFIGS * 20  # two of each root, of which a config has ten
    assert (rows["response_a"] != rows["response_b"]).all()
