"""Text, Markdown and HTML files in the suite's folder, found by a pattern such as `texts/**/*.md`."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from ingest.corpus.documents import Context, Document
from ingest.corpus.fetch import MAX_BYTES, FetchError
from ingest.corpus.page_text import html_text, markdown_text
from ingest.errors import PlumblineError, shown
from ingest.suite import Source

SUFFIXES = (".txt", ".md", ".markdown", ".html", ".htm")


def documents(source: Source, context: Context) -> Iterator[Document]:
    """Yield the files that the source's pattern names, in the order of their names.

    A file outside the suite's folder, be it through `..` or a link, is never read.
    """
    pattern = source.files or ""
    folder = context.folder.resolve()
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        raise PlumblineError(
            f"The files {pattern!r} lie outside the suite's folder.", "Name files below the suite's folder."
        )
    # A name that a file has is that file's, whatever it would match as a pattern.
    found = [folder / pattern] if (folder / pattern).is_file() else folder.glob(pattern)
    found = sorted(found)
    paths = [path for path in found if path.suffix.casefold() in SUFFIXES]
    others = [path for path in found if path.suffix.casefold() not in SUFFIXES and path.is_file()]
    if paths and others:
        n, such = len(others), shown(others[0].relative_to(folder).as_posix())
        context.tell(f"{pattern}: {n:,} files are not read, such as {such}; only {', '.join(SUFFIXES)} are")
    if not paths:
        yield Document(origin=pattern, status="missing", detail=f"no {', '.join(SUFFIXES)} file is there")
    for path in paths:
        name = path.relative_to(folder).as_posix()
        if not path.resolve().is_relative_to(folder):
            yield Document(
                origin=name, status="not_allowed", detail="the link leads outside the suite's folder"
            )
        elif path.is_file():
            yield _document(source, path, name)


def _document(source: Source, path: Path, name: str) -> Document:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            return Document(origin=name, status="too_large", detail=f"{size:,} bytes, at most {MAX_BYTES:,}")
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
        suffix = path.suffix.casefold()
        if suffix in (".html", ".htm"):
            text = html_text(text) or ""
        elif suffix in (".md", ".markdown"):
            text = markdown_text(text)
    except OSError as error:
        return Document(origin=name, status="failed", detail=error.strerror or "cannot be read")
    except UnicodeDecodeError as error:
        return Document(origin=name, status="failed", detail=f"not UTF-8 (byte {error.start:,})")
    except FetchError as error:
        return Document(origin=name, status=error.status, detail=str(error))
    return Document(
        origin=name,
        status="ok" if text.strip() else "empty",
        title=path.stem,
        text=text if text.strip() else None,
        revision=hashlib.sha256(content).hexdigest()[:16],
        revised_at=datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(tzinfo=None, microsecond=0),
        licence=source.licence,
        attribution=source.attribution or name,
    )
