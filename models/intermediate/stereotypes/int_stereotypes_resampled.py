"""Grain: one row per suite, category, config_key, metric, attribute, target_list, feature, counting, word,
group_a, group_b: the interval, and what chance alone gives."""

import math

import numpy as np
import pyarrow as pa

from ingest.inference.words import Cells, Lexicon, resample, resample_means
from ingest.keys import key

KEYS = (
    "suite",
    "category",
    "config_key",
    "metric",
    "attribute",
    "target_list",
    "feature",
    "counting",
    "word",
)
KEYS += ("group_a", "group_b")
NUMBERS = ("value", "signed_value", "ci_low", "ci_high", "signed_ci_low", "signed_ci_high")
NUMBERS += ("p_value", "null_median", "null_p95", "min_attainable_p")
SCHEMA = pa.schema(
    [(name, pa.string()) for name in KEYS]
    + [(name, pa.float64()) for name in NUMBERS]
    + [("resampling_unit", pa.string()), ("n_units", pa.int64()), ("permutation_scheme", pa.string())]
)
SCORES = {
    "fraction": "stereotype_fraction",
    "maximum": "expected_maximum_stereotype",
    "is_exceeded": "stereotype_probability",
}


def model(dbt, session):
    dbt.config(materialized="table")
    settings = {
        suite: values
        for suite, *values in dbt.ref("stg_suite__suites")
        .project("suite, seed, n_permutations, n_bootstrap")
        .fetchall()
    }
    asked = {
        suite: values
        for suite, *values in dbt.ref("stg_suite__stereotypes")
        .project("suite, countings, smoothing, is_size_normalised")
        .fetchall()
    }
    groups: dict[tuple, list] = {}
    for suite, attribute, *row in (
        dbt.ref("int_stereotype_groups_listed")
        .order("suite, attribute, group_position")
        .project("suite, attribute, group_value, n_listed, reference_share")
        .fetchall()
    ):
        groups.setdefault((suite, attribute), []).append(row)
    prompts = _by(dbt.ref("int_stereotype_prompts_listed").order("prompt_key"), 3)
    group_sums = _by(
        dbt.ref("int_stereotype_groups_summed").project(
            "suite, category, config_key, attribute, prompt_key, group_value, n_words, cooccurrence"
        ),
        4,
    )
    word_sums = _by(
        dbt.ref("int_stereotype_words_summed")
        .order("suite, category, config_key, attribute, target_list, word, prompt_key, group_value")
        .project(
            "suite, category, config_key, attribute, prompt_key, group_value, target_list, word,"
            " cooccurrence, product, indicator"
        ),
        4,
    )
    rows = []
    for identity in sorted(group_sums):
        suite, attribute = identity[0], identity[3]
        countings, smoothing, is_size_normalised = asked[suite]
        listed = groups[suite, attribute]
        found = word_sums.get(identity, [])
        words: dict[str, dict[str, None]] = {}
        for _, _, target_list, word, *_ in found:
            words.setdefault(target_list, {})[word] = None
        lexicon = Lexicon(
            tuple(group for group, _, _ in listed),
            np.array([n for _, n, _ in listed], dtype=np.float64),
            np.array([share for _, _, share in listed]),
            {name: tuple(listed_words) for name, listed_words in words.items()},
            tuple(countings),
            smoothing,
            is_size_normalised,
        )
        cells = _cells(lexicon, attribute, prompts[identity[:3]], group_sums[identity], found)
        seed, n_permutations, n_bootstrap = settings[suite]
        result = resample(lexicon, cells, n_permutations, n_bootstrap, _seed(seed, identity))
        rows += _rows(identity, lexicon, result)
    scores = _by(
        dbt.ref("int_stereotype_scores_averaged")
        .order("prompt_key")
        .project("suite, category, config_key, feature, block_key, fraction, maximum, is_exceeded"),
        4,
    )
    for identity in sorted(scores):
        seed, _, n_bootstrap = settings[identity[0]]
        rows += _score_rows(identity, scores[identity], n_bootstrap, _seed(seed, identity))
    return session.from_arrow(pa.Table.from_pylist(rows, schema=SCHEMA))


def _by(relation, n_keys):
    """Rows of a relation by its first columns."""
    found: dict[tuple, list] = {}
    for row in relation.fetchall():
        found.setdefault(row[:n_keys], []).append(row[n_keys:])
    return found


def _seed(seed, identity):
    """A seed that depends on what is resampled, not on how many others there are."""
    return int(key(seed, "stereotypes", *identity)[:15], 16)


def _cells(lexicon, attribute, prompts, group_sums, word_sums):
    """Sums of each prompt, and whom it is about where the suite has an attribute of the same groups."""
    position = {prompt: index for index, (prompt, _, _) in enumerate(prompts)}
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
    blocks = np.unique([block for _, block, _ in prompts], return_inverse=True)[1]
    about = [attributes.get(attribute) for _, _, attributes in prompts]
    group = None
    if all(value in lexicon.groups for value in about) and len(set(about)) > 1:
        group = np.array([lexicon.groups.index(value) for value in about])
    return Cells(sums, blocks, group)


def _number(value):
    return float(value) if math.isfinite(value) else None


def _rows(identity, lexicon, result):
    suite, category, config_key, attribute = identity
    for index, column in enumerate(lexicon.columns()):
        is_tested = column.metric != "representation"
        numbers = (
            result.value[index],
            result.signed_value[index],
            *result.interval[index],
            *result.signed_interval[index],
            result.p_value[index],
            result.null_median[index],
            result.null_p95[index],
            result.min_attainable_p if is_tested else math.nan,
        )
        yield {
            **column._asdict(),
            "suite": suite,
            "category": category,
            "config_key": config_key,
            "attribute": attribute,
            "feature": "",
            **{name: _number(value) for name, value in zip(NUMBERS, numbers, strict=True)},
            "resampling_unit": result.unit,
            "n_units": result.n_units,
            "permutation_scheme": result.scheme if is_tested else None,
        }


def _score_rows(identity, prompts, n_bootstrap, seed):
    suite, category, config_key, feature = identity
    blocks = np.unique([block for block, *_ in prompts], return_inverse=True)[1]
    values = np.array([numbers for _, *numbers in prompts], dtype=np.float64)
    means = resample_means(values, blocks, n_bootstrap, seed)
    for index, metric in enumerate(SCORES.values()):
        yield {
            **dict.fromkeys(("attribute", "target_list", "counting", "word", "group_a", "group_b"), ""),
            "suite": suite,
            "category": category,
            "config_key": config_key,
            "metric": metric,
            "feature": feature,
            "value": _number(means.value[index]),
            "ci_low": _number(means.interval[index, 0]),
            "ci_high": _number(means.interval[index, 1]),
            "resampling_unit": means.unit,
            "n_units": means.n_units,
        }
