"""Anthropic's Messages API."""

from collections.abc import Mapping
from typing import Any

from ingest.backends import About, Answer, Request
from ingest.backends.batches import AnthropicBatches
from ingest.backends.hosted import LIMIT, STREAM, Hosted, omissible
from ingest.backends.http import check_fault, only
from ingest.backends.replies import Option, count_of, counts_in, is_number, is_stop, is_whole, read_reply
from ingest.suite import Config

VERSION = "2023-06-01"  # of the API: https://platform.claude.com/docs/en/api/versioning
READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

OPTIONS: Mapping[str, Option] = {
    "temperature": omissible(Option(0, is_number(0, 1), "a number from 0 to 1")),
    "max_tokens": LIMIT,
    "top_p": Option(None, is_number(0, 1), "a number from 0 to 1"),
    "top_k": Option(None, is_whole(1, 1_000_000), "a whole number from 1"),
    "stop": Option(None, is_stop, "a text or a list of texts"),
    "stream": STREAM,
}


class AnthropicBackend(Hosted):
    """Asks POST BASE_URL/v1/messages. The API knows no seed."""

    name = "anthropic"
    example = "https://api.anthropic.com"
    known = OPTIONS
    omitted = frozenset({"temperature"})
    batched = AnthropicBatches

    def content(self, request: Request, options: dict[str, Any]) -> dict[str, Any]:
        """Return what is sent: the system prompt stands beside the messages."""
        system = "\n\n".join(m["content"] for m in request.messages if m["role"] == "system")
        stop = options.pop("stop", [])
        stops = [stop] if isinstance(stop, str) else stop
        return {
            "model": request.config.model,
            "messages": [dict(message) for message in request.messages if message["role"] != "system"],
            **({"system": system} if system else {}),
            **({"stop_sequences": stops} if stops else {}),
            **options,
        }

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the API's version, and the key."""
        return {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})}

    def url(self, config: Config) -> str:
        """Return where a request goes."""
        return f"{self.base_url(config).removesuffix('/v1')}/v1/messages"

    def read(self, reply: Any, seconds: float | None) -> Answer:
        """Return the Answer in a reply."""
        check_fault(reply)
        usage = counts_in(reply.get("usage"))
        # Some send thoughts in a shape of their own; the answer beside them counts.
        found = (block.get("thinking") for block in reply["content"] if block["type"] == "thinking")
        thoughts = [thought for thought in found if isinstance(thought, str)]
        read = [count_of(usage.get(name)) for name in READ]
        return read_reply(
            "".join(block["text"] for block in reply["content"] if block["type"] == "text"),
            only(str, reply["stop_reason"]),
            reasoning="".join(thoughts) or None,
            n_prompt_tokens=None if read[0] is None else count_of(sum(n or 0 for n in read)),
            n_output_tokens=count_of(usage.get("output_tokens")),
            seconds=seconds,
            served_model=only(str, reply.get("model")),
        )

    def folded(self, events: list[Any]) -> Any:
        """Return the events of a stream as one reply. Raises ValueError where the stream has no end."""
        reply: dict[str, Any] = {}
        kinds: dict[int, str] = {}
        said: dict[int, list[str]] = {}
        for event in events:
            check_fault(event)
            match event["type"]:
                case "message_start":
                    reply = dict(event["message"])
                case "content_block_start":
                    kinds[event["index"]] = event["content_block"]["type"]
                    # Some servers begin the text here.
                    begun = event["content_block"].get(kinds[event["index"]])
                    said[event["index"]] = [begun] if isinstance(begun, str) else []
                case "content_block_delta":
                    found = (event["delta"].get(name) for name in ("text", "thinking"))
                    said[event["index"]] += [text for text in found if text]
                case "message_delta":
                    reply |= {
                        "stop_reason": event["delta"]["stop_reason"],
                        "usage": {**counts_in(reply.get("usage")), **counts_in(event.get("usage"))},
                    }
                case "message_stop":
                    blocks = ({"type": kinds[i], kinds[i]: "".join(texts)} for i, texts in said.items())
                    return {**reply, "content": list(blocks)}
        raise ValueError("the stream has no end")


BACKENDS = {"anthropic": AnthropicBackend}
ABOUT = {"anthropic": About("Anthropic's Messages API", "`base_url: https://api.anthropic.com`, and a key")}
