"""Two plain texts for each thing that a classifier measures, by language: which has more of it?

Whoever loads other weights than meant, or labels in another order, sees it here before anything is asked
(SPEC MEA-7). The texts were written for this purpose by a language model; nobody who speaks the languages has
reviewed them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ingest.errors import PlumblineError, shorten

VERSION = "1"  # another where a text below changes: then models are checked anew

# What is measured -> language -> a text that has less of it, one that has more of it.
PAIRS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "sentiment": {
        "ar": ("هذا سيء جدا، أكرهه", "هذا رائع جدا، أحبه"),
        "de": ("das ist schrecklich, ich hasse es", "das ist wunderbar, ich liebe es"),
        "en": ("this is terrible, i hate it", "this is wonderful, i love it"),
        "es": ("esto es terrible, lo odio", "esto es maravilloso, me encanta"),
        "fr": ("c'est horrible, je déteste ça", "c'est merveilleux, j'adore ça"),
        "hi": ("यह बहुत बुरा है, मुझे इससे नफ़रत है", "यह बहुत अच्छा है, मुझे यह पसंद है"),
        "id": ("ini sangat buruk, saya membencinya", "ini sangat bagus, saya menyukainya"),
        "it": ("è terribile, lo odio", "è meraviglioso, lo adoro"),
        "ja": ("これはひどい、大嫌いです", "これは素晴らしい、大好きです"),
        "ms": ("ini sangat teruk, saya benci", "ini sangat bagus, saya suka"),
        "pt": ("isto é horrível, eu odeio", "isto é maravilhoso, eu adoro"),
        "zh": ("这太糟糕了，我讨厌它", "这太棒了，我喜欢它"),
    },
    "regard": {
        "en": ("the woman was known as a lazy thief", "the woman was respected as a brilliant doctor"),
    },
    "toxicity": {
        "en": ("thank you for your kind help", "shut up, you stupid idiot"),
        "es": ("gracias por su amable ayuda", "cállate, idiota estúpido"),
        "fr": ("merci pour votre aide", "ferme-la, espèce d'idiot stupide"),
        "it": ("grazie per il suo aiuto", "stai zitto, stupido idiota"),
        "pt": ("obrigado pela sua ajuda", "cala a boca, seu idiota estúpido"),
        "ru": ("спасибо за вашу помощь", "заткнись, тупой идиот"),
        "tr": ("yardımınız için teşekkür ederim", "kapa çeneni, aptal salak"),
    },
    "hate": {
        "en": ("people of every faith live in our street", "i hate all immigrants, they are vermin"),
    },
    "stereotype_gender": {
        "en": ("the table is made of wood", "women are too emotional to be leaders"),
    },
    "stereotype_religion": {
        "en": ("the table is made of wood", "all muslims are violent"),
    },
    "stereotype_profession": {
        "en": ("the table is made of wood", "all politicians are corrupt liars"),
    },
    "stereotype_race": {
        "en": ("the table is made of wood", "black people are lazy"),
    },
    "extraversion": {
        "en": ("i stay at home and talk to nobody", "i love parties and talk to everybody"),
    },
    "neuroticism": {
        "en": ("i am calm and nothing worries me", "i worry about everything and panic all day"),
    },
    "agreeableness": {
        "en": ("i quarrel with everybody and help nobody", "i am kind, help everybody and forgive easily"),
    },
    "conscientiousness": {
        "en": ("i am lazy and never finish anything", "i plan my work with care and finish it on time"),
    },
    "openness": {
        "en": ("i do the same every day and dislike new ideas", "i love art, new ideas and far countries"),
    },
}


class Knowing(Protocol):
    """What is asked of a scorer whose features can be held against PAIRS."""

    name: str
    model: str
    languages: tuple[str, ...]

    @property
    def known(self) -> Mapping[str, str]:
        """What each feature measures, by PAIRS."""
        ...

    def score(self, texts: Sequence[str]) -> Mapping[str, np.ndarray]:
        """See `Scorer.score`."""
        ...

    def passed(self) -> None:
        """Keep that it passed, for these very files."""
        ...


class Read(NamedTuple):
    """What a scorer makes of two known texts."""

    feature: str
    language: str
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.feature} ({self.language}) {self.low:.2f} < {self.high:.2f}"


def told_apart(scorer: Knowing, languages: Sequence[str]) -> list[Read]:
    """Score the known texts in those of the languages that the scorer reads; keep that it passed.

    Raises PlumblineError where a text that has more of what is measured does not get the larger number.
    """
    asked = [
        (feature, language, PAIRS[what][language])
        for feature, what in scorer.known.items()
        for language in languages
        if language in scorer.languages
    ]
    texts = list(dict.fromkeys(text for *_, pair in asked for text in pair))
    if not texts:
        return []
    values = scorer.score(texts)
    reads = []
    for feature, language, (low, high) in asked:
        read = Read(feature, language, *(float(values[feature][texts.index(text)]) for text in (low, high)))
        if not read.low < read.high:
            raise PlumblineError(
                f"The scorer `{scorer.name}` reads {shorten(high, 30)!r} as {read.high:.2f} and"
                f" {shorten(low, 30)!r} as {read.low:.2f} ({feature}, {language}): the wrong order.",
                f"Are these files {scorer.model}? If so, take it out of `scorers:`.",
            )
        reads.append(read)
    scorer.passed()
    return reads
