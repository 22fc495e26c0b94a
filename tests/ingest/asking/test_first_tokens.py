"""What a reply might have begun with: read from what servers send, kept with the answer, or missed."""

import json
import math

import pytest
from asked import N_PROMPTS, SOON, Case
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from places import FIXTURES

from ingest.asking.first_tokens import LEADING, LONGEST, MOST, encoded, first_tokens, is_encoded
from ingest.backends import Answer, Request
from ingest.backends.simulated import SimulatedBackend
from ingest.errors import LONGEST as LONGEST_ERROR
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.store.journal import entry, flaw
from ingest.suite import Config, load_suite

HALF = math.log(0.5)


def position(token="Yes", logprob=HALF, **others):
    """A token of a reply, as OpenAI's documents and Ollama's write it, and its alternatives."""
    listed = [{"token": token, "logprob": logprob, "bytes": list(token.encode("utf-8", "replace"))}]
    listed += [{"token": other, "logprob": math.log(p), "bytes": None} for other, p in others.items()]
    return {"token": token, "logprob": logprob, "bytes": [], "top_logprobs": listed}


SAID = [position(No=0.25, Well=0.125), position(".")]
KEPT = '[["Yes",-0.693147],["No",-1.386294],["Well",-2.079442]]'


def said(**changes):
    return [position() | changes]


def test_the_first_token_that_is_not_blank_is_kept():
    assert encoded(first_tokens(SAID)) == KEPT
    assert encoded(first_tokens([position("\n\n"), position(" "), *SAID])) == KEPT
    assert first_tokens([position(" ")] * LEADING + SAID) == ()


def test_a_token_that_is_none_of_the_likely_ones_is_added_with_its_probability():
    drawn = position(No=0.25) | {"token": "Hm", "logprob": math.log(0.01)}
    assert [token for token, _ in first_tokens([drawn])] == ["Yes", "No", "Hm"]
    unknown = position() | {"token": "Hm"}
    del unknown["logprob"]
    assert [token for token, _ in first_tokens([unknown])] == ["Yes"]


def test_tokens_that_are_written_alike_add_up():
    alike = position("\ufffd", math.log(0.25), **{"Yes": 0.5})
    alike["top_logprobs"].append({"token": "\ufffd", "logprob": math.log(0.125)})
    assert encoded(first_tokens([alike])) == f'[["Yes",-0.693147],["\ufffd",{round(math.log(0.375), 6)}]]'


@pytest.mark.parametrize("nothing", [None, [], {}, "Yes", 0, {"content": []}])
def test_a_server_that_says_nothing_of_tokens_gives_none(nothing):
    assert first_tokens(nothing) is None and encoded(None) is None and is_encoded(None)


@pytest.mark.parametrize(
    "hostile",
    [
        ["Yes"],
        [None],
        [{}],
        [{"token": None}],
        [{"token": "Yes", "logprob": float("nan")}],
        said(top_logprobs=[{"token": "Yes", "logprob": float("nan")}]),
        said(top_logprobs=[{"token": "Yes", "logprob": float("inf")}]),
        said(top_logprobs=[{"token": "Yes", "logprob": 3.5}]),
        said(top_logprobs=[{"token": "Yes", "logprob": 10**400}]),
        said(top_logprobs=[{"token": "Yes", "logprob": True}]),
        said(top_logprobs=[{"token": "Yes", "logprob": "-0.1"}]),
        said(top_logprobs=[{"token": ["Yes"], "logprob": -0.1}]),
        said(top_logprobs=[{"token": "y" * (LONGEST + 1), "logprob": -0.1}]),
        said(top_logprobs=[["Yes", -0.1]]),
        said(top_logprobs=[{"token": str(i), "logprob": -0.1} for i in range(20)]),  # they add up to 18
        said(top_logprobs=[{"token": "No", "logprob": -(10**400)}], logprob=float("-inf")),
    ],
)
def test_what_are_no_probabilities_is_no_list(hostile):
    assert first_tokens(hostile) == () and encoded(first_tokens(hostile)) == "[]"


def test_a_list_without_end_is_read_up_to_its_bound():
    many = said(top_logprobs=[{"token": f"{i:03}", "logprob": -9.0} for i in range(100_000)])
    assert len(first_tokens(many)) == MOST + 1


def test_what_is_impossible_is_left_out():
    listed = [{"token": "No", "logprob": p} for p in (float("-inf"),)] + [
        {"token": "Nay", "logprob": -9999.0}
    ]
    listed += [{"token": "Non", "logprob": -3.4e38}, {"token": "Yes", "logprob": 0}]
    assert first_tokens(said(top_logprobs=listed)) == [("Yes", 0.0)]


@pytest.mark.parametrize("token", ["\ud83d", "a\0b", '"]]; drop table', "हाँ", "\u2028"])
def test_odd_letters_are_stored_and_come_back(token, tmp_path):
    text = encoded(first_tokens([position(token)]))
    assert is_encoded(text) and flaw(ENTRY(text)) is None
    with Store(tmp_path) as store:
        store.append_answers([ENTRY(text)])
        assert store.value("select first_tokens ->> '$[0][0]' from responses") == json.loads(text)[0][0]


def ENTRY(text):
    from ingest.store import utc_now

    named = dict.fromkeys(("response_key", "prompt_key", "config_key", "run_id"), "k")
    row = {
        "repeat_index": 0,
        "response_status": "ok",
        "n_attempts": 1,
        "answered_at": utc_now(),
        "wait_seconds": 0.0,
    }
    return entry({**named, **row, "first_tokens": text}, ["Yes.", None, None])


@pytest.mark.parametrize(
    "text", ["", "Yes", "{}", '["Yes"]', '[["Yes",NaN]]', '[["Yes",2]]', "[" * 10_000, "[[1,-1]]"]
)
def test_a_journal_that_somebody_has_changed_is_set_aside(text):
    assert not is_encoded(text) and "first_tokens is" in flaw(ENTRY(text))


@fuzzed(100)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(st.sampled_from(["token", "logprob", "top_logprobs", "x"]), inner, max_size=4),
        ),
        max_leaves=20,
    )
)
def test_whatever_a_server_sends_is_a_list_or_nothing(reply):
    assert is_encoded(encoded(first_tokens([reply])))
    assert is_encoded(encoded(reply if isinstance(reply, list) else [reply]))


@pytest.fixture(params=["ollama", "openai"])
def case(request, tmp_path, server):
    server.change(version="0.12.11")
    case = Case(tmp_path, server, request.param, options={"top_logprobs": 5})
    return case


def one_line(call):
    with pytest.raises(PlumblineError) as error:
        call()
    line = f"Error: {error.value.format_message()}"
    assert len(line) <= LONGEST_ERROR
    return line


def test_probabilities_are_asked_for_and_kept_as_they_came(case):
    case.server.rules({"do": "answer", "says": "Yes.", "logprobs": SAID})
    assert case.ask() == {"ok": N_PROMPTS}
    assert case.rows("select distinct first_tokens from responses") == [(KEPT,)]
    sent = [entry["content"] for entry in case.server.log()]
    assert all(one["logprobs"] is True and one["top_logprobs"] == 5 for one in sent)
    assert not any("top_logprobs" in one.get("options", {}) for one in sent)
    ((options,),) = case.rows("select options from configs")
    assert json.loads(options)["top_logprobs"] == 5
    assert case.ask() == {}  # nothing is asked twice


def test_a_stream_brings_them_too(tmp_path, server):
    case = Case(tmp_path, server, "openai", options={"top_logprobs": 5, "stream": True})
    server.rules({"do": "answer", "says": "Yes.", "logprobs": [position(" "), *SAID]})
    assert case.ask() == {"ok": N_PROMPTS}
    assert case.rows("select distinct first_tokens from responses") == [(KEPT,)]


def test_who_does_not_ask_is_sent_none_and_has_the_key_of_before(case):
    case.write(options={})
    case.server.rules({"do": "answer", "says": "Yes.", "logprobs": SAID})
    assert case.ask() == {"ok": N_PROMPTS}
    assert not any("logprobs" in entry["content"] for entry in case.server.log())
    ((options,),) = case.rows("select options from configs")
    assert "top_logprobs" not in json.loads(options)


def test_a_server_that_sends_none_is_named_after_one_request(case):
    case.server.rules({"do": "answer", "says": "Yes."})
    line = one_line(case.ask)
    assert "tiny: the server sends no token probabilities" in line and "Take `top_logprobs` out" in line
    assert case.server.n_asked() == 1 and case.rows("from responses") == []


def test_one_reply_without_them_stops_nothing(case):
    case.server.rules(
        {"do": "answer", "says": "Yes.", "logprobs": SAID, "times": 3},
        {"do": "answer", "says": "Yes.", "logprobs": [{"token": "Yes", "logprob": 7}], "match": "Case 3"},
        {"do": "answer", "says": "Yes.", "match": "Case 5"},
        {"do": "answer", "says": "Yes.", "logprobs": SAID},
    )
    assert case.ask() == {"ok": N_PROMPTS}
    found = dict(case.rows("select first_tokens, count(*) from responses group by all"))
    assert set(found) == {KEPT, "[]", None} and sum(found.values()) == N_PROMPTS


@pytest.mark.parametrize("name", ["logprobs", "top_logprobs"])
def test_a_server_that_refuses_them_is_named(name, tmp_path, server):
    case = Case(tmp_path, server, "openai", options={"top_logprobs": 20})
    refusal = f"'{name}' is not supported with this model."
    server.rules({"do": "status", "status": 400, "body": {"error": {"message": refusal}}})
    line = one_line(case.ask)
    assert "the server refuses `top_logprobs`" in line and "Take `top_logprobs` out" in line
    assert server.n_asked() == 1


def test_an_old_ollama_is_named_before_anything_is_asked(tmp_path, server):
    case = Case(tmp_path, server, "ollama", options={"top_logprobs": 5})
    assert "is 0.12.3, which sends no token probabilities; 0.12.11 does" in one_line(case.ask)
    assert server.n_asked() == 0
    server.change(version="0.0.0")  # built from its source
    server.rules({"do": "answer", "says": "Yes.", "logprobs": SAID})
    assert case.ask() == {"ok": N_PROMPTS}


@pytest.mark.parametrize("n", [0, 21, 2.5, True, "all"])
def test_how_many_is_bounded(case, n):
    case.write(options={"top_logprobs": n})
    assert "a whole number of tokens from 1 to 20" in one_line(case.ask)


def test_a_database_of_an_earlier_version_has_the_column_from_then_on(case):
    with Store(case.data) as store:
        store.connection.execute("alter table responses drop column first_tokens")
    case.server.rules({"do": "answer", "says": "Yes.", "logprobs": SAID})
    assert case.ask(retries=SOON) == {"ok": N_PROMPTS}
    assert case.rows("select distinct first_tokens from responses") == [(KEPT,)]


@pytest.fixture
def simulated():
    suite = load_suite(FIXTURES / "simulated_suite.yml")
    backend = SimulatedBackend(suite)

    def ask(n=1_000, **options):
        config = Config(backend="simulated", model="m", options=options)
        return [
            backend.answer(
                Request(
                    f"k{i}",
                    f"p{i}",
                    config,
                    "FLAT",
                    "Well?",
                    "root",
                    0,
                    {"gender": "Male", "origin": "North"},
                )
            )
            for i in range(n)
        ]

    return ask


def test_the_simulated_backend_says_the_truth(simulated):
    first = simulated(1, top_logprobs=20)[0].first_tokens
    shares = {token: math.exp(logprob) for token, logprob in first}
    assert shares == pytest.approx({"Gladly,": 0.25, "Gladly;": 0.25, "Sorry,": 0.25, "I": 0.25})
    assert len(simulated(1, top_logprobs=2)[0].first_tokens) == 2
    assert simulated(1)[0].first_tokens is None


def test_a_spread_of_prompts_moves_probabilities_and_answers_alike(simulated):
    answers = [one for one in simulated(3_000, top_logprobs=20, prompt_spread=1.0) if one.status == "ok"]
    glad = [
        sum(math.exp(p) for token, p in one.first_tokens if token.startswith("Gladly")) for one in answers
    ]
    said = sum(one.text.startswith("Gladly") for one in answers) / len(answers)
    assert max(glad) - min(glad) > 0.5 and said == pytest.approx(sum(glad) / len(glad), abs=0.03)
    with pytest.raises(PlumblineError, match="`prompt_spread` is -1"):
        simulated(1, prompt_spread=-1)


def test_an_answer_of_another_packages_backend_is_checked():
    assert encoded([("Yes", "no number")]) == encoded([1, 2]) == encoded("Yes") == "[]"
    assert encoded(Answer("Yes", "ok", first_tokens=[("Yes", -0.5)]).first_tokens) == '[["Yes",-0.5]]'
