"""The PDF: what Chromium is asked to print, and what is said where it cannot. tests/site prints."""

import json
import os
import sys
from pathlib import Path

import pytest

from ingest.errors import PlumblineError
from ingest.redaction import environment_without_keys
from ingest.site import paper
from ingest.site.paper import VARIABLE, find_chromium, print_pdf

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
