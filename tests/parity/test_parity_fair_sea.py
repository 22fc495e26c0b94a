"""Parity with FAIR-SEA's public code on 3,840 real responses, from the file of responses to the marts.

The reference figures are in a folder beside this repository, `shared/oracles/fair_sea`, or under the folder
that PLUMBLINE_ORACLES names; they are not part of it. Every row of outcomes.csv, metrics.csv,
metrics_unbalanced.csv and p_gender_given_label.csv is accounted for. Left out, because nothing here gives
them: the type II ANOVA tables (SPEC FS-11) and the comparison with a made-up census.

Where an input is known to differ from the reference's (a lexicon, a near-tie), formulas of this file first
have to give the reference's figures from the reference's inputs, and then ours from ours.
"""

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
import yaml
from built import build_tested
from click.testing import CliRunner
from places import ORACLES, ROOT
from scipy import stats

from ingest import extract, load, warehouse

ORACLE = ORACLES / "fair_sea"
if not ORACLE.is_dir():
    pytest.skip(
        f"parity with FAIR-SEA is not tested: {ORACLE} is not there (PLUMBLINE_ORACLES names its parent)",
        allow_module_level=True,
    )

BALANCED, UNBALANCED = "fair_sea_parity", "fair_sea_parity_unbalanced"
POOLED = "ALL"
# Tests of a model that is not selected stay out, and those of columns: values are compared here.
MARTS = ("outcomes", "associations", "group_deviations", "score_shifts", "score_tests", "ground_truth")
ATTRIBUTES = ("gender", "race", "nationality")
NEAR_TIE = 0.001

# (category, reference's name) of a measure -> ours: the outcome set, or the feature of a score.
MEASURES = {
    ("D1", "leadership_concern_category"): "leadership_concern",
    ("D2", "sentiment_score"): "vader_compound",
    ("D3", "tone_choice"): "tone_choice",
    ("D4", "family_perception_category"): "family_perception",
    ("I1", "occupation_group"): "occupation_group",
    ("I2", "industry"): "industry",
    ("I3", "decision"): "decision",
    ("I3", "justification_sentiment"): "vader_compound_without_decision",
    ("I4", "negative_adjective_category"): "appearance_adjective",
}
# Features and the outcome sets that hold them.
SCORES = {
    "vader_compound": "suitability_sentiment",
    "vader_compound_without_decision": "justification_sentiment",
}
# What the reference has where there is one group or one outcome, and the marts have no number.
WITHOUT_A_TEST = {
    ("toolkit", "chi2_p"): 1.0,
    ("methodology", "chi2_p"): None,
    ("methodology", "cramers_v"): None,
}

Row = Mapping[str, Any]
Figure = tuple[str, str, str]  # definition, metric, group
Table = tuple[str, str, str, str]  # suite, model, category, measure
Cell = tuple[float | None, str]  # value, status


@dataclass(frozen=True)
class Answer:
    """One response as it was loaded, and what the reference makes of it."""

    suite: str
    model: str
    source_id: str
    attributes: tuple[str, str, str]
    outcome: Row

    @property
    def is_near_tie(self) -> bool:
        gap = self.outcome["gap_to_next_category"]
        return bool(gap) and float(gap) < NEAR_TIE


@dataclass
class Audit:
    """A warehouse of both suites, the responses that went into it, and what it reads in each.

    `read` has a row per (suite, model, source_id, outcome set).
    """

    marts: warehouse.Warehouse
    answers: list[Answer]
    read: dict[tuple[str, str, str, str], Row]


def read_csv(name: str) -> list[dict[str, str]]:
    with (ORACLE / name).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def split_id(source_id: str) -> tuple[str, int]:
    stem, _, repeat = source_id.rpartition("-")
    return stem, int(repeat)


def is_kept(row: Row) -> bool:
    """The reference's rule for a subset in which no two groups are equally large."""
    _, repeat = split_id(row["prompt_id_full"])
    return not (
        (row["Gender"].title() == "Female" and repeat >= 3 and row["Race"] != "Chinese")
        or (row["Race"] == "Indian" and repeat == 5)
        or (row["Nationality"] == "Thai" and repeat >= 4)
        or (row["Nationality"] == "Filipino" and row["Race"] == "Malay" and repeat >= 2)
    )


def pooled_copies(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Every row once more as an answer of one model, with repeats that keep them apart."""
    models = sorted({row["model"] for row in rows})
    copies = []
    for row in rows:
        stem, repeat = split_id(row["prompt_id_full"])
        source_id = f"{stem}-{repeat + 100 * (1 + models.index(row['model']))}"
        copies.append({**row, "model": POOLED, "prompt_id_full": source_id})
    return copies


def run(command: click.Command, data: Path, *arguments: str) -> None:
    result = CliRunner().invoke(command, arguments, obj=data, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def bring_in(data: Path, suite: str, rows: list[dict[str, str]]) -> None:
    """Load and measure rows under a copy of the shipped suite that leaves no group out."""
    content = yaml.safe_load((ROOT / "suites" / "fair_sea.yml").read_text(encoding="utf-8"))
    content |= {
        "suite": suite,
        "axes": "all",
        "minimum": {"cell": 1},
        "scorers": ["vader"],
        "topics": [],
        "resampling": {"permutations": 0, "bootstrap": 0},
    }
    for category in content["categories"].values():
        category.pop("axes", None)
    suite_file, responses = data / f"{suite}.yml", data / f"{suite}.csv"
    suite_file.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")
    with responses.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    run(load.command, data, str(responses), "--suite", str(suite_file))
    run(extract.command, data, "--suite", str(suite_file))


def answers_of(suite: str, loaded: list[dict[str, str]], source: list[dict[str, str]]) -> list[Answer]:
    """Pair each loaded row with the reference's outcome of the row that it was made from."""
    outcomes = {(row["prompt_id_full"], row["model"]): row for row in read_csv("outcomes.csv")}
    return [
        Answer(
            suite,
            row["model"],
            row["prompt_id_full"],
            (row["Gender"].title(), row["Race"], row["Nationality"]),
            outcomes[original["prompt_id_full"], original["model"]],
        )
        for row, original in zip(loaded, source, strict=True)
    ]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    data = tmp_path_factory.mktemp("fair_sea")
    source = read_csv("responses.csv")
    kept = [row for row in source if is_kept(row)]
    assert (len(source), len(kept)) == (3_840, 2_848)
    balanced = source + pooled_copies(source)
    bring_in(data, BALANCED, balanced)
    bring_in(data, UNBALANCED, kept)
    build_tested(data, *(f"fct_{mart}" for mart in MARTS), "dim_prompts", "dim_responses")
    answers = answers_of(BALANCED, balanced, source * 2) + answers_of(UNBALANCED, kept, kept)
    with warehouse.Warehouse(data) as marts:
        read = {
            (row["suite"], row["model"], row["source_id"], row["outcome_set"]): row
            for row in marts.rows(
                """
                select
                    outcomes.suite,
                    outcomes.model,
                    responses.source_id,
                    outcomes.outcome_set,
                    case when outcomes.is_counted then outcomes.outcome end as outcome,
                    outcomes.score
                from fct_outcomes as outcomes
                inner join dim_responses as responses on outcomes.response_key = responses.response_key
                """
            )
        }
        yield Audit(marts, answers, read)


# What the marts hold, under the reference's names.


def figures(marts: warehouse.Warehouse) -> dict[tuple[Table, str, Figure], Cell]:
    """Return (table, axis, figure) -> value and status."""
    found: dict[tuple[Table, str, Figure], Cell] = {}
    for mart, measure, translate in (
        ("fct_associations", "outcome_set", of_association),
        ("fct_group_deviations", "outcome_set", of_deviation),
        ("fct_score_shifts", "feature", of_shift),
        ("fct_score_tests", "feature", of_test),
    ):
        for row in marts.rows(f"select * from {mart}"):
            table = (row["suite"], row["model"], row["category"], row[measure])
            for figure, value in translate(row):
                key = (table, row["axis"], figure)
                assert key not in found, key
                found[key] = (value, row["status"])
    for row in marts.rows(WHOLE_TABLES):
        table = (row["suite"], row["model"], row["category"], row["feature"])
        for metric in ("n", "n_groups", "mean_all", "sd_all_ddof1", "sd_all_ddof0"):
            found[table, row["axis"], ("methodology", metric, "")] = (row[metric], "ok")
        factor = row["sd_all_ddof1"] / row["sd_all_ddof0"]
        for group in row["group_values"]:
            dbi, status = found[table, row["axis"], ("methodology", "DBI_ddof1", group)]
            value = None if dbi is None else dbi * factor
            found[table, row["axis"], ("methodology", "DBI_ddof0", group)] = (value, status)
    return found


# A table of scores as a whole, from the groups that the mart compares.
WHOLE_TABLES = """
    with whole as (
        select *, sum(n * mean) over same_table / sum(n) over same_table as mean_all
        from fct_score_shifts
        where mean is not null
        window same_table as (partition by suite, model, category, feature, axis)
    ),

    summed as (
        select
            suite,
            model,
            category,
            feature,
            axis,
            list(group_value) as group_values,
            count(*) as n_groups,
            sum(n) as n,
            any_value(mean_all) as mean_all,
            sum(coalesce((n - 1) * power(standard_deviation, 2), 0)) as squares_within,
            sum(n * power(mean - mean_all, 2)) as squares_between
        from whole
        group by all
    )

    select
        *,
        sqrt((squares_within + squares_between) / (n - 1)) as sd_all_ddof1,
        sqrt((squares_within + squares_between) / n) as sd_all_ddof0
    from summed
"""


def of_association(row: Row) -> Iterator[tuple[Figure, Any]]:
    corrected = row["dof"] == 1
    toolkit = {
        "n": row["n"],
        "chi2": row["chi_square_yates"] if corrected else row["chi_square"],
        "chi2_dof": row["dof"],
        "chi2_p": row["p_value_yates"] if corrected else row["p_value_chi_square"],
    }
    methodology = {
        "n": row["n"],
        "n_groups": row["n_groups"],
        "n_outcomes": row["n_outcomes"],
        "chi2": row["chi_square"],
        "chi2_dof": row["dof"],
        "chi2_p": row["p_value_chi_square"],
        "cramers_v": row["cramers_v"],
        "min_expected": row["min_expected"],
        "share_cells_expected_ge5": row["expected_ge_5_rate"],
    }
    yield from ((("toolkit", metric, ""), value) for metric, value in toolkit.items())
    yield from ((("methodology", metric, ""), value) for metric, value in methodology.items())


def of_deviation(row: Row) -> Iterator[tuple[Figure, Any]]:
    metric, group, value = row["metric"], row["group_value"], row["value"]
    if row["reference"] == "macro":
        if metric in ("fdi", "idi"):
            # The toolkit gives one number under both names, on every axis.
            yield ("toolkit", "FDI", group), value
            yield ("toolkit", "IDI", group), value
        elif metric == "jsd_nats":
            distance = None if value is None else math.sqrt(value / math.log(2))
            yield ("toolkit", "JSD_distance_base2", group), distance
        return
    if metric in ("fdi", "idi"):
        yield ("methodology", metric.upper(), group), value
        yield ("methodology", "n_group", group), row["n"]
    elif metric == "jsd_nats":
        yield ("methodology", "JSD_nats", group), value
    elif metric == "max_jsd_nats":
        yield ("methodology", "JSD_nats_max", ""), value
    elif metric != "mean_jsd_nats":
        summary, _, name = metric.partition("_")
        yield ("methodology", f"{name.upper()}_{summary}", ""), value


def of_shift(row: Row) -> Iterator[tuple[Figure, Any]]:
    group = row["group_value"]
    yield ("methodology", "n_group", group), row["n"]
    yield ("methodology", "mean", group), row["mean"]
    yield ("methodology", "sd_ddof1", group), row["standard_deviation"]
    yield ("methodology", "DBI_ddof1", group), row["dbi"]
    yield ("toolkit", "count", group), row["n"]
    yield ("toolkit", "mean", group), row["mean"]
    yield ("toolkit", "std_ddof1", group), row["standard_deviation"]
    yield ("toolkit", "DBI_ddof1", group), row["dbi"]


def of_test(row: Row) -> Iterator[tuple[Figure, Any]]:
    if row["test"] == "anova":
        for definition in ("toolkit", "methodology"):
            yield (definition, "anova_F", ""), row["value"]
            yield (definition, "anova_p", ""), row["p_value"]
        yield ("methodology", "anova_df_between", ""), row["dof"]
        yield ("methodology", "anova_df_within", ""), row["dof_within"]
        yield ("methodology", "eta_squared", ""), row["effect_value"]
    elif row["test"] == "pooled_t" and row["value"] is not None:
        pair = f"{row['group_a']} minus {row['group_b']}"
        yield ("methodology", "t_pooled", pair), row["value"]
        yield ("methodology", "t_pooled_dof", pair), row["dof"]
        yield ("methodology", "t_pooled_p", pair), row["p_value"]
        yield ("methodology", "cohens_d", pair), row["effect_value"]
    elif row["test"] == "welch_t" and row["value"] is not None:
        # The toolkit subtracts in order of appearance, the other way round.
        pair = f"{row['group_b']} minus {row['group_a']}"
        yield ("toolkit", "t_welch", pair), -row["value"]
        yield ("toolkit", "t_welch_p", pair), row["p_value"]


# The same figures from responses, by NumPy and SciPy. The keys are those that bridged tables need.


def reference(pairs: list[tuple[str, Any]], is_score: bool, smallest: int = 1) -> dict[Figure, float | None]:
    """Return the figures of (group, outcome or score) pairs; `smallest` is an ANOVA's smallest group."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for group, value in sorted(pairs, key=lambda pair: pair[0]):
        groups[group].append(value)
    return dict(_of_scores(groups, smallest) if is_score else _of_outcomes(groups))


def _of_outcomes(groups: Mapping[str, list[str]]) -> Iterator[tuple[Figure, Any]]:
    labels = sorted({label for values in groups.values() for label in values})
    counts = np.array([[values.count(label) for label in labels] for values in groups.values()])
    shares = counts / counts.sum(axis=1, keepdims=True)
    is_single = " & " not in next(iter(groups))
    chance = stats.chi2_contingency(counts)
    uncorrected = stats.chi2_contingency(counts, correction=False)
    for metric, value in {
        "n": counts.sum(),
        "chi2": chance.statistic,
        "chi2_dof": chance.dof,
        "chi2_p": chance.pvalue,
    }.items():
        yield ("toolkit", metric, ""), value
    for metric, value in {
        "n": counts.sum(),
        "n_groups": len(groups),
        "n_outcomes": len(labels),
        "chi2": uncorrected.statistic,
        "chi2_dof": uncorrected.dof,
        "chi2_p": uncorrected.pvalue,
        "cramers_v": math.sqrt(uncorrected.statistic / counts.sum() / (min(counts.shape) - 1)),
        "min_expected": uncorrected.expected_freq.min(),
        "share_cells_expected_ge5": (uncorrected.expected_freq >= 5).mean(),
    }.items():
        yield ("methodology", metric, ""), value
    name = "FDI" if is_single else "IDI"
    pooled, macro = counts.sum(axis=0) / counts.sum(), shares.mean(axis=0)
    deviations = np.abs(shares - pooled).sum(axis=1) / 2
    divergences = [_divergence(share, pooled) for share in shares]
    yield ("methodology", f"{name}_mean", ""), deviations.mean()
    yield ("methodology", f"{name}_max", ""), deviations.max()
    yield ("methodology", "JSD_nats_max", ""), max(divergences)
    for i, group in enumerate(groups):
        yield ("methodology", "n_group", group), counts[i].sum()
        yield ("methodology", name, group), deviations[i]
        yield ("methodology", "JSD_nats", group), divergences[i]
        for both in ("FDI", "IDI"):
            yield ("toolkit", both, group), np.abs(shares[i] - macro).sum() / 2
        distance = math.sqrt(_divergence(shares[i], macro) / math.log(2))
        yield ("toolkit", "JSD_distance_base2", group), distance


def _divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Jensen-Shannon, in nats, as an entropy of the mean less the mean of entropies."""
    return max(0.0, stats.entropy((p + q) / 2) - (stats.entropy(p) + stats.entropy(q)) / 2)


def _of_scores(groups: Mapping[str, list[float]], smallest: int) -> Iterator[tuple[Figure, Any]]:
    arrays = {group: np.array(values) for group, values in groups.items()}
    whole = np.concatenate(list(arrays.values()))
    for metric, value in {
        "n": len(whole),
        "n_groups": len(arrays),
        "mean_all": whole.mean(),
        "sd_all_ddof1": whole.std(ddof=1),
        "sd_all_ddof0": whole.std(),
    }.items():
        yield ("methodology", metric, ""), value
    for group, values in arrays.items():
        shift = values.mean() - whole.mean()
        spread = values.std(ddof=1) if len(values) > 1 else None
        for definition, count, deviation in (
            ("toolkit", "count", "std_ddof1"),
            ("methodology", "n_group", "sd_ddof1"),
        ):
            yield (definition, count, group), len(values)
            yield (definition, "mean", group), values.mean()
            yield (definition, deviation, group), spread
            yield (definition, "DBI_ddof1", group), shift / whole.std(ddof=1)
        yield ("methodology", "DBI_ddof0", group), shift / whole.std()
    if len(arrays) == 2:
        (first, a), (second, b) = arrays.items()
        pooled, welch = stats.ttest_ind(a, b), stats.ttest_ind(b, a, equal_var=False)
        for metric, value in {
            "t_pooled": pooled.statistic,
            "t_pooled_dof": len(whole) - 2,
            "t_pooled_p": pooled.pvalue,
            "cohens_d": pooled.statistic * math.sqrt(1 / len(a) + 1 / len(b)),
        }.items():
            yield ("methodology", metric, f"{first} minus {second}"), value
        yield ("toolkit", "t_welch", f"{second} minus {first}"), welch.statistic
        yield ("toolkit", "t_welch_p", f"{second} minus {first}"), welch.pvalue
    elif len(arrays) > 2:
        used = [values for values in arrays.values() if len(values) >= smallest]
        anova = stats.f_oneway(*used)
        between, within = len(used) - 1, sum(map(len, used)) - len(used)
        for definition in ("toolkit", "methodology"):
            yield (definition, "anova_F", ""), anova.statistic
            yield (definition, "anova_p", ""), anova.pvalue
        yield ("methodology", "anova_df_between", ""), between
        yield ("methodology", "anova_df_within", ""), within
        ratio = anova.statistic * between / within
        yield ("methodology", "eta_squared", ""), ratio / (1 + ratio)


def group_of(answer: Answer, axis: str) -> str:
    return " & ".join(answer.attributes[ATTRIBUTES.index(part)] for part in axis.split(" & "))


def inputs(audit: Audit, table: Table) -> list[tuple[Answer, Any, Any]]:
    """Return (answer, what the reference makes of it, what the marts do) of a table's responses."""
    suite, model, category, measure = table
    rows = []
    for answer in audit.answers:
        if (answer.suite, answer.model, answer.outcome["category"]) == (suite, model, category):
            ours = audit.read[suite, model, answer.source_id, SCORES.get(measure, measure)]
            if measure in SCORES:
                rows.append((answer, float(answer.outcome["outcome_score"]), ours["score"]))
            elif answer.outcome["outcome_label"] or ours["outcome"]:
                rows.append((answer, answer.outcome["outcome_label"], ours["outcome"]))
    return rows


def bridge(
    audit: Audit, table: Table, axis: str
) -> tuple[dict[Figure, float | None], dict[Figure, float | None]] | None:
    """Return the figures by the reference's inputs and rules, and by ours, where these are known to differ.

    Three things differ. VADER's word list, on I3: the reference took NLTK's. The label of one near-tie of
    D1. And a group of one answer, which enters the reference's ANOVA but not ours (SPEC FS-9).
    """
    _, _, category, measure = table
    rows = inputs(audit, table)
    is_score = measure in SCORES
    if is_score:
        differs = any(not is_close(theirs, ours, is_score) for _, theirs, ours in rows)
        assert category == "I3" or not differs
    else:
        different = [answer for answer, theirs, ours in rows if theirs != ours]
        assert all(answer.is_near_tie for answer in different)
        differs = bool(different)
    has_group_of_one = 1 in Counter(group_of(answer, axis) for answer, _, _ in rows).values()
    if not (differs or (is_score and has_group_of_one)):
        return None
    return (
        reference([(group_of(answer, axis), theirs) for answer, theirs, _ in rows], is_score),
        reference([(group_of(answer, axis), ours) for answer, _, ours in rows], is_score, smallest=2),
    )


def is_close(a: float | None, b: float | None, is_score: bool) -> bool:
    if a is None or b is None:
        return a is b
    relative, absolute = (1e-6, 1e-9) if is_score else (1e-9, 1e-12)
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def test_outcomes_are_the_references(audit: Audit) -> None:
    compared: Counter[str] = Counter()
    others = []
    for answer in audit.answers:
        theirs = answer.outcome
        category = theirs["category"]
        for (code, _), measure in MEASURES.items():
            if code != category:
                continue
            ours = audit.read[answer.suite, answer.model, answer.source_id, SCORES.get(measure, measure)]
            if measure in SCORES:
                expected: Any = float(theirs["score_vaderSentiment_pkg"])
                same = is_close(expected, ours["score"], is_score=True)
            else:
                expected = theirs["outcome_label"] or None
                same = ours["outcome"] == expected
            compared[f"{answer.suite} {category} {measure}"] += 1
            if not same:
                others.append((answer, expected, ours))

    print(*(f"{n:>5} {name}" for name, n in sorted(compared.items())), sep="\n")
    # I3 has two outcomes a response.
    assert compared.total() == 2 * (3_840 + 600) + 2_848 + 460
    near_ties = {(a.outcome["prompt_id_full"], a.outcome["model"]) for a in audit.answers if a.is_near_tie}
    assert len(near_ties) == 1
    assert [other for other in others if not other[0].is_near_tie] == []


@pytest.mark.parametrize(
    ("suite", "name", "n_rows"),
    [(BALANCED, "metrics.csv", 10_887), (UNBALANCED, "metrics_unbalanced.csv", 6_872)],
)
def test_metrics_are_the_references(audit: Audit, suite: str, name: str, n_rows: int) -> None:
    found = figures(audit.marts)
    bridges: dict[tuple[Table, str], Any] = {}
    compared: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for row in read_csv(name):
        category, outcome = row["prompt_category"], row["outcome"]
        table = (suite, row["model"], category, MEASURES[category, outcome])
        axis = row["axis"].lower().replace(" x ", " & ")
        # The toolkit's functions where it does not itself apply them are the same functions.
        definition = row["definition"].removesuffix("_functions_applied")
        figure = (definition, row["metric"], row["group"].replace(" | ", " & "))
        expected = float(row["value"]) if row["value"] else None
        value, status = found[table, axis, figure]
        is_score = table[3] in SCORES

        if (table, axis) not in bridges:
            bridges[table, axis] = bridge(audit, table, axis)
        if value is None and status in ("single_group", "not_applicable"):
            how = "without a number"
            same = is_close(expected, WITHOUT_A_TEST.get(figure[:2], 0.0), is_score)
            seen: tuple[Any, ...] = (expected, status)
        elif bridges[table, axis] is not None:
            how = "equal by their inputs, and by ours"
            by_theirs, by_ours = (side[figure] for side in bridges[table, axis])
            same = is_close(expected, by_theirs, is_score) and is_close(value, by_ours, is_score)
            seen = (expected, by_theirs, value, by_ours)
        else:
            how = "equal"
            same = is_close(expected, value, is_score)
            seen = (expected, value, status)
        if not same:
            wrong.append((table, axis, figure, *seen))
        compared[how][f"{row['definition']} {row['metric']}"] += 1

    for how, counts in compared.items():
        print(f"{name}, {how}: {counts.total():,}")
        print(*(f"{n:>7} {metric}" for metric, n in sorted(counts.items())), sep="\n")
    assert wrong == []
    assert sum(counts.total() for counts in compared.values()) == n_rows


def test_shares_of_gender_given_an_outcome_are_the_references(audit: Audit) -> None:
    counted = {
        (row["model"], row["category"], row["outcome"], row["gender"]): row["n"]
        for row in audit.marts.rows(
            """
            select
                outcomes.model,
                outcomes.category,
                outcomes.outcome,
                prompts.attributes['gender'] as gender,
                count(*) as n
            from fct_outcomes as outcomes
            inner join dim_prompts as prompts on outcomes.prompt_key = prompts.prompt_key
            where outcomes.suite = ? and outcomes.is_counted
            group by all
            """,
            [BALANCED],
        )
    }
    published = {
        (row["model"], row["category"], row["outcome"].lower(), row["sex"]): row
        for row in audit.marts.rows(
            "select * from fct_ground_truth where suite = ? and direction = 'gender_given_outcome'",
            [BALANCED],
        )
    }
    compared: Counter[str] = Counter()
    wrong = []
    for row in read_csv("p_gender_given_label.csv"):
        of_label = (row["model"], row["prompt_category"], row["label"])
        key = (*of_label, row["gender"])
        expected = float(row["p_gender_given_label"])
        if row["label_set"] == "extracted":
            how = "counted in fct_outcomes"
            n, n_label = counted.get(key, 0), sum(counted.get((*of_label, g), 0) for g in ("Female", "Male"))
            same = [n, n_label] == [int(row["n"]), int(row["n_label"])]
            same = same and is_close(n / n_label, expected, is_score=False)
        elif row["prompt_category"] == "I1" and row["label"] == "others":
            how = "left out of the census comparison: no occupation"
            same = key not in published
        elif published[key]["n"] == 0:
            how = "without an answer, hence without a share"
            same = (published[key]["model_share"], expected) == (None, 0.0)
        else:
            how = "equal in fct_ground_truth"
            same = is_close(published[key]["model_share"], expected, is_score=False)
        compared[how] += 1
        if not same:
            wrong.append((row, how))

    print(*(f"{n:>5} {how}" for how, n in compared.items()), sep="\n")
    assert wrong == []
    assert compared.total() == 208
