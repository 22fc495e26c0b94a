"""Processes beside this one that compute, for Python computes in one thread at a time.

A worker is asked for one call after another, over pipes. It ends where this process does, and where it ends
before that, this process computes itself what it was asked for.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from ingest.redaction import environment_without_keys

MOST = 8  # each takes 0.2 GB
WAITING = 2  # calls, beside those that are at work
LOOK_SECONDS = 0.1
START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from ingest.inference.workers import serve
serve()
"""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # as in this process: with more, last bits differ

_lock = threading.Lock()
_there: "Workers | None" = None
_stopping = threading.Event()


def workers() -> "Workers | None":
    """Return the workers of this process, started where there are none; None where one processor is there."""
    global _there
    n = min(_n_processors(), MOST)
    with _lock:
        check_not_stopped()
        if _there is None and n > 1:
            _there = Workers(n)
        return _there


def end_workers() -> None:
    """End the workers, if there are any: each call that waits for one raises CancelledError."""
    global _there
    with _lock:
        ended, _there = _there, None
    if ended is not None:
        ended.end()


@contextmanager
def stopped() -> Iterator[None]:
    """Have threads that compute end meanwhile: no worker helps, and `check_not_stopped` raises."""
    _stopping.set()
    try:
        end_workers()
        yield
    finally:
        _stopping.clear()


@contextmanager
def stopped_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C stop what is computed meanwhile: who runs it, such as dbt, waits until it ends."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        _stopping.set()
        threading.Thread(target=end_workers).start()  # the lock may be held where this thread was interrupted
        before(number, frame)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _stopping.clear()


def check_not_stopped() -> None:
    """Raise CancelledError where what is computed is no longer wanted."""
    if _stopping.is_set():
        raise CancelledError


class Workers:
    """So many processes, and a thread of ours that speaks with each. They start with the first calls."""

    def __init__(self, n: int) -> None:
        self._threads = ThreadPoolExecutor(n, "worker")
        self._room = threading.BoundedSemaphore(n + WAITING)
        self._own = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._is_ended = False

    def submit(self, function: Callable[..., Any], *inputs: Any) -> Future[Any]:
        """Have a function of a module called. What it raises, `result()` does.

        Waits while others wait, for what they are given lies in memory. Raises CancelledError once all ended.
        """
        while not self._room.acquire(timeout=LOOK_SECONDS):
            if self._is_ended:
                raise CancelledError
        try:
            call = self._threads.submit(self._call, function, inputs)
        except RuntimeError as error:  # it takes no more
            raise CancelledError from error
        call.add_done_callback(lambda _: self._room.release())
        return call

    def end(self) -> None:
        """End all processes, at work or not."""
        self._is_ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            with suppress(OSError), process:  # waits, and closes a pipe that nobody reads any more
                pass

    def _call(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
        try:
            process = self._process()
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(pickle.dumps((function, inputs), protocol=5))
            process.stdin.flush()
            is_done, found = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):  # it has ended, be it for want of memory
            self._own.process = None
            if self._is_ended:
                raise CancelledError from None
            return function(*inputs)
        if is_done:
            return found
        raise found

    def _process(self) -> subprocess.Popen[bytes]:
        process = getattr(self._own, "process", None)
        if process is None:
            process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", START, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment_without_keys() | ONE_THREAD,
                start_new_session=True,  # Ctrl-C is for this process
            )
            self._own.process = process
            self._processes.append(process)
            if self._is_ended:  # while it was started
                process.kill()
        return process


def serve() -> None:
    """Call what is asked for until nobody asks any more; what is printed meanwhile goes to stderr."""
    asked, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    with suppress(OSError):  # who is short of memory ends this process, and no other
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    while True:
        try:
            function, inputs = pickle.load(asked)
        except EOFError:
            os._exit(0)
        reply: tuple[bool, Any]
        try:
            reply = True, function(*inputs)
        except Exception as error:  # raised where the call was asked for
            reply = False, error
        try:
            replies.write(pickle.dumps(reply, protocol=5))
            replies.flush()
        except BrokenPipeError:
            os._exit(1)


def _n_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
