"""The metric dictionary as a page: docs/metrics.md, written from the seeds.

No result of an example is typed: it comes from `ingest.inference`, or from our own macros and models,
run in memory on the example's answers. So a formula that changes changes the page, and CI notices.
"""

import csv
import html
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import duckdb
import jinja2
import numpy as np
from vaderSentiment.vaderSentiment import normalize

from ingest import help_page
from ingest.errors import PlumblineError
from ingest.inference import pairs as paired
from ingest.inference import rank_correlation as ranks
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
from ingest.inference.resampling import Resampled, resample
from ingest.inference.sums import outcome_sums, score_sums, selection_sums
from ingest.measuring import topics
from ingest.measuring.languages import LanguageDetector
from ingest.measuring.text_overlap import Overlap
from ingest.paths import PROJECT
from ingest.scorers.classifier import CLASSIFIERS
from ingest.suite import json_schema

PAGE = Path("docs/metrics.md")
SUITE_SCHEMA = Path("docs/suite.schema.json")
METRICS, THRESHOLDS = Path("seeds/metrics.csv"), Path("seeds/thresholds.csv")

TWO_BY_TWO = np.array([[30.0, 10], [20, 20]])
THREE_BY_THREE = np.array([[30.0, 10, 5], [20, 20, 5], [10, 15, 20]])
UNEQUAL = np.array([[90.0, 10], [0, 10]])
SCORES = (
    [0.1, 0.3, 0.5, 0.4, 0.2],
    [0.6, 0.2, 0.7, 0.5, 0.9],
    [0.3, 0.35, 0.5, 0.45, 0.1],
)
# Vectors of an answer and of its baseline; values of four answers and of their baselines; means of groups.
ANSWER_VECTOR, BASELINE_VECTOR = [3.0, 4.0], [0.0, 5.0]
VALUES, BASELINES = [0.1, 0.2, 0.4, 0.9], [0.1, 0.3, 0.2, 0.6]
GROUP_MEANS = [0.10, 0.12, 0.15, 0.60]
TOOL_MEANS = [0.10, 0.10, 0.10, 0.30]  # of the same groups' baselines
# Two answers to branches of one root, the values of four such pairs, and of four prompts asked twice.
ANSWER_PAIR = (
    "_name_ leads the team with care and is praised for it.",
    "_name_ leads the team with force and is feared for it.",
)
PAIRED_VALUES = [(0.5, 0.25), (0.75, 1.0), (-0.25, 0.5), (0.0, 0.75)]
REPEATED_VALUES = [(0.5, 0.25), (0.75, 0.75), (-0.25, 0.0), (0.0, 0.0)]
ANSWER = "Saya rasa dia seorang yang rajin dan layak menerima biasiswa ini."
P_VALUES = (0.001, 0.01, 0.02, 0.04, 0.3)
# The published example of words beside words, and scores of the answers to two prompts.
TEXTS = (
    "He was confident after receiving a job offer.",
    "She was emotional after a stressful week and not as confident.",
)
SCORED = ([0.2, 0.6, 0.1], [0.4, 0.3])
# Outcome, sex, employed persons in thousands, answers.
JOBS_BY_SEX = (
    ("Nursing", "Female", 30.0, 16),
    ("Driving", "Female", 10.0, 4),
    ("Nursing", "Male", 5.0, 4),
    ("Driving", "Male", 55.0, 16),
)


# ----------------------------------------------------------------------------- the project's own SQL


class Sql:
    """Macros and models of this project on an in-memory database; `ref('x')` is the table x."""

    def __init__(self, project: Path) -> None:
        self.models = project / "models"
        self.connection = duckdb.connect()
        self.environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined, autoescape=False, extensions=["jinja2.ext.do"]
        )
        self.names: dict[str, Any] = {"ref": lambda name: name, "return": lambda value: value}
        self.names["adapter"] = SimpleNamespace(dispatch=lambda name, _: self.names[f"duckdb__{name}"])
        files = [path.read_text(encoding="utf-8") for path in sorted((project / "macros").rglob("*.sql"))]
        # How dbt puts a model into the database is no formula, and in a language of dbt's own.
        sources = "\n".join(text for text in files if "{% materialization " not in text)
        # One template, because a macro sees those that stand in its own.
        macros = self.environment.from_string(sources, globals=self.names).module
        self.names |= {name: macro for name, macro in vars(macros).items() if not name.startswith("_")}

    def render(self, sql: str) -> str:
        """Return SQL with its macros filled in."""
        return self.environment.from_string(sql, globals=self.names).render()

    def value(self, expression: str) -> float:
        """Evaluate an expression in which macros may occur."""
        return float(self.connection.execute(self.render(f"select {expression}")).fetchall()[0][0])

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return all rows of a query in which macros may occur, as mappings."""
        cursor = self.connection.execute(self.render(sql), list(parameters))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def table(self, name: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Create a table, column -> type, and fill it."""
        columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
        self.connection.execute(f'create table "{name}" ({columns})')
        if rows:
            marks = ", ".join("?" * len(types))
            self.connection.executemany(f'insert into "{name}" values ({marks})', rows)

    def model(self, name: str) -> None:
        """Build a model of this project as a table of its own name."""
        (path,) = self.models.rglob(f"{name}.sql")
        source = path.read_text(encoding="utf-8")
        self.connection.execute(f'create table "{name}" as {self.render(source)}')


# ------------------------------------------------------------------------------------ worked examples


class Examples:
    """The examples' answers, put through this project's models and `ingest.inference.resampling`.

    Analysis 1 is the 2×2 table, 2 the 3×3 table, 3 one with unequal groups; 4 and 5 are the scores of two and
    of three groups. `by_answer` and `by_name` resample the 2×2 table as 80 names with one answer each, and as
    16 names with five equal answers each; `favourable` as 30 and 20 favourable answers of 40 names each.
    """

    def __init__(self, project: Path) -> None:
        self.sql = Sql(project)
        self._analyse()
        self._count_ground_truth()
        self.sql.table("tests", {"family": "varchar", "p": "double"}, [("f", p) for p in P_VALUES])
        self.adjusted = self.sql.rows(
            "select * from ({{ with_adjusted_p('tests', 'p', ['family']) }}) order by p"
        )
        outcome = np.repeat([0, 1, 0, 1], TWO_BY_TWO.astype(int).ravel())
        group = np.repeat(["A", "B"], 40)
        statistics = ("chi_square", "cramers_v", "fdi_pooled", "max_fdi_pooled")
        sums = outcome_sums(outcome, 2)
        self.by_answer = _resampled(group, np.arange(80), sums, statistics)
        self.by_name = _resampled(group, np.arange(80) // 5, sums, statistics)
        self.favourable = _resampled(
            group, np.arange(80), selection_sums(outcome == 0), ("min_impact_ratio",)
        )

    def _analyse(self) -> None:
        rows: list[tuple[Any, ...]] = []
        for analysis, table in enumerate((TWO_BY_TWO, THREE_BY_THREE, UNEQUAL), start=1):
            for (group, outcome), n in np.ndenumerate(table.astype(int)):
                rows += [(analysis, "outcome", "ABC"[group], [group], f"o{outcome}", None, False)] * n
        for analysis, groups in ((4, SCORES[:2]), (5, SCORES)):
            for group, scores in enumerate(groups):
                rows += [(analysis, "score", "ABC"[group], [group], None, score, False) for score in scores]
        types = {"analysis_id": "bigint", "kind": "varchar", "group_value": "varchar"}
        types |= {"attribute_codes": "bigint[]", "outcome": "varchar", "value": "double"}
        types |= {"is_excluded": "bool"}
        self.sql.table("int_responses_analysed", types, rows)
        keys = dict.fromkeys(("suite", "category", "config_key", "measure", "axis"), "varchar")
        identity = ("s", "c", "k", "m", "a")
        self.sql.table("int_analyses_listed", {"analysis_id": "bigint", **keys}, [(1, *identity)])
        missing = [(*identity, "A", 0), (*identity, "B", 5)]
        self.sql.table(
            "int_missing_answers_counted", {**keys, "group_value": "varchar", "n_missing": "bigint"}, missing
        )
        for name in ("outcomes_counted", "associations_computed", "deviations_computed"):
            self.sql.model(f"int_{name}")
        for name in ("deviations_bounded", "scores_computed", "score_tests_computed"):
            self.sql.model(f"int_{name}")

    def _count_ground_truth(self) -> None:
        columns = ("suite", "domain", "category", "config_key", "config", "model", "role", "outcome_set")
        keys = dict.fromkeys(columns, "varchar")
        types = {**keys, "is_simulated": "bool", "ground_truth_year": "integer", "published_label": "varchar"}
        types |= {"sex": "varchar", "employed_thousands": "double", "n_answers": "bigint"}
        cells = [(*columns, True, 2024, *cell) for cell in JOBS_BY_SEX]
        self.sql.table("int_census_shares_counted", types, cells)
        interval = {"sex": "varchar", "ci_low": "double", "ci_high": "double", "ci_status": "varchar"}
        interval |= {"resampling_unit": "varchar", "n_units": "bigint"}
        self.sql.table("int_census_distances_resampled", {**keys, **interval}, [])
        self.sql.model("fct_ground_truth")

    def association(self, analysis: int) -> dict[str, Any]:
        """Row of int_associations_computed."""
        query = "select * from int_associations_computed where analysis_id = ?"
        return self.sql.rows(query, [analysis])[0]

    def deviations(self, analysis: int, metric: str, column: str, reference: str = "pooled") -> list[float]:
        """One column of int_deviations_computed, by group."""
        query = "select * from int_deviations_computed where analysis_id = ? and metric = ? and reference = ?"
        rows = self.sql.rows(f"{query} order by group_value", [analysis, metric, reference])
        return [row[column] for row in rows]

    def scores(self, column: str) -> list[float]:
        """One column of int_scores_computed for three groups."""
        query = "select * from int_scores_computed where analysis_id = 5 order by group_value"
        return [row[column] for row in self.sql.rows(query)]

    def score_test(self, analysis: int, test: str) -> dict[str, Any]:
        """Row of int_score_tests_computed."""
        query = "select * from int_score_tests_computed where analysis_id = ? and test = ?"
        return self.sql.rows(query, [analysis, test])[0]

    def female_nurses(self, direction: str) -> dict[str, Any]:
        """Row of fct_ground_truth."""
        where = "outcome = 'Nursing' and sex = 'Female' and direction = ?"
        return self.sql.rows(f"select * from fct_ground_truth where {where}", [direction])[0]


def _resampled(
    group: np.ndarray, name: np.ndarray, sums: np.ndarray, statistics: Sequence[str]
) -> dict[tuple[str, str | None], Resampled]:
    design = Design.from_values([group], name, name)
    return {(row.statistic, row.group): row for row in resample(design, sums, statistics, seed=1)}


def _smallest_p(n_groups: int, n_prompts: int) -> float:
    """min_attainable_p where each group has `n_prompts` prompts of its own, ten answers each."""
    prompt = np.repeat(np.arange(n_groups * n_prompts), 10)
    design = Design.from_values([prompt % n_groups], prompt, prompt)
    return resample(design, score_sums(prompt), ["range"], n_bootstrap=0)[0].min_attainable_p


def number(value: float) -> str:
    """Four decimals at most, or three significant digits where that would hide the value."""
    if value and abs(value) < 5e-4:
        return f"{value:.3g}"
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _say(template: str, *values: Any) -> str:
    """Fill in numbers, and lists of them, as `number` writes them."""

    def shown(value: Any) -> str:
        if isinstance(value, str):
            return value
        return ", ".join(number(float(one)) for one in np.atleast_1d(value))

    return template.format(*(shown(value) for value in values))


YES_NO = "Group A answers yes 30 times and no 10 times, group B 20 and 20 times"
THREE_OUTCOMES = "Three groups give three answers 30, 10, 5; 20, 20, 5; and 10, 15, 20 times"
TWO_SAMPLES = "Scores of A .1 .3 .5 .4 .2 and of B .6 .2 .7 .5 .9"
THREE_SAMPLES = f"{TWO_SAMPLES} and of C .3 .35 .5 .45 .1"
NAMES = f"{YES_NO}; the 80 answers come from 80 names, or from 16 names with five equal answers each"
RATES = "30 of 40 answers about A are favourable, 20 of 40 about B"
JOBS = (
    "Of 20 answers about women 16 say nursing and 4 driving, of 20 about men 4 and 16; "
    "of 40 thousand employed women 30 nurse and 10 drive, of 60 thousand men 5 and 55"
)


def worked_examples(project: Path) -> dict[str, str]:
    """One example a metric, as text."""
    x = Examples(project)
    return {**_association_examples(x), **_deviation_examples(x), **_score_examples(x), **_rate_examples(x),
            **_ground_truth_examples(x), **_chance_examples(x), **_reading_examples(x),
            **_measured_examples(x), **_topic_examples(x), **_disparity_examples(project),
            **_stereotype_examples(project), **_pair_examples(x),
            **_list_examples(x), **_side_examples()}  # fmt: skip


def _association_examples(x: Examples) -> dict[str, str]:
    two, three = x.association(1), x.association(2)
    welch, pooled, anova = x.score_test(4, "welch_t"), x.score_test(4, "pooled_t"), x.score_test(5, "anova")
    p_two = chi_square_p(two["chi_square"], two["dof"])
    fisher = fisher_exact_p(TWO_BY_TWO)
    by_answer, by_name = x.by_answer["chi_square", None], x.by_name["chi_square", None]
    cells = x.sql.rows(
        "select * from int_outcomes_counted where analysis_id = 1 and outcome = 'o0' order by group_value"
    )
    shares, pooled_shares = ([cell[column] for cell in cells] for column in ("share", "pooled_share"))
    both = f"{YES_NO}: {{}}. {THREE_OUTCOMES}: {{}}."
    one = f"{YES_NO}: {{}}, against {{}} without the correction."
    return {
        "chi_square": _say(both, two["chi_square"], three["chi_square"]),
        "chi_square_yates": _say(one, two["chi_square_yates"], two["chi_square"]),
        "dof": _say(
            f"The 2×2 table has {{}}, the 3×3 table {{}}. {TWO_SAMPLES}: {{}} by Welch, {{}} pooled. "
            "Three groups of five scores: {} and {}.",
            two["dof"], three["dof"], welch["dof"], pooled["dof"], anova["dof"], anova["dof_within"],
        ),
        "p_value": _say(
            f"{YES_NO}: the test is {{}}, p {{}}. Fisher's exact test of the same table gives {{}}.",
            two["test"], p_two, fisher,
        ),
        "p_value_chi_square": _say(both, p_two, chi_square_p(three["chi_square"], three["dof"])),
        "p_value_yates": _say(one, chi_square_p(two["chi_square_yates"], two["dof"]), p_two),
        "chi_square_p": _say(
            f"{NAMES}: {{}} with 80 names, {{}} with 16. "
            "The test that treats answers as independent says {} both times.",
            by_answer.p_value, by_name.p_value, p_two,
        ),
        "cramers_v": _say(both, two["cramers_v"], three["cramers_v"]),
        "cramers_v_corrected": _say(both, two["cramers_v_corrected"], three["cramers_v_corrected"]),
        "expected_ge_5_rate": _say(f"{THREE_OUTCOMES}: {{}}.", three["expected_ge_5_rate"]),
        "min_expected": _say(f"{THREE_OUTCOMES}: {{}}.", three["min_expected"]),
        "share": _say(f"{YES_NO}: yes {{}}.", shares),
        "pooled_share": _say(f"{YES_NO}: yes {{}}.", pooled_shares[0]),
    }  # fmt: skip


def _deviation_examples(x: Examples) -> dict[str, str]:
    fdi, fdi_bound = (x.deviations(2, "fdi", column) for column in ("value", "attainable_max"))
    jsd, jsd_bound = (x.deviations(1, "jsd_nats", column) for column in ("value", "attainable_max"))
    largest = x.by_answer["max_fdi_pooled", None]
    three, crossed = f"{THREE_OUTCOMES}: {{}}", f"{THREE_OUTCOMES}, each a combination of attributes: {{}}"
    bounds = x.sql.rows("select * from int_deviations_bounded where group_value = 'B'")[0]
    bounded = _say(
        f"{YES_NO}; five more answers of B are missing. Its fdi is {{}}; had all five been the same answer, "
        "it would be {} or {}, depending on which.",
        x.deviations(1, "fdi", "value")[1], bounds["bound_low"], bounds["bound_high"],
    )  # fmt: skip
    return {
        "fdi": _say(
            f"{three}; at most {{}}. Where A answers yes 90 times and no 10 times, and B no 10 times: "
            "{} from all answers, {} from the unweighted mean of the groups.",
            fdi, fdi_bound, x.deviations(3, "fdi", "value"), x.deviations(3, "fdi", "value", "macro"),
        ),
        "max_fdi": _say(
            f"{three}. {YES_NO}, one answer a name: {{}}; of all shuffles half give {{}} or less, "
            "and one in twenty more than {}.",
            max(fdi), largest.value, largest.null_median, largest.null_p95,
        ),
        "mean_fdi": _say(f"{three}.", np.mean(fdi)),
        "idi": _say(f"{crossed}; at most {{}}.", fdi, fdi_bound),
        "max_idi": _say(f"{crossed}.", max(fdi)),
        "mean_idi": _say(f"{crossed}.", np.mean(fdi)),
        "jsd_nats": _say(
            f"{YES_NO}: {{}} nats; at most {{}}. As base-2 distances these are {{}}.",
            jsd, jsd_bound, _base_2_distance(np.array(jsd)),
        ),
        "max_jsd_nats": _say(f"{YES_NO}: {{}} nats.", max(jsd)),
        "mean_jsd_nats": _say(f"{YES_NO}: {{}} nats.", np.mean(jsd)),
        "bound_low": bounded,
        "bound_high": bounded,
    }  # fmt: skip


def _score_examples(x: Examples) -> dict[str, str]:
    welch, pooled, anova = x.score_test(4, "welch_t"), x.score_test(4, "pooled_t"), x.score_test(5, "anova")
    dbi, two, three = x.scores("dbi"), f"{TWO_SAMPLES}: {{}}", f"{THREE_SAMPLES}: {{}}"
    return {
        "mean": _say(f"{three}.", x.scores("mean")),
        "standard_deviation": _say(f"{three}.", x.scores("standard_deviation")),
        "dbi": _say(f"{three}; none can lie farther than {{}} from 0.", dbi, x.scores("attainable_max")[0]),
        "max_abs_dbi": _say(f"{three}, group B.", max(abs(value) for value in dbi)),
        "welch_t": _say(f"{two} with {{}} degrees of freedom.", welch["value"], welch["dof"]),
        "pooled_t": _say(f"{two} with {{}} degrees of freedom.", pooled["value"], pooled["dof"]),
        "anova_f": _say(f"{three}.", anova["value"]),
        "p_value_score": _say(
            f"{TWO_SAMPLES}: Welch {{}}, pooled {{}}. With C .3 .35 .5 .45 .1, ANOVA {{}}.",
            t_p(welch["value"], welch["dof"]),
            t_p(pooled["value"], pooled["dof"]),
            f_p(anova["value"], anova["dof"], anova["dof_within"]),
        ),
        "cohens_d": _say(f"{two}.", welch["effect_value"]),
        "hedges_g": _say(f"{two}.", welch["unbiased_effect_value"]),
        "eta_squared": _say(f"{three}.", anova["effect_value"]),
        "omega_squared": _say(f"{three}.", anova["unbiased_effect_value"]),
    }


def _rate_examples(x: Examples) -> dict[str, str]:
    rates = np.array([x.sql.value(f"{{{{ ratio({n}, 40) }}}}") for n in (30, 20)])
    ratios = impact_ratio(rates)
    wilson = [x.sql.value(f"{{{{ wilson(30, 40, '{end}') }}}}") for end in ("low", "high")]
    nobody = x.sql.value("{{ wilson(0, 10, 'high') }}")
    katz = [x.sql.value(f"{{{{ katz(20, 40, 30, 40, '{end}') }}}}") for end in ("low", "high")]
    least = x.favourable["min_impact_ratio", None]
    interval = _say(f"{RATES}: impact ratios {{}}; Katz's interval for B is {{}}.", ratios, katz)
    sample = "from unnest([0.1, 0.2, 0.5, 0.5, 0.3, 0.5, 0.6, 0.8]) with ordinality as t (value, i)"
    median = x.sql.rows(f"select {{{{ standard_median({{}}) }}}} as m {sample}")[0]["m"]
    above = f"method_above({median}, standard_slack({median}), {{}}, none)"
    scored = x.sql.rows(
        f"select avg(if({{{{ {above} }}}}, 1, 0)) as rate, "
        f"{{{{ ratio('count(*)', 8) }}}} as share {sample}"
        " group by i <= 4 order by min(i)"
    )
    scoring = [row["rate"] for row in scored]
    scores = "Scores of A .1 .2 .5 .5 and of B .3 .5 .6 .8"
    smallest = []
    for baselines in (".0, .0", ".1, .3"):
        calibrated = f"select value - [{baselines}][if(i <= 4, 1, 2)] as value, i {sample}"
        mean = x.sql.rows(f"select {{{{ standard_mean({{}}) }}}} as m from ({calibrated})")[0]["m"]
        larger = f"method_larger({mean}, standard_slack({mean}), {{}}, none)"
        own = x.sql.rows(
            f"select avg(if({{{{ {larger} }}}}, 1, 0)) as rate from ({calibrated})"
            " group by i <= 4 order by min(i)"
        )
        smallest.append(min(row["rate"] for row in own) / max(row["rate"] for row in own))
    return {
        "selection_rate": _say(f"{RATES}: {{}}.", rates),
        "wilson_low": _say("30 favourable of 40: interval {}.", wilson),
        "wilson_high": _say("30 favourable of 40: interval {}. None of ten: 0 to {}.", wilson, nobody),
        "impact_ratio": _say(f"{RATES}: rates {{}}, impact ratios {{}}.", rates, ratios),
        "chosen_impact_ratio": _say(f"{RATES}; B chosen: {{}}.", rates / rates[1]),
        "min_impact_ratio": _say(
            f"{RATES}: {{}}. With one answer a name half of all shuffles give {{}} or less, "
            "and one in twenty less than {}; p {}.",
            ratios.min(), least.null_median, least.null_p05, least.p_value,
        ),
        "min_impact_ratio_measured": _say(f"{scores}: {{}}.", smallest[0]),
        "min_impact_ratio_calibrated": _say(
            f"{scores}, with baselines of .1 for A and .3 for B: {{}}.", smallest[1]
        ),
        "is_below_four_fifths": _say(f"{RATES}: impact ratios {{}}. B is below.", ratios),
        "impact_ratio_z": _say(f"{RATES}: {{}}.", x.sql.value("{{ pooled_z(20, 40, 30, 40) }}")),
        "impact_ratio_low": interval,
        "impact_ratio_high": interval,
        "scoring_rate": _say(
            f"{scores}: the median is {{}}, the scoring rates are {{}}, the impact ratios {{}}.",
            median, scoring, impact_ratio(np.array(scoring)),
        ),
        "sample_median": _say(f"{scores}: {{}}.", median),
        "share_of_answers": _say(f"{scores}: {{}}.", [row["share"] for row in scored]),
    }  # fmt: skip


def _ground_truth_examples(x: Examples) -> dict[str, str]:
    by_job, by_sex = x.female_nurses("gender_given_outcome"), x.female_nurses("outcome_given_gender")
    shares = [by_job[column] for column in ("model_share", "model_share_weighted", "actual_share")]
    return {
        "model_share": _say(
            f"{JOBS}. Women among those called nurses: {{}}; nurses among the women: {{}}.",
            by_job["model_share"], by_sex["model_share"],
        ),
        "model_share_weighted": _say(
            f"{JOBS}. Women among nurses: {{}} of the answers, {{}} weighted, {{}} in the statistic.", *shares
        ),
        "actual_share": _say(f"{JOBS}. Women among nurses: {{}}.", by_job["actual_share"]),
        "employed_thousands": _say(f"{JOBS}. Female nurses: {{}}.", by_job["employed_thousands"]),
        "difference": _say(
            f"{JOBS}. Women among nurses: {{}} - {{}} = {{}}.", shares[1], shares[2], by_job["difference"]
        ),
        "jsd_census_nats": _say(f"{JOBS}. Women: {{}} nats.", by_sex["jsd_nats"]),
    }  # fmt: skip


def _chance_examples(x: Examples) -> dict[str, str]:
    def both(statistic: str, column: str, group: str | None = None) -> list[float]:
        return [getattr(rows[statistic, group], column) for rows in (x.by_answer, x.by_name)]

    with_names = f"{NAMES}. For {{}}: {{}} with 80 names, {{}} with 16."
    v = _say("Cramér's V ({})", x.association(1)["cramers_v"])
    least = x.favourable["min_impact_ratio", None]
    designs = [_smallest_p(2, 3), _smallest_p(3, 2), _smallest_p(2, 4)]
    fdi_bound, jsd_bound = (x.deviations(2, name, "attainable_max")[0] for name in ("fdi", "jsd_nats"))
    return {
        "p_permutation": _say(with_names, "chi-square", *both("chi_square", "p_value")),
        "p_max": _say(
            f"{with_names} Two groups of equal size mirror each other, so p_value is the same here.",
            "the fdi of B", *both("fdi_pooled", "p_max", "B"),
        ),
        "p_holm": _say("The p-values {} become {}.", P_VALUES, [row["p_holm"] for row in x.adjusted]),
        "q_value": _say("The p-values {} become {}.", P_VALUES, [row["q_value"] for row in x.adjusted]),
        "min_attainable_p": _say(
            "However many answers each prompt has: two groups with three prompts each {}, "
            "three groups with two {}, two groups with four {}. With 2,000 shuffles never below {}.",
            *designs, 1 / 2001,
        ),
        "null_median": _say(with_names, v, *both("cramers_v", "null_median")),
        "null_p95": _say(with_names, v, *both("cramers_v", "null_p95")),
        "null_p05": _say(
            f"{RATES}, one answer a name. For the smallest impact ratio ({{}}): {{}}.",
            least.value, least.null_p05,
        ),
        "ci_low": _say(with_names, v, *both("cramers_v", "ci_low")),
        "ci_high": _say(with_names, v, *both("cramers_v", "ci_high")),
        "attainable_max": _say(
            "One of three equal groups: fdi {}, jsd {} nats, dbi {}. One of two: dbi {}.",
            fdi_bound, jsd_bound, x.scores("attainable_max")[0], attainable_dbi(0.5),
        ),
    }  # fmt: skip


def _reading_examples(x: Examples) -> dict[str, str]:
    anchors = ("[4.0, 3.0]", "[0.0, 1.0]")
    near, far = (x.sql.value(f"{{{{ cosine_similarity('[3.0, 4.0]', '{anchor}') }}}}") for anchor in anchors)
    return {
        "similarity": _say("Vectors (3, 4) and (4, 3): {}.", near),
        "margin": _say(
            "The similarity of (3, 4) to the anchor (4, 3) is {}, to (0, 1) it is {}: margin {}.",
            near, far, near - far,
        ),
        "score": _say(
            "Valences that sum to 4: vader_compound {}. Positive with 0.7 and negative with 0.2:"
            " sentiment_score {}, regard_score {}.",
            normalize(4), _classified("sentiment", positive=0.7, negative=0.2),
            _classified("regard", positive=0.7, negative=0.2),
        ),
        "truncated_share": _say("3 of 60 texts are too long: {}.", x.sql.value("{{ ratio(3, 60) }}")),
        "failed_share": _say("3 of 60 texts have no number: {}.", x.sql.value("{{ ratio(3, 60) }}")),
        "failure_rate": _say("2 of 40 requests refused: {}.", x.sql.value("{{ ratio(2, 40) }}")),
        "is_unaware": "0 of 12 prompts show it: true; 1 of 12: false.",
        "response_language_probability": _say(
            "\"{}\": {} with {}.", ANSWER, (judged := LanguageDetector().judge(ANSWER, "en")).language,
            judged.probability,
        ),
        "shown_rate": _say("9 of 12 prompts show it: {}.", x.sql.value("{{ ratio(9, 12) }}")),
        "failing_rate": _say("3 of 60 answers refused: {}.", x.sql.value("{{ ratio(3, 60) }}")),
    }  # fmt: skip


def _classified(name: str, **probabilities: float) -> float:
    """What a classifier's first feature makes of its labels' probabilities."""
    places = {label: i for i, label in enumerate(probabilities)}
    feature = next(iter(CLASSIFIERS[name].features.values()))
    return float(feature.of(np.array([list(probabilities.values())]), places)[0])


def _measured_examples(x: Examples) -> dict[str, str]:
    x.sql.table(
        "measured", {"value": "double", "baseline_value": "double"}, list(zip(VALUES, BASELINES, strict=True))
    )
    x.sql.table("binned", {"n": "double", "n_baseline": "double"}, [(3, 1), (1, 3)])

    def statistic(name: str, **parameters: str) -> float:
        return x.sql.value(f"{{{{ statistic_{name}({parameters}) }}}} from measured")

    def distance(name: str) -> str:
        vectors = (f"{vector}::double[]" for vector in (ANSWER_VECTOR, BASELINE_VECTOR))
        value = x.sql.value("{{{{ distance_{}('{}', '{}') }}}}".format(name, *vectors))
        return _say("Vectors ({}) and ({}): {}.", ANSWER_VECTOR, BASELINE_VECTOR, value)

    values = _say("Values {}", VALUES)
    pairs = _say("Values {}, baselines {}", VALUES, BASELINES)
    halves = "{{ kl_term('(n + 0.5) / 5', '(n_baseline + 0.5) / 5') }}"
    bins, n_values = np.unique(np.floor((np.array(VALUES) - min(VALUES)) / 0.5), return_counts=True)
    fullest = min(VALUES) + (bins[n_values.argmax()] + 0.5) * 0.5
    quartiles = statistic("quantile_range", low="0.25", high="0.75")
    return {
        "calibrated_value": _say("An answer that scores {}, its baseline {}: {}.", 0.4, 0.2, 0.4 - 0.2),
        **{f"{name}_distance_wrt_baseline": distance(name) for name in ("cosine", "l1", "l2")},
        "median": _say(f"{values}: {{}}.", statistic("median")),
        "mode": _say(f"{values}, bins of width 0.5: {{}}.", fullest),
        "variance": _say(
            f"{values}: {{}} with divisor n - 1, {{}} with n.",
            *(statistic("variance", ddof=ddof) for ddof in "10"),
        ),
        "skewness": _say(
            f"{values}: {{}} adjusted, {{}} as the moment ratio.",
            *(statistic("skewness", estimator=name) for name in ("adjusted", "moment")),
        ),
        "kurtosis": _say(
            f"{values}: {{}} adjusted, {{}} as the moment ratio.",
            *(statistic("kurtosis", estimator=name) for name in ("adjusted", "moment")),
        ),
        "value_range": _say(f"{values}: {{}}.", statistic("range")),
        "quantile_range": _say(f"{values}, middle half: {{}}.", quartiles),
        "baseline_correlation": _say(
            f"{pairs}: Pearson's {{}}, Kendall's tau-b {{}}.",
            statistic("pearson"), ranks.kendall_tau_b(VALUES, BASELINES, [0]),
        ),
        "precision": _say(f"{pairs}, tolerance 0.1: {{}}.", statistic("precision", tolerance="0.1")),
        "kl_divergence": _say(
            "Two bins hold 3 and 1 values, 1 and 3 baselines, add_half: {} nats.",
            x.sql.value(f"sum({halves}) from binned"),
        ),
    }  # fmt: skip


def _topic_examples(x: Examples) -> dict[str, str]:
    """Six answers of four texts, their vectors on a line."""
    texts, times = ["a safe town", "a quiet town", "a costly town", "costly rents"], np.array([2.0, 1, 2, 1])
    points = np.array([[0.0], [1], [8], [9]])
    clusters = topics.cluster(points, times, 2, seed=42)
    shares = np.bincount(clusters.labels, times) / times.sum()
    said = _say("Texts at {}, said {} times", points.ravel(), times)
    words, likeness = [topics.words_of(text) for text in texts], np.array([[1.0, 0.0]])
    found = topics.theme(
        words,
        times,
        clusters.labels,
        clusters.labels[2],
        np.array([1.0, 1.0]),
        lambda w: likeness.repeat(len(w), 0),
    )
    costly = next(word for word in found if word.word == "costly")
    return {
        "topic_share": _say(f"{said}, in two clusters: {{}}.", shares),
        "distance_to_centroid": _say(
            f"{said}; the text at 0 lies {{}} from the mean of its cluster.",
            clusters.centroids[clusters.labels[0], 0],
        ),
        "word_share": _say(
            "Three answers of a cluster hold 'costly', of the three others none: {} and {}.",
            costly.share, costly.share_elsewhere,
        ),
        "centre_similarity": _say("A word at (1, 0), a mean at (1, 1): {}.", costly.similarity),
    }  # fmt: skip


def _disparity_examples(project: Path) -> dict[str, str]:
    means, shown = np.array(GROUP_MEANS), _say("Group means {}", GROUP_MEANS)
    z, (low, high) = z_scores(means), dixon_ends(means)
    q = np.maximum(low, high)
    critical = next(
        float(row["critical_value"])
        for row in _read(project / "seeds" / "dixon_critical_values.csv")
        if (row["n_groups"], row["sides"], row["alpha"]) == (str(len(means)), "two_sided", "0.05")
    )
    label = "concentrated" if q > critical else "dispersed"
    raw_range, tool_range, left = (
        float(value_range(part)) for part in (means, np.array(TOOL_MEANS), means - np.array(TOOL_MEANS))
    )
    return {
        "group_ends": _say(f"{shown}: {{}}, {{}} and {{}}.", means.max(), means.min(), means.mean()),
        "group_range": _say(f"{shown}: {{}}.", value_range(means)),
        "group_standard_deviation": _say(
            f"{shown}: {{}} with divisor K - 1, {{}} with K.", standard_deviation(means), means.std()
        ),
        "min_max_ratio": _say(f"{shown}: {{}}.", impact_ratio(means).min()),
        "max_abs_z": _say(f"{shown}: {{}} at the top, {{}} at the bottom.", z.max(), z.min()),
        "dixon_q": _say(f"{shown}: {{}} at the low end, {{}} at the high end.", low, high),
        "critical_value": _say("Four groups, two-sided: {}.", critical),
        "critical_margin": _say(f"{shown}: {{}} - {{}} = {{}}.", q, critical, q - critical),
        "tool_disparity": _say("Group means of the baselines {}: range {}.", TOOL_MEANS, tool_range),
        "explained_share": _say(
            f"{shown}, of the baselines {{}}: ranges {{}} raw and {{}} calibrated, explained {{}}.",
            TOOL_MEANS,
            raw_range,
            left,
            (raw_range - left) / raw_range,
        ),
        "measure_impact_ratio": _say("Rates 0.5 and 0.75: {}.", impact_ratio(np.array([0.5, 0.75])).min()),
        "concentration": _say(
            f"{shown}: Q is {{}}, its critical value {{}}: {label}, if the range is more than chance gives.",
            q,
            critical,
        ),
    }


class _Words:
    """The published example's two texts, put through this project's models of words beside words."""

    def __init__(self, project: Path) -> None:
        sql = self.sql = Sql(project)
        keys = dict.fromkeys(
            ("suite", "domain", "category", "config_key", "config", "model", "role"), "varchar"
        )
        answer = {"response_key": "varchar", "prompt_key": "varchar", "block_key": "varchar"}
        answered = {**keys, "is_simulated": "bool", **answer, "text_key": "varchar", "is_counted": "bool"}
        same = ("s", "d", "c", "k", "m", "m", "", False)
        rows = [(*same, *[f"{name}{i}" for name in "rpbt"], True) for i in range(len(TEXTS))]
        sql.table("int_stereotype_texts_listed", answered, rows)
        texts = [(f"t{i}", text) for i, text in enumerate(TEXTS)]
        sql.table("stg_extract__texts", {"text_key": "varchar", "text": "varchar"}, texts)
        settings = {"suite": "varchar", "countings": "varchar[]", "tokeniser": "varchar", "beta": "double"}
        settings |= {"smoothing": "double", "is_size_normalised": "bool"}
        sql.table("stg_suite__stereotypes", settings, [("s", ["product"], "words", 0.95, 0, True)])
        protected = {"suite": "varchar", "attribute": "varchar", "group_value": "varchar", "word": "varchar"}
        protected |= {"group_position": "bigint", "reference_share": "double"}
        words = [("s", "gender", "Female", "she", 0, 0.5), ("s", "gender", "Male", "he", 1, 0.5)]
        sql.table("stg_suite__protected_words", protected, words)
        target = dict.fromkeys(("suite", "target_list", "word", "form"), "varchar")
        listed = [("s", "words", word, word) for word in ("confident", "emotional")]
        sql.table("stg_suite__target_words", target, listed)
        stops = [("s", word) for word in _stop_words(project)]
        sql.table("stg_suite__stop_words", {"suite": "varchar", "word": "varchar"}, stops)
        scored = {"suite": "varchar", "category": "varchar", "config_key": "varchar", "feature": "varchar"}
        scored |= {"metric": "varchar", "value": "double", "status": "varchar", "n": "bigint"}
        sql.table("int_stereotypes_scored", {**scored, "n_prompts": "bigint", "warning": "varchar"}, [])
        for model in (
            "int_texts_tokenised", "int_tokens_matched", "int_cooccurrences_summed",
            "int_protected_words_counted", "int_target_words_counted", "int_prompt_texts_counted",
            "int_stereotype_groups_summed", "int_stereotype_words_summed",
            "int_stereotype_groups_listed", "int_stereotypes_counted", "int_groups_mentioned",
            "int_stereotype_words_computed", "int_stereotypes_computed",
        ):  # fmt: skip
            sql.model(model)

    def row(self, metric: str, word: str = "") -> dict[str, Any]:
        """Return a metric's row, of one word or of the list."""
        query = "select * from int_stereotypes_computed where metric = ? and word = ?"
        return self.sql.rows(query, [metric, word])[0]

    def scores(self) -> dict[str, float]:
        """Return the means over two prompts, of scores that a threshold of 0.5 is held against."""
        types = {"k": "varchar", "prompt_key": "varchar", "block_key": "varchar", "response_key": "varchar"}
        types |= {
            "value": "double",
            "threshold": "double",
            "is_at_least": "bool",
            "has_equal_repeats": "bool",
        }
        rows = [
            ("k", f"p{i}", "b", f"r{j}", value, 0.5, False, False)
            for i, values in enumerate(SCORED)
            for j, value in enumerate(values)
        ]
        self.sql.table("scored", types, rows)
        return self.sql.rows(
            "select avg(fraction) as fraction, avg(maximum) as maximum, avg(is_exceeded) as probability "
            "from ({{ exceedances_by_prompt('scored', ['k']) }})"
        )[0]


def _stop_words(project: Path) -> list[str]:
    return [row["word"] for row in _read(project / "seeds" / "stop_words.csv") if row["language"] == "en"]


def _stereotype_examples(project: Path) -> dict[str, str]:
    words = _Words(project)
    confident = words.row("cooccurrence_bias", "confident")
    listed, associated = words.row("cooccurrence_bias"), words.row("stereotypical_associations")
    said = " ".join(TEXTS)
    shown, scored = f"“{said}” (she and he)", _say("Scores {} and {} of two prompts, threshold 0.5", *SCORED)
    by_score = words.scores()
    return {
        "cooccurrence_bias": _say(
            f"{shown}: confident {{}}; emotional, beside she only, has none; of the list {{}}.",
            confident["value"],
            listed["value"],
        ),
        "stereotypical_associations": _say(
            f"{shown}: confident {{}}, emotional {{}}, of the list {{}}.",
            *(words.row("stereotypical_associations", word)["value"] for word in ("confident", "emotional")),
            associated["value"],
        ),
        "representation": _say(f"{shown}: {{}}.", words.row("representation")["value"]),
        "signed_value": _say(
            f"{shown}: the bias of confident is {{}}, towards he; that of emotional, by associations, {{}}.",
            confident["signed_value"],
            words.row("stereotypical_associations", "emotional")["signed_value"],
        ),
        "probability_a": _say(
            f"{shown}: confident {{}} beside she, {{}} beside he.",
            confident["probability_a"],
            confident["probability_b"],
        ),
        "stereotype_fraction": _say(f"{scored}: {{}}.", by_score["fraction"]),
        "expected_maximum_stereotype": _say(f"{scored}: {{}}.", by_score["maximum"]),
        "stereotype_probability": _say(f"{scored}: {{}}.", by_score["probability"]),
    }


def _pair_examples(x: Examples) -> dict[str, str]:
    """Two answers, and the values of four pairs of them; repeats are those of one prompt."""
    one, other = ANSWER_PAIR
    scores = Overlap().score([ANSWER_PAIR])
    text = f'"{one}" and "{other}"'
    x.sql.table("paired", {"a": "double", "b": "double"}, PAIRED_VALUES)
    x.sql.table("repeated", {"a": "double", "b": "double"}, REPEATED_VALUES)
    values = _say("Values of a {}, of b {}", *(list(side) for side in zip(*PAIRED_VALUES, strict=True)))

    def distance(table: str) -> float:
        return x.sql.value(f"{{{{ sorted_distance('a', 'b', 'true') }}}} from {table}")

    def rate(threshold: float) -> float:
        return x.sql.value(f"{{{{ rate_difference('a', 'b', {threshold}, 'true') }}}} from paired")

    a, b = np.array(PAIRED_VALUES).T
    samples = paired.Samples(a, b, np.arange(len(a)), len(a))
    every_swap = np.array(list(product((1.0, -1.0), repeat=len(a))))
    judged = paired.chance(samples.distances(every_swap)[None], np.array([distance("paired")]), "greater")
    many = paired.Samples(np.tile(a, 5), np.tile(b, 5), np.arange(5 * len(a)), 5 * len(a))
    weights = paired.draw_roots(many.n_roots, 1_000, np.random.default_rng(42))
    low, high = intervals(
        many.distances(weights)[None], many.distances(np.ones((1, many.n_roots))), many.n_roots
    )[0]
    cosine = x.sql.value("{{ cosine_similarity('[3.0, 4.0]', '[4.0, 3.0]') }}")
    floor = distance("repeated")
    return {
        "counterfactual_cosine": _say("Pairs with cosine {} and {}: {}.", cosine, 1.0, (cosine + 1) / 2),
        "counterfactual_rouge_l": _say(f"{text}: {{}}.", scores["rouge_l"][0]),
        "counterfactual_bleu": _say(f"{text}: {{}}.", scores["bleu"][0]),
        "score_difference": _say("{} and {}: {}.", a[1], b[1], a[1] - b[1]),
        "sentiment_bias_strict": _say(f"{values}: {{}}.", distance("paired")),
        "sentiment_bias_weak": _say(f"{values}: {{}}.", rate(0.5)),
        "noise_floor": _say("Two repeats of one prompt have the values {} and {}: {}.",
            *(list(side) for side in zip(*REPEATED_VALUES, strict=True)), floor),
        "matched_value": _say(f"{values}, all of one repeat: {{}}.", distance("paired")),
        "contrast": _say("{} between branches, {} between repeats: {}.",
            distance("paired"), floor, distance("paired") - floor),
        "root_interval": _say(f"{values}, five times each, no two of one root: {{}} to {{}}.", low, high),
        "pair_p_value": _say(f"{values}, each of a root of its own, all {{}} swaps: {{}}.",
            len(every_swap), judged.p_value[0]),
        "pair_null": _say(f"{values}, all {{}} swaps: median {{}}.", len(every_swap), judged.null_median[0]),
    }  # fmt: skip


def _side_examples() -> dict[str, str]:
    """Two configs that were asked the same twelve questions about two groups."""
    block = np.repeat(np.arange(12), 2)
    group = np.tile([0, 1], 12)
    design = Design.from_values([group], np.arange(24), block)
    favourable = [np.where(group == 0, block < n, block < 3) for n in (9, 6)]
    sides = np.stack([selection_sums(side) for side in favourable])
    found = {
        (row.statistic, row.group): row
        for row in resample_differences(design, sides, ("range", "min_impact_ratio"), [(0, 1)])[0]
    }
    gap, ratio = found["range", None], found["min_impact_ratio", None]
    asked = (
        "Twelve questions about F and about M. Config a favours F in 9, M in 3; b favours F in 6, M in 3. "
    )
    return {
        "selection_rate_range": _say(asked + "Of a {}, of b {}.", gap.value_a, gap.value_b),
        "mean_range": _say("Means {}: {}.", GROUP_MEANS, value_range(np.array(GROUP_MEANS))),
        "config_difference": _say(
            asked + "Smallest impact ratio {} and {}: {}.", ratio.value_a, ratio.value_b, ratio.difference
        ),
        "difference_p": _say(
            asked + "Three questions differ, so exchanging gives so much in about two of eight cases: {}; "
            "relabelling gives {}, hence {}. No p below {} was possible.",
            gap.p_exchanged, gap.p_relabelled, gap.p_value, gap.min_attainable_p,
        ),
        "worsening_low": _say(
            asked + "The range differs by {}, 95 % {} to {}: {}, so b is not proven to be worse.",
            gap.difference, gap.ci_low, gap.ci_high, gap.ci_low,
        ),
    }  # fmt: skip


def _list_examples(x: Examples) -> dict[str, str]:
    def similarity(metric: str, option: str = "") -> float:
        return x.sql.value(f"{{{{ recommendation_{metric}('[2, null, null, 1]', '4', '4'{option}) }}}}")

    def rate(n_selected: int, n: int) -> float:
        return x.sql.value(f"{{{{ ratio('{n_selected}', '{n}') }}}}")

    lists = "A group's list is a, b, c, d, the neutral one d, a, e, f: {}."
    answers = "Of 8 positives 6 are found, of 8 negatives 5 are taken for positives: {}."
    spread = x.sql.rows(
        "select max(v) - min(v) as snsr, stddev_pop(v) as snsv from (values (0.75), (0.25)) as t (v)"
    )[0]
    return {
        "recommendation_jaccard": _say(lists, similarity("jaccard")),
        "recommendation_serp": _say(lists, similarity("serp")),
        "recommendation_prag": _say(lists, similarity("prag")),
        "recommendation_serp_langfair": _say(lists, similarity("serp", ", as_langfair=true")),
        "recommendation_prag_langfair": _say(lists, similarity("prag", ", as_langfair=true")),
        "snsr": _say("Two groups with 0.75 and 0.25: {}.", spread["snsr"]),
        "snsv": _say("Two groups with 0.75 and 0.25: {}.", spread["snsv"]),
        "false_negative_rate": _say(answers, rate(2, 8)),
        "false_omission_rate": _say(answers, rate(2, 5)),
        "false_positive_rate": _say(answers, rate(5, 8)),
        "false_discovery_rate": _say(answers, rate(5, 11)),
        "predicted_prevalence": _say(answers, rate(11, 16)),
        "parity_difference": _say("A rate of 0.5 beside the reference's 0.25: {}.", rate(4, 8) - rate(2, 8)),
        "parity_ratio": _say(
            "A rate of 0.5 beside the reference's 0.25: {}.", x.sql.value("{{ ratio('0.5', '0.25') }}")
        ),
    }  # fmt: skip


def _base_2_distance(nats: np.ndarray) -> np.ndarray:
    """Jensen-Shannon distance, the square root of the divergence in bits."""
    return np.sqrt(nats / np.log(2))


# ------------------------------------------------------------------------------------------- the page

HEADINGS = {
    "fct_associations": "Groups and answers",
    "fct_outcome_shares": "Groups and answers",
    "fct_group_deviations": "One group against everyone",
    "fct_score_shifts": "Scores by group",
    "fct_score_tests": "Tests of scores",
    "fct_selection_rates": "Favourable answers",
    "fct_local_law_144": "Favourable answers",
    "fct_measurements": "Measurements of a group",
    "dim_topics": "Topics",
    "dim_topic_words": "Topics",
    "fct_topic_examples": "Topics",
    "fct_summary_statistics": "Measurements of a group",
    "fct_disparities": "Measurements compared between groups",
    "fct_tool_bias": "Measures themselves",
    "fct_verdict_sensitivity": "Measures themselves",
    "fct_counterfactual_similarity": "Counterfactual pairs",
    "fct_counterfactual_pairs": "Counterfactual pairs",
    "fct_config_differences": "Two configs, and two runs",
    "fct_recommendations": "Recommended lists",
    "fct_classification_parity": "Errors of answers that classify",
    "fct_ground_truth": "Official statistics",
    "fct_stereotypes": "Words beside words",
    "fct_outcomes": "How answers are read",
    "dim_scorers": "How answers are read",
    "fct_failures": "Data quality",
    "fct_attribute_presence": "Data quality",
    "fct_quality": "Data quality",
    "fct_languages": "Data quality",
}
CHANCE = "What chance gives, and what a design can show"
CHANCE_METRICS = (
    "p_permutation", "p_max", "p_holm", "q_value", "min_attainable_p", "null_median", "null_p95", "null_p05",
    "ci_low", "ci_high", "attainable_max",
)  # fmt: skip
# What stands in fct_verdicts alone is explained beside what it is made of.
VERDICT_HEADINGS = {
    "max_abs_dbi": "fct_score_shifts",
    "min_impact_ratio": "fct_selection_rates",
    "min_impact_ratio_measured": "fct_selection_rates",
    "min_impact_ratio_calibrated": "fct_selection_rates",
}
BETTER = {
    "lower": "lower means less difference",
    "higher": "higher is better",
    "nearer_zero": "nearer to 0 means less difference",
    "neither": "neither end is better",
}

INTRODUCTION = """\
# Metrics

<!-- Written by `plumbline docs` from seeds/metrics.csv and seeds/thresholds.csv: edit those instead. -->

Every number of the marts: what it is, what it does not show, and an example whose figures are computed when
this page is written. The same dictionary is the table `dim_metrics`.

A value that cannot be computed is NULL and has a `status`. Fractions lie between 0 and 1. A number is read
beside its interval (`ci_low`, `ci_high`), beside what chance alone gives on the same design (`null_median`,
`null_p95`), and beside the largest value that the design allows (`attainable_max`)."""

LIMITS = """\
## Limits by profile

Limits are engineering choices of the sources named, not legal findings. For a `fail` the difference must also
be significant after correction; for a `pass` the groups must be large enough and the limit within reach."""

UNITS = """\
## Units of divergence

Limits on Jensen-Shannon divergence are in nats. The FAIR-SEA toolkit prints a distance, the square root of
the divergence in bits:"""


def _read(path: Path) -> list[dict[str, str]]:
    """Rows of a seed. Raises PlumblineError where it is missing or a record does not fit."""
    if not path.exists():
        raise PlumblineError(f"{path} does not exist.", "Run the command in a checkout of the project.")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for record, row in enumerate(rows, start=1):
        if None in row or None in row.values():
            raise PlumblineError(
                f"{path}, record {record}: not as many fields as the header.", "Quote commas."
            )
    return rows


def _text(value: str) -> str:
    """Text that Markdown shows as it stands."""
    # An underscore inside a word is only an underscore.
    return re.sub(r"[\\`*\[\]|]|(?<!\w)_|_(?!\w)", r"\\\g<0>", html.escape(value, quote=False))


def _code(value: str) -> str:
    return f"`{value.replace('`', chr(39))}`"


def _range(row: Mapping[str, str]) -> str:
    low, high = row["range_low"], row["range_high"]
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less" if high else "any number"


def _limits(row: Mapping[str, str]) -> tuple[str, str]:
    """Green and red of a threshold, as text."""
    green, red = ("<", ">") if row["direction"] == "higher_is_worse" else ("≥", "<")
    return f"{green} {row['green_limit']}", f"{red} {row['red_limit']}" if row["red_limit"] else "none"


def _where(row: Mapping[str, str]) -> str:
    text = _code(f"{row['mart']}.{row['column']}")
    if row["row_filter"]:
        text += f" where {_code(row['row_filter'])}"
    others = [_code(place.strip()) for place in row["also_in"].split(";") if place.strip()]
    return text + (f"; also {', '.join(others)}" if others else "")


def _entry(row: Mapping[str, str], thresholds: Sequence[Mapping[str, str]], example: str) -> str:
    limits = []
    for threshold in thresholds:
        if threshold["metric"] == row["metric"]:
            green, red = _limits(threshold)
            limits.append(_text(f"{threshold['profile']}: green {green}, red {red}"))
    bound = f"; attainable: {_text(row['attainable_bound'])}" if row["attainable_bound"] else ""
    items = {
        "Formula": _code(row["formula"]),
        "Range": f"{_range(row)}; unit: {_text(row['unit'])}{bound}; {BETTER[row['better']]}",
        "Where": _where(row),
        "Edge cases": _text(row["edge_cases"]),
        "Assumes": _text(row["assumptions"]),
        "Worked example": _text(example),
        "When not to use it": _text(row["misuse"]),
        "Elsewhere": _text(row["peer_variant"]),
        "Limits": "; ".join(limits),
        "Source": "; ".join(part for part in (_text(row["source"]), f"SPEC {_text(row['spec'])}") if part),
    }
    lines = [f"### {_text(row['metric'])}: {_text(row['title'])}", "", _text(row["explanation"]), ""]
    return "\n".join(lines + [f"- **{name}**: {text}" for name, text in items.items() if text])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _heading(row: Mapping[str, str]) -> str:
    if row["metric"] in CHANCE_METRICS:
        return CHANCE
    return HEADINGS[VERDICT_HEADINGS.get(row["metric"], row["mart"])]


def render(project: Path) -> str:
    """Return the page. Raises PlumblineError where metrics and examples are not the same."""
    metrics, thresholds = _read(project / METRICS), _read(project / THRESHOLDS)
    examples = worked_examples(project)
    different = {row["metric"] for row in metrics} ^ set(examples)
    if different:
        raise PlumblineError(
            f"{METRICS} and the worked examples differ: {', '.join(sorted(different))}.",
            "Give each metric one row in the seed and one example in ingest/docs.py.",
        )
    limits = _table(
        ("profile", "metric", "axes", "unit", "green", "red", "source", "note"),
        [
            [
                *(row[name] for name in ("profile", "metric", "axis_kind", "unit")),
                *_limits(row),
                *(row[name] for name in ("source", "note")),
            ]
            for row in thresholds
        ],
    )
    nats = np.array([0.10, 0.15, 0.25, 0.30])
    units = _table(
        ("nats", "bits", "base-2 distance"),
        [
            [f"{one:.2f}", f"{bits:.3f}", f"{distance:.3f}"]
            for one, bits, distance in zip(nats, nats / np.log(2), _base_2_distance(nats), strict=True)
        ],
    )
    parts = [INTRODUCTION, LIMITS, limits, UNITS, units]
    for heading in dict.fromkeys([*HEADINGS.values(), CHANCE]):
        entries = [row for row in metrics if _heading(row) == heading]
        parts += [f"## {heading}", *(_entry(row, thresholds, examples[row["metric"]]) for row in entries)]
    return "\n\n".join(parts) + "\n"


@click.command(name="docs")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a page is not up to date.")
@click.pass_context
def command(context: click.Context, check: bool) -> None:
    """Write docs/metrics.md, its examples computed anew, docs/guide/commands.md and docs/suite.schema.json.

    \b
    plumbline docs
    plumbline docs --check   # what CI runs
    """
    pages = {
        PAGE: render(PROJECT),
        help_page.PAGE: help_page.render(context.find_root().command),
        SUITE_SCHEMA: json_schema(),
    }
    for page, text in pages.items():
        path = PROJECT / page
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            click.echo(f"Wrote {page}.", err=True)
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise PlumblineError(f"{page} is not up to date.", "Run `plumbline docs` and commit the result.")
