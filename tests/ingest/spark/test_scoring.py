"""What a worker does with a batch of texts; no Spark is needed to ask it."""

import numpy as np
import pyarrow as pa
import pytest

from ingest.errors import PlumblineError
from ingest.measuring.texts import Need, Task
from ingest.scorers import load_scorer
from ingest.spark.scoring import SENT, SpreadScorer, Where, _asked, spread

TEXTS = ["A wonderful day.", "A horrible, horrible day!", "Nothing."]


@pytest.fixture(scope="module")
def task():
    return Task(load_scorer("vader"), Need())


def sent(order):
    rows = {"batch": [0] * len(order), "position": order, "text": [TEXTS[n] for n in order]}
    return pa.table(rows, schema=SENT)


def test_a_batch_is_measured_as_it_is_here_in_whatever_order_it_came(task):
    found = _asked("vader", {}, task.scorer_key)(sent([2, 0, 1]))
    assert found.column("position").to_pylist() == [0, 1, 2]
    assert np.array_equal(np.array(found.column("numbers").to_pylist()), task.measure(TEXTS))
    assert found.column("error").null_count == 3


def test_a_worker_with_another_model_measures_nothing():
    with pytest.raises(PlumblineError, match="another version of the scorer 'vader'"):
        _asked("vader", {}, "another")(sent([0]))


def test_what_is_spread_has_the_key_of_what_is_here(task):
    apart = spread(task, Where())
    assert isinstance(apart.scorer, SpreadScorer)
    assert (apart.scorer_key, apart.width, apart.row) == (task.scorer_key, task.width, task.row)
    assert apart.scorer.batch_size % task.scorer.batch_size == 0


def test_a_suites_own_stays_here(task):
    """Workers know scorers by their names, and a suite's own has one for this suite only."""
    scorer = load_scorer("vader")
    scorer.name = "panel"
    own = Task(scorer, Need())
    assert spread(own, Where()) is own
