"""The readable text of pages."""

import re
from collections.abc import Iterator

from ingest.corpus.fetch import FetchError
from ingest.errors import PlumblineError

# Each takes time in proportion to its line, whatever stands there: nothing is read twice.
LINK = r"\[([^\[\]]{0}+)\]\((?:[^()]++|\([^()]*+\))*+\)"
INLINE = (
    (re.compile("!" + LINK.format("*")), ""),
    (re.compile(LINK.format("+")), r"\1"),
    (re.compile(r"`([^`]*)`"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)++)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*_])([*_])(?=\S)([^*_\n]++)(?<=\S)\1(?![\w*_])"), r"\2"),
)
MOST_MARKS = 200_000  # of HTML; ten thousand take a fifth of a second
MARKS = frozenset("[`*_")
FENCES = ("```", "~~~")
NOT_PROSE = re.compile(r"^\s*(#{1,6}\s|\||>|[-=*_]{3,}\s*$|<[^>]+>\s*$)")
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


def html_text(content: str) -> str | None:
    """Return the main text of an HTML page, without its menus; None where there is none.

    Raises FetchError for a page of so many marks that reading it would take minutes.
    """
    if (n := content.count("<")) > MOST_MARKS:
        raise FetchError("too_large", f"it has {n:,} marks, at most {MOST_MARKS:,} are read")
    try:
        import trafilatura
    except ImportError as error:
        raise PlumblineError(
            "HTML pages are read with trafilatura, which is not installed.",
            "Install the extra: pip install 'plumbline[corpus]'.",
        ) from error
    return trafilatura.extract(content, include_comments=False, include_tables=False)


def markdown_text(content: str) -> str:
    """Return the prose of a Markdown file: no headings, tables, quotations, code or marks."""
    kept = []
    for line in _without_code(content.splitlines()):
        if not line.strip():
            kept.append(line)
            continue
        if NOT_PROSE.match(line):
            kept.append("")
            continue
        plain = BULLET.sub("", line, count=1)
        if not MARKS.isdisjoint(plain):
            for pattern, replacement in INLINE:
                plain = pattern.sub(replacement, plain)
        kept.append(plain)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _without_code(lines: list[str]) -> Iterator[str]:
    """Yield lines, an empty one in the place of each block of code; what nobody closes is no block."""
    last = {line.rstrip(): i for i, line in enumerate(lines) if line.rstrip() in FENCES}
    fence = ""
    for i, line in enumerate(lines):
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif line[:3] in FENCES and last.get(line[:3], 0) > i:
            fence = line[:3]
            yield ""
        else:
            yield line
