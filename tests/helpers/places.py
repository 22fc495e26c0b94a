"""Where tests find what they read: the project, its fixtures, and the reference figures beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
SEEDS = ROOT / "seeds"
SUITES = ROOT / "suites"
ORACLES = Path(os.environ.get("PLUMBLINE_ORACLES", ROOT.parent / "shared" / "oracles"))
