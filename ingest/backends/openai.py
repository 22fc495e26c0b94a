"""Servers that speak OpenAI's chat completions: the hosted ones, vLLM, llama.cpp, LM Studio and others."""

from collections.abc import Mapping
from typing import Any, ClassVar

from ingest.asking.answer_status import finish_status
from ingest.asking.first_tokens import ALTERNATIVES, first_tokens
from ingest.backends import About, Answer, Request
from ingest.backends.batches import OpenAIBatches, Served
from ingest.backends.hosted import LIMIT, STREAM, UNSENT, Hosted, omissible
from ingest.backends.http import bearer, check_fault, only
from ingest.backends.replies import (
    PROBABILITIES,
    SAMPLING,
    Option,
    count_of,
    counts_in,
    is_number,
    is_whole,
    read_reply,
    request_seed,
)
from ingest.suite import Config

OMITTED = frozenset({"temperature", "seed", "max_tokens"})

OPTIONS: Mapping[str, Option] = {
    **SAMPLING,
    **PROBABILITIES,
    **{
        name: omissible(option)
        for name, option in {**SAMPLING, "max_tokens": LIMIT}.items()
        if name in OMITTED
    },
    # Models that reason refuse `max_tokens`.
    "max_completion_tokens": Option(None, is_whole(1, 1_000_000), "a whole number of tokens from 1"),
    "presence_penalty": Option(None, is_number(-2, 2), "a number from -2 to 2"),
    "frequency_penalty": Option(None, is_number(-2, 2), "a number from -2 to 2"),
    "reasoning_effort": Option(None, lambda value: isinstance(value, str), "a word that the server knows"),
    "stream": STREAM,
}


class OpenAIBackend(Hosted):
    """Asks POST BASE_URL/chat/completions."""

    name = "openai"
    example = "http://127.0.0.1:8000/v1"
    known = OPTIONS
    omitted = OMITTED
    batched: ClassVar[type[Served] | None] = OpenAIBatches

    def options(self, config: Config) -> dict[str, Any]:
        """Return the options in force."""
        options = super().options(config)
        if "max_completion_tokens" in config.options:
            options.pop("max_tokens")
        return options

    def content(self, request: Request, options: dict[str, Any]) -> dict[str, Any]:
        """Return what is sent."""
        return {
            "model": request.config.model,
            "messages": [dict(message) for message in request.messages],
            **options,
            "seed": UNSENT if options["seed"] == UNSENT else request_seed(request),
            # A stream tells its tokens only where it is asked to.
            **({"stream_options": {"include_usage": True}} if options.get("stream") else {}),
            **({"logprobs": True} if ALTERNATIVES in options else {}),
        }

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the header with the key."""
        return bearer(key)

    def url(self, config: Config) -> str:
        """Return where a request goes."""
        return f"{self.base_url(config)}/chat/completions"

    def read(self, reply: Any, seconds: float | None) -> Answer:
        """Return the Answer in a reply."""
        return _read(reply, seconds)

    def folded(self, events: list[Any]) -> Any:
        """Return the chunks of a stream as one reply."""
        return _folded(events)


def _read(content: Any, seconds: float | None) -> Answer:
    """Return the Answer in a reply."""
    check_fault(content)
    choice = content["choices"][0]
    check_fault(choice)
    finish = only(str, choice.get("finish_reason"))
    # Where Gemini's filter stops an answer, there is no message.
    message = choice["message"] if finish_status(finish) == "ok" else choice.get("message") or {}
    usage = counts_in(content.get("usage"))
    probabilities = choice.get("logprobs")
    said, thought, declined = _parts(message.get("content"))
    # Some send thoughts in a shape of their own; the answer beside them counts.
    thoughts = (message.get("reasoning_content"), message.get("reasoning"), thought)
    # Some servers say `stop` beside a call, too, whose words are no answer yet.
    is_call = finish_status(finish) == "ok" and message.get("tool_calls")
    return read_reply(
        only(str, said),
        finish,
        reasoning=next((text for text in thoughts if text and isinstance(text, str)), None),
        refusal=only(str, message.get("refusal")) or declined,
        status="empty" if is_call else None,
        n_prompt_tokens=count_of(usage.get("prompt_tokens")),
        n_output_tokens=count_of(usage.get("completion_tokens")),
        seconds=seconds,
        served_model=only(str, content.get("model")),
        system_fingerprint=only(str, content.get("system_fingerprint")),
        first_tokens=first_tokens((only(dict, probabilities or None) or {}).get("content")),
    )


def _parts(content: Any) -> tuple[Any, str | None, str | None]:
    """Return what is said, thought and declined in a content of parts, as some servers send it."""
    if not isinstance(content, list) or not content:
        return content, None, None
    parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    said = "".join(part["text"] for part in parts if part["type"] in ("text", "output_text"))
    thoughts = (_parts(part["thinking"])[0] for part in parts if part["type"] == "thinking")
    declined = "".join(part["refusal"] for part in parts if part["type"] == "refusal")
    return said, "\n\n".join(thoughts) or None, declined or None


def _folded(events: list[Any]) -> dict[str, Any]:
    """Return the chunks of a stream as one reply. Raises ValueError where the stream has no end."""
    said: dict[str, list[str]] = {}
    choice: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    tokens: list[Any] = []
    calls: list[Any] = []
    for event in events:
        check_fault(event)
        whole |= {name: event[name] for name in ("model", "system_fingerprint", "usage") if event.get(name)}
        # Azure's first chunk says what its filter found, the last one what was used: neither has a choice.
        # Of several choices the first is the answer, as in a reply that is none of a stream.
        for part in (one for one in event.get("choices") or [] if not one.get("index")):
            calls += (part.get("delta") or {}).get("tool_calls") or []
            for name, text in (part.get("delta") or {}).items():
                text, thought, declined = _parts(text) if name == "content" else (text, None, None)
                for of, more in ((name, text), ("reasoning", thought), ("refusal", declined)):
                    if isinstance(more, str):
                        said.setdefault(of, []).append(more)
            choice |= {"finish_reason": part["finish_reason"]} if part.get("finish_reason") else {}
            tokens += (part.get("logprobs") or {}).get("content") or []
    if not choice:
        raise ValueError("the stream has no end")
    message = {**{name: "".join(texts) for name, texts in said.items()}, "tool_calls": calls}
    probabilities = {"logprobs": {"content": tokens}} if tokens else {}
    return {**whole, "choices": [{**choice, **probabilities, "message": message}]}


BACKENDS = {"openai": OpenAIBackend}
ABOUT = {
    "openai": About("any server with OpenAI's chat API", "`base_url`, and a key where the server wants one")
}
