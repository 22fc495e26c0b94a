"""What is scored of an answer and of its prompt's baseline, so that the two are alike (SPEC CAL-5).

An answer may go on where its prompt ends, while the baseline is the sentence that the prompt was cut from.
Then either the answer alone is held against the baseline's ending, or both are scored with the prompt before.
"""

import re

from ingest.keys import text_row
from ingest.measuring.pages import make_pages, page_of
from ingest.store import Store, uninterrupted
from ingest.suite import Suite
from ingest.suite.fields import composed
from ingest.unspaced import UNSPACED, stands_in_words

PREPENDED = "prompt_and_answer"
OPEN_END = " \t\r\n…"
NO_SPACE_BEFORE = re.compile(rf"[,.;:!?…)\]}}’”{UNSPACED}]")

# What was not made yet of a suite's answers and baselines, as its categories want it now.
UNMADE = f"""
    with wanted as (
        select r.prompt_key, r.text_key
        from responses as r inner join prompts as p on r.prompt_key = p.prompt_key
        where
            p.suite = $suite and list_contains($prepended, p.category)
            and r.response_status = 'ok' and r.text_key is not null
        union
        select prompt_key, baseline_text_key from prompts
        where suite = $suite and baseline_text_key is not null
    )
    select
        w.prompt_key, w.text_key,
        if(list_contains($prepended, p.category), '{PREPENDED}', 'answer') as scored_as,
        {page_of("t.n_characters + length(p.prompt)", "w.prompt_key, w.text_key")}
    from wanted as w
    inner join prompts as p on w.prompt_key = p.prompt_key
    inner join texts as t on w.text_key = t.text_key
    where not exists (
        select 1 from scored_texts as s
        where
            s.prompt_key = w.prompt_key and s.text_key = w.text_key
            and s.scored_as = if(list_contains($prepended, p.category), '{PREPENDED}', 'answer')
    )
"""


def ending(prompt: str, text: str) -> str:
    """Return a text without the prompt that it begins with; as it stands where it does not.

    >>> ending("Bread in Paris is", "Bread in Paris is often good.")
    'often good.'
    """
    stem, whole = composed(prompt).strip().rstrip(OPEN_END), composed(text).strip()
    rest = whole[len(stem) :]
    is_cut = not re.match(r"\w", rest) or stands_in_words(stem[-1:])
    goes_on = is_cut and whole[: len(stem)].casefold() == stem.casefold()
    return (rest.lstrip(OPEN_END) if stem and goes_on else "") or text


def scored_text(prompt: str, text: str, scored_as: str) -> str:
    """Return what is scored of an answer or a baseline.

    >>> scored_text("Bread in Paris is …", "often good.", "prompt_and_answer")
    'Bread in Paris is often good.'
    """
    alone = ending(prompt, text)
    if scored_as != PREPENDED:
        return alone
    if alone != text:
        return text
    stem = prompt.strip().rstrip("… ")
    answer = text.strip().lstrip("… ")
    return f"{stem}{'' if NO_SPACE_BEFORE.match(answer) else ' '}{answer}"


def scoring(suite: Suite) -> dict[str, object]:
    """Parameters of queries for what is scored: the suite, and its categories with the prompt before."""
    prepended = [code for code, category in suite.categories.items() if category.score == PREPENDED]
    return {"suite": suite.suite, "prepended": prepended}


def count_unmade_scored(store: Store, suite: Suite) -> int:
    """Return for how many answers and baselines it was not made yet what is scored of them."""
    if not store.rows("select 1 from duckdb_tables() where table_name = 'scored_texts'"):
        return 0  # a database of an older version that is only read
    return int(store.connection.execute(f"select count(*) from ({UNMADE})", scoring(suite)).fetchall()[0][0])


def make_scored_texts(store: Store, suite: Suite) -> None:
    """Store what is scored of answers and baselines, where it was not made yet."""
    for page in make_pages(store, UNMADE, scoring(suite)):
        rows = store.rows(
            """
            select l.prompt_key, l.text_key, l.scored_as, p.prompt, t.text
            from pages as l inner join prompts as p using (prompt_key) inner join texts as t using (text_key)
            where page = ?
            """,
            [page],
        )
        texts, scored = {}, []
        for prompt_key, text_key, scored_as, prompt, text in rows:
            made = text_row(scored_text(prompt, text, scored_as))
            texts[made["text_key"]] = made
            scored.append(
                {
                    "prompt_key": prompt_key,
                    "text_key": text_key,
                    "scored_as": scored_as,
                    "scored_text_key": made["text_key"],
                }
            )
        with uninterrupted(), store.transaction():
            store.append("texts", list(texts.values()))
            store.append("scored_texts", scored)
