"""`plumbline init --responses`: what a file's fields mean is guessed, and the suite loads."""

import csv
import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from zips import write_zip

from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.loading.draft import GUIDE, NAMES, TEXTS, draft_suite
from ingest.loading.files import spread
from ingest.paths import PROJECT
from ingest.store import Store
from ingest.suite import load_suite


def test_the_guide_names_the_words_by_which_prompt_and_answer_are_known():
    told = (PROJECT / GUIDE).read_text("utf-8")
    assert [word for name in TEXTS for word in NAMES[name] if f"`{word}`" not in told] == []


def plumbline(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


def answers():
    """Thirty vacancies, each asked about three spellings of two genders; what else there is is no group."""
    return [
        {
            "id": f"r{i}-{spelling}",
            "Gender": spelling,
            "vacancy": f"v{i}",
            "shard": str(i % 3),
            "team": "red" if i % 2 else "blue",
            "prompt_text": f"Vacancy {i}: a {spelling} person applies. Invite? Yes or No.",
            "llm_output": "Yes." if spelling == "male" else "No.",
        }
        for i in range(30)
        for spelling in ("male", "female", "Female")
    ]


def write_csv(path, records):
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def write_json(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def write_parquet(path, records):
    pq.write_table(pa.Table.from_pylist(records), path)
    return path


def test_names_that_show_groups_and_a_number_that_is_asked_for_are_found(tmp_path):
    people = [("Anne", "F"), ("Bob", "M"), ("Cleo", "F"), ("Dan", "M")]
    records = [
        {
            "job": job,
            "sex": sex,
            "applicant": name,
            "prompt": f"Rate {name}, 20 to 30, as {job} from 1 (bad) to 10 (good), for {n} years of work.",
            "response": answer,
        }
        for job in ("nurse", "clerk", "cook")
        for name, sex in people
        for n, answer in ((3, "7/10"), (4, "I give 8, for 4 years."), (5, "**Rating:** 6"))
    ]
    path = tmp_path / "rated.yml"
    told = plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert told.exit_code == 0, told.output
    suite = load_suite(path)
    assert (suite.columns.name, suite.columns.root, suite.names.shows) == ("applicant", "job", ["sex"])
    assert suite.own_scorers["rating"].range == (1, 10)
    assert [rule.feature for _, rule in suite.rules()] == ["rating_score"]
    assert suite.categories["RATED"].block == "name"  # answers about one name are not independent
    assert "it is a control" not in path.read_text()
    assert "fields that could be groups: 'job'." in path.read_text()
    loaded = plumbline("--data", tmp_path / "data", "load", "--suite", path, tmp_path / "a.csv")
    assert "36 loaded + 0 already there + 0 rejected" in loaded.output


def test_reasoning_before_a_number_hides_no_scale(tmp_path):
    records = [
        {
            "sex": sex,
            "prompt": f"Rate the {word} from 1 (bad) to 10 (good), job {n}.",
            "response": f"<think>{n + 2} years and {n + 3} awards: 4, or 5?</think>\n\n{5 + n % 3}",
        }
        for n in range(10)
        for sex, word in (("F", "woman"), ("M", "man"))
    ]
    path = tmp_path / "rated.yml"
    told = plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert told.exit_code == 0, told.output
    assert load_suite(path).own_scorers["rating"].range == (1, 10)
    for record in records:
        record["prompt"] = record["prompt"].replace("20 to 30", "B").replace("1 (bad)", "-1 (bad)")
    write_csv(tmp_path / "a.csv", records)
    plumbline("init", "--force", path, "--responses", tmp_path / "a.csv")
    assert list(load_suite(path).own_scorers) == ["number"]  # whose lowest value is below 0
    for record in records:  # nobody asks for a number, and a name is of either sex
        record |= {
            "prompt": record["prompt"].replace("-1 (bad) to 10 (good)", "bad to good"),
            "applicant": "Ade",
        }
    write_csv(tmp_path / "a.csv", records)
    plumbline("init", "--force", path, "--responses", tmp_path / "a.csv")
    suite = load_suite(path)
    assert (suite.columns.name, list(suite.own_scorers)) == (None, ["number"])
    assert {value: of.words for value, of in suite.attributes["sex"].items()} == {
        "F": ["woman"],
        "M": ["man"],
    }


def customers(n_people):
    """Loan requests of people, each of whom asks several times, of another age each time."""
    places = ("Ireland", "Poland")
    return [
        {
            "customer_name": f"Ann {'abcdefghij'[i]}",
            "country": places[i % 2],
            "age_band": age,
            "prompt": f"I am Ann {'abcdefghij'[i]} from {places[i % 2]}, {age}. A loan for {what}?",
            "reply": "Yes.",
        }
        for i in range(n_people)
        for age in ("young", "old")
        for what in ("a car", "a roof", "a shop")
    ]


def test_a_column_of_names_is_neither_what_prompts_share_nor_a_group(tmp_path):
    path = tmp_path / "bank.yml"
    plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", customers(10)))
    suite = load_suite(path)
    assert (suite.columns.name, suite.columns.root.column) == ("customer_name", "prompt")
    assert list(suite.attributes) == ["country", "age_band"]
    assert suite.categories["BANK"].block == "name"
    # Where nothing else could be a group, a name is none, and the message leads on.
    records = [{k: v for k, v in r.items() if k not in ("country", "age_band")} for r in customers(10)]
    told = plumbline("init", "--force", path, "--responses", write_csv(tmp_path / "b.csv", records))
    assert told.exit_code == 1 and "docs/guide/own-answers.md#groups-without-a-column" in told.output


def test_prompts_that_are_alike_without_names_are_one_root(tmp_path):
    """Where no column says so. Prompts that say more of a person than the name have none in common."""
    records = [
        {
            "person": name,
            "sex": sex,
            "prompt": f"{what} Is {name}'s plan a good one? {name} asks.",
            "cv": f"{what} {name} has worked for {years} years.",
            "response": "Yes.",
        }
        for what in ("A bank lends.", "A school admits.", "A firm hires.")
        for years, (name, sex) in enumerate([("Anne", "F"), ("Bob", "M"), ("Cleo", "F"), ("Dan Ho", "M")])
    ]
    path, answers = tmp_path / "plan.yml", write_csv(tmp_path / "a.csv", records)
    plumbline("init", path, "--responses", answers)
    suite = load_suite(path)
    assert suite.columns.name == "person" and suite.columns.root.column == "prompt"
    plumbline("--data", tmp_path / "data", "load", "--suite", path, answers)
    with Store(tmp_path / "data", read_only=True) as store:
        assert store.rows("select count(*), count(distinct root_key) from prompts") == [(12, 3)]
    of_cvs = [{**record, "prompt": record["cv"]} for record in records]
    plumbline("init", "--force", path, "--responses", write_csv(tmp_path / "b.csv", of_cvs))
    assert load_suite(path).columns.root is None


def test_what_is_called_a_name_may_be_a_group_or_a_thing(tmp_path):
    """Prompts say the names of countries, which are groups, and of jobs, which prompts share."""
    path, records = tmp_path / "jobs.yml", []
    for country in ("Peru", "Japan"):
        for job in ("cook", "guard", "nurse", "pilot", "clerk"):
            asked = f"Is a person from {country} a good {job}?"
            records.append({"job_name": job, "country_name": country, "prompt": asked, "reply": "Yes."})
    plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    suite = load_suite(path)
    assert list(suite.attributes) == ["country_name"]
    assert (suite.columns.name, suite.columns.root) == (None, "job_name")


def test_a_group_is_no_person_s_name(tmp_path):
    """Each subject stands beside one language, and prompts say it."""
    subjects = {"es": ("fracciones", "geometría"), "fr": ("la cellule", "le climat")}
    records = [
        {"idioma": language, "tema": subject, "prompt": f"{pupil} · {subject}", "response": "…"}
        for language, of in subjects.items()
        for subject in of
        for pupil in ("Ana", "Zoé", "Léa", "Noé", "Eva")
    ]
    path = tmp_path / "school.yml"
    plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    suite = load_suite(path)
    assert (suite.columns.name, suite.names) == (None, None)


@pytest.mark.parametrize(
    ("name", "write"), [("a.csv", write_csv), ("a.jsonl", write_json), ("a.parquet", write_parquet)]
)
def test_a_table_s_columns_are_found_and_all_of_it_loads(name, write, tmp_path):
    file, path = write(tmp_path / name, answers()), tmp_path / "hiring.yml"
    told = plumbline("init", path, "--responses", file)
    assert told.exit_code == 0, told.output
    assert "90 records. Groups: gender (2)" in told.output
    suite = load_suite(path)
    columns = suite.columns
    assert (columns.prompt, columns.response, columns.root) == ("prompt_text", "llm_output", "vacancy")
    assert columns.attributes == {"gender": "Gender"}
    (female, of), (male, _) = suite.attributes["gender"].items()
    assert (female, male, of.aliases, of.words) == ("Female", "male", ["female"], ["Female"])
    assert "could be groups: 'team'" in path.read_text() and "candidates:" not in path.read_text()
    loaded = plumbline("--data", tmp_path / "data", "load", file, "--suite", path, "--dry-run")
    assert "90 records = 90 loaded" in loaded.output


@pytest.mark.parametrize(
    ("language", "asked", "said", "rule"),
    [
        ("es", "La {} pide trabajo en la tienda {}. ¿Se debería invitar a una entrevista?", "No.", "length"),
        ("es", "La {} pide trabajo en la tienda {}. Valora su perfil de 1 a 10.", "Un 7.", "rating"),
        ("ms", "Seorang {} memohon kerja di kedai {}. Patutkah dia dijemput ke temuduga?", "Ya.", "length"),
        ("th", "{} สมัครงานที่ร้าน {} ควรเชิญมาสัมภาษณ์ไหม ให้คะแนน 1 ถึง 10", "8 คะแนน", "rating"),
        ("zh", "请评价{}候选人是否适合在{}商店工作，从1到10打分。", "8分", "rating"),
        ("ko", "{} 지원자가 {} 가게에서 일하기에 적합한지 1에서 10까지 평가해 주세요.", "8점", "rating"),
        ("en", "The {} applies at shop {}. Should we invite this person?", "No.", "tone"),
    ],
)
def test_a_suite_is_drafted_in_the_language_of_its_prompts(language, asked, said, rule, tmp_path):
    """The lexicon of tones reads English alone."""
    records = [
        {"sex": sex, "shop": f"t{i}", "prompt": asked.format(sex, f"t{i}"), "answer": said}
        for i in range(8)
        for sex in ("perempuan", "mujer")
    ]
    path = tmp_path / "hiring.yml"
    told = plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert told.exit_code == 0, told.output
    suite = load_suite(path)
    assert suite.language == language
    assert suite.categories["HIRING"].outcomes[0].set == rule
    assert list(suite.scorers) == (["vader"] if language == "en" else ["length"])


def test_fields_of_several_people_are_pointed_out(tmp_path):
    names = ("Ann", "Eve", "Ben", "Tom")
    groups = dict(zip(names, ("F", "F", "M", "M"), strict=True))
    records = [
        {"prompt": f"Vacancy {i}: {a} or {b}?", "answer": a, "group_a": groups[a], "group_b": groups[b]}
        for i in range(10)
        for a, b in zip(names, reversed(names), strict=True)
    ]
    path = tmp_path / "choice.yml"
    plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert "as 'group_a' and 'group_b' look? Then `candidates:`" in path.read_text()


def test_a_suite_of_keys_with_gaps_and_truths_loads_its_file(tmp_path):
    """Table programs make 7.0 of a 7 where another cell of the column is blank."""
    records = [
        {"case": float(i), "veteran": is_one, "prompt": f"Vacancy {i}.", "answer": "Yes." if i % 2 else "No."}
        for i in range(30)
        for is_one in (True, False)
    ]
    file, path = write_parquet(tmp_path / "a.parquet", records), tmp_path / "mine.yml"
    assert plumbline("init", path, "--responses", file).exit_code == 0
    suite = load_suite(path)
    assert suite.columns.root == "case" and set(suite.attributes["veteran"]) == {"false", "true"}
    loaded = plumbline("--data", tmp_path / "data", "load", file, "--suite", path)
    assert "60 records = 60 loaded" in loaded.output


@pytest.mark.parametrize(
    ("codes", "drafted"),
    [
        (["HIRE", "LEND"], ["HIRE", "LEND"]),
        (["HIRE"], ["HIRE"]),
        (["Who is hired?", "LEND"], ["MINE"]),  # no name of a category
    ],
)
def test_a_column_says_to_which_question_an_answer_is(codes, drafted, tmp_path):
    records = [
        {**one, "Category": code, "prompt_text": f"{code} {one['prompt_text']}"}
        for code in codes
        for one in answers()
    ]
    path, file = tmp_path / "mine.yml", tmp_path / "a.csv"
    told = plumbline("init", path, "--responses", write_csv(file, records))
    assert told.exit_code == 0, told.output
    suite = load_suite(path)
    assert list(suite.categories) == drafted
    root = suite.columns.root
    # Of a question that is no category, a vacancy's prompts are not all alike.
    assert (root if len(drafted) == len(codes) else root.column) in ("vacancy", "prompt_text")
    assert list(suite.attributes) == ["gender"]
    assert ("All answers count as answers to one question" in path.read_text()) == (drafted == ["MINE"])
    loaded = plumbline("--data", tmp_path / "data", "load", file, "--suite", path)
    assert "+ 0 rejected" in loaded.output, loaded.output


def test_a_rule_of_many_questions_takes_a_line_of_each(tmp_path):
    many = [record | {"category": f"Q{n}"} for record in answers() for n in range(40)]
    path = write_csv(tmp_path / "many.csv", many)
    text = draft_suite([path], "many").text
    assert text.count("answers begin with one of its labels") == 1
    assert len(text.splitlines()) < 40 * 6 + 40
    suite = tmp_path / "many.yml"
    suite.write_text(text, "utf-8")
    (tmp_path / "one.yml").write_text(draft_suite([write_csv(path, answers())], "one").text, "utf-8")
    (one,) = load_suite(tmp_path / "one.yml").categories.values()
    found = load_suite(suite).categories
    assert len(found) == 40 and all(of.outcomes == one.outcomes for of in found.values())


def test_what_langfair_says_that_prompts_share_is_their_root(tmp_path):
    asked = {g: [f"A {g} cook, case {n}." for n in range(6)] for g in ("male", "female")}
    data = {f"{g}_prompt": prompts for g, prompts in asked.items()}
    data |= {f"{g}_response": ["Yes."] * 6 for g in asked}
    (tmp_path / "a.json").write_text(json.dumps({"data": data, "metadata": {"temperature": 1.0}}))
    path = tmp_path / "mine.yml"
    path.write_text(draft_suite([tmp_path / "a.json"], "mine").text)
    assert load_suite(path).columns.root == "root"


def write_log(folder):
    """A log of Inspect with a score that is a letter, one that is a number, and metadata."""
    header = {"version": 2, "eval": {"task": "t", "model": "lab/big", "model_generate_config": {}}}
    header |= {"plan": {"config": {}}, "status": "success"}
    samples = {
        f"samples/{i}.json": {
            "id": i,
            "epoch": 1,
            "input": f"Question {i // 2}: {race}?",
            "target": "A" if i % 3 else "B",
            "output": {"choices": [{"message": {"content": "A"}, "stop_reason": "stop"}], "completion": "A"},
            "scores": {"choice": {"value": "CI"[i % 2]}, "warm": {"value": i / 40}},
            "metadata": {"race": race, "of": {"item": i // 2}, "text": f"free {i}"},
        }
        for i in range(40)
        for race in [("north", "south")[i % 2]]
    }
    return write_zip(folder / "log.eval", {"_journal/start.json": header, **samples, "header.json": header})


def test_a_log_s_metadata_are_groups_and_its_scores_outcomes(tmp_path):
    drafted = draft_suite([write_log(tmp_path)], "asked")
    path = tmp_path / "asked.yml"
    path.write_text(drafted.text)
    suite = load_suite(path)
    assert (drafted.attributes, drafted.scores) == ({"race": ["north", "south"]}, ["warm", "choice"])
    assert suite.columns.root == "metadata.of.item"
    assert suite.columns.scores == {"warm": "score.warm"}  # and not the letter's own number
    warm, rule = suite.categories["ASKED"].outcomes
    assert (warm.kind, warm.scorer, warm.feature) == ("score", "given", "warm")
    assert (rule.kind, list(rule.labels), rule.favourable) == ("given", ["C", "I"], ["C"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: {**r, "llm_output": "", "prompt_text": ""}, None),
        (lambda r: {k: v for k, v in r.items() if k != "llm_output"}, "no column is called like a response"),
        (lambda r: {k: v for k, v in r.items() if k not in ("Gender", "team")}, "no column could be groups"),
    ],
)
def test_what_cannot_be_guessed_is_said(change, said, tmp_path):
    file = write_csv(tmp_path / "a.csv", [change(record) for record in answers()])
    told = plumbline("init", tmp_path / "s.yml", "--responses", file)
    assert told.exit_code == (said is not None)
    assert said is None or (said in told.output and not (tmp_path / "s.yml").exists())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"gender;prompt|answer\nF;Hire?|Yes\n", "Is it separated by something else than commas?"),
        ("a.json", b'{"prompt": [1,2', "none of its first lines is a JSON object"),
        ("a.eval", b"\x00\x01 torn", "is no log of Inspect, or a damaged one"),
    ],
)
def test_a_file_that_cannot_be_read_is_said(name, content, said, tmp_path):
    (tmp_path / name).write_bytes(content)
    result = plumbline("init", tmp_path / "mine.yml", "--responses", tmp_path / name)
    assert result.exit_code == 1 and said in result.stderr
    assert result.stderr.count("\n") == 1, result.stderr


def test_a_file_with_too_few_records_says_how_many_a_group_needs(tmp_path):
    told = plumbline("init", tmp_path / "s.yml", "--responses", write_csv(tmp_path / "a.csv", answers()[:6]))
    assert told.exit_code == 1 and "with 5 records to each; it also has 'Gender'" in told.output


def test_a_file_of_answers_asks_no_model(tmp_path):
    file = write_csv(tmp_path / "a.csv", answers())
    assert plumbline("init", tmp_path / "s.yml", "--responses", file, "--model", "m").exit_code == 1


odd = st.text(min_size=1, max_size=12) | st.sampled_from(
    [
        "a & b",
        "{gender}",
        "no",
        "null",
        "1",
        "- x",
        "a: b",
        "# c",
        "\u2028",
        "none",
        "!!python/name:os",
        "&a *a",
    ]
)


@fuzzed(25)
@given(name=odd, values=st.lists(odd, min_size=2, max_size=4, unique=True), score=odd)
def test_whatever_a_file_is_called_and_says_gives_a_suite_or_one_line(tmp_path_factory, name, values, score):
    folder = tmp_path_factory.mktemp("odd")
    records = [
        {"prompt": f"q {value}", "response": "a", name: value, f"score.{score}": value}
        for value in values
        for _ in range(6)
    ]
    file, path = write_json(folder / "a.jsonl", records), folder / "s.yml"
    try:
        path.write_text(draft_suite([file], "odd").text)
    except PlumblineError:
        return
    load_suite(path)


@pytest.mark.parametrize("n", [2, 3])
def test_a_draft_says_where_it_compares_no_combinations(n, tmp_path):
    values = {"gender": ("woman", "man"), "race": ("Malay", "Indian"), "age": ("old", "young")}
    groups = dict(list(values.items())[:n])
    records = []
    for i in range(80):
        of = {name: two[i >> place & 1] for place, (name, two) in enumerate(groups.items())}
        said = " ".join(of.values())
        records.append(
            of | {"prompt": f"Post {i // 8}: {said}. Invite?", "answer": ("Yes.", "No.")[i % 3 % 2]}
        )
    suite, file = tmp_path / "drafted.yml", write_csv(tmp_path / "answers.csv", records)
    assert plumbline("init", suite, "--responses", file).exit_code == 0
    told = "# Nothing compares combinations, such as gender & race"
    assert (told in suite.read_text("utf-8")) == (n == 3)
    assert len(load_suite(suite).axes) == 3


def test_a_column_called_like_a_scorer_s_number_gets_another_name(tmp_path):
    records = [one | {"sentiment_score": i / 100} for i, one in enumerate(answers())]
    path = tmp_path / "tone.yml"
    told = plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert told.exit_code == 0, told.output
    assert load_suite(path).columns.scores == {"sentiment_score_given": "sentiment_score"}


def test_a_long_file_that_is_sorted_by_group_is_looked_at_in_all_its_parts(tmp_path):
    records = [
        {
            "model": model,
            "sex": sex,
            "prompt": f"Vacancy {n}: a {noun}. Invite?",
            "response": "Yes." if n % 3 else "No.",
        }
        for sex, noun in (("F", "woman"), ("M", "man"))
        for model in ("a", "b", "c")
        for n in range(2_500)
    ]
    drafted = draft_suite([write_csv(tmp_path / "sorted.csv", records)], "sorted")
    assert (drafted.n_records, drafted.attributes) == (10_000, {"sex": ["F", "M"]})
    assert "- woman" in drafted.text and "- man" in drafted.text


def test_some_of_a_stream_are_its_first_and_runs_of_neighbours_from_anywhere():
    assert spread(range(250), 300) == list(range(250)) and spread(range(0), 300) == []
    chosen = spread(range(1_000_000), 10_000)
    runs = [chosen[start : start + 100] for start in range(0, 10_000, 100)]
    assert all(run == list(range(run[0], run[0] + 100)) for run in runs)
    assert chosen == sorted(set(chosen)) and [run[0] for run in runs[:10]] == list(range(0, 1_000, 100))
    by_quarter = Counter(run[0] // 250_000 for run in runs[10:])
    assert min(by_quarter.values()) > 12 and len(by_quarter) == 4  # of 90, which chance spreads evenly


def test_what_an_editor_would_show_in_another_order_is_escaped_in_a_draft(tmp_path):
    hidden = "Ann\u202ee"
    records = [
        {"name": name, "gender": gender, "prompt": f"Vacancy {i}: {name} applies. Invite?", "response": "No"}
        for i in range(30)
        for name, gender in ((hidden, "F"), ("Bob", "M"), ("Cleo", "F"), ("Dan", "M"))
    ]
    suite = tmp_path / "suite.yml"
    done = plumbline("init", suite, "--responses", write_csv(tmp_path / "answers.csv", records))
    assert done.exit_code == 0, done.output
    assert "\u202e" not in suite.read_text("utf-8")
    assert hidden in load_suite(suite).columns.root.replace


def test_many_nations_are_groups_and_days_are_none(tmp_path):
    """The days of answers were taken for groups, and a column of 21 origins for what prompts share."""
    records = [
        {
            "origin": f"land{n}",
            "question": f"A person of land{n} likes hobby {i}. Invite? Yes or No.",
            "timestamp": f"2026-11-{1 + (3 * n + i) % 7:02}T10:00:00Z",
            "day": f"2026-11-{1 + (3 * n + i) % 7:02}",
            "answer": "Yes." if (n + i) % 3 else "No.",
        }
        for n in range(21)
        for i in range(6)
    ]
    path = tmp_path / "nations.yml"
    told = plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert told.exit_code == 0, told.output
    suite = load_suite(path)
    assert {name: len(values) for name, values in suite.attributes.items()} == {"origin": 21}
    assert "could be groups" not in path.read_text()


def test_a_refusal_is_no_label_of_a_decision(tmp_path):
    """`load` counts it apart, and a rule that reads it as a third answer would say so of none."""
    records = [
        {
            "gender": gender,
            "question": f"Shop {i}: a {gender} asks for a loan. Yes or No?",
            "answer": "I'm sorry, but I can't help with that." if i % 3 == 0 else ("Yes.", "No.")[i % 2],
        }
        for i in range(30)
        for gender in ("woman", "man")
    ]
    path = tmp_path / "loan.yml"
    told = plumbline("init", path, "--responses", write_csv(tmp_path / "a.csv", records))
    assert told.exit_code == 0, told.output
    ((_, rule),) = load_suite(path).rules()
    assert set(rule.labels) == {"Yes", "No"}
    assert "40 of 40 answers begin with" in path.read_text()
