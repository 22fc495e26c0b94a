"""Where tests find what they read: the project, its fixtures, and the reference figures beside it."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
SEEDS = ROOT / "seeds"
SUITES = ROOT / "suites"
ORACLES = Path(os.environ.get("PLUMBLINE_ORACLES", ROOT.parent / "shared" / "oracles"))


def script(name: str) -> ModuleType:
    """Return a file of scripts/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
