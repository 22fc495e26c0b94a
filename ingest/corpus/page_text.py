"""The readable text of pages."""

import re

from ingest.errors import PlumblineError

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
INLINE = (
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"`([^`]*)`"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*_])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*_])"), r"\2"),
)
NOT_PROSE = re.compile(r"^\s*(#{1,6}\s|\||>|[-=*_]{3,}\s*$|<[^>]+>\s*$)")
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


def html_text(content: str) -> str | None:
    """Return the main text of an HTML page, without its menus; None where there is none."""
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
    for line in FENCE.sub("", content).splitlines():
        if NOT_PROSE.match(line):
            kept.append("")
            continue
        plain = BULLET.sub("", line)
        for pattern, replacement in INLINE:
            plain = pattern.sub(replacement, plain)
        kept.append(plain)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
