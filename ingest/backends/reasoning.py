"""What a model writes for itself before its answer."""

import re

_NAMES = r"think|thinking|thought|reasoning"
# A block that nothing closes was cut off in the middle.
_BLOCK = re.compile(
    rf"\s*(?:<(?P<name>{_NAMES})>(?P<a>.*?)(?:</(?P=name)>|\Z)|\[THINK\](?P<b>.*?)(?:\[/THINK\]|\Z))\s*",
    re.IGNORECASE | re.DOTALL,
)
# Some chat templates open the tag themselves, so that the reply only closes it. One in quotes is spoken of.
_OPENED = re.compile(rf"<(?:{_NAMES})>|\[THINK\]", re.IGNORECASE)
_CLOSED = re.compile(rf"(?<![`'\"“‘«])(?:</(?:{_NAMES})>|\[/THINK\])\s*", re.IGNORECASE)
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
    closed = _CLOSED.search(text) if "/" in text else None
    if closed is None or _OPENED.search(text, 0, closed.start()):
        return text, None
    return text[closed.end() :], text[: closed.start()].strip()
