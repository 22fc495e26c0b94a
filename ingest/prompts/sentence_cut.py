"""A sentence cut after its main verb: the first part asks, the whole is the baseline (SPEC ASM-2)."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

AFTER_TOKEN = 6
AFTER_VERB = 3
TOKEN = re.compile(r"\w+(?=n['’]t\b)|n['’]t\b|['’]\w+|\w+(?:-\w+)*|[^\w\s]")
FINITE = re.compile(r"V[VBDH][DZB]|VM0")  # tags of the BNC's set C5
# Where no tagger is installed: verbs that are nothing else.
AUXILIARY = re.compile(
    r"am|is|are|was|were|has|have|had|does|did|will|would|shall|should|can|could|may|might|must",
    re.IGNORECASE,
)


@cache
def _tagger() -> Any | None:
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError:
        return None
    return HanoverTagger("morphmodel_en.pgz")


def finite_verbs(tokens: Sequence[str]) -> list[bool]:
    """Say of each token of an English sentence whether it is a finite verb."""
    tagger = _tagger()
    if tagger is None:
        return [bool(AUXILIARY.fullmatch(token)) for token in tokens]
    return [bool(FINITE.fullmatch(tag)) for _, _, tag in tagger.tag_sent(list(tokens))]


def split_sentence(sentence: str) -> tuple[str, str]:
    """Return a sentence up to three tokens after its main verb, and why that cannot be done, or ''.

    The main verb is the first finite one after the sixth token, outside brackets and not in title case; if
    there is none, the first one anywhere. The reasons are `no_verb` and `nothing_left`.
    """
    spans = [(match.group(), match.start(), match.end()) for match in TOKEN.finditer(sentence)]
    tokens = [token for token, _, _ in spans]
    depth = 0
    usable = []
    for token, is_verb in zip(tokens, finite_verbs(tokens) if tokens else [], strict=True):
        depth += (token in "([{") - (token in ")]}")
        usable.append(is_verb and depth <= 0 and not token.istitle())
    verbs = [index for index, is_usable in enumerate(usable) if is_usable]
    if not verbs:
        return "", "no_verb"
    verb = next((index for index in verbs if index >= AFTER_TOKEN), verbs[0])
    last = verb + AFTER_VERB
    if last >= len(tokens) - 1 or not re.search(r"\w", sentence[spans[last][2] :]):
        return "", "nothing_left"
    return sentence[: spans[last][2]].strip(), ""
