"""The PDF: what Chromium is asked to print, and what is said where it cannot. tests/site prints."""

import json
import os
import sys
from pathlib import Path

import pikepdf
import pytest

from ingest.errors import PlumblineError
from ingest.redaction import environment_without_keys
from ingest.site import paper
from ingest.site.paper import VARIABLE, find_chromium, print_pdf
from ingest.site.tags import mark_untagged, require_pikepdf

# In Chromium's place: it fetches what it should print, and says with which options.
PRINTER = """#!{python}
import json, os, sys, urllib.request
target = next(one.split("=", 1)[1] for one in sys.argv if one.startswith("--print-to-pdf="))
answer = urllib.request.urlopen(sys.argv[-1])
page, policy = answer.read().decode(), answer.headers["Content-Security-Policy"]
font = urllib.request.urlopen(sys.argv[-1].replace("/print/", "/font.woff2")).read().decode()
open(target, "w").write(json.dumps([page, font, policy, sys.argv[1:], "OPENAI_API_KEY" in os.environ]))
"""
PAGE = '<p>A &lt;b&gt; <a href="/power" class="x">p</a> <a href="https://example.org/">e</a></p>'


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "build"
    (folder / "print").mkdir(parents=True)
    (folder / "print" / "index.html").write_text(PAGE)
    (folder / "font.woff2").write_text("font")
    return folder


def program(tmp_path: Path, text: str) -> str:
    path = tmp_path / "chromium"
    path.write_text(text.format(python=sys.executable))
    path.chmod(0o755)
    return str(path)


def test_the_page_is_printed_without_scripts_keys_and_links_to_this_machine(site, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "OPENAI_API_KEY" not in environment_without_keys()
    monkeypatch.setattr(paper, "mark_untagged", lambda printed: None)  # what this program prints is no PDF
    target = tmp_path / "new" / "audit.pdf"
    print_pdf(program(tmp_path, PRINTER), site, target)
    page, font, policy, options, has_key = json.loads(target.read_text())
    assert 'href="/' not in page and 'href="https://example.org/"' in page and "A &lt;b&gt;" in page
    assert font == "font" and "script-src 'none'" in policy and not has_key
    asked = {"--export-tagged-pdf", "--generate-pdf-document-outline"}
    assert asked <= set(options)
    assert ("--no-sandbox" in options) == (os.geteuid() == 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "#!{python}\nimport sys\nsys.exit('no \\x1b[2J display')\n",
            "chromium printed nothing: no \\x1b[2J display",
        ),
        ("#!{python}\n", "chromium printed nothing"),
        ("#!{python}\nimport time\ntime.sleep(60)\n", "did not print within 1 seconds"),
    ],
)
def test_where_it_does_not_print_one_line_says_so_and_the_old_file_stays(
    site, tmp_path, monkeypatch, text, said
):
    monkeypatch.setattr(paper, "SECONDS", 1 if "sleep" in text else 60)
    target = tmp_path / "audit.pdf"
    target.write_text("old")
    with pytest.raises(PlumblineError) as error:
        print_pdf(program(tmp_path, text), site, target)
    assert said in error.value.format_message() and error.value.format_message().isprintable()
    assert target.read_text() == "old"


CONTENT = b"""BT /F1 9 Tf (Page 1) Tj ET /P <</MCID 0>> BDC BT (Said) Tj ET EMC
0 0 9 9 re W n q 1 0 0 1 0 0 cm 0 0 m 9 9 l S Q /Artifact BMC 1 1 2 2 re f EMC"""


def test_what_has_no_tag_is_an_artifact_and_links_are_described(tmp_path):
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    page.Contents = pdf.make_stream(CONTENT)
    web = pikepdf.Dictionary(S=pikepdf.Name.URI, URI="https://example.org/")
    page.Annots = pikepdf.Array(
        [
            pikepdf.Dictionary(Subtype=pikepdf.Name.Link, Rect=[0, 0, 9, 9], **more)
            for more in ({"A": web}, {})
        ]
    )
    pdf.docinfo["/Title"] = "Audit"
    pdf.save(tmp_path / "a.pdf")
    mark_untagged(tmp_path / "a.pdf")
    with pikepdf.open(tmp_path / "a.pdf") as marked:
        (page,) = marked.pages
        assert " ".join(str(one.operator) for one in pikepdf.parse_content_stream(page)) == (
            "BT Tf BMC Tj EMC ET BDC BT Tj ET EMC BMC re W n EMC q cm BMC m l S EMC Q BMC re f EMC"
        )
        assert [str(link.Contents) for link in page.Annots] == [
            "Leads to https://example.org/",
            "Leads to another place of this document",
        ]
        assert marked.open_metadata()["dc:title"] == "Audit"


def test_without_pikepdf_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pikepdf", None)
    with pytest.raises(PlumblineError, match=r"pikepdf is not installed\. Run `make setup`"):
        require_pikepdf()


def test_a_site_of_an_older_version_has_no_such_page(tmp_path):
    with pytest.raises(PlumblineError, match="has no page for paper"):
        print_pdf("chromium", tmp_path, tmp_path / "audit.pdf")


def test_without_chromium_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(PlumblineError, match=r"Chromium was not found\. Install it"):
        find_chromium()
    monkeypatch.setenv(VARIABLE, program(tmp_path, PRINTER))
    assert find_chromium() == str(tmp_path / "chromium")
