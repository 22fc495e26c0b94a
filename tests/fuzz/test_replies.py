"""Whatever a server replies, it ends as an answer with a status or an error of ours, and without the key.

PLUMBLINE_FUZZ_EXAMPLES says how many replies each test tries; what ever failed is an @example.
"""

import base64
import copy
import gzip
import html
import json
import os
import re
from unittest.mock import patch
from urllib.parse import unquote

import httpx
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st

from ingest import network
from ingest.asking.answer_status import STATUSES
from ingest.backends import Answer, AttemptFailed, Rejected, Request
from ingest.backends.anthropic import AnthropicBackend
from ingest.backends.azure import AzureBackend
from ingest.backends.ollama import OllamaBackend
from ingest.backends.openai import OpenAIBackend
from ingest.corpus.documents import Context, Document
from ingest.corpus.fetch import Fetcher
from ingest.corpus.wikipedia import documents
from ingest.errors import PlumblineError
from ingest.store.journal import entry, flaw
from ingest.suite import Config, Source

KEY = "sk-canary/0123456789+canary"
URL = "http://127.0.0.1:9"

SPELT = [
    KEY,
    KEY[::-1],
    KEY.replace("-", "%2d").replace("/", "%252F"),
    "".join(f"\\u{ord(c):04x}" for c in KEY),
    "".join(f"&#x{ord(c):x};" for c in KEY),
    base64.b64encode(b"Bearer " + KEY.encode()).decode(),
    KEY.encode().hex(),
]
words = ["tiny", "stop", "length", "content_filter", "<think>", "</think>", "\0", "\x1b[2J", "x" * 3_000]
texts = st.one_of(
    st.text(st.characters(exclude_categories=[]), max_size=20),
    st.sampled_from(words),
    st.builds("{} {}".format, st.text(max_size=5), st.sampled_from(SPELT)),
)
numbers = st.one_of(
    st.integers(), st.floats(), st.sampled_from([10**30, -1, 2**31, 2**63, 1e308, float("inf"), float("nan")])
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
MESSAGE = {"role": "assistant", "content": "Yes.", "refusal": None, "thinking": None, "reasoning": None}
COMPLETION = {
    "id": "c1",
    "model": "tiny",
    "system_fingerprint": "fp",
    "choices": [{"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 3},
    "error": None,
}
CHAT = {"model": "tiny", "message": MESSAGE, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 3}
DESCRIPTION = {
    "version": "0.12.3",
    "models": [{"model": "tiny", "digest": "sha256:1f"}],
    "details": {"family": "llama", "parameter_size": "1B", "quantization_level": "Q4"},
    "model_info": {"llama.context_length": 4096},
    "template": "{{ .Prompt }}",
    "license": "",
    "parameters": "",
    "capabilities": [],
}
PAGE = {
    "title": "Land",
    "revisions": [{"revid": 1, "timestamp": "2026-01-02T03:04:05Z"}],
    "pageprops": {},
    "extract": "A land.",
    "links": [{"title": "Sea"}],
}
WIKI = {"query": {"pages": [PAGE], "backlinks": [{"title": "Hill"}]}, "error": None}
REPLY = {
    "type": "message",
    "model": "tiny",
    "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "cache_read_input_tokens": 0, "output_tokens": 3},
}
CHUNKS = [
    {"model": "", "choices": []},
    {"model": "tiny", "choices": [{"index": 0, "delta": {"content": "Yes."}, "finish_reason": None}]},
    {"model": "tiny", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"model": "tiny", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}},
]
EVENTS = [
    {"type": "message_start", "message": {**REPLY, "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Yes."}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
]
SHAPES = {"anthropic": [REPLY], "openai": [COMPLETION], "ollama": [CHAT, DESCRIPTION], "wiki": [WIKI]}
ERRORS = [{"error": {"message": "no", "code": "x"}}, {"error": "no"}, {"error": {"code": "maxlag"}}]


def places(content, path=()):
    """Yield the paths of all parts."""
    yield path
    if isinstance(content, dict | list):
        parts = content.items() if isinstance(content, dict) else enumerate(content)
        for name, part in parts:
            yield from places(part, (*path, name))


@st.composite
def mutated(draw, shape):
    """Return a shape in which up to three parts are others, or are missing."""
    content = [copy.deepcopy(shape)]
    for _ in range(draw(st.integers(0, 3))):
        *path, last = draw(st.sampled_from([p for p in places(content) if p]))
        at = content
        for name in path:
            at = at[name]
        if isinstance(at, dict) and draw(st.booleans()):
            del at[last]
        else:
            at[last] = draw(values)
    return content[0]


@st.composite
def replies(draw, client):
    """Return (status, headers, pieces of the body); a piece that is None is a connection that breaks."""
    content = draw(st.one_of(mutated(draw(st.sampled_from(SHAPES[client] + ERRORS))), values))
    body = json.dumps(content, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    body = draw(
        st.one_of(st.just(body), st.just(body), st.binary(max_size=60), st.just(body[: len(body) // 2]))
    )
    packing = draw(st.sampled_from([None] * 5 + ["gzip", "br", "gzip, gzip"]))
    if packing == "gzip" and draw(st.booleans()):
        body = gzip.compress(body)
    size = draw(st.sampled_from([10**6, 10**6, 1, 7]))
    pieces = [body[i : i + size] for i in range(0, len(body), size)]
    if draw(st.integers(0, 9)) == 0:
        pieces.append(None)
    statuses = [200] * 9 + [204, 301, 304, 400, 401, 402, 403, 404, 408, 418, 429, 500, 503, 599, 999]
    headers = {"content-type": draw(st.sampled_from(["application/json", "text/html; charset=idna", ""]))}
    headers |= {"content-encoding": packing} if packing else {}
    wishes = ["0", "-1", "1e999", "9" * 400, "Fri, 31 Dec 2027 23:59:59 +99999999999999", SPELT[0]]
    if draw(st.booleans()):
        headers |= {"retry-after": draw(st.sampled_from(wishes)), "location": draw(st.sampled_from(SPELT))}
    return draw(st.sampled_from(statuses)), headers, pieces


@st.composite
def streams(draw, shape):
    """Return a reply that is a stream of events."""
    events = draw(mutated(shape))
    events = events if isinstance(events, list) else [events]
    parts = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]
    body = b"".join(parts) + draw(st.sampled_from([b"", b"data: [DONE]\n\n", b"data: {", b"\xff"]))
    return 200, {"content-type": "text/event-stream"}, [body]


class Pieces(httpx.SyncByteStream):
    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        for piece in self.pieces:
            if piece is None:
                raise httpx.ReadError(f"broken at {KEY}")
            yield piece


def replying(reply):
    """Put a transport that gives this reply to every request in the place of the network's."""
    status, headers, pieces = reply
    transport = httpx.MockTransport(lambda _: httpx.Response(status, headers=headers, stream=Pieces(pieces)))
    return patch.object(network, "Transport", lambda *_, **__: transport)


def said(content):
    return 200, {}, [json.dumps(content).encode()]


def examples(*replies):
    """Have a test try these replies, too, whatever the number of others."""

    def apply(test):
        for reply in replies:
            test = example(reply)(test)
        return test

    return apply


def holds_key(text):
    """Say whether a text has the key, looked for by undoing encodings, not by our own patterns."""
    plain = re.sub(r"\\+(?:u00|x)([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), html.unescape(text))
    plain = unquote(unquote(plain))
    return KEY in plain or KEY[::-1] in plain or KEY.encode().hex() in text or SPELT[5][12:-4] in text


def outcome(backend, action):
    """Return what an action on a backend comes to; anything but errors of ours goes through."""
    with patch.dict(os.environ, {"CANARY": KEY}):
        config = Config(backend=backend.name, model="tiny", base_url=URL, key_variable="CANARY")
        try:
            return action(config)
        except (AttemptFailed, Rejected, PlumblineError) as error:
            assert not isinstance(error, PlumblineError) or len(error.message) <= 300
            return str(error)


def ask(backend, reply):
    """Hold an answer against what is promised of it."""

    def action(config):
        messages = [{"role": "user", "content": "Q"}]
        return backend.answer(Request("k", "p", config, "c", "Q", "r", 0, {}, messages=messages))

    with replying(reply):
        answer = outcome(backend, action)
    assert not holds_key(str(answer)) and not holds_key(repr(answer))
    if isinstance(answer, Answer):
        assert answer.status in STATUSES
        assert (answer.text is not None) == (answer.status == "ok")
        names = ("finish_reason", "n_prompt_tokens", "n_output_tokens", "served_model", "error")
        # What the database cannot hold has a reason; it is no error of another kind.
        assert flaw(entry({name: getattr(answer, name) for name in names}, [answer.text, None, None]))


@fuzzed(60)
@given(replies("openai"))
@examples(
    (200, {}, [b"[" * 100_000]),
    said(COMPLETION | {"choices": [{"message": []}]}),
    *(said(COMPLETION | {"model": f"tiny {key}", "system_fingerprint": key}) for key in SPELT),
    *(said(COMPLETION | {"choices": [{"message": MESSAGE | {"content": key}}]}) for key in SPELT),
)
def test_a_reply_of_openais_kind_is_an_answer_or_an_error_of_ours(reply):
    ask(OpenAIBackend(None), reply)


@fuzzed(60)
@given(st.one_of(replies("anthropic"), streams(EVENTS)))
@examples(
    *(said(REPLY | {"stop_reason": key, "content": [{"type": "text", "text": key}]}) for key in SPELT),
)
def test_a_reply_of_anthropics_kind_is_an_answer_or_an_error_of_ours(reply):
    ask(AnthropicBackend(None), reply)


@fuzzed(60)
@given(streams(CHUNKS))
def test_a_stream_of_chunks_is_an_answer_or_an_error_of_ours(reply):
    ask(AzureBackend(None), reply)


@fuzzed(60)
@given(replies("ollama"))
@examples(
    (429, {"retry-after": "Fri, 31 Dec 2027 23:59:59 +99999999999999"}, [b"{}"]),
    said(CHAT | {"message": "Yes."}),
    *(said(CHAT | {"done_reason": key, "message": MESSAGE | {"thinking": key}}) for key in SPELT),
)
def test_a_reply_of_ollamas_kind_is_an_answer_or_an_error_of_ours(reply):
    ask(OllamaBackend(None), reply)


@fuzzed(60)
@given(replies("ollama"))
@examples((400, {}, [b'{"K": "' + SPELT[5][:-4].encode()]))  # a reply that is cut off, and the key with it
def test_what_ollama_says_of_a_model_describes_it_or_is_an_error_of_ours(reply):
    backend = OllamaBackend(None)
    with replying(reply):
        assert not holds_key(repr(outcome(backend, backend.describe)))


@fuzzed(60)
@given(replies("wiki"))
@examples(
    (200, {}, [b"[" * 100_000]),
    said({"query": "x"}),
    said({"query": {"pages": [PAGE | {"revisions": [{"revid": 1e999}]}]}}),
    said({"query": {"pages": [PAGE | {"links": 3, "title": "\ud800"}]}}),
)
def test_what_a_wiki_replies_is_documents(reply):
    notes = []
    with (
        replying(reply),
        patch.object(Fetcher, "_pause", lambda *_: None),
        Fetcher("tests", ["127.0.0.1:9"], spacing=0.0) as fetcher,
    ):
        context = Context(None, fetcher, lambda *_: False, "en", notes.append)
        api = f"{URL}/w/api.php"
        source = Source(kind="wikipedia", concept="Land", titles=["Land"], api=api, links=2, backlinks=1)
        found = list(documents(source, context))
    assert found and all(isinstance(document, Document) for document in found)
    assert all(isinstance(note, str) for note in notes)
