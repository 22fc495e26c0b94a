"""A data folder with a suite, scorers that are told what to do, and answers: for tests of `extract`."""

from types import MappingProxyType

import numpy as np
from click.testing import CliRunner

import ingest.extract
from ingest.extract import command
from ingest.keys import key, text_key, text_row
from ingest.plugins import Offer, offers
from ingest.scorers import load_scorer
from ingest.store import Store
from ingest.suite import lookups

SUITE = """
suite: tiny
title: Tiny
version: 1
scorers: [{scorer}]
attributes: {{colour: {{Red: {{}}, Blue: {{}}}}}}
axes: [colour]
categories:
  open:
    title: Open
    outcomes: {open}
  decision:
    title: Decision
    outcomes: {decision}
"""
PATTERN = "[{set: s, kind: pattern, labels: {A: [a], B: [b]}}]"
ANCHOR = "[{set: s, kind: anchor, scorer: fake, labels: {A: [First Anchor], B: [second, third]}}]"


def score_rule(text="clean", scorer="length", feature="length"):
    return f"[{{set: s, kind: score, text: {text}, scorer: {scorer}, feature: {feature}}}]"


class Length:
    """Number of characters; `refuse` says what happens to a text."""

    name, model, revision, version, batch_size = "length", "m", "r", "1", 4
    parameters = MappingProxyType({})
    features = MappingProxyType({"length": (0.0, 1e6)})

    def __init__(self, refuse=lambda text: None):
        self.refuse = refuse
        self.seen = []

    def score(self, texts):
        values = [self.refuse(text) for text in texts]
        self.seen += texts
        return {"length": np.array([len(t) if v is None else v for t, v in zip(texts, values, strict=True)])}


class Fake:
    """Vectors of a text's length and number of words."""

    name, model, revision, version, batch_size, dimensions = "fake", "m", "r", "1", 4, 2
    parameters = MappingProxyType({})

    def embed(self, texts):
        if "bad" in texts:
            raise RuntimeError("not this one")
        return np.array([[len(t), len(t.split())] for t in texts], dtype=np.float32)


class World:
    """A data folder, a suite file and scorers by name."""

    def __init__(self, folder, monkeypatch):
        self.data, self.path = folder / "data", folder / "suite.yml"
        self.scorers = {}
        self.suite()
        real = load_scorer
        monkeypatch.setattr(
            ingest.extract, "load_scorer", lambda name, folder: self.scorers.get(name) or real(name, folder)
        )
        monkeypatch.setattr(
            lookups,
            "offers",
            lambda kind: {**offers(kind), **{name: [Offer("test", None)] for name in self.scorers}},
        )

    def suite(self, scorer="length", open=PATTERN, decision=PATTERN):
        self.path.write_text(SUITE.format(scorer=scorer, open=open, decision=decision), encoding="utf-8")

    def respond(self, texts, category="open", suite="tiny", status="ok", baseline=None):
        prompt = {
            **dict.fromkeys(("domain", "method", "language", "root_key", "block_key"), "x"),
            "prompt_key": key(suite, category, baseline),
            "suite": suite,
            "category": category,
            "prompt": "?",
            "baseline_text_key": baseline and text_key(baseline),
            "attributes": [("colour", "Red")],
            "shown_by": [],
        }
        response = {"prompt_key": prompt["prompt_key"], "config_key": "c", "n_attempts": 1, "run_id": "r"}
        with Store(self.data) as store:
            store.append("prompts", [prompt])
            known = {*texts, *([baseline] if baseline else [])}
            store.append("texts", [text_row(text) for text in known])
            start = store.value("select count(*) from responses")
            store.append(
                "responses",
                [
                    {
                        **response,
                        "response_key": key(start + i),
                        "repeat_index": i,
                        "text_key": text_key(text),
                        "response_status": status,
                    }
                    for i, text in enumerate(texts)
                ],
            )

    def extract(self, *options, exit_code=0):
        result = CliRunner().invoke(command, ["--suite", str(self.path), *options], obj=self.data)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == exit_code, result.output
        return result

    def rows(self, sql):
        with Store(self.data, read_only=True) as store:
            return store.rows(sql)

    def measured(self, table="measurements", value="value"):
        """Return text -> (value, status)."""
        rows = self.rows(f"select text, {value}, measurement_status from {table} join texts using (text_key)")
        return {text: (value, status) for text, value, status in rows}
