"""What is drawn to be labelled: strata, probabilities, seeds, further draws."""

import json
from collections import Counter

import pytest
from labelled import ANCHORS, SCORE, World, by_trade, tiny_with
from tiny import record

from ingest.errors import PlumblineError
from ingest.store import Store

PLACES = ("North", "South")


def records(n, start=1, **changes):
    """So many answers: every third of a driver, half of them about men, a quarter from the South."""
    return [
        record(
            i,
            answer=f"A {'driver' if i % 3 == 0 else 'baker'}, number {i}.",
            gender=("Female", "Male")[i % 2],
            place=PLACES[i % 4 == 0],
            person="",
            question=f"What does the {('woman', 'man')[i % 2]} from the {PLACES[i % 4 == 0]} do?",
            **changes,
        )
        for i in range(start, start + n)
    ]


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.load(records(120))
    return made


def chances(world, sample):
    rows = "select stratum, probability, is_new, response_key from label_samples"
    return world.rows(f"{rows} where sample_key = ? order by all", sample.sample_key)


def test_every_stratum_is_drawn_and_the_chances_weigh_up_to_all(world):
    sample = world.draw(60)
    assert len(sample.items) == 60 == len({item.response_key for item in sample.items})
    rows = chances(world, sample)
    n_drawn = Counter(row[0] for row in rows)
    # Label by gender and place: a man is never from the South here.
    assert len(n_drawn) == len(sample.strata) == 6 and min(n_drawn.values()) >= 2
    assert sum(1 / row[1] for row in rows) == pytest.approx(120)
    for stratum, chance, is_new, _ in rows:
        said = json.loads(stratum)
        n = sum(
            said["label"] in one["answer"]
            and said["by gender & place"] == f"{one['gender']} & {one['place']}"
            for one in records(120)
        )
        assert chance == pytest.approx(n_drawn[stratum] / n) and is_new
        assert (said["config"], said["margin"]) == ("model-a", "clear")


def test_too_few_for_all_attributes_are_drawn_by_the_first_and_it_is_said(world):
    sample = world.draw(20)
    assert {str(parts) for parts in sample.parts.values()} == {"config, label, gender, margin"}
    assert len(sample.items) == 20
    assert sample.notes == [
        "The finest strata would be 6, too many for 20 answers: they are by config, label, gender, margin. "
        "A larger --n or one --category makes them finer, --by AXIS chooses the groups."
    ]
    assert world.draw(20, axis="gender").notes == []


def test_an_axis_that_is_named_makes_the_groups(world):
    (parts,) = world.draw(20, axis="place").parts.values()
    assert parts.axis == "place"


def test_too_few_answers_are_refused_with_the_number_that_is_needed(world):
    with pytest.raises(PlumblineError, match="--n 1 is too few: 1 outcome sets with their configs need 2"):
        world.draw(1)


def test_the_same_seed_draws_the_same_whatever_the_order_of_rows(tmp_path, world):
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other")
    other.load(records(120)[::-1])
    # Repeats are counted in a file's order; these have their own.
    first, second = world.draw(40), other.draw(40)
    assert first.sample_key == second.sample_key
    assert first.items == second.items
    assert chances(world, first) == chances(other, second)
    with Store(world.data) as store:
        store.connection.execute("delete from label_samples")
    assert world.draw(40, seed=1).sample_key != first.sample_key


def test_a_further_draw_holds_the_earlier_answers_with_the_chance_of_both(world):
    first, second = world.draw(40), world.draw(30)
    drawn = {item.response_key for item in first.items}
    assert not drawn & {item.response_key for item in second.items}
    rows = chances(world, second)
    assert {row[3] for row in rows if not row[2]} == drawn and len(rows) == 70
    n_drawn = Counter(row[0] for row in rows)
    assert sum(1 / row[1] for row in rows) == pytest.approx(120)
    for stratum in n_drawn:
        assert len({row[1] for row in rows if row[0] == stratum}) == 1


def test_answers_that_came_between_two_draws_have_the_chance_of_the_second_alone(world):
    first = world.draw(40, axis="gender")
    world.load(records(60, start=121))
    second = world.draw(40, axis="gender")
    assert second.notes == []
    rows = chances(world, second)
    first_load = "select run_id from runs where command = 'load' order by started_at limit 1"
    older_keys = world.rows(f"select response_key from responses where run_id = ({first_load})")
    is_older = {key for (key,) in older_keys}
    drawn = {item.response_key for item in first.items}
    for stratum in {row[0] for row in rows}:
        own = [row for row in rows if row[0] == stratum]
        older = {row[1] for row in own if row[3] in is_older}
        newer = {row[1] for row in own if row[3] not in is_older}
        assert len(older) == 1 and len(newer) <= 1
        assert not newer or newer.pop() < older.pop()
    assert drawn < {row[3] for row in rows}


def test_answers_that_came_between_weigh_as_many_as_they_are(tmp_path):
    """The total of Horvitz and Thompson, over 60 configs: each is a stratum, and a trial of its own."""
    world = World(tmp_path, reads=lambda answer: by_trade("A baker."))
    for start in (1, 21):
        world.load([{**one, "model": f"m{i}"} for i in range(60) for one in records(20, start)])
        sample = world.draw(480, axis="gender")
    rows = chances(world, sample)
    last = "select run_id from runs where command = 'load' order by started_at desc limit 1"
    newer = {key for (key,) in world.rows(f"select response_key from responses where run_id = ({last})")}
    assert len(newer) == 1200 and len(rows) == 960
    assert sum(1 / row[1] for row in rows if row[3] in newer) == pytest.approx(1200, rel=0.1)
    assert sum(1 / row[1] for row in rows if row[3] not in newer) == pytest.approx(1200, rel=0.1)


def test_a_further_draw_keeps_its_strata(world):
    world.draw(60)
    with pytest.raises(PlumblineError, match="A1 job: earlier samples are by gender & place, and --by names"):
        world.draw(10, axis="gender")
    (parts,) = world.draw(2).parts.values()
    assert parts.axis == "gender & place"


def test_rules_that_read_otherwise_since_the_last_draw_are_said(world):
    world.draw(60)
    world.reads = lambda answer: by_trade(answer.replace("driver", "baker"))
    world.build()
    assert "earlier are in other strata now" in world.draw(10).notes[0]


def test_when_all_are_drawn_nothing_is_left(world):
    assert len(world.draw(500).items) == 120
    assert {row[1] for row in world.rows("select stratum, probability from label_samples")} == {1.0}
    with pytest.raises(PlumblineError, match="Nothing is left to draw: all 120 answers"):
        world.draw(1)


def test_only_usable_answers_are_drawn_and_only_what_is_named(tmp_path):
    world = World(tmp_path)
    world.load([*records(8), *records(8, start=9, outcome="refused"), *records(8, start=17, model="model-b")])
    assert len(world.draw(500, configs=["model-a"]).items) == 8
    assert len(world.draw(500).items) == 8
    with pytest.raises(PlumblineError, match=r"No usable answer fits.*The answers are of model-a, model-b"):
        world.draw(5, configs=["model-c"])


def test_without_answers_there_is_nothing_to_label(tmp_path):
    world = World(tmp_path, reads=lambda answer: [])
    world.load(records(3))
    with pytest.raises(PlumblineError, match="no usable answer with a text that an outcome rule reads"):
        world.draw(5)


def test_margins_and_scores_make_strata(tmp_path):
    def reads(answer):
        i = int(answer.split()[-1].rstrip("."))
        yield by_trade(answer)[0] | {"n_matches": 1 + (i % 5 == 0)}
        yield {"outcome_set": "mood", "rule_kind": "anchor", "outcome": "glad", "margin": i / 100}
        yield {
            "outcome_set": "tone",
            "rule_kind": "score",
            "score": None if i == 1 else i / 100,
            "outcome_status": "s",
        }

    world = World(tmp_path, tiny_with(tmp_path, ANCHORS, SCORE), reads)
    world.load(records(40))
    world.draw(500)
    found = {}
    for outcome_set, stratum, n in world.rows(
        "select outcome_set, stratum, count(*) from label_samples group by all order by all"
    ):
        said = json.loads(stratum)
        place = (outcome_set, said["label"] if outcome_set != "job" else "", said.get("margin"))
        found[place] = found.get(place, 0) + n
    assert found == {
        ("job", "", "near"): 8,
        ("job", "", "clear"): 32,
        ("mood", "glad", "near"): 20,
        ("mood", "glad", "clear"): 20,
        ("tone", "low", None): 13,
        ("tone", "middle", None): 13,
        ("tone", "high", None): 13,
        ("tone", "s", None): 1,
    }


def test_answers_of_measurements_have_no_text_to_read(world):
    with Store(world.data) as store:
        store.connection.execute("update responses set text_key = null where repeat_index > 10")
    assert len(world.draw(500).items) == 10


def test_hostile_names_make_strata_as_others_do(tmp_path):
    names = ['a"b', "c\\d", "{'x': 1}", "; drop table labels --", "ü ▮"]
    world = World(tmp_path)
    world.load([{**one, "model": name} for name in names for one in records(8)])
    world.draw(20)
    assert len(world.draw(20).items) == 20  # its strata are read from those of the first
    strata = world.rows("select distinct stratum from label_samples")
    assert {json.loads(stratum)["config"] for (stratum,) in strata} == set(names)


def test_prompts_that_show_no_group_are_drawn_without_groups(tmp_path):
    world = World(tmp_path)
    world.load([{**one, "question": "Well?"} for one in records(20)])
    sample = world.draw(20)
    assert [str(parts) for parts in sample.parts.values()] == ["config, label, margin"] and not sample.notes
