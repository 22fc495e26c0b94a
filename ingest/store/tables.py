"""The raw tables: names, columns, keys (docs/architecture.md, "How keys flow")."""

from collections.abc import Collection
from functools import cache

import duckdb

# Tables that grow with the answers have no index: DuckDB would hold it in memory, over 100 bytes a key, and
# write it anew with each audit. That no key comes twice is Store's to see to. Older databases keep theirs.
UNINDEXED = {
    "responses": "response_key",
    "texts": "text_key",
    "audit_numbers": "audit_key, suite, category, config, measure, axis, metric, group_value",
}

# Columns are added at the end, never renamed.
SCHEMA: dict[str, str] = {
    "runs": """
        run_id varchar primary key, command varchar not null, started_at timestamp not null,
        ended_at timestamp, run_status varchar not null, detail varchar not null,
        versions varchar not null""",
    # `definition` is null where an older version registered the suite: see Store._take_over_suites.
    # Which hosts a user lets a suite's file reach (ingest/reach.py).
    "consents": """
        file_sha256 varchar not null, host varchar not null, allowed_at timestamp not null,
        primary key (file_sha256, host)""",
    "suites": """
        suite varchar primary key, suite_key varchar not null, definition json,
        file_sha256 varchar not null, run_id varchar not null""",
    "suite_clusterings": """
        suite varchar not null, topic_set varchar not null, segment_value varchar not null,
        is_simulated boolean not null, clustering_key varchar not null,
        primary key (suite, topic_set, segment_value, is_simulated)""",
    "documents": """
        document_key varchar primary key, suite varchar not null, domain varchar not null,
        category varchar not null, concept varchar not null, keyword varchar, source_tag varchar not null,
        source_kind varchar not null, origin varchar not null, title varchar not null,
        revision varchar not null, revised_at timestamp, retrieved_at timestamp not null,
        licence varchar not null, attribution varchar not null, text varchar, text_sha256 varchar,
        document_status varchar not null, detail varchar not null, run_id varchar not null""",
    "sentences": """
        sentence_key varchar primary key, document_key varchar not null, suite varchar not null,
        domain varchar not null, category varchar not null, concept varchar not null,
        keyword varchar not null, source_tag varchar not null, sentence_position integer not null,
        sentence varchar not null""",
    "keywords": """
        suite varchar not null, category varchar not null, concept varchar not null,
        keyword varchar not null, found_by varchar not null, score double,
        primary key (suite, category, concept, keyword)""",
    "prompts": """
        prompt_key varchar primary key, suite varchar not null, domain varchar not null,
        category varchar not null, concept varchar, keyword varchar, source_tag varchar,
        method varchar not null, language varchar not null, prompt varchar not null,
        baseline_text_key varchar, root_key varchar not null,
        block_key varchar not null, attributes map(varchar, varchar) not null,
        shown_by map(varchar, varchar) not null, baseline_kind varchar, template varchar,
        slots map(varchar, varchar), translated_by varchar, reviewed_by varchar, messages varchar""",
    "writings": """
        writing_key varchar primary key, suite varchar not null, purpose varchar not null,
        config_key varchar not null, instruction varchar not null, attempt integer not null,
        text_key varchar, response_status varchar not null, error varchar, written_at timestamp not null,
        run_id varchar not null""",
    "prompt_flags": """
        prompt_key varchar not null, flag varchar not null, primary key (prompt_key, flag)""",
    "configs": """
        config_key varchar primary key, config varchar not null, backend varchar not null,
        model varchar not null, digest varchar not null, quantisation varchar not null, role varchar not null,
        system_prompt varchar not null, template varchar not null, options varchar not null,
        server_version varchar not null, details varchar""",
    "responses": """
        response_key varchar not null, prompt_key varchar not null, config_key varchar not null,
        repeat_index integer not null, text_key varchar, response_status varchar not null,
        finish_reason varchar, n_prompt_tokens integer, n_output_tokens integer, seconds double,
        n_attempts integer not null, error varchar, answered_at timestamp, run_id varchar not null,
        source_file varchar, source_row bigint, source_id varchar, wait_seconds double,
        reasoning_text_key varchar, messages_text_key varchar, served_model varchar,
        system_fingerprint varchar, cost double, currency varchar, first_tokens varchar""",
    "superseded_responses": """
        response_key varchar not null, response_status varchar not null, n_attempts integer not null,
        wait_seconds double, error varchar, answered_at timestamp not null, run_id varchar not null,
        primary key (response_key, answered_at)""",
    # Requests that were sent together, to be answered within a day (ingest/asking/batches.py).
    "batches": """
        batch_key varchar primary key, config_key varchar not null, batch_id varchar,
        batch_status varchar not null, n_requests integer not null, sent_at timestamp not null,
        ended_at timestamp, run_id varchar not null""",
    "batch_requests": """
        batch_key varchar not null, response_key varchar not null, prompt_key varchar not null,
        repeat_index integer not null, primary key (batch_key, response_key)""",
    "rejects": """
        reject_key varchar primary key, suite varchar not null, source_file varchar not null,
        source_row bigint, reason varchar not null, detail varchar not null, run_id varchar not null""",
    "loads": """
        run_id varchar primary key, suite varchar not null, source_file varchar not null,
        file_sha256 varchar not null, n_records bigint not null, n_loaded bigint not null,
        n_already_there bigint not null, n_rejected bigint not null""",
    "texts": "text_key varchar not null, text varchar not null, n_characters integer not null",
    "text_variants": """
        text_key varchar not null, text_variant varchar not null, variant_text_key varchar not null,
        primary key (text_key, text_variant)""",
    "scored_texts": """
        prompt_key varchar not null, text_key varchar not null, scored_as varchar not null,
        scored_text_key varchar not null, primary key (prompt_key, text_key, scored_as)""",
    "scorers": """
        scorer_key varchar primary key, scorer varchar not null, model varchar not null,
        revision varchar not null, version varchar not null, parameters varchar not null""",
    # Who votes as a judge, on which question. Votes are by question and voter, whatever the judge is called.
    "judge_members": """
        scorer_key varchar not null, rubric_key varchar not null, config_key varchar not null,
        member_position integer not null, primary key (scorer_key, config_key)""",
    "judge_votes": """
        vote_key varchar primary key, rubric_key varchar not null, config_key varchar not null,
        text_key varchar not null, label varchar, value double, reason varchar,
        response_status varchar not null, finish_reason varchar, n_prompt_tokens integer,
        n_output_tokens integer, seconds double, n_attempts integer not null, error varchar,
        answered_at timestamp not null, run_id varchar not null, wait_seconds double, served_model varchar,
        system_fingerprint varchar, cost double, currency varchar""",
    "judged_pairs": """
        pair_key varchar primary key, first_text_key varchar not null, second_text_key varchar not null""",
    "exchanged_texts": """
        suite varchar not null, category varchar not null, judge varchar not null, attribute varchar not null,
        group_a varchar not null, group_b varchar not null, text_key varchar not null,
        exchanged_text_key varchar not null, content_key varchar not null,
        primary key (suite, category, judge, attribute, group_b, text_key)""",
    "scorer_features": """
        scorer_key varchar not null, feature varchar not null, range_low double not null,
        range_high double not null, primary key (scorer_key, feature)""",
    "measurements": """
        text_key varchar not null, scorer_key varchar not null, feature varchar not null,
        value double, measurement_status varchar not null, primary key (text_key, scorer_key, feature)""",
    "ready_measurements": """
        response_key varchar not null, feature varchar not null, value double, baseline_value double,
        measurement_status varchar not null""",
    "prompt_pairs": """
        suite varchar not null, category varchar not null, axis varchar not null, group_a varchar not null,
        group_b varchar not null, root_key varchar not null, prompt_key_a varchar not null,
        prompt_key_b varchar not null, primary key (suite, axis, prompt_key_a, prompt_key_b)""",
    "prompt_words": """
        prompt_key varchar primary key, suite varchar not null, root_key varchar not null,
        words_key varchar not null, words varchar[] not null""",
    "neutral_texts": """
        text_key varchar not null, words_key varchar not null, text_variant varchar not null,
        neutral_text_key varchar not null, primary key (text_key, words_key, text_variant)""",
    "text_pairs": """
        text_key_a varchar not null, text_key_b varchar not null, scorer_key varchar not null,
        feature varchar not null, value double, measurement_status varchar not null,
        primary key (text_key_a, text_key_b, scorer_key, feature)""",
    "text_languages": """
        text_key varchar not null, scorer_key varchar not null, expected_language varchar not null,
        language varchar, probability double, expected_probability double,
        language_status varchar not null, is_in_another boolean,
        primary key (text_key, scorer_key, expected_language)""",
    "embeddings": """
        text_key varchar not null, scorer_key varchar not null, vector float[],
        measurement_status varchar not null, primary key (text_key, scorer_key)""",
    "earlier_runs": """
        suite varchar primary key, name varchar not null, n_outcomes bigint not null,
        last_ended_at timestamp, run_id varchar not null""",
    "earlier_outcomes": """
        suite varchar not null, category varchar not null, config varchar not null, model varchar not null,
        role varchar not null, is_simulated boolean not null, outcome_set varchar not null,
        rule_kind varchar not null, prompt_key varchar not null, repeat_index integer not null,
        outcome varchar, is_counted boolean not null, score double,
        primary key (suite, category, config, outcome_set, prompt_key, repeat_index)""",
    "earlier_comparables": """
        part varchar not null, suite varchar not null, category varchar not null,
        outcome_set varchar not null, item varchar not null, definition varchar not null,
        primary key (part, suite, category, outcome_set, item)""",
    # Audits that were built, kept by what they were made of; of a plan of looks, each look (ingest/watch.py).
    "audits": """
        audit_key varchar primary key, fingerprint varchar not null, audited_at timestamp not null,
        plumbline_version varchar not null, build_hash varchar not null, thresholds_hash varchar not null,
        suites_hash varchar not null, answers_hash varchar not null, readings_hash varchar not null,
        labels_hash varchar not null, plan_key varchar, look integer, run_id varchar not null""",
    "audit_numbers": """
        audit_key varchar not null, suite varchar not null, category varchar not null,
        config varchar not null, is_simulated boolean not null, measure varchar not null,
        axis varchar not null, metric varchar not null, group_value varchar not null, value double,
        unit varchar, direction varchar, ci_low double, ci_high double, n bigint not null,
        n_units bigint not null, p_family double, verdict varchar not null, answers_key varchar,
        is_corrected boolean, compared_groups varchar""",
    "watch_plans": """
        plan_key varchar primary key, suite varchar not null, suite_key varchar not null,
        n_looks integer not null, n_roots integer not null, started_at timestamp not null,
        run_id varchar not null""",
    "compared_audits": """
        audit_key_a varchar not null, audit_key_b varchar not null, run_id varchar not null,
        primary key (audit_key_a, audit_key_b)""",
    "label_samples": """
        sample_key varchar not null, suite varchar not null, category varchar not null,
        outcome_set varchar not null, response_key varchar not null, stratum varchar not null,
        probability double not null, is_new boolean not null, drawn_at timestamp not null,
        run_id varchar not null, primary key (sample_key, outcome_set, response_key)""",
    "labels": """
        suite varchar not null, category varchar not null, outcome_set varchar not null,
        response_key varchar not null, annotator varchar not null, source varchar not null, label varchar,
        value double, sample_key varchar, seconds double, note varchar not null,
        labelled_at timestamp not null, run_id varchar not null,
        primary key (outcome_set, response_key, annotator)""",
    # Cells of tables beside a suite; what the suite takes no part of has no published_label or group_value.
    "ground_truth_figures": """
        suite varchar not null, category varchar not null, outcome_set varchar not null,
        outcome varchar not null, group_label varchar not null, figure double, published_label varchar,
        group_value varchar, source_file varchar not null, source_row bigint not null,
        file_sha256 varchar not null, primary key (suite, category, outcome, group_label)""",
    "clusterings": """
        clustering_key varchar primary key, scorer_key varchar not null, parameters varchar not null,
        n_texts bigint not null, n_members bigint not null""",
    "topics": """
        clustering_key varchar not null, topic_position integer not null, n_texts bigint not null,
        n_members bigint not null, centroid double[] not null, centre double[],
        primary key (clustering_key, topic_position)""",
    "topic_words": """
        clustering_key varchar not null, topic_position integer not null, word_position integer not null,
        word varchar not null, share double not null, share_elsewhere double not null,
        similarity double not null, primary key (clustering_key, topic_position, word_position)""",
}


@cache
def schema_columns() -> list[tuple[str, str, str]]:
    """Return (table, column, type) of all raw tables."""
    with duckdb.connect() as empty:
        for table, columns in SCHEMA.items():
            empty.execute(f"create table {table} ({columns})")
        return empty.execute("select table_name, column_name, data_type from duckdb_columns()").fetchall()


STATE = "content_state"
# Who brought a row in, and when, is no content; texts and vectors are named by the keys beside them.
NAMED_BY_KEYS = {"text", "sentence", "vector"}
NO_CONTENT = {"run_id", "labelled_at", *NAMED_BY_KEYS}
RECORDS = {"runs", "loads", "consents", "label_samples", "watch_plans", "batches", "batch_requests"}


@cache
def state_view() -> str:
    """Return the SQL of the view `content_state`: two hashes of what the raw tables hold.

    `earlier` is that of the run that `plumbline compare` keeps, `answers` that of all else. Marts keep what
    it said when they were made (macros/engine/); where it says something else, they are of other answers.
    """
    rows = _hashed(SCHEMA.keys() - RECORDS, NO_CONTENT)
    part = "if(starts_with(of, 'earlier_'), 'earlier', 'answers')"
    state = "md5(string_agg(concat_ws(' ', of, n, hashed), ';' order by of))"
    return f"select {part} as part, {state} as state from ({rows}) group by part"


@cache
def content_hashes() -> str:
    """Return the SQL of a hash of each raw table: of all that it holds, but for what keys beside it name."""
    rows = _hashed(SCHEMA.keys(), NAMED_BY_KEYS)
    return f"select of, md5(concat_ws(' ', n, hashed)) from ({rows})"


def _hashed(tables: Collection[str], left_out: Collection[str]) -> str:
    """Return the SQL of number and hash of the rows of tables, without some columns."""
    parts = []
    for table in sorted(tables):
        names = [f'"{name}"' for of, name, _ in schema_columns() if of == table and name not in left_out]
        hashed = f"count(*) as n, sum(hash({', '.join(names)})) as hashed"
        parts.append(f"select '{table}' as of, {hashed} from {table}")
    return " union all ".join(parts)
