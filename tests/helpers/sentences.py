"""Sentences of a built page, and how many words each has."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser

# Each holds a sentence of its own, or more.
BLOCKS = {
    "p",
    "li",
    "dd",
    "dt",
    "td",
    "th",
    "figcaption",
    "summary",
    "h1",
    "h2",
    "h3",
    "h4",
    "label",
    "caption",
}
BLOCKS |= {"div", "section", "article", "ul", "ol", "dl", "table", "tr", "details", "option", "button", "br"}
VOID = {"br", "hr", "img", "input", "link", "meta", "wbr", "source", "col", "path", "circle", "rect", "line"}
# Others' words, code, and what is no sentence: lists of links, cells of a table.
LEFT_OUT = {"blockquote", "code", "pre", "script", "style", "svg", "nav", "th", "td", "option", "textarea"}
LEFT_OUT_CLASSES = {"prompt", "baseline", "source", "sources", "legend", "filters", "verdict", "citation"}
# What a table of the project holds is said by its documentation.
LEFT_OUT_CLASSES |= {"reference"}
WORD = re.compile(r"[^\W_]+(?:[.,'’/-][^\W_]+)*")
ASIDE = re.compile(r" \([^()]*\d[^()]*\)")
END = re.compile(r"(?<=[.!?:;])[)”’\"]?\s+|\s+[·›→]\s+")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.text = [""]
        self.is_content = False

    @property
    def is_left_out(self) -> bool:
        return not self.is_content or any(left_out for _, left_out in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.is_content = self.is_content or found.get("id") == "content"
        if tag in BLOCKS:
            self.text.append("")
        if tag not in VOID:
            classes = set((found.get("class") or "").split())
            is_hidden = found.get("aria-hidden") == "true" or found.get("role") == "img"
            self.open.append((tag, tag in LEFT_OUT or bool(classes & LEFT_OUT_CLASSES) or is_hidden))

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self.text.append("")
        for place in range(len(self.open) - 1, -1, -1):
            if self.open[place][0] == tag:
                del self.open[place:]
                return

    def handle_data(self, data: str) -> None:
        if not self.is_left_out:
            self.text[-1] += data


def sentences(html: str, left_out: Iterable[str] = ()) -> list[str]:
    """Return what a page says, a sentence each; a colon and a semicolon end one, too.

    Texts of `left_out` are taken out before.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    texts = list(reader.text)
    for spoilt in left_out:
        texts = [text.replace(spoilt, "") for text in texts]
    texts = [" ".join(text.split()) for text in texts]
    return [sentence for text in texts if text for sentence in END.split(text) if sentence]


def n_words(sentence: str, names: Iterable[str] = ()) -> int:
    """Count words. A name of the data's own counts as one, longest first, however long it is.

    What a statistic has in brackets, such as (p 0.003), is read beside the sentence and not counted.

    >>> n_words("Of 100 answers, 84 say 95 % of it.")
    8
    >>> n_words("A name of many words stays.", ["name of many words"])
    3
    >>> n_words("Beyond chance (p 0.003, after Holm over 7 tests 0.02).")
    2
    """
    sentence = ASIDE.sub("", sentence)
    for name in names:
        sentence = sentence.replace(name, "name")
    return len(WORD.findall(sentence))
