"""A file that is read otherwise than before: no record counts twice, and what is no key is mended."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError
from ingest.loading.files import shown
from ingest.loading.tally import Load

# What a suite says of a prompt and is no part of its key.
READ_OF_A_PROMPT = ("domain", "keyword", "language", "root_key", "block_key", "shown_by")


def keep_statuses(load: Load[Any]) -> int:
    """Take records for there already whose words are stored, under the status that an earlier rule gave them.

    Of another file than theirs, only where the text alone decides the status: there, a status that the file
    says is news. Returns how many.
    """
    n: int = load.execute(
        """
        update decided
        set decision = 'already_there'
        from (
            select staged.source_row
            from decided as refused
            inner join staged_responses as staged on refused.source_row = staged.source_row
            inner join responses as stored on staged.response_key = stored.response_key
            where
                refused.decision = 'duplicate_key'
                and (
                    stored.text_key in (staged.said_key, staged.whole_key)
                    or (stored.text_key is null and contains(staged.text, stored.error))
                    or (
                        stored.text_key is null
                        and staged.text_key is null
                        and (
                            stored.response_status = staged.response_status
                            or stored.error is not distinct from staged.error
                        )
                    )
                )
                and (
                    (
                        stored.source_row = staged.source_row
                        and stored.run_id in (
                            select run_id from loads where suite = $suite and file_sha256 = $sha
                        )
                    )
                    or (staged.is_told_by_text and stored.text_key in (staged.said_key, staged.whole_key))
                )
        ) as kept
        where decided.source_row = kept.source_row
        """,
        {"suite": load.suite.suite, "sha": load.source.file_sha256},
    ).fetchall()[0][0]
    return n


def count_withdrawn(load: Load[Any]) -> int:
    """Count answers of other contents of this name that have answers in common with this one."""
    n: int = load.execute(
        """
        with earlier as (
            select response_key, run_id
            from responses
            where run_id in (
                select run_id from loads
                where suite = $suite and source_file = $file and file_sha256 <> $sha
            )
        ),

        staged as (
            select response_key from staged_responses
        )

        select count(*)
        from earlier
        anti join staged using (response_key)
        where run_id in (select run_id from earlier semi join staged using (response_key))
        """,
        {
            "suite": load.suite.suite,
            "file": load.source.source_file,
            "sha": load.source.file_sha256,
        },
    ).fetchall()[0][0]
    return n


def refuse_second_reading(load: Load[Any]) -> None:
    """Raise where records of this very content are stored under other keys: they would count twice.

    So it is where the suite has changed what makes a key since: a model, a category, a group, a prompt.
    """
    n, first = load.execute(
        """
        select
            count(*),
            min(decided.source_row)
        from decided
        inner join responses
            on
                decided.source_row = responses.source_row
                and decided.response_key <> responses.response_key
        where
            decided.decision = 'loaded'
            and responses.run_id in (select run_id from loads where suite = $suite and file_sha256 = $sha)
        """,
        {"suite": load.suite.suite, "sha": load.source.file_sha256},
    ).fetchall()[0]
    _refuse(load, n, first, "Take it back first: the same command with --forget")


def refuse_other_groups(load: Load[Any], method: str) -> None:
    """Raise where an answer is stored without an attribute that is new, or with a value that is gone.

    A file that got a column since is another file, and its records are the same answers. `method` is that of
    loaded prompts.
    """
    if not _has_prompts(load, method):
        return
    declared = [f"{a}={value}" for a, values in load.suite.attributes.items() for value in values]
    n, first = load.execute(
        """
        with stored as (
            select * from prompts
            where suite = $suite and method = $method
        ),

        known as (
            select coalesce(list(distinct named.name), []) as names
            from (select unnest(map_keys(attributes)) as name from stored) as named
        ),

        places as (
            select distinct
                prompt_key,
                category,
                prompt,
                not list_has_all(known.names, map_keys(attributes)) as has_new_attribute
            from staged_prompts, known
        )

        select
            count(distinct staged.source_row),
            min(staged.source_row)
        from decided
        inner join staged_responses as staged on decided.source_row = staged.source_row
        inner join places on staged.prompt_key = places.prompt_key
        inner join stored
            on
                places.category = stored.category
                and places.prompt = stored.prompt
                and places.prompt_key <> stored.prompt_key
        inner join responses
            on
                stored.prompt_key = responses.prompt_key
                and staged.config_key = responses.config_key
                and staged.repeat_index = responses.repeat_index
                and (
                    responses.text_key in (staged.said_key, staged.whole_key)
                    or (
                        responses.text_key is null
                        and staged.text_key is null
                        and staged.response_status = responses.response_status
                    )
                )
        where
            decided.decision = 'loaded'
            and (
                places.has_new_attribute
                or not list_has_all(
                    $declared,
                    list_transform(map_entries(stored.attributes), one -> one.key || '=' || one.value)
                )
            )
        """,
        {"suite": load.suite.suite, "method": method, "declared": declared},
    ).fetchall()[0]
    _refuse(load, n, first, "Take back the file that brought them (`plumbline load FILE --forget`)")


def find_prompts_read_anew(load: Load[Any], method: str) -> int:
    """Keep, in `read_anew`, stored prompts that the suite reads otherwise: their root, block, what they show.

    Returns how many.
    """
    if not _has_prompts(load, method):
        return 0
    load.execute(
        f"""
        create or replace temp table read_anew as
        select
            read_now.prompt_key,
            {", ".join(f"read_now.{c}" for c in READ_OF_A_PROMPT)}
        from staged_prompts as read_now
        inner join prompts on read_now.prompt_key = prompts.prompt_key
        where
            prompts.method = $method
            and read_now.rowid in (select min(rowid) from staged_prompts group by prompt_key)
            and ({_differ(READ_OF_A_PROMPT)})
        """,
        {"method": method},
    )
    n: int = load.store.value("select count(*) from read_anew")
    return n


def mend_prompts(load: Load[Any], read: str, columns: Sequence[str] = READ_OF_A_PROMPT) -> None:
    """Have stored prompts say what the table `read` says of them in these columns."""
    load.execute(
        f"""
        update prompts
        set {", ".join(f"{c} = read_now.{c}" for c in columns)}
        from {read} as read_now
        where prompts.prompt_key = read_now.prompt_key and ({_differ(columns)})
        """
    )


def _differ(columns: Sequence[str]) -> str:
    return " or ".join(f"prompts.{c} is distinct from read_now.{c}" for c in columns)


def _has_prompts(load: Load[Any], method: str) -> bool:
    there = "select count(*) from (from prompts where suite = ? and method = ? limit 1)"
    return bool(load.store.value(there, [load.suite.suite, method]))


def _refuse(load: Load[Any], n: int, first: int | None, what_to_do: str) -> None:
    if n:
        file = shown(Path(load.source.source_file))
        raise PlumblineError(
            f"{file}: {n:,} records, the first of them record {first:,}, were "
            f"loaded before, when suite {load.suite.suite} read them otherwise; they would count twice.",
            f"{what_to_do}, or load into another folder (`plumbline --data DIR …`). Nothing was loaded.",
        )
