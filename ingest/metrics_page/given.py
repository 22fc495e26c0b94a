"""What the worked examples stand on: tables on an in-memory database, and this project's functions as SQL.

The data is in docs/metrics/given.yml; here is what SQL cannot make of it. So an example is a query, and its
results are computed when the page is written.
"""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from vaderSentiment.vaderSentiment import normalize

from ingest.inference import pairs
from ingest.inference.design import Design
from ingest.inference.differences import resample_differences
from ingest.inference.distributions import chi_square_p, f_p, fisher_exact_p, t_p
from ingest.inference.drawing import intervals
from ingest.inference.group_statistics import (
    attainable_dbi,
    dixon_ends,
    impact_ratio,
    standard_deviation,
    value_range,
    z_scores,
)
from ingest.inference.interactions import interaction
from ingest.inference.linear import anova_type_2, assumptions
from ingest.inference.planning import Layout, gap_at, limit_for, power_to_fail, power_to_pass
from ingest.inference.resampling import resample
from ingest.inference.samples import Column, Samples, parse_parameters
from ingest.inference.sums import outcome_sums, score_sums, selection_sums
from ingest.inference.variance import variance_components
from ingest.measuring import topics
from ingest.measuring.languages import LanguageDetector
from ingest.measuring.text_overlap import Overlap
from ingest.metrics_page.sql import Sql
from ingest.scorers.classifier import CLASSIFIERS

GIVEN = Path("docs/metrics/given.yml")


def given(project: Path) -> tuple[Sql, dict[str, str]]:
    """Return a database with every table of docs/metrics/given.yml, and its phrases."""
    sql = Sql(project)
    for name, (function, arguments, result) in FUNCTIONS.items():
        sql.connection.create_function(name, function, arguments, result)
    declared = yaml.load((project / GIVEN).read_text(encoding="utf-8"), yaml.CSafeLoader)
    for step in declared["tables"]:
        if "table" in step:
            sql.query(step["table"], step["sql"])
        elif "model" in step:
            sql.model(step["model"])
        elif "seed" in step:
            sql.seed(step["seed"])
        else:
            TABLES[step["function"]](sql)
    return sql, declared["phrases"]


# ------------------------------------------------------------------------------------------ functions


def _smallest_p(n_groups: int, n_prompts: int) -> float:
    """min_attainable_p where each group has `n_prompts` prompts of its own, ten answers each."""
    prompt = np.repeat(np.arange(n_groups * n_prompts), 10)
    design = Design.from_values([prompt % n_groups], prompt, prompt)
    return resample(design, score_sums(prompt), ["range"], n_bootstrap=0)[0].min_attainable_p


def _icc(values: list[list[float]]) -> float:
    """ICC of units, each a list of as many scores, all in one group."""
    units = np.repeat(np.arange(len(values)), len(values[0]))
    return variance_components(np.zeros_like(units), units, units, units, np.reshape(values, (-1, 1))).icc


EVEN = (0.5, 0.5)
FDI, APART = limit_for("max_fdi_pooled", 0.25, 0.15), limit_for("max_share_gap", 0.2, 0.2)


def _layout(n_names: int) -> Layout:
    """Two groups of so many names, five answers about each, which resemble one another by 0.15."""
    return Layout(n_groups=2, n_units=n_names, n_prompts=1, n_repeats=5, icc=0.15)


def _chance_to_fail(n_names: int, gap: float) -> float:
    return power_to_fail(_layout(n_names), EVEN, gap, APART)


def _chance_to_pass(n_names: int) -> float:
    return power_to_pass(_layout(n_names), EVEN, 0.0, APART)


def _type_2_f(values: list[float], group: list[int]) -> float:
    """F of the only factor."""
    (term,) = anova_type_2(values, [np.array(group)], ["group"])
    return float(term.value)


def _interaction_share(values: list[float], one: list[int], other: list[int]) -> float:
    """Of names with one value each, by two attributes."""
    attributes = np.array([one, other]).T
    group = np.unique(attributes, axis=0, return_inverse=True)[1].ravel()
    return interaction(attributes, group, np.arange(len(group)), np.array(values)[:, None], 1, 0).share


def _of_halves(name: str) -> tuple[Callable[[list[float]], float], list[str], str]:
    """What two groups assume, the first half of the scores and the second."""
    return (
        lambda values: float(getattr(assumptions(values, np.arange(len(values)) * 2 // len(values)), name)),
        ["double[]"],
        "double",
    )


def _classified(name: str, positive: float, negative: float) -> float:
    """What a classifier's first feature makes of its labels' probabilities."""
    feature = next(iter(CLASSIFIERS[name].features.values()))
    return float(feature.of(np.array([[positive, negative]]), {"positive": 0, "negative": 1})[0])


def statistic(name: str, parameters: str, values: Sequence[float], baselines: Sequence[float]) -> float:
    """Return a statistic as resampling computes it; bins that are shared lie between 0 and 1."""
    samples = Samples(np.array([values]), np.array([baselines]))
    return float(Column(name, parse_parameters(parameters)).of(samples)[0])


def _overlap(measure: str, one: str, other: str) -> float:
    return float(Overlap().score([(one, other)])[measure][0])


Function = tuple[Callable[..., Any], list[Any], str]


def _of_list(function: Callable[[np.ndarray], Any]) -> Function:
    return lambda values: float(function(np.array(values))), ["double[]"], "double"


def _list_of_list(function: Callable[[np.ndarray], Any]) -> Function:
    return lambda values: [float(one) for one in function(np.array(values))], ["double[]"], "double[]"


# Name in SQL: the function, types of its arguments, type of its result.
FUNCTIONS: dict[str, Function] = {
    "chi_square_p": (lambda x, dof: float(chi_square_p(x, dof)), ["double"] * 2, "double"),
    "t_p": (lambda t, dof: float(t_p(t, dof)), ["double"] * 2, "double"),
    "f_p": (lambda f, between, within: float(f_p(f, between, within)), ["double"] * 3, "double"),
    "fisher_exact_p": (lambda rows: float(fisher_exact_p(np.array(rows))), ["double[][]"], "double"),
    "attainable_dbi": (lambda weight: float(attainable_dbi(weight)), ["double"], "double"),
    "icc": (_icc, ["double[][]"], "double"),
    "type_2_f": (_type_2_f, ["double[]", "integer[]"], "double"),
    "interaction_share": (_interaction_share, ["double[]", "integer[]", "integer[]"], "double"),
    "normality_p": _of_halves("normality_p"),
    "equal_variance_p": _of_halves("equal_variance_p"),
    "gap_at_fdi_limit": (lambda n_groups: gap_at(FDI, EVEN, n_groups), ["integer"], "double"),
    "chance_to_fail": (_chance_to_fail, ["integer", "double"], "double"),
    "chance_to_pass": (_chance_to_pass, ["integer"], "double"),
    "smallest_p": (_smallest_p, ["integer", "integer"], "double"),
    "value_range": _of_list(value_range),
    "standard_deviation": _of_list(standard_deviation),
    "dixon_q": _of_list(lambda values: max(dixon_ends(values))),
    "dixon_ends": _list_of_list(dixon_ends),
    "z_scores": _list_of_list(z_scores),
    "impact_ratios": _list_of_list(impact_ratio),
    "statistic": (statistic, ["varchar", "varchar", "double[]", "double[]"], "double"),
    "vader_compound": (lambda valences: float(normalize(valences)), ["double"], "double"),
    "classified": (_classified, ["varchar", "double", "double"], "double"),
    "overlap": (_overlap, ["varchar"] * 3, "double"),
    "language_of": (lambda text: LanguageDetector().judge(text, "en").language, ["varchar"], "varchar"),
    "language_probability": (
        lambda text: LanguageDetector().judge(text, "en").probability, ["varchar"], "double",
    ),
}  # fmt: skip


# --------------------------------------------------------------------------------------------- tables


def _resampled(sql: Sql) -> None:
    """The 2×2 table as 80 names and as 16 names; and its first answer as the favourable one, of 80 names."""
    cells = "select group_value, outcome from int_responses_analysed where analysis_key = 1 order by all"
    group, outcome = np.array([tuple(row.values()) for row in sql.rows(cells)]).T
    codes = (outcome == "o1").astype(int)
    names = np.arange(len(group))
    of_outcomes = ("chi_square", "cramers_v", "fdi_pooled", "max_fdi_pooled", "max_share_gap")
    favourable = selection_sums(codes == 0)
    rows = []
    for design, name, sums, statistics in (
        ("80 names", names, outcome_sums(codes, 2), of_outcomes),
        ("16 names", names // 5, outcome_sums(codes, 2), of_outcomes),
        ("favourable", names, favourable, ("min_impact_ratio",)),
    ):
        found = resample(Design.from_values([group], name, name), sums, statistics, seed=1)
        rows += [{"design": design, **row._asdict()} for row in found]
    numbers = ("value", "p_value", "p_max", "null_median", "null_p05", "null_p95", "ci_low", "ci_high")
    types = {"design": "varchar", "statistic": "varchar", "group": "varchar", "n_units": "bigint"}
    _fill(sql, "resampled", types | dict.fromkeys(numbers, "double"), rows)


def _clustered(sql: Sql) -> None:
    """Six answers of four texts, their vectors on a line, in two clusters; and a word of the second."""
    texts, times = ["a safe town", "a quiet town", "a costly town", "costly rents"], np.array([2.0, 1, 2, 1])
    clusters = topics.cluster(np.array([[0.0], [1], [8], [9]]), times, 2, seed=42)
    likeness = np.array([[1.0, 0.0]])
    words = topics.theme(
        [topics.words_of(text) for text in texts], times, clusters.labels, clusters.labels[2],
        np.array([1.0, 1.0]), lambda words: likeness.repeat(len(words), 0),
    )  # fmt: skip
    costly = next(word for word in words if word.word == "costly")
    row = {
        "shares": [float(share) for share in np.bincount(clusters.labels, times) / times.sum()],
        "distance": float(clusters.centroids[clusters.labels[0], 0]),
        "word_share": costly.share,
        "word_share_elsewhere": costly.share_elsewhere,
        "similarity": costly.similarity,
    }
    _fill(sql, "clustered", {"shares": "double[]"} | dict.fromkeys(list(row)[1:], "double"), [row])


def _swapped(sql: Sql) -> None:
    """The four pairs' distance under every swap of a with b, and its interval where each comes five times."""
    a, b = np.array([tuple(row.values()) for row in sql.rows("select a, b from paired")]).T
    observed = sql.rows("select branches from pair_distances")[0]["branches"]
    samples = pairs.Samples(a, b, np.arange(len(a)), len(a))
    swaps = np.array(list(product((1.0, -1.0), repeat=len(a))))
    judged = pairs.chance(samples.distances(swaps)[None], np.array([observed]), "greater")
    many = pairs.Samples(np.tile(a, 5), np.tile(b, 5), np.arange(5 * len(a)), 5 * len(a))
    weights = pairs.draw_roots(many.n_roots, 1_000, np.random.default_rng(42))
    own = many.distances(np.ones((1, many.n_roots)))
    low, high = intervals(many.distances(weights)[None], own, many.n_roots)[0]
    row = {"n_swaps": len(swaps), "p_value": judged.p_value[0], "null_median": judged.null_median[0]}
    row |= {"ci_low": low, "ci_high": high}
    _fill(sql, "swapped", dict.fromkeys(row, "double"), [row])


def _two_configs(sql: Sql) -> None:
    """Two configs that were asked the same twelve questions about two groups."""
    block, group = np.repeat(np.arange(12), 2), np.tile([0, 1], 12)
    design = Design.from_values([group], np.arange(24), block)
    configs = np.stack([selection_sums(np.where(group == 0, block < n, block < 3)) for n in (9, 6)])
    found = resample_differences(design, configs, ("range", "min_impact_ratio", "selection_rate"), [(0, 1)])[
        0
    ]
    numbers = ("value_a", "value_b", "difference", "p_exchanged", "p_relabelled", "p_value")
    types = dict.fromkeys((*numbers, "min_attainable_p", "ci_low", "ci_high"), "double")
    rows = [row.row() for row in found]
    _fill(sql, "two_configs", {"statistic": "varchar", "group_value": "varchar", **types}, rows)


def _fill(sql: Sql, name: str, types: dict[str, str], rows: list[dict[str, Any]]) -> None:
    values = [[row[column] for column in types] for row in rows]
    sql.table(name, {f'"{column}"': kind for column, kind in types.items()}, values)


TABLES: dict[str, Callable[[Sql], None]] = {
    "resampled": _resampled,
    "clustered": _clustered,
    "swapped": _swapped,
    "two_configs": _two_configs,
}
