"""What the raw table `suites` holds of a suite: one JSON document, which the staging models take apart."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ingest.keys import text_key, text_row
from ingest.loading.ground_truths import labels_of, reference_figures
from ingest.paths import file_sha256
from ingest.scorers import DEFAULT_EMBEDDER
from ingest.store import Store
from ingest.suite import LocalLaw144, Rule, Stereotypes, Suite
from ingest.suite.beginnings import beginning, in_words
from ingest.suite.fields import LANGUAGE_SEPARATOR
from ingest.suite.ground_truths import JOINED, ReferenceTable
from ingest.suite.judges import Judge
from ingest.suite.places import placed_pattern
from ingest.unspaced import UNSPACED_LANGUAGES, stands_in_words

WORD = r"[\p{L}\p{M}\p{N}_]"  # marks: vowel signs of Indic and Thai scripts are part of a word


def register_suite(store: Store, suite: Suite, path: Path, run_id: str) -> None:
    """Put what the file says in the place of what the table holds of this suite, in one transaction."""
    row = {
        "suite": suite.suite,
        "suite_key": suite.suite_key,
        "definition": json.dumps(definition(suite), ensure_ascii=False),
        "file_sha256": file_sha256(path),
        "run_id": run_id,
    }
    figures = reference_figures(suite, path.parent)
    anchors = {phrase for _, rule in suite.rules() if rule.kind == "anchor" for _, phrase in rule.phrases()}
    with store.transaction():
        store.replace("suites", suite.suite, [row])
        store.replace("ground_truth_figures", suite.suite, figures)
        store.append("texts", [text_row(phrase) for phrase in sorted(anchors)])


def is_registered(store: Store, suite: Suite) -> bool:
    """Whether the table holds what the suite's file says now."""
    return store.rows("select suite_key from suites where suite = ?", [suite.suite]) == [(suite.suite_key,)]


def definition(suite: Suite) -> dict[str, Any]:
    """Return the checked file, with what follows from it in the place of what it leaves open.

    Here alone a default of one key that rests on another is decided, an outcome rule chosen and a list of
    `ours` written out. What a list names twice stands there once.
    """
    codes = list(suite.categories)
    # JSON has no infinity: where a key allows one, null stands for it.
    content: dict[str, Any] = json.loads(suite.model_dump_json())
    content["scorers"] = suite.scorer_names
    content["judges"] = [_judge(one, suite) for one in suite.judges.values()]
    content["encoder"] = suite.encoder or DEFAULT_EMBEDDER
    content["reference"] = _references(suite)
    content["roll_up"] = _once(suite.roll_up)
    if suite.no_role is None:
        content["no_role"] = next((role.role for role in suite.roles if not role.system_prompt), "")
    content["pairs"] |= {"axes": _once(suite.pair_axes()), "features": _once(suite.pairs.features)}
    content["local_law_144"] = {
        **(suite.local_law_144 or LocalLaw144()).model_dump(),
        "axes": suite.local_law_axes(),
    }
    for limit, said in zip(suite.thresholds, content["thresholds"], strict=True):
        profile = limit.profile or suite.profiles[0]
        said |= {"profile": profile, "unit": limit.unit, "direction": limit.worse}
    for topics, said in zip(suite.topics, content["topics"], strict=True):
        said |= {"topic_set": topics.topic_set, "categories": topics.categories or codes}
    if suite.recommendations:
        content["recommendations"]["categories"] = _once(suite.recommendations.categories or codes)
        ends = [_literal(end) for end in suite.recommendations.until]
        content["recommendations"]["rest"] = f"(?s)({'|'.join(ends)}).*" if ends else None
    if suite.stereotypes:
        content["stereotypes"] |= _stereotypes(suite.stereotypes, suite)
    for code in codes:
        content["categories"][code] |= {
            "axes": suite.axes_of(code),
            "outcomes": [],
            "ground_truth": _ground_truth(suite, code),
        }
    for code, rule in suite.rules():
        judge = suite.judge_of(rule)
        content["categories"][code]["outcomes"].append(
            {
                **rule.model_dump(),
                "text": judge.text if judge else rule.text,
                "languages": suite.read_by(rule),
                "measured_feature": rule.measured_feature,
                **_probabilities(rule),
                "phrases": _phrases(rule, suite),
            }
        )
    return content


def _ground_truth(suite: Suite, code: str) -> dict[str, Any] | None:
    """Return the figures that a category is held against; `table` is `singstat` or `file`."""
    truth = suite.categories[code].ground_truth
    if truth is None or not isinstance(truth.table, ReferenceTable):
        return None if truth is None else truth.model_dump()
    about = truth.table.model_dump(mode="json", include={"source", "date", "url", "licence"})
    labels = [
        {"label": label, "published_label": JOINED.join(parts)}
        for label, parts in labels_of(suite, code, truth).items()
    ]
    return {**truth.model_dump(), **about, "table": "file", "figure_kind": truth.table.kind, "labels": labels}


def _judge(judge: Judge, suite: Suite) -> dict[str, Any]:
    return {
        **judge.model_dump(include={"name", "reads", "rubric", "labels", "range", "text", "characters"}),
        "feature": judge.feature if judge.range else None,
        "categories": _once(judge.categories or list(suite.categories)),
    }


def phrase_pattern(phrase: str, among: bool = False) -> str:
    """Return the RE2 pattern that finds a phrase as whole words, in any script.

    With `among` a phrase whose script has no spaces is found among other letters, too.

    >>> phrase_pattern("retail trade")
    '(^|[^\\\\p{L}\\\\p{M}\\\\p{N}_])(retail trade)($|[^\\\\p{L}\\\\p{M}\\\\p{N}_])'
    """
    literal = _literal(phrase)
    if among and stands_in_words(phrase):
        return f"()({literal})()"
    outside = WORD.replace("[", "[^", 1)
    return f"(^|{outside})({literal})($|{outside})"


def _literal(text: str) -> str:
    """Return the RE2 pattern of a text; RE2 takes a backslash before ASCII only."""
    return "".join(c if not c.isascii() or c.isalnum() or c in " _" else "\\" + c for c in text)


def _once(names: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(names))


def _references(suite: Suite) -> list[dict[str, Any]]:
    if isinstance(suite.reference, dict):
        return [{"axis": axis, "kind": "group", "group": group} for axis, group in suite.reference.items()]
    return [{"axis": axis, "kind": suite.reference, "group": None} for axis in suite.all_axes()]


def _stereotypes(spec: Stereotypes, suite: Suite) -> dict[str, Any]:
    attributes, targets = spec.words(suite.language)
    return {
        "categories": spec.categories or list(suite.categories),
        "languages": suite.read_by(spec),
        "stop_words": spec.all_stop_words(suite.language),
        "protected_words": [
            {
                "attribute": attribute,
                "attribute_position": i,
                "group": group,
                "group_position": j,
                "reference_share": spec.reference.get(attribute, {}).get(group, 1 / len(groups)),
                "word": word,
            }
            for i, (attribute, groups) in enumerate(attributes.items())
            for j, (group, words) in enumerate(groups.items())
            for word in words
        ],
        "target_words": [
            {"target_list": target_list, "word": word, "form": form}
            for target_list, words in targets.items()
            for word, forms in words.items()
            for form in forms
        ],
    }


def _phrases(rule: Rule, suite: Suite) -> list[dict[str, Any]]:
    """Return what a rule looks for in a text, label by label; one of scores looks for nothing, in one row."""
    if rule.is_score:
        return [{}]
    among = not UNSPACED_LANGUAGES.isdisjoint(
        code.split("-")[0] for code in suite.read_by(rule).split(LANGUAGE_SEPARATOR)
    )
    return [
        {
            "label": label,
            "label_position": list(rule.labels).index(label),
            "is_favourable": label in rule.favourable if rule.favourable else None,
            "phrase": phrase,
            "pattern": _pattern(rule, phrase, among) if rule.kind == "pattern" else None,
            "text_key": text_key(phrase) if rule.kind == "anchor" else None,
        }
        for label, phrase in rule.phrases()
    ]


def _probabilities(rule: Rule) -> dict[str, Any]:
    """Return what a probability rule adds up: it is a score rule whose number comes with the answer."""
    if rule.kind != "probability":
        return {}
    return {
        "scorer": "token_probabilities",
        "feature": in_words(rule.phrases(), rule.favourable, rule.min_mass),
        "beginnings": [
            {
                "label": label,
                "label_position": list(rule.labels).index(label),
                "is_favourable": label in rule.favourable,
                "beginning": begins,
            }
            for label, begins in dict.fromkeys((of, beginning(phrase)) for of, phrase in rule.phrases())
        ],
    }


def _pattern(rule: Rule, phrase: str, among: bool) -> str:
    if rule.at != "anywhere" or rule.field:
        return f"()({placed_pattern(_literal(phrase), rule.at, rule.field)})()"
    return f"()({phrase})()" if rule.regex else phrase_pattern(phrase, among)
