"""How many inputs a fuzz test tries: the same few, or as many others as PLUMBLINE_FUZZ_EXAMPLES says."""

import os
from typing import Any

from hypothesis import HealthCheck, settings

ASKED = os.environ.get("PLUMBLINE_FUZZ_EXAMPLES")


def fuzzed(n_examples: int, part: int = 1, **more: Any) -> settings:
    """Return the settings of a test that tries `n_examples`, or one `part` of what is asked for."""
    return settings(
        max_examples=max(2, int(ASKED) // part) if ASKED else n_examples,
        derandomize=not ASKED,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )
