"""Names in the site's sentences: many are counted."""

import json
import subprocess

from in_browser import REPORTS

SCRIPT = """
import { briefly } from './components/words/text.js';
const [name, ...values] = JSON.parse(process.argv[1]);
console.log(JSON.stringify({ briefly }[name](...values)));
"""


def on_the_site(name: str, *values: str | list[str]) -> str:
    command = ["node", "--input-type=module", "-e", SCRIPT, json.dumps([name, *values])]
    done = subprocess.run(command, cwd=REPORTS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_more_names_than_a_sentence_holds_are_counted():
    names = [f"model-{i} (a, b)" for i in range(12)] + ["m", "m.x"]
    for n, said in ((4, ", ".join(names[:4])), (5, "5 configs"), (14, "14 configs")):
        sentence = f"No digest was recorded for {', '.join(names[:n])}: which weights answered cannot be proven."
        expected = f"No digest was recorded for {said}: which weights answered cannot be proven."
        assert on_the_site("briefly", sentence, names, "configs") == expected
