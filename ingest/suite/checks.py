"""Whether the parts of a suite agree: one function a key, each raising ValueError at a mistake."""

import math
from collections.abc import Callable, Iterable, Iterator

from ingest.asking.first_tokens import ALTERNATIVES
from ingest.plugins import offers
from ingest.suite.fields import (
    AXIS_SEPARATOR,
    FIELD,
    LANGUAGE_ATTRIBUTE,
    Misplaced,
    declared,
    normalise_label,
    placed,
)
from ingest.suite.ground_truths import ReferenceTable, crosswalk
from ingest.suite.judges import SIMULATED, Judge
from ingest.suite.lookups import (
    check_backends,
    check_candidates,
    check_languages,
    check_mitigations,
    check_mixes,
    check_profiles,
    check_scorers,
    check_scores,
    check_styles,
)
from ingest.suite.rules import GIVEN, Rule
from ingest.suite.schema import Category, Suite

MOST_GROUPS = 100_000  # of all axes together
MOST_ROOTS = 1_000_000  # of a template
MOST_PROMPTS = 20_000_000  # of a template


def check_attributes(suite: Suite) -> None:
    """Each has two values at least, whose labels can be told apart."""
    for attribute, values in suite.attributes.items():
        if len(values) < 2:
            raise Misplaced("an attribute needs at least two values", "attributes", attribute)
        seen: dict[str, str] = {}
        for value, spec in values.items():
            if AXIS_SEPARATOR in value:
                problem = f"a value must not hold {AXIS_SEPARATOR!r}, which joins groups"
                raise Misplaced(problem, "attributes", attribute, value)
            for label in (value, *spec.aliases):
                if seen.setdefault(normalise_label(label), value) != value:
                    other = seen[normalise_label(label)]
                    problem = (
                        f"{label!r} stands for {other!r} already: case, spaces and what is invisible are one"
                    )
                    raise Misplaced(problem, "attributes", attribute, value)


def check_asked_languages(suite: Suite) -> None:
    """The other languages are others."""
    if suite.language in suite.languages:
        raise Misplaced("this is the suite's own `language`", "languages", suite.language)


def check_axes(suite: Suite) -> None:
    """Each is made of attributes, in their order."""
    for place, axes in _axes(suite):
        for i, axis in enumerate(axes):
            with placed(*place, i):
                suite.axis_attributes(axis)


def _axes(suite: Suite) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    yield ("axes",), suite.axes
    for code, category in suite.categories.items():
        yield ("categories", code, "axes"), category.axes or []


def check_groups(suite: Suite) -> None:
    """The groups of all axes are few enough to be compared."""
    total = 0
    for place, axes in _axes(suite):
        for i, axis in enumerate(axes):
            total += math.prod(len(suite.attributes.get(a, ())) or 1 for a in suite.axis_attributes(axis))
            if total > MOST_GROUPS:
                problem = (
                    f"with this axis there are {total:,} groups, and at most {MOST_GROUPS:,} are compared"
                )
                raise Misplaced(problem, *place, i)


def check_names(suite: Suite) -> None:
    """People have a name, and declared values of attributes."""
    if suite.names is None:
        return
    _are_attributes(suite, suite.names.shows, "names", "shows")
    for i, person in enumerate(suite.names.people):
        if "name" not in person:
            raise Misplaced("a person needs a `name`", "names", "people", i)
        for attribute, value in person.items():
            if attribute != "name":
                _is_declared(suite, attribute, value, "names", "people", i, attribute)


def check_categories(suite: Suite) -> None:
    """Rules, simulated answers, corpus, file and slots of each category."""
    for code, category in suite.categories.items():
        _check_outcomes(suite, code, category)
        _check_simulated_groups(suite, code, category)
        _check_classification(suite, code, category)
        _check_ground_truth(suite, code, category)
        _check_corpus(suite, code, category)
        if category.prompt_file:
            place = ("categories", code, "prompt_file", "attributes")
            _are_attributes(suite, category.prompt_file.attributes, *place)
        _check_fields(suite, code, category)


def _check_outcomes(suite: Suite, code: str, category: Category) -> None:
    active = [rule.set for rule in category.outcomes if rule.variant == suite.variant]
    # Ready measurements come without a text that a rule could read.
    if not active and not (suite.measurements and not category.outcomes):
        problem = f"the category has no outcome rule of variant {suite.variant!r}"
        if suite.columns and suite.columns.scores:
            problem += "; `scorer: given` reads one of `scores`; files of numbers alone have `measurements`"
        raise Misplaced(problem, "categories", code, "outcomes")
    if len(set(active)) < len(active):
        problem = f"the category has two rules for one set in variant {suite.variant!r}"
        raise Misplaced(problem, "categories", code, "outcomes")


def _check_simulated_groups(suite: Suite, code: str, category: Category) -> None:
    if category.simulated is None:
        return
    place = ("categories", code, "simulated")
    for i, shift in enumerate(category.simulated.planted):
        _is_declared(suite, shift.attribute, shift.value, *place, "planted", i, "value")
    for i, failure in enumerate(category.simulated.failures):
        if failure.attribute is not None:
            _is_declared(suite, failure.attribute, failure.value, *place, "failures", i, "value")


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


def _check_ground_truth(suite: Suite, code: str, category: Category) -> None:
    truth = category.ground_truth
    if truth is None:
        return
    place = ("categories", code, "ground_truth")
    labels = [label for rule in category.outcomes if rule.set == truth.set for label in rule.labels]
    if not labels:
        raise Misplaced(f"there is no outcome set {truth.set!r} with labels here", *place, "set")
    if truth.attribute not in suite.attributes:
        raise Misplaced(f"{truth.attribute!r} is no attribute", *place, "attribute")
    if isinstance(truth.table, ReferenceTable):
        known = {"outcomes": labels, "groups": [*suite.attributes[truth.attribute]]}
        for key, names in known.items():
            said = getattr(truth.table, key)
            if unknown := [name for name in said if name not in names]:
                problem = f"{unknown[0]!r} is none of {', '.join(dict.fromkeys(names))}"
                raise Misplaced(problem, *place, "table", key, unknown[0])
            with placed(*place, "table", key):
                crosswalk(names, said, may_share=key == "outcomes")


def _check_corpus(suite: Suite, code: str, category: Category) -> None:
    corpus = category.corpus
    if corpus is None:
        return
    place = ("categories", code, "corpus")
    _are_attributes(suite, [corpus.attribute], *place, "attribute")
    for i, source in enumerate(corpus.sources):
        _is_declared(suite, corpus.attribute, source.concept, *place, "sources", i, "concept")
    for concept in corpus.keywords:
        _is_declared(suite, corpus.attribute, concept, *place, "keywords", concept)


def _check_fields(suite: Suite, code: str, category: Category) -> None:
    own = {*suite.attributes, "name"}
    taken = own & set(category.slots)
    if taken:
        slot = min(taken)
        raise Misplaced("a slot has a name of its own, not an attribute's", "categories", code, "slots", slot)
    _check_roots(suite, code, category)
    prompts = enumerate(template.text for template in category.templates)
    _fields_are_known(code, "a prompt", prompts, {*category.slots, *own}, "prompts")
    for answer, texts in category.simulated.answers.items() if category.simulated else []:
        _fields_are_known(code, "an answer", enumerate(texts), own, "simulated", "answers", answer)
    simulated = category.simulated
    for language, said in simulated.translations.items() if simulated else []:
        for answer, texts in said.items():
            place = ("simulated", "translations", language, answer)
            _fields_are_known(code, "an answer", enumerate(texts), own, *place)
            if simulated and answer not in simulated.answers:
                raise Misplaced(f"{answer!r} is no answer of it", "categories", code, *place)
    _check_translations(suite, code, category)


def _check_translations(suite: Suite, code: str, category: Category) -> None:
    """A prompt is said in every language that the suite asks in, with the same fields."""
    for i, template in enumerate(category.templates):
        place = ("categories", code, "prompts", i, "translations")
        if suite.languages and LANGUAGE_ATTRIBUTE in FIELD.findall(template.text):
            raise Misplaced(f"{{{LANGUAGE_ATTRIBUTE}}} is filled into no prompt", *place[:-1])
        lacking = [language for language in suite.languages if language not in template.translations]
        if lacking:
            raise Misplaced(f"the prompt is not translated into {', '.join(lacking)}", *place[:-1])
        for language in template.translations:
            if language not in suite.languages:
                raise Misplaced(f"{language!r} is none of the suite's `languages`", *place, language)
            said = template.in_language(language)
            if [turn.role for turn in template.messages] != [turn.role for turn in said.messages]:
                raise Misplaced("the translation has other `messages` than its prompt", *place, language)
            for own, other in ((template.text, said.text), (template.baseline, said.baseline)):
                if (own is None) != (other is None) or set(FIELD.findall(own or "")) != set(
                    FIELD.findall(other or "")
                ):
                    problem = "the translation has other fields than its prompt, or no baseline"
                    raise Misplaced(problem, *place, language)
    for language, slots in category.slot_translations.items():
        for slot, phrases in slots.items():
            if len(phrases) != len(category.slots.get(slot, ())):
                problem = f"give one phrase for each of {slot!r}, in the same order"
                raise Misplaced(problem, "categories", code, "slot_translations", language, slot)


def _check_roots(suite: Suite, code: str, category: Category) -> None:
    """Every root of a category is made, even where only a sample of them is asked."""
    for i, template in enumerate(category.templates):
        fields = set(FIELD.findall(template.text))
        n_roots = math.prod(len(words) for slot, words in category.slots.items() if slot in fields)
        n_values = math.prod(len(values) for name, values in suite.attributes.items() if name in fields)
        n_people = len(suite.names.people) if suite.names and "name" in fields else 1
        for n, what in ((n_roots, "roots"), (n_roots * max(1, n_values * n_people), "prompts")):
            if n > (most := MOST_ROOTS if what == "roots" else MOST_PROMPTS):
                problem = f"this gives {n:,} {what}, at most {most:,} are made: shorten the slots"
                raise Misplaced(problem, "categories", code, "prompts", i)


def check_columns(suite: Suite) -> None:
    """Columns hold attributes, and labels of outcome sets; a set whose labels are given has a column."""
    labels = suite.columns.labels if suite.columns else {}
    if suite.columns:
        _are_attributes(suite, suite.columns.attributes, "columns", "attributes")
    kinds = {(rule.set, "score" if rule.is_score else rule.kind) for _, rule in suite.rules()}
    for name in labels:
        found = [kind for of, kind in kinds if of == name]
        if not found or "score" in found:
            problem = (
                f"there is no outcome set {name!r}"
                if not found
                else f"{name!r} is a score, and has no labels"
            )
            raise Misplaced(problem, "columns", "labels", name)
    for code, category in suite.categories.items():
        for i, rule in enumerate(category.outcomes):
            if rule.kind == "given" and rule.set not in labels:
                problem = f"name the column of {rule.set!r}: `columns: {{labels: {{{rule.set}: …}}}}`"
                raise Misplaced(problem, "categories", code, "outcomes", i, "kind")


def check_probabilities(suite: Suite) -> None:
    """Where a rule needs token probabilities, somebody who is asked for answers is asked for them."""
    if not suite.configs or any(ALTERNATIVES in config.options for config in suite.grid):
        return
    for code, category in suite.categories.items():
        for i, rule in enumerate(category.outcomes):
            if rule.kind == "probability" and rule.variant == suite.variant:
                problem = f"no config asks for token probabilities: write `options: {{{ALTERNATIVES}: 20}}`"
                raise Misplaced(problem, "categories", code, "outcomes", i, "kind")


def check_measurements(suite: Suite) -> None:
    """Ready measurements come alone, and name the suite's attributes."""
    if suite.measurements is None:
        return
    if suite.columns:
        problem = "a suite has `columns` (files of texts) or `measurements` (of numbers), not both"
        raise Misplaced(problem, "measurements")
    _are_attributes(suite, suite.measurements.attributes, "measurements", "attributes")
    if suite.measurements.category is None and len(suite.categories) > 1:
        raise Misplaced("name the `category` column: the suite has several categories", "measurements")


def check_branches(suite: Suite) -> None:
    """A category is branched once, from a declared group."""
    for i, branching in enumerate(suite.branches):
        if branching.category not in suite.categories:
            raise Misplaced(f"there is no category {branching.category!r}", "branches", i, "category")
        _is_declared(suite, branching.attribute, branching.root, "branches", i, "root")
        if any(template.messages for template in suite.categories[branching.category].templates):
            problem = "prompts with `messages` are not branched: write {attributes} into the turns"
            raise Misplaced(problem, "branches", i, "category")
        if sum(other.category == branching.category for other in suite.branches) > 1:
            raise Misplaced(
                f"the category {branching.category!r} is branched twice", "branches", i, "category"
            )


def check_prices(suite: Suite) -> None:
    """They are in one currency, so that they add up."""
    known = {config.prices.currency for config in suite.configs if config.prices}
    if len(known) > 1:
        for i, config in enumerate(suite.configs):
            if config.prices and config.prices.currency != max(known, key=str):
                said = ", ".join(sorted(str(currency or "none said") for currency in known))
                raise Misplaced(
                    f"prices are in several currencies ({said}): give one", "configs", i, "prices"
                )


def check_roles(suite: Suite) -> None:
    """Roles are played by configs that have none of their own."""
    if suite.roles and not suite.configs:
        raise Misplaced("`roles` are played by `configs`, and the suite has none", "roles")
    for i, role in enumerate(suite.roles):
        fields = FIELD.findall(f"{role.role} {role.system_prompt}")
        if "name" in fields and "name" not in FIELD.findall(role.role):
            raise Misplaced("a persona has {name} in `role`, too: each is a role of its own", "roles", i)
        if "name" in fields and not (suite.names and suite.names.people):
            raise Misplaced("a persona is one of `names: people:`, and the suite has none", "roles", i)
        if role.role in [other.role for other in suite.roles[:i]]:
            raise Misplaced(f"the role {role.role!r} stands here twice", "roles", i)
    for i, config in enumerate(suite.configs if suite.roles else []):
        if config.role or config.system_prompt:
            raise Misplaced(
                "the suite has `roles`, in which every config is asked; put this one there", "configs", i
            )


def check_own_scorers(suite: Suite) -> None:
    """A scorer of the suite's own has a name of its own."""
    known = offers("scorer") if suite.own_scorers else {}
    for name in suite.own_scorers:
        if name in known or name == GIVEN:
            raise Misplaced(f"{name!r} is a scorer already: give yours another name", "own_scorers", name)


def check_judges(suite: Suite) -> None:
    """A judge has a name of its own, somebody who votes, and rules that read what it gives."""
    seen: set[str] = set()
    for i, judge in enumerate(suite.scorers):
        if not isinstance(judge, Judge):
            continue
        if judge.name in {GIVEN, *seen, *suite.own_scorers, *offers("scorer")}:
            problem = f"{judge.name!r} is a scorer already: give the judge another name"
            raise Misplaced(problem, "scorers", i, "name")
        seen.add(judge.name)
        with placed("scorers", i, "config"):
            voters = suite.voters(judge)
        simulates = [config.backend == SIMULATED for config in voters]
        if any(simulates) != (judge.simulated is not None) or (any(simulates) and not all(simulates)):
            problem = "`simulated:` says how a judge of the backend `simulated` reads, and of no other"
            raise Misplaced(problem, "scorers", i, "simulated")
        for j, error in enumerate(judge.simulated.misreads if judge.simulated else []):
            if error.attribute is not None:
                _is_declared(
                    suite, error.attribute, error.value, "scorers", i, "simulated", "misreads", j, "value"
                )
        if judge.compares and not suite.pair_axes():
            raise Misplaced("the suite compares no pairs: take `reads: pairs` out", "scorers", i, "reads")
        for code in judge.categories or []:
            if code not in suite.categories:
                raise Misplaced(f"there is no category {code!r}", "scorers", i, "categories")
    for code, category in suite.categories.items():
        for i, rule in enumerate(category.outcomes):
            found = suite.judge_of(rule)
            if found is not None:
                _reads_judge(code, rule, found, "categories", code, "outcomes", i)


def _reads_judge(code: str, rule: Rule, judge: Judge, *place: str | int) -> None:
    if "text" in rule.model_fields_set:
        raise Misplaced("the judge says which text it reads: take `text` out", *place, "text")
    if judge.categories is not None and code not in judge.categories:
        raise Misplaced(f"the judge {judge.name!r} does not read this category", *place, "scorer")
    if rule.kind != "judged" and (judge.range is None or rule.feature != judge.feature):
        problem = f"a judge with a `range` gives the feature `<name>_score`, and {judge.name!r} no other"
        raise Misplaced(problem, *place, "feature")
    if rule.kind == "judged" and rule.unmatched is not None:
        raise Misplaced("a judge chooses among its labels: take `unmatched` out", *place, "unmatched")


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
        raise Misplaced("name the attribute that is `sex`, or `race`, or both", "local_law_144")
    if len(set(named)) < len(named):
        raise Misplaced("sex and race are two attributes", "local_law_144")
    _are_attributes(suite, named, "local_law_144")


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
            raise Misplaced(f"{axis!r} is no axis of this suite", "reference", axis)
        values = group.split(AXIS_SEPARATOR)
        attributes = suite.axis_attributes(axis)
        if len(values) != len(attributes) or any(
            value not in suite.attributes[attribute]
            for attribute, value in zip(attributes, values, strict=True)
            if attribute in suite.attributes
        ):
            raise Misplaced(f"{group!r} is no group of that axis", "reference", axis)


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


def check_benchmark(suite: Suite) -> None:
    """Its prompts have the attributes that its scores are computed from, its answers the outcomes."""
    if suite.benchmark is None:
        return
    _are_attributes(suite, suite.benchmark.roles, "benchmark", "name")
    wanted = suite.benchmark.set
    if wanted and not any(rule.set == wanted and not rule.is_score for _, rule in suite.rules()):
        raise Misplaced(f"there is no outcome set {wanted!r}", "benchmark", "set")


def check_thresholds(suite: Suite) -> None:
    """A limit is of a profile that the suite names, and stands once."""
    seen: dict[tuple[str, str, str], set[str | None]] = {}
    for i, limit in enumerate(suite.thresholds):
        profile = limit.profile or suite.profiles[0]
        if profile not in suite.profiles:
            raise Misplaced(f"{profile!r} is not among the suite's `profiles`", "thresholds", i, "profile")
        kinds = ("single", "intersection") if limit.axes == "any" else (limit.axes,)
        for kind in kinds:
            named = seen.setdefault((profile, limit.metric, kind), set())
            # A limit without a statistic is of each.
            if named and ({None, limit.statistic} & named or limit.statistic is None):
                raise Misplaced(f"{limit.metric!r} has two limits here", "thresholds", i)
            named.add(limit.statistic)


def check_ranges(suite: Suite) -> None:
    """A range has a lowest and a highest value."""
    for feature, (low, high) in suite.ranges.items():
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise Misplaced("the first number must be below the second", "ranges", feature)


# The first that fails is what is said of a file.
CHECKS: tuple[Callable[[Suite], None], ...] = (
    check_attributes,
    check_asked_languages,
    check_axes,
    check_groups,
    check_names,
    check_categories,
    check_candidates,
    check_columns,
    check_scores,
    check_probabilities,
    check_measurements,
    check_branches,
    check_prices,
    check_roles,
    check_mitigations,
    check_mixes,
    check_own_scorers,
    check_judges,
    check_distances,
    check_topics,
    check_local_law,
    check_stereotypes,
    check_reference,
    check_pairs,
    check_recommendations,
    check_benchmark,
    check_ranges,
    check_thresholds,
    check_profiles,
    check_scorers,
    check_styles,
    check_languages,
    check_backends,
)


def _are_attributes(suite: Suite, names: Iterable[str], *place: str | int) -> None:
    for name in names:
        if name not in suite.attributes:
            raise Misplaced(f"{name!r} is no attribute", *place, name)


def _is_declared(suite: Suite, attribute: str, value: str | None, *place: str | int) -> None:
    if value not in suite.attributes.get(attribute, {}):
        raise Misplaced(f"{attribute}: {value!r} is not declared in `attributes`", *place)


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
