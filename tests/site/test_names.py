"""Names on the site: many are counted; those from right to left move no numbers; identifiers are words."""

import json
import re
import subprocess
from typing import Any

from in_browser import REPORTS

from ingest.paths import PROJECT

SCRIPT = """
import { words } from './components/words/names.js';
import { partsOf } from './components/words/contrast.js';
import { briefly, isolated, letters, shortened } from './components/words/text.js';
const [name, ...values] = JSON.parse(process.argv[1]);
console.log(JSON.stringify({ briefly, isolated, letters, partsOf, shortened, words }[name](...values)));
"""


def on_the_site(name: str, *values: str | int | list[str] | dict[str, str]) -> Any:
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps([name, *values])]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_more_names_than_a_sentence_holds_are_counted():
    names = [f"model-{i} (a, b)" for i in range(12)] + ["m", "m.x"]
    for n, said in ((4, ", ".join(names[:4])), (5, "5 configs"), (14, "14 configs")):
        sentence = "No digest was recorded for {}: which weights answered cannot be proven."
        told = on_the_site("briefly", sentence.format(", ".join(names[:n])), names, "configs")
        assert told == sentence.format(said)


def test_a_name_from_right_to_left_is_set_apart():
    assert on_the_site("isolated", "איש") == "\u2068איש\u2069"
    assert on_the_site("isolated", "gpt-4o") == "gpt-4o"


def test_an_identifier_is_written_as_words():
    assert on_the_site("words", "occupation_group") == "occupation group"
    assert on_the_site("words", "response_status") == "whether an answer came"
    assert on_the_site("words", "vader_neg") == "VADER negative share"


def test_groups_are_marked_also_where_a_request_brings_an_answer():
    """Where the outcome is that an answer came, the sentence has no outcome's name."""
    row = {"group_high": "Male", "group_low": "Female", "contrast_outcome": "ok", "measure": "status"}
    told = "30 of 30 requests about Male (100 %) bring an answer; 0 of 30 about Female (0 %)."
    parts = on_the_site("partsOf", {**row, "contrast_sentence": told})
    assert [(part.get("kind"), part["text"]) for part in parts] == [
        (None, "30 of 30 requests about "), ("high", "Male"),
        (None, " (100\xa0%) bring an answer; 0 of 30 about "), ("low", "Female"), (None, " (0\xa0%)."),
    ]  # fmt: skip


def test_no_page_writes_of_answers_that_came_as_of_a_column():
    """These pages show measures of all requests beside those of answers."""
    for page in ("category/[category].md", "controls.md", "intersections.md"):
        text = (REPORTS / "pages" / page).read_text()
        assert "answered or not" not in text and "whether an answer came" in text
        bare = [line for line in text.splitlines() if "replace(outcome_set, '_', ' ')" in line]
        assert bare == [], page


def test_a_change_is_told_by_all_that_is_recorded_of_two_configs():
    columns = (PROJECT / "models" / "marts" / "differences" / "dim_treatments.yml").read_text("utf-8")
    recorded = set(re.findall(r"name: (\w+)_control,", columns)) - {"config"}
    page = (REPORTS / "components" / "pages" / "Mitigations.svelte").read_text("utf-8")
    (said,) = re.findall(r"\$: differing = (.*)", page)
    assert "role" in recorded
    assert [name for name in recorded if f"'the {name.replace('_', ' ')}" not in said] == []


def test_a_long_name_is_cut_by_its_width_and_between_whole_signs():
    assert on_the_site("shortened", "Female & Malay", 14) == "Female & Malay"
    assert on_the_site("shortened", "Female & Malay", 10) == "Female &…"
    assert on_the_site("letters", "新加坡华人") == 10
    assert on_the_site("shortened", "新加坡华人女性", 10) == "新加坡华…"
    assert on_the_site("shortened", "👩‍👩‍👧‍👦" * 3, 17) == "👩‍👩‍👧‍👦…"
