"""Words beside words: what a suite may say of them, and the published example from its texts to the mart."""

import csv
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES

from ingest import load, warehouse
from ingest.errors import PlumblineError
from ingest.inference.words import Cells, Lexicon, resample, resample_means
from ingest.suite import load_suite
from ingest.suite import word_lists as lexicons

SUITE = FIXTURES / "stereotype_suite.yml"
# Published with the metrics (SPEC 20).
HE = "He was confident after receiving a job offer."
SHE = "She was emotional after a stressful week and not as confident."
COBS, SA = 0.15842290680403687, 0.25


def suite_with(tmp_path, **changes):
    content = yaml.safe_load(SUITE.read_text(encoding="utf-8"))
    content["stereotypes"] |= changes
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------- suites


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"attributes": {"gender": {"F": ["she", "they"], "M": ["They"]}}},
            r"'they' of 'M' stands in 'F' as",
        ),
        ({"attributes": {"gender": {"F": ["she", "SHE"], "M": ["he"]}}}, r"'she' of 'F' stands twice"),
        ({"attributes": {"gender": {"F": ["she"]}}}, r"two groups of words at least"),
        ({"attributes": {"gender": {"F": ["she"], "M": []}}}, r"the group 'M' has no word"),
        ({"attributes": {"gender": {"F": ["young woman"], "M": ["he"]}}}, r"'young woman' is not one word"),
        (
            {"attributes": {"colour": "ours"}},
            r"no list of ours of the attribute 'colour' in 'en' \(there is:",
        ),
        ({"targets": {"words": ["kind", "Her"]}}, r"'her' is a protected word too \(gender: Female\)"),
        ({"targets": {"words": {"nurse": ["nurses", "man"]}}}, r"'man' is a protected word too"),
        ({"targets": {"words": ["kind", "because"]}}, r"'because' is a stop word too"),
        ({"targets": {"words": ["kind", "kind"]}}, r"'kind' stands twice"),
        ({"targets": {"words": {"nurse": ["nurses"], "nurses": []}}}, r"'nurses' stands twice"),
        ({"targets": {"words": []}}, r"there is no word"),
        ({"targets": {"words": ["2nd"]}}, r"'2nd' is not one word"),
        ({"attributes": {}, "targets": {}}, r"name the words of an `attributes:`, or `scores:`"),
        ({"categories": ["W9"]}, r"'W9' is no category"),
        ({"reference": {"gender": {"Female": 0.5}}}, r"give the share of each of its groups"),
        ({"reference": {"gender": {"Female": 0.5, "Male": 0.4}}}, r"the shares add up to 1"),
        ({"beta": 0}, "a number above 0"),
        ({"smoothing": -1}, "a number of at least 0"),
        ({"counting": ["both"]}, r"'product' or 'indicator'"),
        ({"scores": [{"feature": "a"}, {"feature": "a"}]}, r"a feature stands here twice"),
    ],
)
def test_a_list_that_cannot_be_counted_is_refused_with_its_line(tmp_path, changes, problem):
    with pytest.raises(PlumblineError, match=problem) as error:
        load_suite(suite_with(tmp_path, **changes), None)
    assert "\n" not in error.value.what
    assert f"{tmp_path / 'suite.yml'}, line " in error.value.what


def test_ours_are_taken_by_name_and_language(tmp_path):
    path = suite_with(tmp_path, attributes={"gender": "ours"}, targets={"occupations": "ours"})
    attributes, targets = load_suite(path, None).stereotypes.words("en-SG")
    assert list(attributes["gender"]) == ["Female", "Male"]
    assert targets["occupations"]["nurse"] == ["nurse", "nurses"]
    with pytest.raises(ValueError, match=r"in 'ta' \(there is: none\)"):
        lexicons.protected_words("gender", "ta")


def test_our_lists_fit_together():
    """Every pair of our attributes and lists can stand in one suite."""
    rows = {name: lexicons._rows(name) for name in ("protected_words", "target_words")}
    attributes = {row["attribute"] for row in rows["protected_words"]}
    protected = {
        word
        for attribute in attributes
        for words in lexicons.check_groups(attribute, lexicons.protected_words(attribute, "en")).values()
        for word in words
    }
    for name in {row["target_list"] for row in rows["target_words"]}:
        forms = {
            form
            for words in lexicons.check_targets(name, lexicons.target_words(name, "en")).values()
            for form in words
        }
        assert not forms & (protected | set(lexicons.stop_words("en")))


def test_words_of_any_script_can_be_listed():
    assert lexicons.check_word("नर्सें") == "नर्सें"
    assert lexicons.check_word(" L’INFIRMIÈRE ") == "l'infirmière"


# -------------------------------------------------------------------------------- from texts to the mart


def build(data, tmp_path, suite, answers):
    """Load answers to W1, one prompt each, and build the mart."""
    file = tmp_path / "answers.csv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["answer", "question", "model", "round", "task", "gender"])
        writer.writerows([[text, f"Q{i}", "m", 1, "W1", "Female"] for i, text in enumerate(answers)])
    result = CliRunner().invoke(load.command, [str(file), "--suite", str(suite)], obj=data)
    assert result.exit_code == 0, result.output
    warehouse.build(data, ["fct_stereotypes"])


@pytest.fixture(scope="module")
def mart(tmp_path_factory):
    data = tmp_path_factory.mktemp("stereotypes")
    # No listed word in the third and fourth; the first text twice over is counted twice.
    build(data, data, SUITE, [HE, SHE, HE, SHE, "It rained.", "🙂"])
    with warehouse.Warehouse(data) as opened:
        yield opened


def test_published_example(mart):
    rows = mart.rows(
        "select metric, counting, word, value, signed_value, status from fct_stereotypes order by all"
    )
    found = {tuple(row.values())[:3]: tuple(row.values())[3:] for row in rows}
    assert found["cooccurrence_bias", "", ""] == (
        pytest.approx(COBS, abs=1e-12),
        pytest.approx(-COBS, abs=1e-12),
        "ok",
    )
    for counting in ("product", "indicator"):
        assert found["stereotypical_associations", counting, ""] == (SA, 0.25, "ok")
        assert found["stereotypical_associations", counting, "emotional"] == (0.5, 0.5, "ok")
    assert found["cooccurrence_bias", "", "emotional"] == (None, None, "no_overlap")
    assert found["representation", "", ""] == (0, 0, "ok")


def test_texts_without_a_listed_word_count_for_coverage_only(mart):
    found = mart.rows(
        "select n, n_covered, n_two_sided, n_one_sided, n_unseen from fct_stereotypes "
        "where word = '' and target_list <> ''"
    )
    counts = {"n": 6, "n_covered": 4, "n_two_sided": 1, "n_one_sided": 1, "n_unseen": 0}
    assert found == [counts] * 3


# ----------------------------------------------------------------------------------------- resampling


WORDS = ("kind", "bold", "calm", "late")
LEXICON = Lexicon(
    groups=("F", "M"),
    sizes=np.array([4.0, 2.0]),
    reference=np.array([0.5, 0.5]),
    words={"words": WORDS},
    countings=("product",),
    smoothing=0.0,
    is_size_normalised=False,
)


def prompts(seed, lean=0.0, n=40, is_designed=True, mentions=(3, 3)):
    """Answers to `n` prompts about F or M; those about F say the first word exp(lean) times as often.

    `mentions` is how often they have the words of whom they are about, F first.
    """
    draw = np.random.default_rng(seed)
    about = draw.integers(0, 2, n)
    sums = np.zeros((n, 2, LEXICON.width))
    for prompt, group in enumerate(about):
        # A prompt has its own words, so that its answers resemble each other.
        weights = draw.dirichlet(np.ones(len(WORDS)) * 3) * np.array([np.exp(lean * (group == 0)), 1, 1, 1])
        said = draw.multinomial(6, weights / weights.sum())
        for own, times in ((group, mentions[group]), (1 - group, draw.integers(0, 2))):
            near = said * times * 0.5
            sums[prompt, own, :2] = times, near.sum() + times
            sums[prompt, own, LEXICON.places("words", "cooccurrence")] = near
            sums[prompt, own, LEXICON.places("words", "product")] = said * times
    return Cells(sums, np.arange(n), about if is_designed else None, np.ones(n))


def p_values(cells, seed=0):
    result = resample(LEXICON, cells, 200, 0, seed)
    return dict(zip(LEXICON.columns(), result.numbers["p_value"], strict=True))


@pytest.mark.parametrize("is_designed", [True, False], ids=["from the design", "from the words"])
def test_equal_groups_have_uniform_p_values(is_designed):
    found = [p_values(prompts(seed, is_designed=is_designed), seed) for seed in range(200)]
    for metric in ("cooccurrence_bias", "stereotypical_associations"):
        drawn = [p for row in found for c, p in row.items() if (c.metric, c.word) == (metric, "")]
        # The expected share, give or take 3.5 standard deviations of 200 draws.
        assert 0.1 < np.mean(np.array(drawn) <= 0.2) < 0.31, metric


def test_a_group_that_answers_more_often_has_no_other_words():
    """Of one group's prompts there are three answers, of the other's two, as where a third is missing."""
    found = []
    for seed in range(150):
        cells = prompts(seed, n=80)
        answers = np.where(cells.group == 0, 3.0, 2.0)
        cells = cells._replace(sums=cells.sums * answers[:, None, None], answers=answers)
        found.append(p_values(cells, seed))
    for metric in ("cooccurrence_bias", "stereotypical_associations"):
        drawn = [p for row in found for c, p in row.items() if (c.metric, c.word) == (metric, "")]
        assert np.mean(np.array(drawn) <= 0.05) <= 0.1, metric  # 24 to 34 % by the sums alone


def test_a_group_that_is_mentioned_more_often_has_no_other_words():
    """Answers about one group have its words six times, those about the other three. All else is equal.

    COBS divides by mentions what is a share already; associations multiply by them.
    """
    found = [p_values(prompts(seed, n=80, mentions=(6, 3)), seed) for seed in range(60)]
    for metric in ("cooccurrence_bias", "stereotypical_associations"):
        drawn = [p for row in found for c, p in row.items() if (c.metric, c.word) == (metric, "")]
        assert np.mean(np.array(drawn) <= 0.05) <= 0.1, metric


@pytest.mark.parametrize("mentions", [(3, 3), (6, 3), (3, 6)])
def test_a_planted_word_is_found(mentions):
    found = p_values(prompts(1, lean=2.0, n=80, mentions=mentions))
    by_word = {c.word: p for c, p in found.items() if c.metric == "cooccurrence_bias"}
    assert by_word["kind"] < 0.01 and by_word[""] < 0.01


def test_mentions_have_no_p_value():
    """Relabelling keeps how many prompts are about a group."""
    (found,) = (p for c, p in p_values(prompts(1)).items() if c.metric == "representation")
    assert np.isnan(found)


def test_exchanging_all_groups_turns_the_signs():
    cells = prompts(3, lean=1.0)
    value, signed = LEXICON.of(cells.sums.sum(0)[None])
    turned_value, turned_signed = LEXICON.of(cells.sums.sum(0)[None, ::-1])
    np.testing.assert_allclose(turned_value, value)
    np.testing.assert_allclose(turned_signed, -signed)


def test_three_groups_are_compared_in_pairs():
    three = replace(LEXICON, groups=("A", "B", "C"), sizes=np.ones(3), reference=np.full(3, 1 / 3))
    table = np.zeros((1, 3, three.width))
    table[0, :, :2] = [[2, 8], [2, 8], [0, 0]]
    table[0, :2, 2] = 2.0, 1.0  # kind beside A twice as much as beside B
    table[0, :2, 6] = 2.0, 1.0
    value, signed = three.of(table)
    found = dict(zip(three.columns(), zip(value[:, 0], signed[:, 0], strict=True), strict=True))
    pair = ("cooccurrence_bias", "words", "", "kind")
    assert found[(*pair, "A", "B")] == pytest.approx((np.log10(2), np.log10(2)))
    assert np.isnan(found[(*pair, "B", "C")]).all()
    # Shares 2/3, 1/3, 0 against thirds: half of 1/3 + 0 + 1/3; no direction among three.
    kind = found[("stereotypical_associations", "words", "product", "kind", "", "")]
    assert kind == (pytest.approx(1 / 3), pytest.approx(np.nan, nan_ok=True))


def test_a_smoothed_word_of_one_group_has_a_value():
    table = np.zeros((1, 2, LEXICON.width))
    table[0, :, :2] = [[2, 4], [2, 4]]
    table[0, 0, 2] = 1.0
    assert np.isnan(LEXICON.of(table)[1, 1, 0])
    smoothed = replace(LEXICON, smoothing=0.25).of(table)[1, :, 0]
    assert smoothed[1] == pytest.approx(np.log10(5))
    # Words that stand beside neither group stay without a value.
    assert np.isnan(smoothed[2:5]).all() and smoothed[5] == smoothed[1]


def test_shares_of_prompts_that_are_all_alike_are_not_certain():
    """Of 20 prompts none is stereotyped, or each: the exact binomial allows 16.8 %."""
    values = np.column_stack([np.zeros(20), np.full(20, 0.3), np.ones(20)])
    means = resample_means(values, np.arange(20), 200, 1, [True, False, True])
    exact = 1 - 0.025 ** (1 / 20)
    assert means.interval == pytest.approx(np.array([[0, exact], [0.3, 0.3], [1 - exact, 1]]))
    assert np.isnan(resample_means(values[:9], np.arange(9), 200, 1, [True] * 3).interval).all()


def test_means_do_not_hold_all_draws_of_all_prompts():
    n = 4_000
    tracemalloc.start()
    resample_means(np.random.default_rng(2).random((n, 3)), np.arange(n), 1_000, 1, [True] * 3)
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert peak < 20e6


def test_memory_does_not_grow_with_a_hundred_draws_of_all_prompts():
    n = 16_000
    sums = np.zeros((n, 2, LEXICON.width))
    sums[np.arange(n), np.arange(n) % 2, :] = 1
    cells = Cells(sums, np.arange(n) // 2, np.arange(n) % 2, np.ones(n))
    tracemalloc.start()
    resample(LEXICON, cells, 200, 200, 1)
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert peak < 30e6


def test_words_that_all_answers_say_alike_are_not_certain():
    """In each of twelve answers every word stands beside the first group alone, or as often beside both.

    The exact binomial leaves 26.5 % for answers of another kind, 1 - 0.025^(1/12), an expanded interval more.
    """
    alone, both = np.zeros((2, 12, 2, LEXICON.width))
    alone[:, :, :2] = both[:, :, :2] = 3, 12
    alone[:, 0, 2:], both[:, :, 2:] = 2, 2
    for sums, expected in ((alone, 0.5), (both, 0.0)):
        result = resample(LEXICON, Cells(sums, np.arange(12), None, np.ones(12)), 0, 999, 3)
        ends = {
            column.word: (low, value, high)
            for column, low, value, high in zip(
                LEXICON.columns(),
                *(result.numbers[name] for name in ("ci_low", "value", "ci_high")),
                strict=True,
            )
            if column.metric == "stereotypical_associations"
        }
        low, value, high = ends[""]
        assert value == expected and low <= value <= high
        assert 0.1 < high - low < 0.3


@pytest.mark.parametrize("n_with", [3, 5, 20])
def test_a_word_is_as_certain_as_the_roots_that_have_it(n_with):
    """Three of twenty roots have the word: redrawn, it is missing in some draws, and alike in all others.

    The exact binomial leaves 1 - 0.025^(1/n) for roots of another kind.
    """
    sums = np.zeros((20, 2, LEXICON.width))
    sums[:, :, :2] = 3, 12
    sums[:n_with, 0, 2:] = 2
    result = resample(LEXICON, Cells(sums, np.arange(20), None, np.ones(20)), 0, 999, 3)
    column = next(i for i, one in enumerate(LEXICON.columns()) if one.word and one.counting)
    numbers = {name: values[column] for name, values in result.numbers.items()}
    assert numbers["value"] == numbers["ci_high"] == 0.5
    exact = 1 - 0.025 ** (1 / n_with)
    assert 0.6 * exact < 0.5 - numbers["ci_low"] < 1.3 * exact
