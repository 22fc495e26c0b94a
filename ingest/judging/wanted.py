"""Which texts judges read: the answers, some of them with their group's words exchanged."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.errors import say
from ingest.judging.ballots import pair_key
from ingest.judging.exchange import MASKED, Exchange
from ingest.keys import text_key, text_row
from ingest.measuring.prompt_pairs import PROMPT_PAIRS, pairing
from ingest.store import Store, uninterrupted
from ingest.suite import Suite
from ingest.suite.judges import SIMULATED, Judge

PAGE = 500

WANTED = """
    create or replace temp table wanted_votes (
        judge varchar not null, text_key varchar not null, first_text_key varchar not null,
        second_text_key varchar
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
# What a simulated judge leaves out.
UNREAD = """
    select count(distinct r.text_key)
    from responses as r inner join prompts as p using (prompt_key) left join configs as c using (config_key)
    where
        p.suite = $suite and r.response_status = 'ok' and list_contains($categories, p.category)
        and c.backend is distinct from 'simulated'"""
# Both orders of the neutral texts of answers to two branches, under one config. Equal texts are a tie that
# nobody is asked about. Where neutral texts are not made yet, a forecast counts the texts as they are.
PAIRED = f"""
    with neutral as (
        select
            r.prompt_key, r.config_key, r.repeat_index,
            coalesce(n.neutral_text_key, case when $is_forecast then r.text_key end) as neutral_text_key
        from responses as r
        inner join prompts as p using (prompt_key)
        left join prompt_words as w using (prompt_key)
        left join neutral_texts as n
            on r.text_key = n.text_key and w.words_key = n.words_key and n.text_variant = $variant
        left join configs as c using (config_key)
        where
            p.suite = $suite and r.response_status = 'ok' and ($reads_all or c.backend = 'simulated')
    ),
    paired as (
        select a.neutral_text_key as a, b.neutral_text_key as b
        from ({PROMPT_PAIRS}) as p
        inner join neutral as a on p.prompt_key_a = a.prompt_key
        inner join neutral as b
            on p.prompt_key_b = b.prompt_key
            and a.config_key = b.config_key and a.repeat_index = b.repeat_index
        where list_contains($categories, p.category) and a.neutral_text_key <> b.neutral_text_key
    )
    select a as first_text_key, b as second_text_key from paired
    union
    select b, a from paired"""


def list_wanted(
    store: Store, suite: Suite, suite_path: Path, chosen: tuple[str, ...] = (), *, keep: bool = True
) -> None:
    """List in the temporary table `wanted_votes` what judges shall read.

    With `keep` the texts with exchanged words are made anew and kept; else those that are there count.
    """
    judges = [judge for judge in suite.judges.values() if not chosen or judge.name in chosen]
    store.connection.execute(WANTED)
    rows: list[dict[str, Any]] = []
    pairs: list[dict[str, str]] = []
    exchange = (
        Exchange(suite, suite_path)
        if keep and any(judge.checked and not judge.compares for judge in judges)
        else None
    )
    for judge in judges:
        of = _parameters(suite, judge)
        n_unread = 0 if of["reads_all"] else _rows(store, UNREAD, of)[0][0]
        if n_unread and keep:
            say(
                f"The judge {judge.name} is simulated and reads simulated answers alone. Texts of "
                f"models or of a file without its votes: {n_unread:,}. Give it a config that asks a model.",
                err=True,
            )
        if judge.compares:
            pairs += _pairs(store, judge, {**of, **pairing(suite), "is_forecast": not keep})
            continue
        each = "select distinct $judge, text_key, text_key, null from judged where text_key is not null"
        _rows(store, f"insert into wanted_votes {JUDGED} {each}", of)
        if exchange is not None and judge.checked:
            rows += _exchanged(store, judge, exchange, of)
    if keep and judges:
        with uninterrupted(), store.transaction():
            store.append("judged_pairs", pairs)
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
        select distinct e.judge, e.exchanged_text_key, e.exchanged_text_key, null
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


def _pairs(store: Store, judge: Judge, of: dict[str, Any]) -> list[dict[str, str]]:
    """List the pairs that a judge compares; return what the key of each stands for."""
    pairs = [
        {"pair_key": pair_key(first, second), "first_text_key": first, "second_text_key": second}
        for first, second in _rows(store, PAIRED, of)
    ]
    if pairs:
        wanted = pa.Table.from_pylist(pairs)
        with store.registered("incoming_pairs", wanted):
            store.connection.execute(
                "insert into wanted_votes select ?, * from incoming_pairs",
                [judge.name],
            )
    return pairs


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
