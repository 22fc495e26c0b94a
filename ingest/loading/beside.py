"""What records say beside their answers, labels, scores and baselines: the last file is believed."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from ingest.errors import shorten
from ingest.loading.tally import Load
from ingest.store import Store, utc_now
from ingest.suite import Suite

LOAD_AGAIN = "Where the suite has changed since its file was loaded, load that again"


@dataclass
class Beside:
    """What a file changes beside answers that were there already."""

    n_labels_new: int = 0
    n_labels_replaced: int = 0
    n_labels_withdrawn: int = 0
    n_scores_new: int = 0
    n_scores_replaced: int = 0
    n_scores_withdrawn: int = 0
    n_baselines_new: int = 0
    n_baselines_replaced: int = 0
    n_baselines_withdrawn: int = 0
    n_two_baselines: int = 0

    def lines(self) -> Iterator[str]:
        """Yield what changes, kind by kind."""
        for kind, of in (("labels", "answers"), ("scores", "answers"), ("baselines", "prompts")):
            counts = {
                name.removeprefix(f"n_{kind}_"): n
                for name in (one.name for one in fields(self))
                if name.startswith(f"n_{kind}_") and (n := getattr(self, name))
            }
            if counts:
                said = ", ".join(f"{n:,} {how}" for how, n in counts.items())
                yield f"  {kind} of {of} that were there already: {said}"


def decide_baselines(load: Load[Any]) -> None:
    """Decide which baseline each prompt has: that of its records, unless these differ.

    Of an answer that is refused nothing is taken.
    """
    load.execute(
        """
        create or replace temp table decided_baselines as
            with given as (
                select distinct prompt_key, baseline_key as baseline_text_key
                from staged_responses
                where
                    baseline_key is not null
                    and source_row in (select source_row from decided where decision <> 'duplicate_key')
            )

            select
                prompt_key,
                any_value(baseline_text_key) as baseline_text_key,
                any_value(baseline_kind) as baseline_kind,
                count(distinct baseline_text_key) as n
            from staged_prompts
            semi join given using (prompt_key, baseline_text_key)
            group by prompt_key
        """
    )


def decide_beside(load: Load[Any], method: str) -> Beside:
    """Decide what the file's last record of each answer says beside it, and count what that changes.

    Of an answer that is refused nothing is taken. Of two records of one answer, one with a label counts
    before one without. `method` is that of loaded prompts.
    """
    for table, key, columns, order in (
        ("labels", "outcome_set", ("category", "label"), "(label is not null, source_row)"),
        ("scores", "feature", ("value", "measurement_status"), "source_row"),
    ):
        said = ", ".join(f"'{column}': {column}" for column in columns)
        load.execute(
            f"""
            create or replace temp table decided_{table} as
            with lasts as (
                select response_key, {key}, arg_max({{{said}}}, {order}) as said
                from staged_{table}
                where source_row in (select source_row from decided where decision <> 'duplicate_key')
                group by response_key, {key}
            )

            select
                lasts.response_key,
                lasts.{key},
                {", ".join(f"lasts.said.{column}" for column in columns)},
                lasts.response_key not in (
                    select response_key from decided where decision = 'loaded'
                ) as was_there
            from lasts
            """
        )
    changed = load.execute(
        """
        with labelled as (
            select
                count(*) filter (stored.response_key is null and said.label is not null) as new,
                count(*) filter (stored.label <> said.label) as replaced,
                count(*) filter (stored.response_key is not null and said.label is null) as withdrawn
            from decided_labels as said
            left join labels as stored
                on
                    said.response_key = stored.response_key
                    and said.outcome_set = stored.outcome_set
                    and stored.annotator = 'data'
            where said.was_there
        ),

        scored as (
            select
                count(*) filter (stored.value is null and said.value is not null) as new,
                count(*) filter (stored.value <> said.value) as replaced,
                count(*) filter (stored.value is not null and said.value is null) as withdrawn
            from decided_scores as said
            left join ready_measurements as stored
                on said.response_key = stored.response_key and said.feature = stored.feature
            where said.was_there
        ),

        based as (
            select
                count(*) filter (said.n = 1 and stored.baseline_text_key is null) as new,
                count(*) filter (
                    said.n = 1 and stored.baseline_text_key <> said.baseline_text_key
                ) as replaced,
                count(*) filter (said.n > 1 and stored.baseline_text_key is not null) as withdrawn
            from decided_baselines as said
            inner join prompts as stored on said.prompt_key = stored.prompt_key
            where stored.method = $method
        )

        select
            labelled.new, labelled.replaced, labelled.withdrawn,
            scored.new, scored.replaced, scored.withdrawn,
            based.new, based.replaced, based.withdrawn,
            (select count(*) from decided_baselines where n > 1)
        from labelled, scored, based
        """,
        {"method": method},
    ).fetchall()[0]
    return Beside(*changed)


def count_changes_of_others(load: Load[Any], method: str, n_read_anew: int) -> tuple[int, int]:
    """Count answers of other files that this one changes something of, and prompts that these have, too.

    Of an answer, that is a label, a score, or what is said of a prompt to which the file brings no answer of
    its own. `n_read_anew` is what `find_prompts_read_anew` found.
    """
    read_anew = "union select prompt_key from read_anew" if n_read_anew else ""
    n_answers, n_prompts = load.execute(
        f"""
        with others as (
            select response_key, prompt_key from responses
            where
                prompt_key in (select prompt_key from staged_responses)
                and run_id not in (select run_id from loads where suite = $suite and file_sha256 = $sha)
        ),

        changed_prompts as (
            select stored.prompt_key
            from decided_baselines as said
            inner join prompts as stored on said.prompt_key = stored.prompt_key
            where
                stored.method = $method
                and stored.baseline_text_key is distinct from if(said.n = 1, said.baseline_text_key, null)
            {read_anew}
        ),

        changed_answers as (
            select said.response_key
            from decided_labels as said
            left join labels as stored
                on
                    said.response_key = stored.response_key
                    and said.outcome_set = stored.outcome_set
                    and stored.annotator = 'data'
            where stored.label is distinct from said.label
            union
            select said.response_key
            from decided_scores as said
            left join ready_measurements as stored
                on said.response_key = stored.response_key and said.feature = stored.feature
            where
                stored.value is distinct from said.value
                or stored.measurement_status is distinct from said.measurement_status
            union
            select response_key from staged_responses
            where
                prompt_key in (select prompt_key from changed_prompts)
                and prompt_key not in (
                    select prompt_key from staged_responses
                    where source_row in (select source_row from decided where decision = 'loaded')
                )
        )

        select
            (select count(*) from others where response_key in (select response_key from changed_answers)),
            count(distinct prompt_key)
        from others
        where prompt_key in (select prompt_key from changed_prompts)
        """,
        {"suite": load.suite.suite, "sha": load.source.file_sha256, "method": method},
    ).fetchall()[0]
    return n_answers, n_prompts


def write_baselines(load: Load[Any], method: str) -> None:
    """Write the baselines of loaded prompts; a later file's replaces an earlier one's, two leave none."""
    load.execute(
        """
        insert into texts
        select distinct on (text_key) *
        from staged_texts
        where
            text_key in (select baseline_text_key from decided_baselines where n = 1)
            and text_key not in (select text_key from texts)
        """
    )
    load.execute(
        """
        update prompts
        set baseline_text_key = decided.baseline_text_key, baseline_kind = decided.baseline_kind
        from (
            select
                prompt_key,
                if(n = 1, baseline_text_key, null) as baseline_text_key,
                if(n = 1, baseline_kind, null) as baseline_kind
            from decided_baselines
        ) as decided
        where
            prompts.prompt_key = decided.prompt_key
            and prompts.method = $method
            and (
                prompts.baseline_text_key is distinct from decided.baseline_text_key
                or prompts.baseline_kind is distinct from decided.baseline_kind
            )
        """,
        {"method": method},
    )


def write_labels(load: Load[Any]) -> None:
    """Write what records say of answers that are there; a later file's replaces an earlier one's.

    An empty cell takes back what an earlier file said.
    """
    load.execute(
        """
        delete from labels
        where
            annotator = 'data'
            and (outcome_set, response_key) in (
                select (outcome_set, response_key) from decided_labels where label is null
            )
        """
    )
    load.execute(
        """
        insert into labels by name
        select
            $suite as suite,
            category,
            outcome_set,
            response_key,
            'data' as annotator,
            'data' as source,
            label,
            '' as note,
            $now as labelled_at,
            $run_id as run_id
        from decided_labels
        where label is not null
        on conflict (outcome_set, response_key, annotator) do update set
            label = excluded.label,
            labelled_at = excluded.labelled_at,
            run_id = excluded.run_id
        where labels.label is distinct from excluded.label
        """,
        {"suite": load.suite.suite, "run_id": load.run_id, "now": utc_now()},
    )


def write_scores(load: Load[Any]) -> None:
    """Write the numbers of answers that are there; a later file's replaces an earlier one's."""
    load.execute(
        """
        delete from ready_measurements
        where (response_key, feature) in (select (response_key, feature) from decided_scores)
        """
    )
    load.execute(
        """
        insert into ready_measurements (response_key, feature, value, measurement_status)
        select response_key, feature, value, measurement_status from decided_scores
        """
    )


def changed_since(store: Store, suite: Suite) -> Iterator[str]:
    """Yield which labels and scores of the data the suite knows by another name now, or not yet.

    They are stored as the suite read them when their file was loaded.
    """
    answered = "select distinct category from prompts where suite = ? and method = 'loaded'"
    loaded = {code for (code,) in store.rows(answered, [suite.suite])}
    given = suite.columns
    if given is None or not loaded:
        return
    rules = {
        (code, rule.set): rule
        for code, rule in suite.rules()
        if code in loaded and rule.set in given.labels and not rule.is_score
    }
    said: dict[tuple[str, str], dict[str, int]] = {}
    for code, outcome_set, label, n in store.rows(
        """
        select category, outcome_set, label, count(*) from labels
        where suite = ? and source = 'data'
        group by all order by all
        """,
        [suite.suite],
    ):
        said.setdefault((code, outcome_set), {})[label] = n
    for (code, outcome_set), rule in rules.items():
        labels = said.get((code, outcome_set), {})
        unknown = {label: n for label, n in labels.items() if label not in (*rule.labels, rule.unmatched)}
        if not labels:
            yield f"{code} {outcome_set}: no answer carries a label of the data. {LOAD_AGAIN}"
        elif unknown:
            listed = shorten(", ".join(f"{label} {n:,}" for label, n in unknown.items()))
            yield (
                f"{code} {outcome_set}: {sum(unknown.values()):,} labels of the data are none that the suite "
                f"has: {listed}. {LOAD_AGAIN}"
            )
    scored = dict(
        store.rows(
            """
            select ready_measurements.feature, count(*)
            from ready_measurements
            inner join responses on ready_measurements.response_key = responses.response_key
            inner join prompts on responses.prompt_key = prompts.prompt_key
            where prompts.suite = ?
            group by all order by all
            """,
            [suite.suite],
        )
    )
    for feature in given.scores:
        if feature not in scored:
            yield f"{feature}: no answer has this score of the data. {LOAD_AGAIN}"
    for feature, n in scored.items():
        if feature not in given.scores:
            yield (
                f"{feature}: {n:,} scores of the data are compared and corrected for, though the suite has "
                "no such score now. To do without, load the file into a new folder (`plumbline --data DIR …`)"
            )
