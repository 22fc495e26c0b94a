"""Pages from the web, politely and only from hosts that the suite allows."""

import ipaddress
import random
import socket
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

import httpx

from ingest import __version__
from ingest.backends.http import seconds_of
from ingest.errors import PlumblineError

MAX_BYTES = 5_000_000
MAX_TRIES = 5
MAX_REDIRECTS = 5
MAX_WAIT_S = 60.0
TIMEOUT_S = 30.0
SPACING_S = 1.0
RETRIED = frozenset({429, 500, 502, 503, 504})


class FetchError(Exception):
    """A page that cannot be had; `status` is what the table `documents` says of it."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True)
class Page:
    """What a server sent."""

    url: str
    content: bytes
    content_type: str
    charset: str
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        """The content as text; bytes that are none are replaced."""
        try:
            return self.content.decode(self.charset, "replace")
        except LookupError:
            return self.content.decode("utf-8", "replace")


def user_agent(contact: str | None) -> str:
    """Return the User-Agent: name/version (contact) library/version (SPEC COR-3).

    Raises PlumblineError without a contact: a server's operator must be able to reach us.
    """
    if not contact or not contact.isprintable() or not ("@" in contact or "://" in contact):
        raise PlumblineError(
            "Scraping needs a contact: an address at which a server's operator can reach you.",
            "Set `scrape: contact:` in the suite, or PLUMBLINE_CONTACT, to a mail address or a URL.",
        )
    return f"plumbline/{__version__} ({contact}) httpx/{httpx.__version__}"


@dataclass
class Fetcher:
    """Gets pages one after another, with a pause between them.

    `hosts` are the allowed ones, as they stand in a URL (`example.org`, `127.0.0.1:8080`). A host that is
    not itself written as a local address must not lead to one.
    """

    agent: str
    hosts: Collection[str]
    spacing: float = SPACING_S
    timeout: float = TIMEOUT_S
    _last: float = -1e9
    _robots: dict[str, RobotFileParser] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client = httpx.Client(
            headers={"User-Agent": self.agent, "Accept-Encoding": "gzip"},
            timeout=self.timeout,
            follow_redirects=False,
            trust_env=not all(_is_local(host) for host in self.hosts),
        )

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def check(self, url: str) -> None:
        """Raise FetchError `not_allowed` where the suite does not allow this address."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2].casefold()
        if "@" in parts.netloc or host not in {h.casefold() for h in self.hosts}:
            raise FetchError("not_allowed", f"the suite does not allow the host {host!r}")
        local = _is_local(host)
        if parts.scheme != "https" and not (parts.scheme == "http" and local):
            raise FetchError("not_allowed", f"only https is fetched, not {parts.scheme!r}")
        if not local and _leads_inside(parts.hostname or ""):
            raise FetchError("not_allowed", f"the host {host!r} leads to a local address")

    def allowed_by_robots(self, url: str) -> bool:
        """Say whether the host's robots.txt lets us read this page; a host without one does."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            try:
                lines = self.get(f"{origin}/robots.txt").text.splitlines()
            except FetchError as error:
                lines = [] if error.status == "missing" else ["User-agent: *", "Disallow: /"]
            self._robots[origin] = RobotFileParser()
            self._robots[origin].parse(lines)
        return self._robots[origin].can_fetch(self.agent, url)

    def get(self, url: str, params: Mapping[str, str] | None = None) -> Page:
        """Return a page, redirects followed as far as the suite allows.

        Raises FetchError with status `not_allowed`, `missing`, `too_large`, `failed`.
        """
        for _ in range(MAX_REDIRECTS + 1):
            self.check(url)
            response, content = self._tried(url, params)
            if response.is_redirect:
                url, params = urljoin(url, response.headers.get("location", "")), None
                continue
            if response.status_code in (404, 410):
                raise FetchError("missing", f"{url}: the server answers {response.status_code}")
            if response.status_code >= 300:
                raise FetchError("failed", f"{url}: the server answers {response.status_code}")
            kind = response.headers.get("content-type", "").partition(";")[0].strip().casefold()
            charset = response.charset_encoding or "utf-8"
            return Page(str(response.url), content, kind, charset, dict(response.headers))
        raise FetchError("failed", f"{url}: more than {MAX_REDIRECTS} redirects")

    def _tried(self, url: str, params: Mapping[str, str] | None) -> tuple[httpx.Response, bytes]:
        for attempt in range(1, MAX_TRIES + 1):
            self._pause(self.spacing - (time.monotonic() - self._last))
            wait = min(MAX_WAIT_S, 2.0**attempt) * random.uniform(0.75, 1.25)
            try:
                with self.client.stream("GET", url, params=params) as response:
                    content = _read(response, url)
            except (httpx.TransportError, httpx.InvalidURL, httpx.DecodingError) as error:
                problem = f"{url}: {type(error).__name__}"
                if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol)):
                    raise FetchError("failed", problem) from error
            else:
                if response.status_code not in RETRIED:
                    return response, content
                problem = f"{url}: the server answers {response.status_code}"
                asked = seconds_of(response.headers.get("retry-after"))
                wait = wait if asked is None else asked
            finally:
                self._last = time.monotonic()
            if attempt == MAX_TRIES:
                break
            if wait > MAX_WAIT_S * 10:
                raise FetchError("failed", f"{problem} and asks to wait {wait:.0f} s")
            self._pause(wait)
        raise FetchError("failed", f"{problem}, {MAX_TRIES} times")

    def wait(self, seconds: float) -> None:
        """Wait, because a server asked for it in its answer."""
        self._pause(min(seconds, MAX_WAIT_S * 10))

    def _pause(self, seconds: float) -> None:
        if seconds > 0:
            time.sleep(seconds)


def _read(response: httpx.Response, url: str) -> bytes:
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise FetchError("too_large", f"{url} has more than {MAX_BYTES:,} bytes")
    return bytes(content)


def _is_local(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        return not ipaddress.ip_address(name).is_global
    except ValueError:
        return False


def _leads_inside(name: str) -> bool:
    try:
        found = socket.getaddrinfo(name, None, proto=socket.IPPROTO_TCP)
    except OSError:
        return False  # the request itself will say so
    return any(not ipaddress.ip_address(str(item[4][0]).partition("%")[0]).is_global for item in found)
