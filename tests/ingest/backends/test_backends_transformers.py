"""The local backend, with a model of random weights that the test builds and saves: nothing is fetched."""

import json
import math

import pytest
import yaml
from click.testing import CliRunner
from places import FIXTURES
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from ingest.asking.plan import pending_requests, plan
from ingest.assemble import assemble_prompts
from ingest.backends.transformers import TransformersBackend, prompt_tokens
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.suite import load_suite

torch = pytest.importorskip("torch", reason="torch is an extra (`models`) and is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is an extra and is not installed")

ASKED = FIXTURES / "asked_suite.yml"
TEMPLATE = (
    "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
SPECIAL = ["<pad>", "<s>", "</s>"]


def build(folder, seed=0, positions=512, template=TEMPLATE):
    """Save a Llama of random weights and a tokeniser of bytes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>"
    )
    fast.chat_template = template
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    settings = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    transformers.LlamaForCausalLM(settings).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    torch.set_num_threads(1)
    return build(tmp_path_factory.mktemp("model"))


@pytest.fixture
def suite_of(tmp_path):
    def write(model, **config):
        content = yaml.safe_load(ASKED.read_text("utf-8"))
        options = {"max_new_tokens": 12, "temperature": 1.0, "device": "cpu", **config.pop("options", {})}
        content["configs"] = [{"backend": "transformers", "model": str(model), "options": options, **config}]
        path = tmp_path / "suite.yml"
        path.write_text(yaml.safe_dump(content), "utf-8")
        return path

    return write


def requests_of(path, data):
    suite = load_suite(path)
    with Store(data) as store:
        assemble_prompts(store, suite)
        task = plan(store, suite)[0]
        return task.backend, task.row, list(pending_requests(store, suite, task))


def test_a_saved_model_answers_all_prompts(model, suite_of, tmp_path):
    path = suite_of(model, system_prompt="You let flats.")
    runner, data = CliRunner(), str(tmp_path / "data")
    assert runner.invoke(cli, ["--data", data, "assemble", "--suite", str(path)]).exit_code == 0
    result = runner.invoke(cli, ["--data", data, "generate", "--suite", str(path)])
    assert result.exit_code == 0, result.output
    with Store(tmp_path / "data", read_only=True) as store:
        counts = dict(store.rows("select response_status, count(*) from responses group by 1"))
        assert sum(counts.values()) == 20 and set(counts) <= {"ok", "empty", "truncated_output"}
        row = store.rows(
            "select digest, template, options, server_version, quantisation, details from configs"
        )[0]
        tokens = store.rows("select min(n_prompt_tokens), max(n_output_tokens) from responses")[0]
    assert row[0].startswith("sha256:") and row[1] == TEMPLATE and row[3].startswith("transformers ")
    assert row[4] == "float32" and json.loads(row[2])["device"] == "cpu"
    assert json.loads(row[5]) == {"context_length": 512, "family": "llama"}
    assert tokens[0] > 60 and tokens[1] <= 12
    assert "0 new; 0 left" in runner.invoke(cli, ["--data", data, "generate", "--suite", str(path)]).output


def test_probabilities_of_the_first_tokens_are_what_the_model_says(model, suite_of, tmp_path):
    told = {}
    for name, temperature in (("cold", 0), ("hot", 1.7)):
        path = suite_of(model, options={"top_logprobs": 4, "temperature": temperature})
        backend, _, requests = requests_of(path, tmp_path / name)
        told[name] = [
            {token: math.exp(logprob) for token, logprob in answer.first_tokens}
            for answer in backend.answer_together(requests)
        ]
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModelForCausalLM.from_pretrained(model)
    for request, found in zip(requests, told["cold"], strict=True):
        with torch.inference_mode():
            logits = network(torch.tensor([prompt_tokens(tokenizer, request.messages)])).logits[0, -1]
        expected = {}
        for value, token in zip(*(part.tolist() for part in logits.softmax(-1).topk(4)), strict=True):
            written = tokenizer.decode([token])  # bytes that are no letter are written alike
            expected[written] = expected.get(written, 0) + value
        assert found == pytest.approx(expected, rel=1e-3)
    # What is drawn changes nothing, but where a blank is drawn first, and the next place counts.
    assert sum(a == b for a, b in zip(told["cold"], told["hot"], strict=True)) >= 0.7 * len(requests)


@pytest.mark.parametrize("options", [{}, {"top_p": 0.8}, {"temperature": 0}])
def test_an_answer_does_not_depend_on_its_batch(model, suite_of, tmp_path, options):
    backend, _, requests = requests_of(suite_of(model, options=options), tmp_path / "data")
    together = backend.answer_together(requests)
    alone = [backend.answer(request) for request in requests[:6]]
    told = [(a.text, a.status, a.error, a.n_output_tokens, a.n_prompt_tokens) for a in together[:6]]
    assert [(a.text, a.status, a.error, a.n_output_tokens, a.n_prompt_tokens) for a in alone] == told


def test_greedy_answers_are_those_of_the_model_itself(model, suite_of, tmp_path):
    backend, _, requests = requests_of(suite_of(model, options={"temperature": 0}), tmp_path / "data")
    answer = backend.answer(requests[0])
    loaded = transformers.AutoModelForCausalLM.from_pretrained(model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    tokens = prompt_tokens(tokenizer, requests[0].messages)
    for _ in range(12):
        with torch.inference_mode():
            tokens.append(int(loaded(torch.tensor([tokens])).logits[0, -1].argmax()))
        if tokens[-1] == 2:
            break
    text = tokenizer.decode(tokens[answer.n_prompt_tokens :], skip_special_tokens=True)
    assert (answer.text or answer.error or "") == text.strip() or answer.text == text


def test_seeds_are_drawn_from_as_a_softmax_says(model, suite_of, tmp_path):
    """One token, 3,000 seeds: the Gumbel-max draw has the softmax's frequencies."""
    backend, _, _ = requests_of(suite_of(model), tmp_path / "data")
    scores = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
    n = 3_000
    draw = backend._draw({"temperature": 0.7}, list(range(n)))
    drawn = draw(None, scores.expand(n, 4)).argmax(-1)
    shares = torch.bincount(drawn, minlength=4) / n
    expected = torch.softmax(scores[0] / 0.7, -1)
    errors = (expected * (1 - expected) / n).sqrt()
    assert torch.all((shares - expected).abs() < 4 * errors)


def test_a_stop_ends_an_answer(model, suite_of, tmp_path):
    backend, _, requests = requests_of(suite_of(model), tmp_path / "data")
    whole = next(a for a in backend.answer_together(requests) if len(a.error or a.text or "") > 3)
    text = whole.error or whole.text
    index = next(i for i, a in enumerate(backend.answer_together(requests)) if (a.error or a.text) == text)
    stopped, _, again = requests_of(suite_of(model, options={"stop": [text[2]]}), tmp_path / "other")
    answer = stopped.answer(again[index])
    assert (answer.finish_reason, answer.text or "") == (
        "stop",
        text[:2].rstrip() if answer.text is None else text[:2],
    )


def test_a_prompt_too_long_for_the_model_is_not_asked(suite_of, tmp_path):
    small = build(tmp_path / "small", positions=48)
    backend, _, requests = requests_of(suite_of(small), tmp_path / "data")
    answer = backend.answer(requests[0])
    assert (answer.status, answer.n_attempts) == ("prompt_truncated", 0) and "48 fit" in answer.error


def test_other_weights_are_another_digest(model, suite_of, tmp_path):
    other = build(tmp_path / "model", seed=1)
    _, row, _ = requests_of(suite_of(model), tmp_path / "data")
    _, changed, _ = requests_of(suite_of(other), tmp_path / "data")
    assert row["digest"] != changed["digest"] and row["config_key"] != changed["config_key"]


def test_a_model_without_a_chat_template_is_given_the_plain_text(suite_of, tmp_path):
    base = build(tmp_path / "base", template=None)
    backend, row, requests = requests_of(suite_of(base), tmp_path / "data")
    assert row["template"] == ""
    assert backend.answer(requests[0]).n_prompt_tokens == len(requests[0].prompt.encode())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "model.safetensors").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"no"), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be loaded"),
    ],
)
def test_a_spoilt_folder_is_named(suite_of, tmp_path, spoil, message):
    folder = build(tmp_path / "spoilt")
    spoil(folder)
    with pytest.raises(PlumblineError, match=message):
        backend, _, requests = requests_of(suite_of(folder), tmp_path / "data")
        backend.answer(requests[0])


def test_pickled_weights_and_code_of_the_model_are_refused(suite_of, tmp_path):
    folder = build(tmp_path / "pickled")
    weights = transformers.AutoModelForCausalLM.from_pretrained(folder).state_dict()
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    backend, _, requests = requests_of(suite_of(folder), tmp_path / "data")
    with pytest.raises(PlumblineError, match="safetensors"):
        backend.answer(requests[0])

    coded = build(tmp_path / "coded")
    settings = json.loads((coded / "config.json").read_text())
    settings |= {"model_type": "own", "auto_map": {"AutoConfig": "own.C", "AutoModelForCausalLM": "own.M"}}
    (coded / "config.json").write_text(json.dumps(settings))
    (coded / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(PlumblineError, match="cannot be loaded"):
        requests_of(suite_of(coded), tmp_path / "coded_data")
    assert not (tmp_path / "ran").exists()


def test_an_unknown_model_and_device_say_what_to_do(suite_of, tmp_path, model):
    with pytest.raises(PlumblineError, match="hf download nobody/nothing"):
        requests_of(suite_of("nobody/nothing"), tmp_path / "data")
    if not torch.cuda.is_available():
        with pytest.raises(PlumblineError, match="no device 'cuda'"):
            requests_of(suite_of(model, options={"device": "cuda"}), tmp_path / "data")


def test_a_batch_that_does_not_fit_is_halved(model, suite_of, tmp_path):
    backend, _, requests = requests_of(suite_of(model), tmp_path / "data")
    expected = backend.answer_together(requests[:5])

    class Small(TransformersBackend):
        def _generate(self, loaded, some):
            sizes.append(len(some))
            if len(some) > 2:
                raise torch.OutOfMemoryError
            return super()._generate(loaded, some)

    sizes = []
    small = Small(backend.suite)
    assert [a.text for a in small.answer_together(requests[:5])] == [a.text for a in expected]
    assert sizes == [5, 2, 3, 1, 2]
