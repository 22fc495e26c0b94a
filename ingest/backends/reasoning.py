"""What a model writes for itself before its answer."""

import re

_NAMES = ("think", "thinking", "thought", "reasoning")
# A block that nothing closes was cut off in the middle.
_BLOCK = re.compile(
    rf"\s*(?:<(?P<name>{'|'.join(_NAMES)})>(?P<a>.*?)(?:</(?P=name)>|\Z)"
    r"|(?-i:\[THINK\])(?P<b>.*?)(?:\[/THINK\]|\Z))\s*",
    re.IGNORECASE | re.DOTALL,
)
_QUOTES, _CLOSING_QUOTES = "`'\"“‘«„", "`'\"”’»“"


def _tag_pair(opened: str, closed: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a tag and of what closes it: between quotes it is only spoken of.

    Thoughts may end with a quote, and the answer begin with one: `He said "no."</think>"Yes"`.
    """
    tag = re.escape(closed)
    ends = rf"(?:(?<![{_QUOTES}]){tag}|(?<=[\w.!?,…)][{_QUOTES}]){tag}|{tag}(?![{_CLOSING_QUOTES}]))\s*"
    return re.compile(re.escape(opened), re.IGNORECASE), re.compile(ends, re.IGNORECASE)


# Some chat templates open the tag themselves, so that the reply only closes it.
_TAGS = [_tag_pair(f"<{name}>", f"</{name}>") for name in _NAMES] + [_tag_pair("[THINK]", "[/THINK]")]
# Channels of gpt-oss (OpenAI's format "harmony"); some servers leave out what marks them, not their names.
_CHANNELS = re.compile(
    r"(?:<\|channel\|>)?analysis(?:<\|message\|>)?(?P<thoughts>.*?)(?:<\|end\|>)?"
    r"(?:<\|start\|>)?assistant(?:<\|channel\|>)?final(?:<\|message\|>)?",
    re.DOTALL,
)
_FIRST_CHANNEL = "<|channel|>analysis<|message|>"
_AFTER_ANSWER = re.compile(r"(?:<\|(?:return|end)\|>)?\s*\Z")


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Return a reply's answer and its reasoning, None where it shows none (SPEC GEN-9).

    >>> split_reasoning("<think>Hm.</think>\\n<think>So?</think>\\nYes."), split_reasoning("Yes.")
    (('Yes.', 'Hm.\\n\\nSo?'), ('Yes.', None))
    """
    start = text.lstrip().lstrip("\ufeff")
    thoughts, end = [], 0
    if start[:1] in ("<", "["):
        while block := _BLOCK.match(start, end):
            thoughts.append((block["a"] or block["b"] or "").strip())
            end = block.end()
    if thoughts:
        return start[end:], "\n\n".join(filter(None, thoughts))
    if start.startswith(("analysis", _FIRST_CHANNEL)):
        if channels := _CHANNELS.match(start):
            answer = start[channels.end() :]
            return _AFTER_ANSWER.sub("", answer).lstrip(), channels["thoughts"].strip()
        if start.startswith(_FIRST_CHANNEL):
            return "", start.removeprefix(_FIRST_CHANNEL).strip()
    if "</" in text or "[/" in text:
        for opening, closing in _TAGS:
            closed = closing.search(text)
            # What is opened here is of its own: thoughts may speak of the tags that the answer is to have.
            if closed and not opening.search(text, 0, closed.start()):
                return text[closed.end() :], text[: closed.start()].strip()
    return text, None
