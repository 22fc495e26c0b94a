"""A file that should not have been loaded: what it brought is taken back, whole or not at all."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.errors import PlumblineError, shown
from ingest.loading.measurements import METHOD as MEASURED
from ingest.loading.responses import METHOD as LOADED
from ingest.loading.tally import BACKEND, Source
from ingest.store import Store
from ingest.suite import Suite

# Rows beside an answer, beside a prompt, and of a load.
OF_AN_ANSWER = ("labels", "ready_measurements", "superseded_responses", "responses")
OF_A_PROMPT = ("prompt_flags", "prompt_words", "scored_texts", "prompts")
OF_A_LOAD = ("rejects", "loads")
# What stands of a suite that nothing was brought in for, and what else would have been.
OF_A_SUITE = ("suites", "ground_truth_figures", "suite_clusterings")
BROUGHT_IN = ("loads", "prompts", "documents", "writings")
OTHERS = "load the right files into another folder (`plumbline --data DIR …`)."

# What goes: the loads of a content, the answers that they brought, and prompts that nobody else answered.
# Loads of older versions do not say what they changed of others.
GOING = (
    # Files of one name are told apart by their content.
    """
    create or replace temp table named_loads as
    select
        * replace (
            case
                when min(file_sha256) over (partition by source_file)
                    = max(file_sha256) over (partition by source_file)
                    then source_file
                else source_file || ' (SHA-256 ' || left(file_sha256, 12) || '…)'
            end as source_file
        )
    from loads
    where suite = $suite
    """,
    """
    create or replace temp table going_loads as
    select
        loads.*,
        runs.started_at,
        cast(json_extract_string(runs.detail, '$.n_answers_changed') as bigint) as n_answers_changed,
        cast(json_extract_string(runs.detail, '$.n_prompts_changed') as bigint) as n_prompts_changed,
        (select count(*) from responses where responses.run_id = loads.run_id) as n_brought
    from loads
    inner join runs on loads.run_id = runs.run_id
    where loads.suite = $suite and loads.file_sha256 = $sha
    """,
    """
    create or replace temp table going_answers as
    select responses.response_key, responses.prompt_key, going_loads.started_at
    from responses
    inner join going_loads on responses.run_id = going_loads.run_id
    """,
    """
    create or replace temp table shared_prompts as
    select
        going.prompt_key,
        min(going.started_at) < any_value(others.started_at) as was_first,
        (select max(coalesce(n_prompts_changed, 1)) > 0 from going_loads) as may_have_changed,
        prompts.baseline_text_key is not null as has_baseline
    from going_answers as going
    inner join prompts on going.prompt_key = prompts.prompt_key
    inner join (
        select responses.prompt_key, min(runs.started_at) as started_at
        from responses
        inner join runs on responses.run_id = runs.run_id
        where responses.response_key not in (select response_key from going_answers)
        group by responses.prompt_key
    ) as others on going.prompt_key = others.prompt_key
    where prompts.suite = $suite and prompts.method = $loaded
    group by all
    """,
    """
    create or replace temp table going_prompts as
    select prompt_key
    from prompts
    where
        suite = $suite
        and method in ($loaded, $measured)
        and prompt_key in (select prompt_key from going_answers)
        and prompt_key not in (
            select prompt_key
            from responses
            where response_key not in (select response_key from going_answers)
        )
    """,
)
# Answers of other files in which a load changed something. Where it does not say how many, all may be that
# were there and no earlier load of the same content had brought.
OF_OTHERS = """
    select max(coalesce(n_answers_changed, n_already_there + n_loaded - n_brought - n_before))
    from (
        select
            *,
            coalesce(sum(n_loaded) over (
                order by started_at rows between unbounded preceding and 1 preceding
            ), 0) as n_before
        from going_loads
    )
    where exists (
        select 1
        from responses
        inner join prompts using (prompt_key)
        inner join runs on responses.run_id = runs.run_id
        where
            prompts.suite = ?
            and responses.run_id not in (select run_id from going_loads)
            and runs.started_at < (select max(started_at) from going_loads)
    )
"""
LABELLED = """
    select count(*)
    from going_answers
    where
        response_key in (select response_key from labels where annotator <> 'data')
        or response_key in (select response_key from label_samples)
"""
# A file that was there itself when it was loaded again is none of them.
HELD_THEM_TOO = """
    with known as (
        select
            loads.*,
            runs.started_at,
            coalesce(sum(loads.n_loaded) over (
                partition by loads.file_sha256
                order by runs.started_at rows between unbounded preceding and 1 preceding
            ), 0) as n_before,
            (select count(*) from responses where responses.run_id = loads.run_id) as n_brought
        from named_loads as loads
        inner join runs on loads.run_id = runs.run_id
        where loads.suite = ?
    )

    select distinct source_file
    from known
    where
        (
            n_already_there > n_before
            or n_loaded > n_brought
            or run_id in (select run_id from rejects where reason = 'duplicate_key')
        )
        and run_id not in (select run_id from going_loads)
        and started_at > (select min(started_at) from going_loads)
    order by source_file
"""
OTHER_NAMES = "select distinct source_file from going_loads where source_file <> ? order by source_file"
# A baseline goes with a file that set it first or anew; who else gave it is not known.
BASELINES = "select prompt_key from shared_prompts where has_baseline and (was_first or may_have_changed)"
SHARE_PROMPTS = f"""
    select distinct loads.source_file
    from responses
    inner join named_loads as loads on responses.run_id = loads.run_id
    inner join runs on loads.run_id = runs.run_id
    inner join shared_prompts on responses.prompt_key = shared_prompts.prompt_key
    where
        loads.run_id not in (select run_id from going_loads)
        and (
            responses.prompt_key in ({BASELINES})
            or (may_have_changed and runs.started_at < (select max(started_at) from going_loads))
        )
    order by loads.source_file
"""
# What is loaded again has the last word, also where a later file had it. Older loads do not say.
SPOKE_LATER = """
    select distinct loads.source_file
    from named_loads as loads
    inner join runs on loads.run_id = runs.run_id
    where
        loads.suite = $1
        and loads.run_id not in (select run_id from going_loads)
        and not list_contains($2, loads.source_file)
        and (
            loads.n_already_there > 0
            or coalesce(cast(json_extract_string(runs.detail, '$.n_answers_changed') as bigint), 1) > 0
            or coalesce(cast(json_extract_string(runs.detail, '$.n_prompts_changed') as bigint), 1) > 0
        )
        and runs.started_at > (
            select min(last_load)
            from (
                select max(runs.started_at) as last_load
                from named_loads as loads
                inner join runs on loads.run_id = runs.run_id
                where loads.suite = $1 and list_contains($2, loads.source_file)
                group by loads.source_file
            )
        )
    order by loads.source_file
"""
IN_ORDER = """
    select loads.source_file
    from named_loads as loads
    inner join runs on loads.run_id = runs.run_id
    where
        loads.suite = $1
        and loads.run_id not in (select run_id from going_loads)
        and list_contains($2, loads.source_file)
    group by loads.source_file
    order by max(runs.started_at)
"""


@dataclass(frozen=True)
class TakenBack:
    """What goes with a file, and other files that are to be loaded again."""

    source_file: str
    n_answers: int
    n_prompts: int
    n_rejected: int
    again: tuple[str, ...]
    shared: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    in_order: tuple[str, ...] = ()
    n_baselines: int = 0
    names: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield (
            f"{self.source_file}: {self.n_answers:,} answers, {self.n_prompts:,} prompts and "
            f"{self.n_rejected:,} rejected records taken back"
        )
        if self.names:
            yield f"  the same content was loaded as {', '.join(self.names)}, too"
        if self.again:
            yield f"  may have held some of these answers, too: load again {', '.join(self.again)}"
        if self.shared:
            said = "answers the same prompts, of which roots and baselines may be this file's"
            yield f"  {said}: load again {', '.join(self.shared)}"
        if self.later:
            yield f"  may have changed later what those say: load again {', '.join(self.later)}"
        if len(self.in_order) > 1:
            yield f"  load these in this order: {', '.join(self.in_order)}"
        if self.n_baselines:
            yield f"  prompts that stay, without a baseline until then: {self.n_baselines:,}"


def find_what_goes(store: Store, suite: Suite, source: Source) -> TakenBack:
    """Put into temporary tables what all loads of this content brought to a suite.

    Raises PlumblineError where the content was not loaded, where it spoke of answers that another file had
    brought (what it changed in those is not kept apart), or where people were given its answers to read.
    """
    file = shown(source.path)
    named = {"suite": suite.suite, "sha": source.file_sha256, "loaded": LOADED, "measured": MEASURED}
    for sql in GOING:
        store.connection.execute(sql, {name: value for name, value in named.items() if f"${name}" in sql})
    if not store.value("select count(*) from going_loads"):
        raise PlumblineError(
            f"{file}, as it is now, was not loaded into the suite {suite.suite}.",
            "A file is known by its content: name the very file that was loaded.",
        )
    if (n := store.value(OF_OTHERS, [suite.suite]) or 0) > 0:
        raise PlumblineError(
            f"{file} spoke of {n:,} answers of another file, too; what it changed in those is not known.",
            f"Take back the files before it, then it, and load those again; or {OTHERS}",
        )
    if n := store.value(LABELLED):
        raise PlumblineError(
            f"People were given {n:,} answers of {file} to read; their work would be lost.",
            f"So {OTHERS}",
        )
    counts = (
        "select count(*) from going_answers",
        "select count(*) from going_prompts",
        "select count(*) from rejects where run_id in (select run_id from going_loads)",
    )
    n_answers, n_prompts, n_rejected = map(store.value, counts)
    again = [file for (file,) in store.rows(HELD_THEM_TOO, [suite.suite])]
    shared = [file for (file,) in store.rows(SHARE_PROMPTS)]
    later = [file for (file,) in store.rows(SPOKE_LATER, [suite.suite, [*again, *shared, ""]])]
    to_load = [*again, *shared, *later, ""]  # "": a list without a member has no type
    return TakenBack(
        source.source_file,
        n_answers,
        n_prompts,
        n_rejected,
        again=tuple(again),
        shared=tuple(shared),
        later=tuple(later),
        in_order=tuple(file for (file,) in store.rows(IN_ORDER, [suite.suite, to_load])),
        n_baselines=store.value(f"select count(*) from ({BASELINES})"),
        names=tuple(file for (file,) in store.rows(OTHER_NAMES, [source.source_file])),
    )


def take_back(store: Store, suite: Suite) -> None:
    """Delete what `find_what_goes` found, recorded configs without an answer, and a suite without anything.

    The caller holds the transaction. Measurements stay: they are of texts, whoever says them.
    """
    for tables, column, going in (
        (OF_AN_ANSWER, "response_key", "going_answers"),
        (OF_A_PROMPT, "prompt_key", "going_prompts"),
        (OF_A_LOAD, "run_id", "going_loads"),
    ):
        for table in tables:
            store.connection.execute(f"delete from {table} where {column} in (select {column} from {going})")
    store.connection.execute(
        f"""
        update prompts
        set baseline_text_key = null, baseline_kind = null
        where prompt_key in ({BASELINES})
        """
    )
    for side in ("prompt_key_a", "prompt_key_b"):
        store.connection.execute(
            f"delete from prompt_pairs where {side} in (select prompt_key from going_prompts)"
        )
    store.connection.execute(
        "delete from configs where backend = ? and config_key not in (select config_key from responses)",
        [BACKEND],
    )
    there = " union all ".join(f"select suite from {table}" for table in BROUGHT_IN)
    for table in OF_A_SUITE:
        store.connection.execute(
            f"delete from {table} where suite = $suite and $suite not in (select suite from ({there}))",
            {"suite": suite.suite},
        )
