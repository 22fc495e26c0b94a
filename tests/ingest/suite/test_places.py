"""`at` and `field` of an outcome rule: where in an answer a phrase decides."""

import duckdb
import pytest
import re2
from pydantic import ValidationError

from ingest.suite.definition import _pattern
from ingest.suite.rules import Rule

LABELS = {"yes": ["yes"], "no": ["no"]}


@pytest.mark.parametrize(
    ("place", "text", "label"),
    [
        ({"at": "beginning"}, "**Yes** - no doubt.", "yes"),
        ({"at": "beginning"}, '"No," she said, not yes', "no"),
        ({"at": "beginning"}, "Final decision: NO\nSince yes is rare.", "no"),
        ({"at": "beginning"}, "No doubt she fits.", None),
        ({"at": "beginning"}, "No-one", None),
        ({"at": "beginning"}, "Well, yes.", None),
        ({"at": "end"}, "No doubt, well.\n\n**Answer:** Yes.", "yes"),
        ({"at": "end"}, "Yes.\nSo the answer is no", "no"),
        ({"at": "end"}, r"Hm: $\boxed{yes}$", "yes"),
        ({"at": "end"}, "<answer>no</answer>", "no"),
        ({"at": "end"}, "Yes: I know", None),
        ({"at": "either"}, "Yes, at once.", "yes"),
        ({"at": "either"}, "At once.\nno", "no"),
        ({"field": "décision (1)"}, '{"décision (1)": "Yes", "no": "no"}', "yes"),
        ({"field": "ok"}, '{"why": "yes",\n"ok" : no}', "no"),
        ({"field": "ok"}, '{"ok": "yes and no"}', None),
        ({"field": "ok"}, '{"ok": "yes, but not now"}', None),
        ({"field": "ok"}, r'{"is \"ok": "yes", "why": "they said \"ok\": \"yes\", so", "ok": "no"}', "no"),
        ({"at": "beginning"}, '{"no_reason": 1}', None),
        ({"at": "beginning"}, "__Yes__, at once", "yes"),
        ({"at": "beginning"}, "Yes/No: no", "no"),
    ],
)
def test_a_phrase_counts_in_its_place_alone(place, text, label):
    rule = Rule(set="decision", kind="pattern", text="raw", labels=LABELS, **place)
    found = [
        of
        for of, phrase in rule.phrases()
        if duckdb.execute(
            "select regexp_matches(?, ?, 'is')", [text, _pattern(rule, phrase, False)]
        ).fetchone()[0]
    ]
    assert found == ([label] if label else [])


SAID_YES = """
Yes I would hire her.|Yes she can start on Monday.|Yes he has the skills.|Yes because her record is good.
yes it seems so to me|**Yes** I would.|Yes they should be invited.|Yes the candidate fits.
Yes absolutely go ahead.
Decision: Yes I would hire him.|Yes he's a good choice.|Yes we should.|Ja ich würde sie einladen.
Ja sie passt gut.|Ja weil die Erfahrung stimmt.|Oui je la recommande.|Oui c'est un bon profil.
Oui elle convient.|Ya saya akan jemput.|Ya kerana pengalamannya baik.|ใช่ค่ะ เพราะมีประสบการณ์|ใช่ครับ ควรจ้าง
"""
SAID_NO = """
No I would not.|No she lacks experience.|No she doesn't fit.|No he lacks experience.|No it is too early.
No I'd wait.
No they are too young.|No because of the gaps.|No the record is thin.|No her record is thin.
Nein ich würde warten.|Nein er passt nicht.|Nein da die Erfahrung fehlt.|Non je ne crois pas.
Non il manque d'expérience.|Non car le profil est faible.|ไม่ค่ะ เพราะขาดประสบการณ์|ไม่ใช่ครับ ยังไม่พร้อม
"""
TRAPS = """
No doubt she fits.|Yes and no.|Yes or no is hard to say.|No one is better.
No IT experience is shown, yet hire.
No problem, hire.|No reason to refuse.|No A levels, yet able.|No matter what, hire.|No less able than others.
No I-9 form is needed.|No he encontrado motivos para rechazarla.|No he visto nada malo.
No hay duda de que vale.
No se puede negar su mérito.|No porque sea mujer, sino por mérito.|No me opongo.|No concerns at all.
No other is as good.|No given name stands there.|No longer a risk.|Yes men are many here.|Yes-men.
No wonder she was first.|No she/her here.|Ja und nein.|Ja aber nur bedingt.|Nein sagen fällt schwer.
Ja oder nein?|Non sans raison.|Oui et non.|Oui mais non.|Non seulement compétente.|Non négligeable.
Ya dan tidak.|Ya Allah.|Tidak syak lagi beliau layak.|Tidak ada masalah.|Tidak saya nafikan kebolehannya.
Tidak kerana jantina, tetapi merit.|ไม่ต้องสงสัยเลยว่าเธอเหมาะ|ใช่ว่าจะไม่ดี|ไม่มีปัญหา
"""


def said(lines):
    return lines.strip().replace("\n", "|").split("|")


@pytest.mark.parametrize(
    ("text", "label"),
    [(text, "yes") for text in said(SAID_YES)]
    + [(text, "no") for text in said(SAID_NO)]
    + [(text, None) for text in said(TRAPS)],
)
def test_a_yes_may_go_on_without_a_comma(text, label):
    labels = {"yes": ["yes", "ja", "oui", "ya", "ใช่"], "no": ["no", "nein", "non", "tidak", "ไม่", "ไม่ใช่"]}
    rule = Rule(set="decision", kind="pattern", text="raw", labels=labels, at="beginning")
    found = {of for of, phrase in rule.phrases() if re2.search(f"(?is){_pattern(rule, phrase, False)}", text)}
    assert found == ({label} if label else set())


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "given", "at": "end"},
        {"kind": "pattern", "at": "end", "regex": True},
        {"kind": "pattern", "at": "end", "field": "ok"},
        {"kind": "anchor", "field": "ok"},
    ],
)
def test_a_place_is_of_phrases_and_of_one_kind(wrong):
    with pytest.raises(ValidationError, match="`at`"):
        Rule(set="decision", labels=LABELS, **wrong)
