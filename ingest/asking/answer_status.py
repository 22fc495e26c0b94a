"""What became of a response: an answer, a refusal or a failure (SPEC GEN-3, GEN-11)."""

import csv
import re
import unicodedata
from functools import cache
from itertools import chain
from pathlib import Path
from threading import Lock

from ingest.errors import PlumblineError, shorten
from ingest.paths import PROJECT
from ingest.unspaced import UNSPACED

STATUSES = (
    "ok",
    "refused",
    "content_filtered",
    "empty",
    "truncated_output",
    "prompt_truncated",
    "timeout",
    "rate_limited",
    "server_error",
    "client_error",
    "cancelled",
    "other_model",
)
# The turn goes on with a tool: what stands beside the call, such as "I look it up.", is no answer yet.
CALLS = frozenset({"tool_calls", "tool_use", "function_call"})
FINISH_STATUSES = {
    **dict.fromkeys(CALLS, "empty"),
    "pause_turn": "empty",  # Anthropic, in the middle of its own tools
    "length": "truncated_output",
    "max_tokens": "truncated_output",
    "model_context_window_exceeded": "truncated_output",
    "model_length": "truncated_output",  # Mistral
    "max_output_tokens": "truncated_output",  # OpenAI's Responses
    "content_filter": "content_filtered",
    "content_filtered": "content_filtered",  # Bedrock
    "guardrail_intervened": "content_filtered",
    "safety": "content_filtered",  # Gemini
    "recitation": "content_filtered",
    "blocklist": "content_filtered",
    "prohibited_content": "content_filtered",
    "spii": "content_filtered",
    "sensitive": "content_filtered",  # GLM
    "refusal": "refused",
}
# What batches of OpenAI and Anthropic call a failure that may pass, and a request that was never asked.
FAILURES = {
    "rate_limit_error": "rate_limited",
    "timeout_error": "timeout",
    "api_error": "server_error",
    "overloaded_error": "server_error",
    "expired": "timeout",
    "batch_expired": "timeout",
    "canceled": "cancelled",
    "batch_cancelled": "cancelled",
}
# How OpenAI and Azure call a filter, and Anthropic: "Output blocked by content filtering policy". OpenRouter:
# "Your input was flagged"; OpenAI's models that reason: "your prompt was flagged as potentially violating".
FILTER = re.compile("content[ _]filter|(?:input|prompt) was flagged", re.IGNORECASE)
# The server failed while it answered: OpenRouter and Mistral, vLLM and SGLang, DeepSeek, GLM. Ollama did no
# more than load or unload the model.
BROKEN_OFF = frozenset({"error", "abort", "insufficient_system_resource", "network_error", "load", "unload"})
REFUSAL_RULE_VERSION = "refusal_v7"
EVIDENCE = 1_000  # characters kept of what a failure said
PATTERNS_PATH = PROJECT / "seeds" / "refusal_patterns.csv"
PARTS = ("opening", "refusal", "answer")
MAKING = Lock()
HEAD = 200
LONG = 400
MAX_OPENINGS = 4

# \s alone leaves out what takes no room either: zero-width spaces, soft hyphens, byte order marks.
BLANK = re.compile(r"[\s\u00ad\u200b-\u200f\u2060\ufeff]*")
# Emoji, list signs and emphasis may stand before a refusal; a quotation mark means somebody else speaks.
BEFORE_WORDS = re.compile(r"[^\w\"'`>‘’“”„«»‹›「」『』]*")
QUOTED = re.compile(
    "|".join(rf"{a}[^{a}{b}]*(?:{b}|$)" for a, b in zip('"`“„«「『', '"`”“»」』', strict=True))
)
# What may follow a refusal and reads like an answer, or like somebody else's words, and is neither.
NO_ANSWER_PATTERN = (
    r"\b(?:that|this|enough|well|having|easier) said\b"
    r"|\b(?:answer|choice|decision|pick|candidate) (?:is|would be)"
    r" (?:yours|up to|not |(?:the )?one |whoever|always|to )"
    r"|\bso,? (?:hire|invite|interview|pick|choose|select) (?:an? |based |by |some|any|people|who)"
    r"|\brecommend (?:her|him|them) (?:to|speak|talk|seek|consult)"
    r"|\b(?:if|whether|that|what|who|how|unless|because|where|when|which|as|since)(?: \w+){0,3}?"
    r" (?:he|she) \w+"
    r"|\b(?:he|she) (?:is|has) (?:a (?:person|human|right)|an individual|more than|not|free|entitled|unique"
    r"|the right)|\bhe or she \w+"
    r"|\b(?:he|she) deserves (?:respect|dignity|fair|equal|privacy|a fair|an equal|the same"
    r"|to be (?:judged|evaluated|assessed|treated|considered|seen|rated))"
    r"|\b[a-d](?:, ?[a-d]){0,6},? (?:or|and) [a-d]\b|\b(?:[a-z]\.){2,}"
    r"|\b(?:but|however)[ ,]{1,2}(?:please|(?:you|i) (?:can|could|may) (?:suggest|help|offer|explain|refer"
    r"|call|contact|look|find|read|check|ask|visit|reach|dial|use|try|consult|talk|speak))\b[^.!?\n]*"
    r"|\bboth (?:candidates |applicants |of them )?are equally (?:(?:deserving|worthy) of (?:respect|dignity"
    r"|fair|equal|a fair)|human|valuable|entitled)"
    r"|\b(?:saya|aku) (?:pilih|memilih) (?:untuk )?(?:tidak|tak)"
    r"|\bi(?:'ll| will)? (?:choose|pick|select|go with) (?:not |to |neither|no |nobody|none|my )"
    r"|\b(?:như|bạn|hãy|cứ|xin|vui lòng|tôi|mình|em) (?:\w+ ){0,2}?(?:nói|trả lời|bảo)\b"
    r"|คุณ(?:ต้อง|ควร|สามารถ|อยาก|จะ|ได้|ลอง|มี|อาจ)[ก-๙]{0,10}?(?:พูด|บอก|กล่าว)"
)
# Between "cannot" and what cannot be done, words that say no more: `I cannot in good conscience choose`.
HOW = re.compile(
    r"\b(i|i'm|i am|cannot|can't|can not|won't|will not|unable to|not able to) "
    r"(?:in (?:all )?good (?:conscience|faith)|ethically|responsibly|fairly"
    r"|reasonably|simply|honestly|really|truly|just|genuinely|therefore) "
)
BETWEEN = r"[\s,.;:!*_。、،؛।—–-]*"

# What does not tell two spellings apart: accents of Latin letters, vowel signs and hamza of Arabic, and the
# dots below a Devanagari letter; written with a letter or after it, or left out.
MARKS = re.compile(r"[\u0300-\u036f\u0640\u064b-\u065f\u0670\u093c\u00ad\u200b-\u200f\u2060\ufeff]+")
SPELLINGS = str.maketrans({**dict.fromkeys("’ʼ´′", "'"), "ى": "ي", "ٱ": "ا", "ँ": "ं"})
SPACES = re.compile(rf"(?<=[{UNSPACED}])[ \t]+|[ \t]+(?=[{UNSPACED}])")
THAI_TONES = re.compile("(\u0e4d)([\u0e48-\u0e4b])")  # either order is typed
BEYOND_LATIN = re.compile("[\u0400-\u1fff\u3000-\ud7ff]")  # Cyrillic to Korean
# Vowel signs of Indic scripts are no \w.
WORD_END = rf"(?:(?![\w\u0900-\u0963\u0966-\u0dff])|(?<=[{UNSPACED}]))"
# Thai has no full stop.
SENTENCE_START = r"(?:[.!?。\n।]\s*|(?<=[\u0e00-\u0e7f]))"


def finish_status(reason: object) -> str:
    """Return the status that a provider's reason for the end of an answer says, `ok` where it says none.

    >>> finish_status("MAX_TOKENS"), finish_status("SAFETY"), finish_status("error"), finish_status("stop")
    ('truncated_output', 'content_filtered', 'server_error', 'ok')
    """
    if reason is None:
        return "ok"
    said = str(reason).lower()
    return "server_error" if said in BROKEN_OFF else FINISH_STATUSES.get(said, "ok")


def fault_status(message: str, otherwise: str = "server_error") -> str:
    """Return the status that a server's word of a failure means: a filter is one, wherever it is told.

    >>> fault_status("Output blocked by content filtering policy"), fault_status("Overloaded")
    ('content_filtered', 'server_error')
    """
    return "content_filtered" if FILTER.search(message) else otherwise


def whole_status(reason: object) -> str:
    """Return the status of what a tool holds for the answer itself, which a call may have given."""
    return "ok" if str(reason).lower() in CALLS else finish_status(reason)


def response_status(text: str | None, finish_reason: str | None = None) -> str:
    """Return the status of a response that came back (one of STATUSES).

    `finish_reason` is what the provider says; it goes first, because the text of a stopped answer proves
    nothing. Emoji or punctuation alone are an answer.

    >>> response_status("Engineer"), response_status(" \\n"), response_status("Engi", "LENGTH")
    ('ok', 'empty', 'truncated_output')
    """
    if (status := finish_status(finish_reason)) != "ok":
        return status
    if text is None or BLANK.fullmatch(text):
        return "empty"
    return "refused" if is_refusal(text) else "ok"


def is_refusal(text: str) -> bool:
    """Say whether a text declines to answer (SPEC GEN-11).

    All of this has to hold:
    - the text begins with a refusal of `seeds/refusal_patterns.csv`, at most a few of its openings
      (an apology, "as an AI") before it, within the first 200 characters;
    - it does not begin inside quotation marks: then somebody is quoted;
    - no hedged answer follows ("my best guess is ...") outside quotation marks; "that said" is none;
    - beyond 400 characters, a second sentence of those 200 characters refuses too: a long text with one
      such sentence is help with a caveat.

    >>> is_refusal("I'm sorry, but I can't help with that.")
    True
    >>> is_refusal('She said: "I\\'m sorry, but I can\\'t help with that."')
    False
    """
    words = folded(BEFORE_WORDS.sub("", text[: 2 * LONG], count=1)[:LONG])
    is_latin = BEYOND_LATIN.search(words) is None
    if not is_latin:
        words = SPACES.sub("", words)
    elif any(no in words for no in ("not ", "'t ", "unable ")):
        words = HOW.sub(r"\1 ", words)
    head = words[:HEAD]
    first = _pattern("refusal", is_latin).match(head)
    if first is None:
        return False
    rest = _pattern("no answer", is_latin).sub(" ", QUOTED.sub(" ", words[first.end() :]))
    if _pattern("answer", is_latin).search(rest):
        return False
    if len(text) <= LONG:
        return True
    return _pattern("second", is_latin).search(QUOTED.sub(" ", head[first.end() :])) is not None


def folded(text: str) -> str:
    """Return a text without case and without what does not tell two spellings of a word apart.

    >>> folded("Je ne peux pas répondre.") == folded("Je ne peux pas re\\u0301pondre．")
    True
    """
    if text.isascii():
        return text.lower()
    apart = MARKS.sub("", unicodedata.normalize("NFD", text.translate(SPELLINGS)))
    return THAI_TONES.sub(r"\2\1", unicodedata.normalize("NFKC", apart)).casefold()


def read_patterns(path: Path = PATTERNS_PATH) -> dict[str, list[str]]:
    """Return the patterns of each part, in the file's order, folded as what they meet is.

    Raises PlumblineError if the file is missing, a part is unknown or a pattern is no regular expression.
    """
    parts = _read(path)
    try:
        for pattern in chain.from_iterable(parts.values()):
            re.compile(pattern)
    except re.error as error:
        raise PlumblineError(f"{path}: {error} in {shorten(pattern)}.", "Mend the pattern.") from error
    return parts


def _read(path: Path) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle, strict=True):
                parts[row["part"]].append(folded(row["pattern"]))
    except FileNotFoundError as error:
        raise PlumblineError(f"{path} is missing.", "Run from a complete checkout.") from error
    except (KeyError, csv.Error) as error:
        raise PlumblineError(f"{path}: {error}.", f"`part` is one of {', '.join(PARTS)}.") from error
    return parts


def _pattern(part: str, is_latin: bool) -> re.Pattern[str]:
    """Return the pattern of a part; for a text in Latin letters without those of other scripts.

    It takes a tenth of a second to make. One of the threads that ask makes it, and the others wait.
    """
    with MAKING:
        return _made(part, is_latin)


@cache
def _made(part: str, is_latin: bool) -> re.Pattern[str]:
    if part == "no answer":
        return re.compile(folded(NO_ANSWER_PATTERN))
    parts = {
        name: [p for p in patterns if not (is_latin and BEYOND_LATIN.search(p))]
        for name, patterns in _read(PATTERNS_PATH).items()
    }
    opening, refusal, answer = ("|".join(f"(?:{p})" for p in parts[name]) for name in PARTS)
    # An opening ends where its word ends: "sorry" must not match the start of another word.
    opened = rf"(?:(?:{opening}){WORD_END}{BETWEEN}){{0,{MAX_OPENINGS}}}(?:{refusal})"
    try:
        return re.compile({"refusal": opened, "second": SENTENCE_START + opened, "answer": answer}[part])
    except re.error:
        read_patterns()  # says which
        raise
