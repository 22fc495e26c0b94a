"""What a model writes for itself before its answer."""

import json
import re

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "seed:think")
# What stands before and behind it; the last are those of Magistral, Kimi, Command A, OpenThinker and Gemma.
_PAIRS = (
    *((f"<{name}>", f"</{name}>") for name in _NAMES),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought", "<channel|>"),
    ("<unused94>thought", "<unused95>"),
)
_NEVER = "\0"  # what `ollama run` prints before thoughts, "Thinking...", may begin an answer
_ENDS = (*_PAIRS, (_NEVER, "\n...done thinking."))  # a line of its own
_QUOTES, _CLOSING_QUOTES = tuple("`'\"“‘«„"), tuple("`'\"”’»“")


def _exactly(tag: str) -> str:
    """Return the pattern of a tag: in brackets the letters are capitals, since `[Think]` is a word."""
    return f"(?-i:{re.escape(tag)})" if tag.startswith("[") else re.escape(tag)


# A block that nothing closes was cut off in the middle.
_BLOCKS = [rf"{_exactly(opened)}(.*?)(?:{_exactly(closed)}|\Z)" for opened, closed in _PAIRS]
_BLOCK = re.compile(rf"\s*(?:{'|'.join(_BLOCKS)})\s*", re.IGNORECASE | re.DOTALL)
_BLOCK_STARTS = tuple({opened[0] for opened, _ in _PAIRS})
# Around the answer of some of these models; the last end a turn, and some servers leave them in.
_MARK_BEFORE = re.compile(
    r"\s*(?:<\|(?:START_RESPONSE|begin_of_solution|assistant)\|>|<\|im_start\|>assistant\b"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>)\s*"
)
_MARKS_BEHIND = (
    *(f"<|{name}|>" for name in ("END_RESPONSE", "end_of_solution", "im_end", "eot_id", "end_of_text")),
    *("<|endoftext|>", "<|END_OF_TURN_TOKEN|>", "<end_of_turn>", "<eos>", "<｜end▁of▁sentence｜>", "</s>"),
)
_MARKS = (
    "</",
    "[/",
    "◁/",
    "<|",
    "|>",
    "<unused",
    "...done thinking.",
    "<end_of_turn>",
    "<eos>",
    "<｜",
)  # one is in any tag's end

# A tag is spoken of where the word before it takes a noun and the sentence goes on: `No </think> here. Yes.`
_TAKES_A_NOUN = re.compile(
    r"\b(?:an?|the|no|this|that|its?|my|your|us(?:e|es|ed|ing)|with(?:out)?|in|by|of|to|and|or|after|before"
    r"|tags?|markers?|tokens?|writ(?:e|es|ing|ten)|wrote|clos(?:e|es|ed|ing)|end(?:s|ed|ing)?|put|adds?"
    r"|print|emit|output|called|named|like|need|want|see|skip|omit) \Z",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[ \t]+[a-z][\w'-]*(?:[ \t]+\w|[.!?]\s+\S)")
_STOPS = re.compile(r"[.,;:!?)]")


def _closing(text: str, opened: str, closed: str) -> re.Match[str] | None:
    """Return the tag that ends the thoughts that a text begins with: some chat templates open it themselves.

    Between quotes or words it is only spoken of. Thoughts may end with a quote, and the answer
    begin with one: `He said "no."</think>"Yes"`.
    """
    for tag in re.finditer(rf"{re.escape(closed)}\s*", text, re.IGNORECASE):
        behind_tag = tag.start() + len(closed)
        before, behind = text[max(0, tag.start() - 12) : tag.start()], text[behind_tag : behind_tag + 60]
        is_in_sentence = re.search(r"\w \Z", before) and (
            _STOPS.match(behind) or (_TAKES_A_NOUN.search(before) and _GOES_ON.match(behind))
        )
        is_quoted = before.endswith(_QUOTES) and behind.startswith(_CLOSING_QUOTES)
        is_quoted = is_quoted and not re.search(r"[\w.!?,…].\Z", before)
        if not is_in_sentence and not is_quoted:
            # What is opened here is of its own: thoughts may speak of the tags that the answer is to have.
            return None if opened.lower() in text[: tag.start()].lower() else tag
    return None


# Channels of gpt-oss (OpenAI's format "harmony"); some servers leave out what marks them, not their names.
_FINAL = r"(?:<\|start\|>)?assistant(?:<\|channel\|>)?final(?:<\|message\|>)?"
_FIRST_CHANNEL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^\n]{0,200}?<\|message\|>"
)
_CHANNELS = re.compile(
    r"(?:(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)|analysis)(?:<\|message\|>)?"
    rf"(?P<thoughts>.*?)(?:<\|end\|>)?{_FINAL}|(?:{_FINAL}|<\|channel\|>final<\|message\|>)",
    re.DOTALL,
)
_AFTER_ANSWER = re.compile(r"(?:<\|(?:return|end)\|>)?\s*\Z")


def _unmarked(answer: str) -> str:
    if before := _MARK_BEFORE.match(answer):
        answer = answer[before.end() :]
    while (said := answer.rstrip()).endswith(_MARKS_BEHIND):
        if said.endswith("</s>") and said.count("<s>") >= said.count("</s>"):  # <s>struck out</s> of HTML
            break
        answer = said[: said.rindex("<")].rstrip()
    return answer


def _is_json(text: str) -> bool:
    """Say whether a text is one object or list of JSON, in a code fence or none: a tag in it is spoken of."""
    said = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if not said.startswith(("{", "[")):
        return False
    try:
        json.loads(said)
    except (ValueError, RecursionError):
        return False
    return True


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Return a reply's answer and its reasoning, None where it shows none (SPEC GEN-9).

    >>> split_reasoning("<think>Hm.</think>\\n<think>So?</think>\\nYes."), split_reasoning("Yes.")
    (('Yes.', 'Hm.\\n\\nSo?'), ('Yes.', None))
    """
    start = text.lstrip().lstrip("\ufeff")
    thoughts, end = [], 0
    if start.startswith(_BLOCK_STARTS):
        while block := _BLOCK.match(start, end):
            thoughts.append(block[block.lastindex or 0].strip())
            end = block.end()
    if thoughts:
        return _unmarked(start[end:]), "\n\n".join(filter(None, thoughts))
    if channels := _CHANNELS.match(start):
        thought = channels["thoughts"]
        return _AFTER_ANSWER.sub("", start[channels.end() :]).lstrip(), thought and thought.strip()
    if first := _FIRST_CHANNEL.match(start):
        return "", start[first.end() :].strip()
    if not any(mark in text for mark in _MARKS) or _is_json(text):  # as of nearly every answer
        return text, None
    lowered = text.lower()
    for opened, closed in _ENDS:
        if closed.lower() in lowered and (tag := _closing(text, opened, closed)):
            return _unmarked(text[tag.end() :]), text[: tag.start()].strip()
    return _unmarked(text), None
