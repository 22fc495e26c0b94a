"""The G20 suite: its size, its wording, and what a suite of its kind may say (baselines, roles, samples)."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from places import SUITES
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from ingest.asking.answer_status import response_status
from ingest.asking.plan import plan
from ingest.assemble import assemble_prompts
from ingest.assemble import command as assemble
from ingest.backends import Request
from ingest.backends.simulated import SimulatedBackend, planted_scale
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.extract import command as extract
from ingest.generate import command as generate
from ingest.keys import text_key
from ingest.measuring.text_variants import clean
from ingest.prompts import PromptBuilder
from ingest.prompts.templates import fill, n_combinations, prompt_rows
from ingest.store import Store
from ingest.suite import Suite, config_labels, load_suite
from ingest.warehouse import Warehouse, build

PATH = SUITES / "g20.yml"
FIGURES = ["Joe Biden", "Donald Trump", "Kamala Harris"]
WITH_ARTICLE = ["European Union", "United Kingdom", "United States"]


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(PATH)


@pytest.fixture(scope="module")
def rows(suite):
    return list(prompt_rows(suite, "NATION", PromptBuilder(suite)))


def country(row) -> str:
    return dict(row["attributes"])["country"]


def answers(suite) -> dict[str, list[str]]:
    return suite.categories["NATION"].simulated.answers


def changed(tmp_path, change) -> Path:
    """Return the suite as a file after `change` was applied to its content."""
    content = yaml.safe_load(PATH.read_text("utf-8"))
    change(content)
    path = tmp_path / "changed.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), "utf-8")
    return path


def invoke(command, directory, *arguments, suite=PATH):
    return CliRunner().invoke(command, ["--suite", str(suite), *map(str, arguments)], obj=directory)


def test_it_has_the_size_of_the_paper(suite, rows, tmp_path):
    assert len(rows) == len({row["prompt_key"] for row in rows}) == n_combinations(suite, "NATION") == 1_575
    groups = Counter(row["root_key"] for row in rows)
    assert len(groups) == 75 and set(groups.values()) == {21}
    assert len(suite.grid) == 20 and len(rows) * sum(config.repeats for config in suite.grid) == 31_500
    with Store(tmp_path) as store:
        found = assemble_prompts(store, suite).categories[0]
        assert [task.n_pending for task in plan(store, suite)] == [1_575] * 20
    assert (found.n_roots, found.n_groups, found.n_incomplete, found.n_same_text) == (75, 21, 0, 0)
    assert not found.gaps


def test_its_members_are_the_g20_and_one_that_is_not(suite):
    countries = list(suite.attributes["country"])
    assert len(countries) == 21 and countries == sorted(countries)
    assert {"European Union", "Orvessia"} < set(countries)


def test_every_text_is_grammatical_with_every_country(suite, rows):
    texts = [(country(row), row["prompt"]) for row in rows]
    texts += [(country(row), row["baseline"]) for row in rows]
    texts += [
        (value, fill(text, {"country": suite.word("country", value)}))
        for value in suite.attributes["country"]
        for phrases in answers(suite).values()
        for text in phrases
    ]
    for value, text in texts:
        assert text.count(value) == 1, text
        article = "the " if value in WITH_ARTICLE else ""
        assert re.search(rf"(?<!\bthe )(?<!\ban )(?<!\ba )\b{article}{value}\b", text), text
        assert not re.search(r"[{}]|\s\s|\s[.,:;?]|\b(\w+) \1\b", text), text
        assert text[0].isupper() and text[-1] in ".?", text
        assert not text.startswith("The "), "a country with its article would be in lower case there"


def test_a_prompt_shows_its_country_and_no_other(suite, rows):
    builder = PromptBuilder(suite)
    for row in rows:
        for value in suite.attributes["country"]:
            shown = builder.shown_by(row["prompt"], {"country": value}, None)
            assert bool(shown) == (value == country(row)), row["prompt"]


def test_prompts_and_baselines_differ_by_the_country_alone(suite, rows):
    by_root = {}
    for row in rows:
        word = suite.word("country", country(row))
        texts = (row["prompt"].replace(word, "@"), row["baseline"].replace(word, "@"))
        by_root.setdefault(row["root_key"], set()).add(texts)
        assert row["baseline_text_key"] == text_key(row["baseline"])
        assert row["baseline_kind"] == "counterfactual"
    assert [len(texts) for texts in by_root.values()] == [1] * 75
    assert len({texts.pop() for texts in by_root.values()}) == 75


def test_roles_and_configs_make_a_grid(suite):
    roles = list(dict.fromkeys(config.role for config in suite.grid))
    assert roles == ["no-role", "assistant", *FIGURES]
    assert {config.role: config.system_prompt for config in suite.grid} == {
        "no-role": "",
        "assistant": "You are a helpful assistant.",
        **{name: f"Role-play {name}." for name in FIGURES},
    }
    assert all(
        config.model.startswith("simulated-") and config.backend == "simulated" for config in suite.grid
    )
    assert config_labels(suite)[:2] == ["simulated-even (no-role)", "simulated-slight (no-role)"]
    assert [config.role for config in suite.grid[:4]] == ["no-role"] * 4


def test_what_is_planted_is_as_strong_as_config_and_role_say(suite):
    scales = {}
    for config in suite.grid:
        scales.setdefault(config.model, {})[config.role] = planted_scale(config)
    assert set(scales["simulated-even"].values()) == {0}
    assert scales["simulated-marked"]["no-role"] == 1
    for of_role in scales.values():
        # What is simulated is a role, not what one person thinks.
        assert len({of_role[name] for name in FIGURES}) == 1
    assert scales["simulated-slight"]["assistant"] == pytest.approx(0.4 * 0.7)
    assert scales["simulated-reversed"]["Joe Biden"] == pytest.approx(-1.4)
    backend = SimulatedBackend(suite)
    options = [backend.describe(config).options for config in suite.grid]
    assert options[7] == {"planted": True, "planted_scale": pytest.approx(-0.7)}
    assert not options[0]["planted"]
    assert {planted.value for planted in suite.categories["NATION"].simulated.planted} == {
        "Canada",
        "Italy",
        "Orvessia",
    }


def test_answers_say_what_they_are_for_and_spread(suite):
    vader = SentimentIntensityAnalyzer()
    rule = next(rule for _, rule in suite.rules() if rule.kind == "pattern")
    means = []
    for answer, texts in answers(suite).items():
        filled = [clean(fill(text, {"country": "Brazil"})) for text in texts]
        for text in filled:
            found = {label: re.search(rf"\b{label}\b", text) for label in rule.labels}
            first = min((match.start(), label) for label, match in found.items() if match)
            assert first == (0, answer)
            assert response_status(text) == "ok"
        scores = [vader.polarity_scores(text)["compound"] for text in filled]
        assert len(texts) >= 12 and len(set(scores)) >= 8
        means.append(np.mean(scores))
    assert means == sorted(means, reverse=True) and means[0] - means[-1] > 0.8
    assert rule.favourable == ["well"] and list(answers(suite)) == list(rule.labels)


def test_the_scorer_prefers_a_name_and_a_baseline_takes_that_away(suite, rows):
    """VADER counts "united" as a kind word. Answers and baselines gain by it nearly alike."""
    vader = SentimentIntensityAnalyzer()
    weights = suite.categories["NATION"].simulated.weights

    def score(text):
        return vader.polarity_scores(clean(text))["compound"]

    def of_baselines(value):
        return np.mean([score(row["baseline"]) for row in rows if country(row) == value])

    def of_answers(value):
        word = {"country": suite.word("country", value)}
        means = {a: np.mean([score(fill(t, word)) for t in texts]) for a, texts in answers(suite).items()}
        return np.average([means[a] for a in means], weights=[weights[a] for a in means])

    baselines, replies = (of("United States") - of("Brazil") for of in (of_baselines, of_answers))
    assert baselines > 0.15 and replies > 0.15
    assert abs(replies - baselines) < 0.05
    assert {round(of_baselines(c), 6) for c in suite.attributes["country"]} == {
        round(of_baselines("Brazil"), 6),
        round(of_baselines("United States"), 6),
    }


def test_a_sample_keeps_whole_roots_and_grows(suite):
    def roots(n):
        found = list(prompt_rows(suite.sampled(roots=n), "NATION", PromptBuilder(suite)))
        assert len(found) == n_combinations(suite.sampled(roots=n), "NATION") == min(n, 75) * 21
        return {row["root_key"] for row in found}

    assert [len(roots(n)) for n in (1, 8, 30, 75, 500)] == [1, 8, 30, 75, 75]
    assert roots(1) < roots(8) < roots(30)
    other = suite.model_copy(update={"sample": suite.sample.model_copy(update={"seed": 7})})
    assert roots(8) != {
        row["root_key"] for row in prompt_rows(other.sampled(roots=8), "NATION", PromptBuilder(suite))
    }


def test_a_small_audit_goes_on_to_a_larger_one(tmp_path):
    assert "42 prompts (42 new), 2 roots" in invoke(assemble, tmp_path, "--roots", 2).stdout
    assert "simulated-marked (no-role)" in invoke(generate, tmp_path, "--configs", 3).stdout
    assert "63 prompts (21 new), 3 roots" in invoke(assemble, tmp_path, "--roots", 3).stdout
    second = invoke(generate, tmp_path, "--configs", 4).stdout
    assert re.findall(r"^(\S+) .*?: (\d+) ok", second, re.MULTILINE) != []
    with Store(tmp_path, read_only=True) as store:
        assert store.rows(
            "select config, count(*) from responses join configs using (config_key) group by 1 order by 1"
        ) == [(f"simulated-{name} (no-role)", 63) for name in ("even", "marked", "reversed", "slight")]
    smaller = invoke(assemble, tmp_path, "--roots", 1)
    assert "42 prompts of an earlier version of the templates, or of a larger sample" in smaller.stderr


def test_a_suite_may_name_its_own_sample(suite, tmp_path):
    path = changed(tmp_path, lambda c: c.update(sample={"roots": 2, "configs": 1}))
    assert "2 roots" in invoke(assemble, tmp_path, suite=path).stdout
    assert "simulated-slight" not in invoke(generate, tmp_path, suite=path).stdout
    # A config that is asked for by name is asked, sampled or not.
    named = invoke(generate, tmp_path, "--config", "simulated-slight (assistant)", suite=path)
    assert named.exit_code == 0 and "simulated-slight (assistant): " in named.stdout


def test_answers_that_are_there_are_not_sampled(tmp_path):
    arguments = ["--data", str(tmp_path), "audit", str(PATH), "--responses", "a.csv", "--roots", "2"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2 and "--roots, --send-key and others say what to ask" in result.stderr


def test_baselines_reach_the_marts(tmp_path):
    """Two roots, two configs: what is measured on a baseline is taken off each answer to its prompt."""
    for command, arguments in ((assemble, ["--roots", 2]), (generate, ["--configs", 2]), (extract, [])):
        assert invoke(command, tmp_path, *arguments).exit_code == 0
    build(tmp_path, ["fct_measurements", "dim_prompts", "int_features_listed"])
    with Warehouse(tmp_path) as marts:
        rows = marts.rows(
            """
            select
                prompts.attributes['country'] as country,
                count(*) as n,
                count(calibrated_value) as n_calibrated,
                bool_and(abs(value - baseline_value - calibrated_value) < 1e-12 or value is null)
                    as is_difference,
                avg(baseline_value) as baseline,
                min(prompts.baseline_kind) as kind
            from fct_measurements inner join dim_prompts as prompts using (prompt_key)
            where feature = 'vader_compound' and config <> 'baseline'
            group by 1 order by 1
            """
        )
        distances = marts.rows(
            "select response_key, prompt_key, value, measurement_status as status from fct_measurements"
            " where feature = 'cosine_distance_wrt_baseline'"
        )
        listed = marts.rows(
            "select * from int_features_listed where feature = 'cosine_distance_wrt_baseline'"
        )
    by_country = {row["country"]: row["baseline"] for row in rows}
    assert list(by_country) == list(load_suite(PATH).attributes["country"])
    assert {row["n"] for row in rows} == {4} and sum(row["n_calibrated"] for row in rows) > 70
    assert all(row["is_difference"] and row["kind"] == "counterfactual" for row in rows)
    assert by_country["United States"] == pytest.approx(by_country["United Kingdom"])
    assert by_country["United States"] > by_country["Brazil"] + 0.1
    # The same from the stored vectors: of unit length, so that the inner product is the cosine.
    assert len(distances) == 84 and {row["status"] for row in distances} <= {"ok", "failed_response"}
    with Store(tmp_path, read_only=True) as store:
        vectors = dict(
            store.rows(
                "select v.text_key, e.vector from text_variants as v"
                " inner join embeddings as e on e.text_key = v.variant_text_key"
            )
        )
        of_response = dict(store.rows("select response_key, text_key from responses"))
        of_prompt = dict(store.rows("select prompt_key, baseline_text_key from prompts"))
    measured = [row for row in distances if row["status"] == "ok"]
    for row in measured:
        u, v = (
            np.array(vectors[k]) for k in (of_response[row["response_key"]], of_prompt[row["prompt_key"]])
        )
        assert row["value"] == pytest.approx(1 - u @ v, abs=1e-5)
    assert len({round(row["value"], 6) for row in measured}) > 40
    assert [(row["range_low"], row["range_high"], row["has_baseline"]) for row in listed] == [(0, 2, False)]


@pytest.mark.parametrize(
    ("distances", "problem"),
    [
        (["manhattan"], "there is no distance 'manhattan'; known: cosine, l1, l2"),
        (["l2", "l2"], "the distance 'l2' stands here twice"),
    ],
)
def test_a_distance_that_is_not_one(distances, problem, tmp_path):
    path = changed(tmp_path, lambda c: c.update(distances=distances))
    with pytest.raises(PlumblineError, match=problem) as raised:
        load_suite(path)
    assert "changed.yml, line " in str(raised.value)


def test_an_encoder_gives_vectors(tmp_path):
    path = changed(tmp_path, lambda c: c.update(encoder="vader"))
    result = invoke(extract, tmp_path, "--dry-run", suite=path)
    assert result.exit_code == 1 and "`encoder: vader`: this scorer gives no vectors." in result.stderr


ATTRIBUTES = {
    "gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}},
    "place": {"N": {}, "S": {}},
}


def small(prompts, simulated=None, **more):
    return Suite.model_validate(
        {
            "suite": "small",
            "title": "Small",
            "version": 1,
            "attributes": ATTRIBUTES,
            "axes": ["gender"],
            "categories": {
                "A": {
                    "title": "A",
                    "prompts": prompts,
                    "slots": {"x": ["1", "2"]},
                    "outcomes": [{"set": "s", "kind": "score", "scorer": "vader", "feature": "vader_pos"}],
                    "simulated": simulated,
                }
            },
            **more,
        }
    )


@pytest.mark.parametrize(
    ("baseline", "kind", "texts"),
    [
        (None, None, {None}),
        ("Case {x}.", "unbranched", {"Case 1.", "Case 2."}),
        ("A {gender}.", "partial", {"A woman.", "A man."}),
        (
            "{gender} {place} {x}",
            "counterfactual",
            {f"{gender} {place} {x}" for gender in ("woman", "man") for place in "NS" for x in "12"},
        ),
    ],
)
def test_a_baseline_names_all_some_or_nothing_of_the_group(baseline, kind, texts):
    suite = small([{"prompt": "Case {x}: a {gender} from {place}?", "baseline": baseline}])
    rows = list(prompt_rows(suite, "A", PromptBuilder(suite)))
    assert {row["baseline_kind"] for row in rows} == {kind}
    assert {row["baseline"] for row in rows} == texts
    assert {row["baseline_text_key"] for row in rows} == {t and text_key(t) for t in texts}


def test_a_changed_baseline_changes_no_prompt(tmp_path):
    found = []
    for baseline in ("A {gender}.", "No one.", None):
        suite = small([{"prompt": "A {gender} {x}?", "baseline": baseline}, "Plain {gender}?"])
        with Store(tmp_path) as store:
            assembled = assemble_prompts(store, suite).categories[0]
            sql = """
                select p.prompt, t.text, p.baseline_kind
                from prompts p left join texts t on p.baseline_text_key = t.text_key order by 1"""
            found.append((assembled.n_new, store.rows(sql)))
    assert [n_new for n_new, _ in found] == [6, 0, 0]
    first, second, third = (rows for _, rows in found)
    assert first[:2] == [("A man 1?", "A man.", "counterfactual"), ("A man 2?", "A man.", "counterfactual")]
    assert second[0] == ("A man 1?", "No one.", "unbranched")
    assert third[0] == ("A man 1?", None, None) and first[4][1:] == (None, None)


def test_an_older_database_gets_the_column(tmp_path):
    with Store(tmp_path) as store:
        assemble_prompts(store, small(["A {gender} {x}?"]))
        store.connection.execute("alter table prompts drop column baseline_kind")
    with Store(tmp_path) as store:
        suite = small([{"prompt": "A {gender} {x}?", "baseline": "A {gender}."}])
        assert assemble_prompts(store, suite).categories[0].n_new == 0
        assert store.rows("select distinct baseline_kind from prompts") == [("counterfactual",)]


def asked(suite, attributes, n=50, name=None):
    backend, config = SimulatedBackend(suite), suite.grid[0]
    for i in range(n):
        yield backend.answer(Request(str(i), "p", config, "A", "?", "r", i, attributes, name)).text


CONFIGS = [{"backend": "simulated", "model": "simulated"}]


def test_simulated_answers_name_the_group():
    simulated = {
        "answers": {"a": ["The {gender}.", "{name}, a {gender}.", "The {gender} of {place}."]},
        "weights": {"a": 1},
    }
    suite = small(["A {gender}?"], simulated, configs=CONFIGS)
    assert set(asked(suite, {"gender": "Female"})) == {"The woman."}
    assert set(asked(suite, {"gender": "Male", "place": "N"}, name="{place}")) == {
        "The man.",
        "{place}, a man.",
        "The man of N.",
    }
    with pytest.raises(PlumblineError, match=r"every text of the answer 'a' holds a field like \{gender\}"):
        list(asked(suite, {"place": "N"}, 1))


def test_a_strength_beyond_the_limit_is_an_error():
    roles = [{"role": "r", "options": {"role_scale": 4}}]
    configs = [{**CONFIGS[0], "options": {"planted_scale": 3}}]
    with pytest.raises(PlumblineError, match="`planted_scale` × `role_scale` is 12"):
        planted_scale(small(["A {gender}?"], configs=configs, roles=roles).grid[0])


TEXT = """\
suite: broken
title: Broken
version: 1
attributes:
  land: {A: {}, B: {}}
axes: [land]
configs:
  - {backend: simulated, model: m}
roles:
  - {role: one}
sample: {roots: 3}
categories:
  X:
    title: X
    prompts:
      - Plain {land}?
      - prompt: Asked of {land}?
        baseline: Said of {land}.
    outcomes:
      - {set: s, kind: score, scorer: vader, feature: vader_pos}
    simulated:
      answers:
        good:
          - Good.
          - Good {land}.
      weights: {good: 1}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Said of {land}",
            "Said of {lnd}",
            "line 18: categories.X.prompts.1.baseline: {lnd} stands",
        ),
        ("baseline: Said", "basis: Said", "line 18: categories.X.prompts.1.basis"),
        ("Asked of {land}", "Asked of", "line 18: categories.X.prompts.1.baseline: {land} stands"),
        ("Plain {land}", "Plain {lnd}", "line 16: categories.X.prompts.0: category X: {lnd} is unknown in a"),
        ("baseline: Said of {land}.", "baseline: 7", "line 18: categories.X.prompts.1.baseline"),
        ("Good {land}", "Good {lnd}", "line 25: categories.X.simulated.answers.good.1: category X: {lnd}"),
        ("{role: one}", "{role: one}\n  - {role: one}", "line 11: roles.1: the role 'one' stands here twice"),
        (
            "{role: one}",
            "{rule: one}",
            "line 10: roles.0.rule: there is no such key here; do you mean `role`?",
        ),
        ("{role: one}", "{role: ''}", "line 10: roles.0.role"),
        ("model: m}", "model: m, role: two}", "line 8: configs.0: the suite has `roles`"),
        ("  - {backend: simulated, model: m}", "  []", "line 9: roles: `roles` are played by `configs`"),
        ("{roots: 3}", "{roots: 0}", "line 11: sample.roots"),
        ("{roots: 3}", "{root: 3}", "line 11: sample.root"),
        ("{roots: 3}", "3", "line 11: sample"),
    ],
)
def test_mistakes_are_named_with_their_line(old, new, message, tmp_path):
    path = tmp_path / "broken.yml"
    path.write_text(TEXT)
    assert load_suite(path).sample.roots == 3
    assert old in TEXT
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(PlumblineError) as error:
        load_suite(path)
    assert message in error.value.format_message()
