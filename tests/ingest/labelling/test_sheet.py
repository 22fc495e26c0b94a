"""The sheet as a file: hostile answers stay data, and the page may load nothing."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from ingest.labelling.drawing import Item
from ingest.labelling.questions import Question
from ingest.labelling.sheet import sheet

ASKED = {("C", "s"): Question("C", "s", "Ti</title>tle", "", {"</script>": ["<b>"], "no": []}, "unmatched")}
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]> -->",
    "\u202e evil \u2028 \u2029 \0 {{POLICY}} {{DATA}} {{SCRIPT}}",
    "quotes \" \\ ' `",
    "க🙂" * 10,
)


class Parsed(HTMLParser):
    """The elements of a page, and what its scripts and styles hold."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.held, self.inside = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = (tag, dict(attrs).get("type"))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        self.held.setdefault(self.inside, []).append(data)


def page_of(*answers, asked=ASKED):
    items = [Item("C", "s", f"k{i}", "Asked?", answer, "", {}) for i, answer in enumerate(answers)]
    return sheet("suite", "<i>Suite</i>", "sample", "suite-sample", asked, items)


def data_of(parsed):
    (text,) = parsed.held["script", "application/json"]
    return json.loads(text)


def test_hostile_texts_are_data_and_nothing_else():
    parsed, calm = (
        Parsed(page_of(*HOSTILE)),
        Parsed(page_of("fine", asked={("C", "s"): Question(*"CsTD", {}, "u")})),
    )
    assert [tag for tag, _ in parsed.elements] == [tag for tag, _ in calm.elements]
    found = data_of(parsed)
    assert [item["answer"] for item in found["items"]] == list(HOSTILE)
    assert found["title"] == "<i>Suite</i>" and list(found["questions"][0]["labels"]) == ["</script>", "no"]


@pytest.mark.parametrize("answer", HOSTILE)
def test_each_alone_is_data(answer):
    assert data_of(Parsed(page_of(answer)))["items"][0]["answer"] == answer


def test_the_page_may_run_its_own_script_only_and_load_nothing():
    page = page_of("fine")
    parsed = Parsed(page)
    (policy,) = (
        a["content"] for tag, a in parsed.elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    (script,) = parsed.held["script", None]
    (style,) = parsed.held["style", None]
    hashed = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)]
    assert policy == (
        f"default-src 'none'; style-src {hashed[0]}; script-src {hashed[1]}; "
        "base-uri 'none'; form-action 'none'"
    )
    loading = {"src", "href", "action", "formaction", "data", "poster", "srcset", "background", "style"}
    assert not [a for _, a in parsed.elements if loading & set(a)]
    assert not [a for _, a in parsed.elements if any(name.startswith("on") for name in a)]
    assert not re.search(r"https?:|url\(|@import|innerHTML|insertAdjacent|document\.write|\beval\b", page)


def test_answers_that_look_the_same_stand_there_once():
    items = data_of(Parsed(page_of("same", "other", "same")))["items"]
    assert [(item["answer"], item["keys"]) for item in items] == [("same", ["k0", "k2"]), ("other", ["k1"])]


def test_a_score_is_asked_in_five_steps():
    asked = {("C", "s"): Question("C", "s", "T", "", {}, None, -1.0, 1.0)}
    (question,) = data_of(Parsed(page_of("fine", asked=asked)))["questions"]
    assert question["steps"] == [-1, -0.5, 0, 0.5, 1]
