"""Where the project lies, and which dbt project is built."""

from pathlib import Path

from ingest.errors import PlumblineError

PACKAGED = Path(__file__).resolve().parent / "_project"  # where a wheel holds what a clone has at its root
IS_PACKAGED = PACKAGED.is_dir()
PROJECT = PACKAGED if IS_PACKAGED else PACKAGED.parent.parent
PROJECT_VARIABLE = "PLUMBLINE_PROJECT"  # PROJECT, for the packages.yml that `plumbline init DIR` writes


def dbt_project() -> Path:
    """Return the folder of the dbt project that is built: the working folder's own, or PROJECT.

    The working folder has its own where its packages.yml imports Plumbline by PROJECT_VARIABLE.
    """
    here = Path.cwd()
    packages = here / "packages.yml"
    if packages.is_file() and PROJECT_VARIABLE in packages.read_text("utf-8"):
        return here
    return PROJECT


def beside_suite(folder: Path, name: str, what: str) -> Path:
    """Return where a file that a suite names lies. Raises PlumblineError outside the suite's folder."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise PlumblineError(f"{what} {name!r} lies outside the suite's folder.", "Put it beside the suite.")
    return path
