"""The suite file: what to audit. YAML in, checked models out, each mistake named with its line."""

from ingest.suite.fields import FIELD, normalise_label
from ingest.suite.lookups import config_labels
from ingest.suite.mitigations import Mitigation
from ingest.suite.reading import json_schema, load_suite
from ingest.suite.rules import Rule
from ingest.suite.schema import LocalLaw144, Suite, Topics
from ingest.suite.sources import (
    Branching,
    Column,
    Config,
    Corpus,
    Extract,
    Finder,
    Measurements,
    OwnScorer,
    Prices,
    PromptFile,
    Source,
    Template,
)
from ingest.suite.stereotypes import Stereotypes

__all__ = [
    "FIELD",
    "Branching",
    "Column",
    "Config",
    "Corpus",
    "Extract",
    "Finder",
    "LocalLaw144",
    "Measurements",
    "Mitigation",
    "OwnScorer",
    "Prices",
    "PromptFile",
    "Rule",
    "Source",
    "Stereotypes",
    "Suite",
    "Template",
    "Topics",
    "config_labels",
    "json_schema",
    "load_suite",
    "normalise_label",
]
