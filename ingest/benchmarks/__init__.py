"""Published benchmarks from files that a user has: one reader a file, one row here."""

from ingest.benchmarks import (
    bbq,
    bold,
    crows_pairs,
    discrim_eval,
    holistic_bias,
    real_toxicity_prompts,
    stereoset,
    winobias,
)
from ingest.benchmarks.published import Published

MODULES = (bbq, bold, crows_pairs, discrim_eval, holistic_bias, real_toxicity_prompts, stereoset, winobias)


def offered() -> dict[str, Published]:
    """Return the benchmarks that can be read, by name."""
    return {module.BENCHMARK.name: module.BENCHMARK for module in MODULES}
