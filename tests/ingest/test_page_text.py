"""The text of hostile pages is found in time that grows with their size, that of ordinary ones as before."""

import time

import pytest

from ingest.corpus.fetch import FetchError
from ingest.corpus.page_text import html_text, markdown_text
from ingest.corpus.sentences import matching_sentences, split_sentences

HOSTILE = ["[", "![", "[a](", "[a]((b)", "[1", "[a", "(", "<", "> ", "* a\n", "\n", " ", "-"]
HOSTILE += [" **a", " __a", "**a b** ", "*a ", "`", "```x\n", "```\n", "```\nx\n~~~\n"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_markdown_takes_linear_time(piece):
    text = piece * (300_000 // len(piece))
    began = time.process_time()
    markdown_text(text)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("piece", [" ", "\t", "\u00a0", "![", "?(", "«!", "1. a ", "i. "])
def test_sentences_take_linear_time(piece):
    lines = piece * 100_000 + "\n" + piece * (19_000 // len(piece))
    began = time.process_time()
    assert not list(matching_sentences(lines, ["Freelandia"], "en", 5))
    assert time.process_time() - began < 2


def test_long_prose_is_split_and_what_is_none_is_not():
    sentence = "Mr. Lee of Freelandia asked: is it 3.5 km? It is... "
    assert len(list(split_sentences(sentence * 9, "en"))) > 9
    assert not list(split_sentences("Is it? " * 100, "en"))
    assert list(split_sentences("Is it? No! ", "en")) == ["Is it?", "No!"]


@pytest.mark.parametrize("piece", ["<span>a</span> ", "<h1>a</h1>", "<br>"])
def test_a_page_of_nothing_but_marks_is_too_large(piece):
    began = time.process_time()
    with pytest.raises(FetchError, match="marks, at most") as caught:
        html_text(f"<html><body>{piece * 300_000}</body></html>")
    assert caught.value.status == "too_large" and time.process_time() - began < 2


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See [the map](http://x/y).", "See the map."),
        ("See [Rivers](http://x/Rivers_(film)) now.", "See Rivers now."),
        ("![a map](x.png) Here.", "Here."),
        ("![](x.png)Here.", "Here."),
        ("**Bold** and __bold__ and ***both***.", "Bold and bold and both."),
        ("*One* _two_ snake_case_name 2*3*4", "One two snake_case_name 2*3*4"),
        ("`code` and ** none **", "code and ** none **"),
        ("a\n```\ncode\n```\nb", "a\n\nb"),
        ("a\n```python\ncode\n```\n\n\n\nb\n~~~\nc\n~~~", "a\n\nb"),
        ("a\n```\nnobody closes it", "a\n`\nnobody closes it"),
        ("a\n```\n~~~\n```\nb", "a\n\nb"),
        ("# Title\n- one\n2. two\n> said\n| a | b |\n---\nend", "one\ntwo\n\nend"),
    ],
)
def test_markdown_is_read_without_its_marks(written, read):
    assert markdown_text(written) == read
