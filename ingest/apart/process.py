"""Our side: a child that is asked in lines of JSON, and ended where it does not answer."""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Any, NamedTuple

from ingest.errors import SHOWN, PlumblineError, in_one_line, shorten
from ingest.redaction import environment_without_keys, without_secrets

SECONDS_VARIABLE, MEMORY_VARIABLE = "PLUMBLINE_CODE_SECONDS", "PLUMBLINE_CODE_MEMORY"
SECONDS, MEMORY = "300", "8GB"
RAISE_LIMITS = f"Limits are {SECONDS_VARIABLE} and {MEMORY_VARIABLE}."
BYTES = {"MB": 1 << 20, "GB": 1 << 30}
MAX_REPLY = 64 << 20  # bytes
TAIL = 2_000  # bytes of what a child printed last
PIECE = 1 << 16
START = """
import json, sys
from importlib import import_module
sys.path[:] = json.loads(sys.argv[1])
from ingest.apart.child import serve
module, _, name = sys.argv[2].partition(":")
serve(getattr(import_module(module), name)(), int(sys.argv[3]))
"""


class CodeFailed(RuntimeError):
    """What the code in a child ended in, as a message may say it."""

    def __init__(self, said: str) -> None:
        super().__init__(shorten(in_one_line(without_secrets(said)), SHOWN))


class Stopped(CodeFailed):
    """A child that ended, or had to be ended, before it had answered."""


class Limits(NamedTuple):
    """What a child may take: seconds for an answer, bytes of memory."""

    seconds: float
    memory: int


def limits_of_code() -> Limits:
    """Return the limits of a suite's own code, as the environment or a default says.

    Raises PlumblineError where the environment says something else.
    """
    seconds = os.environ.get(SECONDS_VARIABLE) or SECONDS
    memory = os.environ.get(MEMORY_VARIABLE) or MEMORY
    size = re.fullmatch(r"([0-9]{1,6})\s*(MB|GB)", memory.upper())
    if not re.fullmatch(r"[0-9]{1,6}", seconds) or not int(seconds) or not size or not int(size[1]):
        raise PlumblineError(
            f"{SECONDS_VARIABLE} or {MEMORY_VARIABLE} is no limit.",
            "Write whole seconds, such as 300, and a size, such as 8GB or 500MB.",
        )
    return Limits(float(seconds), int(size[1]) * BYTES[size[2]])


class Child:
    """A process that answers questions, in the order asked; a new one is started where the last one ended.

    `answers` is `module:name` of what makes a function of a question (ingest/apart/child.py). `hidden` are
    variables that it must not see, beside those that look like keys.
    """

    def __init__(self, answers: str, limits: Limits, hidden: Collection[str] = ()) -> None:
        self.limits = limits
        command = [sys.executable, "-I", "-X", "utf8", "-c", START, json.dumps(sys.path), answers]
        self._process = subprocess.Popen(
            [*command, str(limits.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=environment_without_keys(hidden),
            start_new_session=True,  # what it starts ends with it, and Ctrl-C is ours
        )
        self._tail = b""

    def ask(self, question: Any, seconds: float = 0.0) -> Any:
        """Return the answer, which may take as long as the limits or `seconds` say, whichever is longer.

        Raises Stopped where none comes; the child is then gone.
        """
        try:
            longest = max(seconds, self.limits.seconds)
            return json.loads(self._exchange(json.dumps(question).encode() + b"\n", longest))
        except (ValueError, RecursionError) as error:
            self.close()
            raise Stopped("it answered with something else than JSON") from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the child and whatever it has started."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()

    def _exchange(self, question: bytes, longest: float) -> bytes:
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        until = time.monotonic() + longest
        left, reply = memoryview(question), bytearray()
        os.set_blocking(stdin.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)
            for pipe in (stdout, stderr):
                selector.register(pipe, selectors.EVENT_READ)
            while not reply.endswith(b"\n"):
                seconds = until - time.monotonic()
                if seconds <= 0:
                    raise Stopped(f"it took over {longest:g} seconds")
                for key, _ in selector.select(seconds):
                    if key.fileobj is stdin:
                        try:
                            left = left[os.write(stdin.fileno(), left[:PIECE]) :]
                        except BrokenPipeError:
                            left = left[:0]
                        if not left:
                            selector.unregister(stdin)
                    elif not (piece := os.read(key.fd, PIECE)):
                        if key.fileobj is stdout:
                            raise Stopped(self._end())
                        selector.unregister(stderr)
                    elif key.fileobj is stdout:
                        reply += piece
                        if len(reply) > MAX_REPLY:
                            raise Stopped(f"it answered with over {MAX_REPLY:,} bytes")
                    else:
                        self._tail = (self._tail + piece)[-TAIL:]
        return bytes(reply)

    def _end(self) -> str:
        """Say how a child ended that has closed its pipe, and what it printed last."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code, stderr = self._process.poll(), self._process.stderr
        assert stderr is not None
        os.set_blocking(stderr.fileno(), False)
        with suppress(BlockingIOError):
            while piece := os.read(stderr.fileno(), PIECE):
                self._tail = (self._tail + piece)[-TAIL:]
        how = "it closed its pipe" if code is None else f"it ended with exit code {code}"
        if code is not None and code < 0:
            how = f"it was ended by {signal.Signals(-code).name}"
        lines = self._tail.decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{how} ({said})" if said else how
