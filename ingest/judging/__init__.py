"""Judges: models that read answers by a rubric, and vote. Each distinct text is voted on once."""
