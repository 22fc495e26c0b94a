"""What backends that speak HTTP share: keys, errors by status, timing."""

import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from ingest.asking.answer_status import EVIDENCE, fault_status
from ingest.backends import SHOWN, Answer, AttemptFailed, Rejected
from ingest.backends.replies import is_loopback
from ingest.errors import PlumblineError, in_one_line
from ingest.network import (
    Overdue,
    TooLarge,
    Unreadable,
    body_of,
    lines_of,
    location_of,
    make_client,
    pieces_of,
    received,
)
from ingest.redaction import SHORTEST, without_key
from ingest.suite import Config

Secrets = str | Sequence[str] | None
Folded = Callable[[list[Any]], Any]

LONGEST_MESSAGE = 10_000  # what is read of it
BEGINNING = 100  # characters that are shown of a reply that cannot be read
LINE_END = re.compile(r"\r\n|\n|\r")  # of a stream; JSON holds other ends of lines as they are
MOST_BYTES = 32 * 2**20  # of a reply, unpacked
LONGEST = 2  # time-outs from the question to the end of the answer: the first is that for any silence
MOST_FILE_BYTES = 16 * 2**30  # of a file of many replies: the probabilities of tokens take a megabyte a reply
LONGEST_FILE = 3_600.0  # seconds that it may take
LONGEST_WISH = 10 * 365 * 86_400.0  # seconds; who asks to be left alone for longer has made a mistake
# No request of a config can succeed after these: go on only once somebody has seen to it.
HOPELESS = {
    401: "Is the key in the environment variable of `key_variable:` right?",
    402: "The account has nothing left to pay with.",
    403: "Does the key in the environment variable of `key_variable:` allow this model?",
    404: "Are `model:` and the address right?",
}
# Where servers say 402 with another status: OpenAI, Anthropic.
OUT_OF_CREDIT = {429: ("insufficient_quota",), 400: ("credit balance is too low",)}
# What Ollama says with status 500 of a model that it will not run, however often it is asked.
UNABLE = {
    re.compile(r"requires more .{0,20}memory .* than is available"): (
        "Free memory on its machine, or take a smaller model or, with Ollama, a smaller `num_ctx`."
    ),
    re.compile("model .{1,200} not found|unable to load model|unknown model architecture"): (
        "Have the server fetch the model or be updated, or correct `model:`."
    ),
}
REDIRECTED = "Write in the config where the server is."
STATUS_OF = {408: "timeout", 429: "rate_limited"}


class BrokeOff(ValueError):
    """A reply that says, in place of an answer or beside half of one, why there is none.

    `code` is the HTTP status that it names, 0 where it names none.
    """

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


def read_key(config: Config, hosts: Collection[str]) -> str | None:
    """Return the key that a config names, None where it names none; see `read_secret`."""
    return None if config.key_variable is None else read_secret(config, config.key_variable, hosts)


def read_secret(config: Config, variable: str, hosts: Collection[str]) -> str:
    """Return what a variable of the environment holds, for the config's server.

    A suite is a file from anywhere, so a key goes to another machine only if it is one of `hosts`, which
    the user named. Raises PlumblineError where it is not, where the environment has no key, or where it
    would travel in the clear.
    """
    url = urlsplit(config.address or "")
    host = url.hostname or ""
    if url.hostname and not is_loopback(host) and host not in hosts:
        raise PlumblineError(
            f"{config.model}: the suite wants the key in {variable} sent to {host}.",
            f"If that is the server you mean, add --send-key {host}",
        )
    if url.scheme == "http" and not is_loopback(host):
        raise PlumblineError(
            f"The key of {variable} would travel to {url.hostname} without encryption.",
            "Write its address with https://.",
        )
    value = os.environ.get(variable, "").strip()
    if not value:
        raise PlumblineError(
            f"The environment variable {variable} holds no key.",
            f"Set it: export {variable}=…",
        )
    # A header holds no other characters, and an error would show them.
    if not value.isascii() or not value.isprintable():
        raise PlumblineError(
            f"What {variable} holds is no key: it has characters that a header cannot hold.",
            "Set it anew.",
        )
    # It would be taken out of every answer that has these letters.
    if len(value) < SHORTEST:
        raise PlumblineError(
            f"What {variable} holds is too short for a key: it could not be told from an answer's words.",
            f"Write {SHORTEST} characters or more; where the server wants no key, name no variable.",
        )
    return value


def connect(config: Config, base_url: str, headers: Mapping[str, str]) -> httpx.Client:
    """Return a client for a config. The one authorisation sent is that in `headers`."""

    def authorise(request: httpx.Request) -> None:
        request.headers.pop("authorization", None)
        request.headers.update(headers)

    url = urlsplit(base_url)
    return make_client(
        [base_url],
        trust_env=not is_loopback(url.hostname or ""),
        # A handshake is dear. Before servers that have one stands what keeps replies apart.
        n_kept=256 if url.scheme == "https" else 0,
        timeout=httpx.Timeout(config.timeout_seconds, connect=min(30.0, config.timeout_seconds)),
        event_hooks={"request": [authorise]},
    )


def bearer(key: str | None) -> dict[str, str]:
    """Return the header with a key that most servers want."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def exchange(
    client: httpx.Client,
    method: str,
    url: str,
    config: Config,
    key: Secrets,
    content: Any = None,
    folded: Folded | None = None,
    **more: Any,
) -> Any:
    """Send a request; return what the JSON of the reply holds, without the key.

    A reply that is a stream is what `folded` makes of its parts, before the key is looked for: it may be cut
    by two of them. `more` is for a request that is no JSON. Raises AttemptFailed or PlumblineError as
    `one_attempt` does, and Rejected for other statuses of 300 and above.
    """
    with one_attempt(config, key):
        seconds = LONGEST * config.timeout_seconds
        with received(client, method, url, seconds=seconds, json=content, **more) as response:
            _check_status(response, key)
            body = body_of(response, MOST_BYTES)
            kind = response.headers.get("content-type", "").strip().lower()
        streamed = next((parts for name, parts in STREAMS.items() if kind.startswith(name)), None)
        if streamed is events_of and folded is None:
            raise Unreadable("it is a stream of events; have the server answer in one piece")
        if folded is None or streamed is None:
            if not body.strip():
                raise Unreadable("it is empty")
            try:
                return without_key(json.loads(body), key)
            except ValueError as error:
                said = _beginning(body.decode("utf-8", "replace"), key)
                raise Unreadable(f"{type(error).__name__}: {error}; it begins with {said}") from None
        with reading(config, key):
            return without_key(folded(streamed(body)), key)


def downloaded(client: httpx.Client, url: str, config: Config, key: Secrets) -> Iterator[bytes]:
    """Yield the lines of a file of a server, of which only one is in memory. Raises as `exchange` does."""
    with (
        one_attempt(config, key),
        received(client, "GET", url, seconds=max(LONGEST_FILE, LONGEST * config.timeout_seconds)) as response,
    ):
        _check_status(response, key)
        yield from lines_of(pieces_of(response, MOST_FILE_BYTES), MOST_BYTES)


def _check_status(response: httpx.Response, key: Secrets) -> None:
    """Raise Rejected where a server says no."""
    if response.status_code >= 300:
        wish = seconds_of(response.headers.get("retry-after"))
        raise Rejected(response.status_code, without_key(_reason(response), key), wish)


def events_of(body: bytes) -> list[Any]:
    """Return the JSON in the events of a stream (server-sent events), without OpenAI's mark of the end.

    Raises BrokeOff at an event called `error`, whatever its data are: some servers write no key `error`.

    >>> events_of(b'event: ping\\ndata: {"type": "ping"}\\n\\ndata: [DONE]\\n\\n')
    [{'type': 'ping'}]
    """
    events = re.split(r"\r\n\r\n|\n\n|\r\r", body.decode("utf-8-sig"))
    found = []
    for event in events:
        lines = LINE_END.split(event)
        data = "\n".join(line.removeprefix("data:") for line in lines if line.startswith("data:")).strip()
        if any(re.fullmatch(r"event: ?error", line) for line in lines):
            raise BrokeOff(f"the stream broke off: {message_of(data.encode())}")
        if data not in ("", "[DONE]"):
            found.append(json.loads(data))
    return found


def objects_of(body: bytes) -> list[Any]:
    """Return the JSON in each line of a stream, as Ollama streams."""
    return [json.loads(line) for line in body.split(b"\n") if line.strip()]


# How a reply is read that comes in parts, by the beginning of its content type.
STREAMS = {"text/event-stream": events_of, "application/x-ndjson": objects_of}


def _reason(response: httpx.Response) -> str:
    """Return why a server did not answer. The status says what to do even if the rest cannot be read."""
    if response.status_code < 400:
        return f"a redirect to {location_of(response)[:60]!r}, which is not followed"
    try:
        return message_of(body_of(response, MOST_BYTES))
    except (Unreadable, TooLarge) as error:
        return f"its message cannot be read: {error}"


def only(kind: type, value: Any) -> Any:
    """Return a value of a reply that has to be of a kind; raise TypeError where it is another."""
    if value is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
        raise TypeError(f"{value!r:.60} is no {kind.__name__}")
    return value


def check_fault(said: Mapping[str, Any]) -> None:
    """Raise BrokeOff where an error stands in an answer's place, or beside half of one."""
    if error := said.get("error"):
        message = message_of(json.dumps({"error": error}).encode())
        code = error.get("code") if isinstance(error, dict) else None
        # OpenRouter answers 200 once it has begun, whatever comes.
        code = code if type(code) is int else 0
        raise BrokeOff(f"the server failed while it answered: {message[:SHOWN]}", code)


def message_of(body: bytes) -> str:
    """Return the error message in a body, the body itself where it holds none that we know."""
    text = body.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        error = content.get("error") if isinstance(content, dict) else None
        if isinstance(error, dict) and (message := error.get("message")):
            code = error.get("code")
            text = f"{message} ({code})" if code else str(message)
        elif error:
            text = str(error)
    return in_one_line(text[:LONGEST_MESSAGE])


def seconds_of(retry_after: str | None) -> float | None:
    """Return what a Retry-After header asks for, in seconds: a number or a date (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            at = parsedate_to_datetime(retry_after)
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            seconds = (at - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return min(max(0.0, seconds), LONGEST_WISH) if not math.isnan(seconds) else None


def hopeless(code: int, said: str) -> str | None:
    """Return what to do where no request of a config can succeed, None where another may.

    >>> hopeless(403, "Your input was flagged"), hopeless(429, "insufficient_quota")
    (None, 'The account has nothing left to pay with.')
    """
    if fault_status(said) == "content_filtered":
        return None
    if any(word in said for word in OUT_OF_CREDIT.get(code, ())):
        return HOPELESS[402]
    if code == 0 or code >= 500:
        for words, what_to_do in UNABLE.items():
            if words.search(said):
                return what_to_do
    return REDIRECTED if 300 <= code < 400 else HOPELESS.get(code)


def declined(error: Rejected | AttemptFailed) -> Answer:
    """Return what becomes of a request that a server does not answer. Raises what asking again may mend."""
    if isinstance(error, AttemptFailed):
        if error.status != "content_filtered":
            raise error
        return Answer(None, error.status, error=str(error))
    status = fault_status(error.body, "client_error")
    # What a filter stops was read, and is billed; what is said here no model wrote.
    n_output = 0 if status == "content_filtered" else None
    return Answer(None, status, error=str(error)[:EVIDENCE], n_output_tokens=n_output)


@contextmanager
def one_attempt(config: Config, key: Secrets) -> Iterator[None]:
    """Turn what goes wrong in a request into AttemptFailed, PlumblineError, or leave it `Rejected`."""
    try:
        yield
    except Rejected as error:
        if what_to_do := hopeless(error.code, error.body):
            raise PlumblineError(f"{config.model}: {error}.", what_to_do) from None
        if error.code in STATUS_OF or error.code >= 500:
            status = STATUS_OF.get(error.code, "server_error")
            raise AttemptFailed(status, str(error), error.retry_after) from None
        raise
    except Overdue:
        limit = LONGEST * config.timeout_seconds
        raise AttemptFailed("timeout", f"the answer had no end after {limit:g} s") from None
    except httpx.TimeoutException as error:
        limit = config.timeout_seconds
        by = f" ({error})" if isinstance(error, httpx.ConnectTimeout) else ""
        raise AttemptFailed("timeout", f"{type(error).__name__}: no answer in {limit:g} s{by}") from None
    except (httpx.RequestError, ConnectionError) as error:
        message = without_key(f"{type(error).__name__}: {error}", key)
        raise AttemptFailed("server_error", message[:SHOWN]) from None
    except RecursionError:
        raise AttemptFailed("server_error", "unreadable reply: nested too deep") from None
    except BrokeOff as error:
        message = without_key(str(error), key)
        if what_to_do := hopeless(error.code, message):
            raise PlumblineError(f"{config.model}: {message[:SHOWN]}.", what_to_do) from None
        status = fault_status(message, STATUS_OF.get(error.code, "server_error"))
        raise AttemptFailed(status, message[:SHOWN]) from None
    except ValueError as error:
        # What came is no JSON, or not of the shape that the protocol promises.
        kind = "" if isinstance(error, TooLarge | Unreadable) else f"{type(error).__name__}: "
        message = without_key(f"unreadable reply: {kind}{error}", key)
        raise AttemptFailed("server_error", message[:SHOWN]) from None


def _beginning(said: str, key: Secrets) -> str:
    """Return how a reply begins that is none, such as the page of a proxy where one logs in."""
    plain = in_one_line(said[:LONGEST_MESSAGE].replace("\0", ""))  # of UTF-16 that is none
    return repr(without_key(plain, key))[:BEGINNING]


@contextmanager
def reading(config: Config, key: Secrets, reply: Any = None) -> Iterator[None]:
    """Turn a reply of another shape than the protocol promises into AttemptFailed, which says what it is."""
    with one_attempt(config, key):
        try:
            yield
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            said = f"; it begins with {_beginning(json.dumps(reply), key)}" if reply is not None else ""
            raise Unreadable(f"not what was promised: {type(error).__name__}: {error}{said}") from None
