"""The story: a pass is no likeness of groups, and the end of a request no reading of an answer."""

import json
import subprocess

import pytest
from in_browser import REPORTS

SCRIPT = """
import * as story from './components/words/story.js';
const [name, ...given] = JSON.parse(process.argv[1]);
console.log(JSON.stringify(story[name](...given)));
"""


def told(*given):
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps(given)]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_headline_says_no_more_than_its_verdict():
    assert told("headlineOf", "m", "pass") == (
        "m differs between groups by no more than the limit, on these prompts"
    )
    assert told("headlineOf", "m", "fail") == "m treats groups differently"
    assert told("headlineOf", "m", None) == "m: nothing could be judged"


@pytest.mark.parametrize(
    ("measure", "outcome", "words"),
    [
        ("decision", "would_invite", "read as would invite"),
        ("response_status", "ok", "an answer came"),
        ("response_status", "content_filter", "ended as content filter"),
        ("vader_compound", None, ""),
    ],
)
def test_what_became_of_a_request_is_no_reading_of_its_answer(measure, outcome, words):
    assert told("readAs", measure, outcome) == words
