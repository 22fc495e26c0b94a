"""Ask for known vulnerabilities of what the two lock files hold; needs the network.

    scripts/vulnerabilities.py

Exits 1 where a Python package has any (its advisories have no severity), or the site a high or critical one;
2 where the advisories could not be reached. Packages for tests and checks alone are left out.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.errors import cut, in_one_line
from ingest.redaction import environment_without_keys

ROOT = Path(__file__).resolve().parents[1]
UV = Path(sys.executable).with_name("uv")
PIP_AUDIT = "pip-audit==2.10.1"
SEVERE = ("high", "critical")
SECONDS = 600


class OutOfReach(Exception):
    """Nobody said anything of vulnerabilities; the text is what was said in its place."""


def of_python(report: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Yield what pip-audit found: whether it fails the check, and a line about it."""
    for package in report["dependencies"]:
        if reason := package.get("skip_reason"):
            yield True, f"{package['name']}: not looked at: {reason}"
        for found in package.get("vulns", ()):
            mended = ", ".join(found["fix_versions"]) or "no version yet"
            yield True, f"{package['name']} {package['version']}: {found['id']}, mended in {mended}"


def of_site(report: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Yield what `npm audit` found, as `of_python` does."""
    for name, found in sorted(report["vulnerabilities"].items()):
        titles = [via["title"] for via in found["via"] if isinstance(via, dict)]
        why = "; ".join(titles) or f"through {', '.join(found['via'])}"
        yield found["severity"] in SEVERE, f"{name} {found['range']}: {found['severity']}, {why}"


def ask_python() -> dict[str, Any]:
    """Return pip-audit's report of uv.lock. Raises OutOfReach."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.txt"
        exported = (
            "export",
            "--quiet",
            "--frozen",
            "--no-dev",
            "--all-extras",
            "--no-emit-project",
            "--no-hashes",
        )
        run(UV, *exported, "--format", "requirements.txt", "--output-file", wanted)
        ask = ("--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json")
        report = answer(run(UV, "tool", "run", PIP_AUDIT, *ask, "--requirement", wanted), "dependencies")
    # Where advisories cannot be reached, pip-audit skips each package and finds nothing.
    reasons = [package.get("skip_reason") for package in report["dependencies"]]
    if all(reasons):
        raise OutOfReach(reasons[0] if reasons else "no package was looked at")
    return report


def ask_site() -> dict[str, Any]:
    """Return npm's report of reports/package-lock.json. Raises OutOfReach."""
    command = ("npm", "audit", "--json", "--omit=dev", "--package-lock-only")
    return answer(run(*command, folder=ROOT / "reports"), "vulnerabilities")


def run(*command: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command; its status says nothing, for findings are failures too."""
    environment = environment_without_keys()
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OutOfReach(str(error)) from error


def answer(done: subprocess.CompletedProcess[str], key: str) -> dict[str, Any]:
    """Return a report in JSON that has a key. Raises OutOfReach where there is none."""
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        report = {}
    if key not in report:
        said = done.stderr.strip().splitlines() or [str(report.get("message") or "no answer")]
        raise OutOfReach(str(report.get("message") or said[-1]))
    return report


def main() -> int:
    """Print what is known; return the exit code."""
    codes = [0]
    for what, ask, read in (("uv.lock", ask_python, of_python), ("package-lock.json", ask_site, of_site)):
        try:
            found = list(read(ask()))
        except OutOfReach as error:
            said = cut(in_one_line(str(error)), 130)
            print(f"{what}: not looked at, the advisories cannot be reached: {said}")
            codes.append(2)
            continue
        for _, line in found:
            print(f"{what}: {in_one_line(line)}")
        n_failing = sum(fails for fails, _ in found)
        print(f"{what}: {len(found):,} known vulnerabilities, {n_failing:,} of them fail this check")
        codes.append(int(n_failing > 0))
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
