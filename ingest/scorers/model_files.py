"""Models on this machine: which device, which files, and that the files stay what they were.

Safetensors only, no code from a repository. torch and transformers are an extra, imported when asked for.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from safetensors import SafetensorError

from ingest.errors import PlumblineError, say, shown

DEVICES = ("auto", "cpu", "cuda", "mps")
# Files that make a model what it is; the rest of a folder is documentation.
PARTS = ("*.safetensors", "*.json", "*.jinja", "*.model", "merges.txt", "vocab.txt")
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack")
COMMIT = re.compile(r"[0-9a-f]{40}")
LOCK_NAME = "models.lock.json"
LOCKED = ("revision", "sha256")


def library(name: str, asker: str) -> ModuleType:
    """Import a package of the extra `models`; `asker` is what needs it, for the error."""
    try:
        return import_module(name)
    except ImportError as error:
        raise PlumblineError(
            f"{asker} needs the package {name}, which is not installed.",
            "Install the extra `models` (docs/guide/scorers.md says how).",
        ) from error


def pick_device(device: str, how: str) -> str:
    """Return the device that is meant by one of DEVICES; `how` says how to ask for the processor.

    Raises PlumblineError where torch does not find it.
    """
    torch = import_module("torch")
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if there[name])
    if not there[device]:
        raise PlumblineError(f"torch finds no device {device!r} here.", f"Write {how} or leave it out.")
    return device


def load_part(folder: Path, kind: Any, **options: Any) -> Any:
    """Load the config, tokeniser or model of a folder by a class of transformers, and nothing from elsewhere.

    Raises PlumblineError where it cannot be loaded, or would need code of its own.
    """
    try:
        return kind.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    except (OSError, ValueError, SafetensorError) as error:
        raise PlumblineError(
            f"{folder} cannot be loaded: {str(error).strip().splitlines()[0]}",
            "It must hold config.json, a tokeniser and *.safetensors, and need no code of its own.",
        ) from error


def digest_of(folder: Path) -> str:
    """Return a hash of a model's files, their names included."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in PARTS for path in folder.glob(pattern)}):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: digest)
    return f"sha256:{digest.hexdigest()}"


def check_weights(folder: Path, model: str, *, is_snapshot: bool = False) -> None:
    """Raise PlumblineError unless a folder has its weights as safetensors: a pickle can run code.

    A snapshot of the hub has all that was to be had, pickles left out.
    """
    if any((folder / name).is_file() for name in WEIGHTS):
        return
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    if not (pickles or is_snapshot):
        raise PlumblineError(
            f"{folder} has no model.safetensors.", f"Name a folder with the files of {model}."
        )
    what = f" ({pickles[0]})" if pickles else f" (revision {folder.name[:12]})"
    raise PlumblineError(
        f"{model} has its weights as a pickle only{what}, which can run code and is not read.",
        "Its converter may have made safetensors: `hf download MODEL --revision refs/pr/NUMBER "
        "--local-dir models/MODEL`, then --model-dir models.",
    )


def hub_folder(model: str, revision: str | None) -> Path:
    """Return the snapshot of a model of the hub, named for its commit: from the cache, else downloaded.

    Without a revision it is what the cache has, else the newest. Pickles and code are left out. Nothing is
    downloaded where HF_HUB_OFFLINE is set. Raises PlumblineError where it is not to be had.
    """
    hub = library("huggingface_hub", model)
    from huggingface_hub.errors import HFValidationError

    patterns = ["*.json", "*.txt", "*.model", "*.safetensors", "*.jinja"]
    files = {"allow_patterns": patterns, "ignore_patterns": ["*/*"], "revision": revision}
    with suppress(OSError, ValueError):
        folder = Path(hub.snapshot_download(model, local_files_only=True, **files))
        if any((folder / name).is_file() for name in WEIGHTS):
            return folder
    try:
        if not hub.constants.HF_HUB_OFFLINE:
            say(f"Fetching {model} from the hub, once …", err=True)
        return Path(hub.snapshot_download(model, **files))
    except (OSError, HFValidationError) as error:
        why = "HF_HUB_OFFLINE is set" if hub.constants.HF_HUB_OFFLINE else type(error).__name__
        pinned = f" --revision {revision}" if revision else ""
        raise PlumblineError(
            f"{model} is not on this machine, and could not be downloaded ({why}).",
            f"Where there is a network: `hf download {model}{pinned} --local-dir models/{model}`;"
            " bring the folder here and name it: --model-dir models",
        ) from error


@dataclass(frozen=True)
class Found:
    """A model's files, their digest, and the revision they are recorded under."""

    model: str
    folder: Path
    digest: str
    revision: str


class Lock:
    """What each model was when it was first used: its revision and the digest of its files, by name.

    A file of JSON in the data folder. Files that differ from what it says are refused, so that no model
    changes unnoticed under an audit.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, model: str, pinned: str | None, folder: Path | None = None) -> Found:
        """Return a model's files: those of `folder` where it is given, else the hub's at the revision.

        The revision is the one first recorded, or `pinned`, or what the hub has now; that of a folder is
        its digest. Raises PlumblineError where the files are not those that were first used.
        """
        entries = self._read()
        known = entries.get(model)
        if folder is None:
            revision = known["revision"] if known and COMMIT.fullmatch(known["revision"]) else pinned
            folder = hub_folder(model, revision)
            revision = folder.name
        else:
            revision = None
        check_weights(folder, model, is_snapshot=revision is not None)
        digest = digest_of(folder)
        if known and known["sha256"] != digest:
            raise PlumblineError(
                f"The files of {model} are not those that were used before"
                f" (revision {known['revision'][:19]}): {shown(folder)}.",
                f"Bring those back; or take it out of {self.path.name}, to measure every text anew.",
            )
        return Found(model, folder, digest, known["revision"] if known else revision or digest)

    def keep(self, found: Found) -> None:
        """Hold a model to these files from now on; called once they have proven to be the model."""
        entries = self._read()
        if found.model not in entries:
            self._write({**entries, found.model: {"revision": found.revision, "sha256": found.digest}})

    def is_checked(self, found: Found, by: str) -> bool:
        """Whether these files have told the known texts `by` apart before."""
        entry = self._read().get(found.model, {})
        return entry.get("sha256") == found.digest and entry.get("checked") == by

    def keep_checked(self, found: Found, by: str) -> None:
        """Keep that they did."""
        self.keep(found)
        entries = self._read()
        entries[found.model]["checked"] = by
        self._write(entries)

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._spoilt() from error
        if not isinstance(content, dict) or not all(
            isinstance(entry, dict) and all(isinstance(entry.get(part), str) for part in LOCKED)
            for entry in content.values()
        ):
            raise self._spoilt()
        return content

    def _spoilt(self) -> PlumblineError:
        return PlumblineError(
            f"{self.path} is not readable as what it should be.", "Bring it back, or remove it."
        )

    def _write(self, entries: dict[str, dict[str, str]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".tmp")
        draft.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        os.replace(draft, self.path)
