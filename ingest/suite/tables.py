"""Write a checked suite into the suite tables, so that a number joins back to its rule."""

import hashlib
from pathlib import Path
from typing import Any

from ingest.keys import text_key
from ingest.scorers import DEFAULT_EMBEDDER
from ingest.store import Store
from ingest.suite import LocalLaw144, Rule, Stereotypes, Suite

WORD = r"[\p{L}\p{M}\p{N}_]"  # marks: vowel signs of Indic and Thai scripts are part of a word


def register_suite(store: Store, suite: Suite, path: Path, run_id: str) -> None:
    """Replace what the tables hold of this suite by what the file says, in one transaction."""
    name = suite.suite
    rules = list(suite.rules())
    tables: dict[str, list[dict[str, Any]]] = {
        "suites": [
            {
                "suite": name,
                "suite_key": suite.suite_key,
                "title": suite.title,
                "description": suite.description,
                "version": suite.version,
                "language": suite.language,
                "variant": suite.variant,
                "profiles": suite.profiles,
                "minimum_group": suite.minimum.group,
                "minimum_cell": suite.minimum.cell,
                "minimum_coverage": suite.minimum.coverage,
                "seed": suite.resampling.seed,
                "n_permutations": suite.resampling.permutations,
                "n_bootstrap": suite.resampling.bootstrap,
                "scorers": suite.scorers,
                "file_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "run_id": run_id,
                "responsible": suite.responsible or None,
                "licence": suite.licence or None,
                "gate_family": suite.families.gate,
            }
        ],
        "suite_thresholds": [
            {
                "suite": name,
                "profile": limit.profile or suite.profiles[0],
                "metric": limit.metric,
                "axis_kind": limit.axes,
                "unit": limit.unit,
                "direction": limit.worse,
                "green_limit": limit.green_limit,
                "red_limit": limit.red_limit,
                "is_gated": limit.gate,
                "source": "The suite",
                "note": limit.note,
            }
            for limit in suite.thresholds
        ],
        "suite_attributes": [
            {
                "suite": name,
                "attribute": attribute,
                "attribute_position": i,
                "value": value,
                "value_position": j,
            }
            for i, (attribute, values) in enumerate(suite.attributes.items())
            for j, value in enumerate(values)
        ],
        "suite_categories": [
            {
                "suite": name,
                "category": code,
                "category_position": i,
                "domain": category.domain,
                "title": category.title,
                "description": category.description,
            }
            for i, (code, category) in enumerate(suite.categories.items())
        ],
        "suite_axes": [
            {
                "suite": name,
                "category": code,
                "axis": axis,
                "axis_position": i,
                "attributes": suite.axis_attributes(axis),
            }
            for code, category in suite.categories.items()
            for i, axis in enumerate(category.axes or suite.axes)
        ],
        "suite_features": [
            {"suite": name, "feature": feature, "range_low": low, "range_high": high}
            for feature, (low, high) in suite.ranges.items()
        ],
        "suite_distances": [
            {
                "suite": name,
                "distance": distance,
                "scorer": suite.encoder or DEFAULT_EMBEDDER,
                "feature": f"{distance}_distance_wrt_baseline",
            }
            for distance in suite.distances
        ],
        "suite_topics": [
            {
                "suite": name,
                "topic_set": topics.topic_set,
                "topic_set_position": i,
                "pool": topics.of,
                "segment": topics.segment,
                "n_clusters": topics.clusters,
                "centre": topics.centre,
                "scorer": suite.encoder or DEFAULT_EMBEDDER,
                "has_membership": topics.membership,
                "distances": topics.distances,
                "categories": topics.categories or list(suite.categories),
            }
            for i, topics in enumerate(suite.topics)
        ],
        "suite_local_law_axes": [
            {
                "suite": name,
                "axis": axis,
                "axis_role": role,
                "minimum_share": (suite.local_law_144 or LocalLaw144()).minimum_share,
            }
            for axis, role in suite.local_law_axes().items()
        ],
        "suite_resampled": [
            {"suite": name, "part": part, "item": item}
            for part, names in (
                ("statistic", suite.resampling.statistics),
                ("standard", suite.resampling.standards),
                ("method", suite.resampling.methods),
            )
            for item in names
        ],
        "suite_pairs": [
            {"suite": name, "axis": axis, "against": suite.pairs.against, "text_variant": suite.pairs.text}
            for axis in suite.pair_axes()
        ],
        "suite_pair_features": [{"suite": name, "feature": feature} for feature in suite.pairs.features],
        "suite_references": [
            {"suite": name, "axis": axis, "reference_kind": "group", "group_value": group}
            for axis, group in suite.reference.items()
        ]
        if isinstance(suite.reference, dict)
        else [
            {"suite": name, "axis": axis, "reference_kind": suite.reference, "group_value": None}
            for axis in suite.all_axes()
        ],
        "suite_roll_ups": [{"suite": name, "roll_up": roll_up} for roll_up in dict.fromkeys(suite.roll_up)],
        "suite_choices": [
            {
                "suite": name,
                "standard_weighting": suite.standard_weighting,
                "baseline_kind": suite.measurements.baseline_kind if suite.measurements else None,
            }
        ],
        **_stereotype_rows(suite),
        "suite_outcomes": [row for code, rule in rules for row in _rule_rows(name, code, rule)],
        "suite_ground_truths": [
            {
                "suite": name,
                "category": code,
                "outcome_set": category.ground_truth.set,
                "ground_truth": category.ground_truth.table,
                "dimension": category.ground_truth.dimension,
                "attribute": category.ground_truth.attribute,
            }
            for code, category in suite.categories.items()
            if category.ground_truth
        ],
        "suite_classifications": [
            {
                "suite": name,
                "category": code,
                "outcome_set": category.classification.set,
                "attribute": category.classification.truth,
                "true_labels": category.classification.positive,
                "predicted_labels": category.classification.predicted,
            }
            for code, category in suite.categories.items()
            if category.classification
        ],
        "suite_recommendations": [
            {
                "suite": name,
                "category": code,
                "separator": lists.separator,
                "is_numbered": lists.numbered,
                "list_size": lists.size,
                "has_langfair_scale": lists.as_langfair,
            }
            for lists in [suite.recommendations]
            if lists
            for code in lists.categories or suite.categories
        ],
        "suite_answers": [
            {"suite": name, "category": code, "answer": answer, "weight": weight}
            for code, category in suite.categories.items()
            if category.simulated
            for answer, weight in category.simulated.weights.items()
        ],
        "suite_planted": [
            {"suite": name, "category": code, **planted.model_dump()}
            for code, category in suite.categories.items()
            if category.simulated
            for planted in category.simulated.planted
        ],
    }
    anchors = {
        phrase for _, rule in rules if rule.kind == "anchor" for p in rule.labels.values() for phrase in p
    }
    with store.transaction():
        for table, rows in tables.items():
            store.replace(table, name, rows)
        store.append(
            "texts", [{"text_key": text_key(t), "text": t, "n_characters": len(t)} for t in sorted(anchors)]
        )


def phrase_pattern(phrase: str) -> str:
    """Return the RE2 pattern that finds a phrase as whole words, in any script.

    >>> phrase_pattern("retail trade")
    '(^|[^\\\\p{L}\\\\p{M}\\\\p{N}_])(retail trade)($|[^\\\\p{L}\\\\p{M}\\\\p{N}_])'
    """
    # RE2 takes a backslash before ASCII only.
    literal = "".join(c if not c.isascii() or c.isalnum() or c in " _" else "\\" + c for c in phrase)
    outside = WORD.replace("[", "[^", 1)
    return f"(^|{outside})({literal})($|{outside})"


def _stereotype_rows(suite: Suite) -> dict[str, list[dict[str, Any]]]:
    """Rows of the tables of SPEC 12, none where the suite has no `stereotypes:`; lists are written out."""
    name, spec = suite.suite, suite.stereotypes or Stereotypes()
    attributes, targets = spec.words(suite.language)
    settings = {
        "suite": name,
        "categories": spec.categories or list(suite.categories),
        "countings": spec.counting,
        "tokeniser": spec.tokeniser,
        "beta": spec.beta,
        "smoothing": spec.smoothing,
        "is_size_normalised": spec.normalise_sizes,
    }
    return {
        "suite_stereotypes": [settings] if suite.stereotypes else [],
        "suite_protected_words": [
            {
                "suite": name,
                "attribute": attribute,
                "attribute_position": i,
                "group_value": group,
                "group_position": j,
                "reference_share": spec.reference.get(attribute, {}).get(group, 1 / len(groups)),
                "word": word,
            }
            for i, (attribute, groups) in enumerate(attributes.items())
            for j, (group, words) in enumerate(groups.items())
            for word in words
        ],
        "suite_target_words": [
            {"suite": name, "target_list": target_list, "word": word, "form": form}
            for target_list, words in targets.items()
            for word, forms in words.items()
            for form in forms
        ],
        "suite_stop_words": [{"suite": name, "word": word} for word in spec.all_stop_words(suite.language)],
        "suite_scored_stereotypes": [
            {
                "suite": name,
                "feature": score.feature,
                "threshold": score.threshold,
                "is_at_least": score.at_least,
                "has_equal_repeats": score.equal_repeats,
                "minimum_repeats": score.minimum_repeats,
            }
            for score in spec.scores
        ],
    }


def _rule_rows(suite: str, category: str, rule: Rule) -> list[dict[str, Any]]:
    common = {
        "suite": suite,
        "category": category,
        "outcome_set": rule.set,
        "variant": rule.variant,
        "rule_kind": rule.kind,
        "text_variant": rule.text,
        "unmatched_label": rule.unmatched,
    }
    if rule.kind == "score":
        score = {"feature": rule.measured_feature, "scorer": rule.scorer, "scorer_feature": rule.feature}
        return [{**common, **score, "phrase_position": 0}]
    pairs = [(label, phrase) for label, phrases in rule.labels.items() for phrase in phrases]
    positions = {label: i for i, label in enumerate(rule.labels)}
    return [
        {
            **common,
            "min_similarity": rule.min_similarity if rule.kind == "anchor" else None,
            "min_margin": rule.min_margin if rule.kind == "anchor" else None,
            "label": label,
            "label_position": positions[label],
            "is_favourable": label in rule.favourable if rule.favourable else None,
            "phrase": phrase,
            "phrase_position": i,
            "pattern": _pattern(rule, phrase) if rule.kind == "pattern" else None,
            "phrase_text_key": text_key(phrase) if rule.kind == "anchor" else None,
        }
        for i, (label, phrase) in enumerate(pairs)
    ]


def _pattern(rule: Rule, phrase: str) -> str:
    return f"()({phrase})()" if rule.regex else phrase_pattern(phrase)
