"""What a browser does with a built site: scripts of reports/tests/, and what they saw."""

import json
import subprocess
from pathlib import Path
from typing import Any

REPORTS = Path(__file__).resolve().parents[2] / "reports"


def in_browser(script: str, folder: Path, *options: str) -> Any:
    done = subprocess.run(
        ["node", script, str(folder.resolve()), *options],
        cwd=REPORTS,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
