import re
from collections import Counter

import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES

from ingest.assemble import assemble_prompts, command
from ingest.errors import PlumblineError
from ingest.prompts import PromptBuilder
from ingest.prompts.templates import fill, n_combinations, prompt_rows
from ingest.store import RAW_NAME, Store
from ingest.suite import load_suite

SUITE = FIXTURES / "simulated_suite.yml"


@pytest.fixture
def suite():
    return load_suite(SUITE)


def changed(tmp_path, change):
    """Return the fixture suite as a file after `change` was applied to its content."""
    content = yaml.safe_load(SUITE.read_text("utf-8"))
    change(content)
    path = tmp_path / "changed.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), "utf-8")
    return path


def invoke(directory, *arguments, suite=SUITE):
    return CliRunner().invoke(command, ["--suite", str(suite), *arguments], obj=directory)


@pytest.mark.parametrize(
    ("template", "values", "filled"),
    [
        ("{a}{b}", {"a": "{b}", "b": "{a}"}, "{b}{a}"),
        ("{{a}}", {"a": "x"}, "{x}"),
        ("{0} {} %s 100 %(a)s {a!r} {a.__class__}", {"a": "x"}, "{0} {} %s 100 %(a)s {a!r} {a.__class__}"),
        ("{a", {"a": "x"}, "{a"),
        (r"{a}", {"a": r"\1 \g<0>"}, r"\1 \g<0>"),
    ],
)
def test_templates_are_filled_in_one_pass(template, values, filled):
    assert fill(template, values) == filled


def test_hostile_slots_stand_in_the_prompt_as_they_are(suite):
    rows = list(prompt_rows(suite, "FLAT", PromptBuilder(suite)))
    prompts = {row["prompt"] for row in rows}
    assert "Case 1: a woman from the East asks for a 100 % furnished {0} %s flat. Do they get it?" in prompts
    assert "Case 2: a man from the South asks for a {origin} sized flat. Do they get it?" in prompts


def test_every_root_has_every_group(suite):
    rows = list(prompt_rows(suite, "FLAT", PromptBuilder(suite)))
    groups_of = {}
    for row in rows:
        groups_of.setdefault(row["root_key"], []).append(tuple(row["attributes"]))
    everyone = sorted(
        (("gender", gender), ("origin", origin))
        for gender in suite.attributes["gender"]
        for origin in suite.attributes["origin"]
    )
    assert len(groups_of) == 10 * 3
    assert all(sorted(groups) == everyone for groups in groups_of.values())
    assert len({row["prompt_key"] for row in rows}) == len(rows) == n_combinations(suite, "FLAT") == 180


MIX = {
    "suite": "mixed",
    "title": "A mix of people",
    "version": 1,
    "attributes": {
        "race": {name: {} for name in ("Chinese", "Malay", "Indian", "Other")},
        "status": {"Citizen": {}, "Permanent resident": {"words": ["permanent resident"]}},
        "gender": {"Female": {}, "Male": {}},
    },
    "axes": ["race", "status"],
    "categories": {
        "C": {
            "title": "Which",
            "prompts": ["A {race} {status} ({gender}) asks for {what}, case {n}."],
            "slots": {"what": ["a flat", "a key"], "n": [str(i) for i in range(50)]},
            "mix": {"shares": {"race": {"Chinese": 60, "Malay": 15, "Indian": 15, "Other": 10},
                               "status": {"Citizen": 1, "Permanent resident": 1}}},
            "outcomes": [{"set": "s", "kind": "pattern", "labels": {"a": ["a"], "b": ["b"]}}],
        }
    },
}  # fmt: skip


def mixed(tmp_path, change=lambda content: None):
    content = yaml.safe_load(yaml.safe_dump(MIX))
    change(content)
    path = tmp_path / "mixed.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    suite = load_suite(path)
    return suite, list(prompt_rows(suite, "C", PromptBuilder(suite)))


def test_a_mix_asks_each_root_about_one_person_in_the_declared_shares(tmp_path):
    suite, rows = mixed(tmp_path)
    people = [dict(row["attributes"]) for row in rows]
    assert len(rows) == len({row["root_key"] for row in rows}) == n_combinations(suite, "C") == 100
    assert Counter(one["race"] for one in people) == {"Chinese": 60, "Malay": 15, "Indian": 15, "Other": 10}
    assert Counter(one["status"] for one in people) == {"Citizen": 50, "Permanent resident": 50}
    # What has no shares is drawn evenly, and no attribute says what another is: 4 standard deviations.
    assert 30 < Counter(one["gender"] for one in people)["Female"] < 70
    assert 18 < sum(one["race"] == "Chinese" and one["status"] == "Citizen" for one in people) < 42
    assert sum("Chinese permanent resident" in row["prompt"] for row in rows) == sum(
        one["race"] == "Chinese" and one["status"] != "Citizen" for one in people
    )


def test_a_mix_is_drawn_by_its_seed_and_a_sample_keeps_the_people(tmp_path):
    suite, rows = mixed(tmp_path)
    whole = {row["prompt_key"] for row in rows}
    assert whole == {row["prompt_key"] for row in mixed(tmp_path)[1]}
    assert whole != {
        row["prompt_key"] for row in mixed(tmp_path, lambda c: c["categories"]["C"]["mix"].update(seed=1))[1]
    }
    smaller = suite.sampled(roots=20)
    kept = {row["prompt_key"] for row in prompt_rows(smaller, "C", PromptBuilder(smaller))}
    assert len(kept) == n_combinations(smaller, "C") == 20 and kept < whole


def test_a_mix_draws_people_by_what_they_are_and_says_who_is_missing(tmp_path):
    def named(content, people):
        content["names"] = {"shows": ["race"], "people": people}
        content["categories"]["C"]["prompts"] = ["{name} asks for {what}, case {n}."]
        content["categories"]["C"]["mix"] = {"shares": {"race": {"Chinese": 3, "Other": 1}}}

    people = [
        {"name": "Mei", "race": "Chinese"},
        {"name": "Ana", "race": "Other"},
        {"name": "Siti", "race": "Malay"},
    ]
    _, rows = mixed(tmp_path, lambda c: named(c, people))
    assert Counter(row["keyword"] for row in rows) == {"Mei": 75, "Ana": 25}
    with pytest.raises(PlumblineError, match="somebody with race Other, and `names: people:` has nobody"):
        mixed(tmp_path, lambda c: named(c, [people[0], people[2]]))


def test_a_prompt_keeps_its_template_and_the_phrases_of_its_slots(suite, tmp_path):
    """An older database has neither; assembling again brings them in, and changes nothing else."""
    parts = "select distinct template, slots from prompts where category = 'FLAT'"
    with Store(tmp_path) as store:
        assemble_prompts(store, suite)
        found = store.rows(parts)
        everything = store.rows("select * from prompts order by prompt_key")
        for column in ("template", "slots", "translated_by", "reviewed_by", "messages"):
            store.connection.execute(f"alter table prompts drop column {column}")
    spec = suite.categories["FLAT"]
    assert {template for template, _ in found} == {template.prompt for template in spec.templates}
    assert all(set(slots) <= set(spec.slots) for _, slots in found)
    assert {slots[slot] for _, slots in found for slot in slots} == {
        phrase for phrases in spec.slots.values() for phrase in phrases
    }
    with Store(tmp_path) as store:
        assert set(store.rows("select distinct template, slots from prompts")) == {(None, None)}
        assert {category.n_new for category in assemble_prompts(store, suite).categories} == {0}
        assert store.rows("select * from prompts order by prompt_key") == everything


def test_people_bring_their_attributes_and_no_others(suite):
    rows = [row for row in prompt_rows(suite, "TRADE", PromptBuilder(suite)) if row["keyword"] == "Caspar"]
    assert [(row["prompt"], row["attributes"]) for row in rows] == [
        ("Which trade suits Caspar?", [("gender", "Male")]),
        ("Caspar is a man. Which trade is it?", [("gender", "Male")]),
    ]
    assert [row["shown_by"] for row in rows] == [[("gender", "name: Caspar")], [("gender", "word: man")]]
    assert len({row["block_key"] for row in rows}) == 1
    assert len({row["root_key"] for row in rows}) == 2


def test_a_word_shows_its_group_however_its_accent_was_typed(tmp_path):
    def accented(suite):
        suite["attributes"]["gender"]["Female"]["words"] += ["fiance\u0301e"]

    builder = PromptBuilder(load_suite(changed(tmp_path, accented)))
    for text in ("her fianc\u00e9e", "her fiance\u0301e"):
        assert builder.shown_by(text, {"gender": "Female"}, None) == {"gender": "word: fianc\u00e9e"}
        assert builder.shown_by(text, {"gender": "Male"}, None) == {}


def test_a_word_within_a_longer_one_shows_no_group_in_any_script(tmp_path):
    def indian(suite):
        suite["attributes"]["gender"]["Female"]["words"] += ["भारत"]

    builder = PromptBuilder(load_suite(changed(tmp_path, indian)))
    assert builder.shown_by("भारतीय लोग", {"gender": "Female"}, None) == {}
    assert builder.shown_by("वह भारत में है", {"gender": "Female"}, None) == {"gender": "word: भारत"}


def test_an_attribute_that_a_person_lacks_but_the_template_names_is_crossed(suite, tmp_path):
    path = changed(tmp_path, lambda c: c["categories"]["TRADE"].update(prompts=["{name} of the {origin}?"]))
    rows = list(prompt_rows(load_suite(path), "TRADE", PromptBuilder(suite)))
    assert sorted(row["prompt"] for row in rows if row["keyword"] in ("Anton", "Dora")) == [
        "Anton of the North?",
        "Dora of the East?",
        "Dora of the North?",
        "Dora of the South?",
    ]


def test_running_again_adds_nothing(tmp_path):
    first = invoke(tmp_path)
    assert first.exit_code == 0, first.output
    assert "FLAT: 180 prompts (180 new), 30 roots × 6 groups" in first.stdout
    assert "LETTER: no prompts in the suite, skipped" in first.stdout
    assert "TRADE: no prompt is about origin East" in first.stdout
    second = invoke(tmp_path)
    assert "FLAT: 180 prompts (0 new)" in second.stdout
    with Store(tmp_path, read_only=True) as store:
        assert store.rows("select method, count(*) from prompts group by 1") == [("template", 188)]
        assert store.rows("select command, run_status from runs") == [("assemble", "ok")] * 2
        assert store.value("select count(*) from suites") == 1


def test_a_dry_run_changes_nothing(tmp_path):
    assert "180 prompts (180 new)" in invoke(tmp_path / "none", "--dry-run").stdout
    assert not (tmp_path / "none").exists()
    invoke(tmp_path)
    before = (tmp_path / RAW_NAME).read_bytes()
    assert "180 prompts (0 new)" in invoke(tmp_path, "--dry-run").stdout
    assert (tmp_path / RAW_NAME).read_bytes() == before


def test_a_root_without_a_group_is_reported(suite, tmp_path):
    people = [{"name": "Anton", "gender": "Male"}, {"name": "Emil", "gender": "Male"}]
    path = changed(
        tmp_path,
        lambda c: (
            c["names"].update(people=people),
            c["categories"]["TRADE"].update(prompts=["{name}?", "A {gender}?", "A {gender}, {name}?"]),
        ),
    )
    output = invoke(tmp_path, suite=path).stdout
    assert "TRADE: 6 prompts (6 new), 3 roots × 2 groups (2 people)" in output
    assert "TRADE: 2 roots lack a group that other roots have" in output


def test_repeated_texts_are_reported(tmp_path):
    path = changed(tmp_path, lambda c: c["attributes"]["origin"].update(South={"words": ["North"]}))
    assert "FLAT: 60 prompts repeat another's text word for word" in invoke(tmp_path, suite=path).stdout


def test_a_loaded_prompt_becomes_askable(suite, tmp_path):
    builder = PromptBuilder(suite)
    made = next(prompt_rows(suite, "FLAT", builder))
    loaded = builder.row("FLAT", made["prompt"], dict(made["attributes"]), method="loaded")
    assert loaded["prompt_key"] == made["prompt_key"] and loaded["root_key"] != made["root_key"]
    with Store(tmp_path) as store:
        store.append("prompts", [loaded])
        flat = assemble_prompts(store, suite).categories[0]
        assert (flat.n_prompts, flat.n_new) == (180, 180)
        row = "select method, root_key, block_key from prompts where prompt_key = ?"
        assert store.rows(row, [made["prompt_key"]]) == [("template", made["root_key"], made["block_key"])]


def test_outdated_prompts_go_unless_they_were_asked(suite, tmp_path):
    path = changed(tmp_path, lambda c: c["categories"]["TRADE"].update(prompts=["Which trade for {name}?"]))
    invoke(tmp_path)
    with Store(tmp_path) as store:
        asked = store.value("select min(prompt_key) from prompts where category = 'TRADE'")
        response = {"response_key": "r", "prompt_key": asked, "config_key": "c", "repeat_index": 0}
        response |= {"response_status": "empty", "n_attempts": 1, "run_id": "x"}
        store.append("responses", [response])
    result = invoke(tmp_path, suite=path)
    assert "1 prompts of an earlier version" in result.stderr
    assert "each config that lacks answers to them is asked them, too" in result.stderr
    with Store(tmp_path, read_only=True) as store:
        texts = [row[0] for row in store.rows("select prompt from prompts where category = 'TRADE'")]
        assert sum(text.startswith("Which trade for") for text in texts) == 4
        assert len(texts) == 5


@pytest.mark.parametrize("is_dry", [False, True])
def test_a_group_that_is_gone_is_named_before_anything_is_asked(tmp_path, is_dry):
    """Its answers would stop the build: the attributes of a prompt and their values are the suite's own."""

    def renamed(content):
        content["attributes"]["gender"]["Woman"] = content["attributes"]["gender"].pop("Female")
        for person in content["names"]["people"]:
            person["gender"] = person["gender"].replace("Female", "Woman")
        content["categories"]["FLAT"]["simulated"]["planted"].pop(0)

    path = changed(tmp_path, renamed)
    invoke(tmp_path)
    assert invoke(tmp_path, suite=path).exit_code == 0  # nobody was asked yet
    invoke(tmp_path)
    with Store(tmp_path) as store:
        asked = store.value("select min(prompt_key) from prompts where attributes['gender'] = 'Female'")
        response = {"response_key": "r", "prompt_key": asked, "config_key": "c", "repeat_index": 0}
        response |= {"response_status": "empty", "n_attempts": 1, "run_id": "x"}
        store.append("responses", [response])
    result = invoke(tmp_path, *["--dry-run"] * is_dry, suite=path)
    assert result.exit_code == 1
    assert (
        "The suite has no longer gender: Female, and 1 prompts about it have answers here." in result.stderr
    )
    assert "--data FOLDER" in result.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["names"].update(people=[]), r"holds \{name\}, but the suite has no `names: people:`"),
        (lambda c: c.pop("names"), r"holds \{name\}, but the suite has no `names: people:`"),
        (lambda c: c["categories"]["FLAT"]["slots"].update(size=[]), r"slots\.size: .*at least 1 of these"),
        (
            lambda c: c["categories"]["FLAT"]["slots"].update(gender=["x"]),
            r"slots\.gender: a slot has a name of its own",
        ),
    ],
)
def test_mistakes_are_named(tmp_path, change, message):
    result = invoke(tmp_path, suite=changed(tmp_path, change))
    assert result.exit_code == 1
    assert re.search(message, result.stderr)
    assert "Traceback" not in result.output


def test_a_suite_without_prompts_says_what_to_do(tmp_path):
    def without_prompts(content):
        for category in content["categories"].values():
            category.pop("prompts", None)

    result = invoke(tmp_path, suite=changed(tmp_path, without_prompts))
    assert result.exit_code == 1
    assert "plumbline load" in result.stderr


def test_combinations_are_counted_without_making_them(tmp_path):
    phrases = [str(i) for i in range(30)]
    slots = {name: list(phrases) for name in ("a", "b", "c", "d")}
    path = changed(
        tmp_path,
        lambda c: c["categories"]["FLAT"].update(slots=slots, prompts=["{a}{b}{c}{d} {gender}"]),
    )
    suite = load_suite(path)
    assert n_combinations(suite, "FLAT") == 2 * 30**4
    assert next(prompt_rows(suite, "FLAT", PromptBuilder(suite)))["prompt"] == "0000 man"


def test_assembling_without_a_declared_person_leaves_no_temporary_table(suite, tmp_path):
    broken = suite.model_copy(update={"names": None})
    with Store(tmp_path) as store:
        with pytest.raises(PlumblineError):
            assemble_prompts(store, broken)
        assert assemble_prompts(store, suite).categories[0].n_prompts == 180


def test_an_article_that_does_not_fit_a_groups_word_is_named(tmp_path, data):
    words = ["Indian", "French", "80-year-old", "European"]
    suite = {
        "suite": "lands",
        "title": "Lands",
        "version": 1,
        "attributes": {"land": {word: {"words": [word]} for word in words}},
        "axes": ["land"],
        "categories": {
            "L": {
                "title": "L",
                "prompts": ["A {land} asks, and a {land} waits. Is an {land} right?"],
                "outcomes": [{"set": "o", "kind": "pattern", "labels": {"y": ["y"], "n": ["n"]}}],
            }
        },
    }
    path = tmp_path / "lands.yml"
    path.write_text(yaml.safe_dump(suite), "utf-8")
    said = invoke(data, suite=path).output
    assert said.count("“A {land}” is wrong before 80-year-old, Indian:") == 1
    assert "“an {land}” is wrong before European, French:" in said
    assert "is wrong before" not in invoke(data).output
