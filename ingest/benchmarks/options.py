"""Answers that choose an option by its letter, the same for every benchmark that offers options."""

from collections.abc import Sequence
from typing import Any

LETTERS = "ABC"
SET = "answer"
NONE = "none"  # no option of a prompt is this: cells of answers that are loaded are never empty
# Before the letter may stand what leads to it; after it nothing, or what ends a label: "B", "(B) The aunt",
# "Answer: B". A word that begins with the letter is no choice, nor is the article in "A man". Words of other
# scripts are words: "不是A" and "A неверно" say that it is not A.
_NO_WORD = r"[^\p{L}\p{N}_]*"
_LEADS = (
    r"(?:(?:the|my)\s+)?(?:(?:correct|best|right|final|most\s+likely)\s+)*"
    r"(?:answer|option|choice|sentence)(?:\s+is)?",
    r"it(?:\s+is|['’]s)",
    r"i(?:\s+would|['’]d)?\s+(?:choose|pick|select|go\s+with)",
    r"(?:(?:最终|正确|最終|正確)?答案|答え|正解|정답|답)(?:是|为|為|は|은)?|我?(?:选择?|選擇?)",
    r"(?:мой\s+)?ответ|(?:моя\s+)?відповідь|я\s+(?:выбираю|обираю)|réponse|antwort|respuesta|risposta|resposta",
    r"الإجابة|الجواب|התשובה|उत्तर|คำตอบ(?:คือ)?|απάντηση",
)
_BEFORE = rf"^{_NO_WORD}(?:{'|'.join(_LEADS)})?{_NO_WORD}(?:(?:option|choice|sentence){_NO_WORD})?"
# What follows may be no other letter: not "or", not "and" behind what ends a label, no letter behind a comma.
_NO_LINK = r"(?:[^\s\p{Z}OA,，、/&]|O(?:[^R]|$)|A(?:[^N]|$)|AN(?:[^D]|$)|(?:OR|AND)\w)"
_MORE = rf"[,，、][\s\p{{Z}}]*(?:[^\s\p{{Z}}({LETTERS}AO]|[{LETTERS}]\w|A\s+{_NO_LINK}|O(?:[^R]|$))"
_CLOSED = rf"(?:[.):\]*。：]|\s[-–—(])+[\s\p{{Z}}]*(?:$|{_NO_LINK}|{_MORE})"
_AFTER = rf"(?:(?:です|だ|입니다|이다)?{_NO_WORD}$|{_CLOSED}|{_MORE}|\s*\n)"


def asked(text: str, options: Sequence[str], instruction: str = "Answer with one letter.") -> str:
    """Return a text with its options, a line each, and what to answer."""
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([text, *lines, instruction])


def rule(n_options: int) -> dict[str, Any]:
    """Return the outcome rule that reads the letter of an answer to so many options."""
    labels = {letter: [f"{_BEFORE}{letter}{_AFTER}"] for letter in LETTERS[:n_options]}
    # A clean text has no lines: "A" with a reason below it would read like a sentence that begins with "A".
    return {"set": SET, "kind": "pattern", "regex": True, "text": "raw", "labels": labels}


def simulated(n_options: int) -> dict[str, Any]:
    """Return answers of a model that guesses."""
    letters = LETTERS[:n_options]
    return {
        "answers": {letter: [f"{letter}."] for letter in letters},
        "weights": dict.fromkeys(letters, 1),
    }


def letters(n_options: int) -> dict[str, dict[str, Any]]:
    """Return the letters as values of an attribute."""
    return {letter: {} for letter in LETTERS[:n_options]}
