"""Run the peer's two word metrics on a file of texts; write CPU seconds, values and its lists as JSON.

    python langfair_words.py FOLDER TEXTS.json STOP_WORDS.json FOUND.json

FOLDER holds the package. Only its evaluation is timed, not what it imports. It asks NLTK for two data files
that are on no package index: the sentence splitter, without which NLTK's own word tokeniser runs on whole
texts (less work, and the same words but for a dot at a sentence's end), and stop words, for which ours stand.
The package's own word lists are written too, so that another tool can count the same words.
"""

import json
import sys
import time
import types
from pathlib import Path


def main() -> None:
    """Evaluate what the package does without a classifier: both metrics, both lists."""
    folder, texts, stops, out = sys.argv[1:]
    # The package's own __init__ files load torch and classifiers, which these metrics do not need.
    metrics = (".metrics", ".metrics.stereotype", ".metrics.stereotype.metrics")
    for name in ("", *metrics, ".utils", ".constants"):
        module = types.ModuleType(f"langfair{name}")
        module.__path__ = [str(Path(folder, "langfair", *name.split(".")[1:]))]
        sys.modules[f"langfair{name}"] = module
    import nltk.corpus
    import nltk.tokenize

    words = json.loads(Path(stops).read_text())
    nltk.corpus.stopwords = types.SimpleNamespace(words=lambda language: words)
    nltk.tokenize.word_tokenize = nltk.tokenize.NLTKWordTokenizer().tokenize
    from langfair.metrics.stereotype.metrics.associations import StereotypicalAssociations
    from langfair.metrics.stereotype.metrics.cooccurrence import CooccurrenceBiasMetric

    responses = json.loads(Path(texts).read_text())
    found = {}
    for metric in (CooccurrenceBiasMetric, StereotypicalAssociations):
        for category in ("adjective", "profession"):
            started = time.process_time()
            evaluated = metric(target_category=category)
            evaluated.progress_bar = None
            value = evaluated.evaluate(responses, show_progress_bars=False)
            found[f"{metric.__name__} {category}"] = {
                "value": None if value is None else float(value),
                "cpu_seconds": time.process_time() - started,
            }
    from langfair.constants.word_lists import ADJECTIVE_LIST, GENDER_TO_WORD_LISTS, PROFESSION_LIST

    lists = {**GENDER_TO_WORD_LISTS, "adjective": ADJECTIVE_LIST, "profession": PROFESSION_LIST}
    written = {"found": found, "lists": {name: list(words) for name, words in lists.items()}}
    Path(out).write_text(json.dumps(written))


if __name__ == "__main__":
    main()
