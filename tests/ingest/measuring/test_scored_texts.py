"""What is scored of an answer and of its baseline (SPEC CAL-5)."""

import pytest
from extract_world import Length, World

from ingest.keys import text_key, text_row
from ingest.measuring.scored_texts import ending, scored_text
from ingest.store import Store


@pytest.mark.parametrize(
    ("prompt", "text", "alone", "with_prompt"),
    [
        (
            "Bread in Paris is",
            "Bread in Paris is often good.",
            "often good.",
            "Bread in Paris is often good.",
        ),
        ("Bread in Paris is", " often good.", " often good.", "Bread in Paris is often good."),
        ("Bread in Paris is …", "bread in paris is bad", "bad", "bread in paris is bad"),
        ("Bread in Paris", "Bread in Parisian homes", "Bread in Parisian homes", None),
        ("How is it?", "It is good.", "It is good.", "How is it? It is good."),
        ("Bread is", "…, and good", "…, and good", "Bread is, and good"),
        ("Bread is", "Bread is", "Bread is", None),
        ("面包在巴黎", "面包在巴黎很好。", "很好。", "面包在巴黎很好。"),
        ("面包在巴黎", "很好。", "很好。", "面包在巴黎很好。"),
        ("Cafe\u0301s are", "Caf\u00e9s are good.", "good.", "Caf\u00e9s are good."),
        ("", "good", "good", None),
    ],
)
def test_endings_and_whole_sentences(prompt, text, alone, with_prompt):
    assert ending(prompt, text) == scored_text(prompt, text, "answer") == alone
    if with_prompt is not None:
        assert scored_text(prompt, text, "prompt_and_answer") == with_prompt


@pytest.fixture
def world(tmp_path, monkeypatch):
    world = World(tmp_path, monkeypatch)
    world.scorers["length"] = Length()
    world.respond(["often good."], baseline="Bread is baked at night.")
    with Store(world.data) as store:
        store.connection.execute("update prompts set prompt = 'Bread is'")
    return world


def with_prompt(world):
    text = world.path.read_text()
    world.path.write_text(
        text.replace("    title: Open\n", "    title: Open\n    score: prompt_and_answer\n")
    )


SCORED = """
    select s.scored_as, o.text, t.text
    from scored_texts s join texts o using (text_key) join texts t on s.scored_text_key = t.text_key
    order by all
"""


def test_the_ending_of_a_baseline_is_measured(world):
    world.extract()
    assert world.rows(SCORED) == [("answer", "Bread is baked at night.", "baked at night.")]
    assert {"often good", "baked at night"} <= set(world.measured())
    before = world.measured()
    assert "0 texts measured" in world.extract().stdout
    assert world.measured() == before


def test_the_prompt_is_measured_with_the_answer_where_the_category_says_so(world):
    world.extract()
    with_prompt(world)
    assert "up to 2 texts" in world.extract("--dry-run").stdout
    world.extract()
    assert world.rows(SCORED) == [
        ("answer", "Bread is baked at night.", "baked at night."),
        ("prompt_and_answer", "Bread is baked at night.", "Bread is baked at night."),
        ("prompt_and_answer", "often good.", "Bread is often good."),
    ]
    assert "bread is often good" in world.measured()


def test_the_same_words_to_two_prompts_are_two_texts(world):
    with_prompt(world)
    with Store(world.data) as store:
        store.connection.execute("update prompts set prompt_key = 'p1'")
        store.connection.execute("update responses set prompt_key = 'p1'")
        store.connection.execute(
            "insert into prompts by name "
            "select * replace ('p2' as prompt_key, 'Rice is' as prompt) from prompts"
        )
        store.connection.execute(
            "insert into responses by name "
            "select * replace ('r2' as response_key, 'p2' as prompt_key) from responses"
        )
        store.append("texts", [text_row("often good.")])
        assert (
            store.value("select count(*) from responses where text_key = ?", [text_key("often good.")]) == 2
        )
    world.extract()
    assert {"bread is often good", "rice is often good", "rice is bread is baked at night"} <= set(
        world.measured()
    )
