"""Frameworks of others: what a row claims of this project is there."""

import csv
import re

from ingest.paths import PROJECT
from ingest.report import PAGES


def read(seed):
    with (PROJECT / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ITEMS = read("framework_items")


def test_each_item_leads_to_a_page_and_a_mart_that_are_there():
    for row in ITEMS:
        given = [bool(row[name]) for name in ("ours", "mart", "page_url", "page_title")]
        assert given == [row["coverage"] != "none"] * 4, row
        if not row["mart"]:
            continue
        page = (PAGES / ("index.md" if row["page_url"] == "/" else f"{row['page_url'][1:]}.md")).read_text(
            "utf-8"
        )
        assert f"\ntitle: {row['page_title']}\n" in page, row
        assert list((PROJECT / "models" / "marts").rglob(f"{row['mart']}.sql")), row


def test_rows_are_counted_of_every_mart_that_an_item_names():
    model = (PROJECT / "models" / "marts" / "frameworks" / "dim_framework_items.sql").read_text("utf-8")
    listed = re.findall(r"'((?:dim|fct)_\w+)'", model.split("%}")[0])
    assert sorted(listed) == sorted({row["mart"] for row in ITEMS if row["mart"]})


def test_an_inconclusive_verdict_has_a_step_for_each_thing_that_it_may_lack():
    verdicts = (PROJECT / "models" / "marts" / "verdicts" / "fct_verdicts.yml").read_text("utf-8")
    lacks = re.search(r"lacks: \[([^\]]+)\]", verdicts)[1].split(", ")
    assert sorted(
        row["lacks"] for row in read("verdict_actions") if row["verdict"] == "inconclusive"
    ) == sorted(lacks)


def test_steps_for_what_is_lacking_come_gravest_first_as_on_the_first_page():
    script = (PROJECT / "reports" / "components" / "words" / "verdicts.js").read_text("utf-8")
    gravest_first = re.findall(r"key: '(\w+)', words", script.split("export const LACKS")[1])
    steps = sorted(read("verdict_actions"), key=lambda row: int(row["position"]))
    assert [row["lacks"] for row in steps if row["verdict"] == "inconclusive"] == gravest_first


def test_what_to_do_about_unread_answers_has_those_that_never_came():
    (action,) = (row["action"] for row in read("verdict_actions") if row["lacks"] == "coverage")
    assert "no answer came" in action
