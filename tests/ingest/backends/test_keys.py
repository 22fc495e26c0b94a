"""A server that sends the key back, in whatever spelling and wherever it can: none of it is stored."""

import base64
import html
import json
import re
from urllib.parse import unquote

import pytest
from asked import KEY, Case, said

from ingest.redaction import without_key
from ingest.store import Store


@pytest.fixture(params=["ollama", "openai"])
def case(request, tmp_path, running, monkeypatch):
    monkeypatch.setenv("TINY_KEY", KEY)
    running.reset()
    return Case(tmp_path, running, request.param)


def escapes(pattern):
    return "".join(pattern.format(ord(character)) for character in KEY)


SPELT = {
    "plain": KEY,
    "capitals": KEY.upper(),
    "percent": escapes("%{:02x}"),
    "percent twice": escapes("%25{:02X}"),
    "partly percent": KEY.replace("-", "%2D"),
    "json": escapes("\\u{:04x}"),
    "json twice": escapes("\\\\u{:04x}"),
    "python": escapes("\\x{:02x}"),
    "html": escapes("&#{};"),
    "html, hexadecimal": escapes("&#x{:x};"),
    "hexadecimal": KEY.encode().hex(),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 of more": base64.b64encode(f"Bearer {KEY}, and more".encode()).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(f"xx{KEY}???>>>".encode()).decode(),
    "backwards": KEY[::-1],
    "percent, backwards": escapes("%{:02x}")[::-1],
    "base64, backwards": base64.b64encode(KEY.encode()).decode()[::-1],
}


def reads(text):
    """Return whether somebody who tries the usual decodings finds the key in a text."""
    found, todo = set(), {text, text[::-1]}
    while todo - found:
        one = (todo - found).pop()
        found.add(one)
        if KEY in one.lower():
            return True
        if len(found) < 200:
            todo |= {unquote(one), html.unescape(one), re.sub(r"\\+(?:u00|x)(..)", unescaped, one), one[::-1]}
            for part in re.findall(r"[0-9a-fA-F]{40,}", one):
                todo.add(bytes.fromhex(part[: len(part) // 2 * 2]).decode("latin-1"))
            for part in re.findall(r"[\w+/-]{20,}", one, re.ASCII):
                for start in range(4):
                    digits = part[start:].translate(str.maketrans("-_", "+/"))
                    digits = digits[:-1] if len(digits) % 4 == 1 else digits
                    todo.add(base64.b64decode(digits + "=" * (-len(digits) % 4)).decode("latin-1"))
    return False


def unescaped(match):
    return chr(int(match[1], 16)) if re.fullmatch("[0-9a-fA-F]{2}", match[1]) else match[0]


@pytest.mark.parametrize("spelt", SPELT.values(), ids=SPELT)
def test_a_key_is_found_however_it_is_spelt(spelt):
    assert reads(f"The key is {spelt}.") and without_key("Nothing.", KEY) == "Nothing."
    said = without_key({"a": [f"The key is {spelt}.", spelt], spelt: 1, "n": [1, None, True]}, KEY)
    assert not reads(json.dumps(said)) and said["a"][0].startswith("The key is ") and "[key]" in said["a"][1]
    assert said["n"] == [1, None, True]


@pytest.mark.parametrize(("sign", "escaped"), [("/", "\\/"), ("/", "\\\\/"), ("_", "\\_"), ('"', '\\"')])
def test_a_key_is_found_where_its_signs_are_escaped(sign, escaped):
    key = f"pk{sign}live{sign}0123456789{sign}abcdef=="
    spelt = key.replace(sign, escaped)
    for one in (spelt, spelt[::-1], spelt[: spelt.index("9")]):
        assert without_key(f"The key is {one}.", key) == "The key is [key]."


def test_a_placeholder_for_a_key_hides_no_words():
    said = "None of them, none at all, has 6e6f6e65 in it."
    assert without_key({"none": said}, "none") == {"none": said}


def test_what_is_too_short_for_a_key_is_said_before_anything_is_asked(case, monkeypatch):
    monkeypatch.setenv("TINY_KEY", "none")
    case.write(key_variable="TINY_KEY")
    assert "What TINY_KEY holds is too short for a key" in said(case.ask)
    assert case.server.n_asked() == 0 and case.rows("from responses") == []


def test_no_spelling_of_a_key_is_stored(case):
    case.write(key_variable="TINY_KEY")
    with Store(case.data, read_only=True) as store:
        prompts = [prompt for (prompt,) in store.rows("select prompt from prompts order by 1")]
    rules = []
    for prompt, spelt in zip(prompts, SPELT.values(), strict=False):
        said = {"says": f"It is {spelt}.", "thinking": spelt, "message": {"reasoning_content": spelt}}
        rules.append({"match": prompt, "do": "answer", **said, "finish_reason": spelt})
    spelt = SPELT["json"]
    rules[:4] = [
        {"match": prompts[0], "do": "status", "status": 400, "body": {"error": f"bad key {spelt}"}},
        {"match": prompts[1], "do": "answer", "served": spelt},
        {"match": prompts[2], "do": "text", "text": spelt, "times": 1},
        {"match": prompts[3], "do": "answer", "fingerprint": spelt},
    ]
    # The escape of the wire, on top of the server's own, is undone before anything is looked for.
    case.server.rules(*rules)
    result = case.command()
    with Store(case.data, read_only=True) as store:
        tables = [name for (name,) in store.rows("select table_name from duckdb_tables()")]
        cells = {
            str(cell) for table in tables for row in store.rows(f"select * from {table}") for cell in row
        }
    said = [result.output, result.stderr, *(path.read_text() for path in case.data.glob("*.json*"))]
    assert any("[key]" in cell for cell in cells)
    assert [cell for cell in [*cells, *said] if reads(cell)] == []


@pytest.mark.parametrize("name", ["plain", "percent", "json", "hexadecimal", "base64", "base64 of more"])
def test_a_key_that_was_cut_off_is_not_stored_either(name):
    spelt = SPELT[name]
    cut = spelt[: len(spelt) * 9 // 10] if name != "base64 of more" else spelt[:40]
    found = without_key(f"location: {cut} is not followed", KEY)
    # Before it stands what was encoded with it, after it a part of an escape.
    assert re.fullmatch(r"location: .{0,10}\[key\].{0,5} is not followed", found), found
    # What many keys begin with is none.
    assert without_key(KEY[:8], KEY) == KEY[:8]
