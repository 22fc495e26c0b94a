"""Write the software bill of materials: all that the two lock files hold, as CycloneDX, which scanners read.

scripts/sbom.py [FOLDER]      dist/sbom-python.cdx.json and dist/sbom-site.cdx.json; reads no network
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from ingest import __version__
from ingest.redaction import environment_without_keys

ROOT = Path(__file__).resolve().parents[1]
UV = Path(sys.executable).with_name("uv")
OF_PYTHON = (UV, "export", "--quiet", "--frozen", "--offline", "--all-extras", "--all-groups")
OF_NPM = ("npm", "sbom", "--offline", "--package-lock-only", "--sbom-type", "application")


def python_bill() -> str:
    """Return the packages of uv.lock, every extra and group."""
    return output(*OF_PYTHON, "--format", "cyclonedx1.5", folder=ROOT)


def site_bill() -> str:
    """Return the packages of reports/package-lock.json."""
    manifest, lock = (
        json.loads((ROOT / "reports" / name).read_text("utf-8"))
        for name in ("package.json", "package-lock.json")
    )
    manifest["version"] = lock["packages"][""]["version"] = __version__
    # `npm ci` takes any version of what a package may do without, `npm sbom` refuses the whole.
    for package in lock["packages"].values():
        for name, about in package.get("peerDependenciesMeta", {}).items():
            if about.get("optional"):
                package.get("peerDependencies", {}).pop(name, None)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / manifest["name"]  # npm names the bill after it
        folder.mkdir()
        (folder / "package.json").write_text(json.dumps(manifest), "utf-8")
        (folder / "package-lock.json").write_text(json.dumps(lock), "utf-8")
        return output(*OF_NPM, "--sbom-format", "cyclonedx", folder=folder)


def output(*command: str | Path, folder: Path) -> str:
    """Return what a command prints; its own errors go to stderr."""
    environment = environment_without_keys()
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not installed: run `make setup`; npm comes with Node.")
    return done.stdout


def main(folder: Path) -> None:
    """Write both bills into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, bill in (("python", python_bill()), ("site", site_bill())):
        path = folder / f"sbom-{name}.cdx.json"
        path.write_text(bill, "utf-8")
        print(f"{path}: {len(json.loads(bill)['components']):,} packages")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
