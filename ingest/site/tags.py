"""What Chromium leaves open in a PDF with tags: what is no content is marked so, and links are described.

Who cannot see the page has what carries a tag read aloud. The labels of a drawing, whose text stands in its
`Alt`, and the heads of pages carry none; PDF/UA-1 wants them marked as artifacts (ISO 14289-1, 7.1).
"""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ingest.errors import PlumblineError

PATHS = {"m", "l", "c", "v", "y", "h", "re", "W", "W*"}  # they make a path, which a later operator paints
PAINT_PATH = {"S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"}
PAINT = {"Tj", "TJ", "'", '"', "Do", "sh", "INLINE IMAGE"}


def require_pikepdf() -> ModuleType:
    """Return the library that changes a PDF. Raises PlumblineError where it is not installed."""
    try:
        import pikepdf
    except ImportError as error:
        raise PlumblineError(
            "The PDF was not printed: pikepdf is not installed.",
            "Run `make setup`, or `pip install 'plumbline[pdf]'`.",
        ) from error
    return pikepdf


def mark_untagged(path: Path) -> None:
    """Mark what has no tag as an artifact, describe each link, and name the document; in place."""
    pikepdf = require_pikepdf()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for page in pdf.pages:
            marked = list(_marked(pikepdf, pikepdf.parse_content_stream(page)))
            page.Contents = pdf.make_stream(pikepdf.unparse_content_stream(marked))
            for annotation in page.get("/Annots", []):
                if annotation.get("/Subtype") == "/Link":
                    annotation.Contents = pikepdf.String(_described(annotation))
        with pdf.open_metadata(set_pikepdf_as_editor=False) as metadata:
            metadata["dc:title"] = str(pdf.docinfo.get("/Title", "Audit for bias"))
        pdf.save(path)


def _marked(pikepdf: ModuleType, instructions: Any) -> Iterator[Any]:
    begin = pikepdf.ContentStreamInstruction([pikepdf.Name.Artifact], pikepdf.Operator("BMC"))
    end = pikepdf.ContentStreamInstruction([], pikepdf.Operator("EMC"))
    depth = 0
    path: list[Any] = []  # no mark may begin between a path and what paints it
    for instruction in instructions:
        operator = str(instruction.operator)
        depth += (operator in ("BMC", "BDC")) - (operator == "EMC")
        if operator in PATHS and not depth:
            path.append(instruction)
        elif (operator in PAINT_PATH or operator in PAINT) and not depth:
            yield from (begin, *path, instruction, end)
            path = []
        else:
            yield instruction


def _described(annotation: Any) -> str:
    address = annotation.get("/A", {}).get("/URI")
    return "Leads to another place of this document" if address is None else f"Leads to {address}"
