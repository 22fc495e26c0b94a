"""Two suites in one data folder: whose encoder or judge counts for both is said."""

from ingest.measuring.shared_names import measured_otherwise
from ingest.store import Store


def test_another_suite_s_encoder_of_the_same_name_is_told(tmp_path):
    with Store(tmp_path) as store:
        for suite in ("mine", "theirs", "same"):
            row = {"suite": suite, "suite_key": "k", "file_sha256": "f", "run_id": "r"}
            store.append("suites", [row | {"definition": None}])
        for suite, keys in (
            ("theirs", {"minilm": "old", "vader": "v1"}),
            ("theirs", {"minilm": "older"}),
            ("theirs", {"judge": "j"}),  # of one scorer only: the others stay as they were
            ("same", {"minilm": "new"}),
            ("gone", {"minilm": "old"}),
            ("mine", {"minilm": "old"}),
        ):
            with store.run("extract", {"suite": suite, "scorers": keys}):
                pass
        (told,) = measured_otherwise(store, "mine", {"minilm": "new", "judge": "j"})
        assert told.startswith("The suite theirs was measured with another minilm, and the last one counts")
        assert not [*measured_otherwise(store, "mine", {})]
