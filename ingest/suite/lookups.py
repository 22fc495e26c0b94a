"""Whether what a suite names is there: profiles, scorers, encoders and backends, ours and other packages'."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ingest.errors import PlumblineError
from ingest.plugins import offers
from ingest.scorers import DEFAULT_EMBEDDER
from ingest.suite.candidates import CHOSEN, NOT_CHOSEN
from ingest.suite.fields import FIELD, LANGUAGE_SEPARATOR, Misplaced, alike, declared
from ingest.suite.judges import Judge
from ingest.suite.rules import GIVEN
from ingest.suite.schema import Suite
from ingest.suite.sources import Config

Place = tuple[str | int, ...]


def check_profiles(suite: Suite) -> None:
    """Each has limits: those of seeds/thresholds.csv, or the suite's own."""
    known = declared("thresholds", "profile")
    own = {limit.profile or suite.profiles[0] for limit in suite.thresholds}
    for i, profile in enumerate(suite.profiles):
        if profile not in known and profile not in own:
            problem = f"there is no profile {profile!r}, and `thresholds` has no limit of it"
            raise Misplaced(f"{problem}. Known profiles: {', '.join(known)}", "profiles", i)


def check_scorers(suite: Suite) -> None:
    """Whatever measures is there: `scorers`, those of rules, and what turns texts into vectors."""
    _are_offered("scorer", _scorers(suite), [*suite.own_scorers, *suite.judges])


def check_scores(suite: Suite) -> None:
    """A number that comes with an answer has a name of its own; a rule that reads it says so."""
    scores = suite.columns.scores if suite.columns else {}
    made = {f"{name}_score": name for name in suite.own_scorers} | (made_features() if scores else {})
    for feature in scores:
        if feature in made:
            problem = f"{feature!r} is a feature of the scorer {made[feature]!r}: give it another name"
            raise Misplaced(problem, "columns", "scores", feature)
    named = {*offers("scorer"), *suite.own_scorers, *suite.judges} if scores else ()
    for code, category in suite.categories.items():
        for i, rule in enumerate(category.outcomes):
            place = ("categories", code, "outcomes", i)
            if rule.reads_given:
                if rule.feature not in scores:
                    known = ", ".join(scores) or "none"
                    problem = f"no number {rule.feature!r} comes with the answers; known: {known}"
                    raise Misplaced(f"{problem}. `scores:` under `columns:` names them", *place, "feature")
                if "text" in rule.model_fields_set:
                    raise Misplaced("the number came with the answer: take `text` out", *place, "text")
                continue
            said = (rule.feature, None if rule.scorer in named else rule.scorer)
            for given in (name for name in said if name in scores):
                problem = f"{given!r} came with the answers: write `scorer: {GIVEN}, feature: {given}`"
                raise Misplaced(problem, *place)


def made_features() -> dict[str, str]:
    """Return the features that scorers say they make, each with its scorer."""
    return {
        feature: name
        for name, found in offers("scorer").items()
        for offer in found
        if offer.about
        for feature in offer.about.features
    }


def check_styles(suite: Suite) -> None:
    """The styles of a benchmark are measured, as far as what measures says its numbers."""
    given = {f"{name}_score" for name in suite.own_scorers} | {j.feature for j in suite.judges.values()}
    given |= set(suite.columns.scores if suite.columns else ())
    given |= set(suite.measurements.features if suite.measurements else ())
    given |= {rule.measured_feature for _, rule in suite.rules() if rule.measured_feature}
    known = offers("scorer")
    for name in {name for name, _ in _scorers(suite)} & set(known):
        if not known[name][0].about:
            return  # a package of somebody else, which does not say
        given |= set(known[name][0].about.features)
    for i, style in enumerate(suite.benchmark.styles if suite.benchmark else ()):
        if style not in given:
            problem = f"nothing in the suite measures {style!r}: name its scorer under `scorers`"
            raise Misplaced(problem, "benchmark", "styles", i)


def check_languages(suite: Suite) -> None:
    """Whatever measures reads the suite's language, as far as it says which ones it reads."""
    reads = {
        name: found[0].about.languages or () for name, found in offers("scorer").items() if found[0].about
    }
    reads |= {name: scorer.languages for name, scorer in suite.own_scorers.items()}
    reads |= {name: judge.languages for name, judge in suite.judges.items()}
    for asked in suite.asked_languages:
        wanted = alike(asked)
        able = [name for name, languages in reads.items() if any(alike(one) & wanted for one in languages)]
        for name, place in _measuring(suite):
            if name not in able and reads.get(name):
                what = f"the scorer {name!r} reads {', '.join(reads[name])}, and the suite is in {asked}"
                raise Misplaced(f"{what}. Name {' or '.join(able) or 'one of your own'}", *place)
        for code, category in suite.categories.items():
            for i, rule in enumerate(category.outcomes):
                if suite.languages and rule.looks_for_words:
                    read = suite.read_by(rule)
                    if not any(alike(one) & wanted for one in read.split(LANGUAGE_SEPARATOR)):
                        what = f"the rule's phrases are in {read}, and the suite asks in {asked}"
                        place = ("categories", code, "outcomes", i)
                        raise Misplaced(f"{what}. Give them under `translations`", *place)


def check_backends(suite: Suite) -> None:
    """Whoever is asked can be asked."""
    named: list[tuple[str, Place]] = [
        (config.backend, ("configs", i, "backend")) for i, config in enumerate(suite.configs)
    ]
    for i, judge in enumerate(suite.scorers):
        if isinstance(judge, Judge):
            of = [config for config in judge.members if isinstance(config, Config)]
            named += [(config.backend, ("scorers", i, "config")) for config in of]
    # What came in a file is declared as `recorded`, and asked of nobody.
    _are_offered("backend", named, ["recorded"])


def config_labels(suite: Suite) -> list[str]:
    """Return the name of each config: model (role), with the options where that alone is not unique."""

    def base(config: Config) -> str:
        return f"{config.model} ({config.role})" if config.role else config.model

    shared = Counter(base(config) for config in suite.grid)
    labels = []
    for config in suite.grid:
        options = ", ".join(f"{option}={value}" for option, value in sorted(config.options.items()))
        labels.append(f"{base(config)} [{options}]" if shared[base(config)] > 1 and options else base(config))
    twice = [label for label, n in Counter(labels).items() if n > 1]
    if twice:
        raise PlumblineError(
            f"Two `configs:` of the suite are both called {twice[0]!r}.",
            "Give one another `role:` or `model:`.",
        )
    return labels


def check_mitigations(suite: Suite) -> None:
    """Each compares two configs of the suite; where a suite has none, answers that somebody has say who."""
    labels = config_labels(suite) if suite.mitigations and suite.configs else []
    for i, mitigation in enumerate(suite.mitigations):
        for side in ("control", "treated"):
            named = getattr(mitigation, side)
            if labels and named not in labels:
                problem = f"the suite has no config {named!r}. It has: {'; '.join(labels)}"
                raise Misplaced(problem, "mitigations", i, side)
        if mitigation.control == mitigation.treated:
            raise Misplaced("`control` and `treated` are one config: name two", "mitigations", i)
        for other in suite.mitigations[:i]:
            if mitigation.name == other.name or (mitigation.control, mitigation.treated) == (
                other.control,
                other.treated,
            ):
                raise Misplaced(f"{other.name!r} stands here twice", "mitigations", i)


def check_mixes(suite: Suite) -> None:
    """A mix is of attributes that prompts of its category name, and of their values."""
    for code, category in suite.categories.items():
        if category.mix is None:
            continue
        fields = {field for template in category.templates for field in FIELD.findall(template.text)}
        people = suite.names.people if suite.names and "name" in fields else []
        for attribute, shares in category.mix.shares.items():
            place = ("categories", code, "mix", "shares", attribute)
            if attribute not in suite.attributes:
                raise Misplaced(f"{attribute!r} is no attribute", *place)
            if unknown := [value for value in shares if value not in suite.attributes[attribute]]:
                raise Misplaced(f"{unknown[0]!r} is no value of {attribute!r}", *place)
            if attribute not in fields and not any(attribute in person for person in people):
                raise Misplaced(f"no prompt of the category names {{{attribute}}}, nor do its people", *place)


def _scorers(suite: Suite) -> Iterator[tuple[str, Place]]:
    for i, name in enumerate(suite.scorer_names):
        yield name, ("scorers", i)
    if suite.encoder:
        yield suite.encoder, ("encoder",)
    for code, category in suite.categories.items():
        for i, rule in enumerate(category.outcomes):
            if rule.scorer and not rule.reads_given:
                yield rule.scorer, ("categories", code, "outcomes", i, "scorer")


def _measuring(suite: Suite) -> Iterator[tuple[str, Place]]:
    """What `_scorers` yields, and what measures where nothing is named."""
    yield from _scorers(suite)
    if (suite.topics or suite.distances) and not suite.encoder:
        yield DEFAULT_EMBEDDER, ("topics" if suite.topics else "distances",)
    for code, category in suite.categories.items():
        for i, rule in enumerate(category.outcomes):
            if rule.kind in ("anchor", "score", "cutoff") and not rule.scorer:
                yield DEFAULT_EMBEDDER, ("categories", code, "outcomes", i, "kind")


def _are_offered(kind: str, named: Iterable[tuple[str, Place]], own: Iterable[str]) -> None:
    known = [*offers(kind), *own]
    for name, place in named:
        if name not in known:
            raise Misplaced(f"there is no {kind} {name!r}. Known {kind}s: {', '.join(known)}", *place)


def check_candidates(suite: Suite) -> None:
    """The place has a value for each person, the choice has the labels that people get, roots stay whole."""
    if suite.columns is None or suite.columns.candidates is None:
        return
    candidates, place = suite.columns.candidates, ("columns", "candidates")
    for name in candidates.attributes:
        if name not in suite.attributes:
            raise Misplaced(f"{name!r} is no attribute", *place, "attributes")
    if candidates.position and candidates.position not in suite.attributes:
        raise Misplaced(f"{candidates.position!r} is no attribute", *place, "position")
    if candidates.position and len(suite.attributes[candidates.position]) < candidates.n:
        problem = f"{candidates.position!r} has fewer values than the {candidates.n} people"
        raise Misplaced(problem, *place, "position")
    for code, rule in suite.rules():
        if rule.set != candidates.choice:
            continue
        if set(rule.labels) != {CHOSEN, NOT_CHOSEN}:
            problem = f"the labels of {rule.set!r} must be {CHOSEN!r} and {NOT_CHOSEN!r}"
            raise Misplaced(problem, *place, "choice")
        if suite.columns.root is not None and suite.categories[code].block != "root":
            problem = f"{code} must say `block: root`: the orders of one root are no people of their own"
            raise Misplaced(problem, "categories", code)
