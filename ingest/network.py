"""Connections that nobody can hold open or fill: each request has a deadline and a size, whatever comes back.

The time-outs of httpx are those of one read, so a byte a second keeps a request for ever. Here each read also
looks at what its request has left.
"""

import os
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from ingest.addresses import addresses_of, is_inside, known_inside
from ingest.errors import PlumblineError

HEAD_BYTES = 2**18  # of all that comes before a body; h11 takes 100 KB of headers
PIECE = 2**14  # bytes written at a time: a reader may take them one by one
PACKED = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS}
HEADERS = {"Accept-Encoding": "gzip"}  # what `body_of` unpacks

Check = Callable[[str, list[str]], None]


class Overdue(httpx.ReadTimeout):
    """The reply has not ended when its request's time was up."""


class TooLarge(ValueError):
    """A reply has more bytes than it may have, packed or unpacked."""


class Unreadable(ValueError):
    """A reply is packed in another way than it says, or than was asked for."""


@dataclass
class Allowance:
    """What a request has left: until when (by `time.monotonic`), and how many bytes may come."""

    latest: float
    n_bytes: int

    def seconds(self) -> float:
        """Return the seconds that are left. Raises Overdue."""
        if (left := self.latest - time.monotonic()) <= 0:
            raise Overdue("the reply has no end")
        return left


_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def received(
    client: httpx.Client, method: str, url: str, *, seconds: float, **more: Any
) -> Iterator[httpx.Response]:
    """Send a request, and give its response, of which `body_of` reads the rest; all that within `seconds`.

    Raises what httpx does, and Overdue and TooLarge.
    """
    allowance = Allowance(time.monotonic() + seconds, HEAD_BYTES)
    token = _allowance.set(allowance)
    try:
        with client.stream(method, url, **more) as response:
            yield response
    finally:
        _allowance.reset(token)


def location_of(response: httpx.Response) -> str:
    """Return where a response says that it leads, as it says it; nothing where it does not."""
    found: str = response.extensions.get("location", "")
    return found


def _set_location_aside(response: httpx.Response) -> None:
    """Keep httpx from reading where a redirect leads: it does even where it follows none, and raises."""
    response.extensions["location"] = response.headers.pop("location", "")


def body_of(response: httpx.Response, most: int) -> bytes:
    """Return the body of a response, unpacked a piece at a time: httpx would unpack 64 KB to 64 MB at once.

    Raises TooLarge for more than `most` bytes, and Unreadable.
    """
    return b"".join(pieces_of(response, most))


def lines_of(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield the lines of a body that comes in pieces. Raises TooLarge where one has more than `most` bytes.

    >>> list(lines_of([b"a\\nb", b"c\\n", b"\\nd"], 9))
    [b'a', b'bc', b'', b'd']
    """
    begun = bytearray()
    for piece in pieces:
        first, *more = piece.split(b"\n")
        begun += first
        for line in more:
            yield bytes(begun)
            begun = bytearray(line)
        if len(begun) > most:
            raise TooLarge(f"a line of more than {most:,} bytes")
    if begun:
        yield bytes(begun)


def pieces_of(response: httpx.Response, most: int) -> Iterator[bytes]:
    """Yield the body of a response in pieces, unpacked; see `body_of`."""
    allowance = _allowance.get()
    if allowance is not None:
        allowance.n_bytes += most
    packing = response.headers.get("content-encoding", "").strip().lower()
    unpack = None
    if packing not in ("", "identity"):
        if packing not in PACKED:
            raise Unreadable(f"it is packed as {packing[:40]!r}, which nobody asked for")
        unpack = zlib.decompressobj(PACKED[packing])
    n, n_packed = 0, 0
    for part in response.iter_raw():
        n_packed += len(part)
        try:
            piece = unpack.decompress(part, most + 1 - n) if unpack else part
        except zlib.error as error:
            raise Unreadable(f"it says that it is packed as {packing}: {error}") from None
        n += len(piece)
        if n > most or n_packed > most:
            raise TooLarge(f"more than {most:,} bytes")
        if allowance is not None:
            allowance.seconds()
        yield piece
    # A body that may be empty is empty however it is packed.
    if unpack and n_packed and (not unpack.eof or unpack.unused_data):
        raise Unreadable(f"it is packed as {packing}, and its end is not where it should be")


class _Stream(httpcore.NetworkStream):
    """A connection whose reads and writes keep to what the request under way has left."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self.inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _limited(timeout) as seconds:
            data = self.inner.read(max_bytes, seconds)
        if (allowance := _allowance.get()) is not None:
            allowance.n_bytes -= len(data)
            if allowance.n_bytes < 0:
                raise TooLarge("more bytes than a reply may have")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE):
            with _limited(timeout) as seconds:
                self.inner.write(buffer[start : start + PIECE], seconds)

    def close(self) -> None:
        self.inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        with _limited(timeout) as seconds:
            return _Stream(self.inner.start_tls(ssl_context, server_hostname, seconds))

    def get_extra_info(self, info: str) -> Any:
        return self.inner.get_extra_info(info)


@contextmanager
def _limited(timeout: float | None) -> Iterator[float | None]:
    """Give the time-out of one step. Raises Overdue where it was that of the whole request."""
    allowance = _allowance.get()
    if allowance is None:
        yield timeout
        return
    left = allowance.seconds()
    try:
        yield left if timeout is None else min(timeout, left)
    except httpcore.TimeoutException:
        allowance.seconds()
        raise


class _Network(httpcore.NetworkBackend):
    """Connects to the very addresses that were looked at: a second look at a name may find others."""

    def __init__(self, inner: httpcore.NetworkBackend, check: Check | None) -> None:
        self.inner = inner
        self.check = check

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = addresses_of(host)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host}: {error}") from None
        if self.check:
            self.check(host, addresses)
        known = known_inside.get(host)
        new = [
            a for a in addresses if known is not None and is_inside(a) and a.partition("%")[0] not in known
        ]
        if new:
            raise httpcore.ConnectError(f"{host} leads to the private address {new[0]} since it was allowed")
        for i, address in enumerate(addresses, start=1):
            try:
                with _limited(timeout) as seconds:
                    return _Stream(
                        self.inner.connect_tcp(address, port, seconds, local_address, socket_options)
                    )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                if i == len(addresses):
                    # It may be a proxy, which no suite names.
                    raise type(error)(f"{host}:{port}: {str(error) or 'no answer'}") from None
        raise httpcore.ConnectError(f"{host} has no address")


class Transport(httpx.HTTPTransport):
    """Sends requests that keep to their allowance; `check` sees a host's addresses before it is connected."""

    def __init__(self, check: Check | None = None, **more: Any) -> None:
        super().__init__(**more)
        # httpx has no argument for it; without it the tests of endless replies fail.
        self._pool._network_backend = _Network(self._pool._network_backend, check)


def make_client(
    urls: Iterable[str], *, trust_env: bool, check: Check | None = None, n_kept: int = 0, **more: Any
) -> httpx.Client:
    """Return a client for some addresses, through the proxies that the environment names if it is trusted.

    Behind a proxy nothing is checked: it looks names up itself. `n_kept` connections may be used again, by
    default none: of a server that says more than it was asked, the next request would get the rest as its
    answer. No cookie is kept: with a session's, a server would know a request's predecessors, and an answer
    would depend on them. Raises PlumblineError for a proxy that cannot be used.
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=n_kept)
    named = [os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if trust_env]
    shared: dict[str, Any] = {"trust_env": trust_env, "limits": limits, "verify": _authorities(*named)}
    mounts: dict[str, httpx.BaseTransport | None] = {}
    for url in urls if trust_env else ():
        parts = urlsplit(url)
        if proxy := _proxy_of(parts.scheme, parts.hostname or ""):
            try:
                mounts[f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"] = Transport(
                    proxy=proxy, **shared
                )
            except (ValueError, ImportError) as error:
                raise PlumblineError(
                    f"The proxy for {url[:100]} cannot be used: {error}."[:250],
                    f"Correct {parts.scheme}_proxy, or unset it.",
                ) from None
    return httpx.Client(
        transport=Transport(check, **shared),
        mounts=mounts,
        headers={**HEADERS, **more.pop("headers", {})},
        event_hooks={"response": [_set_location_aside], **more.pop("event_hooks", {})},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        follow_redirects=False,
        trust_env=trust_env,
        **more,
    )


@cache
def _authorities(*named: str | None) -> ssl.SSLContext:
    """Return whom clients trust: what the environment names, or what httpx brings; reading it takes 40 ms."""
    return httpx.create_ssl_context(trust_env=bool(named))


def _proxy_of(scheme: str, host: str) -> str | None:
    proxies: Mapping[str, str] = getproxies()
    found = proxies.get(scheme) or proxies.get("all")
    if not found or proxy_bypass(host):
        return None
    return found if "://" in found else f"http://{found}"
