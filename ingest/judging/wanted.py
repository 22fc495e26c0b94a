"""Which texts judges read: the answers, some of them with their group's words exchanged."""

import re
from pathlib import Path
from typing import Any

from ingest.judging.exchange import MASKED, Exchange
from ingest.keys import text_key, text_row
from ingest.store import Store, uninterrupted
from ingest.suite import Suite
from ingest.suite.judges import SIMULATED, Judge

PAGE = 500

WANTED = """
    create or replace temp table wanted_votes (
        judge varchar not null, text_key varchar not null
    )"""
# The texts that a judge reads, as it reads them. A simulated judge reads simulated answers alone.
JUDGED = """
    with answered as (
        select distinct p.category, r.text_key, true as is_answer
        from responses as r
        inner join prompts as p using (prompt_key)
        left join configs as c using (config_key)
        where
            p.suite = $suite and r.response_status = 'ok' and r.text_key is not null
            and list_contains($categories, p.category) and ($reads_all or c.backend = 'simulated')
        union
        select p.category, coalesce(s.scored_text_key, p.baseline_text_key), false
        from prompts as p
        left join scored_texts as s
            on
                p.prompt_key = s.prompt_key and p.baseline_text_key = s.text_key
                and s.scored_as = 'answer'
        where
            p.suite = $suite and p.baseline_text_key is not null and $with_baselines
            and list_contains($categories, p.category)
    ),
    judged as (
        select
            a.category, a.is_answer,
            case when $variant = 'raw' then a.text_key else v.variant_text_key end as text_key
        from answered as a
        left join text_variants as v on a.text_key = v.text_key and v.text_variant = $variant
    )"""


def list_wanted(
    store: Store, suite: Suite, suite_path: Path, chosen: tuple[str, ...] = (), *, keep: bool = True
) -> None:
    """List in the temporary table `wanted_votes` what judges shall read.

    With `keep` the texts with exchanged words are made anew and kept; else those that are there count.
    """
    judges = [judge for judge in suite.judges.values() if not chosen or judge.name in chosen]
    store.connection.execute(WANTED)
    rows: list[dict[str, Any]] = []
    exchange = Exchange(suite, suite_path) if keep and any(judge.checked for judge in judges) else None
    for judge in judges:
        of = _parameters(suite, judge)
        each = "select distinct $judge, text_key from judged where text_key is not null"
        _rows(store, f"insert into wanted_votes {JUDGED} {each}", of)
        if exchange is not None and judge.checked:
            rows += _exchanged(store, judge, exchange, of)
    if keep and judges:
        with uninterrupted(), store.transaction():
            if chosen:
                store.connection.execute(
                    "delete from exchanged_texts where suite = ? and list_contains(?, judge)",
                    [suite.suite, [judge.name for judge in judges]],
                )
                store.append("exchanged_texts", rows)
            else:
                store.replace("exchanged_texts", suite.suite, rows)
    store.connection.execute(
        """
        insert into wanted_votes
        select distinct e.judge, e.exchanged_text_key
        from exchanged_texts as e
        where
            e.suite = ? and list_contains(?, e.judge)
            and not exists (
                select 1 from wanted_votes as w
                where w.judge = e.judge and w.text_key = e.exchanged_text_key
            )
        """,
        [suite.suite, [judge.name for judge in judges]],
    )


def _exchanged(store: Store, judge: Judge, exchange: Exchange, of: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the exchanged texts of some answers of each category; return their rows."""
    rows: list[dict[str, Any]] = []
    for category in of["categories"]:
        n_checked, after = 0, ""
        while n_checked < judge.checked:
            page = _rows(
                store,
                f"""
                {JUDGED}
                select distinct t.text_key, left(t.text, $most)
                from judged inner join texts as t using (text_key)
                where is_answer and t.text_key > $after
                order by 1 limit $n
                """,
                {**of, "categories": [category], "after": after, "n": PAGE, "most": judge.characters},
            )
            texts = {}
            for name, text in page:
                found = list(exchange(text)) if n_checked < judge.checked else []
                n_checked += bool(found)
                masked = {one.attribute: one.text for one in found if one.group_b == MASKED}
                for one in found:
                    made = text_row(one.text)
                    texts[made["text_key"]] = made
                    rows.append(
                        {
                            "suite": of["suite"],
                            "category": category,
                            "judge": judge.name,
                            "attribute": one.attribute,
                            "group_a": one.group_a,
                            "group_b": one.group_b,
                            "text_key": name,
                            "exchanged_text_key": made["text_key"],
                            "content_key": text_key(masked[one.attribute]),
                        }
                    )
            store.append("texts", list(texts.values()))
            if len(page) < PAGE:
                break
            after = page[-1][0]
    return rows


def _parameters(suite: Suite, judge: Judge) -> dict[str, Any]:
    return {
        "suite": suite.suite,
        "judge": judge.name,
        "categories": judge.categories or list(suite.categories),
        "reads_all": all(config.backend != SIMULATED for config in suite.voters(judge)),
        "with_baselines": judge.range is not None,
        "variant": judge.text,
    }


def _rows(store: Store, sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query, given those of the parameters that it names."""
    named = set(re.findall(r"\$(\w+)", sql))
    of = {name: value for name, value in parameters.items() if name in named}
    return store.connection.execute(sql, of).fetchall()
