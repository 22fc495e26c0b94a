"""What an installation is made of: the bill lists what the lock files hold; what is known of it is said."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from places import script

PROJECT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    return script("sbom")


@pytest.fixture(scope="module")
def vulnerabilities() -> ModuleType:
    return script("vulnerabilities")


def listed(bill: str) -> set[tuple[str, str]]:
    content = json.loads(bill)
    assert content["bomFormat"] == "CycloneDX" and str(PROJECT.parent) not in bill
    assert all(part["purl"] for part in content["components"])
    return {(part["name"], part["version"]) for part in content["components"]}


def test_the_bill_lists_every_package_of_uv_lock(sbom: ModuleType) -> None:
    if not sbom.UV.exists():
        pytest.skip("uv is not beside this Python: `make setup` installs it")
    locked = tomllib.loads((PROJECT / "uv.lock").read_text())["package"]
    wanted = {(package["name"], package["version"]) for package in locked if package["name"] != "plumbline"}
    assert len(wanted) > 100
    assert listed(sbom.python_bill()) == wanted


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_the_bill_lists_every_package_of_the_site(sbom: ModuleType) -> None:
    locked = json.loads((PROJECT / "reports/package-lock.json").read_text())["packages"]
    wanted = {
        (package.get("name") or place.rpartition("node_modules/")[2], package["version"])
        for place, package in locked.items()
        if place
    }
    assert len(wanted) > 500
    bill = sbom.site_bill()
    assert listed(bill) == wanted
    assert json.loads(bill)["metadata"]["component"]["name"] == "plumbline-report"


FLASK = {"name": "flask", "version": "0.12", "vulns": [{"id": "PYSEC-2018-66", "fix_versions": ["0.12.3"]}]}
FINE = {"name": "click", "version": "8.2.0", "vulns": []}
UNSEEN = {"name": "numpy", "skip_reason": "Dependency not found on PyPI"}
LODASH = {"severity": "high", "range": "<4.17.12", "via": [{"title": "Prototype Pollution"}]}
LOW = {"severity": "low", "range": "*", "via": ["lodash"]}
REFUSED = {"message": "405 Method Not Allowed", "statusCode": 405, "error": {}}


@pytest.mark.parametrize(
    ("python", "site", "code", "said"),
    [
        ([FINE], {}, 0, ["uv.lock: 0 known vulnerabilities, 0 of them fail this check"]),
        ([FLASK, FINE], {}, 1, ["uv.lock: flask 0.12: PYSEC-2018-66, mended in 0.12.3"]),
        ([FINE], {"lodash": LODASH}, 1, ["package-lock.json: lodash <4.17.12: high, Prototype Pollution"]),
        ([FINE], {"a": LOW}, 0, ["package-lock.json: 1 known vulnerabilities, 0 of them fail this check"]),
        ([FINE, UNSEEN], {}, 1, ["uv.lock: numpy: not looked at: Dependency not found on PyPI"]),
        (
            [UNSEEN, UNSEEN],
            {},
            2,
            ["uv.lock: not looked at, the advisories cannot be reached: Dependency not"],
        ),
        ([FINE], None, 2, ["package-lock.json: not looked at, the advisories cannot be reached: 405 Method"]),
        (None, None, 2, ["uv.lock: not looked at", "package-lock.json: not looked at"]),
        ([FLASK], None, 1, ["uv.lock: flask", "package-lock.json: not looked at"]),
    ],
)
def test_what_is_known_is_said_and_silence_is_no_answer(
    vulnerabilities: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    python: list[dict[str, Any]] | None,
    site: dict[str, Any] | None,
    code: int,
    said: list[str],
) -> None:
    def run(*command: str | Path, **_: object) -> subprocess.CompletedProcess[str]:
        is_site = command[0] == "npm"
        report: object = REFUSED if site is None else {"vulnerabilities": site}
        if not is_site:
            report = None if python is None else {"dependencies": python}
        text = "" if report is None else json.dumps(report)
        return subprocess.CompletedProcess(command, 1, text, "requests: Name or service not known\n")

    monkeypatch.setattr(vulnerabilities, "run", run)
    assert vulnerabilities.main() == code
    lines = capsys.readouterr().out.splitlines()
    assert all(any(line.startswith(words) for line in lines) for words in said)
    assert all(len(line) <= 300 for line in lines)


def test_a_missing_program_is_said_in_one_line(
    sbom: ModuleType,
    vulnerabilities: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(vulnerabilities, "UV", Path(sys.prefix) / "nowhere" / "uv")
    monkeypatch.setenv("PATH", "")
    assert vulnerabilities.main() == 2
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "uv.lock",
        "package-lock.json",
    ]
    with pytest.raises(SystemExit, match="npm is not installed"):
        sbom.site_bill()
