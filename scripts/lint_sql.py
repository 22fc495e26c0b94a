"""Lint the SQL that changed since it last passed; all of it where CI is set, or with --all.

What only one engine understands is looked for in all files, macros among them (scripts/engine_sql.py).
sqlfluff takes a quarter of a second a file. What passed is remembered by its content, by that of the macros
that it calls and by sqlfluff's settings, in .venv/.linted.json.

    scripts/lint_sql.py            # models and tests that changed
    scripts/lint_sql.py FILE...    # these, as far as they changed
    scripts/lint_sql.py --all
"""

import gc
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine_sql import engine_specific

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / ".venv" / ".linted.json"
MACRO = re.compile(r"{%-?\s*macro\s+(?:(?:duckdb|spark|default)__)?(\w+)")
CALLED = re.compile(r"\b([a-z]\w*)\(")


def digests() -> dict[str, str]:
    """Digest of each file's content, its macros' and of what it is judged by, by path."""
    rules = (ROOT / ".sqlfluff").read_text("utf-8") + version("sqlfluff")
    files = sorted(path for folder in ("models", "tests") for path in (ROOT / folder).rglob("*.sql"))
    called = _macros()
    return {
        str(file.relative_to(ROOT)): hashlib.sha256("".join([rules, *called(file)]).encode()).hexdigest()
        for file in files
    }


def _macros() -> Callable[[Path], list[str]]:
    """Return what gives a file's text and those of all macros that it calls, and that these call."""
    texts = {path: path.read_text("utf-8") for path in sorted((ROOT / "macros").rglob("*.sql"))}
    defined: dict[str, set[Path]] = {}
    for path, text in texts.items():
        for name in MACRO.findall(text):
            defined.setdefault(name, set()).add(path)

    def called(file: Path) -> list[str]:
        found, looked_at, left = [], set[Path](), [file.read_text("utf-8")]
        while left:
            found.append(text := left.pop())
            by_name = (defined.get(name, set()) for name in CALLED.findall(text))
            # What is called by a name that is no text may be any.
            new = (set(texts) if "context[" in text else set[Path]().union(*by_name)) - looked_at
            looked_at |= new
            left += [texts[path] for path in sorted(new)]
        return found

    return called


def linted(paths: list[str]) -> list[dict[str, Any]]:
    """Return what sqlfluff finds in files, as records of `filepath` and `violations`."""
    os.chdir(ROOT)
    from sqlfluff.core import FluffConfig, Linter
    from sqlfluff.utils.reflow.sequence import ReflowSequence

    make, last = ReflowSequence.from_root, []
    gc.set_threshold(100_000, 50, 50)

    def made_once(root: Any, config: Any) -> ReflowSequence:
        """Lay a file's text out once for the four rules that ask for it: that is a third of the time."""
        if not last:
            gc.freeze()  # dbt's project is no garbage; to look through it is another third
        if not last or last[0] is not root:
            last[:] = root, make(root, config)
        return last[1]

    ReflowSequence.from_root = made_once
    return Linter(FluffConfig.from_root()).lint_paths(tuple(paths)).as_records()


def main() -> int:
    """Lint, print what is wrong as path:line:column, and return the exit status."""
    places = list(engine_specific(ROOT))
    print(*places, sep="\n", end="\n" if places else "")
    now = digests()
    takes_all = "--all" in sys.argv or os.environ.get("CI") == "true"
    passed = set(json.loads(PASSED.read_text())) if PASSED.is_file() and not takes_all else set()
    named = {arg for arg in sys.argv[1:] if not arg.startswith("-")} or set(now)
    wanted = [path for path, digest in now.items() if digest not in passed and path in named]
    print(f"sqlfluff: {len(wanted)} of {len(now)} files", "(the rest passed before)" if passed else "")
    if not wanted:
        return int(bool(places))
    found = {record["filepath"]: record["violations"] for record in linted(wanted)}
    for path, violations in found.items():
        for v in violations:
            print(f"{path}:{v['start_line_no']}:{v['start_line_pos']}: {v['code']} {v['description']}")
    passed |= {now[path] for path in wanted if path in found and not found[path]}
    PASSED.write_text(json.dumps(sorted(passed)))
    not_read = sorted(set(wanted) - set(found))
    if not_read:
        print(f"sqlfluff did not say anything of: {', '.join(not_read)}")
    return int(any(found.values()) or bool(not_read) or bool(places))


if __name__ == "__main__":
    sys.exit(main())
