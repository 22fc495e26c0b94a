"""Prompts that a person should look at first: by default neither they nor others of their roots are asked."""

from collections.abc import Iterator

from ingest.store import Store
from ingest.suite import Suite


def flagged_roots(suite: str = "?", asked: str = "?") -> str:
    """Return the SQL of the roots of which a prompt is flagged, by the SQL of a suite and the flags it asks.

    Where one group's prompt is left out, the others' of its root go too: all are asked the same roots.
    """
    return f"""
        select flagged.root_key
        from prompts as flagged
        inner join prompt_flags as flags on flagged.prompt_key = flags.prompt_key
        where flagged.suite = {suite} and not list_contains({asked}, flags.flag)
    """


# What has answers stays, also of a category or a group that the suite has no longer.
OF_THE_SUITE = """
    p.suite = ?
    and list_contains(?, p.category)
    and list_has_all(?, list_transform(map_entries(p.attributes), entry -> entry.key || '=' || entry.value))
"""
# Prompts `p` that are asked; its parameters are those of `asked_parameters`.
UNFLAGGED = f"{OF_THE_SUITE} and p.root_key not in ({flagged_roots()})"
ASKED_PROMPTS = f"{UNFLAGGED} and p.method <> 'loaded'"
LISTED = 20

COUNTS = f"""
    with made as (
        select p.*, p.root_key in ({flagged_roots()}) as is_left_out, f.flags
        from prompts as p
        left join (
            select prompt_key, list(flag order by flag) as flags
            from prompt_flags
            where not list_contains(?, flag)
            group by prompt_key
        ) as f on p.prompt_key = f.prompt_key
        where p.suite = ? and p.method <> 'loaded'
    )
"""


def asked_parameters(suite: Suite) -> list[object]:
    """Parameters of ASKED_PROMPTS and of UNFLAGGED."""
    own = [suite.suite, list(suite.categories), suite.declared_groups]
    return [*own, suite.suite, suite.flags_asked]


def left_out(store: Store, suite: Suite) -> Iterator[str]:
    """Yield, for each category of which prompts are left out, how many, why, and of which groups."""
    counting = [suite.suite, suite.flags_asked, suite.flags_asked, suite.suite]
    for category, n, n_left_out, n_roots, n_flagged in store.rows(
        f"""
        {COUNTS}
        select
            category, count(*), count(*) filter (where is_left_out),
            count(distinct root_key) filter (where is_left_out), count(flags)
        from made
        group by category
        having bool_or(is_left_out)
        order by category
        """,
        counting,
    ):
        flags = store.rows(
            f"""
            {COUNTS}
            select flag, count(*)
            from (select unnest(flags) as flag from made where category = ?)
            group by flag
            order by count(*) desc, flag
            """,
            [*counting, category],
        )
        said = ", ".join(f"{flag} {count:,}" for flag, count in flags)
        yield (
            f"{category}: {n_left_out:,} of {n:,} prompts are not asked, all of {n_roots:,} roots in which "
            f"{n_flagged:,} are flagged: {said}"
        )
        groups: dict[str, list[str]] = {}
        for attribute, value, count, count_flagged in store.rows(
            f"""
            {COUNTS}
            select entry.key, entry.value, count(*), count(flags)
            from (
                select flags, unnest(map_entries(attributes)) as entry
                from made
                where category = ? and is_left_out
            )
            group by all
            order by entry.key, count(flags) desc, count(*) desc, entry.value
            """,
            [*counting, category],
        ):
            groups.setdefault(attribute, []).append(f"{value} {count:,} ({count_flagged:,} flagged)")
        for attribute, counted in groups.items():
            more = f", and {len(counted) - LISTED:,} more" if len(counted) > LISTED else ""
            yield f"  by {attribute}: {', '.join(counted[:LISTED])}{more}"
