"""A server on loopback that says whatever bytes it is given: headers, bodies and lies included."""

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

Speak = Callable[[str], Iterable[bytes]]


class Raw:
    """Listens in threads of this process; `speak` gives, for a path, the pieces of what is said."""

    def __init__(self, speak: Speak) -> None:
        self.speak = speak
        self.paths: list[str] = []
        self.heads: list[str] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listening.getsockname()[1]}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError):
            connection.settimeout(10)
            while path := self._request(connection):
                self.paths.append(path)
                for piece in self.speak(path):
                    connection.sendall(piece)
                # What promises no length has its end where the connection has.
                if not getattr(self.speak, "keeps", False):
                    return

    def _request(self, connection: socket.socket) -> str:
        received = b""
        while b"\r\n\r\n" not in received:
            if not (more := connection.recv(65_536)):
                return ""
            received += more
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        length = next((int(line.split(":")[1]) for line in lines if line.startswith("content-length:")), 0)
        while len(body) < length:
            body += connection.recv(65_536)
        self.heads.append(head.decode("latin-1"))
        return self.heads[-1].split(" ")[1]

    def close(self) -> None:
        # A thread that waits in accept is woken by this, not by close alone.
        with suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()


@contextmanager
def raw(speak: Speak = lambda path: ()) -> Iterator[Raw]:
    """Run such a server as long as the block."""
    server = Raw(speak)
    try:
        yield server
    finally:
        server.close()


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Return a whole reply."""
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", *headers]
    if not any(line.lower().startswith(("content-length", "transfer-encoding")) for line in headers):
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def drip(content: bytes) -> Iterator[bytes]:
    """Yield bytes one by one."""
    for i in range(len(content)):
        time.sleep(0.02)
        yield content[i : i + 1]
