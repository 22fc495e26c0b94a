"""Signatures of audit cards. OpenSSH's ssh-keygen makes and checks them; keys are its own affair."""

import re
import subprocess
from pathlib import Path

from ingest.errors import SHOWN, PlumblineError, cut, shown
from ingest.paths import reading, regular_bytes
from ingest.store.private import scratch

PROGRAM = "ssh-keygen"
NAMESPACE = "plumbline-audit-card"  # a signature of something else is none of a card
SECONDS = 10  # to check a signature; to make one may take a passphrase or a touch
MOST_SIGNATURE, MOST_SIGNERS = 64_000, 10_000_000  # bytes


def signature_path(card: Path) -> Path:
    """Return where the signature of a card lies: beside it."""
    return card.with_name(f"{card.name}.sig")


def sign(content: bytes, key: Path) -> bytes:
    """Return a signature in OpenSSH's armour, made with a private key or an agent's, named by its .pub file.

    Raises PlumblineError where ssh-keygen is missing or does not sign.
    """
    with reading(key, "Name an SSH key: --sign ~/.ssh/id_ed25519."), scratch() as folder:
        file = folder / "card"
        file.write_bytes(content)
        done = _run("sign", "-n", NAMESPACE, "-f", str(key), str(file))
        if done.returncode:
            raise PlumblineError(
                f"{shown(key)} did not sign: {_last_line(done)}.",
                "Is it a private key of yours, or the .pub of one that your agent has?",
            )
        return signature_path(file).read_bytes()


def signer(card: Path, content: bytes, signers: Path) -> str:
    """Return who signed a card, and with which key, such as `ana@example.org, ED25519 key SHA256:…`.

    `content` is what the card was read to hold, `signers` a file in OpenSSH's allowed-signers format. Raises
    PlumblineError where there is no signature, it is of other content, or its key is not among the signers.
    """
    path = signature_path(card)
    signature = regular_bytes(path, MOST_SIGNATURE, "`plumbline card --sign KEY` writes it beside the card.")
    allowed = regular_bytes(signers, MOST_SIGNERS, "Name a file of allowed signers.")
    with scratch() as folder:
        # What was read is what is checked, whatever happens to the files meanwhile.
        (folder / "signature").write_bytes(signature)
        (folder / "signers").write_bytes(allowed)
        of, among = ("-n", NAMESPACE, "-s", str(folder / "signature")), ("-f", str(folder / "signers"))
        done = _run("check-novalidate", *of, content=content)
        key = re.search(rb"with (\S+ key \S+)", done.stdout)
        if done.returncode or key is None:
            raise PlumblineError(
                f"{shown(path)} is no signature of this card: {_last_line(done)}.",
                "The card or its signature was changed: take both anew from who signed them.",
            )
        found = _run("find-principals", "-s", str(folder / "signature"), *among, content=content)
        for name in found.stdout.decode(errors="replace").splitlines():
            if _run("verify", *of, *among, "-I", name, content=content).returncode == 0:
                return f"{name}, {key[1].decode()}"
        raise PlumblineError(
            f"{shown(card)} is signed with {key[1].decode()}, which {shown(signers)} does not allow.",
            "If you know whose key it is, add it there.",
        )


def _run(task: str, *arguments: str, content: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run ssh-keygen; `content` is what a signature is held against."""
    timeout = None if content is None else SECONDS
    try:
        return subprocess.run(
            [PROGRAM, "-Y", task, *arguments], input=content or b"", capture_output=True, timeout=timeout
        )
    except FileNotFoundError as error:
        raise PlumblineError(
            f"{PROGRAM} was not found: it makes and checks signatures.", "Install OpenSSH 8.2 or newer."
        ) from error


def _last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
    return cut(lines[-1].strip().rstrip("."), SHOWN)
