"""A server on loopback that answers as a MediaWiki does, and as a plain web server beside it."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGES = {
    "Freelandia": (
        "Freelandia is a small country with many rivers.[1] It has a coast. "
        "Most visitors of Freelandia praise the food markets that open before dawn in every town.",
        101,
    ),
    "Port Free": (
        "The harbour of Port Free has handled most of the timber that Freelandia sells.",
        102,
    ),
    "Hills": ("The hills in the north of Freelandia have sheltered shepherds for hundreds of years.", 103),
    "Free": ("Free may refer to many things.", 104),
    "Hollow": ("", 105),
}
REDIRECTS = {"Free Land": "Freelandia"}
LINKS = {"Freelandia": ["Port Free", "Hollow"]}
BACKLINKS = {"Freelandia": ["Hills"]}


class Wiki(ThreadingHTTPServer):
    """Counts what is asked, and fails as told: `faults` are answers to give first, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: Counter[str] = Counter()
        self.agents: set[str] = set()
        self.faults: list[str] = []
        self.robots = "User-agent: *\nDisallow: /private/\n"
        self.revisions = {title: revision for title, (_, revision) in PAGES.items()}
        self.lock = threading.Lock()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Wiki

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        with self.server.lock:
            self.server.agents.add(self.headers["User-Agent"])
            self.server.asked[query.get("prop") or query.get("list") or parts.path] += 1
            fault = self.server.faults.pop(0) if self.server.faults else None
        if fault == "429":
            self._send(429, b"slow down", {"Retry-After": "7"})
        elif fault == "503":
            self._send(503, b"busy", {})
        elif fault == "maxlag":
            self._json({"error": {"code": "maxlag", "info": "lagged"}}, {"Retry-After": "3"})
        elif fault == "garbage":
            self._send(200, b"<html>", {"Content-Type": "text/html"})
        elif parts.path == "/w/api.php":
            self._json({"query": self._answer(query)}, {})
        else:
            self._page(parts.path)

    def _answer(self, query: dict[str, str]) -> dict:
        if query.get("list") == "backlinks":
            return {"backlinks": [{"title": t} for t in BACKLINKS.get(query["bltitle"], [])]}
        asked = query["titles"].replace("_", " ")
        title = REDIRECTS.get(asked, asked)
        if title not in PAGES:
            return {"pages": [{"title": title, "missing": True}]}
        page = {"pageid": self.server.revisions[title], "title": title}
        if "info" in query["prop"]:
            revision = self.server.revisions[title]
            page["revisions"] = [{"revid": revision, "timestamp": "2026-01-02T03:04:05Z"}]
            if title == "Free":
                page["pageprops"] = {"disambiguation": ""}
        if "extracts" in query["prop"]:
            page["extract"] = PAGES[title][0]
        if "links" in query["prop"]:
            page["links"] = [{"ns": 0, "title": t} for t in LINKS.get(title, [])]
        return {"pages": [page]}

    def _page(self, path: str) -> None:
        if path == "/robots.txt":
            self._send(200, self.server.robots.encode(), {"Content-Type": "text/plain"})
        elif path == "/moved":
            self._send(302, b"", {"Location": "/article"})
        elif path == "/into":
            self._send(302, b"", {"Location": "/private/article"})
        elif path == "/away":
            self._send(302, b"", {"Location": "http://127.0.0.1:1/secret"})
        elif path == "/file":
            self._send(302, b"", {"Location": "file:///etc/passwd"})
        elif path == "/loop":
            self._send(302, b"", {"Location": "/loop"})
        elif path == "/picture":
            self._send(200, b"\x89PNG", {"Content-Type": "image/png"})
        elif path == "/huge":
            self._send(200, b"x" * 6_000_000, {"Content-Type": "text/plain"})
        elif path in ("/article", "/private/article"):
            text = "The people of Freelandia have built wooden bridges over every one of their rivers."
            body = (
                f"<html><body><nav>Menu</nav><article><p>{text}</p><p>{text[4:]}</p></article></body></html>"
            )
            self._send(200, body.encode(), {"Content-Type": "text/html; charset=utf-8"})
        else:
            self._send(404, b"", {})

    def _json(self, content: dict, headers: dict[str, str]) -> None:
        self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json", **headers})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def wiki() -> Iterator[Wiki]:
    """Run the server until the block ends."""
    with Wiki() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
