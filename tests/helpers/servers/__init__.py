"""Servers of the tests, each a process of its own, and how to start one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

LOOPBACK = Path(__file__).parent / "loopback.py"
# One for all: to read whom a client trusts takes longer than what it asks here.
CLIENT = httpx.Client(
    timeout=30, trust_env=False, verify=False, limits=httpx.Limits(max_keepalive_connections=0)
)


class Handle:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def reset(self) -> None:
        """Forget rules, log and changes."""
        self._post("/reset", {})

    def rules(self, *rules: dict[str, Any]) -> None:
        """Say what goes wrong from now on."""
        self._post("/rules", list(rules))

    def change(self, **model: Any) -> None:
        """Change the model behind the name."""
        self._post("/model", model)

    def batch(self, **orders: Any) -> None:
        """Say how batches end from now on."""
        self._post("/batch", orders)

    def log(self) -> list[dict[str, Any]]:
        """What was asked so far."""
        return self._get("/log")["log"]

    def n_asked(self) -> int:
        """How many requests came so far."""
        return self._get("/count")["n_asked"]

    def prompts(self) -> list[str]:
        """The last message of each request so far."""
        return [entry["content"]["messages"][-1]["content"] for entry in self.log()]

    def most_under_way(self) -> int:
        """How many requests were there at a time."""
        return self._get("/log")["most_under_way"]

    def _get(self, path: str) -> dict[str, Any]:
        return CLIENT.get(self.url + path).json()

    def _post(self, path: str, content: Any) -> None:
        CLIENT.post(self.url + path, content=json.dumps(content)).raise_for_status()


@contextmanager
def loopback(*arguments: str) -> Iterator[Handle]:
    """Run a loopback server as long as the block."""
    process = subprocess.Popen(
        [sys.executable, str(LOOPBACK), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield Handle(int(process.stdout.readline()))
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()
