"""Branching (SPEC BRA-1 to BRA-5): prompts about one group become prompts about the others."""

import pytest
import yaml
from click.testing import CliRunner

from ingest.assemble import command as assemble
from ingest.branch import command
from ingest.keys import text_key, text_row
from ingest.store import Store

TABLE = """target,from,to
France,Freelandia,France
France,Freelandian,French
France,Freelandish,French
Japan,Freelandia,Japan
Japan,Freelandian,Japanese
"""


def suite_content(**branching):
    return {
        "suite": "lands",
        "title": "Lands",
        "version": 1,
        "attributes": {"country": {"Freelandia": {}, "France": {}, "Japan": {}, "Peru": {}}},
        "axes": ["country"],
        "branches": [
            {
                "category": "LAND",
                "attribute": "country",
                "root": "Freelandia",
                "replacements": ["lands.csv"],
                **branching,
            }
        ],
        "categories": {
            "LAND": {
                "title": "Lands",
                "block": "root",
                "outcomes": [
                    {"set": "tone", "kind": "pattern", "labels": {"good": ["good"], "bad": ["bad"]}}
                ],
            }
        },
    }


@pytest.fixture
def suite(tmp_path):
    def write(table=TABLE, **branching):
        (tmp_path / "lands.csv").write_text(table)
        path = tmp_path / "lands.yml"
        path.write_text(yaml.safe_dump(suite_content(**branching), sort_keys=False))
        return path

    return write


def add_root(data, number, prompt, baseline=None, country="Freelandia", tag="book"):
    with Store(data) as store:
        if baseline is not None:
            store.append("texts", [text_row(baseline)])
        store.append(
            "prompts",
            [
                {
                    "prompt_key": f"p{number}",
                    "suite": "lands",
                    "domain": "default",
                    "category": "LAND",
                    "concept": country,
                    "keyword": country,
                    "source_tag": tag,
                    "method": "split",
                    "language": "en",
                    "prompt": prompt,
                    "baseline_text_key": None if baseline is None else text_key(baseline),
                    "root_key": f"r{number}",
                    "block_key": f"r{number}",
                    "attributes": [("country", country)],
                    "shown_by": [("country", f"word: {country}")],
                }
            ],
        )


def invoke(data, path, *options):
    return CliRunner().invoke(command, ["--suite", str(path), *options], obj=data)


BRANCHES = """
select p.attributes['country'], p.prompt, t.text, p.source_tag, p.root_key, p.block_key, p.shown_by['country']
from prompts as p left join texts as t on p.baseline_text_key = t.text_key
where p.method = 'branch' order by all
"""


def test_each_root_gets_each_group_with_its_baseline(data, suite, query):
    add_root(data, 1, "Freelandia has", "Freelandia has Freelandian hills.")
    result = invoke(data, suite())
    assert result.exit_code == 0, result.output
    tag = "br_book_cat_Freelandia"
    assert query(BRANCHES) == [
        ("France", "France has", "France has French hills.", tag, "r1", "r1", "word: France"),
        ("Japan", "Japan has", "Japan has Japanese hills.", tag, "r1", "r1", "word: Japan"),
    ]
    assert "2 branches (2 new) of 1 roots × 2 groups" in result.output
    assert "no replacements for Peru" in result.output
    assert query("select source_tag from prompts where method = 'split'") == [("book",)]


def test_a_root_is_read_with_the_rest_of_its_sentence(data, suite, query):
    table = (
        "target,from,to,form\nFrance,Freelandia,France,\nFrance,its,hers,pronoun\nFrance,its,her,determiner\n"
    )
    add_root(data, 1, "Freelandia lost its", "Freelandia lost its hills.")
    invoke(data, suite(table))
    assert [row[1:3] for row in query(BRANCHES)] == [("France lost her", "France lost her hills.")]
    assert query("select * from prompt_flags") == []


def test_an_unbranched_baseline_stays(data, suite, query):
    add_root(data, 1, "Freelandia has", "Freelandia has hills.")
    invoke(data, suite(counterfactual_baseline=False))
    assert {row[2] for row in query(BRANCHES)} == {"Freelandia has hills."}


def test_a_branch_that_says_the_same_is_rejected_with_its_reason(data, suite, query):
    add_root(data, 1, "Rivers are long", "Rivers are long here.")
    add_root(data, 2, "Freelandia is", None)
    result = invoke(data, suite())
    assert "2 branches rejected: unchanged" in result.output
    assert "1 roots lack a group" in result.output
    assert query("select reason, detail from rejects order by detail") == [
        ("unchanged", "France: no phrase of its table stands in the root, prompt p1"),
        ("unchanged", "Japan: no phrase of its table stands in the root, prompt p1"),
    ]
    invoke(data, suite())
    assert query("select count(*) from rejects") == [(2,)]


def test_what_a_person_should_see_is_flagged(data, suite, query):
    table = TABLE + "France,Tom of Freelandia,Tom of Freelandia\nPeru,Freelandian,French\n"
    add_root(data, 1, "Freelandia and Tom of Freelandia", None)
    add_root(data, 3, "A Freelandian song", None)
    invoke(data, suite(table))
    assert query(
        "select p.root_key, p.attributes['country'], f.flag from prompt_flags as f "
        "inner join prompts as p using (prompt_key) order by all"
    ) == [
        ("r1", "France", "mentions_root"),
        ("r3", "France", "same_text"),
        ("r3", "Peru", "same_text"),
    ]


def test_two_roots_that_become_one_count_once(data, suite, query):
    add_root(data, 2, "A Freelandish song", None)
    add_root(data, 3, "A Freelandian song", None)
    result = invoke(data, suite())
    assert "1 branches rejected: same_text" in result.output
    assert query("select detail from rejects where reason = 'same_text'") == [
        ("France: another root gives the same words, prompt p3",)
    ]


def test_running_again_adds_nothing_and_a_changed_table_replaces(data, suite, query, fingerprint):
    add_root(data, 1, "Freelandia has", "Freelandia has hills.")
    invoke(data, suite())
    before = fingerprint()
    assert "2 branches (0 new)" in invoke(data, suite()).output
    assert fingerprint() == before
    invoke(data, suite(TABLE.replace("Freelandia,Japan", "Freelandia,Nippon")))
    assert [row[1] for row in query(BRANCHES)] == ["France has", "Nippon has"]


def test_what_a_suite_says_of_a_branch_is_said_again_when_it_has_changed(data, suite, query):
    add_root(data, 1, "Freelandia has", "Freelandia has hills.")
    for spec in ({}, {"counterfactual_baseline": False}, {}):
        result = invoke(data, suite(**spec))
        assert "2 branches" in result.output
        kept = not spec.get("counterfactual_baseline", True)
        named = ["Freelandia"] * 2 if kept else ["France", "Japan"]
        assert [row[2] for row in query(BRANCHES)] == [f"{name} has hills." for name in named]


def test_words_that_a_suite_gains_show_the_groups_of_branches_that_are_there(data, suite, query):
    add_root(data, 1, "Freelandia has", None)
    table = TABLE.replace("Freelandia,Japan", "Freelandia,Nippon")
    path = suite(table)
    shown = "select shown_by from prompts where attributes['country'] = 'Japan'"
    invoke(data, path)
    assert query(shown) == [({},)]
    content = suite_content()
    content["attributes"]["country"]["Japan"] = {"words": ["Nippon"]}
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    invoke(data, path)
    assert query(shown) == [({"country": "word: Nippon"},)]


def test_a_dry_run_writes_nothing(data, suite, query):
    add_root(data, 1, "Freelandia has", None)
    result = invoke(data, suite(), "--dry-run")
    assert "2 branches (2 new)" in result.output
    assert query(BRANCHES) == []


def test_both_directions(data, suite, query):
    add_root(data, 1, "Freelandia has", None)
    add_root(data, 2, "The French bread of France", None, country="France")
    invoke(data, suite(direction="both"))
    assert ("Freelandia", "The Freelandian bread of Freelandia") in [row[:2] for row in query(BRANCHES)]


def test_all_pairs_lead_through_the_root(data, suite, query):
    add_root(data, 2, "The French bread of France", None, country="France")
    invoke(data, suite(pairs="all"))
    assert [row[:2] for row in query(BRANCHES)] == [("Japan", "The Japanese bread of Japan")]
    assert query(BRANCHES)[0][3] == "br_book_cat_France"


def test_only_one_source(data, suite, query):
    add_root(data, 1, "Freelandia has", None)
    add_root(data, 2, "Freelandia had", None, tag="wiki")
    invoke(data, suite(source_tag="wiki"))
    assert {row[1] for row in query(BRANCHES)} == {"France had", "Japan had"}


@pytest.mark.parametrize(
    ("branching", "message"),
    [
        ({"root": "Mars"}, "branches.0.root: country: 'Mars' is not declared"),
        ({"replacements": ["../../secret.csv"]}, "lies outside the suite's folder"),
        ({"replacements": ["none.csv"]}, "does not exist"),
        ({"category": "SEA"}, "branches.0.category: there is no category 'SEA'"),
        ({"direction": "up"}, "branches.0.direction"),
    ],
)
def test_mistakes_are_named(data, suite, branching, message):
    add_root(data, 1, "Freelandia has", None)
    result = invoke(data, suite(**branching))
    assert result.exit_code == 1
    assert message in result.output, result.output


def test_without_roots_it_says_what_to_do(data, suite):
    result = invoke(data, suite())
    assert result.exit_code == 1
    assert "plumbline assemble" in result.output


def test_gender_pairs_are_ours(data, tmp_path, query):
    content = suite_content(attribute="gender", root="Male", replacements=["gender"])
    content["attributes"] = {"gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}}}
    content["axes"] = ["gender"]
    path = tmp_path / "gender.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    add_root(data, 1, "The man lost his hat; is it his?", None)
    with Store(data) as store:
        store.connection.execute("update prompts set attributes = map {'gender': 'Male'}")
    invoke(data, path)
    assert query("select prompt from prompts where method = 'branch'") == [
        ("The woman lost her hat; is it hers?",)
    ]


def test_what_a_suite_s_own_table_says_of_a_word_goes_before_ours(data, tmp_path, query):
    content = suite_content(attribute="gender", root="Male", replacements=["gender", "own.csv"])
    content["attributes"] = {"gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}}}
    content["axes"] = ["gender"]
    path = tmp_path / "gender.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    (tmp_path / "own.csv").write_text("target,from,to\nFemale,Chairman,Chairperson\n")
    add_root(data, 1, "He is chairman.", None)
    with Store(data) as store:
        store.connection.execute("update prompts set attributes = map {'gender': 'Male'}")
    invoke(data, path)
    assert query("select prompt from prompts where method = 'branch'") == [("She is chairperson.",)]


def test_assembled_templates_are_roots_too(data, tmp_path, query):
    content = suite_content()
    content["categories"]["LAND"]["prompts"] = ["Tell me about {country}."]
    content["attributes"]["country"] = {"Freelandia": {}, "France": {}}
    (tmp_path / "lands.csv").write_text("target,from,to\nFrance,Freelandia,France\n")
    path = tmp_path / "lands.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    CliRunner().invoke(assemble, ["--suite", str(path)], obj=data)
    result = invoke(data, path)
    assert "1 branches (0 new)" in result.output
    assert query("select count(*) from prompts") == [(2,)]
