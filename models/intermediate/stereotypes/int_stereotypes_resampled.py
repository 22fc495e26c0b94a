"""Grain: one row per suite, category, config_key, metric, attribute, target_list, feature, counting, word,
group_a, group_b: the interval, and what chance alone gives."""

import math

import numpy as np

from ingest.inference.kept import Kept
from ingest.inference.tables import row_by, rows_by, seed_of, types
from ingest.inference.words import Cells, Lexicon, resample, resample_means

SCHEMA = types(
    "suite string, category string, config_key string, metric string, attribute string, target_list string,"
    " feature string, counting string, word string, group_a string, group_b string, value double,"
    " signed_value double, ci_low double, ci_high double, signed_ci_low double, signed_ci_high double,"
    " p_value double, null_median double, null_p95 double, min_attainable_p double, resampling_unit string,"
    " n_units int64, permutation_scheme string"
)
SCORES = {
    "fraction": "stereotype_fraction",
    "maximum": "expected_maximum_stereotype",
    "is_exceeded": "stereotype_probability",
}
IDENTITY = "suite, category, config_key, attribute"


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    asked = row_by(dbt.ref("stg_suite__stereotypes"), "suite, countings, smoothing, is_size_normalised")
    groups = rows_by(
        dbt.ref("int_stereotype_groups_listed").order("suite, attribute, group_position"),
        "suite, attribute, group_value, n_listed, reference_share",
        2,
    )
    prompts = rows_by(
        dbt.ref("int_stereotype_prompts_listed").order("prompt_key"),
        "suite, category, config_key, prompt_key, block_key, attributes, n_answers",
        3,
    )
    group_sums = rows_by(
        dbt.ref("int_stereotype_groups_summed"),
        f"{IDENTITY}, prompt_key, group_value, n_words, cooccurrence",
        4,
    )
    word_sums = rows_by(
        dbt.ref("int_stereotype_words_summed").order(
            f"{IDENTITY}, target_list, word, prompt_key, group_value"
        ),
        f"{IDENTITY}, prompt_key, group_value, target_list, word, cooccurrence, product, indicator",
        4,
    )
    kept = Kept(dbt, session, SCHEMA)
    for identity in sorted(group_sums):
        suite, attribute = identity[0], identity[3]
        kept.add(
            _resampled,
            identity,
            settings[suite],
            asked[suite],
            groups[suite, attribute],
            prompts[identity[:3]],
            sorted(group_sums[identity]),
            word_sums.get(identity, []),
        )
    scores = rows_by(
        dbt.ref("int_stereotype_scores_averaged").order("prompt_key"),
        f"suite, category, config_key, feature, block_key, {', '.join(SCORES)}",
        4,
    )
    for identity in sorted(scores):
        kept.add(_averaged, identity, settings[identity[0]], scores[identity])
    return kept.relation()


def _resampled(identity, settings, asked, groups, prompts, group_sums, word_sums):
    """Rows of one attribute; settings are seed, permutations, bootstrap draws."""
    seed, n_permutations, n_bootstrap = settings
    countings, smoothing, is_size_normalised = asked
    labels, n_listed, shares = zip(*groups, strict=True)
    words: dict[str, dict[str, None]] = {}
    for _, _, target_list, word, *_ in word_sums:
        words.setdefault(target_list, {})[word] = None
    lexicon = Lexicon(
        labels,
        np.array(n_listed, dtype=np.float64),
        np.array(shares),
        {name: tuple(listed_words) for name, listed_words in words.items()},
        tuple(countings),
        smoothing,
        is_size_normalised,
    )
    cells = _cells(lexicon, identity[3], prompts, group_sums, word_sums)
    seed = seed_of(seed, "stereotypes", *identity)
    return _rows(identity, lexicon, resample(lexicon, cells, n_permutations, n_bootstrap, seed))


def _cells(lexicon, attribute, prompts, group_sums, word_sums):
    """Sums of each prompt, and whom it is about where the suite has an attribute of the same groups."""
    position = {prompt: index for index, (prompt, *_) in enumerate(prompts)}
    sums = np.zeros((len(prompts), len(lexicon.groups), lexicon.width))
    for prompt, group, n_words, beside in group_sums:
        sums[position[prompt], lexicon.groups.index(group), :2] = n_words, beside
    place = {
        (name, word, part): lexicon.places(name, part).start + index
        for name, words in lexicon.words.items()
        for part in lexicon.parts
        for index, word in enumerate(words)
    }
    for prompt, group, name, word, *parts in word_sums:
        by_part = dict(zip(("cooccurrence", "product", "indicator"), parts, strict=True))
        for part in lexicon.parts:
            sums[position[prompt], lexicon.groups.index(group), place[name, word, part]] = by_part[part]
    blocks = np.unique([block for _, block, _, _ in prompts], return_inverse=True)[1]
    about = [attributes.get(attribute) for _, _, attributes, _ in prompts]
    group = None
    if all(value in lexicon.groups for value in about) and len(set(about)) > 1:
        group = np.array([lexicon.groups.index(value) for value in about])
    return Cells(sums, blocks, group, np.array([n for *_, n in prompts], dtype=np.float64))


def _rows(identity, lexicon, result):
    suite, category, config_key, attribute = identity
    for index, column in enumerate(lexicon.columns()):
        is_tested = column.metric != "representation"
        yield {
            **column._asdict(),
            "suite": suite,
            "category": category,
            "config_key": config_key,
            "attribute": attribute,
            "feature": "",
            **{name: float(values[index]) for name, values in result.numbers.items()},
            "min_attainable_p": result.min_attainable_p if is_tested else math.nan,
            "resampling_unit": result.unit,
            "n_units": result.n_units,
            "permutation_scheme": result.scheme if is_tested else None,
        }


def _averaged(identity, settings, prompts):
    """Yield the rows of one scorer's measure."""
    suite, category, config_key, feature = identity
    seed, _, n_bootstrap = settings
    blocks = np.unique([block for block, *_ in prompts], return_inverse=True)[1]
    values = np.array([numbers for _, *numbers in prompts], dtype=np.float64)
    is_share = [name != "maximum" for name in SCORES]
    means = resample_means(values, blocks, n_bootstrap, seed_of(seed, "stereotypes", *identity), is_share)
    for index, metric in enumerate(SCORES.values()):
        yield {
            **dict.fromkeys(("attribute", "target_list", "counting", "word", "group_a", "group_b"), ""),
            "suite": suite,
            "category": category,
            "config_key": config_key,
            "metric": metric,
            "feature": feature,
            "value": float(means.value[index]),
            "ci_low": float(means.interval[index, 0]),
            "ci_high": float(means.interval[index, 1]),
            "resampling_unit": means.unit,
            "n_units": means.n_units,
        }
