"""Conversations: what stands before a prompt is filled, shown, keyed, sent to every backend, and loaded."""

import json

import pytest
import yaml
from asked import KEY, SOON
from servers import loopback

from ingest.asking.plan import plan
from ingest.asking.run import generate_answers
from ingest.assemble import assemble_prompts
from ingest.backends.replies import messages_for
from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.store import Store
from ingest.suite import Config, load_suite
from ingest.suite.conversations import turns_before

SUITE = """
suite: talks
title: Who asks, and whom it is about
version: 1
attributes:
  gender:
    Female: {words: [woman]}
    Male: {words: [man]}
  age:
    Old: {words: ["old"]}
    Young: {words: ["young"]}
axes: [gender]
names:
  shows: [gender]
  people:
    - {name: Aisha, gender: Female}
    - {name: Ahmad, gender: Male}
categories:
  ASKS:
    title: Advice to somebody who says who they are
    prompts:
      - messages:
          - {role: system, content: "You advise people on {topic}."}
          - {role: user, content: "I am {name}, a {age} person."}
          - {role: assistant, content: "Hello {name}."}
        prompt: "What should I do?"
        baseline: "Advice for {name}."
      - "A {gender} asks about {topic}. What now?"
    slots: {topic: [work, money]}
    outcomes:
      - {set: said, kind: pattern, labels: {a: [od], b: [ksa]}}
configs: []
"""


@pytest.fixture(scope="module")
def running():
    with loopback("--slots", "4", "--key", KEY) as server:
        yield server


@pytest.fixture
def talk(tmp_path):
    """Return the suite of talks, changed where the test says so, with its prompts in a store."""

    def make(change=lambda content: None, name="suite.yml"):
        content = yaml.safe_load(SUITE)
        change(content)
        path = tmp_path / name
        path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
        return load_suite(path)

    return make


def prompts(folder, suite):
    with Store(folder) as store:
        assemble_prompts(store, suite)
        return store.rows(
            """
            select prompt, messages, attributes, shown_by, root_key, block_key, prompt_key, keyword, template
            from prompts order by prompt
            """
        )


def test_a_group_in_any_turn_makes_branches_of_one_root(tmp_path, talk):
    rows = [row for row in prompts(tmp_path / "data", talk()) if row[1]]
    assert len(rows) == 2 * 2 * 2  # topics, people, ages
    for prompt, messages, attributes, shown_by, *_ in rows:
        turns = json.loads(messages)
        assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
        assert prompt == "\n\n".join(f"[{turn['role']}] {turn['content']}" for turn in turns)
        assert turns[-1]["content"] == "What should I do?"
        # Who asks is shown by a name, and by a word, of turns before the prompt.
        assert shown_by["gender"].startswith("name: ") and shown_by["age"].startswith("word: ")
        name = "Aisha" if attributes["gender"] == "Female" else "Ahmad"
        assert turns[2]["content"] == f"Hello {name}." and attributes["age"].lower() in turns[1]["content"]
    assert {row[4] for row in rows} == {row[4] for row in rows if "work" in row[0]} | {
        row[4] for row in rows if "money" in row[0]
    }
    assert len({row[4] for row in rows}) == 2
    # What differs in an earlier turn alone is another prompt, and no other's block.
    assert len({row[5] for row in rows}) == len({row[6] for row in rows}) == 8
    assert {row[7] for row in rows} == {"Aisha", "Ahmad"}
    assert {row[8] for row in rows} == {
        "[system] You advise people on {topic}.\n\n[user] I am {name}, a {age} person.\n\n"
        "[assistant] Hello {name}.\n\n[user] What should I do?"
    }


def test_a_prompt_alone_has_the_key_that_it_always_had(tmp_path, talk):
    rows = [row for row in prompts(tmp_path / "data", talk()) if not row[1]]
    assert len(rows) == 4
    for prompt, _, attributes, _, root_key, _, prompt_key, *_ in rows:
        assert prompt_key == key("prompt", "talks", "ASKS", prompt, attributes)
        topic = "work" if "work" in prompt else "money"
        assert root_key == key("root", "talks", "ASKS", f"A {{gender}} asks about {topic}. What now?")


def test_a_text_that_looks_like_a_conversation_is_another_prompt(tmp_path, talk):
    def also_as_one_text(content):
        (category,) = content["categories"].values()
        category["prompts"].append(talk().categories["ASKS"].templates[0].text)

    rows = prompts(tmp_path / "data", talk(also_as_one_text))
    texts = [row[0] for row in rows]
    assert len(texts) - len(set(texts)) == 8 and len({row[6] for row in rows}) == len(rows)


@pytest.mark.parametrize("backend", ["ollama", "openai", "azure", "anthropic", "http", "function"])
def test_every_backend_sends_the_turns_as_turns(tmp_path, talk, running, monkeypatch, backend):
    monkeypatch.setenv("TINY_KEY", KEY)
    running.reset()
    config = {"backend": backend, "model": "tiny", "template": "Now: {prompt}", "system_prompt": "Be brief."}
    if backend == "http":
        body = {"question": "{prompt}", "turns": "{messages}", "system": "{system}"}
        address = {"url": f"{running.url}/ask?v=2", "headers": {"X-App-Token": {"env": "TINY_KEY"}}}
        config |= {"body": body, "answer": "$.out[0].text", **address}
    elif backend == "function":
        config |= {"function": "ours:answer"}
        (tmp_path / "ours.py").write_text("import json\ndef answer(messages): return json.dumps(messages)")
    else:
        path = "/v1" if backend == "openai" else ""
        config |= {"base_url": running.url + path, "key_variable": "TINY_KEY"}
    suite = talk(lambda content: content.update(configs=[config]))
    with Store(tmp_path / "data") as store:
        assemble_prompts(store, suite)
        tasks = plan(store, suite, folder=tmp_path)
        if backend == "function":
            tasks[0].backend.is_allowed = True
        with store.run("generate", {}) as run_id:
            generate_answers(store, suite, tasks, run_id, retries=SOON)
        said = store.rows("select text from responses join texts using (text_key)")
        talks = [json.loads(m) for (m,) in store.rows("select messages from prompts where messages <> ''")]
    if backend == "function":
        tasks[0].backend.close()
        sent = [json.loads(text) for (text,) in said]
    elif backend == "http":
        sent = [entry["content"]["turns"] for entry in running.log()]
        asked = [entry["content"] for entry in running.log()]
        assert {content["system"] for content in asked if len(content["turns"]) > 2} == {
            "Be brief.\n\nYou advise people on work.", "Be brief.\n\nYou advise people on money."
        }  # fmt: skip
    else:
        sent = [
            [
                *(
                    [{"role": "system", "content": entry["content"]["system"]}]
                    if backend == "anthropic"
                    else []
                ),
                *entry["content"]["messages"],
            ]
            for entry in running.log()
        ]
    assert len(sent) == 12
    wanted = [
        [
            {"role": "system", "content": f"Be brief.\n\n{system['content']}"},
            *before,
            {"role": "user", "content": f"Now: {last['content']}"},
        ]
        for system, *before, last in talks
    ]
    assert len(wanted) == 8 and all(one in sent for one in wanted)


def test_an_application_without_a_place_for_turns_is_told(tmp_path, talk, running, monkeypatch):
    monkeypatch.setenv("TINY_KEY", KEY)
    running.reset()
    config = {
        "backend": "http", "model": "tiny", "url": f"{running.url}/ask?v=2", "answer": "$.out[0].text",
        "headers": {"X-App-Token": {"env": "TINY_KEY"}}, "body": {"question": "{prompt} {system}"},
    }  # fmt: skip
    suite = talk(lambda content: content.update(configs=[config]))
    with Store(tmp_path / "data") as store:
        assemble_prompts(store, suite)
        with pytest.raises(PlumblineError, match="a prompt has earlier turns"):
            generate_answers(store, suite, plan(store, suite), "run", retries=SOON)


def test_no_conversation_no_other_messages():
    config = Config(backend="openai", model="m", system_prompt="Be brief.", template="{prompt}!")
    system, user = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "What?!"}
    assert messages_for(config, "What?") == [system, user]
    assert messages_for(Config(backend="openai", model="m"), "What?") == [
        {"role": "user", "content": "What?"}
    ]


def messages(*roles):
    return [{"role": role, "content": "Hm."} for role in roles]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.update(messages=messages("user")), "turns of `user` and `assistant` in pairs"),
        (lambda p: p.update(messages=messages("assistant", "user")), "in pairs"),
        (lambda p: p.update(messages=messages("user", "system", "assistant")), "in pairs"),
        (lambda p: p.update(messages=[{"role": "tool", "content": "Hm."}]), "role"),
        (
            lambda p: p.update(baseline="About {age} and {topic} and {gender}."),
            "{gender} stands in the baseline",
        ),
        (lambda p: p["messages"][1].update(content="I am {nobody}."), "{nobody} is unknown in a prompt"),
    ],
)
def test_messages_that_cannot_be_are_named(talk, change, message):
    with pytest.raises(PlumblineError) as error:
        talk(lambda content: change(content["categories"]["ASKS"]["prompts"][0]))
    assert message in error.value.format_message()


def test_a_translation_has_the_same_turns(talk):
    def translated(content, turns):
        content["languages"] = {"ms": {"by": "somebody"}}
        one, other = content["categories"]["ASKS"]["prompts"]
        content["categories"]["ASKS"]["prompts"] = [
            one
            | {"translations": {"ms": {"messages": turns, "prompt": "Apa?", "baseline": "Untuk {name}."}}},
            {"prompt": other, "translations": {"ms": "{gender} {topic}?"}},
        ]
        content["categories"]["ASKS"]["outcomes"][0]["translations"] = {"ms": {"a": ["ya"], "b": ["tak"]}}

    said = [
        {"role": "system", "content": "Anda menasihati tentang {topic}."},
        {"role": "user", "content": "Saya {name}, {age}."},
        {"role": "assistant", "content": "Helo {name}."},
    ]
    suite = talk(lambda content: translated(content, said) or content.update(scorers=[]))
    assert suite.categories["ASKS"].templates[0].in_language("ms").messages[2].content == "Helo {name}."
    with pytest.raises(PlumblineError, match="other `messages` than its prompt"):
        talk(lambda content: translated(content, said[:1]) or content.update(scorers=[]))


def test_conversations_are_not_branched_by_replacing_words(talk):
    branching = {
        "category": "ASKS",
        "attribute": "gender",
        "root": "Female",
        "replacements": ["gender_pairs"],
    }
    with pytest.raises(PlumblineError, match="prompts with `messages` are not branched"):
        talk(lambda content: content.update(branches=[branching]))


def test_a_persona_is_a_role_for_each_person(talk):
    roles = [
        {"role": "no-role"},
        {"role": "Officer {name}", "system_prompt": "You are {name}, a {gender} and a loan officer."},
    ]
    configs = [{"backend": "openai", "model": "m", "base_url": "http://127.0.0.1:9"}]
    suite = talk(lambda content: content.update(roles=roles, configs=configs))
    assert [(config.role, config.system_prompt) for config in suite.grid] == [
        ("no-role", ""),
        ("Officer Aisha", "You are Aisha, a woman and a loan officer."),
        ("Officer Ahmad", "You are Ahmad, a man and a loan officer."),
    ]
    roles[1]["role"] = "Officer"
    with pytest.raises(PlumblineError, match="in `role`, too"):
        talk(lambda content: content.update(roles=roles, configs=configs))
    roles[1]["role"] = "Officer {name}"
    with pytest.raises(PlumblineError, match="a persona is one of `names: people:`"):
        talk(
            lambda content: content.update(roles=roles, configs=configs, names=None) or without_names(content)
        )


def without_names(content):
    content["categories"]["ASKS"]["prompts"] = ["A {gender} asks. What now?"]


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("[]", []),
        ('[{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yes?", "x": 1}]', 2),
        ('[{"role": "system", "content": "Be."}, {"role": "user", "content": " What? "}]', 1),
        ('[{"role": "user", "content": "What?"}]', []),
    ],
)
def test_turns_of_a_record(text, turns):
    found = turns_before(text, "What?")
    assert len(found) == (turns or 0) and all(turn.keys() == {"role", "content"} for turn in found)


BAD = ["{}", "no", '["a"]', '[{"role": "tool", "content": "a"}]', '[{"role": "user", "content": 1}]']


@pytest.mark.parametrize(
    "text", [*BAD, '[{"role": "user", "content": " "}]', "[" * 5_000, "[" + "1," * 60_000]
)
def test_what_is_no_conversation_is_refused(text):
    with pytest.raises(ValueError):
        turns_before(text, "What?")


def test_loaded_answers_bring_their_conversation(load, query, tmp_path, talk):
    columns = {
        "response": "answer", "prompt": "asked", "messages": "before", "model": "model", "category": "of",
        "attributes": {"gender": "gender"},
    }  # fmt: skip
    talk(lambda content: content.update(columns=columns))
    turns = [{"role": "user", "content": "I am a woman."}, {"role": "assistant", "content": "Hi."}]
    record = {"answer": "od", "asked": "What?", "model": "m", "of": "ASKS", "gender": "Female"}
    before = (json.dumps(turns), "", "{", turns, [{"role": "tool"}])
    lines = [json.dumps(record | {"before": said}) for said in before]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    result = load(tmp_path / "answers.jsonl", suite=tmp_path / "suite.yml")
    assert "5 records = 3 loaded" in result.output and "2 bad_messages" in result.output, result.output
    assert query("select count(*) from prompts") == [(2,)]
    rows = query("select prompt, messages, shown_by from prompts order by messages nulls first")
    assert rows[0] == ("What?", None, {})
    assert rows[1][0] == "[user] I am a woman.\n\n[assistant] Hi.\n\n[user] What?"
    assert json.loads(rows[1][1]) == [*turns, {"role": "user", "content": "What?"}]
    assert rows[1][2] == {"gender": "word: woman"}
    assert query("select count(*) from responses") == [(3,)]
