"""What a server says ends within a time and a size, in one line that says what is wrong."""

import gzip
import json
import socket
import subprocess
import sys
import time
import zlib

import httpcore
import httpx
import pytest
from servers.raw import drip, http, raw

from ingest.backends import AttemptFailed, Rejected, Request
from ingest.backends.http import LONGEST_WISH, seconds_of
from ingest.backends.ollama import OllamaBackend
from ingest.backends.openai import OpenAIBackend
from ingest.corpus.fetch import Fetcher, FetchError, Page
from ingest.errors import PlumblineError
from ingest.network import make_client
from ingest.suite import Config

TIMEOUT = 0.4  # twenty pauses of what drips: a busy machine has longer pauses than it means to
CLIENTS = ["openai", "ollama", "page"]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


@pytest.fixture
def server():
    with raw() as running:
        yield running


@pytest.fixture(params=CLIENTS)
def ask(request, server, monkeypatch):
    """Ask the server through one of the clients; return the text, or what was raised."""
    monkeypatch.setattr(Fetcher, "_pause", lambda *_: None)

    def run(timeout=TIMEOUT):
        try:
            return says(request.param, server, timeout)
        except (AttemptFailed, Rejected, PlumblineError, FetchError) as error:
            return error

    run.client = request.param
    return run


def says(client, server, timeout):
    if client == "page":
        with Fetcher("tests", [server.host], spacing=0.0, timeout=timeout) as fetcher:
            return fetcher.get(f"{server.url}/page").text
    kind = {"openai": OpenAIBackend, "ollama": OllamaBackend}[client]
    config = Config(backend=client, model="tiny", base_url=server.url, timeout_seconds=timeout)
    request = Request("k", "p", config, "c", "Q", "r", 0, {}, messages=[{"role": "user", "content": "Q"}])
    answer = kind(None).answer(request)
    return answer.error or answer.text


def reply(text):
    message = {"message": {"role": "assistant", "content": text}}
    return json.dumps({"model": "tiny", "choices": [message], **message}).encode()


def forever(piece, head):
    yield head
    while True:
        yield piece


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK" + b" " * 1_000,
        HEAD + b"x-a: b\r\n" * 1_000,
        HEAD + b"\r\n" + b"x" * 1_000,
        CHUNKED + b"1\r\nx\r\n" * 1_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000,
        b"HTTP/1.1 500 No\r\n\r\n" + b"x" * 1_000,
    ],
    ids=["status", "headers", "body", "chunks", "1xx", "error"],
)
def test_what_drips_has_an_end(server, ask, said):
    server.speak = lambda _: drip(said)
    began = time.monotonic()
    outcome = ask()
    assert time.monotonic() - began < 15  # all of it would take longer
    assert "no end" in str(outcome) or "no answer in" in str(outcome)  # drops fall late on a busy machine
    assert getattr(outcome, "status", None) == ("failed" if ask.client == "page" else "timeout")
    # Where nothing came for so long, a page is asked for again, and a connection may not have been taken yet.
    assert len(server.paths) == 1 or "no end" not in str(outcome)


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
        (HEAD, b"x-a: b\r\n" * 1_000),
        (HEAD + b"x-a: ", b"b" * 60_000),
        (HEAD + b"\r\n", b"x" * 60_000),
    ],
    ids=["1xx", "headers", "header", "body"],
)
def test_what_never_ends_is_cut_by_its_size(server, ask, head, piece):
    server.speak = lambda _: forever(piece, head)
    outcome = ask(timeout=30.0)
    assert isinstance(outcome, (AttemptFailed, FetchError))
    assert "bytes" in str(outcome) or "RemoteProtocolError" in str(outcome)


def bomb(n_megabytes):
    """Return gzip of so many megabytes of zeros, without its end, which nobody reaches."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = pack.compress(bytes(2**20)) + pack.flush(zlib.Z_FULL_FLUSH)
    return head + (pack.compress(bytes(2**20)) + pack.flush(zlib.Z_FULL_FLUSH)) * n_megabytes


def test_a_bomb_takes_no_memory(server):
    bombs = [
        (bomb(10_000), "gzip"),  # ten gigabytes
        (gzip.compress(bomb(1_500)), "gzip, gzip"),  # a bomb in a bomb
        (gzip.compress(b"") * 500_000, "gzip"),  # empty ones
        (zlib.compress(bytes(2**26)), "deflate"),
    ]
    bodies = {f"/{i}": http(body, f"content-encoding: {way}") for i, (body, way) in enumerate(bombs)}
    server.speak = lambda path: [bodies[path]]
    script = f"""
import resource, sys
from pathlib import Path
from ingest.corpus.fetch import Fetcher, FetchError
with Fetcher("tests", ["{server.host}"], spacing=0.0, timeout=30.0) as fetcher:
    for i in range({len(bodies)}):
        try:
            print("read", len(fetcher.get(f"{server.url}/{{i}}").content))
        except FetchError as error:
            print(error.status, str(error))
    if sys.platform == "linux":  # its ru_maxrss counts what the tests' own process took
        print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) // 2**10)
    else:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**20)
"""
    *outcomes, megabytes = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    assert int(megabytes) < 600
    assert [line.split()[0] for line in outcomes] == ["too_large", "failed", "too_large", "failed"]


GZIP = gzip.compress(reply("Yes."))
ODD_GZIP = {
    "broken": GZIP[:20] + b"xxxx" + GZIP[24:],
    "cut": GZIP[:-9],
    "no gzip": reply("Yes."),
    "two": GZIP + GZIP,
    "a tail": GZIP + b"tail",
    "wrong sum": GZIP[:-8] + b"xxxx" + GZIP[-4:],
}


@pytest.mark.parametrize("body", ODD_GZIP.values(), ids=ODD_GZIP)
def test_gzip_that_is_none_is_no_answer(server, ask, body):
    server.speak = lambda _: [http(body, "content-encoding: gzip")]
    outcome = ask(timeout=5.0)
    assert isinstance(outcome, (AttemptFailed, FetchError))
    assert "gzip" in str(outcome) and len(str(outcome)) <= 300


@pytest.mark.parametrize(
    "packing", ["gzip, gzip, gzip", "br", "zstd", "x" * 5_000, ", ".join(["gzip"] * 5_000)]
)
def test_what_nobody_asked_for_is_not_unpacked(server, ask, packing):
    server.speak = lambda _: [http(reply("Yes."), f"content-encoding: {packing}")]
    outcome = ask(timeout=5.0)
    assert isinstance(outcome, (AttemptFailed, FetchError))
    assert "nobody asked for" in str(outcome) and len(str(outcome)) <= 300


@pytest.mark.parametrize("packing", ["gzip", "GZIP", "x-gzip"])
def test_gzip_is_read(server, ask, packing):
    server.speak = lambda _: [http(GZIP, f"content-encoding: {packing}")]
    assert "Yes." in ask(timeout=5.0)


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_status_counts_even_if_its_message_cannot_be_read(server, code):
    server.speak = lambda _: [http(b"\x1f\x8bxx", "content-encoding: gzip", status=f"{code} No")]
    with pytest.raises(PlumblineError, match=f"HTTP {code}: its message cannot be read"):
        says("openai", server, 5.0)


def test_a_reply_too_many_answers_nobody(server):
    n = 0

    def speak(_):
        nonlocal n
        n += 1
        yield http(reply(f"answer {n}")) + http(reply(f"another {n}"))

    speak.keeps = True
    server.speak = speak
    config = Config(backend="openai", model="tiny", base_url=server.url)
    request = Request("k", "p", config, "c", "Q", "r", 0, {}, messages=[{"role": "user", "content": "Q"}])
    backend = OpenAIBackend(None)
    assert [backend.answer(request).text for _ in range(3)] == ["answer 1", "answer 2", "answer 3"]


def test_no_request_brings_a_cookie_of_the_one_before(server):
    # An application keeps a session by it: the second prompt would be the second turn of a conversation.
    server.speak = lambda _: [http(reply("Yes."), "set-cookie: session=1; Path=/; Max-Age=999")]
    config = Config(backend="openai", model="tiny", base_url=server.url)
    request = Request("k", "p", config, "c", "Q", "r", 0, {}, messages=[{"role": "user", "content": "Q"}])
    backend = OpenAIBackend(None)
    assert [backend.answer(request).text for _ in range(3)] == ["Yes."] * 3
    assert len(server.heads) == 3 and not any("cookie" in head.lower() for head in server.heads)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "308 Permanent"])
def test_a_redirect_of_a_model_server_is_not_followed(server, status):
    server.speak = lambda path: [http(b"", f"location: {path}" + "x" * 500, status=status)]
    for client in ("openai", "ollama"):
        with pytest.raises(PlumblineError, match=r"which is not followed") as caught:
            says(client, server, 5.0)
        assert len(caught.value.message) <= 300
    assert len(server.paths) == 2


@pytest.mark.parametrize(
    "location",
    ["//[", "https://xn--/", "http://[::1", "http://a\u2100b/", "javascript:alert(1)", "/" + "x" * 70_000],
)
def test_a_redirect_to_no_address_is_one_line(server, ask, location):
    head = b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: " + location.encode() + b"\r\n\r\n"
    server.speak = lambda path: [head if path != "/" + "x" * 70_000 else http(b"", status="404 No")]
    outcome = ask(timeout=5.0)
    if ask.client == "page":
        assert isinstance(outcome, FetchError)
    else:
        assert isinstance(outcome, PlumblineError) and "which is not followed" in str(outcome)
    assert "RemoteProtocolError" not in str(outcome)  # the server spoke as it should, so nobody asks again
    assert len(server.paths) <= 2


ODD_FRAMES = {
    "HTTP/0.9": b"<html>hello</html>",
    "nothing": b"",
    "bytes": bytes(range(256)) * 10,
    "a chunk that is none": CHUNKED + b"ZZ\r\nabc",
    "a negative chunk": CHUNKED + b"-1\r\nabc",
    "a huge chunk": CHUNKED + b"fffffffffffffffffff\r\nabc",
    "a length too long": http(reply("Yes."), "content-length: 100000"),
    "a negative length": http(reply("Yes."), "content-length: -1"),
    "a huge length": http(reply("Yes."), "content-length: " + "9" * 5_000),
    "two lengths": http(reply("Yes."), "content-length: 10", "content-length: 20"),
    "another protocol": http(b"", "upgrade: x", "connection: upgrade", status="101 Switching"),
}


@pytest.mark.parametrize("said", ODD_FRAMES.values(), ids=ODD_FRAMES)
def test_a_broken_frame_is_no_answer(server, ask, said):
    server.speak = lambda _: [said]
    outcome = ask(timeout=5.0)
    assert isinstance(outcome, (AttemptFailed, FetchError))
    assert "RemoteProtocolError" in str(outcome) and len(str(outcome)) <= 300


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("1" + "0" * 30, LONGEST_WISH),
        ("1" + "0" * 5_000, LONGEST_WISH),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WISH),
        ("Fri, 31 Dec 9999 23:59:59 -2359", LONGEST_WISH),
        ("-10", 0.0),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0.0),
        ("nan", None),
        ("Fri, 31 Dec 2027 23:59:59 +99999999999999", None),
        ("Fri, 99 Foo 9999999999999999999 23:59:59 GMT", None),
        ("", None),
    ],
)
def test_a_wish_to_wait_is_a_number_that_we_can_use(said, seconds):
    assert seconds_of(said) == seconds


NO_TEXT = (
    "zlib hex rot13 base64 bz2 uu quopri idna punycode undefined unicode_escape raw_unicode_escape utf-7"
)


@pytest.mark.parametrize(
    "charset",
    [*NO_TEXT.split(), "a\0b", "x" * 5_000, ""],
)
def test_what_is_no_charset_of_pages_is_read_as_utf8(charset):
    text = "Ünïcode +2AA- \\ud800 xn--"
    assert Page("u", text.encode(), "text/plain", charset, {}).text == text


@pytest.mark.parametrize(
    ("charset", "name"), [("ISO-8859-1", "latin-1"), ("big5", "big5"), ("UTF-16", "utf-16")]
)
def test_charsets_of_pages_are_read(charset, name):
    text = "é" if name == "latin-1" else "中"
    assert Page("u", text.encode(name), "text/plain", charset, {}).text == text


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('<meta charset="iso-8859-1">', "latin-1"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=windows-1252'>", "cp1252"),
        ("", "cp1252"),
        ("", "utf-8"),
        ("", "utf-16"),
    ],
)
def test_a_page_may_name_its_charset_itself(head, name):
    text = f"<html><head>{head}</head>café, Señor</html>"
    assert Page("u", text.encode(name), "text/html", "", {}).text == text


def test_a_mark_of_byte_order_is_no_letter():
    assert Page("u", "\ufeffcafé".encode(), "text/plain", "utf-8", {}).text == "café"


class Recording(httpcore.NetworkBackend):
    """Notes where a connection is made and under which name; it gives one reply."""

    def __init__(self):
        self.made = []
        self.written = b""

    def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
        self.made.append((host, port))
        return Spoken(self)


class Spoken(httpcore.NetworkStream):
    def __init__(self, owner):
        self.owner, self.left = owner, http(b"The page.", "content-type: text/plain")

    def start_tls(self, ssl_context, server_hostname=None, timeout=None):
        assert ssl_context.check_hostname
        self.owner.made.append(server_hostname)
        return self

    def read(self, max_bytes, timeout=None):
        said, self.left = self.left, b""
        return said

    def write(self, buffer, timeout=None):
        self.owner.written += buffer

    def close(self):
        pass

    def get_extra_info(self, info):
        return None


@pytest.fixture
def resolve(monkeypatch):
    """Say what names lead to: one list of addresses after the other, the last for good."""

    def run(*answers):
        left = list(answers)

        def getaddrinfo(*_, **__):
            found = left.pop(0) if len(left) > 1 else left[0]
            return [(2, 1, 6, "", (address, 0)) for address in found]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    return run


@pytest.fixture
def fetcher(monkeypatch):
    monkeypatch.setattr(Fetcher, "_pause", lambda *_: None)
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Fetcher("tests", ["example.org"], spacing=0.0, timeout=5.0) as fetcher:
        fetcher.network = Recording()
        fetcher.client._transport._pool._network_backend.inner = fetcher.network
        yield fetcher


def test_a_connection_leads_to_the_address_that_was_looked_at(fetcher, resolve):
    resolve(["93.184.215.14"])
    assert fetcher.get("https://example.org/page").text == "The page."
    assert fetcher.network.made == [("93.184.215.14", 443), "example.org"]
    assert b"\r\nHost: example.org\r\n" in fetcher.network.written


@pytest.mark.parametrize(
    "inside",
    [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "::1",
        "fe80::1%eth0",
        "::ffff:192.168.0.1",
        "2002:7f00:1::",
    ],
)
def test_a_name_that_leads_elsewhere_the_second_time_is_refused(fetcher, resolve, inside):
    resolve(["93.184.215.14"], [inside])
    with pytest.raises(FetchError, match="leads to a local address") as caught:
        fetcher.get("https://example.org/page")
    assert caught.value.status == "not_allowed"
    assert fetcher.network.made == []


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.1.2.3", "::1"])
def test_a_name_with_one_address_inside_is_refused(fetcher, resolve, inside):
    resolve(["93.184.215.14", inside, "93.184.215.15"])
    with pytest.raises(FetchError, match="leads to a local address"):
        fetcher.get("https://example.org/page")
    assert fetcher.network.made == []


def test_the_proxy_of_the_environment_is_used(monkeypatch, resolve):
    monkeypatch.setenv("https_proxy", "http://10.0.0.1:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    resolve(["10.0.0.1"])
    with make_client(["https://example.org"], trust_env=True) as client:
        (proxied,) = client._mounts.values()
        proxied._pool._network_backend.inner = network = Recording()
        with pytest.raises(httpx.TransportError):
            client.get("https://example.org/")
    assert network.made == [("10.0.0.1", 3128), "example.org"]
    assert network.written.startswith(b"CONNECT example.org:443 ")
    with pytest.raises(PlumblineError, match=r"The proxy for https://example.org cannot be used"):
        monkeypatch.setenv("https_proxy", "gopher://10.0.0.1")
        make_client(["https://example.org"], trust_env=True)


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:{port}", "http://user:secret@127.0.0.1:{port}"])
def test_a_proxy_that_is_down_is_named_without_its_password(monkeypatch, proxy):
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    monkeypatch.setattr(Fetcher, "_pause", lambda *_: None)
    monkeypatch.setenv("https_proxy", proxy.format(port=port))
    monkeypatch.delenv("no_proxy", raising=False)
    with (
        Fetcher("tests", ["example.org"], spacing=0.0, timeout=5.0) as fetcher,
        pytest.raises(FetchError) as page,
    ):
        fetcher.get("https://example.org/page")
    config = Config(backend="openai", model="tiny", base_url="https://example.org/v1", timeout_seconds=5.0)
    request = Request("k", "p", config, "c", "Q", "r", 0, {}, messages=[{"role": "user", "content": "Q"}])
    with pytest.raises(AttemptFailed) as answer:
        OpenAIBackend(None).answer(request)
    for caught in (page, answer):
        assert f"ConnectError: 127.0.0.1:{port}: " in str(caught.value)
        assert "secret" not in str(caught.value)
