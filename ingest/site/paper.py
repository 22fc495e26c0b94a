"""The audit as a PDF: Chromium prints one page of the built site, which nobody else can reach meanwhile."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError, in_one_line
from ingest.redaction import environment_without_keys, without_secrets
from ingest.site.tags import mark_untagged

VARIABLE = "CHROMIUM"  # its path, where it has another name
NAMES = ("chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome")
PAGE = "print"
SECONDS = 300
# Nothing but this machine is asked.
OPTIONS = (
    "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--no-proxy-server",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--no-pdf-header-footer", "--generate-pdf-document-outline", "--export-tagged-pdf",
)  # fmt: skip
# The page holds everything as the build wrote it. Chromium itself prints by a script of its own, so that
# scripts cannot be switched off altogether.
POLICY = "script-src 'none'; connect-src 'none'; object-src 'none'"
LOCAL_LINK = re.compile(r'(<a\b[^>]*?)\s+href="(?!https?://|#)[^"]*"')


def find_chromium() -> str:
    """Return the program that prints. Raises PlumblineError where there is none."""
    for name in (os.environ.get(VARIABLE, ""), *NAMES):
        if name and (found := shutil.which(name)):
            return found
    raise PlumblineError(
        "The PDF was not printed: Chromium was not found.",
        f"Install it (Debian: apt-get install chromium-headless-shell), or name its path in {VARIABLE}.",
    )


def without_local_links(html: str) -> str:
    """Return a page whose links lead to other hosts or within it: on paper there is no site around it.

    >>> without_local_links('<a class="x" href="/power">p</a> <a href="https://example.org">e</a>')
    '<a class="x">p</a> <a href="https://example.org">e</a>'
    """
    return LOCAL_LINK.sub(r"\1", html)


def print_pdf(chromium: str, site: Path, target: Path) -> None:
    """Print the site's page for paper into a file.

    Raises PlumblineError where the site has no such page, or Chromium does not print it.
    """
    if not (site / PAGE / "index.html").exists():
        raise PlumblineError(
            f"{site} has no page for paper.", "Run `plumbline report`, which builds it anew."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, _served(site) as address:
        printed = Path(scratch) / "audit.pdf"
        # Chromium's own sandbox does not work for root; the page runs no script.
        rights = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [chromium, *OPTIONS, *rights, f"--user-data-dir={scratch}/profile"]
        command += [f"--print-to-pdf={printed}", f"{address}/{PAGE}/"]
        try:
            done = subprocess.run(
                command, env=environment_without_keys(), capture_output=True, text=True,
                timeout=SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise PlumblineError(
                f"Chromium did not print within {SECONDS} seconds.", "Run `plumbline report --pdf` again."
            ) from error
        if done.returncode != 0 or not printed.exists():
            said = without_secrets(in_one_line(done.stderr[-200:]))
            raise PlumblineError(f"{Path(chromium).name} printed nothing: {said}", "Try a newer Chromium.")
        mark_untagged(printed)
        shutil.move(printed, target)


@contextmanager
def _served(site: Path) -> Iterator[str]:
    """The site on a port of this machine, for as long as it is printed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Page, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Page(SimpleHTTPRequestHandler):
    """Files of the site; the page for paper without links that would lead to this server."""

    def do_GET(self) -> None:
        """Answer a request."""
        if self.path != f"/{PAGE}/":
            super().do_GET()
            return
        html = (Path(self.directory) / PAGE / "index.html").read_text("utf-8")
        body = without_local_links(html).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the command says what it does."""
