"""The sheet: one HTML file in which a person labels answers, without a network and without a server.

Answers are hostile input. They stand in the file as JSON in which no tag can begin, and sheet.js puts them on
the page as text alone. The page may load nothing and run nothing but the script that it carries.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ingest.labelling.drawing import Item
from ingest.labelling.questions import Question

PARTS = Path(__file__).parent
# What JSON may hold and HTML takes for something else.
ESCAPES: dict[str, str | int | None] = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def sheet(
    suite: str,
    title: str,
    sample_key: str,
    name: str,
    asked: Mapping[tuple[str, str], Question],
    items: Sequence[Item],
) -> str:
    """Return the page. Answers under one outcome set that look the same stand in it once, for all of them.

    `name` begins the names of the files that it saves.
    """
    sets = list(dict.fromkeys((item.category, item.outcome_set) for item in items))
    alike: dict[tuple[int, str, str], list[str]] = {}
    for item in items:
        place = sets.index((item.category, item.outcome_set))
        alike.setdefault((place, item.prompt, item.answer), []).append(item.response_key)
    data = {
        "suite": suite,
        "title": title,
        "sample": sample_key,
        "name": name,
        "questions": [asked[one].as_json() for one in sets],
        "items": [
            {"question": place, "prompt": prompt, "answer": answer, "keys": keys}
            for (place, prompt, answer), keys in alike.items()
        ],
    }
    style, script = (_part(f"sheet.{kind}") for kind in ("css", "js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _part("sheet.html")
    # The data come last: nothing is looked for in them.
    for part, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script), ("DATA", embedded(data))):
        before, _, after = page.partition(f"{{{{{part}}}}}")
        page = before + text + after
    return page


def embedded(data: Any) -> str:
    """Return data as JSON for a script element, in which no tag can begin or end.

    >>> embedded("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.translate(str.maketrans(ESCAPES))


def _part(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
