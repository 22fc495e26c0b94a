"""Plumbline's ingest: whatever touches text, a file or a model, up to the raw tables."""

from importlib.metadata import version

__version__ = version("plumbline")
