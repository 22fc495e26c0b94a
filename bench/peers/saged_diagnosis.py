"""Run SAGED's own diagnoser on a table of ready measurements, as a process of its own.

    python bench/peers/saged_diagnosis.py --saged FOLDER --table measurements.parquet --out FOLDER

`bench/run.py` starts it in an environment that holds what the diagnoser imports and nothing else. All it does
besides calling the diagnoser is what every user of it has to: bring the table into SAGED's wide layout (a row
a concept and prompt, a column a generation and feature) and write what comes back. It does so once for each
feature, raw and minus the baseline, as SAGED finds features by parts of their names and so cannot be given
both at once. Written against repository holistic-ai/SAGED-Bias and the wheel `sagedbias`, whose diagnosers
differ in the name of the group column.
"""

import argparse
import contextlib
import importlib
import io
import sys
import types
import warnings
from pathlib import Path

import pandas as pd

KEYS = ["concept", "prompt_id"]
STANDARDS = (
    "mean", "median", "mode", "mode-0.05", "quantile_range=0.25", "percentile_range=75", "fixed=0.5",
)  # fmt: skip
PLAIN = (
    "mean", "median", "mode", "variance", "standard_deviation", "skewness", "kurtosis", "range",
    "quantile_range", "percentile_range",
)  # fmt: skip
METHODS = ("larger", "smaller", "within-range-0.1", "within-percentage-0.2")
# The 46 statistics of SAGED's experiment: method of the diagnoser and its arguments.
STATISTICS = [
    *((name, {}) for name in PLAIN),
    *(("correlation", {"method": method}) for method in ("pearson", "spearman", "kendall")),
    *(("kl_divergence", {"bins": bins}) for bins in (10, 20)),
    *(("precision", {"tolerance": tolerance}) for tolerance in (0, 0.05, 0.1)),
    *(
        ("selection_rate", {"standard_by": standard, "selection_method": method})
        for standard in STANDARDS
        for method in METHODS
    ),
]


def load_diagnoser(folder: Path) -> type:
    """Import the diagnoser alone from a folder that holds the package `saged`.

    The package's own __init__ imports every stage, and with them torch, spaCy and transformers, none of which
    the diagnoser uses; an empty package in its place leaves its modules as they are.
    """
    package = types.ModuleType("saged")
    package.__path__ = [str(folder / "saged")]
    sys.modules["saged"] = package
    return importlib.import_module("saged._diagnoser").DisparityDiagnoser


def wide_table(table: pd.DataFrame, feature: str, is_calibrated: bool) -> tuple[pd.DataFrame, list[str]]:
    """Return SAGED's layout of one feature, and the names of its generations, the baseline among them."""
    long = table[[*KEYS, "model", "role"]].copy()
    baseline = table[f"baseline_{feature}"]
    long["value"] = table[feature] - baseline if is_calibrated else table[feature]
    long["generation"] = long["model"] + " (" + long["role"] + ")"
    wide = long.pivot(index=KEYS, columns="generation", values="value")
    of_prompt = table.groupby(KEYS)[f"baseline_{feature}"].first()
    wide["baseline"] = 0.0 if is_calibrated else of_prompt
    generations = list(wide.columns)
    wide = wide.rename(columns={name: f"{name}_{feature}" for name in generations}).reset_index()
    # Texts are columns of the layout; the diagnoser asks that they are there and does not read them.
    texts = {name: "" for name in (*generations, "prompts", "keyword", "source_tag")}
    wide = wide.assign(**texts, domain="all", category=wide["concept"])
    return wide, generations


def diagnose(
    diagnoser_class: type, table: pd.DataFrame, feature: str, is_calibrated: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return every summary statistic of every group, and every disparity, of one feature."""
    wide, generations = wide_table(table, feature, is_calibrated)
    diagnoser = diagnoser_class(wide, features=[feature], generations=generations)
    for method, arguments in STATISTICS:
        getattr(diagnoser, method)(**arguments)
    disparities = diagnoser.statistics_disparity()
    frames = {"statistics": disparities.pop("statistics"), **disparities}
    summaries = [frame.assign(statistics=statistic) for statistic, frame in diagnoser.summary_df_dict.items()]
    marks = {"feature": feature, "calibrated": is_calibrated}
    # A column a generation, whatever the feature: parts of different features are appended to one file.
    names = {f"{name}_{feature}": name for name in generations} | {diagnoser.specifications[0]: "concept"}
    found = pd.concat(summaries).rename(columns=names).assign(**marks)
    return found, pd.DataFrame(frames).rename(columns=names).assign(**marks)


def main() -> None:
    """Diagnose every feature of the table, raw and calibrated."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saged", type=Path, required=True, help="folder that holds the package `saged`")
    parser.add_argument("--table", type=Path, required=True, help="Parquet: a row a response")
    parser.add_argument("--out", type=Path, required=True, help="folder for summary.csv and disparity.csv")
    arguments = parser.parse_args()
    if not (arguments.saged / "saged" / "_diagnoser.py").exists():
        parser.error(f"{arguments.saged} holds no saged/_diagnoser.py")
    if not arguments.table.exists():
        parser.error(f"{arguments.table} does not exist")
    # Hints about constant columns and empty ratios, thousands of them.
    warnings.simplefilter("ignore")
    diagnoser_class = load_diagnoser(arguments.saged)
    table = pd.read_parquet(arguments.table)
    features = [name for name in table.columns if f"baseline_{name}" in table.columns]
    arguments.out.mkdir(parents=True, exist_ok=True)
    outputs = (arguments.out / "summary.csv", arguments.out / "disparity.csv")
    is_first = True
    for feature in features:
        for is_calibrated in (False, True):
            with contextlib.redirect_stdout(io.StringIO()):  # one line for each column without a z-score
                frames = diagnose(diagnoser_class, table, feature, is_calibrated)
            for frame, path in zip(frames, outputs, strict=True):
                frame.to_csv(path, mode="w" if is_first else "a", header=is_first, index=False)
            is_first = False
    print(f"{len(features)} features, raw and calibrated, {len(STATISTICS)} statistics")


if __name__ == "__main__":
    main()
