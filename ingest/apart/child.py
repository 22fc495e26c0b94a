"""The child's side: a JSON line in, a JSON line out, within limits."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MAX_ERROR = 2_000  # characters of an error that are sent
WATCH_SECONDS = 0.5


def serve(answer: Callable[[Any], Any], memory: int) -> None:
    """Answer each line until nobody asks any more; `memory` is in bytes.

    What is printed meanwhile goes to stderr, and stdin is empty: only this function speaks with our process.
    """
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    _limit(memory)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    for line in questions:
        reply = json.dumps(answer(json.loads(line)))
        sys.stdout.flush()
        answers.write(reply.encode() + b"\n")
        answers.flush()
    os._exit(0)  # threads of the code's own keep nobody waiting


def described(error: BaseException) -> str:
    """Return an error's class and text, also where its text cannot be had."""
    try:
        text = str(error)
    except BaseException:
        text = "…"
    return f"{type(error).__name__}: {text[:MAX_ERROR]}".rstrip(": ")


def _limit(memory: int) -> None:
    with suppress(OSError):  # who is short of memory ends this process, and no other
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        import resource
    except ImportError:  # no limits on this platform
        return
    for kind, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, memory)):
        with suppress(OSError, ValueError):  # the platform does not have it, or a lower one holds already
            resource.setrlimit(kind, (most, most))


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
