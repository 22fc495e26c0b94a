"""Whether the parts of a suite agree: one function a key, each raising ValueError at a mistake."""

import math
from collections.abc import Callable, Iterable

from ingest.suite.fields import AXIS_SEPARATOR, FIELD, Misplaced, declared, normalise_label
from ingest.suite.lookups import check_backends, check_profiles, check_scorers
from ingest.suite.schema import Category, Suite


def check_attributes(suite: Suite) -> None:
    """Each has two values at least, whose labels can be told apart."""
    for attribute, values in suite.attributes.items():
        if len(values) < 2:
            raise ValueError(f"attribute {attribute!r} needs at least two values")
        seen: dict[str, str] = {}
        for value, spec in values.items():
            if AXIS_SEPARATOR in value:
                raise ValueError(f"value {value!r} holds {AXIS_SEPARATOR!r}, which joins groups")
            for label in (value, *spec.aliases):
                if seen.setdefault(normalise_label(label), value) != value:
                    raise ValueError(f"{label!r} stands for two values of {attribute!r}")


def check_axes(suite: Suite) -> None:
    """Each is made of attributes, in their order."""
    for axis in suite.all_axes():
        suite.axis_attributes(axis)


def check_names(suite: Suite) -> None:
    """People have a name, and declared values of attributes."""
    if suite.names is None:
        return
    _are_attributes(suite, "`names: shows:`", suite.names.shows)
    for person in suite.names.people:
        if "name" not in person:
            raise ValueError("a person needs a `name`")
        for attribute, value in person.items():
            if attribute != "name":
                _is_declared(suite, repr(person["name"]), attribute, value)


def check_categories(suite: Suite) -> None:
    """Rules, simulated answers, corpus, file and slots of each category."""
    for code, category in suite.categories.items():
        _check_outcomes(suite, code, category)
        _check_simulated_groups(suite, code, category)
        _check_classification(suite, code, category)
        _check_corpus(suite, code, category)
        if category.prompt_file:
            where = f"category {code}: `prompt_file`"
            _are_attributes(suite, where, sorted(category.prompt_file.attributes))
        _check_fields(suite, code, category)


def _check_outcomes(suite: Suite, code: str, category: Category) -> None:
    active = [rule.set for rule in category.outcomes if rule.variant == suite.variant]
    # Ready measurements come without a text that a rule could read.
    if not active and not (suite.measurements and not category.outcomes):
        raise ValueError(f"category {code} has no outcome rule of variant {suite.variant!r}")
    if len(set(active)) < len(active):
        raise ValueError(f"category {code} has two rules for one set in variant {suite.variant!r}")


def _check_simulated_groups(suite: Suite, code: str, category: Category) -> None:
    if category.simulated is None:
        return
    for shift in category.simulated.planted:
        _is_declared(suite, f"category {code}", shift.attribute, shift.value)
    for failure in category.simulated.failures:
        if failure.attribute is not None:
            _is_declared(suite, f"category {code}", failure.attribute, failure.value)


def _check_classification(suite: Suite, code: str, category: Category) -> None:
    spec = category.classification
    if spec is None:
        return
    rules = [rule for of, rule in suite.rules() if of == code and rule.set == spec.set]
    place = ("categories", code, "classification")
    if not rules:
        raise Misplaced(f"there is no outcome set {spec.set!r} of variant {suite.variant!r}", *place, "set")
    known = {*rules[0].labels, rules[0].unmatched}
    for i, label in enumerate(spec.predicted):
        if label not in known:
            raise Misplaced(f"{label!r} is no label of {spec.set!r}", *place, "predicted", i)
    if spec.truth not in suite.attributes:
        raise Misplaced(f"{spec.truth!r} is no attribute", *place, "truth")
    for i, value in enumerate(spec.positive):
        if value not in suite.attributes[spec.truth]:
            raise Misplaced(f"{value!r} is no value of {spec.truth!r}", *place, "positive", i)


def _check_corpus(suite: Suite, code: str, category: Category) -> None:
    corpus = category.corpus
    if corpus is None:
        return
    _are_attributes(suite, f"category {code}: `corpus`", [corpus.attribute])
    for concept in [*(source.concept for source in corpus.sources), *corpus.keywords]:
        _is_declared(suite, f"category {code}", corpus.attribute, concept)


def _check_fields(suite: Suite, code: str, category: Category) -> None:
    own = {*suite.attributes, "name"}
    taken = own & set(category.slots)
    if taken:
        raise ValueError(
            f"category {code}: the slot {min(taken)!r} has the name of an attribute or of a person"
        )
    prompts = enumerate(template.prompt for template in category.templates)
    _fields_are_known(code, "a prompt", prompts, {*category.slots, *own}, "prompts")
    for answer, texts in category.simulated.answers.items() if category.simulated else []:
        _fields_are_known(code, "an answer", enumerate(texts), own, "simulated", "answers", answer)


def check_columns(suite: Suite) -> None:
    """Columns hold attributes."""
    if suite.columns:
        _are_attributes(suite, "`columns: attributes:`", sorted(suite.columns.attributes))


def check_measurements(suite: Suite) -> None:
    """Ready measurements come alone, and name the suite's attributes."""
    if suite.measurements is None:
        return
    if suite.columns:
        raise ValueError("a suite has `columns` (files of texts) or `measurements` (of numbers), not both")
    _are_attributes(suite, "`measurements: attributes:`", sorted(suite.measurements.attributes))
    if suite.measurements.category is None and len(suite.categories) > 1:
        raise ValueError("`measurements` needs a `category` column: the suite has several categories")


def check_branches(suite: Suite) -> None:
    """A category is branched once, from a declared group."""
    for branching in suite.branches:
        if branching.category not in suite.categories:
            raise ValueError(f"`branches` names the category {branching.category!r}, which is not there")
        _is_declared(suite, "`branches`", branching.attribute, branching.root)
        if sum(other.category == branching.category for other in suite.branches) > 1:
            raise ValueError(f"`branches` names the category {branching.category!r} twice")


def check_roles(suite: Suite) -> None:
    """Roles are played by configs that have none of their own."""
    if suite.roles and not suite.configs:
        raise Misplaced("`roles` are played by `configs`, and the suite has none", "roles")
    for i, role in enumerate(suite.roles):
        if role.role in [other.role for other in suite.roles[:i]]:
            raise Misplaced(f"the role {role.role!r} stands here twice", "roles", i)
    for i, config in enumerate(suite.configs if suite.roles else []):
        if config.role or config.system_prompt:
            raise Misplaced(
                "the suite has `roles`, in which every config is asked; put this one there", "configs", i
            )


def check_own_scorers(suite: Suite) -> None:
    """A scorer of the suite's own has a name of its own."""
    from ingest.plugins import offers

    known = offers("scorer") if suite.own_scorers else {}
    for name in suite.own_scorers:
        if name in known:
            raise Misplaced(f"{name!r} is a scorer already: give yours another name", "own_scorers", name)


def check_distances(suite: Suite) -> None:
    """Distances are declared ones, each once in a list."""
    known = declared("distances", "distance")
    lists: list[tuple[list[str], tuple[str | int, ...]]] = [(suite.distances, ("distances",))]
    lists += [(topics.distances, ("topics", i, "distances")) for i, topics in enumerate(suite.topics)]
    for distances, place in lists:
        for i, distance in enumerate(distances):
            if distance not in known:
                problem = f"there is no distance {distance!r}; known: {', '.join(known)}"
                raise Misplaced(problem, *place, i)
            if distance in distances[:i]:
                raise Misplaced(f"the distance {distance!r} stands here twice", *place, i)


def check_topics(suite: Suite) -> None:
    """Texts are clustered once, and something is measured against the clusters."""
    for i, topics in enumerate(suite.topics):
        if topics.topic_set in [other.topic_set for other in suite.topics[:i]]:
            raise Misplaced(
                f"the {topics.of} of segment {topics.segment!r} are clustered here twice", "topics", i
            )
        unknown = [category for category in topics.categories if category not in suite.categories]
        if unknown:
            raise Misplaced(f"there is no category {unknown[0]!r}", "topics", i, "categories")
        if not (topics.membership or topics.distances):
            raise Misplaced("without `membership` or `distances` nothing is measured", "topics", i)


def check_local_law(suite: Suite) -> None:
    """Sex and race are two attributes."""
    if suite.local_law_144 is None:
        return
    named = [name for name in (suite.local_law_144.sex, suite.local_law_144.race) if name is not None]
    if not named:
        raise ValueError("`local_law_144` names the attribute that is `sex`, or `race`, or both")
    if len(set(named)) < len(named):
        raise ValueError("`local_law_144`: sex and race are two attributes")
    _are_attributes(suite, "`local_law_144`", named)


def check_stereotypes(suite: Suite) -> None:
    """Words can be told apart, and shares add up."""
    spec = suite.stereotypes
    if spec is None:
        return
    attributes, _ = spec.words(suite.language)
    if not attributes and not spec.scores:
        raise Misplaced("name the words of an `attributes:`, or `scores:`", "stereotypes")
    if spec.targets and not attributes:
        raise Misplaced("target words stand beside the words of an `attributes:`", "stereotypes", "targets")
    for code in spec.categories or []:
        if code not in suite.categories:
            raise Misplaced(f"{code!r} is no category of this suite", "stereotypes", "categories")
    for name, shares in spec.reference.items():
        if set(shares) != set(attributes.get(name, {})):
            raise Misplaced(f"{name}: give the share of each of its groups", "stereotypes", "reference", name)
        if abs(math.fsum(shares.values()) - 1) > 1e-9:
            raise Misplaced(f"{name}: the shares add up to 1", "stereotypes", "reference", name)
    features = [score.feature for score in spec.scores]
    if len(set(features)) < len(features):
        raise Misplaced("a feature stands here twice", "stereotypes", "scores")


def check_reference(suite: Suite) -> None:
    """A reference is a group of its axis."""
    for axis, group in suite.reference.items() if isinstance(suite.reference, dict) else []:
        if axis not in suite.all_axes():
            raise ValueError(f"`reference` names {axis!r}, which is no axis of this suite")
        values = group.split(AXIS_SEPARATOR)
        attributes = suite.axis_attributes(axis)
        if len(values) != len(attributes) or any(
            value not in suite.attributes[attribute]
            for attribute, value in zip(attributes, values, strict=True)
            if attribute in suite.attributes
        ):
            raise ValueError(f"`reference`: {axis}: {group!r} is no group of that axis")


def check_pairs(suite: Suite) -> None:
    """Pairs are of the suite's axes, and have the reference that they are compared with."""
    chosen = suite.reference if isinstance(suite.reference, dict) else {}
    for i, axis in enumerate(suite.pairs.axes or []):
        if axis not in suite.all_axes():
            raise Misplaced(f"{axis!r} is no axis of this suite", "pairs", "axes", i)
    for axis in suite.pair_axes() if suite.pairs.against == "reference" else []:
        if axis not in chosen:
            raise Misplaced(
                f"{axis!r} has no reference group; name one under `reference:`, such as {{{axis}: …}}",
                *("pairs", "against"),
            )


def check_recommendations(suite: Suite) -> None:
    """Lists are answers to categories of the suite."""
    for i, code in enumerate((suite.recommendations and suite.recommendations.categories) or []):
        if code not in suite.categories:
            raise Misplaced(f"there is no category {code!r}", "recommendations", "categories", i)


def check_thresholds(suite: Suite) -> None:
    """A limit is of a profile that the suite names, and stands once."""
    seen: set[tuple[str, str, str]] = set()
    for i, limit in enumerate(suite.thresholds):
        profile = limit.profile or suite.profiles[0]
        if profile not in suite.profiles:
            raise Misplaced(f"{profile!r} is not among the suite's `profiles`", "thresholds", i, "profile")
        kinds = ("single", "intersection") if limit.axes == "any" else (limit.axes,)
        for kind in kinds:
            if (profile, limit.metric, kind) in seen:
                raise Misplaced(f"{limit.metric!r} has two limits here", "thresholds", i)
            seen.add((profile, limit.metric, kind))


def check_ranges(suite: Suite) -> None:
    """A range has a lowest and a highest value."""
    for feature, (low, high) in suite.ranges.items():
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"`ranges`: {feature}: the first number must be below the second")


# The first that fails is what is said of a file.
CHECKS: tuple[Callable[[Suite], None], ...] = (
    check_attributes,
    check_axes,
    check_names,
    check_categories,
    check_columns,
    check_measurements,
    check_branches,
    check_roles,
    check_own_scorers,
    check_distances,
    check_topics,
    check_local_law,
    check_stereotypes,
    check_reference,
    check_pairs,
    check_recommendations,
    check_ranges,
    check_thresholds,
    check_profiles,
    check_scorers,
    check_backends,
)


def _are_attributes(suite: Suite, where: str, names: Iterable[str]) -> None:
    for name in names:
        if name not in suite.attributes:
            raise ValueError(f"{where} names {name!r}, which is no attribute")


def _is_declared(suite: Suite, where: str, attribute: str, value: str | None) -> None:
    if value not in suite.attributes.get(attribute, {}):
        raise ValueError(f"{where}: {attribute}: {value!r} is not declared in `attributes`")


def _fields_are_known(
    code: str, what: str, texts: Iterable[tuple[int, str]], known: set[str], *place: str
) -> None:
    for i, text in texts:
        for field in FIELD.findall(text):
            if field not in known:
                raise Misplaced(
                    f"category {code}: {{{field}}} is unknown in {what}; known: {', '.join(sorted(known))}",
                    "categories",
                    code,
                    *place,
                    i,
                )
