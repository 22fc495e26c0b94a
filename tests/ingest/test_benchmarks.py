"""Files of published benchmarks, as their authors publish them and as a stranger may send them."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from ingest.benchmarks import files, offered, winobias
from ingest.benchmarks.published import Item, Rejected
from ingest.benchmarks.suite import suite_of
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.paths import PROJECT
from ingest.store import Store
from ingest.suite import load_suite

FILES = PROJECT / "tests" / "fixtures" / "benchmarks"
MEASURED = ("bold", "discrim_eval", "real_toxicity_prompts")  # their scores are those of other marts
BBQ = json.loads((FILES / "bbq" / "Age.jsonl").read_text("utf-8").splitlines()[0])


def init(*arguments):
    return CliRunner().invoke(cli, ["init", *map(str, arguments)])


@pytest.mark.parametrize("name", sorted(offered()))
def test_its_files_become_a_suite_that_is_right(tmp_path, name):
    result = init(tmp_path / "mine.yml", "--from", name, FILES / name, "--model", "qwen2:7b")
    assert result.exit_code == 0, result.output
    suite = load_suite(tmp_path / "mine.yml")
    assert suite.benchmark is None if name in MEASURED else suite.benchmark.name == name
    assert suite.configs[0].model == "qwen2:7b"
    found = [item for item in offered()[name].read(FILES / name) if isinstance(item, Item)]
    assert set(suite.categories) == {item.category for item in found}
    result = CliRunner().invoke(
        cli,
        ["--data", str(tmp_path / "data"), "assemble", "--suite", str(tmp_path / "mine.yml"), "--dry-run"],
    )
    assert result.exit_code == 0 and "dropped" not in result.output, result.output
    roles = suite.benchmark.roles if suite.benchmark else ()
    for category in suite.categories:  # what its scores are computed from is no group
        groups = {
            tuple((key, value) for key, value in sorted(item.attributes.items()) if key not in roles)
            for item in found
            if item.category == category
        }
        said = re.search(rf"^{category}: .* roots × ([\d,]+) groups?$", result.output, re.MULTILINE)
        assert said and int(said[1]) == len(groups), result.output


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"label": 3}, "label is none of 0, 1, 2"),
        ({"label": True}, "label is none of 0, 1, 2"),
        ({"label": 1.0}, "label is none of 0, 1, 2"),
        ({"context": 7}, "context is no text"),
        ({"context": "x" * 30_000}, "context is too long"),
        ({"ans1": "a\x00b"}, "ans1 holds what is no character"),
        ({"answer_info": []}, "there is no answer_info.ans0.1"),
        ({"context_condition": "clear"}, "context_condition or question_polarity is none of BBQ's"),
        ({"additional_metadata": {"stereotyped_groups": ["new"]}}, "it does not say which"),
        ({"additional_metadata": {"stereotyped_groups": ["old", "nonOld"]}}, "it does not say which"),
        ({"category": "…"}, "'…' names no category"),
        (None, "it is no JSON object"),
    ],
)
def test_a_record_of_bbq_that_cannot_be_used_is_left_out(tmp_path, change, reason):
    bad = "[]" if change is None else json.dumps(BBQ | change)
    (tmp_path / "Age.jsonl").write_text("{\n" + bad + "\n" + json.dumps(BBQ) + "\n", "utf-8")
    broken, rejected, item = offered()["bbq"].read(tmp_path)
    assert broken == Rejected("Age.jsonl, line 1", "it is no JSON")
    assert rejected.place == "Age.jsonl, line 2" and rejected.reason.startswith(reason)
    assert item.attributes == {"condition": "ambiguous", "correct": "A", "biased": "B", "countered": "C"}


def test_bbq_s_metadata_say_whom_the_stereotype_is_about(tmp_path):
    (tmp_path / "Age.jsonl").write_text(json.dumps(BBQ), "utf-8")
    (tmp_path / "additional_metadata.csv").write_text("category,example_id,target_loc\nAge,0,2.0\n", "utf-8")
    (item,) = offered()["bbq"].read(tmp_path)
    assert (item.attributes["biased"], item.attributes["countered"]) == ("C", "B")


def test_what_cannot_be_read_is_one_line(tmp_path):
    result = init(tmp_path / "a.yml", "--from", "bbq", tmp_path)
    assert result.exit_code == 1 and "has no file *.jsonl" in result.output
    (tmp_path / "Age.jsonl").write_bytes(b"\xff")
    assert "is not UTF-8" in init(tmp_path / "a.yml", "--from", "bbq", tmp_path).output
    (tmp_path / "Age.jsonl").write_text("{}", "utf-8")
    result = init(tmp_path / "a.yml", "--from", "bbq", tmp_path)
    assert result.exit_code == 1 and "No record can be used: there is no category" in result.output
    assert not (tmp_path / "a.yml").exists()


def test_bold_names_its_group_by_whom_a_prompt_is_about(tmp_path):
    assert init(tmp_path / "a.yml", "--from", "bold", FILES / "bold").exit_code == 0
    places = ["--data", str(tmp_path / "data"), "assemble", "--suite", str(tmp_path / "a.yml")]
    assert CliRunner().invoke(cli, places).exit_code == 0
    with Store(tmp_path / "data", read_only=True) as store:
        shown = store.rows(
            "select attributes, map_from_entries(list_filter(map_entries(shown_by), e -> e.key = 'gender'))"
            " from prompts where starts_with(prompt, 'Ivy Tarrant') limit 1"
        )
        n_controls = store.value("select count(*) from prompts where cardinality(shown_by) = 0")
    groups = {"gender": "American actresses", "religious_ideology": "none"}
    assert shown == [(groups, {"gender": "name: Ivy Tarrant"})] and n_controls == 0


def test_one_domain_of_bold_has_no_group_of_none(tmp_path):
    (tmp_path / "bold").mkdir()
    shutil.copy(FILES / "bold" / "gender_prompt.json", tmp_path / "bold")
    assert init(tmp_path / "a.yml", "--from", "bold", tmp_path / "bold").exit_code == 0
    assert list(load_suite(tmp_path / "a.yml").attributes["gender"]) == [
        "American actors",
        "American actresses",
    ]
    places = ["--data", str(tmp_path / "data"), "assemble", "--suite", str(tmp_path / "a.yml")]
    assert "no prompt is about" not in CliRunner().invoke(cli, places).output


def test_sentences_of_holistic_bias_that_differ_in_the_descriptor_are_branches_of_one_root():
    items = [i for i in offered()["holistic_bias"].read(FILES / "holistic_bias") if isinstance(i, Item)]
    groups = {}
    for item in items:
        groups.setdefault((item.category, item.root), set()).add(item.attributes[item.category])
    assert {len(found) for (category, _), found in groups.items() if category == "ability"} == {3}
    assert groups["age", "Hi! I'm {noun_phrase}. | … lodger"] == {"elderly", "thirty-something"}


def test_a_triple_of_stereoset_with_a_sentence_twice_is_left_out(tmp_path):
    whole = json.loads((FILES / "stereoset" / "dev.json").read_text("utf-8"))
    example = whole["data"]["intrasentence"][0]
    example["sentences"][1]["sentence"] = example["sentences"][0]["sentence"] + " "
    (tmp_path / "dev.json").write_text(json.dumps({"data": {"intrasentence": [example]}}), "utf-8")
    (rejected,) = offered()["stereoset"].read(tmp_path)
    assert rejected == Rejected("dev.json, intrasentence 1", "two of its sentences are the same")


def test_what_is_asked_twice_is_counted_in_prompts(tmp_path):
    whole = json.loads((FILES / "stereoset" / "dev.json").read_text("utf-8"))
    example = whole["data"]["intrasentence"][0]
    (tmp_path / "dev.json").write_text(
        json.dumps({"data": {"intrasentence": [example, example | {"id": "again"}]}}), "utf-8"
    )
    said = init(tmp_path / "a.yml", "--from", "stereoset", tmp_path).output
    assert "6 prompts left out: it asks the same as another record, the first is again" in said
    assert "a.yml: 6 prompts of 1 category;" in said


def test_a_name_or_a_descriptor_within_a_longer_word_is_none(tmp_path):
    prompts = {"Art": ["Article one says", "The art of"], "Nurse": ["Nurses are"], "Élan_Ro": ["Élancé was"]}
    (tmp_path / "a_prompt.json").write_text(json.dumps({"g": prompts}), "utf-8")
    found = list(offered()["bold"].read(tmp_path))
    assert [item.name if isinstance(item, Item) else None for item in found] == [None, "art", "Nurse", None]
    header = "text,axis,bucket,descriptor,noun_phrase,template\n"
    rows = [
        "I am a man with gold who is old.,age,x,old,a man with gold who is old,I am {noun_phrase}.",
        "I am a man with gold.,age,x,old,a man with gold,I am {noun_phrase}.",
    ]
    (tmp_path / "sentences.csv").write_text(header + "\n".join(rows), "utf-8")
    kept, rejected = offered()["holistic_bias"].read(tmp_path)
    assert kept.attributes["noun"] == "man with gold who is" and kept.root.endswith(
        "| man with gold who is …"
    )
    assert rejected.reason == "its text does not hold its descriptor"


def test_a_sentence_of_holistic_bias_keeps_its_template_and_its_noun(tmp_path):
    header = "text,axis,bucket,descriptor,noun_phrase,template\n"
    rows = [
        "I am a kind aunt.,mood,x,kind,a kind aunt,I am {noun_phrase}.",
        "I am an aunt with a hat.,dress,x,with a hat,an aunt with a hat,I am {noun_phrase}.",
        "I am tall.,body,x,tall,tall,I am {noun_phrase}.",
        "I am a kind aunt.,Template,x,kind,a kind aunt,I am {noun_phrase}.",
        f"I am a kind aunt.,mood,x,kind,a kind aunt,{'I am ' * 50}",
    ]
    (tmp_path / "sentences.csv").write_text(header + "\n".join(rows), "utf-8")
    found = list(offered()["holistic_bias"].read(tmp_path))
    nouns = [item.attributes["noun"] for item in found if isinstance(item, Item)]
    assert nouns == ["aunt", "aunt", "none"]
    assert {item.attributes["template"] for item in found[:3]} == {"I am {noun_phrase}."}
    reasons = [item.reason for item in found if isinstance(item, Rejected)]
    assert reasons == ["an axis must not be called template", "its template is too long"]


@pytest.mark.parametrize(
    ("benchmark", "problem"),
    [
        ({"name": "holistic_bias", "set": "answer"}, "has `styles`, and no `set`"),
        ({"name": "holistic_bias", "styles": []}, "needs a style"),
        ({"name": "holistic_bias", "styles": ["vader_pos", "vader_pos"]}, "a style stands here twice"),
        ({"name": "holistic_bias", "styles": ["vader_pso"]}, "nothing in the suite measures 'vader_pso'"),
        ({"name": "bbq", "styles": ["vader_pos"]}, "bbq has no `styles`"),
    ],
)
def test_styles_that_make_no_sense_are_refused(tmp_path, benchmark, problem):
    made = suite_of(
        offered()["holistic_bias"], FILES / "holistic_bias", "mine", str(tmp_path / "mine.yml"), None
    )
    for path, content in made.files.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(content, "utf-8")
    content = yaml.safe_load((tmp_path / "mine.yml").read_text("utf-8"))
    assert content["benchmark"]["styles"] == ["vader_pos", "vader_neu", "vader_neg"]
    (tmp_path / "mine.yml").write_text(yaml.safe_dump(content | {"benchmark": benchmark}), "utf-8")
    with pytest.raises(PlumblineError, match=re.escape(problem)):
        load_suite(tmp_path / "mine.yml")


def test_a_part_of_a_file_of_prompts_is_whole_roots(tmp_path):
    assert init(tmp_path / "a.yml", "--from", "bbq", FILES / "bbq").exit_code == 0
    places = ["--data", str(tmp_path / "data"), "assemble", "--suite", str(tmp_path / "a.yml")]
    result = CliRunner().invoke(cli, [*places, "--roots", "3"])
    assert "Age: 12 prompts (12 new), 3 roots" in result.output
    assert "Age: 20 prompts (8 new), 5 roots" in CliRunner().invoke(cli, [*places, "--roots", "5"]).output


@pytest.mark.parametrize(
    ("name", "file", "text", "reason"),
    [
        ("crows_pairs", "a.csv", "a,b,stereo,age,more\n", "it has another number of cells than the header"),
        ("crows_pairs", "a.csv", "a,b,both,age\n", "stereo_antistereo is neither stereo nor antistereo"),
        ("crows_pairs", "a.csv", "a,a,stereo,age\n", "its two sentences are the same"),
        ("stereoset", "a.json", '{"data": {"intrasentence": [3]}}', "there is no bias_type"),
        (
            "stereoset",
            "a.json",
            '{"data": {"intrasentence": [{"bias_type": "race", "target": "t", "id": "i", "sentences": []}]}}',
            "it lacks a sentence that is stereotype, anti-stereotype or unrelated",
        ),
        (
            "discrim_eval",
            "explicit.jsonl",
            '{"age": 65, "gender": "male", "race": "white"}',
            "age is none of",
        ),
        (
            "discrim_eval",
            "explicit.jsonl",
            '{"age": 60.0, "gender": "Male", "race": "black", "decision_question_id": true}',
            "decision_question_id is no text",
        ),
        ("bold", "a_prompt.json", '{"g": {"Ann": ["Bob is"]}}', "its text does not name whom it is about"),
        ("bold", "a_prompt.json", '{"g": {"Ann": 3}}', "prompt is no text"),
        ("bold", "a_prompt.json", '{"g": 3}', "prompt is no text"),
        ("bold", "a_prompt.json", '{" ": {"Ann": ["Ann is"]}}', "group is no text"),
        (
            "winobias",
            "pro_stereotyped_type1.txt.dev",
            "1 The cook met [the baker].\n",
            "it does not mark one person and one pronoun",
        ),
        (
            "winobias",
            "pro_stereotyped_type1.txt.dev",
            "1 The cook met [the baker] and saw [him].\n",
            "it does not name one other person that the files mark somewhere",
        ),
    ],
)
def test_a_record_that_cannot_be_used_is_left_out(tmp_path, name, file, text, reason):
    head = "sent_more,sent_less,stereo_antistereo,bias_type\n" if name == "crows_pairs" else ""
    (tmp_path / file).write_text(head + text, "utf-8")
    (rejected,) = offered()[name].read(tmp_path)
    assert isinstance(rejected, Rejected) and rejected.reason.startswith(reason)
    assert rejected.place.startswith(file)


@pytest.mark.parametrize(
    ("name", "file", "text", "said"),
    [
        ("crows_pairs", "a.csv", "sent_more,sent_less\n", "has no column 'stereo_antistereo'"),
        ("stereoset", "a.json", "[" * 100_000, "is no JSON"),
        ("bold", "a_prompt.json", "[]", "holds no groups"),
        ("holistic_bias", "sentences.csv", "text,axis\n", "has no column 'bucket'"),
        ("stereoset", "a.json", "[]", "has no data.intrasentence"),
    ],
)
def test_another_file_is_one_line(tmp_path, name, file, text, said):
    (tmp_path / file).write_text(text, "utf-8")
    result = init(tmp_path / "x.yml", "--from", name, tmp_path)
    assert result.exit_code == 1 and said in result.output


@pytest.mark.parametrize(
    ("place", "name", "said"),
    [(files, "MAX_RECORDS", "more than 1 records"), (winobias, "MAX_PEOPLE", "more than 1 people")],
)
def test_lines_and_people_of_winobias_have_a_limit(tmp_path, monkeypatch, place, name, said):
    lines = "1 [The cook] met the baker and [he] left.\n2 The cook met [the baker] and [he] left.\n"
    (tmp_path / "pro_stereotyped_type1.txt.dev").write_text(lines, "utf-8")
    assert len(list(offered()["winobias"].read(tmp_path))) == 4
    monkeypatch.setattr(place, name, 1)
    with pytest.raises(PlumblineError, match=said):
        list(offered()["winobias"].read(tmp_path))


def test_whole_numbers_are_names_of_their_own():
    given = (60, 60.0, 1_000_000, 1_000_001, 1_000_001.0, 0.5)
    named = [files.name_of({"id": value}, "id") for value in given]
    assert named == ["60", "60", "1000000", "1000001", "1000001", "0.5"]


ODD = [None, True, -1, 10**400, 1e308, "", "\ud800", "x" * 30_000, [], [[]], {}, {"text": 3}, ["a", "b"]]


@pytest.mark.parametrize("name", ["bbq", "stereoset", "discrim_eval", "real_toxicity_prompts"])
def test_odd_types_in_the_place_of_what_is_expected(tmp_path, name):
    """Each value of a record is replaced by something else: it is left out, or can be written."""
    (path,) = sorted((FILES / name).glob("*.json*"))[:1]
    whole = path.read_text("utf-8")
    record = json.loads(whole) if name == "stereoset" else json.loads(whole.splitlines()[0])
    if name == "stereoset":
        record["data"] = {"intrasentence": record["data"]["intrasentence"][:1]}

    def places(value, place=()):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*place, key)
            if isinstance(part, dict | list):
                yield from places(part, (*place, key))

    outcomes = set()
    for place in places(record):
        for odd in ODD:
            changed = json.loads(json.dumps(record))
            *inner, last = place
            holder = changed
            for key in inner:
                holder = holder[key]
            holder[last] = odd
            (tmp_path / path.name).write_text(json.dumps(changed), "utf-8")
            try:
                made = suite_of(offered()[name], tmp_path, "a", "a.yml", None)
            except PlumblineError as error:
                outcomes.add(str(error)[:10])
            else:
                assert all(text.encode() for text in made.files.values())
                outcomes.add("made")
    assert {"made", "No record "} <= outcomes
