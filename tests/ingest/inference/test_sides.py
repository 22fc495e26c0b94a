"""Pairs of configs that are compared: each is computed once, whoever else answers."""

from types import SimpleNamespace

import duckdb
import numpy as np
import pytest

from ingest.inference import sides
from ingest.inference.kept import Kept
from ingest.inference.tables import types

THIS = SimpleNamespace(database="memory", schema="main", identifier="kept")
N = 40  # prompts
NUMBERS = "difference, p_value, ci_low, ci_high, n, n_unpaired_a, n_unpaired_b"


class Compared:
    """The table of all pairs of configs; a config's answers depend on its name."""

    def __init__(self, monkeypatch):
        self.session = duckdb.connect()
        self.made = []
        compared = sides.compared

        def counted(pairs, *rest):
            self.made += [(pair["a"], pair["b"]) for pair in pairs]
            return compared(pairs, *rest)

        monkeypatch.setattr(sides, "compared", counted)

    def build(self, names):
        """Compare configs, which are numbered in the order of their names; return rows by their names."""
        self.made, pairs, answers = [], [], []
        for b, name in enumerate(names):
            pairs += [(len(pairs) + i, a, b, names[a], name) for i, a in enumerate(range(b))]
            likes = np.random.default_rng(ord(name[0])).random((N, 2)) < [0.3, 0.6]
            answers += [
                (10, b, 2 * prompt + group, 0, group, 2 * prompt + group, prompt, int(likes[prompt, group]))
                for prompt in range(N)
                for group in range(2)
            ]
        self.session.execute(
            "create or replace temp table listed"
            " (pair_id int, config_run_a int, config_run_b int, a text, b text)"
        )
        self.session.executemany("insert into listed values (?, ?, ?, ?, ?)", pairs)
        self.session.execute(
            "create or replace temp table answered (analysis_key int, config_run_key int, prompt_code int,"
            " repeat_index int, group_code int, cell_code int, block_code int, outcome_code int)"
        )
        self.session.executemany("insert into answered values (?, ?, ?, ?, ?, ?, ?, ?)", answers)
        listed = self.session.sql(
            "select *, 10 as analysis_key, 'outcome' as measure_kind, 's' as suite, 'c' as category,"
            " 'm' as measure, 'gender' as axis, 7 as seed, 199 as n_permutations, 199 as n_bootstrap,"
            " 1 as minimum_cell from listed"
        )
        answered = self.session.sql("select *, null::double as value from answered")
        kept = Kept(SimpleNamespace(this=THIS), self.session, types(sides.FIELDS), keys=sides.KEYS)
        groups = {10: [("F", [0]), ("M", [1])]}
        sides.keep_compared(kept, listed, answered, groups, {"outcome": ["max_share_gap"]})
        relation = kept.relation()  # noqa: F841  DuckDB finds it by its name
        self.session.execute("create or replace temp table fresh as from relation")
        self.session.execute("create or replace table kept as from fresh")
        rows = self.session.sql(f"select a, b, {NUMBERS} from kept join listed using (pair_id)").fetchall()
        return {row[:2]: row[2:] for row in rows}


@pytest.fixture
def pairs(monkeypatch):
    return Compared(monkeypatch)


def test_one_config_more_leaves_the_others_pairs_alone(pairs):
    before = pairs.build(["b", "d", "f"])
    assert pairs.made == [("b", "d"), ("b", "f"), ("d", "f")]
    after = pairs.build(["a", "b", "c", "d", "f"])
    assert sorted(pairs.made) == sorted(pair for pair in after if set(pair) & {"a", "c"})
    assert len(after) == 10
    assert {pair: after[pair] for pair in before} == before
    assert pairs.build(["d", "f"]) == {("d", "f"): before["d", "f"]}
    assert pairs.made == []


def test_configs_that_answer_word_for_word_alike_have_pairs_of_their_own(pairs):
    rows = pairs.build(["a1", "a2", "b"])
    assert rows["a1", "b"] == rows["a2", "b"]
    assert rows["a1", "a2"][0] == 0
    assert pairs.build(["a1", "a2", "a3", "b"])["a3", "b"] == rows["a1", "b"]
    assert len(pairs.made) == 3
