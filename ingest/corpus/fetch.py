"""Pages from the web, politely and only from hosts that the suite allows."""

import codecs
import random
import re
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

import httpx

from ingest import __version__
from ingest.addresses import addresses_of, is_address, is_inside
from ingest.backends.http import seconds_of
from ingest.errors import PlumblineError
from ingest.network import Overdue, TooLarge, Unreadable, body_of, location_of, make_client, received

MAX_BYTES = 5_000_000
MAX_TRIES = 5
MAX_REDIRECTS = 5
MAX_WAIT_S = 60.0
TIMEOUT_S = 30.0
LONGEST = 2  # time-outs from the request to the end of the page
SPACING_S = 1.0
RETRIED = frozenset({429, 500, 502, 503, 504})
# Python's names of what decodes, and is no charset of a page: slow (punycode), or gives halves of characters.
NO_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7"})

MARKS_OF_ORDER = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
META_CHARSET = re.compile(rb"<meta\s[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
LONGEST_HEAD = 4_096  # bytes in which a page names its charset


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
        """The content as text; bytes that are none are replaced.

        A page whose server names no charset may name it itself. Where nobody does, it is read as browsers
        read it: bytes that are not UTF-8 are of Windows.
        """
        for mark, name in MARKS_OF_ORDER.items():
            if self.content.startswith(mark):
                return self.content.decode(name, "replace")
        is_plain = self.content_type == "text/plain"
        said = None if is_plain else META_CHARSET.search(self.content[:LONGEST_HEAD])
        charset = self.charset or (said[1].decode("ascii") if said else "")
        try:
            name = codecs.lookup(charset).name.replace("-", "_")
            return self.content.decode("utf-8" if name in NO_CHARSETS else name, "replace")
        except (LookupError, ValueError):  # no such charset, or one that makes bytes of bytes (zlib)
            pass
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            return self.content.decode("utf-8" if charset else "cp1252", "replace")


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
        self.client = make_client(
            [f"https://{host}" for host in self.hosts if not _is_local(host)],
            trust_env=not all(_is_local(host) for host in self.hosts),
            check=_refuse_inside,
            headers={"User-Agent": self.agent},
            timeout=self.timeout,
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
        if not local:
            # Again when it is connected: this one also holds where a proxy looks the name up.
            with suppress(OSError, UnicodeError):
                _refuse_inside(parts.hostname or "", addresses_of(parts.hostname or ""))

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
            if response.is_redirect and (location := location_of(response)):
                try:
                    url, params = urljoin(url, location), None
                except ValueError:
                    raise FetchError("failed", f"{url} leads to {location[:60]!r}, no address") from None
                continue
            if response.status_code in (404, 410):
                raise FetchError("missing", f"{url}: the server answers {response.status_code}")
            if response.status_code != 200:  # 206 is a part of a page
                raise FetchError("failed", f"{url}: the server answers {response.status_code}")
            kind = response.headers.get("content-type", "").partition(";")[0].strip().casefold()
            charset = response.charset_encoding or ""
            return Page(str(response.url), content, kind, charset, dict(response.headers))
        raise FetchError("failed", f"{url}: more than {MAX_REDIRECTS} redirects")

    def _tried(self, url: str, params: Mapping[str, str] | None) -> tuple[httpx.Response, bytes]:
        for attempt in range(1, MAX_TRIES + 1):
            self._pause(self.spacing - (time.monotonic() - self._last))
            wait = min(MAX_WAIT_S, 2.0**attempt) * random.uniform(0.75, 1.25)
            try:
                seconds = LONGEST * self.timeout
                with received(self.client, "GET", url, seconds=seconds, params=params) as response:
                    content = body_of(response, MAX_BYTES)
            except TooLarge as error:
                raise FetchError("too_large", f"{url} has {error}") from error
            except (Overdue, Unreadable, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
                raise FetchError("failed", f"{url}: {type(error).__name__}: {error}") from error
            except httpx.TransportError as error:
                problem = f"{url}: {type(error).__name__}"
                is_elsewhere = (urlsplit(url).hostname or "") not in str(error)  # at a proxy
                if is_elsewhere and isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
                    problem += f": {error}"
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


def _is_local(host: str) -> bool:
    """Say whether a host, with a port or without, is itself written as a local address."""
    name = urlsplit(f"//{host}").hostname or ""
    return name == "localhost" or (is_address(name) and is_inside(name))


def _refuse_inside(name: str, addresses: Collection[str]) -> None:
    """Raise FetchError `not_allowed` where one of a name's addresses is local, and the name is not."""
    is_local = name == "localhost" or is_address(name)
    if not is_local and any(is_inside(address) for address in addresses):
        raise FetchError("not_allowed", f"the host {name!r} leads to a local address")
