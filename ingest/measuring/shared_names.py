"""Encoders and judges of one name that another suite of the same data folder was measured with otherwise.

Marts have each suite's own numbers; of vectors and votes they have one version of a name.
"""

from collections.abc import Iterator, Mapping

from ingest.errors import printable
from ingest.store import Store

LAST_USED = """
    with used as (
        select
            json_extract_string(detail, '$.suite') as suite,
            names.scorer,
            arg_max(json_extract_string(detail, '/scorers/' || names.scorer), started_at) as scorer_key
        from runs cross join (select unnest($scorers) as scorer) as names
        where
            command = 'extract'
            and json_extract_string(detail, '/scorers/' || names.scorer) is not null
        group by all
    )

    select used.scorer, used.suite, used.scorer_key
    from used
    semi join suites using (suite)
    where used.suite <> $suite
    order by all"""


def measured_otherwise(store: Store, suite: str, keys: Mapping[str, str]) -> Iterator[str]:
    """Yield which other suites were measured with another of these, named with their keys, and what to do."""
    found = store.connection.execute(LAST_USED, {"scorers": list(keys), "suite": suite}).fetchall()
    for scorer, other, scorer_key in found:
        if scorer_key != keys[scorer]:
            yield (
                f"The suite {printable(other)} was measured with another {scorer}, and the last one counts"
                " for both. Give one another name; or, where its file names the same by now, run"
                " `plumbline extract --suite` with it, too."
            )
