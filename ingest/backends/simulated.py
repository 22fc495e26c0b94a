"""The embedded default: answers with a planted bias, so that an audit can be compared with the truth."""

import hashlib
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist

from ingest.asking.answer_status import response_status
from ingest.asking.first_tokens import ALTERNATIVES, FirstTokens
from ingest.backends import About, Answer, Description, Request
from ingest.backends.replies import PROBABILITIES
from ingest.errors import PlumblineError
from ingest.judging.simulated import SimulatedVotes
from ingest.keys import key
from ingest.suite import FIELD, Config, Suite
from ingest.suite.fields import LANGUAGE_ATTRIBUTE, fill

# In the fingerprint: another way to draw is another model.
ALGORITHM = "1"
OPTIONS = ("planted", "planted_scale", "role_scale", "prompt_spread", "refusal_rate", ALTERNATIVES)
MAX_SCALE = 10
MAX_SPREAD = 10
LEAST = 2**-54  # in the place of 0, where nothing is so low


@dataclass(frozen=True)
class Plan:
    """Failures of one group in one category, its answers with their log-odds, and the group's words."""

    failure_limits: list[float]
    failure_statuses: list[str]
    answers: list[str]
    logits: list[float]
    texts: list[list[str]]
    words: dict[str, str]


class SimulatedBackend:
    """Draws an answer whose chance is proportional to weight × exp(sum of the planted log-odds).

    So the odds of a planted answer against any answer without a plant are exp(log_odds) times what they
    are for the other groups (multinomial logit). Each draw is a hash of the request and the suite's seed:
    order, concurrency and restarts change nothing. A text names the group where it holds {attribute} or
    {name}. One that reads like a refusal is a refusal, as with any backend.

    Options of a config: `planted: false` (the unbiased twin), and `planted_scale` (1 by default), which
    multiplies the log-odds and the rates of failures that hit one group only. `role_scale` (1 by default)
    multiplies that once more: it is the one for `roles:`. The fingerprint holds the product. `prompt_spread`
    is the standard deviation of what each root, and each prompt once more, adds to an answer's log-odds.
    `refusal_rate` (0 by default) is how often this config alone refuses, whoever it is about.
    With `top_logprobs` an answer says what it might have begun with, and how likely: the truth itself.
    """

    name = "simulated"
    # The same request always ends the same way, a planted failure included.
    asked_again: frozenset[str] = frozenset()

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._plans: dict[tuple[object, ...], Plan] = {}
        self._votes = SimulatedVotes(suite)

    def describe(self, config: Config) -> Description:
        """Return the fingerprint: a hash of everything that the `simulated:` sections and the seed say."""
        is_judge = any(config in self.suite.voters(judge) for judge in self.suite.judges.values())
        for code, spec in self.suite.categories.items():
            if spec.prompts and not spec.simulated and not is_judge:
                raise _unanswerable(code)
        scale = planted_scale(config)
        specs = {
            code: spec.simulated.model_dump(
                mode="json", exclude=None if spec.simulated.translations else {"translations"}
            )
            for code, spec in self.suite.categories.items()
            if spec.simulated
        }
        return Description(
            digest=key("simulated", self.suite.resampling.seed, specs),
            options={
                "planted": scale != 0,
                "planted_scale": scale,
                **{name: config.options[name] for name in OPTIONS[3:] if config.options.get(name)},
            },
            server_version=ALGORITHM,
        )

    def answer(self, request: Request) -> Answer:
        """Return the answer of this request, always the same one."""
        if request.ballot is not None:
            drawn = uniforms(self.suite.resampling.seed, request.request_key)
            return self._votes.answer(request.ballot, drawn)
        plan = self._plan(request)
        u_failure, u_answer, u_text = uniforms(self.suite.resampling.seed, request.request_key)
        failure = bisect_right(plan.failure_limits, u_failure)
        if failure < len(plan.failure_statuses):
            status = plan.failure_statuses[failure]
            finish_reason = "length" if status == "truncated_output" else None
            return Answer(None, status, finish_reason, error="planted failure")
        shares = self._shares(plan, request)
        texts = plan.texts[min(bisect_right(list(accumulate(shares)), u_answer), len(plan.texts) - 1)]
        names = {} if request.name is None else {"name": request.name}
        words = {**plan.words, **names}
        text = fill(texts[int(u_text * len(texts))], words)
        status = response_status(text)
        n_tokens = request.config.options.get(ALTERNATIVES)
        first = _first_tokens(shares, plan.texts, words)[:n_tokens] if isinstance(n_tokens, int) else None
        return Answer(text if status == "ok" else None, status, "stop", first_tokens=first)

    def _shares(self, plan: Plan, request: Request) -> list[float]:
        """Return how likely each answer to this prompt is."""
        spread = request.config.options.get("prompt_spread", 0)
        if not isinstance(spread, int | float) or not spread:
            return _softmax(plan.logits)
        seed, normal = self.suite.resampling.seed, NormalDist(0, spread)
        places = (request.root_key, request.prompt_key)
        drawn = ([uniforms(seed, f"{answer}:{place}")[0] for place in places] for answer in plan.answers)
        return _softmax(
            [
                logit + sum(normal.inv_cdf(max(u, LEAST)) for u in some)
                for logit, some in zip(plan.logits, drawn, strict=True)
            ]
        )

    def _plan(self, request: Request) -> Plan:
        scale, refused = planted_scale(request.config), refusal_rate(request.config)
        group = (
            request.category,
            scale,
            refused,
            request.name is not None,
            *sorted(request.attributes.items()),
        )
        if group not in self._plans:
            self._plans[group] = self._new_plan(request, scale, refused)
        return self._plans[group]

    def _new_plan(self, request: Request, scale: float, refused: float) -> Plan:
        category, attributes = request.category, request.attributes
        spec = self.suite.categories[category].simulated if category in self.suite.categories else None
        if spec is None:
            raise _unanswerable(category)

        rates = [(refused, "refused")] if refused else []
        for failure in spec.failures:
            if failure.attribute is None:
                rates.append((failure.rate, failure.status))
            elif attributes.get(failure.attribute) == failure.value:
                rates.append((min(1.0, abs(scale) * failure.rate), failure.status))
        if math.fsum(rate for rate, _ in rates) > 1 + 1e-9:
            raise PlumblineError(
                f"Category {category}: the rates of `failures` add up to more than 1 for {dict(attributes)}.",
                "Lower them in the suite file.",
            )

        answers = sorted(spec.answers)
        planted = [one for one in spec.planted if attributes.get(one.attribute) == one.value]
        odds = (math.fsum(one.log_odds for one in planted if one.answer == answer) for answer in answers)
        logits = [math.log(spec.weights[a]) + scale * own for a, own in zip(answers, odds, strict=True)]

        language = attributes.get(LANGUAGE_ATTRIBUTE, self.suite.language)
        said = {**spec.answers, **spec.translations.get(language, {})}
        words = {a: self.suite.word(a, value, language) for a, value in attributes.items()}
        fields = {*words} if request.name is None else {*words, "name"}
        texts = [[text for text in said[answer] if set(FIELD.findall(text)) <= fields] for answer in answers]
        for answer, usable in zip(answers, texts, strict=True):
            if not usable:
                lacking = set(FIELD.findall(said[answer][0])) - fields
                field = f"{{{min(lacking)}}}"
                raise PlumblineError(
                    f"Category {category}: every text of the answer {answer!r} holds a field like {field} "
                    "that a prompt does not name.",
                    f"Add a text without {field} to that answer, or {field} to the prompts.",
                )
        return Plan(
            failure_limits=list(accumulate(rate for rate, _ in rates)),
            failure_statuses=[status for _, status in rates],
            answers=answers,
            logits=logits,
            texts=texts,
            words=words,
        )


def planted_scale(config: Config) -> float:
    """Return how strongly a config shows the planted bias: 1 as declared, 0 not at all."""
    unknown = sorted(set(config.options) - set(OPTIONS))
    if unknown:
        raise PlumblineError(
            f"The config {config.model!r} has the option {unknown[0]!r}, unknown to the backend `simulated`.",
            "It knows `planted` (true or false), `planted_scale`, `role_scale`, `prompt_spread`, "
            f"`refusal_rate` (numbers), `{ALTERNATIVES}`.",
        )
    planted = config.options.get("planted", True)
    if not isinstance(planted, bool):
        raise PlumblineError(
            f"The config {config.model!r}: `planted` is {planted!r}.", "Write true or false."
        )
    if ALTERNATIVES in config.options and not PROBABILITIES[ALTERNATIVES].check(config.options[ALTERNATIVES]):
        raise PlumblineError(
            f"The config {config.model!r}: `{ALTERNATIVES}` is {config.options[ALTERNATIVES]!r}.",
            f"Write {PROBABILITIES[ALTERNATIVES].meaning}.",
        )
    spread = config.options.get("prompt_spread", 0)
    if isinstance(spread, bool) or not isinstance(spread, int | float) or not 0 <= spread <= MAX_SPREAD:
        raise PlumblineError(
            f"The config {config.model!r}: `prompt_spread` is {spread!r}.",
            f"Write a number from 0 to {MAX_SPREAD}.",
        )
    refusal_rate(config)
    product = 1.0
    for option in ("planted_scale", "role_scale"):
        scale = config.options.get(option, 1.0)
        if isinstance(scale, bool) or not isinstance(scale, int | float) or not abs(scale) <= MAX_SCALE:
            raise PlumblineError(
                f"The config {config.model!r}: `{option}` is {scale!r}.",
                f"Write a number from -{MAX_SCALE} to {MAX_SCALE}.",
            )
        product *= scale
    if abs(product) > MAX_SCALE:
        raise PlumblineError(
            f"The config {config.model!r} ({config.role}): `planted_scale` × `role_scale` is {product:g}.",
            f"Let the product be from -{MAX_SCALE} to {MAX_SCALE}.",
        )
    return product if planted else 0.0


def refusal_rate(config: Config) -> float:
    """Return how often a config refuses of its own accord, from 0 to 1."""
    rate = config.options.get("refusal_rate", 0)
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise PlumblineError(
            f"The config {config.model!r}: `refusal_rate` is {rate!r}.", "Write a number from 0 to 1."
        )
    return float(rate)


def _softmax(logits: Sequence[float]) -> list[float]:
    largest = max(logits)
    shares = [math.exp(logit - largest) for logit in logits]
    total = math.fsum(shares)
    return [share / total for share in shares]


def _first_tokens(
    shares: Sequence[float], texts: Sequence[Sequence[str]], words: dict[str, str]
) -> FirstTokens:
    """Return the first words of all texts that may be said, each with the logarithm of how likely it is."""
    total: dict[str, float] = {}
    for share, some in zip(shares, texts, strict=True):
        for text in some:
            first = fill(text, words).split(maxsplit=1)
            token = first[0] if first else text
            total[token] = total.get(token, 0.0) + share / len(some)
    found = [(token, math.log(p)) for token, p in total.items() if p > 0]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def uniforms(seed: int, request_key: str) -> tuple[float, float, float]:
    """Return three independent numbers in [0, 1), of 53 bits each, that belong to a request."""
    digest = hashlib.blake2b(f"{seed}:{request_key}".encode(), digest_size=24).digest()
    first, second, third = ((int.from_bytes(digest[i : i + 8], "big") >> 11) / 2**53 for i in (0, 8, 16))
    return first, second, third


def _unanswerable(category: str) -> PlumblineError:
    return PlumblineError(
        f"Category {category} has prompts but no `simulated:` section, so nothing says what to answer.",
        "Add `simulated:` with `answers:` and `weights:` to it, or ask another backend.",
    )


BACKENDS = {"simulated": SimulatedBackend}
ABOUT = {"simulated": About("nobody: it writes answers with planted bias", "nothing")}
