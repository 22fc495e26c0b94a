"""Outcome sets that read answers of a few kinds: a yes first, a choice in the last line, a field of JSON."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import re2

from ingest.loading.plain_choices import NO, YES
from ingest.suite.fields import composed
from ingest.suite.places import ANSWER_GOES_ON, ANSWERS, BEGINNING, BEHIND, END, NAMED, Place, placed_pattern
from ingest.suite.places import LETTER as A_LETTER
from ingest.whole_words import whole_words

MOST_OUTCOMES = 12
EACH = 5  # answers to a label
SURE, UNSURE = 0.9, 0.5  # of the answers are read
MANY = 0.6  # of the prompts name a label, of the answers say yes or no
MOST_LETTERS = 40  # of a label
LONGEST_OPTION = 200  # characters; behind its letter it is a label
MOST_UNSURE, MOST_WORDS = 6, 3  # labels that are worth a comment, and their words
LETTER = re.compile("[a-h]", re.I)
SAYS_YES, SAYS_NO = (re.compile(words, re.I) for words in (YES, NO))
NOT = re.compile(r"(?:(?:do|does|is|are|would|should) )?(?:not|never) |(?:do|does|is|are)n['’]t ", re.I)
# Where what prompts offer by letter begins, and where it ends: `A) invite B) decline`, a line `A. invite`.
OPTION, OPTION_ENDS = re2.compile(r"(?:^|[^\pL\pM\pN_'’])([A-H])[).:]"), re2.compile(r"[\n.;?]")
MOVED = 0.1  # of the prompts offer an option under another letter than most
FLAGS = "(?is)"  # as DuckDB reads patterns
BY = {
    "beginning": "begin with one of its labels",
    "end": "end with one of its labels",
    "either": "begin or end with one of its labels",
}
WOULD = r"^[^\pL\pN]*I(?: would|['’]d)(?P<no> not|n['’]t)?(?: \pL+ly)? (?P<verb>\pL+)"
BY_OPTION = r"^[^\pL\pN]*[A-H][^\pL\pN]+{}($|[^\pL\pM\pN])"
I_WOULD = r"^[^\pL\pN]*I( would|['’]d)( \pL+ly)? {}\b"
I_WOULD_NOT = r"^[^\pL\pN]*I( would not|['’]d not| wouldn['’]t)( \pL+ly)? {}\b"


class Closed(NamedTuple):
    """An outcome set, which answers it reads by one label alone, and by what, as a sentence goes on."""

    rule: dict[str, Any]
    is_read: list[bool]  # of each answer that is not empty, in their order
    by: str
    is_sure: bool
    is_moved: bool = False  # its labels are letters, which say one thing in one prompt and another in another

    @property
    def n_read(self) -> int:
        """How many answers it reads."""
        return sum(self.is_read)


class _Kind(NamedTuple):
    """What answers say: its commonest spelling, all its forms in lower case, 1 for a yes, -1 for a no."""

    label: str
    forms: list[str]
    leans: int


def closed_answers(
    answers: Sequence[str], prompts: Sequence[str], groups: Collection[str] = (), models: Sequence[str] = ()
) -> list[Closed]:
    """Return the outcome sets that read most answers: one, or one a field of JSON; none for free texts.

    One that is not sure reads fewer, or by labels that no prompt offers and that are no yes or no. `groups`
    are values of attributes: what names one of them is no decision. Answers, prompts and models, if
    there are any, are as many.
    """
    pairs = [(composed(a), composed(p)) for a, p in zip(answers, prompts, strict=True) if a.strip()]
    said, asked = [answer for answer, _ in pairs], [prompt for _, prompt in pairs]
    if objects := objects_in(said):
        names = dict.fromkeys(name for one in objects for name in one)
        found = [_in_field(name, [one.get(name) for one in objects], said, groups) for name in names]
        return [one for one in found if one]
    tried = _would(said, asked) + _by_option(said, asked)
    pooled: dict[str, _Kind] = {}
    for at, heads in _ways(said):
        kinds = _kinds(heads, groups)
        for some in (kinds, [kind for kind in kinds if kind.leans]):
            if len(some) > 1:
                tried.append(_read_at(some, at, said, asked))
        for kind in kinds:
            if kind.leans or LETTER.fullmatch(kind.label):
                pooled.setdefault(kind.forms[0], kind)
    if len(pooled) > 1:  # one model may say first what another says last
        tried.append(_read_at([*pooled.values()], "either", said, asked))
    of = [model for model, answer in zip(models, answers, strict=True) if answer.strip()] if models else []
    tried = [one for one in tried if _reads_enough(one, of) and (one.is_sure or _is_worth(one))]
    # The first of equals: one place is plainer than all. Of what is not sure a yes and a no go before all.
    return sorted(
        tried,
        key=lambda one: (one.is_sure, not one.is_sure and _are_yes_and_no(one), one.n_read),
        reverse=True,
    )[:1]


def only_answer(answers: Sequence[str], groups: Collection[str] = ()) -> tuple[str, int] | None:
    """Return the one label that answers begin or end with, and of how many, where nearly all say it alone."""
    said = [composed(answer) for answer in answers if answer.strip()]
    for at, heads in _ways(said):
        kinds = _kinds(heads, groups)
        if len(kinds) == 1 and (kinds[0].leans or _are_all_of_it(kinds, said)):
            n = sum(_is_read({kinds[0].label: [placed_pattern(_any(kinds[0].forms), at)]}, said))
            if n >= SURE * len(said):
                return kinds[0].label, n
    return None


def _ways(said: Sequence[str]) -> list[tuple[Place, Iterable[str]]]:
    """Return where answers may decide, with what each says there, '' for nothing."""
    return [
        ("beginning", _matched(BEGINNING, said)),
        ("beginning", _matched(f"{BEGINNING}{NAMED}", said)),
        ("end", map(_ending, said)),
    ]


def _reads_enough(one: Closed, models: Sequence[str]) -> bool:
    """Whether half of the answers are read, or nearly all of one model, as where others answer in prose."""
    n, n_read = (
        Counter(models),
        Counter(m for m, is_read in zip(models, one.is_read, strict=False) if is_read),
    )
    return one.n_read >= UNSURE * len(one.is_read) or any(n_read[m] >= max(EACH, SURE * n[m]) for m in n)


def _are_yes_and_no(one: Closed) -> bool:
    return all(_leans(label.casefold()) for label in one.rule["labels"])


def _is_worth(one: Closed) -> bool:
    labels = one.rule["labels"]
    return len(labels) <= MOST_UNSURE and all(len(label.split()) <= MOST_WORDS for label in labels)


def _matched(before: str, said: Iterable[str]) -> Iterable[str]:
    goes_on = re2.compile(f"{FLAGS}{before}(?P<rest>{ANSWER_GOES_ON})")
    ends = re2.compile(f"{FLAGS}{before}(?P<head>{A_LETTER}.{{0,{MOST_LETTERS - 1}}}?){BEHIND}")
    for text in said:
        if match := goes_on.search(text):
            rest = match["rest"]
            yield next(rest[: len(one)] for one in ANSWERS if rest.casefold().startswith(one))
        else:
            yield match["head"] if (match := ends.search(text)) else ""


def _ending(text: str) -> str:
    tail = text.rstrip()[-5 * MOST_LETTERS :]
    line = re.sub(r"\s*</\w+>$", "", tail).rpartition("\n")[2]
    last = re.split(r"[:：{>]|\bis\b", re2.sub(END, "", line))[-1]
    return str(re2.sub(r"^[^\pL\pN]+", "", last))


def _kinds(heads: Iterable[str], groups: Collection[str]) -> list[_Kind]:
    """Return what answers say, the commonest first, if it is little; [] for numbers, groups and much else."""
    spelt = Counter(" ".join(head.split()) for head in heads if head)
    n: Counter[str] = Counter()
    for head, times in spelt.items():
        n[head.casefold()] += times
    leaning = {head: _leans(head) for head in n}
    often = [head for head, times in n.most_common() if times >= EACH or leaning[head]]
    often = [head for head in often if len(head) <= MOST_LETTERS and head.isprintable()]
    kinds: list[_Kind] = []
    for head in often:
        # Approve and Approved, 是 and 是的 are one answer.
        forms = next((k.forms for k in kinds if k.leans == leaning[head] != 0 and _begins(head, k)), None)
        if forms is not None:
            forms.append(head)
        else:
            spelling = max((s for s in spelt if s.casefold() == head), key=spelt.__getitem__)
            kinds.append(_Kind(spelling, [head], leaning[head]))
    named = {composed(group).casefold() for group in groups}
    if any(kind.forms[0] in named for kind in kinds) or len(kinds) > MOST_OUTCOMES:
        return []
    if all(re.fullmatch(r"[\d.,/%]+", kind.label) for kind in kinds):
        return []
    are_letters = all(LETTER.fullmatch(kind.label) for kind in kinds)
    return sorted(kinds, key=lambda kind: kind.label) if are_letters else kinds


def _begins(head: str, kind: _Kind) -> bool:
    return head.startswith(kind.forms[0]) or kind.forms[0].startswith(head)


def _leans(head: str) -> int:
    """Return 1 for a form of yes, -1 for one of no, 0 for neither."""
    if SAYS_YES.fullmatch(head):
        return 1
    negated = NOT.match(head)
    return -1 if SAYS_NO.fullmatch(head) or (negated and SAYS_YES.fullmatch(head[negated.end() :])) else 0


def _read_at(kinds: Sequence[_Kind], at: Place, said: Sequence[str], asked: Sequence[str]) -> Closed:
    """Return the rule that reads these kinds of answers in a place."""
    labels = {kind.label: kind.forms for kind in kinds}
    patterns = {kind.label: [placed_pattern(_any(kind.forms), at)] for kind in kinds}
    is_read = _is_read(patterns, said)
    leaning = {kind.label: patterns[kind.label] for kind in kinds if kind.leans}
    is_known = {1, -1} <= {kind.leans for kind in kinds} and sum(_is_read(leaning, said)) >= MANY * len(said)
    is_known = is_known or _are_offered(kinds, asked) or _are_all_of_it(kinds, said)
    is_moved = all(LETTER.fullmatch(kind.label) for kind in kinds) and bool(_moved_options(asked))
    is_sure = is_known and not is_moved and sum(is_read) >= SURE * len(said)
    return Closed(_rule(labels, _good(kinds), at=at), is_read, BY[at], is_sure, is_moved)


def _good(kinds: Sequence[_Kind]) -> list[str]:
    """Return the labels that are a form of yes, where others are one of no."""
    is_split = {1, -1} <= {kind.leans for kind in kinds}
    return [kind.label for kind in kinds if kind.leans == 1] if is_split else []


def _any(forms: Sequence[str]) -> str:
    return "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))


def _rule(labels: Mapping[str, list[str]], good: Sequence[str], **place: Any) -> dict[str, Any]:
    rule = {"set": "decision" if good else "choice", "kind": "pattern", "text": "raw"} | place
    return rule | {"labels": dict(labels)} | ({"favourable": list(good)} if good else {})


def _is_read(labels: Mapping[str, Sequence[str]], said: Sequence[str]) -> list[bool]:
    """Return of each answer whether it is read by one label, and by no other."""
    patterns = [[re2.compile(FLAGS + one) for one in some] for some in labels.values()]
    return [sum(any(p.search(text) for p in some) for some in patterns) == 1 for text in said]


def _are_offered(kinds: Sequence[_Kind], asked: Sequence[str]) -> bool:
    """Whether most prompts say each label; a letter, as answers write it, before a bracket or a comma."""
    for kind in kinds:
        if LETTER.fullmatch(kind.forms[0]):
            says, texts = re.compile(rf"(?<![\w'’]){kind.label}(?=[).:,/\]]|$)", re.M), asked
        else:
            says = re.compile(whole_words([(kind.forms[0], re.escape(kind.forms[0]))]))
            texts = [prompt.casefold() for prompt in asked]
        if sum(says.search(text) is not None for text in texts) < MANY * len(asked):
            return False
    return True


def _are_all_of_it(kinds: Sequence[_Kind], said: Sequence[str]) -> bool:
    """Whether most answers say a label of a few words, and nothing more."""
    if any(len(form.split()) > MOST_WORDS for kind in kinds for form in kind.forms):
        return False
    every = {form for kind in kinds for form in kind.forms}
    around = re2.compile(r"^[^\pL\pN]+|[^\pL\pM\pN]+$")
    return sum(" ".join(around.sub("", text).casefold().split()) in every for text in said) >= SURE * len(
        said
    )


def _moved_options(asked: Sequence[str]) -> list[str]:
    """Return the options that prompts offer, the commonest first, where they change places; else []."""
    offered = [_options(prompt) for prompt in asked]
    n = Counter(place for places in offered for place in places.items())
    most: dict[str, str] = {}
    for (text, letter), _ in n.most_common():
        most.setdefault(text, letter)
    moved = sum(any(most[text] != letter for text, letter in places.items()) for places in offered)
    return [text for text in most if n[text, most[text]] >= EACH] if moved > MOVED * len(asked) else []


def _options(prompt: str) -> dict[str, str]:
    """Return the letter of each option that a prompt offers."""
    begins = [*OPTION.finditer(prompt)]
    found: dict[str, str] = {}
    for begin, after in zip_longest(begins, begins[1:]):
        said = OPTION_ENDS.split(prompt[begin.end() : after.start() if after else None], 1)[0].strip(" ,;(")
        if text := said.removesuffix(" or").rstrip(" ,;"):
            found[text] = begin[1]
    return found


def _by_option(said: Sequence[str], asked: Sequence[str]) -> list[Closed]:
    """Return the rule of `B. Decline`, where `decline` is A in other prompts."""
    options = _moved_options(asked)
    if not 1 < len(options) <= MOST_OUTCOMES or len(max(options, key=len)) > LONGEST_OPTION:
        return []
    kinds = [_Kind(option, [option], _leans(option.casefold())) for option in options]
    labels = {option: [BY_OPTION.format(re.escape(option))] for option in options}
    is_read = _is_read(labels, said)
    rule = _rule(labels, _good(kinds), regex=True)
    by = "begin with a letter and one of its labels"
    return [Closed(rule, is_read, by, sum(is_read) >= SURE * len(said))]


def _would(said: Sequence[str], asked: Sequence[str]) -> list[Closed]:
    """Return the rule of `I would invite` and `I would not invite`, where prompts ask whether to invite."""
    pattern = re2.compile(FLAGS + WOULD)
    found = [match for text in said if (match := pattern.search(text))]
    verbs = Counter(match["verb"].casefold() for match in found)
    if not verbs:
        return []
    verb = verbs.most_common(1)[0][0]
    labels = {f"I would {verb}": [I_WOULD.format(verb)], f"I would not {verb}": [I_WOULD_NOT.format(verb)]}
    asks = re.compile(whole_words([(verb, re.escape(verb))]))
    is_asked = sum(asks.search(prompt.casefold()) is not None for prompt in asked) >= MANY * len(asked)
    ways = {bool(match["no"]) for match in found if match["verb"].casefold() == verb}
    if not is_asked or len(ways) == 1:
        return []
    is_read = _is_read(labels, said)
    rule = _rule(labels, [f"I would {verb}"], regex=True)
    return [Closed(rule, is_read, BY["beginning"], sum(is_read) >= SURE * len(said))]


def objects_in(said: Sequence[str]) -> list[dict[str, Any]]:
    """Return the JSON objects that answers are, without depth; [] where too few are objects."""
    found = []
    for text in said:
        try:
            value = json.loads(text[text.index("{") : text.rindex("}") + 1])
        except (ValueError, RecursionError):
            continue
        found.append(dict(_fields(value)))
    return found if len(found) >= SURE * len(said) and found else []


def _fields(value: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _fields(inner)
        else:
            yield name, inner


def _in_field(
    name: str, values: Sequence[Any], said: Sequence[str], groups: Collection[str]
) -> Closed | None:
    """Return the rule that reads a field which has a few values: texts, true and false."""
    kinds = _kinds(
        (json.dumps(v) if isinstance(v, bool) else v for v in values if isinstance(v, (str, bool))), groups
    )
    if len(kinds) < 2:
        return None
    patterns = {kind.label: [placed_pattern(_any(kind.forms), "anywhere", name)] for kind in kinds}
    is_read = _is_read(patterns, said)
    if sum(is_read) < SURE * len(said):
        return None
    rule = _rule({kind.label: kind.forms for kind in kinds}, _good(kinds), field=name) | {"set": name}
    return Closed(rule, is_read, f"have one of its labels as {json.dumps(name, ensure_ascii=False)}", True)
