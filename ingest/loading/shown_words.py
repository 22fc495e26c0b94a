"""Words of prompts that show a group whose name they do not say, as *woman* and *she* show Female."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from ingest.corpus.sentences import WORD
from ingest.suite.fields import composed
from ingest.unspaced import UNSPACED_LETTER
from ingest.whole_words import whole_words

LOOKED_AT = 300  # prompts of a group
LETTERS = 5_000  # of a prompt
MOST_WORDS = 12  # of a group; where more are its own, it was asked something else
FEW_WORDS = 3  # that nearly all prompts of a group have, whatever else differs
SHARE = 0.05  # of a group's prompts have a word
ENOUGH = 0.9  # of a group's prompts have one of its words
PAIRED = 0.5  # of a group's prompts, without words of groups, are another's too
GAP = "…"
ARTICLES = {f"an {GAP}": f"a {GAP}", f"An {GAP}": f"A {GAP}"}


def shown_words(prompts: Sequence[str], groups: Sequence[str]) -> dict[str, list[str]]:
    """Return for each group the words that show it; {} where a group has none.

    They stand in prompts of their group alone, and nearly each prompt of the group has one.
    """
    words = {group: [_words(text) for text in texts] for group, texts in _drawn(prompts, groups).items()}
    found = {group: _own(group, words) for group in words}
    return found if len(found) > 1 and all(found.values()) else {}


def differ_in_words_alone(
    prompts: Sequence[str], groups: Sequence[str], words: Mapping[str, Sequence[str]], others: Sequence[str]
) -> bool:
    """Whether prompts of each group are those of another but for `words`, and for `others`.

    Half of them at least are the same without these, or each has the same few words of its own. Not where
    prompts of a group have one word or another: names and ages belong to a person, and answers about one
    person resemble each other.
    """
    if all(_has_the_same(texts, words[group]) for group, texts in _drawn(prompts, groups).items()):
        return True
    # The first of each: drawn ones would seldom be two of a pair.
    of = {group: texts[:LOOKED_AT] for group, texts in _of_groups(prompts, groups).items()}
    said = [*others, *(word for own in words.values() for word in own)]
    replaced = replacements([text for texts in of.values() for text in texts], said)
    forms: list[dict[str, set[frozenset[str]]]] = []
    for group, texts in of.items():
        beside: dict[str, set[frozenset[str]]] = {}
        for text in texts:
            beside.setdefault(without(text, replaced), set()).add(frozenset(_words(text) & set(words[group])))
        forms.append(beside)
    n_groups = Counter(form for beside in forms for form in beside)
    return all(
        sum(n_groups[form] > 1 for form in beside) >= PAIRED * len(beside)
        and sum(len(own) == 1 for own in beside.values()) >= ENOUGH * len(beside)
        for beside in forms
    )


def _has_the_same(texts: Sequence[str], words: Sequence[str]) -> bool:
    n = Counter(word for text in texts for word in _words(text) & set(words))
    return len(words) <= FEW_WORDS and all(n[word] >= ENOUGH * len(texts) for word in words)


def replacements(prompts: Sequence[str], words: Sequence[str]) -> dict[str, str]:
    """Return what stands for each form in which prompts have these words, for `replace:` of a column."""
    if not words:
        return {}
    pattern = re.compile(whole_words([(word, re.escape(word)) for word in words]), re.IGNORECASE)
    texts = [text[:LETTERS] for text in dict.fromkeys(prompts)]
    forms = {form for text in texts for form in pattern.findall(text)}
    # The longest first: *woman* is gone before *man* is looked for.
    replaced = dict.fromkeys(sorted(forms, key=lambda form: (-len(form), form)), GAP)
    left = [without(text, replaced) for text in texts]
    return replaced | {an: a for an, a in ARTICLES.items() if any(an in text for text in left)}


def without(text: str, replaced: Mapping[str, str]) -> str:
    """Return a text as `replace:` of a column leaves it.

    >>> without("Would an Indian cook?", {"Indian": "…", "an …": "a …"})
    'Would a … cook?'
    """
    for old, new in replaced.items():
        text = text.replace(old, new)
    return text


def _of_groups(prompts: Sequence[str], groups: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for prompt, group in zip(prompts, groups, strict=True):
        if group and prompt:
            found.setdefault(group, {})[prompt] = None
    return {group: list(texts) for group, texts in found.items()}


def _drawn(prompts: Sequence[str], groups: Sequence[str]) -> dict[str, list[str]]:
    """Return prompts of each group, drawn: the first of a sorted file may be of one other group, too."""
    found = _of_groups(prompts, groups)
    return {
        group: Random(0).sample(texts, LOOKED_AT) if len(texts) > LOOKED_AT else texts
        for group, texts in found.items()
    }


def _own(group: str, words: Mapping[str, Sequence[set[str]]]) -> list[str]:
    """Return the words that stand in prompts of a group alone, the most frequent first; [] for too few."""
    beside: set[str] = set().union(*(some for other in words if other != group for some in words[other]))
    has = words[group]
    n = Counter(word for some in has for word in some - beside)
    own = [
        word
        for word, count in sorted(n.items(), key=lambda one: (-one[1], one[0]))
        if count >= SHARE * len(has)
    ]
    covered = sum(not some.isdisjoint(own) for some in has)
    return own if len(own) <= MOST_WORDS and covered >= ENOUGH * len(has) else []


def _words(text: str) -> set[str]:
    # Where no spaces stand between words, what a group's prompts alone have may be a sentence.
    return {word.lower() for word in WORD.findall(UNSPACED_LETTER.sub(" ", composed(text[:LETTERS])))}
