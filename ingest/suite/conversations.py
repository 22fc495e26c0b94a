"""Conversations: what stands before a prompt, a system prompt and earlier turns, and how it is written."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import Field

from ingest.suite.fields import Phrase, Strict

Speaker = Literal["system", "user", "assistant"]
MOST_TURNS = 100
LONGEST = 100_000  # characters of all turns of a file's record


class Turn(Strict):
    """What was said before a prompt, and by whom."""

    role: Speaker = Field(description="Who said it: `system`, `user` or `assistant`.")
    content: Phrase = Field(description="What was said, with {slots} and {attributes}.")


def conversation(turns: Sequence[Mapping[str, str]], prompt: str) -> str:
    """Return a prompt with what stands before it as one text; a prompt alone as it is.

    >>> print(conversation([{"role": "system", "content": "Be brief."}], "A flat?"))
    [system] Be brief.
    <BLANKLINE>
    [user] A flat?
    """
    if not turns:
        return prompt
    said = [*turns, {"role": "user", "content": prompt}]
    return "\n\n".join(f"[{turn['role']}] {turn['content']}" for turn in said)


def check_order(turns: Sequence[Turn]) -> None:
    """Raise ValueError where the prompt could not be the next turn: of a chat that alternates.

    Chat templates of many models know one system prompt, at the beginning, and turns that alternate.
    """
    said = [turn.role for turn in turns]
    said = said[1:] if said[:1] == ["system"] else said
    if said != ["user", "assistant"] * (len(said) // 2):
        raise ValueError(
            "`messages` are a `system` prompt, if any, then turns of `user` and `assistant` in pairs; the "
            "prompt is the user's next turn"
        )


def turns_before(text: str, prompt: str) -> list[dict[str, str]]:
    """Return what a record says stood before its prompt: a JSON list of {"role", "content"}.

    A list that ends with the prompt itself, as logs have it, stands for what comes before. Raises
    ValueError where it is no such list.
    """
    if len(text) > LONGEST:
        raise ValueError(f"over {LONGEST:,} characters")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    if not isinstance(found, list) or not all(_is_turn(turn) for turn in found):
        raise ValueError('no list of {"role": "system", "user" or "assistant", "content": a text}')
    if len(found) > MOST_TURNS:
        raise ValueError(f"over {MOST_TURNS:,} turns")
    turns = [{"role": turn["role"], "content": turn["content"]} for turn in found]
    if turns and turns[-1]["role"] == "user" and turns[-1]["content"].strip() == prompt.strip():
        turns.pop()
    return turns


def _is_turn(turn: Any) -> bool:
    return (
        isinstance(turn, dict)
        and turn.get("role") in get_args(Speaker)
        and isinstance(turn.get("content"), str)
        and bool(turn["content"].strip())
    )
